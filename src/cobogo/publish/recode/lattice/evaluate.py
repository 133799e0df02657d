"""Checking nodes of the lattice: whether they satisfy the models, what they cost, and what they say of those below."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from cobogo.data.classes import Members
from cobogo.data.table.frequency import PeopleSets
from cobogo.examine.metrics import Outcome
from cobogo.floor.arrays import Ints, Mask
from cobogo.promises.models import Classes, Model, Monotone, Scope
from cobogo.promises.models.check import failing_classes
from cobogo.publish.recode.contract.problem import Levels, Problem
from cobogo.publish.recode.contract.withhold import Withholding, withheld_values
from cobogo.publish.recode.lattice.checks import Form, form
from cobogo.publish.recode.lattice.outcome import Sums, outcome, sums
from cobogo.publish.recode.lattice.rolled import Rolled, Tables


@dataclass(frozen=True, eq=False, repr=False)
class Checked:
    """What was found at a node. ``hopeless``: it fails, and so does every node below it."""

    levels: Levels
    hopeless: bool
    satisfied: bool
    outcome: Outcome | None  # of a satisfied node
    value: float
    failing_records: int  # that are suppressed, or whose values are withheld
    floor: Floor | None = None  # of a node that is not hopeless


@dataclass(frozen=True, eq=False, repr=False)
class EvaluatedNode:
    """A node seen whole, whether or not it can be a solution: the classes that fail are taken to be suppressed."""

    rolled: Rolled
    gone: Mask  # the classes that are suppressed
    satisfied: bool
    outcome: Outcome
    value: float  # of the metric; not a number where nothing is left
    failing_records: int  # that are suppressed, or whose values are withheld

    @property
    def kept(self) -> Mask:
        """The classes that are left."""
        return ~self.gone & (self.rolled.records > 0)


@dataclass(frozen=True, eq=False, repr=False)
class Floor:
    """What every node below suppresses at least, and the leaves under those records' values at this node, at most."""

    suppressed: int
    leaf_sums: Ints


class Evaluator:
    """Checks nodes of one problem, keeping the tables that later checks can start from."""

    def __init__(
        self, problem: Problem, *, histograms: Sequence[str] | None = None, needs: Collection[str] | None = None
    ) -> None:
        """``histograms``: the sensitive attributes to count; those that some model looks at if not given.

        ``needs``: the fields of an outcome to fill beside those that are always there; the metric's if not given.
        """
        self.problem = problem
        self._needs = problem.metric.needs if needs is None else needs
        wanted = problem.histograms_needed if histograms is None else histograms
        self._tables = Tables(problem, wanted, label="majority" in self._needs)
        self._of_people = problem.table.people is not None
        # Whether no class may be suppressed.
        self.strict = problem.limit == 0 or any(model.needs_every_class for model in problem.models)
        of_classes = [model for model in problem.models if model.scope is Scope.CLASS]
        of_table = [model for model in problem.models if model.scope is Scope.TABLE]
        self._prunable = [self._check_of(model) for model in of_classes if self.rules_out(model)]
        self._others = [self._check_of(model) for model in of_classes if not self.rules_out(model)]
        self._conditions = [(model, self._check_of(model)) for model in of_classes] if problem.withholds else []
        self._prunable_of_table = [model for model in of_table if self.strict and self.rules_out(model)]
        self._other_of_table = [model for model in of_table if model not in self._prunable_of_table]
        self.checked = 0

    @property
    def can_prune(self) -> bool:
        """Whether a failing node may rule out those below it."""
        return bool(self._prunable or self._prunable_of_table)

    @property
    def closed_upwards(self) -> bool:
        """Whether every node above one that satisfies the policy satisfies it, too."""
        if self._others or self._other_of_table or (self.problem.withholds and not self.strict):
            return False
        return self.strict or all(m.monotone is Monotone.EVEN_WITH_SUPPRESSION for m in self.problem.models)

    def rules_out(self, model: Model) -> bool:
        """Whether a class that fails it has parts that fail it. People of two classes may be the same: their counts do
        not add up, so little follows from them."""
        return model.monotone is Monotone.EVEN_WITH_SUPPRESSION or (
            model.monotone is Monotone.WITHOUT_SUPPRESSION and not self._of_people
        )

    def _check_of(self, model: Model) -> Form:
        compiled = None if self._of_people else form(model, self.problem.table.domains)
        return compiled or _PlainForm(model, of_people=self._of_people)

    def check(self, levels: Levels) -> Checked:
        """Whether a node satisfies the models within the suppression limit, and what it costs."""
        self.checked += 1
        rolled = self.table(levels)
        classes = self.classes(rolled)
        if self.problem.withholds and not self.strict:
            return self._check_withholding(levels, rolled, classes)
        failed, least = np.zeros(len(rolled), dtype=np.bool_), np.zeros(len(rolled), dtype=np.int64)
        for check in self._prunable:
            check(classes, failed, least)
            if self._of_people:
                least[failed] = rolled.records[failed]
            if (doomed := int(least.sum())) > self.problem.limit:
                return Checked(levels, True, False, None, np.nan, doomed)
        found = sums(rolled, failed, least)
        if self._ruled_out(found, failed) or not _table_holds(self._prunable_of_table, classes, failed):
            return Checked(levels, True, False, None, np.nan, found.suppressed)
        floor = Floor(found.doomed, found.doomed_leaves)
        if self._others:
            for check in self._others:
                check(classes, failed, least)
            found = sums(rolled, failed, least)
        if not self._within_limits(found, failed) or not _table_holds(self._other_of_table, classes, failed):
            return Checked(levels, False, False, None, np.nan, found.suppressed, floor)
        reached = outcome(self.problem, rolled, failed, found, self._needs)
        value = float(self.problem.metric.value(reached, self.problem.scale))
        return Checked(levels, False, True, reached, value, found.suppressed, floor)

    def _check_withholding(self, levels: Levels, rolled: Rolled, classes: Classes) -> Checked:
        """The same where a class that fails for its sensitive values keeps its records. Records that fail are counted
        whether they go or only their values do; but only those that go cost anything by a metric."""
        limit = self.problem.limit
        lost, least = np.zeros(len(rolled), dtype=np.bool_), np.zeros(len(rolled), dtype=np.int64)
        for model, check in self._conditions:
            if not model.attributes and self.rules_out(model):
                check(classes, lost, least)
        found = sums(rolled, lost, least)
        floor = Floor(found.doomed, found.doomed_leaves)
        for model, check in self._conditions:
            if model.attributes and self.rules_out(model):
                check(classes, lost, least)
        doomed = int(least.sum())
        if doomed > limit or found.doomed == self.problem.scale.records:
            return Checked(levels, True, False, None, np.nan, doomed)
        settled = self.withholding(rolled, classes)
        if settled is None or not _table_holds(self._prunable_of_table + self._other_of_table, classes, settled.gone):
            return Checked(levels, False, False, None, np.nan, int(rolled.records[self.failing(rolled)].sum()), floor)
        reached = outcome(self.problem, rolled, settled.gone, sums(rolled, settled.gone), self._needs)
        value = float(self.problem.metric.value(reached, self.problem.scale))
        return Checked(levels, False, True, reached, value, settled.records(rolled.records), floor)

    def look(self, levels: Levels) -> EvaluatedNode:
        """All there is to know of a node; of one that is no solution, `check` says little more than that."""
        rolled = self.table(levels)
        classes = self.classes(rolled)
        gone, nothing = np.zeros(len(rolled), dtype=np.bool_), np.zeros(len(rolled), dtype=np.int64)
        settled = self.withholding(rolled, classes) if self.problem.withholds and not self.strict else None
        if settled is None:
            for check in (*self._prunable, *self._others):
                check(classes, gone, nothing)
        else:
            gone = settled.gone
        found = sums(rolled, gone)
        possible = settled is not None or not self.problem.withholds or self.strict
        satisfied = (
            possible
            and self._within_limits(found, gone)
            and _table_holds(self._prunable_of_table + self._other_of_table, classes, gone)
        )
        reached = outcome(self.problem, rolled, gone, found, self._needs)
        value = float(self.problem.metric.value(reached, self.problem.scale)) if found.classes else np.nan
        failing = found.suppressed if settled is None else settled.records(rolled.records)
        return EvaluatedNode(rolled, gone, satisfied, reached, value, failing)

    def withholding(self, rolled: Rolled, classes: Classes) -> Withholding | None:
        """What a node suppresses, and what it withholds; None where it cannot stay within the limit."""
        gone = np.zeros(len(rolled), dtype=np.bool_)
        failing: dict[str, Mask] = {}
        nothing = np.zeros(len(rolled), dtype=np.int64)
        for model, check in self._conditions:
            failed = np.zeros(len(rolled), dtype=np.bool_)
            check(classes, failed, nothing)
            if model.attributes:
                (name,) = model.attributes
                failing[name] = failing.get(name, False) | failed
                failed &= ~model.holds_withheld(classes)
            gone |= failed
        return withheld_values(
            self.problem.models,
            classes,
            gone,
            failing,
            limit=self.problem.limit,
            order=lambda: np.argsort(np.lexsort(rolled.codes.T[::-1])),
        )

    def _ruled_out(self, found: Sums, failed: Mask) -> bool:
        """Whether too many records fail here and below, or all of them."""
        if self.strict and failed.any():
            return True
        return found.doomed > self.problem.limit or found.doomed == self.problem.scale.records

    def _within_limits(self, found: Sums, failed: Mask) -> bool:
        """Few enough records suppressed, something left, and no class lost that may not be."""
        if self.strict and failed.any():
            return False
        return found.suppressed <= self.problem.limit and found.classes > 0

    def classes(self, rolled: Rolled) -> Classes:
        """What the models look at: people where they are told apart, records otherwise."""
        total = self.problem.scale.records
        members = None if rolled.owners is None else members_of(self.problem, rolled.owners)
        if rolled.people is None:
            return Classes(rolled.records, rolled.histograms, total, rolled.populations, members)
        counted = self._people.classes(rolled.people, rolled.histograms)
        return replace(counted, populations=rolled.populations, members=members)

    @property
    def _people(self) -> PeopleSets:
        assert self.problem.table.people is not None
        return self.problem.table.people

    def failing(self, rolled: Rolled) -> Mask:
        """The classes that fail any model: those that a release suppresses. An empty class is none of them."""
        return failing_classes(self.problem.models, self.classes(rolled)) & (rolled.records > 0)

    def outcome(self, rolled: Rolled, failed: Mask) -> Outcome:
        """The sums that metrics are made of."""
        return outcome(self.problem, rolled, failed, sums(rolled, failed), self._needs)

    def table(self, levels: Levels) -> Rolled:
        """The frequency table at a node."""
        return self._tables.at(levels)


class _PlainForm:
    """A model's plain check, for those that have no compiled one."""

    def __init__(self, model: Model, *, of_people: bool) -> None:
        self._model = model
        self._of_people = of_people

    def __call__(self, classes: Classes, failed: Mask, least: Ints) -> None:
        measured = self._model.measure(classes)
        found = ~self._model.holds(classes, measured)
        if not self._model.needs_every_class:
            found &= classes.sizes > 0
        failed |= found
        if not self._of_people:
            np.maximum(least, np.where(found, self._model.least_failing(classes, measured), 0), out=least)


def _table_holds(models: Sequence[Model], classes: Classes, failed: Mask) -> bool:
    """Whether models on the whole table hold of what is left after suppression."""
    if not models:
        return True
    kept = classes.where(~failed & (classes.sizes > 0))
    return all(bool(model.holds(kept, model.measure(kept)).all()) for model in models)


def members_of(problem: Problem, owners: Ints) -> Members:
    """The tuples of a problem's table as members of classes; those of no class have the owner −1."""
    table = problem.table
    codes: list[NDArray[np.int32]] = [leaf[table.codes[:, column]] for column, leaf in enumerate(problem.leaf_codes)]
    return Members(owners, np.array(codes, dtype=np.int32).T, table.counts, table.histograms, problem.hierarchies)
