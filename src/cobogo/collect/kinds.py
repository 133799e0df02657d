"""Every kind of collection, by the name of its mechanism."""

from __future__ import annotations

from cobogo.collect.collection import Collection
from cobogo.collect.discovering import DiscoveryCollection
from cobogo.collect.discovery import DISCOVERIES
from cobogo.collect.frequency import LISTED, FrequencyCollection
from cobogo.collect.means import MEANS
from cobogo.collect.numeric import MeanCollection
from cobogo.collect.rappor.collect import Rappor, RapporCollection
from cobogo.collect.sketching import SKETCHES, SketchCollection

KINDS: dict[str, type[Collection]] = {
    **dict.fromkeys(LISTED, FrequencyCollection),
    **dict.fromkeys(SKETCHES, SketchCollection),
    "rappor": RapporCollection,
    **dict.fromkeys(DISCOVERIES, DiscoveryCollection),
    **dict.fromkeys(MEANS, MeanCollection),
}
"""A new one is registered here."""

RANDOMIZERS: dict[str, type] = {**LISTED, **SKETCHES, "rappor": Rappor, **DISCOVERIES, **MEANS}
"""What each of them does, in the docstring."""
