"""Every mechanism of collecting, by its name: the one registry.

To add a mechanism to a family: one class, and its name in the ``randomizers`` of the family's collection. To add a
family: a randomizer, a `Protocol` for its messages, a `Collection` that describes a question asked through it, and a
line here.
"""

from __future__ import annotations

from cobogo.collect.collection import Collection
from cobogo.collect.discovery.protocol import DiscoveryCollection
from cobogo.collect.frequency import FrequencyCollection
from cobogo.collect.means import MeanCollection
from cobogo.collect.rappor.protocol import RapporCollection
from cobogo.collect.sketch_protocol import SketchCollection
from cobogo.floor.catalogue import Registry

FAMILIES: tuple[type[Collection], ...] = (
    FrequencyCollection,
    SketchCollection,
    RapporCollection,
    DiscoveryCollection,
    MeanCollection,
)

MECHANISMS: Registry[type] = Registry(
    "mechanism",
    {name: randomizer for family in FAMILIES for name, randomizer in family.randomizers.items()},
    listed="mechanisms",
    guide="collecting",
    remark="collecting",
)
"""What each of them does is in the docstring."""


def family_of(mechanism: str) -> type[Collection]:
    """The description of a question that is asked through a mechanism."""
    return next(family for family in FAMILIES if mechanism in family.randomizers)
