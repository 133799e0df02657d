"""How far one person moves the figures of an answer."""

from __future__ import annotations

from cobogo.answer.plan import Exact, ExactMeasurement, QueryPlan


def distances(one: Exact, other: Exact, plan: QueryPlan) -> dict[ExactMeasurement, list[int]]:
    """For each measurement, by how much its figure differs in each group where it does."""
    found: dict[ExactMeasurement, list[int]] = {}
    for measurement in plan.measurements:
        groups = one[measurement].keys() | other[measurement].keys()
        if measurement.kind == "ranks":  # what a score is made of: rows below and above, at most so many of a person
            pairs = [(one[measurement].get(g, []), other[measurement].get(g, [])) for g in groups]
            changes = [sum(abs(a - b) for a, b in _padded(x, y)) for x, y in pairs]
        else:
            changes = [abs(one[measurement].get(g, 0) - other[measurement].get(g, 0)) for g in groups]
        found[measurement] = [change for change in changes if change]
    return found


def _padded(x: list[int], y: list[int]) -> list[tuple[int, int]]:
    size = max(len(x), len(y))
    return list(zip(x + [0] * (size - len(x)), y + [0] * (size - len(y)), strict=True))


def within(one: Exact, other: Exact, plan: QueryPlan) -> None:
    """Each figure moves by no more than its sensitivity, and all of them together by no more than noise is made for."""
    groups = plan.groups_of_a_person
    for measurement, changes in distances(one, other, plan).items():
        ranks = plan.stability * plan.rows_of_a_person
        bound = ranks if measurement.kind == "ranks" else plan.sensitivity(measurement)
        assert len(changes) <= groups * plan.stability
        assert all(change <= bound for change in changes), (measurement, changes, bound)
        assert sum(changes) <= groups * bound
        assert sum(change**2 for change in changes) <= groups * bound**2
