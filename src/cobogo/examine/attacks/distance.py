"""Tables as points, and linkage by the distance of their records: a noisy record is still nearest to its original."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from cobogo.data.classes import Domain
from cobogo.errors import DataError
from cobogo.examine.attacks.base import Attack, Finding, Findings, Input
from cobogo.examine.attacks.case import Case
from cobogo.examine.attacks.compatibility import changed_columns
from cobogo.examine.attacks.linking import shared_columns
from cobogo.examine.attacks.rows import Rows, code_alike
from cobogo.floor.arguments import whole
from cobogo.floor.arrays import Floats, Ints, Mask
from cobogo.floor.catalogue import card
from cobogo.floor.language import tr
from cobogo.release.manifest import RECODING

FEW = 10
"""Distinct numbers up to which a column counts as categories: codes such as 1 and 2 have no distance."""

BINS = 50
"""Quantile intervals within which numbers are alike."""

SURE = 2.576
"""Standard deviations of a two-sided 99 % interval."""


@dataclass(frozen=True, eq=False, repr=False)
class TablePoints:
    """Tables with the same columns as numbers: numeric columns scaled to 0 … 1, other columns as codes."""

    columns: tuple[str, ...]
    tables: tuple[Floats, ...]  # rows × columns
    codes: tuple[Ints, ...]  # the same as codes of all columns
    categorical: Mask
    labels: dict[str, int]  # how many distinct values each column has

    def places(self, names: Sequence[str]) -> Ints:
        """The places of some columns."""
        return np.array([self.columns.index(name) for name in names], dtype=np.int64)


def points(tables: Sequence[Rows], asked: Sequence[str] | None = None) -> TablePoints:
    """Code the columns that all tables have, or those asked for."""
    shared = [name for name in tables[0].names if all(name in table.columns for table in tables)]
    for name in asked or ():
        if name not in shared:
            lacking = next(table for table in tables if name not in table.columns)
            raise DataError(
                tr('has no column "{name}"', name=name),
                where=lacking.name,
                remedy=tr("Its columns: {names}.", names=", ".join(lacking.names)),
            )
    names = tuple(asked or shared)
    if not names:
        raise DataError(
            tr("has no column in common with the release"),
            where=tables[-1].name,
            remedy=tr("Give the columns the same names as in the release."),
        )
    whole: list[list[Floats]] = [[] for _ in tables]
    coded: list[list[Ints]] = [[] for _ in tables]
    categorical, labels = [], {}
    for name in names:
        codes, known = code_alike([table.columns[name] for table in tables])
        domain = Domain(name, known, np.zeros(len(known), dtype=np.int64))
        numeric = domain.is_numeric and len(known) > FEW
        numbers = domain.numbers
        if numeric:
            low, high = np.nanmin(numbers), np.nanmax(numbers)
            numbers = (numbers - low) / max(high - low, 1e-300)
        categorical.append(not numeric)
        labels[name] = len(known)
        for place, own in enumerate(codes):
            coded[place].append(own)
            whole[place].append(numbers[own] if numeric else own.astype(np.float64))
    return TablePoints(
        names,
        tuple(np.ascontiguousarray(np.array(part).T) for part in whole),
        tuple(np.ascontiguousarray(np.array(part).T) for part in coded),
        np.array(categorical, dtype=np.bool_),
        labels,
    )


def sample_rows(rows: int, most: int, random: np.random.Generator) -> Ints:
    """At most so many row numbers at random, sorted."""
    if rows <= most:
        return np.arange(rows)
    return np.sort(random.choice(rows, most, replace=False))


def wilson_bounds(hits: float, tries: int) -> tuple[float, float]:
    """The interval of the true rate that some hits allow (Wilson 1927).

    >>> [round(bound, 3) for bound in wilson_bounds(90, 100)]
    [0.796, 0.954]
    """
    if not tries:
        return 0.0, 1.0
    middle, reach = wilson_interval(np.float64(hits / tries), np.float64(tries))
    return float(max(middle - reach, 0.0)), float(min(middle + reach, 1.0))


def wilson_interval(rate: Any, tries: Any) -> tuple[Any, Any]:
    """The middle and half the width of the interval of the true rate, for arrays of observed rates."""
    square = SURE * SURE
    middle = (rate + square / (2 * tries)) / (1 + square / tries)
    reach = SURE * np.sqrt(rate * (1 - rate) / tries + square / (4 * tries * tries)) / (1 + square / tries)
    return middle, reach


def compare_rates(hits: float, tries: int, control_hits: float, control_tries: int) -> dict[str, Any]:
    """Compare the rates at which an attack succeeds against people in the data and against control people.

    ``risk`` is the gain of the first rate over the second, as a share of the largest possible gain. ``certain`` says
    that the intervals of the two rates do not overlap.
    """
    rate, control = hits / max(tries, 1), control_hits / max(control_tries, 1)
    return {
        "rate": rate,
        "control": control,
        "risk": max((rate - control) / (1 - control), 0.0) if control < 1 else 0.0,
        "certain": wilson_bounds(hits, tries)[0] > wilson_bounds(control_hits, control_tries)[1],
    }


def number_alike_rows(points_: TablePoints, columns: NDArray[Any]) -> tuple[Ints, ...]:
    """Number the rows of all tables so that rows have one number if they are alike in some columns. Numbers are alike
    in one of `BINS` quantile intervals of the first table."""
    parts = []
    for column in columns:
        if points_.categorical[column]:
            parts.append([codes[:, column] for codes in points_.codes])
            continue
        edges = np.unique(np.nanquantile(points_.tables[0][:, column], np.linspace(0, 1, BINS + 1)[1:-1]))
        parts.append(
            [
                np.where(np.isnan(table[:, column]), len(edges) + 1, np.searchsorted(edges, table[:, column]))
                for table in points_.tables
            ]
        )
    stacked = [np.concatenate(part) for part in parts]
    _, ids = np.unique(np.array(stacked), axis=1, return_inverse=True)
    ends = np.cumsum([len(table) for table in points_.tables])
    return tuple(np.split(ids.reshape(-1).astype(np.int64), ends[:-1]))


ROUNDS = 60
"""Rounds of estimation at most; it usually stops earlier, when no estimate moves by a hundredth."""

"""Bins of the histogram that gives the density of a column's values."""

AT_ONCE = 6_000_000
"""Pairs of a person and a record in each round of estimation: more give steadier estimates, and take longer."""

STRIDE = 1.8
"""How far a round goes, as a multiple of its step. Expectation and maximization takes small steps; beyond 2 it would
overshoot."""

LEAST = 1e-4
"""The smallest noise that is distinguished from none, as a share of a column's range."""


@card("distance-linkage", title="distance linkage")
@dataclass(frozen=True)
class DistanceLinkage(Attack):
    r"""Find the record of each person in a release whose values were changed, by its distance from what is known about
    the person.

    The attack assumes that numbers have noise and that categories are sometimes exchanged. It estimates from the two
    tables how much noise there is and how often values are exchanged (expectation and maximization), and then the
    probability that each record is the person's, who is assumed to be in the release. It works against noise, swapping,
    microaggregation and post-randomization; for generalized values `record-linkage` finds more.

    Formula: $\Pr[r \mid t] \propto \prod_c \frac{f_c(r_c - t_c)}{g_c(r_c)}$ with $f_c$ a normal density of the
        estimated variance for numbers, and for categories the estimated probability to be kept or exchanged; $g_c$ is
        the density of the released values there
    Example:
        >>> from cobogo import attack
        >>> import numpy as np, pyarrow as pa
        >>> random = np.random.default_rng(3)
        >>> staff = pa.table({"age": random.normal(45, 12, 50).round(1), "pay": random.normal(5000, 900, 50).round()})
        >>> noisy = pa.table({"age": np.array(staff["age"]) + random.normal(0, 0.5, 50), "pay": staff["pay"]})
        >>> attack("distance-linkage", noisy, knowledge=staff).succeeded
        True

    Guarantee: None: an attack finds people, it does not protect them. More noise on every column that others know
        helps, or microaggregation of all these columns together.
    Limits: It attacks a random sample of at most ``targets`` people. The noise is assumed to be the same for all.
    Cost: A few rounds of $O(t\,n\,c)$ for t targets, n records and c columns.
    Paper: After I. P. Fellegi and A. B. Sunter 1969, with the estimation of A. P. Dempster, N. M. Laird and D. B. Rubin
        1977; the model of the noise is our own.
    """

    threshold: float = 0.5
    columns: tuple[str, ...] | None = None
    targets: int = 1000
    seed: int = 0

    finds: ClassVar[Finding] = "record"
    against: ClassVar[frozenset[str] | None] = frozenset({"perturbation", "recoding"})
    knows: ClassVar[str] = tr("a table about people, with the values as they were before they were changed")
    defence: ClassVar[str] = tr(
        "More noise on every column that others know, or microaggregation of all of them together, which makes k "
        "records alike."
    )
    needs: ClassVar[frozenset[Input]] = frozenset({"knowledge"})

    def __post_init__(self) -> None:
        super().__post_init__()
        whole(self.name, "targets", self.targets, least=1)
        whole(self.name, "seed", self.seed, least=0)

    def skip_reason(self, case: Case) -> str | None:
        """Where no value was changed, record linkage finds more."""
        if case.release.kind == RECODING and not changed_columns(case.release):
            return tr("applies to values that were changed by noise or means; this release has none")
        return super().skip_reason(case)

    def run(self, case: Case) -> Findings:
        """For a random sample of people, the likeliest record of each."""
        assert case.knowledge is not None
        columns, note = shared_columns(case.knowledge, case.release, self.columns)
        tables = points([case.release.rows, case.knowledge], columns)
        rows = sample_rows(case.knowledge.count, self.targets, np.random.default_rng(self.seed))
        model = _Model.start(tables, tables.tables[1][rows])
        some = max(AT_ONCE // case.release.rows.count, 30)
        for _ in range(ROUNDS):
            before, model = model, model.update(some)
            still = np.allclose(before.spread, model.spread, rtol=0.01)
            if still and np.allclose(before.right, model.right, atol=0.002):
                break
        sure, place, _, _ = model.links()
        measures: dict[str, float | int | None] = {tr("expected right links"): float(sure.sum())}
        for column, name in enumerate(columns):
            if tables.categorical[column]:
                measures[tr("estimated share of right values of {name}", name=name)] = float(model.right[column])
            else:
                measures[tr("estimated noise of {name}, as a share of its range", name=name)] = float(
                    model.spread[column]
                )
        return self.build_findings(
            "knowledge",
            rows + 1,
            sure,
            baseline=np.full(len(rows), 1 / case.release.rows.count),
            attacked=len(rows),
            measures=measures,
            records=place + 1,
            notes=(note,) if note else (),
        )


@dataclass(frozen=True, eq=False, repr=False)
class _Model:
    """A model of how a release was made: each column's noise, or its probability to keep a category."""

    tables: TablePoints
    people: Floats
    rare: Floats  # minus the log-density of the released values, at each row
    wrong: Floats  # minus the log-share of categories other than each person's
    spread: Floats  # the standard deviation of each numeric column's noise
    right: Floats  # the probability that each category is kept

    @classmethod
    def start(cls, tables: TablePoints, people: Floats) -> _Model:
        """The model before estimation: little noise, few exchanges."""
        released = tables.tables[0]
        rare, others = np.zeros(released.shape), np.zeros(people.shape)
        for column, name in enumerate(tables.columns):
            if tables.categorical[column]:
                codes = released[:, column].astype(np.int64)
                share = np.bincount(codes, minlength=tables.labels[name]) / len(released)
                rare[:, column] = -np.log(share[codes])
                others[:, column] = -np.log(np.maximum(1 - share[people[:, column].astype(np.int64)], 1e-9))
            else:
                rare[:, column] = -np.log(_density(released[:, column]))
        width = released.shape[1]
        return cls(tables, people, rare, others, np.full(width, 0.05), np.full(width, 0.98))

    def links(self, some: int | None = None) -> tuple[Floats, Ints, Floats, Floats]:
        """For the first people: the probability of the likeliest record, and its place; and for each column the mean
        squared noise, and the share of agreements."""
        from cobogo.examine.attacks import kernels

        people = np.ascontiguousarray(self.people[:some])
        best, place = np.zeros(len(people)), np.zeros(len(people), dtype=np.int64)
        squares, agreed = np.zeros(people.shape[1]), np.zeros(people.shape[1])
        wrong = np.ascontiguousarray(np.log(1 - self.right) + self.wrong[:some])
        model = self.spread, self.rare, np.log(self.right), wrong
        kernels.weigh_pairs(people, self.tables.tables[0], self.tables.categorical, model, best, place, squares, agreed)
        return best, place, squares / max(len(people), 1), agreed / max(len(people), 1)

    def update(self, some: int) -> _Model:
        """One round of estimation, on the first people."""
        _, _, squares, agreed = self.links(some)
        spread = self.spread * (np.maximum(np.sqrt(squares), LEAST) / self.spread) ** STRIDE
        right = self.right + STRIDE * (agreed - self.right)
        return replace(self, spread=np.maximum(spread, LEAST), right=np.clip(right, 1e-3, 1 - 1e-4))


def _density(values: Floats) -> Floats:
    """The density of numbers between 0 and 1 at each of them, by a histogram."""
    known = values[~np.isnan(values)]
    counts, edges = np.histogram(known, bins=BINS, range=(0.0, 1.0))
    places = np.clip(np.searchsorted(edges, np.nan_to_num(values), side="right") - 1, 0, BINS - 1)
    return np.asarray(np.maximum(counts[places], 1) * BINS / max(len(known), 1))
