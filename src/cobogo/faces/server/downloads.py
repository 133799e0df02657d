"""What is downloaded of a release, as ZIP archives."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import IO, Literal

from cobogo.faces.server.files import Files, zipped
from cobogo.release.write import copy_neutralised

Part = Literal["public", "evidence"]


def archive(files: Files, identity: str, part: Part, target: IO[bytes], *, neutralised: bool = False) -> None:
    """Write a part of a release as an archive. ``neutralised``: for spreadsheets, with no cell that is a formula.

    Whoever calls this has seen to it that the release is theirs to have.
    """
    directory = files.release(identity) / part
    if not neutralised:
        zipped(directory, target)
        return
    with tempfile.TemporaryDirectory(prefix="cobogo-") as place:
        copy_neutralised(directory, Path(place) / part)
        zipped(Path(place) / part, target)
