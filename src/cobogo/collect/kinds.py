"""Every kind of collection, by the name of its mechanism."""

from __future__ import annotations

from cobogo.collect.collection import Collection
from cobogo.collect.discovering import DiscoveryCollection
from cobogo.collect.discovery import DISCOVERIES
from cobogo.collect.frequency import LISTED, FrequencyCollection
from cobogo.collect.means import MEANS
from cobogo.collect.numeric import MeanCollection
from cobogo.collect.rappor.collect import RapporCollection
from cobogo.collect.sketching import SKETCHES, SketchCollection
from cobogo.floor.catalogue import Registry

KINDS: dict[str, type[Collection]] = {
    **dict.fromkeys(LISTED, FrequencyCollection),
    **dict.fromkeys(SKETCHES, SketchCollection),
    "rappor": RapporCollection,
    **dict.fromkeys(DISCOVERIES, DiscoveryCollection),
    **dict.fromkeys(MEANS, MeanCollection),
}
"""A new one is registered here."""

RANDOMIZERS: Registry[type] = Registry(
    "mechanism",
    {
        "grr": ".direct:Direct",
        "sue": ".unary:Symmetric",
        "oue": ".unary:Optimized",
        "olh": ".hashing:LocalHashing",
        "hadamard": ".hadamard:Hadamard",
        "cms": ".sketch:CountMeanSketch",
        "hcms": ".sketch:HadamardSketch",
        "flh": ".sketch:FastHashing",
        "rappor": ".rappor.collect:Rappor",
        "pem": ".discovery.prefixes:Prefixes",
        "sfp": ".discovery.puzzles:Puzzles",
        "duchi": ".means:OneBit",
        "piecewise": ".means:Piecewise",
        "hybrid": ".means:Hybrid",
    },
    home="cobogo.collect",
    listed="mechanisms",
    guide="collecting",
    remark="collecting",
)
"""What each of them does, in the docstring."""
