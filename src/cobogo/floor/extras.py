"""What a missing library belongs to: the extra that brings it, told by the room that asked for it."""

from __future__ import annotations

import traceback

from cobogo.errors import InputError

EXTRAS = {
    "dp": "dp",
    "ldp": "ldp",
    "location": "location",
    "metrics": "utility",
    "perturb": "utility",
    "sample": "utility",
    "server": "server",
    "synth": "synth",
    "workbench": "server",
}
"""The extra of each room that has libraries of its own."""


def missing(error: ModuleNotFoundError) -> InputError | None:
    """The same as a message with a remedy; None if what is missing is not an extra's, but a part of ours."""
    if not error.name or error.name.partition(".")[0] == "cobogo":
        return None
    for frame, _ in reversed(list(traceback.walk_tb(error.__traceback__))):
        package, _, rest = str(frame.f_globals.get("__name__", "")).partition(".")
        extra = EXTRAS.get(rest.partition(".")[0])
        if package == "cobogo" and extra:
            return InputError(f"{error.name} is not installed", remedy=f"Install it: pip install 'cobogo[{extra}]'.")
    return None
