"""t-closeness: with equal, ordered and hierarchical distances."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from cobogo.data.classes import Classes, Domain, Histogram
from cobogo.errors import PolicyError
from cobogo.floor.arguments import choice, missing, number
from cobogo.floor.arrays import Floats, Ints, Mask
from cobogo.floor.catalogue import card
from cobogo.floor.language import tr
from cobogo.promises.models.base import Model, Monotone, ceil_safely

SLACK = 1e-12


@card(
    "t-closeness",
    plain=(
        "In each class the sensitive values are about as frequent as in the whole table, so that a class "
        "reveals little that is not true of everybody."
    ),
    group="attribute",
    start={"distance": "equal", "t": 0.3},
)
@dataclass(frozen=True)
class TCloseness(Model):
    r"""In every class a sensitive attribute is distributed almost as in the whole table: the earth mover's distance
    between the two is at most t.

    The distance between two values depends on the kind. ``equal``: all values are equally far apart. ``ordered``:
    neighbouring values are one step apart, in numeric order or else in the order of the hierarchy's rows.
    ``hierarchical``: the height of the lowest common ancestor, as a share of the height of the hierarchy. The whole
    table is the one before suppression. Where people are counted and a person has several values, each value counts.
    The distributions are those of the known values; a class without any known value has distance 0. ``missing =
    "value"`` counts a missing value as one more value.

    Formula: With $p$ the distribution in a class and $q$ that in the table: $\mathrm{EMD}(p, q) \le t$; equal
        $\frac{1}{2} \sum_x \lvert p_x - q_x\rvert$; ordered $\frac{1}{m-1} \sum_{i=1}^{m-1} \lvert \sum_{j \le i} (p_j
        - q_j)\rvert$; hierarchical, the mean over the levels below the top of the equal distance between the values
        there
    Example: Half of a class of four people has a value that one in fifty people of the table has.
        >>> from cobogo.promises.models.example_classes import classes
        >>> table = classes(hiv=[["yes", "yes", "no", "no"], ["no"] * 96])
        >>> TCloseness("hiv", t=0.2).measure(table).round(3).tolist()
        [0.48, 0.02]

    Guarantee: It bounds what a class reveals about a sensitive value beyond what the whole table reveals: with
        ``equal``, the share of any set of values in a class differs from its share in the table by at most t.
    Limits: The distribution of the whole table is assumed to be known. Record linkage is not covered: combine it with
        k-anonymity. A bound on a distance does not bound a ratio, so a rare value may become many times more probable:
        see beta-likeness.
    Cost: $O(v)$ for v pairs of a class and a value with ``equal``; $O(c\,m)$ for c classes and m values with
        ``ordered``, times the height of the hierarchy with ``hierarchical``.
    Paper: N. Li, T. Li and S. Venkatasubramanian, t-closeness: privacy beyond k-anonymity and l-diversity, ICDE 2007.
    """

    attribute: str
    t: float
    distance: Literal["equal", "ordered", "hierarchical"] = "equal"
    missing: Literal["value"] | None = None

    more_is_safer: ClassVar[bool] = False

    def __post_init__(self) -> None:
        choice(self.name, "distance", self.distance, ("equal", "ordered", "hierarchical"))
        number(self.name, "t", self.t, least=0, most=1)
        missing(self.name, self.missing)

    @property
    def compares(self) -> bool:
        """With the distribution of the whole table."""
        return True

    @property
    def monotone(self) -> Monotone:
        """The distance is convex: a union is no farther than its farthest part."""
        return Monotone.WITHOUT_SUPPRESSION

    def check_domains(self, domains: Mapping[str, Domain]) -> None:
        """An order, or a tree with one root, must be there if the distance needs it."""
        domain = self.domain(domains)
        if self.distance == "ordered":
            domain.ranks  # noqa: B018 - raises where there is no order
        if self.distance == "hierarchical" and len(domain.tree.labels[-1]) > 1:
            raise PolicyError(
                tr(
                    'the hierarchy of "{attribute}" has {number} roots, so some values have no common ancestor',
                    attribute=self.attribute,
                    number=len(domain.tree.labels[-1]),
                ),
                where="privacy.models",
                remedy=tr("Add top = true to the hierarchy."),
            )

    def measure(self, classes: Classes) -> Floats:
        """The distance of each class."""
        histogram, _ = self.known_values(classes)
        measured = {"equal": _equal_distance, "ordered": _ordered_distance, "hierarchical": _hierarchical_distance}[
            self.distance
        ](histogram)
        return np.where(histogram.entries > 0, measured, 0.0)

    def holds(self, classes: Classes, measured: Floats) -> Mask:  # noqa: ARG002
        """At most t."""
        return measured <= self.t + SLACK

    def least_failing(self, classes: Classes, measured: Floats) -> Ints:
        """The distance is convex, so size · distance is at most the sum over the parts of theirs: those that pass have
        at most t, and none has more than a single record can have."""
        bound = self.t + SLACK
        histogram, there = self.known_values(classes)
        room = self.farthest(histogram.domain) - bound
        more = there * (measured - bound) / room if room > SLACK else np.zeros(len(classes))
        return np.maximum(super().least_failing(classes, measured), ceil_safely(more))

    def farthest(self, domain: Domain) -> float:
        """The largest distance there can be: that of a class of one value. The distance is convex."""
        if self.distance == "equal":
            return float(1 - domain.distribution.min(initial=1.0))
        if self.distance == "ordered":
            whole = domain.up_to  # the farthest value is the first or the last
            return float(max(np.abs(1 - whole).sum(), whole[:-1].sum()) / max(len(whole) - 1, 1))
        tree, leaves = domain.tree, domain.leaf_codes
        alike = np.zeros(len(leaves))
        for level in range(tree.height):
            groups = tree.maps[level][leaves]
            alike += np.bincount(groups, weights=domain.distribution)[groups]
        return float(1 - alike.min(initial=tree.height) / max(tree.height, 1))


def _equal_distance(histogram: Histogram) -> Floats:
    """Half the absolute differences: the sum of the positive ones, which only values of the class can have."""
    gains = histogram.shares(histogram.entries) - histogram.domain.distribution[histogram.values]
    return histogram.sums(np.maximum(gains, 0.0))


def _ordered_distance(histogram: Histogram) -> Floats:
    """The sum of the absolute cumulative differences over the number of steps."""
    found = np.zeros(len(histogram.offsets) - 1)
    ranks = histogram.domain.ranks
    order = np.argsort(ranks, kind="stable")
    ends = np.flatnonzero(np.diff(ranks[order], append=-1))  # one for each place in the order
    whole = histogram.domain.up_to
    for part, counts in histogram.dense():
        inside = np.cumsum(counts[:, order], axis=1)[:, ends] / np.maximum(histogram.entries[part], 1)[:, None]
        found[part] = np.abs(inside - whole).sum(axis=1)
    return found / max(len(ends) - 1, 1)


def _hierarchical_distance(histogram: Histogram) -> Floats:
    """On a tree whose levels are equally far apart, the mean over the levels of the equal distance there."""
    tree, leaves = histogram.domain.tree, histogram.domain.leaf_codes
    found = np.zeros(len(histogram.offsets) - 1)
    for level in range(tree.height):
        groups = tree.maps[level][leaves]
        member = np.zeros((len(leaves), len(tree.labels[level])))
        member[np.arange(len(leaves)), groups] = 1.0
        whole = histogram.domain.distribution @ member
        for part, counts in histogram.dense():
            inside = (counts @ member) / np.maximum(histogram.entries[part], 1)[:, None]
            found[part] += np.abs(inside - whole).sum(axis=1) / 2
    return found / max(tree.height, 1)
