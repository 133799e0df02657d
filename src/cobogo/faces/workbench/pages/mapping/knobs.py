"""What can be turned at each mechanism, between which values, and which attacks make sense against it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import log10

CLOAKS = ("quad-tree", "casper", "hilbert", "nearest-neighbours", "clique")
ON_POSITIONS = (
    "tracking", "short-observation", "long-observation", "home-and-work", "presence-absence", "identification",
    "aggregated-presence",
)  # fmt: skip
ON_CLOAKS = ("centre-of-cloak", "intersection-of-cloaks", *ON_POSITIONS)


@dataclass(frozen=True)
class Knob:
    """One option of a mechanism: a number, on a logarithmic scale where ``tens``, or one of some words. What is set
    goes to all of ``options``."""

    name: str
    start: float | str
    low: float = 0.0
    high: float = 1.0
    step: float = 1.0
    tens: bool = False
    choices: tuple[str, ...] = ()
    options: tuple[str, ...] = ()

    @property
    def whole(self) -> bool:
        """Whether it takes whole numbers."""
        return not self.tens and float(self.step).is_integer() and isinstance(self.start, int)

    def value(self, place: float) -> float | int:
        """What a place of the slider stands for.

        >>> EPSILON.value(-2.0), Knob("k", 5, 2, 20).value(7.0)
        (0.01, 7)
        """
        if self.tens:
            return float(f"{10**place:.2g}")
        return int(place) if self.whole else float(place)

    def place(self, value: float) -> float:
        """Where the slider stands for a value."""
        return log10(value) if self.tens else value

    def set(self, value: float | str) -> dict[str, float | str]:
        """The options of the mechanism."""
        return dict.fromkeys(self.options or (self.name,), value)


EPSILON = Knob("epsilon", 0.01, 1e-4, 0.1, 0.05, tens=True)
K = Knob("k", 4, 2, 20)

KNOBS: Mapping[str, tuple[Knob, ...]] = {
    "planar-laplace": (EPSILON,),
    "remapped-laplace": (EPSILON,),
    "optimal": (Knob("epsilon", 0.002, 1e-4, 0.01, 0.05, tens=True),),
    "grid-exponential": (EPSILON,),
    "elastic": (EPSILON,),
    "predictive": (EPSILON, Knob("test_share", 0.2, 0.05, 0.5, 0.05)),
    "adaptive": (EPSILON, Knob("window", 5, 2, 20), Knob("judge", "truth", choices=("truth", "reports"))),
    "several": (EPSILON,),
    "centroid": (EPSILON,),
    "disc": (
        Knob("radius", 500.0, 50, 5000, 0.05, tens=True),
        Knob("relevance", 0.25, 0.05, 1, 0.05),
        Knob("how", "enlarge", choices=("enlarge", "reduce", "shift")),
    ),
    "keyed-transform": (),
    "indirect": (),
    "dummies": (Knob("k", 5, 2, 20), Knob("how", "dls", choices=("uniform", "dls", "enhanced-dls"))),
    "quad-tree": (K, Knob("reciprocal", "false", choices=("false", "true"))),
    "casper": (K,),
    "hilbert": (K,),
    "nearest-neighbours": (K,),
    "clique": (
        Knob("k", 2, 2, 10),
        Knob("tolerance", 3000.0, 200, 10_000, 0.05, tens=True, options=("dx", "dy")),
        Knob("dt", 900, 300, 3600, 300),
    ),
}
"""Every mechanism that can be tried, in the order in which they are offered."""


def attacks(mechanism: str) -> tuple[str, ...]:
    """The attacks that can be run on what a mechanism releases."""
    return ON_CLOAKS if mechanism in CLOAKS else ON_POSITIONS
