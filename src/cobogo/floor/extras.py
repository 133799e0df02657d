"""What a missing library belongs to: the extra that brings it, told by the room that asked for it."""

from __future__ import annotations

import traceback
from collections.abc import Iterator
from contextlib import contextmanager

from cobogo.errors import InputError
from cobogo.floor.language import tr

EXTRAS = {
    "data.files.spreadsheets": "files",
    "data.files.labelled": "files",
    "data.lakes.delta": "lake",
    "data.lakes.iceberg": "lake",
    "answer": "dp",
    "promises.mechanisms": "dp",
    "publish.frequency_list": "dp",
    "collect": "ldp",
    "locate": "location",
    "studies.fortaleza": "location",
    "studies.location": "location",
    "examine.utility": "utility",
    "publish.perturb": "utility",
    "publish.randomize": "utility",
    "publish.sample": "utility",
    "publish.synthesize": "synth",
    "faces.server": "server",
    "faces.workbench": "server",
    "sklearn": "utility",
}
"""The extra of each room that has libraries of its own."""


@contextmanager
def needing_extra() -> Iterator[None]:
    """A block that may need a library of an extra; where it is not installed, the error says what to install."""
    try:
        yield
    except ModuleNotFoundError as error:
        raise (missing(error) or error) from None


def missing(error: ModuleNotFoundError) -> InputError | None:
    """The same as a message with a remedy; None if what is missing is not an extra's, but a part of ours."""
    if not error.name or error.name.partition(".")[0] == "cobogo":
        return None
    for frame, _ in reversed(list(traceback.walk_tb(error.__traceback__))):
        package, _, rest = str(frame.f_globals.get("__name__", "")).partition(".")
        extra = next((extra for room, extra in EXTRAS.items() if rest.startswith(room)), None)
        if package == "cobogo" and extra:
            return InputError(
                tr("{name} is not installed", name=error.name),
                remedy=tr("Install it: pip install 'cobogo[{extra}]'.", extra=extra),
                code="COBOGO-INSTALL",
            )
    return None
