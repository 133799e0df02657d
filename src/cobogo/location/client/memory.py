"""What a device remembers over its restarts: what was spent, the last report, and one noisy value for each of its
owner's places. The file holds true places: it is readable by its owner alone, and is replaced whole or not at all."""

from __future__ import annotations

import json
import os
import secrets
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from cobogo.errors import DataError, OutputError
from cobogo.location.client.reports import Area, Report


@dataclass
class Memory:
    """All of it, in memory or in a ``file``."""

    file: Path | None = None
    entries: list[tuple[float, float]] = field(default_factory=list)
    last: Report | None = None
    places: dict[str, Area] = field(default_factory=dict)
    memos: dict[str, Report] = field(default_factory=dict)

    @classmethod
    def open(cls, file: str | Path | None) -> Memory:
        """What was kept. A file that cannot be read is an error: forgetting it would spend its budget again."""
        if file is None:
            return cls()
        path = Path(file).expanduser()
        if not path.exists():
            return cls(path)
        try:
            content = json.loads(path.read_text(encoding="utf-8"))
            return cls(
                path,
                [(float(time), float(cost)) for time, cost in content["spent"]],
                None if content["last"] is None else Report.from_dict(content["last"]),
                {name: Area(*map(float, place)) for name, place in content["places"].items()},
                {name: Report.from_dict(memo) for name, memo in content["memos"].items()},
            )
        except (OSError, ValueError, TypeError, KeyError, AttributeError):
            raise DataError(
                "is not a device's memory, or a damaged one",
                where=str(path),
                remedy="Restore it: without it, what was spent is spent again, and home gets a second value.",
            ) from None

    def save(self) -> None:
        """Write it all, so that it is there even if the machine stops now."""
        if self.file is None:
            return
        content: dict[str, Any] = {
            "spent": self.entries,
            "last": None if self.last is None else self.last.as_dict(),
            "places": {name: [place.lon, place.lat, place.radius] for name, place in self.places.items()},
            "memos": {name: memo.as_dict() for name, memo in self.memos.items()},
        }
        write_private(self.file, json.dumps(content))


def write_private(file: Path, text: str) -> None:
    """Put a text at a file that only its owner may read: the old or the new one is there at any moment."""
    new = file.with_name(f".{file.name}.{secrets.token_hex(6)}")
    try:
        handle = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        try:
            with os.fdopen(handle, "w", encoding="utf-8") as stream:
                stream.write(text)
                stream.flush()
                os.fsync(stream.fileno())
            new.replace(file)
        except BaseException:
            new.unlink(missing_ok=True)
            raise
        directory = os.open(file.parent, os.O_RDONLY)
        try:
            os.fsync(directory)
        finally:
            os.close(directory)
    except OSError as problem:
        raise OutputError(
            f"cannot be written: {problem.strerror}", where=str(file), remedy="Nothing was sent. Choose another place."
        ) from None
