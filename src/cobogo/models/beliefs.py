"""Models whose attacker knows everybody's quasi-identifiers and has learnt what goes with what from the whole table."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import combinations
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from cobogo.errors import PolicyError, SearchTooLarge
from cobogo.hierarchy import Hierarchy
from cobogo.models.arguments import number, whole
from cobogo.models.base import CELLS_AT_ONCE, Classes, Domain, Floats, Histogram, Mask, Members, Model, Monotone

SLACK = 1e-12
TUPLES_AT_MOST = 5_000
CELLS_AT_MOST = 25_000_000


class Bandwidths(dict[str, float]):
    """A bandwidth for each quasi-identifier, as the policy writes it; a model that holds it can still be compared."""

    def __hash__(self) -> int:  # type: ignore[override]
        return hash(frozenset(self.items()))


@dataclass(frozen=True)
class BT(Model):
    """(B,t)-privacy: seeing the release moves the belief about nobody's sensitive value by more than t, for an attacker
    who knows how such values go with the quasi-identifiers (Li, Li and Zhang 2009).

    Before: the belief about a person is the mean of the original table's values, each weighted by how near its
    quasi-identifiers are to the person's: ∏ max(0, 1 − (dᵢ/Bᵢ)²), the product Epanechnikov kernel with bandwidth ``b``
    (one number, or one for each quasi-identifier). dᵢ is the difference of two numbers over the range where every leaf
    of the hierarchy is a number, else the height of the lowest common ancestor over that of the hierarchy; NULL is at
    distance 1 from every number. A small bandwidth is an attacker who knows much.

    After: the Ω-estimate. In a class where s occurs nₛ times, Ω(s|j) ∝ nₛ·P(s|j) / Σ P(s|j′) over its people j′.

    Distance: the Jensen-Shannon divergence in bits, 0 … 1. ``smoothing`` is the bandwidth with which both beliefs are
    first smoothed over close sensitive values, as the paper does; 0 does without, as if all were equally far apart.

    The cost is quadratic in the distinct tuples of the table, which may be up to 5,000.
    """

    attribute: str
    b: float | Mapping[str, float]
    t: float
    smoothing: float = 0.0

    name: ClassVar[str] = "b-t-privacy"
    more_is_safer: ClassVar[bool] = False

    def __post_init__(self) -> None:
        if isinstance(self.b, Mapping):
            object.__setattr__(self, "b", Bandwidths(self.b))
        for bandwidth in self.b.values() if isinstance(self.b, Mapping) else (self.b,):
            number(self.name, "b", bandwidth, above=0)
        number(self.name, "t", self.t, least=0, most=1)
        number(self.name, "smoothing", self.smoothing, least=0)

    @property
    def needs_members(self) -> bool:
        """Beliefs are about people, not classes."""
        return True

    def fits(self, domains: Mapping[str, Domain]) -> None:
        """Some values are closer than others, if they are to be smoothed."""
        if self.smoothing and not domains[self.attribute].is_numeric:
            domains[self.attribute].tree  # noqa: B018 - raises where there is none

    def measure(self, classes: Classes) -> Floats:
        """The largest move of a belief in each class; infinite where the people behind it are not known."""
        members = _members(self, classes)
        known = _known(members, classes.histograms[self.attribute].domain)
        prior = _priors(known, self._bandwidths(known.hierarchies))
        inside = (members.owners >= 0) & (members.counts > 0)
        owners, prior, table = members.owners[inside], prior[inside], _dense(known.histogram)[inside]
        held, expected = np.zeros((2, len(classes), prior.shape[1]))
        np.add.at(held, owners, table)
        np.add.at(expected, owners, prior * table.sum(axis=1, keepdims=True))
        odds = np.divide(held, expected, out=np.zeros_like(held), where=expected > 0)
        posterior = prior * odds[owners]
        posterior /= posterior.sum(axis=1, keepdims=True)
        found = np.where(_complete(classes, members, self.attribute), 0.0, np.inf)
        np.maximum.at(found, owners, _divergence(self._smoothed(prior, known), self._smoothed(posterior, known)))
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
                f"the 'b' parameter of {self.name} must have one bandwidth for each quasi-identifier",
                where="privacy.models",
                remedy=f"The quasi-identifiers: {', '.join(names)}.",
            )
        return tuple(self.b[name] for name in names)

    def _smoothed(self, beliefs: Floats, known: _Known) -> Floats:
        """Beliefs as means over close values (Nadaraya and Watson), made to sum to 1 again."""
        if not self.smoothing:
            return beliefs
        tree = known.domain.hierarchy
        if tree is not None and tree.missing(known.domain.labels):
            raise PolicyError(
                f'the hierarchy of "{self.attribute}" is known for the released values only',
                where="privacy.models",
                remedy="Verify the release together with its evidence.",
            )
        every = np.arange(len(known.domain), dtype=np.int32)
        nearness = np.maximum(1 - (_apart(known.domain, every, every) / self.smoothing) ** 2, 0)
        smooth = (beliefs @ nearness) / nearness.sum(axis=0)
        return np.asarray(smooth / smooth.sum(axis=1, keepdims=True))


@dataclass(frozen=True)
class Injector(Model):
    """Who knows what never goes together in the table still takes at least l values to be possible for each person (Li
    and Li 2008).

    What never goes together: one or two values of quasi-identifiers, as collected, that ``min-support`` records or
    more hold, and a sensitive value that none of them has. Each such pair is ruled out. A value is possible for a
    person if the values of the class can be dealt to its people with that one to that person and no pair that is ruled
    out. The true way to deal them is one; every other differs from it by exchanges in a circle, so the possible values
    are found by following who could take whose, without a search for matchings.
    """

    attribute: str
    l: int
    min_support: int

    name: ClassVar[str] = "injector"

    def __post_init__(self) -> None:
        whole(self.name, "l", self.l, least=1)
        whole(self.name, "min-support", self.min_support, least=1)

    @property
    def monotone(self) -> Monotone:
        """What was possible in a part is possible in the union, where the others may keep what they have."""
        return Monotone.WITHOUT_SUPPRESSION

    @property
    def needs_members(self) -> bool:
        """What is possible depends on the original tuples."""
        return True

    def measure(self, classes: Classes) -> Floats:
        """The fewest values possible for somebody of each class; 0 where the people behind it are not known."""
        members = _members(self, classes)
        known = _known(members, classes.histograms[self.attribute].domain)
        tuples: list[set[tuple[int, int]]] = [set() for _ in range(len(classes))]
        for owner, (admitted, held) in zip(members.owners.tolist(), _sides(known, self.min_support), strict=True):
            if owner >= 0 and held:
                tuples[owner].add((admitted, held))
        fewest = np.array([_fewest_possible(group) for group in tuples], dtype=float)
        return np.where(_complete(classes, members, self.attribute), fewest, 0.0)

    def holds(self, classes: Classes, measured: Floats) -> Mask:  # noqa: ARG002
        """At least l."""
        return measured >= self.l


@dataclass(frozen=True)
class _Known:
    """The whole table. Equal when its content is, so that what it teaches is learnt once and not at every node."""

    seal: bytes
    hierarchies: tuple[Hierarchy, ...]
    decimal: str
    codes: NDArray[np.int32] = field(compare=False)
    histogram: Histogram = field(compare=False)
    domain: Domain = field(compare=False)


def _members(model: BT | Injector, classes: Classes) -> Members:
    """The original tuples, with those of no class (owner −1) among them where they are told."""
    members = classes.members
    assert members is not None, "needs_members was not heeded"
    domain = members.histograms[model.attribute].domain
    if len(domain) and not domain.labels:
        raise PolicyError(
            f"{model.name} is about people with one record each, and cannot count people by data.unit",
            where="privacy.models",
            remedy="Leave data.unit or the model out.",
        )
    return members


def _known(members: Members, released: Domain) -> _Known:
    histogram = members.histograms[released.attribute]
    if len(members.counts) * len(histogram.domain) > CELLS_AT_MOST:
        raise SearchTooLarge(
            f"there are {len(members.counts):,} distinct tuples and {len(histogram.domain):,} sensitive values, more "
            "than what goes with what can be learnt from",
            where="privacy.models",
            remedy="Coarsen the data before (years for dates, shorter codes), or group the sensitive values.",
        )
    own = histogram.domain
    domain = Domain(own.attribute, own.labels, own.total, own.hierarchy or released.hierarchy, released.decimal)
    seal = hashlib.blake2b(repr((members.codes.shape, len(domain))).encode())
    for array in (members.codes, histogram.offsets, histogram.values, histogram.counts):
        seal.update(np.ascontiguousarray(array).tobytes())
    return _Known(seal.digest(), members.hierarchies, released.decimal, members.codes, histogram, domain)


def _complete(classes: Classes, members: Members, attribute: str) -> Mask:
    """The classes whose released values are those of the members behind them, neither more nor fewer."""
    held, behind = classes.histograms[attribute], members.histograms[attribute]
    index = {label: code for code, label in enumerate(behind.domain.labels)}
    codes = np.array([index.get(label, len(index)) for label in held.domain.labels], dtype=np.int64)
    width = len(index) + 1
    owners = members.owners[behind.owners]
    inside = owners >= 0
    keys = np.concatenate([held.owners * width + codes[held.values], (owners * width + behind.values)[inside]])
    pairs, inverse = np.unique(keys, return_inverse=True)
    left = np.bincount(inverse, weights=np.concatenate([held.counts, -behind.counts[inside]]), minlength=len(pairs))
    complete = np.ones(len(classes), dtype=np.bool_)
    complete[pairs[left != 0] // width] = False
    return complete


def _dense(histogram: Histogram) -> Floats:
    table = np.zeros((len(histogram.offsets) - 1, len(histogram.domain)))
    table[histogram.owners, histogram.values] = histogram.counts
    return table


@lru_cache(maxsize=4)
def _priors(known: _Known, bandwidths: tuple[float, ...]) -> Floats:
    """What is believed of each tuple before the release: a mean over the whole table, weighted by nearness."""
    tuples = len(known.codes)
    if tuples > TUPLES_AT_MOST:
        raise SearchTooLarge(
            f"b-t-privacy compares each distinct tuple with each: there are {tuples:,}, and may be {TUPLES_AT_MOST:,}",
            where="privacy.models",
            remedy="Coarsen the data before (years for dates, shorter codes), or take fewer quasi-identifiers.",
        )
    table = _dense(known.histogram)
    scales = [_scale(hierarchy, known.decimal) for hierarchy in known.hierarchies]
    prior = np.zeros_like(table)
    step = max(1, CELLS_AT_ONCE // max(tuples, 1))
    for begin in range(0, tuples, step):
        rows = slice(begin, begin + step)
        weights = np.ones((len(known.codes[rows]), tuples))
        for column, (scale, bandwidth) in enumerate(zip(scales, bandwidths, strict=True)):
            codes = known.codes[:, column]
            weights *= np.maximum(1 - (_apart(scale, codes[rows], codes) / bandwidth) ** 2, 0)
        prior[rows] = weights @ table
    total = prior.sum(axis=1, keepdims=True)
    np.divide(prior, total, out=prior, where=total > 0)
    return prior


def _scale(hierarchy: Hierarchy, decimal: str) -> Domain:
    """The leaves of a hierarchy as a domain: numbers, or places in a tree."""
    return Domain(hierarchy.attribute, hierarchy.leaves, hierarchy.leaf_counts[0], hierarchy, decimal)


def _apart(scale: Domain, some: NDArray[np.int32], others: NDArray[np.int32]) -> Floats:
    """How far each of some values, given by code, is from each of others: 0 … 1."""
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


@lru_cache(maxsize=4)
def _sides(known: _Known, min_support: int) -> list[tuple[int, int]]:
    """For each tuple, as bits: the values that nothing rules out for it, and those that it has."""
    table = _dense(known.histogram)
    ruled_out = np.zeros(table.shape, dtype=np.bool_)
    columns = range(known.codes.shape[1])
    for picked in (*combinations(columns, 1), *combinations(columns, 2)) if len(table) else ():
        _, groups = np.unique(known.codes[:, picked], axis=0, return_inverse=True)
        order = np.argsort(groups, kind="stable")
        seen = np.add.reduceat(table[order], np.flatnonzero(np.diff(groups[order], prepend=-1)), axis=0)
        never = (seen == 0) & (seen.sum(axis=1) >= min_support)[:, None]
        ruled_out |= never[groups]
    return list(zip(_bits(~ruled_out), _bits(table > 0), strict=True))


def _bits(rows: Mask) -> list[int]:
    return [int.from_bytes(row.tobytes(), "little") for row in np.packbits(rows, axis=1, bitorder="little")]


def _fewest_possible(tuples: set[tuple[int, int]]) -> int:
    """The fewest values possible for a tuple of a class, each given by what it admits and what its people have.

    A value leads to those that whoever has it could take instead. A tuple can get a value if it admits it, and that
    value leads, over as many people as need be, to one that the tuple would give away.

    >>> flu, cough, fever = 1, 2, 4
    >>> _fewest_possible({(flu | cough | fever, flu), (cough | fever, cough), (cough | fever, fever)})
    1
    """
    present = 0
    for _, held in tuples:
        present |= held
    if all(admitted & present == present for admitted, _ in tuples):
        return present.bit_count()
    values = [1 << place for place in range(present.bit_length()) if present >> place & 1]
    leads = {value: value for value in values}
    for admitted, held in tuples:
        for value in values:
            if held & value:
                leads[value] |= admitted & present
    for middle in values:
        for value in values:
            if leads[value] & middle:
                leads[value] |= leads[middle]
    return min(sum(bool(admitted & value and leads[value] & held) for value in values) for admitted, held in tuples)
