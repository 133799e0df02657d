"""Every kind of collection, by the name of its mechanism."""

from __future__ import annotations

from cobogo.ldp.collection import Collection
from cobogo.ldp.discovering import DiscoveryCollection
from cobogo.ldp.discovery import DISCOVERIES
from cobogo.ldp.frequency import LISTED, FrequencyCollection
from cobogo.ldp.means import MEANS
from cobogo.ldp.numeric import MeanCollection
from cobogo.ldp.rappor.collect import Rappor, RapporCollection
from cobogo.ldp.sketching import SKETCHES, SketchCollection

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
