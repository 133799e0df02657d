"""What the models ask of the sensitive values of a class, as flat arrays for compiled kernels.

``violation`` is a distance, not a verdict: it also says which record would bring a class nearer to what is asked.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from cobogo.floor.arrays import Floats, Ints, Mask, Small
from cobogo.floor.kernels import kernel
from cobogo.promises.models.base import Scope
from cobogo.promises.models.l_diversity import TOLERANCE, LDiversity
from cobogo.promises.models.t_closeness import SLACK, TCloseness
from cobogo.publish.recode.contract.problem import Problem, looks_at_sizes
from cobogo.publish.recode.lattice.checks import earth_mover_tables

EARTH_MOVER, DISTINCT, ENTROPY, RECURSIVE = range(4)
"""The kinds of conditions that are compiled."""


class Conditions(NamedTuple):
    """The conditions on the values of a class, one beside the other; ``codes`` has the value of each combination."""

    kind: Ints
    bound: Floats  # t, l, the logarithm of l, or c
    codes: Ints  # conditions × combinations of sensitive values
    values: Ints
    rows: Ints  # of ``groups``; for recursive diversity its l
    places: Ints
    groups: Ints  # conditions × rows × values: the place of each value
    wholes: Floats  # conditions × rows × places: the whole table's share
    weight: Floats
    cumulative: Mask
    scratch: Floats


class _Condition(NamedTuple):
    kind: int
    bound: float
    codes: Small
    values: int
    rows: int
    groups: Ints
    wholes: Floats
    weight: float
    cumulative: bool


def compile_conditions(problem: Problem) -> Conditions | None:
    """The conditions on values of a problem's models, none where only sizes matter; None where a model has no compiled
    form, or where it is not known which sensitive values go with some of a tuple's records."""
    table = problem.table
    if table.people is not None or (table.joint is None and (table.histograms or table.label)):
        return None
    codes = {} if table.joint is None else dict(zip(table.joint.labels, table.joint.codes.T, strict=True))
    found = []
    for model in problem.models:
        if model.scope is Scope.CLASS and not looks_at_sizes(problem, model):
            condition = _condition(problem, model, codes)
            if condition is None:
                return None
            found.append(condition)
    return _stack(found, 1 if table.joint is None else len(table.joint.codes))


def _condition(problem: Problem, model: object, codes: Mapping[str, Small]) -> _Condition | None:
    if not isinstance(model, LDiversity | TCloseness):
        return None
    domain = problem.table.domains[model.attribute]
    if not model.counts_missing and domain.missing is not None:
        return None
    own, values = codes[model.attribute], len(domain)
    if isinstance(model, TCloseness):
        groups, wholes, weight = earth_mover_tables(model, domain)
        ordered = model.distance == "ordered"
        return _Condition(EARTH_MOVER, model.t + SLACK, own, values, len(groups), groups, wholes, weight, ordered)
    kind = {"distinct": DISTINCT, "entropy": ENTROPY}.get(model.kind, RECURSIVE)
    bound = {DISTINCT: float(model.l), ENTROPY: math.log(model.l) - TOLERANCE, RECURSIVE: float(model.c or 0)}[kind]
    nothing = np.zeros((1, values), dtype=np.int64)
    return _Condition(kind, bound, own, values, int(model.l), nothing, np.zeros((1, 1)), 0.0, cumulative=False)


def _stack(found: list[_Condition], combinations: int) -> Conditions:
    most = max((one.values for one in found), default=1)
    rows = max((len(one.groups) for one in found), default=1)
    places = max((one.wholes.shape[1] for one in found), default=1)
    groups, wholes = np.zeros((len(found), rows, most), dtype=np.int64), np.zeros((len(found), rows, places))
    for number, one in enumerate(found):
        groups[number, : len(one.groups), : one.groups.shape[1]] = one.groups
        wholes[number, : len(one.wholes), : one.wholes.shape[1]] = one.wholes
    return Conditions(
        kind=np.array([one.kind for one in found], dtype=np.int64),
        bound=np.array([one.bound for one in found], dtype=float),
        codes=np.array([one.codes for one in found], dtype=np.int64).reshape(len(found), combinations),
        values=np.array([one.values for one in found], dtype=np.int64),
        rows=np.array([one.rows for one in found], dtype=np.int64),
        places=np.array([one.wholes.shape[1] for one in found], dtype=np.int64),
        groups=groups,
        wholes=wholes,
        weight=np.array([one.weight for one in found], dtype=float),
        cumulative=np.array([one.cumulative for one in found], dtype=np.bool_),
        scratch=np.zeros(places),
    )


@kernel()
def add_value(asked, counts, value, number):  # type: ignore[no-untyped-def]
    """Count so many more records of a combination of values in a class."""
    for one in range(len(asked.kind)):
        counts[one, asked.codes[one, value]] += number


@kernel()
def violation(asked, counts, size):  # type: ignore[no-untyped-def]
    """How far a class of such counts is from what is asked, summed over the conditions; 0 where all hold."""
    found = 0.0
    for one in range(len(asked.kind)):
        if asked.kind[one] == EARTH_MOVER:
            found += max(0.0, _distance(asked, counts, size, one) - asked.bound[one])
        elif asked.kind[one] == DISTINCT:
            distinct = 0
            for value in range(asked.values[one]):
                distinct += counts[one, value] > 0
            found += max(0.0, asked.bound[one] - distinct)
        elif asked.kind[one] == ENTROPY:
            entropy = 0.0
            for value in range(asked.values[one]):
                if counts[one, value] > 0:
                    entropy -= counts[one, value] / size * np.log(counts[one, value] / size)
            found += max(0.0, asked.bound[one] - entropy)
        else:
            found += _lack_of_diversity(asked, counts, size, one)
    return found


@kernel()
def _distance(asked, counts, size, one):  # type: ignore[no-untyped-def]
    """The earth mover's distance between a class and the whole table."""
    distance = 0.0
    for row in range(asked.rows[one]):
        for place in range(asked.places[one]):
            asked.scratch[place] = 0.0
        for value in range(asked.values[one]):
            asked.scratch[asked.groups[one, row, value]] += counts[one, value]
        inside = 0.0
        for place in range(asked.places[one]):
            inside = inside + asked.scratch[place] if asked.cumulative[one] else asked.scratch[place]
            distance += abs(inside / size - asked.wholes[one, row, place])
    return distance * asked.weight[one]


@kernel()
def _lack_of_diversity(asked, counts, size, one):  # type: ignore[no-untyped-def]
    """For recursive diversity: by how much, of the class, the most frequent value is too frequent."""
    ordered = np.sort(counts[one, : asked.values[one]])[::-1]
    tail = 0
    for place in range(asked.rows[one] - 1, asked.values[one]):
        tail += ordered[place]
    if tail > 0 and ordered[0] < asked.bound[one] * tail:
        return 0.0
    return (ordered[0] - asked.bound[one] * tail + 1) / size
