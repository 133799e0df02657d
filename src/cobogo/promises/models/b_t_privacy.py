"""(B,t)-privacy: the attacker has learnt from the whole table how sensitive values depend on quasi-identifiers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from cobogo.data.classes import CELLS_AT_ONCE, Classes, Domain
from cobogo.data.hierarchy import Hierarchy
from cobogo.errors import PolicyError, SearchTooLarge
from cobogo.floor.arguments import missing, number
from cobogo.floor.arrays import Floats, Mask
from cobogo.floor.catalogue import card
from cobogo.floor.language import tr
from cobogo.promises.models.base import Model
from cobogo.promises.models.knowledge import WholeTable, complete_classes, dense, original_members, whole_table

SLACK = 1e-12
TUPLES_AT_MOST = 5_000
"""Distinct tuples. Each is compared with each: 25 million distances for each quasi-identifier."""


class Bandwidths(dict[str, float]):
    """A bandwidth for each quasi-identifier, as the policy writes it. It can be hashed, as models must be."""

    def __hash__(self) -> int:  # type: ignore[override]
        return hash(frozenset(self.items()))


@card(
    "b-t-privacy",
    plain=(
        "An attacker who knows how sensitive values depend on the quasi-identifiers changes no belief "
        "about a person by more than t. Costly: for small tables."
    ),
    title="(B,t)-privacy",
    group="knowledge",
    start={"b": 0.5, "t": 0.3},
)
@dataclass(frozen=True)
class BT(Model):
    r"""(B,t)-privacy: the release changes no belief about a person's sensitive value by more than t, for an attacker
    who knows how such values depend on the quasi-identifiers.

    Before the release, the belief about a person is a weighted mean of the original table's values. A value weighs more
    the closer its quasi-identifiers are to the person's; ``b`` is the bandwidth (one number, or one for each
    quasi-identifier). A small bandwidth means an attacker who knows much. If every leaf of the hierarchy is a number,
    the distance is the difference of two numbers over the range; otherwise it is the height of the lowest common
    ancestor over the height of the hierarchy. NULL has distance 1 from every number. After the release, the belief is
    the Ω-estimate. The two beliefs are compared by the Jensen-Shannon divergence in bits, 0 … 1. ``smoothing`` is the
    bandwidth with which both beliefs are first smoothed over close sensitive values, as in the paper; with 0 they are
    not smoothed, as if all values were equally far apart.

    Formula: Before, with weights $w(q, q') = \prod_i \max(0, 1 - (d_i(q, q')/B_i)^2)$: $P(s \mid q) = \frac{\sum_u w(q,
        q_u)\,[x_u = s]}{\sum_u w(q, q_u)}$

        After, in a class where $s$ occurs $n_s$ times: $\Omega(s \mid j) \propto \frac{n_s\,P(s \mid q_j)}{\sum_{j'}
        P(s \mid q_{j'})}$

        The model: $\mathrm{JS}(P(\cdot \mid q_j), \Omega(\cdot \mid j)) \le t$ for each person $j$
    Example: Two in three men have the flu, and two in three women have a cough. The first two classes make one disease
        certain; the third reveals nothing new.
        >>> from cobogo.promises.models.example_classes import classes
        >>> table = classes(disease=[["flu", "flu"], ["cough", "cough"], ["flu", "cough"]], quasi=[["m", "f"]] * 3)
        >>> BT("disease", b=0.5, t=0.2).measure(table).round(3).tolist()
        [0.459, 0.459, 0.0]

    Guarantee: For an attacker with the knowledge that the bandwidth describes, no belief about a person changes by more
        than t.
    Limits: An attacker with another bandwidth is not covered: ask for several bandwidths. The Ω-estimate is an
        approximation of what such an attacker would infer. Verification needs the original data.
    Cost: $O(d^2)$ for d distinct tuples, of which there may be at most 5,000.
    Paper: T. Li, N. Li and J. Zhang, Modeling and integrating background knowledge in data anonymization, ICDE 2009.
    """

    attribute: str
    b: float | Mapping[str, float]
    t: float
    smoothing: float = 0.0
    missing: Literal["value"] | None = None

    more_is_safer: ClassVar[bool] = False

    def __post_init__(self) -> None:
        if isinstance(self.b, Mapping):
            object.__setattr__(self, "b", Bandwidths(self.b))
        for bandwidth in self.b.values() if isinstance(self.b, Mapping) else (self.b,):
            number(self.name, "b", bandwidth, above=0)
        number(self.name, "t", self.t, least=0, most=1)
        number(self.name, "smoothing", self.smoothing, least=0)
        missing(self.name, self.missing)

    @property
    def needs_members(self) -> bool:
        """Beliefs are about people, not classes."""
        return True

    def check_domains(self, domains: Mapping[str, Domain]) -> None:
        """Some values are closer than others, if they are to be smoothed."""
        if self.smoothing and not self.domain(domains).is_numeric:
            self.domain(domains).tree  # noqa: B018 - raises where there is none

    def measure(self, classes: Classes) -> Floats:
        """The largest move of a belief in each class; infinite where the people of a class are not known."""
        members = original_members(self, self.attribute, classes)
        released, _ = self.known_values(classes)
        known = whole_table(members, released.domain)
        prior = _priors(known, self._bandwidths(known.hierarchies))
        inside = (members.owners >= 0) & (known.histogram.entries > 0)
        owners, prior, table = members.owners[inside], prior[inside], dense(known.histogram)[inside]
        held, expected = np.zeros((2, len(classes), prior.shape[1]))
        np.add.at(held, owners, table)
        np.add.at(expected, owners, prior * table.sum(axis=1, keepdims=True))
        odds = np.divide(held, expected, out=np.zeros_like(held), where=expected > 0)
        posterior = prior * odds[owners]
        posterior /= posterior.sum(axis=1, keepdims=True)
        found = np.where(complete_classes(released, members, self.attribute), 0.0, np.inf)
        np.maximum.at(found, owners, _divergence(self._smooth(prior, known), self._smooth(posterior, known)))
        return found

    def holds(self, classes: Classes, measured: Floats) -> Mask:  # noqa: ARG002
        """At most t."""
        return measured <= self.t + SLACK

    def _bandwidths(self, hierarchies: tuple[Hierarchy, ...]) -> tuple[float, ...]:
        names = [hierarchy.attribute for hierarchy in hierarchies]
        if not isinstance(self.b, Mapping):
            return (self.b,) * len(names)
        if set(self.b) != set(names):
            raise PolicyError(
                tr("the 'b' parameter of {name} must have one bandwidth for each quasi-identifier", name=self.name),
                where="privacy.models",
                remedy=tr("The quasi-identifiers: {names}.", names=", ".join(names)),
            )
        return tuple(self.b[name] for name in names)

    def _smooth(self, beliefs: Floats, known: WholeTable) -> Floats:
        """Beliefs as means over close values (Nadaraya and Watson), made to sum to 1 again."""
        if not self.smoothing:
            return beliefs
        tree = known.domain.hierarchy
        if tree is not None and tree.missing(known.domain.labels):
            raise PolicyError(
                tr('the hierarchy of "{attribute}" is known only for the released values', attribute=self.attribute),
                where="privacy.models",
                remedy=tr("Verify the release together with its evidence."),
            )
        every = np.arange(len(known.domain), dtype=np.int32)
        nearness = np.maximum(1 - (_distances(known.domain, every, every) / self.smoothing) ** 2, 0)
        smooth = (beliefs @ nearness) / nearness.sum(axis=0)
        return np.asarray(smooth / smooth.sum(axis=1, keepdims=True))


@lru_cache(maxsize=4)
def _priors(known: WholeTable, bandwidths: tuple[float, ...]) -> Floats:
    """The belief about each tuple before the release: a mean over the whole table, weighted by nearness."""
    tuples = len(known.codes)
    if tuples > TUPLES_AT_MOST:
        raise SearchTooLarge(
            tr(
                "b-t-privacy compares every pair of distinct combinations of quasi-identifiers: there "
                "are {tuples:,} combinations, and it can compare at most {most:,}",
                tuples=tuples,
                most=TUPLES_AT_MOST,
            ),
            where="privacy.models",
            remedy=tr(
                "Make the data coarser first (years instead of dates, shorter codes), or use fewer quasi-identifiers."
            ),
        )
    table = dense(known.histogram)
    scales = [_scale(hierarchy, known.decimal) for hierarchy in known.hierarchies]
    prior = np.zeros_like(table)
    step = max(1, CELLS_AT_ONCE // max(tuples, 1))
    for begin in range(0, tuples, step):
        rows = slice(begin, begin + step)
        weights = np.ones((len(known.codes[rows]), tuples))
        for column, (scale, bandwidth) in enumerate(zip(scales, bandwidths, strict=True)):
            codes = known.codes[:, column]
            weights *= np.maximum(1 - (_distances(scale, codes[rows], codes) / bandwidth) ** 2, 0)
        prior[rows] = weights @ table
    total = prior.sum(axis=1, keepdims=True)
    np.divide(prior, total, out=prior, where=total > 0)
    return prior


def _scale(hierarchy: Hierarchy, decimal: str) -> Domain:
    """The leaves of a hierarchy as a domain: numbers, or places in a tree."""
    return Domain(hierarchy.attribute, hierarchy.leaves, hierarchy.leaf_counts[0], hierarchy, decimal)


def _distances(scale: Domain, some: NDArray[np.int32], others: NDArray[np.int32]) -> Floats:
    """The distance of each of some values, given by code, from each of others: 0 … 1."""
    if scale.is_numeric:
        numbers = scale.numbers
        there = numbers[~np.isnan(numbers)]
        span = float(there.max() - there.min() if len(there) else 0) or 1.0
        gaps = np.abs(numbers[some][:, None] - numbers[others]) / span
        return np.where(some[:, None] == others, 0.0, np.where(np.isnan(gaps), 1.0, gaps))
    height = max(scale.tree.height, 1)
    steps = np.zeros((len(some), len(others)))
    for codes in scale.tree.maps[:height]:
        level = codes[scale.leaf_codes]
        steps += level[some][:, None] != level[others]
    return steps / height


def _divergence(one: Floats, other: Floats) -> Floats:
    """The Jensen-Shannon divergence of rows, in bits."""
    middle = (one + other) / 2
    return np.maximum(_entropy(middle) - (_entropy(one) + _entropy(other)) / 2, 0)


def _entropy(rows: Floats) -> Floats:
    logarithms = np.log2(rows, out=np.zeros_like(rows), where=rows > 0)
    return np.asarray(-(rows * logarithms).sum(axis=1))
