"""Association rules and decision trees from randomized data, by counts that are corrected for the draws."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import combinations

import numpy as np

from cobogo.floor.arrays import Floats, Ints, Mask
from cobogo.promises.operators import Operator

Correction = Callable[[Ints], Floats]
"""Maps the released counts of the values of some records to the estimated original counts."""


def correction(operator: Operator) -> Correction:
    """Correct by the inverse of the operator; negative counts stay, because they are summed."""
    return lambda observed: operator.inverse(observed.astype(float))


def no_correction(observed: Ints) -> Floats:
    """The counts themselves, for values that were not randomized."""
    return observed.astype(float)


@dataclass(frozen=True)
class Rule:
    """Records with these values (column, code) tend to have a value of the randomized attribute."""

    condition: tuple[tuple[int, int], ...]
    value: int
    support: float  # share of all records that have both
    confidence: float  # share of those with the condition that have the value


def find_rules(
    columns: Ints,
    target: Ints,
    values: int,
    estimate: Correction,
    *,
    support: float,
    confidence: float,
    longest: int = 2,
) -> tuple[Rule, ...]:
    """Find association rules from conditions on columns released as they are to values of a randomized one.

    The records of a condition are known exactly; their values are estimated. A condition below the support has no
    extension above it, so its extensions are not tried (Agrawal and Srikant 1994).
    """
    records = len(target)
    least = support * records
    found: list[Rule] = []
    alone = [(c, v) for c in range(columns.shape[1]) for v in range(int(columns[:, c].max(initial=-1)) + 1)]
    masks: dict[tuple[tuple[int, int], ...], Mask] = {}
    for item in alone:
        mask = columns[:, item[0]] == item[1]
        if mask.sum() >= least:
            masks[item,] = mask
    frequent = [key[0] for key in masks]
    for length in range(2, longest + 1):
        for items in combinations(frequent, length):
            if len({c for c, _ in items}) == length and items[:-1] in masks:
                mask = masks[items[:-1]] & masks[items[-1],]
                if mask.sum() >= least:
                    masks[items] = mask
    for items, mask in masks.items():
        among = int(mask.sum())
        likely = estimate(np.bincount(target[mask], minlength=values))
        for value in np.flatnonzero((likely >= least) & (likely >= confidence * among)).tolist():
            found.append(Rule(items, value, float(likely[value]) / records, float(likely[value]) / among))
    return tuple(found)


@dataclass(frozen=True, eq=False, repr=False)
class DecisionTree:
    """A node of a decision tree: a column and a subtree for each of its values, or a leaf."""

    value: int
    column: int | None = None
    branches: dict[int, DecisionTree] = field(default_factory=dict)

    def predict(self, columns: Ints) -> Ints:
        """The likeliest value of each record."""
        found = np.full(len(columns), self.value, dtype=np.int64)
        for code, branch in self.branches.items():
            rows = np.flatnonzero(columns[:, self.column] == code)
            found[rows] = branch.predict(columns[rows])
        return found


def grow_tree(
    columns: Ints, target: Ints, values: int, estimate: Correction, *, deepest: int = 3, fewest: int = 200
) -> DecisionTree:
    """Grow a decision tree for a randomized attribute (Du and Zhan 2003).

    The records of a node are known exactly; the distribution of the attribute among them is estimated, and the gain of
    a split is computed from the estimates. Nodes of fewer than ``fewest`` records are leaves: estimates from fewer are
    mostly noise.
    """
    shares = _shares(target, values, estimate)
    leaf = DecisionTree(int(shares.argmax()))
    if deepest == 0 or len(target) < fewest:
        return leaf
    gains = [_gain(columns[:, c], target, values, estimate, shares, fewest) for c in range(columns.shape[1])]
    best = int(np.argmax(gains)) if gains else -1
    if best < 0 or gains[best] <= 1e-9:
        return leaf
    branches = {
        int(code): grow_tree(columns[rows], target[rows], values, estimate, deepest=deepest - 1, fewest=fewest)
        for code in np.unique(columns[:, best])
        if len(rows := np.flatnonzero(columns[:, best] == code)) >= fewest
    }
    return DecisionTree(leaf.value, best, branches)


def _shares(target: Ints, values: int, estimate: Correction) -> Floats:
    """The estimated distribution, with negative counts set to 0."""
    likely = np.clip(estimate(np.bincount(target, minlength=values)), 0, None)
    return np.asarray(likely / max(likely.sum(), 1e-12))


def _gain(column: Ints, target: Ints, values: int, estimate: Correction, shares: Floats, fewest: int) -> float:
    """The decrease of the Gini impurity."""
    inside = 0.0
    for code in np.unique(column):
        mine = target[column == code]
        part = _shares(mine, values, estimate) if len(mine) >= fewest else shares
        inside += len(mine) / len(target) * (1 - float((part**2).sum()))
    return 1 - float((shares**2).sum()) - inside


def accuracy(found: DecisionTree, columns: Ints, truth: Ints) -> float:
    """The share of records whose value is predicted right."""
    return float((found.predict(columns) == truth).mean())


def agreement(one: Sequence[Rule], other: Sequence[Rule]) -> tuple[float, float]:
    """Recall and precision of the second set of rules with respect to the first."""
    mine, theirs = ({(rule.condition, rule.value) for rule in some} for some in (one, other))
    both = len(mine & theirs)
    return both / max(len(mine), 1), both / max(len(theirs), 1)
