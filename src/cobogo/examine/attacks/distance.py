"""Linkage by distance: a noisy record is still nearest to its original."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from cobogo.examine.attacks.base import Attack, Finding, Findings, Input
from cobogo.examine.attacks.case import Case
from cobogo.examine.attacks.likeness import TablePoints, points, sample_rows
from cobogo.examine.attacks.linking import shared_columns
from cobogo.examine.attacks.masking import changed_columns
from cobogo.floor.arguments import whole
from cobogo.floor.arrays import Floats, Ints
from cobogo.floor.catalogue import card
from cobogo.floor.language import tr
from cobogo.release.manifest import RECODING

ROUNDS = 60
"""Rounds of estimation at most; it usually stops earlier, when no estimate moves by a hundredth."""

BINS = 50
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
