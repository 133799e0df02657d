"""Models whose attacker has background knowledge: the whole original table, and who is in which class.

(B,t)-privacy: the attacker has learnt from the table how sensitive values depend on quasi-identifiers. Injector: which
values never occur together.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import combinations
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from cobogo.data.classes import CELLS_AT_ONCE, Classes, Domain, Histogram, Members
from cobogo.data.hierarchy import Hierarchy
from cobogo.errors import PolicyError, SearchTooLarge
from cobogo.floor.arguments import missing, number, whole
from cobogo.floor.arrays import Floats, Mask
from cobogo.floor.catalogue import card
from cobogo.floor.language import tr
from cobogo.promises.models.base import Model, Monotone

CELLS_AT_MOST = 25_000_000
"""Distinct tuples times sensitive values: 200 MB as a dense table of floats."""


@dataclass(frozen=True, repr=False)
class WholeTable:
    """The whole original table. Tables of equal content are equal, so that a cache learns from each only once, and not
    again at every node of a search.
    """

    seal: bytes
    hierarchies: tuple[Hierarchy, ...]
    decimal: str
    codes: NDArray[np.int32] = field(compare=False)
    histogram: Histogram = field(compare=False)
    domain: Domain = field(compare=False)


def original_members(model: Model, attribute: str, classes: Classes) -> Members:
    """The distinct original tuples, each with the class that it belongs to; −1 for suppressed ones, if they are known.

    Missing values of the attribute are left out, unless the model counts them.
    """
    members = classes.members
    assert members is not None, "needs_members was not heeded"
    domain = members.histograms[attribute].domain
    if len(domain) and not domain.labels:
        raise PolicyError(
            tr("{name} needs one record for each person, and by data.unit some people have several", name=model.name),
            where="privacy.models",
            remedy=tr("Merge each person's records into one, or remove the model."),
        )
    if model.counts_missing:
        return members
    known = {
        name: histogram.known if name == attribute else histogram for name, histogram in members.histograms.items()
    }
    return replace(members, histograms=known)


def whole_table(members: Members, released: Domain) -> WholeTable:
    """The table that all members form; an error where it is too large to learn from."""
    histogram = members.histograms[released.attribute]
    if len(members.counts) * len(histogram.domain) > CELLS_AT_MOST:
        raise SearchTooLarge(
            tr(
                "there are {tuples:,} distinct combinations of quasi-identifiers and {values:,} "
                "sensitive values, too many to learn which go together",
                tuples=len(members.counts),
                values=len(histogram.domain),
            ),
            where="privacy.models",
            remedy=tr(
                "Make the data coarser first (years instead of dates, shorter codes), or group the sensitive values."
            ),
        )
    own = histogram.domain
    domain = Domain(own.attribute, own.labels, own.total, own.hierarchy or released.hierarchy, released.decimal)
    seal = hashlib.blake2b(repr((members.codes.shape, len(domain))).encode())
    for array in (members.codes, histogram.offsets, histogram.values, histogram.counts):
        seal.update(np.ascontiguousarray(array).tobytes())
    return WholeTable(seal.digest(), members.hierarchies, released.decimal, members.codes, histogram, domain)


def complete_classes(held: Histogram, members: Members, attribute: str) -> Mask:
    """Which classes release exactly the values of their members: none was added, removed or changed."""
    behind = members.histograms[attribute]
    index = {label: code for code, label in enumerate(behind.domain.labels)}
    codes = np.array([index.get(label, len(index)) for label in held.domain.labels], dtype=np.int64)
    width = len(index) + 1
    owners = members.owners[behind.owners]
    inside = owners >= 0
    keys = np.concatenate([held.owners * width + codes[held.values], (owners * width + behind.values)[inside]])
    pairs, inverse = np.unique(keys, return_inverse=True)
    left = np.bincount(inverse, weights=np.concatenate([held.counts, -behind.counts[inside]]), minlength=len(pairs))
    complete = np.ones(len(held.offsets) - 1, dtype=np.bool_)
    complete[pairs[left != 0] // width] = False
    return complete


def dense(histogram: Histogram) -> Floats:
    """Counts as a table: a row for each class or tuple, a column for each value."""
    table = np.zeros((len(histogram.offsets) - 1, len(histogram.domain)))
    table[histogram.owners, histogram.values] = histogram.counts
    return table


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


@card(
    "injector",
    plain=(
        "For an attacker who knows what never occurs together (no man has ovarian cancer), at least l "
        "values remain possible for each person."
    ),
    title="Injector",
    group="knowledge",
    start={"l": 2, "min-support": 10},
)
@dataclass(frozen=True)
class Injector(Model):
    r"""At least l values remain possible for each person, for an attacker who knows which values never occur together.

    A negative rule consists of one or two original values of quasi-identifiers that at least ``min-support`` records
    have, and of a sensitive value that none of these records has. A value is possible for a person if the values of the
    class can be assigned to its people such that the person gets that value and no rule is broken. The true assignment
    is one of them; every other differs from it by exchanges in a circle. So the possible values are found by following
    which person could take whose value, without a search for matchings.

    Formula: $\lvert\{s : \exists \text{ a perfect matching of } E\text{'s people and values, free of negative rules,
        with } j \mapsto s\}\rvert \ge l$ for every class $E$ and person $j$; a negative rule is $X \Rightarrow \neg s$
        with confidence 1
    Example: No man has ovarian cancer, so in the first class each person's value is known.
        >>> from cobogo.promises.models.example_classes import classes
        >>> table = classes(
        ...     disease=[["ovarian", "flu", "flu"], ["flu", "cough", "cough", "flu"]],
        ...     quasi=[["f", "m", "m"], ["m", "f", "m", "f"]],
        ... )
        >>> Injector("disease", l=2, min_support=3).measure(table).tolist()
        [1.0, 2.0]

    Guarantee: For an attacker who has learnt all such rules from the whole table, at least l values remain possible for
        each person.
    Limits: The l values need not be equally probable, so a guess is not bounded by $1/l$. Rules with a confidence below
        1 do not count. Verification needs the original data.
    Cost: $O(a^2 d)$ to learn the rules of a attributes on d distinct tuples; $O(s^3)$ in a class with s distinct
        values.
    Paper: T. Li and N. Li, Injector: mining background knowledge for data anonymization, ICDE 2008.
    """

    attribute: str
    l: int
    min_support: int
    missing: Literal["value"] | None = None

    def __post_init__(self) -> None:
        whole(self.name, "l", self.l, least=1)
        missing(self.name, self.missing)
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
        """The fewest values possible for a person of each class; 0 where the people of a class are not known."""
        members = original_members(self, self.attribute, classes)
        held_by, _ = self.known_values(classes)
        known = whole_table(members, held_by.domain)
        tuples: list[set[tuple[int, int]]] = [set() for _ in range(len(classes))]
        for owner, (admitted, held) in zip(members.owners.tolist(), _sides(known, self.min_support), strict=True):
            if owner >= 0 and held:
                tuples[owner].add((admitted, held))
        fewest = np.array([_fewest_possible(group) if group else 0 for group in tuples], dtype=float)
        return np.where(complete_classes(held_by, members, self.attribute), fewest, 0.0)

    def holds(self, classes: Classes, measured: Floats) -> Mask:  # noqa: ARG002
        """At least l."""
        return measured >= self.l


@lru_cache(maxsize=4)
def _sides(known: WholeTable, min_support: int) -> list[tuple[int, int]]:
    """For each tuple, as bits: the values that nothing rules out for it, and those that it has."""
    table = dense(known.histogram)
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

    A value leads to the values that its holder could take instead. A tuple can get a value if it admits it, and that
    value leads, over any number of people, to one that the tuple would give away.

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
