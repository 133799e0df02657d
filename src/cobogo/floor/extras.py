"""The extra that brings a missing library, by the room that imports it."""

from __future__ import annotations

import traceback

from cobogo.errors import InputError

EXTRAS = {
    "answer": "dp",
    "collect": "ldp",
    "examine.utility": "utility",
    "examples.fortaleza": "location",
    "faces.server": "server",
    "faces.workbench": "server",
    "locate": "location",
    "promises.mechanisms": "dp",
    "publish.frequency_list": "dp",
    "publish.perturb": "utility",
    "publish.randomize": "utility",
    "publish.sample": "utility",
    "publish.synthesize": "synth",
    "studies.location_trial": "location",
    "studies.locations": "location",
}
"""The extra of each room that has libraries of its own."""


def missing(error: ModuleNotFoundError) -> InputError | None:
    """A message with a remedy; None if what is missing is not an extra's, but a part of ours."""
    if not error.name or error.name.partition(".")[0] == "cobogo":
        return None
    for frame, _ in reversed(list(traceback.walk_tb(error.__traceback__))):
        module = str(frame.f_globals.get("__name__", ""))
        extra = next((extra for room, extra in EXTRAS.items() if f"{module}.".startswith(f"cobogo.{room}.")), None)
        if extra:
            return InputError(f"{error.name} is not installed", remedy=f"Install it: pip install 'cobogo[{extra}]'.")
    return None
