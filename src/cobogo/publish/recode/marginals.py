"""Marginals: several small tables of counts instead of one table of records, checked one by one and together.

`MarginalSource` counts the marginals of a problem's table; `marginals` releases those that a policy asks for, or else
those that say most about the table.
"""

from __future__ import annotations

import itertools
import math
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence

import numpy as np

from cobogo.data.classes import Classes, Domain
from cobogo.data.hierarchy import Label
from cobogo.data.table.frequency import number_tuples
from cobogo.errors import NoSolution, PolicyError
from cobogo.floor.arrays import Ints
from cobogo.floor.catalogue import card
from cobogo.floor.language import tr
from cobogo.floor.progress import Steps
from cobogo.promises.models import Model, Scope
from cobogo.promises.models.check import check
from cobogo.publish.recode.contract.problem import Problem
from cobogo.publish.recode.contract.solution import Marginalized
from cobogo.release.margins import Attributes, Marginal, Margins, join_tree, maximal_sets

Levels = Mapping[str, int]
"""The level of each quasi-identifier, by name."""

CELLS_AT_ONCE = 1_000_000
"""Cells of a marginal that is counted in a dense array; one with more is counted by sorting."""

WIDEST = 4
"""Attributes of a marginal, the sensitive one included, where the policy does not ask for any."""

NOTE = tr("marginals are counts, not records: what no marginal counts together is not released")
TOGETHER = tr(
    "several marginals have the sensitive attribute: together they are safe against an attacker who knows the "
    "values of one person, not against an attacker who knows the values of everybody"
)


@card("marginals", group="marginals", guide="algorithms-sensitive", one_table=False)
def marginals(problem: Problem, *, time_limit: float | None = None, progress: Steps | None = None) -> Marginalized:
    r"""Releases several small tables of counts instead of records; each table satisfies the models, and so do all of
    them together.

    Each quasi-identifier has the same level in all tables. A greedy search chooses the levels with the smallest loss,
    and the sets of attributes, too, unless the policy names them.

    Formula: $\mathrm{KL}(p \,\Vert\, \hat{p}) = \sum_x p(x) \ln \frac{p(x)}{\hat{p}(x)}$ with $\hat{p}(x) =
        \frac{\prod_C p_C(x)}{\prod_S p_S(x)}$ over the sets $C$ of attributes and what they have in common, $S$
    Example:
        >>> from cobogo.studies.worked_examples import anonymize_patients
        >>> release = anonymize_patients("marginals")
        >>> release.levels, sorted(release.tables())
        ({'age': 1, 'sex': 0}, ['marginal-1', 'marginal-2'])

    Guarantee: Every table satisfies the models, and so do all combinations of quasi-identifiers that the tables
        together allow.
    Limits: If several tables have the sensitive attribute, an attacker who knows everybody's quasi-identifiers can rule
        out more than the joint check does. Sets of attributes with a cycle are refused. If a combination is in no
        table, no person has it.
    Cost: $O(a^2 n)$ for each round of the greedy search; at most 200,000 combinations are checked together.
    Paper: D. Kifer and J. Gehrke, Injecting utility into anonymized datasets, SIGMOD 2006.
    """
    _refuse(problem)
    source = MarginalSource(problem)
    deadline = math.inf if time_limit is None else time.monotonic() + time_limit
    search = _Search(source, deadline, progress or (lambda *_: None))
    levels, sets = search.refine_requested(problem.marginals) if problem.marginals else search.choose_sets()
    margins = source.margins(sets, levels)
    notes = (NOTE, TOGETHER) if len(margins.telling) > 1 else (NOTE,)
    return Marginalized(
        "marginals",
        margins,
        dict(levels),
        source.divergence(sets, levels),
        search.checked,
        search.checked,
        notes=notes,
    )


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
            self._made[key] = self._count(key)
        return self._made[key]

    def margins(self, sets: Sequence[Attributes], levels: Levels) -> Margins:
        return Margins(tuple(self.marginal(one, levels) for one in sets), self.labels(levels), self.sensitive)

    def classes(self, margins: Margins) -> Classes:
        """The classes of the marginals, one by one and together, as the models see them."""
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

    def mutual_information(self, one: Attributes, other: Attributes, levels: Levels) -> float:
        """The mutual information of two sets of attributes, in nats."""
        return self.entropy(one, levels) + self.entropy(other, levels) - self.entropy(one | other, levels)

    def divergence(self, sets: Sequence[Attributes], levels: Levels) -> float:
        """The Kullback-Leibler divergence of the marginals from the original table, in nats.

        A reader of the marginals takes the table of maximum entropy that has them: attributes of no common marginal are
        independent, the leaves under a coarse value are equally likely, and so are all leaves of an attribute that is
        in no marginal."""
        links = join_tree(sets)
        assert links is not None
        estimated = sum(self.entropy(one, levels) for one in sets) - sum(
            self.entropy(link.separator, levels) for link in links if link.separator
        )
        covered = frozenset().union(*sets)
        for h in self.problem.hierarchies:
            if h.attribute in covered:
                made = self.marginal([h.attribute], levels)
                leaves = h.leaf_counts[levels[h.attribute]][made.codes[:, 0]]
                estimated += float((made.counts * np.log(leaves)).sum() / self.records)
            else:
                estimated += math.log(len(h.leaves))
        counts = self._known.counts
        own = math.log(self.records) - float((counts * np.log(counts)).sum() / self.records)
        return max(estimated - own, 0.0)

    def _key(self, attributes: Iterable[str], levels: Levels) -> tuple[tuple[str, int], ...]:
        wanted = set(attributes)
        quasi = tuple((name, levels[name]) for name in self._position if name in wanted)
        return (*quasi, (self.sensitive, 0)) if self.sensitive in wanted else quasi

    def _count(self, key: tuple[tuple[str, int], ...]) -> Marginal:
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


class _Search:
    """A greedy search: from the most general levels down, or from the finest up, as long as less is lost."""

    def __init__(self, source: MarginalSource, deadline: float, progress: Steps) -> None:
        self.source, self.deadline, self.progress = source, deadline, progress
        self.problem = source.problem
        self.lowest = dict(zip(source.quasi, self.problem.lowest, strict=True))
        self.highest = dict(zip(source.quasi, self.problem.highest, strict=True))
        self.checked = 0

    def refine_requested(self, wanted: Sequence[Sequence[str]]) -> tuple[Levels, list[Attributes]]:
        """The finest levels found at which the requested marginals are safe together. The search starts at the most
        general levels and takes the step down that loses least, as long as there is one."""
        sets = maximal_sets([frozenset(one) for one in wanted])
        levels: Levels = dict(self.highest)
        if not self._holds(sets, levels):
            raise NoSolution(
                tr("the requested marginals do not satisfy the models, even at the most general levels"),
                remedy=tr(
                    "Ask for fewer attributes in each marginal, or for weaker models. Hierarchies with a "
                    "top level * help."
                ),
            )
        while time.monotonic() < self.deadline:
            steps = [step for step in self._steps(levels, -1) if self._holds(sets, step)]
            if not steps:
                break
            levels = min(steps, key=lambda step: self.source.divergence(sets, step))
        return levels, sets

    def choose_sets(self) -> tuple[Levels, list[Attributes]]:
        """The levels and sets that lose least, as far as steps of one attribute find them."""
        levels: Levels = dict(self.lowest)
        sets = self._best_sets(levels)
        best = math.inf if sets is None else self.source.divergence(sets, levels)
        while time.monotonic() < self.deadline:
            found = []
            for step in itertools.chain(self._steps(levels, 1), self._steps(levels, -1)):
                made = self._best_sets(step)
                if made is not None:
                    found.append((self.source.divergence(made, step), tuple(step.values()), step, made))
            if not found:
                break
            value, _, step, made = min(found, key=lambda one: one[:2])
            if value >= best - 1e-12:
                break
            best, levels, sets = value, step, made
        if sets is None:
            raise NoSolution(
                tr("no marginals satisfy the models: not even the counts of the sensitive attribute alone do"),
                remedy=tr("Ask for weaker models."),
            )
        return levels, sets

    def _best_sets(self, levels: Levels) -> list[Attributes] | None:
        """The sets to release at some levels: every attribute that is safe by itself, the sensitive one with those that
        share most information with it, and the pairs of others that share most and close no cycle."""
        self.checked += 1
        self.progress(self.checked, 0)
        source = self.source
        secret = frozenset({source.sensitive})
        if not source.safe(secret, levels):
            return None
        alone = [frozenset({name}) for name in source.quasi if source.safe([name], levels)]
        around = secret
        while len(around) < WIDEST:
            wider = [around | one for one in alone if not one <= around and source.safe(around | one, levels)]
            gains = [(source.mutual_information(one - secret, secret, levels), sorted(one), one) for one in wider]
            known = source.mutual_information(around - secret, secret, levels) if around - secret else 0.0
            if not gains or (most := max(gains))[0] <= known + 1e-9:
                break
            around = most[2]
        sets = [around]
        pairs = sorted(
            (
                (-source.mutual_information(a, b, levels), sorted(a | b), a | b)
                for a, b in itertools.combinations(alone, 2)
            ),
        )
        for gain, _, pair in pairs:
            if -gain <= 1e-9 or any(pair <= one for one in sets) or not source.safe(pair, levels):
                continue
            if join_tree(maximal_sets([*sets, pair])) is not None:
                sets.append(pair)
        return self._widen(maximal_sets([*sets, *alone]), levels)

    def _widen(self, sets: list[Attributes], levels: Levels) -> list[Attributes]:
        """Add attributes to the sets of quasi-identifiers, first where that loses least."""
        source = self.source
        best = source.divergence(sets, levels)
        while True:
            found = []
            for one, name in itertools.product(sets, source.quasi):
                wider = one | {name}
                if name in one or source.sensitive in one or len(wider) > WIDEST or not source.safe(wider, levels):
                    continue
                tried = maximal_sets([*(wider if other == one else other for other in sets)])
                if join_tree(tried) is not None:
                    found.append((source.divergence(tried, levels), sorted(wider), tried))
            if not found or (least := min(found))[0] >= best - 1e-9:
                return sets
            best, sets = least[0], least[2]

    def _holds(self, sets: Sequence[Attributes], levels: Levels) -> bool:
        self.checked += 1
        self.progress(self.checked, 0)
        source = self.source
        return all(source.safe(one, levels) for one in sets) and source.hold(source.margins(sets, levels))

    def _steps(self, levels: Levels, by: int) -> Iterator[dict[str, int]]:
        for name, level in levels.items():
            if self.lowest[name] <= level + by <= self.highest[name]:
                yield {**levels, name: level + by}


def _refuse(problem: Problem) -> None:
    """Marginals protect one sensitive attribute of people with one record each, under models of single classes."""
    where = "recoding.algorithm"
    if problem.table.people is not None or len(problem.table.histograms) != 1:
        raise PolicyError(
            tr("marginals need one record for each person and one sensitive attribute"),
            where=where,
            remedy=tr("Name one sensitive attribute and leave out data.unit, or choose another algorithm."),
        )
    if join_tree(maximal_sets([frozenset(one) for one in problem.marginals])) is None:
        raise PolicyError(
            tr("the marginals form a cycle: each may be safe, but what they reveal together cannot be computed"),
            where="recoding.marginals",
            remedy=tr("Leave one of them out, or ask for one marginal with all the attributes of the cycle."),
        )
    secret = next(iter(problem.table.histograms))
    telling = sum(secret in one for one in problem.marginals)
    if problem.marginals and not telling:
        raise PolicyError(
            tr('no marginal has the sensitive attribute "{secret}"', secret=secret),
            where="recoding.marginals",
            remedy=tr('Add a marginal that has it, such as ["{secret}"].', secret=secret),
        )
    for model in problem.promised:
        beyond = model.populations or model.needs_members or model.series or model.blind or model.needs_every_class
        mixed = telling > 1 and type(model).holds_withheld is not Model.holds_withheld  # asks for people, too
        if beyond or mixed or model.scope is not Scope.CLASS:
            raise PolicyError(
                tr("{model} cannot be measured on marginals, which have no records", model=model),
                where=where,
                remedy=tr(
                    "Ask for models of single classes, such as k-anonymity and l-diversity, or choose another "
                    "algorithm."
                ),
            )
