"""Every mechanism of collecting, by its name: the one registry.

To add a mechanism to a family: one class, and its name in the ``randomizers`` of the family's collection. To add a
family: a randomizer, a `Protocol` for its messages, a `Collection` that describes a question asked through it, and a
line here. Other packages add frequency oracles by an entry point of the group ``cobogo.collectors``.
"""

from __future__ import annotations

from cobogo.collect.collection import Collection
from cobogo.collect.discovery import DiscoveryCollection
from cobogo.collect.frequency import FrequencyCollection
from cobogo.collect.means import MeanCollection
from cobogo.collect.oracle import Oracle
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
    home=__package__,
    listed="mechanisms",
    guide="collecting",
    remark="collecting",
    plugins="cobogo.collectors",
    base=".oracle:Oracle",
)
"""Every mechanism by its name in a collection."""


def family_of(mechanism: str) -> type[Collection]:
    """The class of collections that are asked through a mechanism."""
    return next((family for family in FAMILIES if mechanism in family.randomizers), FrequencyCollection)


def frequency_oracles() -> dict[str, type[Oracle]]:
    """The mechanisms for questions with listed answers, those of other packages among them."""
    return {name: kind for name, kind in MECHANISMS.items() if family_of(name) is FrequencyCollection}
