"""Making marginals of a problem's table at any levels, and measuring what they say and whether they are safe."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from cobogo.data.classes import Classes, Domain
from cobogo.data.hierarchy import Label
from cobogo.data.table.frequency import number_tuples
from cobogo.floor.arrays import Ints
from cobogo.promises.models.check import check
from cobogo.publish.recode.contract.problem import Problem
from cobogo.release.margins import Attributes, Marginal, Margins, join_tree

Levels = Mapping[str, int]

CELLS_AT_ONCE = 1_000_000


class MarginalSource:
    """One problem's table, as (tuple, sensitive value) pairs. Marginals that were made are kept."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        ((self.sensitive, self._known),) = problem.table.histograms.items()
        self.records = problem.scale.records
        self._position = {h.attribute: column for column, h in enumerate(problem.hierarchies)}
        self._columns: dict[tuple[str, int], Ints] = {}
        self._made: dict[tuple[tuple[str, int], ...], Marginal] = {}
        self._safe: dict[tuple[tuple[str, int], ...], bool] = {}
        self._nats: dict[tuple[tuple[str, int], ...], float] = {}

    @property
    def domain(self) -> Domain:
        """The sensitive attribute's values."""
        return self._known.domain

    @property
    def quasi(self) -> tuple[str, ...]:
        """The quasi-identifiers."""
        return tuple(self._position)

    def labels(self, levels: Levels) -> dict[str, tuple[Label, ...]]:
        """What each attribute's values are called at some levels."""
        known = {h.attribute: h.labels[levels[h.attribute]] for h in self.problem.hierarchies}
        return {**known, self.sensitive: self.domain.labels}

    def marginal(self, attributes: Iterable[str], levels: Levels) -> Marginal:
        """How many records have each combination of some attributes' values; the sensitive one comes last."""
        key = self._key(attributes, levels)
        if key not in self._made:
            self._made[key] = self._counted(key)
        return self._made[key]

    def margins(self, sets: Sequence[Attributes], levels: Levels) -> Margins:
        """Several of them."""
        return Margins(tuple(self.marginal(one, levels) for one in sets), self.labels(levels), self.sensitive)

    def classes(self, margins: Margins) -> Classes:
        """What they tell, one by one and together, as the models see it."""
        return margins.classes(self.records, self.domain)

    def safe(self, attributes: Iterable[str], levels: Levels) -> bool:
        """Whether every model holds of a marginal by itself."""
        key = self._key(attributes, levels)
        if key not in self._safe:
            self._safe[key] = self.hold(self.margins([frozenset(attributes)], levels))
        return self._safe[key]

    def hold(self, margins: Margins) -> bool:
        """Whether every model holds of some marginals together."""
        return all(verdict.satisfied for verdict in check(self.problem.promised, self.classes(margins)))

    def entropy(self, attributes: Iterable[str], levels: Levels) -> float:
        """Of a combination of attributes, in nats."""
        key = self._key(attributes, levels)
        if key not in self._nats:
            counts = self.marginal(attributes, levels).counts
            self._nats[key] = float(math.log(self.records) - (counts * np.log(counts)).sum() / self.records)
        return self._nats[key]

    def together(self, one: Attributes, other: Attributes, levels: Levels) -> float:
        """How much two sets of attributes tell of each other, in nats."""
        return self.entropy(one, levels) + self.entropy(other, levels) - self.entropy(one | other, levels)

    def divergence(self, sets: Sequence[Attributes], levels: Levels) -> float:
        """How far what the marginals tell is from the original table: the Kullback-Leibler divergence, in nats.

        They tell that tables are alike in which nothing else goes together; within a coarse value all leaves are, and
        of an attribute that is in no marginal every leaf."""
        links = join_tree(sets)
        assert links is not None
        told = sum(self.entropy(one, levels) for one in sets) - sum(
            self.entropy(link.separator, levels) for link in links if link.separator
        )
        covered = frozenset().union(*sets)
        for h in self.problem.hierarchies:
            if h.attribute in covered:
                made = self.marginal([h.attribute], levels)
                leaves = h.leaf_counts[levels[h.attribute]][made.codes[:, 0]]
                told += float((made.counts * np.log(leaves)).sum() / self.records)
            else:
                told += math.log(len(h.leaves))
        counts = self._known.counts
        own = math.log(self.records) - float((counts * np.log(counts)).sum() / self.records)
        return max(told - own, 0.0)

    def _key(self, attributes: Iterable[str], levels: Levels) -> tuple[tuple[str, int], ...]:
        wanted = set(attributes)
        quasi = tuple((name, levels[name]) for name in self._position if name in wanted)
        return (*quasi, (self.sensitive, 0)) if self.sensitive in wanted else quasi

    def _counted(self, key: tuple[tuple[str, int], ...]) -> Marginal:
        columns = [self._column(name, level) for name, level in key]
        sizes = [int(column.max(initial=0)) + 1 for column in columns]
        names, counts = tuple(name for name, _ in key), self._known.counts
        cells = math.prod(sizes)
        if cells <= CELLS_AT_ONCE:
            number = np.zeros(len(counts), dtype=np.int64)
            for column, size in zip(columns, sizes, strict=True):
                number = number * size + column
            dense = np.bincount(number, counts, cells).astype(np.int64)
            there = np.flatnonzero(dense)
            codes = np.array(np.unravel_index(there, sizes) if sizes else [], dtype=np.int64)
            return Marginal(names, codes.reshape(len(names), -1).T, dense[there])
        ids, first = number_tuples(columns, sizes, len(counts))
        codes = np.array([column[first] for column in columns], dtype=np.int64).T
        return Marginal(names, codes, np.bincount(ids, counts, len(first)).astype(np.int64))

    def _column(self, name: str, level: int) -> Ints:
        """The code of each pair at a level."""
        if name == self.sensitive:
            return self._known.values.astype(np.int64)
        if (name, level) not in self._columns:
            column, table = self._position[name], self.problem.table
            hierarchy, leaf = self.problem.hierarchies[column], self.problem.leaf_codes[column]
            codes = hierarchy.maps[level][leaf[table.codes[:, column]]]
            self._columns[name, level] = codes[self._known.owners].astype(np.int64)
        return self._columns[name, level]
