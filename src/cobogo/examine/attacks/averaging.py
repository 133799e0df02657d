"""Averaging: noise that is drawn anew for each release can be averaged away."""

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
from cobogo.examine.attacks.case import Case, PublishedTable
from cobogo.examine.attacks.rows import code_alike
from cobogo.examine.attacks.suspects import attacked_attributes
from cobogo.floor.arguments import number
from cobogo.floor.arrays import Floats, Ints
from cobogo.floor.catalogue import card
from cobogo.floor.language import tr, trn

LEAST = 0.1
"""The least share of the rows that must be matched in every release; with fewer, the attack counts as not tried."""

CERTAIN = 6.0
"""Standard deviations beyond which an agreement is no coincidence: it has a probability of one in 10⁹."""

FEWEST = 20
"""Rows below which an order cannot be distinguished from a random one."""


@card("averaging")
@dataclass(frozen=True)
class Averaging(Attack):
    r"""Combine several perturbed releases of the same people, so that their noise cancels out.

    Rows are matched by a column ``key``. Without a key, they are matched by position, if values at the same position
    agree far more often than in a random order; otherwise by all other columns, for rows that these identify in every
    release. Where neither works, the attack is not tried. A number is found if it is known to ``within`` a share of the
    range; the variance of the noise is estimated from the differences between the releases. Another value is assumed to
    be kept with a probability (``retention``, or estimated from how often two releases agree) and otherwise drawn anew;
    the most probable value given all releases is found. The baseline is the confidence given one release.

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

    Guarantee: None: an attack finds people, it does not protect them. Draw once, and release the same draw again.
    Limits: The draws must be independent from release to release; those of a memoized mechanism are not. Rows that
        cannot be matched are left out.
    Cost: $O(n\,r)$ for r releases of n rows; $O(n\,r\,m)$ for categories with m values.
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
    knows: ClassVar[str] = tr("several releases of the same people, each with new random values")
    defence: ClassVar[str] = tr("Draw once for each person and value, and release the same draw every time.")
    releases: ClassVar[tuple[int, int]] = (2, 1000)

    def __post_init__(self) -> None:
        super().__post_init__()
        number(self.name, "within", self.within, above=0, most=1)
        if self.retention is not None:
            number(self.name, "retention", self.retention, above=0, most=1)

    def run(self, case: Case) -> Findings:
        """For each person, the confidence in the value."""
        (name,) = attacked_attributes(case, self.attribute)[:1]
        codes, labels = _code_column(case.releases, name, self.key)
        domain = Domain(name, labels, np.bincount(codes[0], minlength=len(labels)).astype(np.int64))
        numeric = domain.is_numeric and len(labels) > 2
        places, how = _locate_people(
            case.releases, name, self.key, [domain.numbers[part] for part in codes] if numeric else codes
        )
        rows = np.flatnonzero((places >= 0).all(axis=0))
        many, lost = case.release.rows.count, case.release.rows.count - len(rows)
        if len(rows) < LEAST * many:
            why = tr(
                "nothing shows which rows of the releases belong to the same person: their order is random "
                "(--set key=…)"
            )
            return self.build_findings("release", rows[:0], np.zeros(0), attacked=many, untried=why)
        draws = np.array([part[place[rows]] for part, place in zip(codes, places, strict=True)])
        distinct = np.unique(draws, axis=0)
        notes: tuple[str, ...] = (
            (trn("{n:,} row was not found in every release", "{n:,} rows were not found in every release", n=lost),)
            if lost
            else ()
        )
        matched = how
        measures: dict[str, float | int | None] = {tr("releases"): len(draws), tr("draws that differ"): len(distinct)}
        if len(distinct) == 1:
            notes = (
                *notes,
                tr("all releases are the same draw: together they reveal no more than one of them"),
                matched,
            )
            nothing = np.zeros(len(rows))
            return self.build_findings("release", rows + 1, nothing, attacked=len(rows), measures=measures, notes=notes)
        if numeric:
            sure, before, more = _average_numbers(domain.numbers[distinct], self.within)
        else:
            sure, before, more = _weigh_values(distinct, len(labels), self.retention)
        return self.build_findings(
            "release",
            rows + 1,
            sure,
            baseline=before,
            attacked=len(rows),
            measures=measures | more,
            notes=(*notes, matched),
        )


def _code_column(
    releases: tuple[PublishedTable, ...], name: str, key: str | None
) -> tuple[list[Ints], tuple[str | None, ...]]:
    """Code one column of all releases alike; the codes of each release, and the labels."""
    for release in releases:
        for wanted in (name, key):
            if wanted is not None and wanted not in release.rows.columns:
                raise DataError(
                    tr('has no column "{name}"', name=wanted),
                    where=release.name,
                    remedy=tr("Its columns: {names}.", names=", ".join(release.rows.names)),
                )
    return code_alike([release.rows.columns[name] for release in releases])


def _locate_people(
    releases: tuple[PublishedTable, ...], name: str, key: str | None, values: Sequence[NDArray[Any]]
) -> tuple[Ints, str]:
    """Releases × rows of the first: the row of each release that is of the same person, −1 where it is unknown; and
    what rows were matched by."""
    many = releases[0].rows.count
    if key is not None:
        return _match_rows(releases, [key]), tr("rows were matched by the column {key}", key=key)
    if all(
        release.rows.count == many and _in_order(values[0], part)
        for release, part in zip(releases, values, strict=True)
    ):
        return np.tile(np.arange(many), (len(releases), 1)), tr(
            "rows were matched by their position, which is the same in all releases"
        )
    others = [
        column
        for column in releases[0].rows.names
        if column != name and all(column in release.rows.columns for release in releases)
    ]
    return _match_rows(releases, others), tr("rows were matched by the columns {columns}", columns=", ".join(others))


def _in_order(one: NDArray[Any], other: NDArray[Any]) -> bool:
    """Whether values at the same place agree more often than in a random order, by `CERTAIN` deviations.

    Numbers agree by their correlation, other values by how many are equal.
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


def _match_rows(releases: tuple[PublishedTable, ...], names: Sequence[str]) -> Ints:
    """For each row of the first release, the row of each release with equal values in some columns; −1 unless there is
    exactly one."""
    first = releases[0].rows
    if not names:
        return np.full((len(releases), first.count), -1, dtype=np.int64)
    columns, sizes = [], []
    for name in names:
        codes, labels = code_alike([release.rows.columns[name] for release in releases])
        columns.append(np.concatenate(codes))
        sizes.append(len(labels))
    ends = np.cumsum([release.rows.count for release in releases])
    parts = np.split(number_tuples(columns, sizes, int(ends[-1]))[0], ends[:-1])
    places = []
    for part in parts:
        where = np.full(int(max(map(np.max, parts))) + 1, -1, dtype=np.int64)
        where[part] = np.arange(len(part))
        where[np.bincount(part, minlength=len(where)) != 1] = -1
        places.append(where[parts[0]])
    return np.array(places)


def _average_numbers(draws: Floats, within: float) -> tuple[Floats, Floats, dict[str, float | int | None]]:
    """The probabilities that the mean of all draws, and that one draw, is within a share of the range of the truth."""
    known = ~np.isnan(draws)
    many = known.sum(axis=0)
    mean = np.where(many > 0, np.nansum(draws, axis=0) / np.maximum(many, 1), np.nan)
    spread = np.nansum((draws - mean) ** 2) / max(int((many - 1).clip(0).sum()), 1)
    noise = sqrt(float(spread))
    middle = mean[~np.isnan(mean)]
    reach = within * float(middle.max(initial=-np.inf) - middle.min(initial=np.inf)) if len(middle) else 0.0

    def hits(number: int) -> float:
        return erf(reach * sqrt(number) / (noise * sqrt(2))) if noise and number else float(number > 0)

    probabilities = np.array([hits(number) for number in range(len(draws) + 1)])
    measures: dict[str, float | int | None] = {
        tr("estimated noise of one release"): noise,
        tr("noise of the mean"): noise / sqrt(len(draws)),
    }
    return probabilities[many], np.where(many > 0, probabilities[1], 0.0), measures


def _weigh_values(
    draws: Ints, values: int, retention: float | None
) -> tuple[Floats, Floats, dict[str, float | int | None]]:
    """The probability of the likeliest value after all draws, and after the first.

    If a value is kept with probability p and drawn anew from m values otherwise, two draws agree with probability
    p² + (1 − p²)/m, and a value of a share f of the people is drawn for a share p·f + (1 − p)/m of them.
    """
    if retention is None:
        agreeing = [float((one == other).mean()) for place, one in enumerate(draws) for other in draws[place + 1 :]]
        kept = max((float(np.mean(agreeing)) - 1 / values) / (1 - 1 / values), 0.0)
        retention = sqrt(kept)
    other = (1 - retention) / values
    seen = np.bincount(draws.ravel(), minlength=values) / draws.size
    prior = np.maximum((seen - other) / max(retention, 1e-9), 1e-9)
    prior = prior / prior.sum()

    def posterior(some: Ints) -> Floats:
        times = np.zeros((some.shape[1], values))
        for draw in some:
            times[np.arange(len(draw)), draw] += 1
        weight = np.log(prior) + times * np.log((retention + other) / max(other, 1e-12))
        weight = np.exp(weight - weight.max(axis=1, keepdims=True))
        return np.asarray((weight / weight.sum(axis=1, keepdims=True)).max(axis=1))

    return posterior(draws), posterior(draws[:1]), {tr("retention"): retention}
