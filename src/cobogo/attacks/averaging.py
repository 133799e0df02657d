"""Averaging: noise that is drawn anew for each release is noise that can be averaged away."""

from __future__ import annotations

from dataclasses import dataclass
from math import erf, sqrt
from typing import ClassVar

import numpy as np

from cobogo.attacks.base import Attack, Findings
from cobogo.attacks.case import Case, Published
from cobogo.attacks.suspects import attributes
from cobogo.errors import DataError
from cobogo.models.arguments import number
from cobogo.models.base import Domain, Floats, Ints


@dataclass(frozen=True)
class Averaging(Attack):
    r"""Put several perturbed releases of the same people together: what each hides, their agreement shows.

    Rows belong together by their position, or by a column ``key``. Of numbers, found is the value to ``within`` a share
    of the range, and the noise's variance is told by the differences between the releases. Of other values, each is
    taken to be kept with a probability (``retention``, or estimated from how often two releases agree) and otherwise
    drawn anew; found is the likeliest value, by all releases together. The baseline is what one release alone tells.

    Formula: the mean of $n$ releases has the variance $\frac{\sigma^2}{n}$; of categories $\Pr[x \mid y_1 \ldots y_n]
        \propto q_x \prod_i P[y_i \mid x]$
    Example:
        >>> from cobogo import attack
        >>> from cobogo.reference.worked import roles
        >>> import numpy as np, pyarrow as pa
        >>> random, true = np.random.default_rng(1), np.linspace(1000, 9000, 100)
        >>> noisy = [pa.table({"pay": (true + random.normal(0, 800, 100)).round(2)}) for _ in range(16)]
        >>> one, many = (attack("averaging", *noisy[:n], policy=roles("", "pay")).highest for n in (2, 16))
        >>> one < 0.8 < 0.9 < many
        True

    Guarantee: None: an attack finds, it does not protect. Draw once, and release the same draw again.
    Limits: Draws must be independent from release to release; those of a memoized mechanism are not.
    Cost: $O(n\,r)$ for r releases of n rows; of categories with m values $O(n\,r\,m)$.
    Paper: None in particular: after A. Evfimievski, J. Gehrke and R. Srikant 2003, whose amplification n independent
        draws raise to the n-th power.
    """

    threshold: float = 0.5
    attribute: str | None = None
    key: str | None = None
    within: float = 0.05
    retention: float | None = None

    name: ClassVar[str] = "averaging"
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
        draws, labels, lost = _aligned(case.releases, name, self.key)
        distinct = np.unique(draws, axis=0)
        domain = Domain(name, labels, np.bincount(distinct[0], minlength=len(labels)).astype(np.int64))
        rows = np.arange(1, draws.shape[1] + 1)
        notes = (f"{lost:,} rows were not found in every release",) if lost else ()
        measures: dict[str, float | int | None] = {"releases": len(draws), "draws that differ": len(distinct)}
        if len(distinct) == 1:
            nothing = np.zeros(len(rows))
            why = (*notes, "all releases are the same draw: they tell no more than one of them")
            return self.found("release", rows, nothing, attacked=len(rows), measures=measures, notes=why)
        if domain.is_numeric and len(labels) > 2:
            sure, before, more = _averaged(domain.numbers[distinct], self.within)
        else:
            sure, before, more = _weighed(distinct, len(labels), self.retention)
        return self.found(
            "release", rows, sure, baseline=before, attacked=len(rows), measures=measures | more, notes=notes
        )


def _aligned(releases: tuple[Published, ...], name: str, key: str | None) -> tuple[Ints, tuple[str | None, ...], int]:
    """Releases × people: the codes of one column, people in the order of the first release; and how many were lost."""
    for release in releases:
        for wanted in (name, key):
            if wanted is not None and wanted not in release.rows.columns:
                raise DataError(f'has no column "{wanted}"', where=release.name)
        if key is None and release.rows.count != releases[0].rows.count:
            raise DataError(
                "has another number of rows than the first release",
                where=release.name,
                remedy="Name a column that tells whose row it is: --set key=….",
            )
    labels = tuple(dict.fromkeys(label for release in releases for label in release.rows.labels(name)))
    index = {label: code for code, label in enumerate(labels)}
    codes = [
        np.array([index[label] for label in release.rows.labels(name)], dtype=np.int64)[release.rows.codes(name)]
        for release in releases
    ]
    if key is None:
        return np.array(codes), labels, 0
    keys = [{label: n for n, label in enumerate(release.rows.labels(key))} for release in releases]
    first = releases[0].rows
    places = []
    for release, known in zip(releases, keys, strict=True):
        counts = np.bincount(release.rows.codes(key), minlength=len(known))
        where = np.full(len(known), -1, dtype=np.int64)
        where[release.rows.codes(key)] = np.arange(release.rows.count)
        where[counts != 1] = -1
        place = np.array([known.get(label, -1) for label in first.labels(key)], dtype=np.int64)
        places.append(np.where(place >= 0, np.append(where, -1)[place], -1)[first.codes(key)])
    there = (np.array(places) >= 0).all(axis=0)
    if not there.any():
        raise DataError(f'no value of "{key}" stands once in every release', where=first.name)
    found = [column[place[there]] for column, place in zip(codes, places, strict=True)]
    return np.array(found), labels, int((~there).sum())


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
