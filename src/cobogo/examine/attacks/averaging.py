"""Averaging: noise that is drawn anew for each release is noise that can be averaged away."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import erf, sqrt
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from cobogo.data.classes import Domain
from cobogo.data.table.frequency import number_tuples
from cobogo.errors import DataError
from cobogo.examine.attacks.base import Attack, Finding, Findings
from cobogo.examine.attacks.case import Case, Published
from cobogo.examine.attacks.suspects import attributes
from cobogo.floor.arguments import number
from cobogo.floor.arrays import Floats, Ints
from cobogo.floor.catalogue import card

LEAST = 0.1
"""The least share of the rows that must be told again in every release: of fewer, nothing follows for the others."""

CERTAIN = 6.0
"""Standard deviations beyond which an order is no chance: one in 10⁹."""

FEWEST = 20
"""Rows below which no order can be told from chance."""


@card("averaging")
@dataclass(frozen=True)
class Averaging(Attack):
    r"""Put several perturbed releases of the same people together: what each hides, their agreement shows.

    Rows belong together by a column ``key``. Without one, by their position, if values at the same place agree far
    oftener than chance has it; else by all other columns, where these tell a row apart in every release. Where neither
    is so, the attack is not tried. Of numbers, found is the value to ``within`` a share of the range, and the noise's
    variance is told by the differences between the releases. Of other values, each is taken to be kept with a
    probability (``retention``, or estimated from how often two releases agree) and otherwise drawn anew; found is the
    likeliest value, by all releases together. The baseline is what one release alone tells.

    Formula: the mean of $n$ releases has the variance $\frac{\sigma^2}{n}$; of categories $\Pr[x \mid y_1 \ldots y_n]
        \propto q_x \prod_i P[y_i \mid x]$
    Example:
        >>> from cobogo import attack
        >>> from cobogo.studies.worked_examples import roles
        >>> import numpy as np, pyarrow as pa
        >>> random, true = np.random.default_rng(1), np.linspace(1000, 9000, 100)
        >>> noisy = [pa.table({"pay": (true + random.normal(0, 800, 100)).round(2)}) for _ in range(16)]
        >>> one, many = (attack("averaging", *noisy[:n], policy=roles("", "pay")).highest for n in (2, 16))
        >>> one < 0.8 < 0.9 < many
        True

    Guarantee: None: an attack finds, it does not protect. Draw once, and release the same draw again.
    Limits: Draws must be independent from release to release; those of a memoized mechanism are not. Rows that nothing
        tells again are left out.
    Cost: $O(n\,r)$ for r releases of n rows; of categories with m values $O(n\,r\,m)$.
    Paper: None in particular: after A. Evfimievski, J. Gehrke and R. Srikant 2003, whose amplification n independent
        draws raise to the n-th power.
    """

    threshold: float = 0.5
    attribute: str | None = None
    key: str | None = None
    within: float = 0.05
    retention: float | None = None

    finds: ClassVar[Finding] = "value"
    against: ClassVar[frozenset[str] | None] = frozenset({"randomization", "perturbation"})
    knows: ClassVar[str] = "several releases of the same people, each perturbed anew"
    defence: ClassVar[str] = "Draw once for each person and value, and release the same draw every time."
    releases: ClassVar[tuple[int, int]] = (2, 1000)

    def __post_init__(self) -> None:
        number(self.name, "threshold", self.threshold, least=0, most=1)
        number(self.name, "within", self.within, above=0, most=1)
        if self.retention is not None:
            number(self.name, "retention", self.retention, above=0, most=1)

    def run(self, case: Case) -> Findings:
        """For each person, how surely the value is told."""
        (name,) = attributes(case, self.attribute)[:1]
        codes, labels = _coded(case.releases, name, self.key)
        domain = Domain(name, labels, np.bincount(codes[0], minlength=len(labels)).astype(np.int64))
        numeric = domain.is_numeric and len(labels) > 2
        places, how = _places(
            case.releases, name, self.key, [domain.numbers[part] for part in codes] if numeric else codes
        )
        rows = np.flatnonzero((places >= 0).all(axis=0))
        many, lost = case.release.rows.count, case.release.rows.count - len(rows)
        if len(rows) < LEAST * many:
            why = "nothing tells which rows of the releases are of one person: their order is random (--set key=…)"
            return self.found("release", rows[:0], np.zeros(0), attacked=many, untried=why)
        draws = np.array([part[place[rows]] for part, place in zip(codes, places, strict=True)])
        distinct = np.unique(draws, axis=0)
        notes: tuple[str, ...] = (f"{lost:,} rows were not found in every release",) if lost else ()
        told = f"rows were put together by {how}"
        measures: dict[str, float | int | None] = {"releases": len(draws), "draws that differ": len(distinct)}
        if len(distinct) == 1:
            notes = (*notes, "all releases are the same draw: they tell no more than one of them", told)
            nothing = np.zeros(len(rows))
            return self.found("release", rows + 1, nothing, attacked=len(rows), measures=measures, notes=notes)
        if numeric:
            sure, before, more = _averaged(domain.numbers[distinct], self.within)
        else:
            sure, before, more = _weighed(distinct, len(labels), self.retention)
        return self.found(
            "release",
            rows + 1,
            sure,
            baseline=before,
            attacked=len(rows),
            measures=measures | more,
            notes=(*notes, told),
        )


def _coded(releases: tuple[Published, ...], name: str, key: str | None) -> tuple[list[Ints], tuple[str | None, ...]]:
    """The codes of one column in each release, and what they stand for in all."""
    for release in releases:
        for wanted in (name, key):
            if wanted is not None and wanted not in release.rows.columns:
                raise DataError(f'has no column "{wanted}"', where=release.name)
    labels = tuple(dict.fromkeys(label for release in releases for label in release.rows.labels(name)))
    index = {label: code for code, label in enumerate(labels)}
    return [
        np.array([index[label] for label in release.rows.labels(name)], dtype=np.int64)[release.rows.codes(name)]
        for release in releases
    ], labels


def _places(
    releases: tuple[Published, ...], name: str, key: str | None, values: Sequence[NDArray[Any]]
) -> tuple[Ints, str]:
    """Releases × rows of the first: the row of each release that is of the same person, −1 where none is known; and by
    what that is told."""
    many = releases[0].rows.count
    if key is not None:
        return _told_by(releases, [key]), f"the column {key}"
    if all(
        release.rows.count == many and _in_order(values[0], part)
        for release, part in zip(releases, values, strict=True)
    ):
        return np.tile(np.arange(many), (len(releases), 1)), "their position: it is the same in all"
    others = [
        column
        for column in releases[0].rows.names
        if column != name and all(column in release.rows.columns for release in releases)
    ]
    return _told_by(releases, others), f"the columns {', '.join(others)}"


def _in_order(one: NDArray[Any], other: NDArray[Any]) -> bool:
    """Whether values at the same place agree far oftener than in a random order: beyond `CERTAIN` deviations.

    Of numbers by their correlation, of others by how many are equal.
    """
    if np.array_equal(one, other, equal_nan=one.dtype.kind == "f"):
        return True
    if one.dtype.kind == "f":
        known = ~(np.isnan(one) | np.isnan(other))
        if known.sum() < FEWEST or not (one[known].std() and other[known].std()):
            return False
        return float(np.corrcoef(one[known], other[known])[0, 1]) * sqrt(known.sum() - 1) > CERTAIN
    width = int(max(one.max(initial=0), other.max(initial=0))) + 1
    shares = np.bincount(one, minlength=width) * np.bincount(other, minlength=width)
    chance = float(shares.sum()) / len(one) ** 2
    spread = sqrt(max(chance * (1 - chance) * len(one), 1e-12))
    return bool(len(one) >= FEWEST and ((one == other).sum() - chance * len(one)) / spread > CERTAIN)


def _told_by(releases: tuple[Published, ...], names: Sequence[str]) -> Ints:
    """The rows of each release that have the same values in some columns as each of the first, where one row has."""
    first = releases[0].rows
    if not names:
        return np.full((len(releases), first.count), -1, dtype=np.int64)
    columns, sizes = [], []
    for name in names:
        known: dict[str | None, int] = {}
        codes = [
            np.array([known.setdefault(label, len(known)) for label in release.rows.labels(name)], dtype=np.int64)[
                release.rows.codes(name)
            ]
            for release in releases
        ]
        columns.append(np.concatenate(codes))
        sizes.append(len(known))
    ends = np.cumsum([release.rows.count for release in releases])
    parts = np.split(number_tuples(columns, sizes, int(ends[-1]))[0], ends[:-1])
    places = []
    for part in parts:
        where = np.full(int(max(map(np.max, parts))) + 1, -1, dtype=np.int64)
        where[part] = np.arange(len(part))
        where[np.bincount(part, minlength=len(where)) != 1] = -1
        places.append(where[parts[0]])
    return np.array(places)


def _averaged(draws: Floats, within: float) -> tuple[Floats, Floats, dict[str, float | int | None]]:
    """How probably the mean of all draws, and one of them, lies within a share of the range of the true number."""
    known = ~np.isnan(draws)
    many = known.sum(axis=0)
    mean = np.where(many > 0, np.nansum(draws, axis=0) / np.maximum(many, 1), np.nan)
    spread = np.nansum((draws - mean) ** 2) / max(int((many - 1).clip(0).sum()), 1)
    noise = sqrt(float(spread))
    middle = mean[~np.isnan(mean)]
    reach = within * float(middle.max(initial=-np.inf) - middle.min(initial=np.inf)) if len(middle) else 0.0

    def hits(number: int) -> float:
        return erf(reach * sqrt(number) / (noise * sqrt(2))) if noise and number else float(number > 0)

    chances = np.array([hits(number) for number in range(len(draws) + 1)])
    told: dict[str, float | int | None] = {
        "estimated noise of one release": noise,
        "noise of the mean": noise / sqrt(len(draws)),
    }
    return chances[many], np.where(many > 0, chances[1], 0.0), told


def _weighed(draws: Ints, values: int, retention: float | None) -> tuple[Floats, Floats, dict[str, float | int | None]]:
    """How probable the likeliest value is after all draws, and after the first.

    Kept with p and drawn anew otherwise, two draws agree with p² + (1 − p²)/m; and a value that f of the people have
    is seen of p·f + (1 − p)/m of them.
    """
    if retention is None:
        agreeing = [float((one == other).mean()) for place, one in enumerate(draws) for other in draws[place + 1 :]]
        kept = max((float(np.mean(agreeing)) - 1 / values) / (1 - 1 / values), 0.0)
        retention = sqrt(kept)
    other = (1 - retention) / values
    seen = np.bincount(draws.ravel(), minlength=values) / draws.size
    prior = np.maximum((seen - other) / max(retention, 1e-9), 1e-9)
    prior = prior / prior.sum()

    def after(some: Ints) -> Floats:
        times = np.zeros((some.shape[1], values))
        for draw in some:
            times[np.arange(len(draw)), draw] += 1
        weight = np.log(prior) + times * np.log((retention + other) / max(other, 1e-12))
        weight = np.exp(weight - weight.max(axis=1, keepdims=True))
        return np.asarray((weight / weight.sum(axis=1, keepdims=True)).max(axis=1))

    return after(draws), after(draws[:1]), {"retention": retention}
