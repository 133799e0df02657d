"""Checking nodes of the lattice: whether they satisfy the models, what they cost, and what follows for nodes below."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from cobogo.data.classes import Members
from cobogo.data.table.frequency import PeopleSets
from cobogo.examine.metrics import Outcome
from cobogo.examine.metrics.base import Bracketed, Floor
from cobogo.floor.arrays import Ints, Mask
from cobogo.promises.models import Classes, Model, Monotone, Scope
from cobogo.promises.models.check import failing_classes
from cobogo.publish.recode.contract.problem import Levels, Problem
from cobogo.publish.recode.contract.solution import Checked
from cobogo.publish.recode.lattice.blocks import Blocks, can_be_counted, inner_columns
from cobogo.publish.recode.lattice.checks import Form, compiled_form
from cobogo.publish.recode.lattice.sums import ClassSums, floor, outcome, spread, sum_classes, sum_sizes
from cobogo.publish.recode.lattice.tables import RolledTable, Tables
from cobogo.publish.recode.lattice.withhold import Withholding, withhold_values


@dataclass(frozen=True, eq=False, repr=False)
class EvaluatedNode:
    """A node with all its figures, solution or not: the classes that fail are counted as suppressed."""

    rolled: RolledTable
    gone: Mask  # the classes that are suppressed
    satisfied: bool
    outcome: Outcome
    value: float  # of the metric; not a number where nothing is left
    failing_records: int  # that are suppressed, or whose values are withheld

    @property
    def kept_classes(self) -> Mask:
        """The classes that are left."""
        return ~self.gone & (self.rolled.records > 0)


class Evaluator:
    """Checks nodes of one problem, keeping the tables that later checks can start from."""

    def __init__(
        self,
        problem: Problem,
        *,
        histograms: Sequence[str] | None = None,
        needs: Collection[str] | None = None,
        lean: bool = False,
    ) -> None:
        """``histograms``: the sensitive attributes to count; by default those that some model looks at.

        ``needs``: the optional fields of an outcome to fill; by default those that the metric needs. ``lean``: nodes
        are checked only to be compared, without sums of leaves where the metric makes nothing of them; see `complete`.
        """
        self.problem = problem
        self._needs = problem.metric.needs if needs is None else needs
        wanted = problem.histograms_needed if histograms is None else histograms
        self._bracketed = isinstance(problem.metric, Bracketed)
        self._leaves = not (lean and self._bracketed)
        self._of_people = problem.table.people is not None
        # Whether no class may be suppressed.
        self.strict = problem.limit == 0 or any(model.needs_every_class for model in problem.models)
        inner = inner_columns(problem) if lean and not self.strict and can_be_counted(problem) else []
        self._tables = Tables(problem, wanted, label="majority" in self._needs)
        self.blocks = Blocks(problem, inner) if inner else None
        of_classes = [model for model in problem.models if model.scope is Scope.CLASS]
        of_table = [model for model in problem.models if model.scope is Scope.TABLE]
        self._prunable = [self._model_check(model) for model in of_classes if self.rules_out(model)]
        self._others = [self._model_check(model) for model in of_classes if not self.rules_out(model)]
        self._conditions = [(model, self._model_check(model)) for model in of_classes] if problem.withholds else []
        self._prunable_of_table = [model for model in of_table if self.strict and self.rules_out(model)]
        self._other_of_table = [model for model in of_table if model not in self._prunable_of_table]
        self._least_size = problem.scale.k if problem.scale.small_only else None  # where nothing else is asked for
        self.checked = 0

    @property
    def can_prune(self) -> bool:
        """Whether a failing node may rule out those below it."""
        return bool(self._prunable or self._prunable_of_table)

    @property
    def closed_upwards(self) -> bool:
        """Whether every node above one that satisfies the policy satisfies it."""
        if self._others or self._other_of_table or (self.problem.withholds and not self.strict):
            return False
        return self.strict or all(m.monotone is Monotone.EVEN_WITH_SUPPRESSION for m in self.problem.models)

    def rules_out(self, model: Model) -> bool:
        """Whether a class that fails a model must have parts that fail it. Where people are counted, two classes may
        share people and counts do not add up, so that less follows."""
        return model.monotone is Monotone.EVEN_WITH_SUPPRESSION or (
            model.monotone is Monotone.WITHOUT_SUPPRESSION and not self._of_people
        )

    def _model_check(self, model: Model) -> Form:
        compiled = None if self._of_people else compiled_form(model, self.problem.table.domains)
        return compiled or _PlainForm(model, of_people=self._of_people)

    def check(self, levels: Levels) -> Checked:
        """Whether a node satisfies the models within the suppression limit, and what it costs."""
        self.checked += 1
        rolled = self.table(levels)
        if self._least_size is not None:
            return self._check_sizes(levels, rolled, self._least_size)
        classes = self.classes(rolled)
        if self.problem.withholds and not self.strict:
            return self._check_withholding(levels, rolled, classes)
        failed, least = np.zeros(len(rolled), dtype=np.bool_), np.zeros(len(rolled), dtype=np.int64)
        for check in self._prunable:
            check(classes, failed, least)
            if self._of_people:
                least[failed] = rolled.records[failed]
            if (doomed := int(least.sum())) > self.problem.limit:
                return self._hopeless(rolled, doomed)
        found = sum_classes(rolled, failed, least)
        if self._ruled_out(found, failed) or not _table_holds(self._prunable_of_table, classes, failed):
            return self._hopeless(rolled, found.suppressed)
        bounds = self._floor(rolled, found, least), self._spread(rolled)
        if self._others:
            for check in self._others:
                check(classes, failed, least)
            found = sum_classes(rolled, failed, least)
        if not self._within_limits(found, failed) or not _table_holds(self._other_of_table, classes, failed):
            return Checked(levels, False, False, None, np.nan, found.suppressed, *bounds)
        reached = outcome(rolled, failed, found, self._needs, leaves=self._leaves)
        value = float(self.problem.metric.value(reached, self.problem.scale))
        return Checked(levels, False, True, reached, value, found.suppressed, *bounds)

    def _check_sizes(self, levels: Levels, rolled: RolledTable, k: int) -> Checked:
        """`check` where k-anonymity is all that is asked for: what fails at a node fails below it, too."""
        found = sum_sizes(rolled, k, self.problem.limit)
        if found.suppressed > self.problem.limit or not found.classes:
            return self._hopeless(rolled, found.suppressed)
        failed = rolled.records < k
        least = np.where(failed, rolled.records, 0) if self._needs else rolled.records
        reached = outcome(rolled, failed, found, self._needs, leaves=self._leaves)
        value = float(self.problem.metric.value(reached, self.problem.scale))
        bounds = self._floor(rolled, found, least), self._spread(rolled)
        return Checked(levels, False, True, reached, value, found.suppressed, *bounds)

    def _check_withholding(self, levels: Levels, rolled: RolledTable, classes: Classes) -> Checked:
        """`check` where a class that fails for its sensitive values keeps its records without them. The limit counts
        suppressed records and those with withheld values; metrics count only the suppressed."""
        limit = self.problem.limit
        lost, least = np.zeros(len(rolled), dtype=np.bool_), np.zeros(len(rolled), dtype=np.int64)
        for model, check in self._conditions:
            if not model.attributes and self.rules_out(model):
                check(classes, lost, least)
        found = sum_classes(rolled, lost, least)
        bounds = self._floor(rolled, found, least), self._spread(rolled)
        for model, check in self._conditions:
            if model.attributes and self.rules_out(model):
                check(classes, lost, least)
        doomed = int(least.sum())
        if doomed > limit or found.doomed == self.problem.scale.records:
            return self._hopeless(rolled, doomed)
        settled = self.withholding(rolled, classes)
        if settled is None or not _table_holds(self._prunable_of_table + self._other_of_table, classes, settled.gone):
            return Checked(levels, False, False, None, np.nan, int(rolled.records[self.failing(rolled)].sum()), *bounds)
        reached = outcome(rolled, settled.gone, sum_classes(rolled, settled.gone), self._needs, leaves=self._leaves)
        value = float(self.problem.metric.value(reached, self.problem.scale))
        return Checked(levels, False, True, reached, value, settled.records(rolled.records), *bounds)

    def complete(self, node: Checked) -> Checked:
        """A satisfied node with all sums of its outcome."""
        return node if self._leaves else replace(node, outcome=self.evaluate(node.levels).outcome)

    def evaluate(self, levels: Levels) -> EvaluatedNode:
        """All figures of a node. (`check` stops as soon as a node is known to fail.)"""
        rolled = self.table(levels)
        classes = self.classes(rolled)
        gone, nothing = np.zeros(len(rolled), dtype=np.bool_), np.zeros(len(rolled), dtype=np.int64)
        settled = self.withholding(rolled, classes) if self.problem.withholds and not self.strict else None
        if settled is None:
            for check in (*self._prunable, *self._others):
                check(classes, gone, nothing)
        else:
            gone = settled.gone
        found = sum_classes(rolled, gone)
        possible = settled is not None or not self.problem.withholds or self.strict
        satisfied = (
            possible
            and self._within_limits(found, gone)
            and _table_holds(self._prunable_of_table + self._other_of_table, classes, gone)
        )
        reached = outcome(rolled, gone, found, self._needs)
        value = float(self.problem.metric.value(reached, self.problem.scale)) if found.classes else np.nan
        failing = found.suppressed if settled is None else settled.records(rolled.records)
        return EvaluatedNode(rolled, gone, satisfied, reached, value, failing)

    def withholding(self, rolled: RolledTable, classes: Classes) -> Withholding | None:
        """The classes that a node suppresses and the values that it withholds; None where that exceeds the limit."""
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
        return withhold_values(
            self.problem.models,
            classes,
            gone,
            failing,
            limit=self.problem.limit,
            order=lambda: np.argsort(np.lexsort(rolled.codes.T[::-1])),
        )

    def _floor(self, rolled: RolledTable, found: ClassSums, least: Ints) -> Floor:
        """What the nodes below lose; a bracketed metric does not ask under which leaves."""
        return floor(rolled, found, least, self._needs if self._bracketed else ("leaf_sums", *self._needs))

    def _spread(self, rolled: RolledTable) -> Outcome | None:
        """What bounds the nodes above a node, where the metric makes something of it."""
        return spread(rolled, self._needs) if self._bracketed else None

    def _hopeless(self, rolled: RolledTable, failing: int) -> Checked:
        """A node that fails with all below it. Where nothing may be lost, it is too fine to bound those above it."""
        above = None if self.strict else self._spread(rolled)
        return Checked(rolled.levels, True, False, None, np.nan, failing, None, above)

    def _ruled_out(self, found: ClassSums, failed: Mask) -> bool:
        """Whether too many records fail here and below, or all of them."""
        if self.strict and failed.any():
            return True
        return found.doomed > self.problem.limit or found.doomed == self.problem.scale.records

    def _within_limits(self, found: ClassSums, failed: Mask) -> bool:
        """Few enough records suppressed, something left, and no class lost that may not be."""
        if self.strict and failed.any():
            return False
        return found.suppressed <= self.problem.limit and found.classes > 0

    def classes(self, rolled: RolledTable) -> Classes:
        """The classes as the models see them: of people where the policy names a unit, of records otherwise."""
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

    def failing(self, rolled: RolledTable) -> Mask:
        """The classes that fail any model, which a release suppresses. An empty class does not fail."""
        return failing_classes(self.problem.models, self.classes(rolled)) & (rolled.records > 0)

    def outcome(self, rolled: RolledTable, failed: Mask) -> Outcome:
        """The sums that metrics are made of."""
        return outcome(rolled, failed, sum_classes(rolled, failed), self._needs)

    def table(self, levels: Levels) -> RolledTable:
        """The frequency table at a node."""
        return self._tables.table(levels)

    def stand_on(self, levels: Levels) -> None:
        """Prepare for checks of nodes in which one attribute is lower than at this one."""
        self._tables.stand_on(levels)


class _PlainForm:
    """The check of a model that has no compiled form."""

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
