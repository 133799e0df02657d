"""Libraries that may be missing, and the extras that bring them."""

from __future__ import annotations

import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec

from cobogo.errors import CobogoError, InputError, PolicyError
from cobogo.floor.language import join, tr

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


def require(
    module: str,
    extra: str,
    what: str,
    *,
    where: str | None = None,
    otherwise: str = "",
    error: type[CobogoError] = PolicyError,
) -> None:
    """Refuse to go on without a library. ``what`` says what is missing, ``otherwise`` how to do without it."""
    if find_spec(module) is None:
        raise error(what, where=where, remedy=join([_install(extra), otherwise]), code="COBOGO-INSTALL")


def _install(extra: str) -> str:
    return tr("Install it: pip install 'cobogo[{extra}]'.", extra=extra)


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
                remedy=_install(extra),
                code="COBOGO-INSTALL",
            )
    return None
