"""What a recoding cost: the detail that each column keeps, whom suppression hit, and what would cost less.

*Detail* is the currency. A released value keeps all of it at level 0 and none at the top of its hierarchy; in between,
1 − (leaves below it − 1) / (all leaves − 1). A suppressed record keeps none. Of one column this is 1 minus its part of
the metric ``loss``; columns and recodings can be compared by it whatever metric was searched by.

Everything here is for the steward: it goes to the screen and to ``evidence/``, never to ``public/``.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from cobogo.data.policy.toml_file import toml_key
from cobogo.errors import CobogoError
from cobogo.examine.metrics.base import Outcome
from cobogo.floor.arrays import Floats, Ints
from cobogo.floor.language import Text, tr
from cobogo.publish.recode.algorithms import ALGORITHMS
from cobogo.publish.recode.contract.problem import Problem, sum_by_group
from cobogo.publish.recode.contract.solution import AnySolution, Assigned, Solution
from cobogo.publish.recode.plans.base import FullDomainPlan, LocalPlan, RecodingPlan
from cobogo.tell.report.content import NEARLY, Detail, RecodingCost, SuppressedGroup, Way

RARE = 1e-3
"""The chance, over all groups together, that one is named although suppression hit records at random."""

WORK = 6_000_000
"""Tuples that searches for cheaper recodings may look at beside a release, if each takes as long as its own did: some
0.1 s of CPU. It counts work and not time, so that the same table gets the same proposals. Where a search takes more,
`cobogo improve` does it instead."""

SMALL = 40_000
"""Tuples × quasi-identifiers up to which a local recoding is tried: some 60 ms of CPU."""

PATIENT = 100
"""A local recoding of a larger table is tried if it takes no longer than about a fifth of the search: it takes as long
for a tuple and a quasi-identifier as a search for some 20 tuples of a node (measured on 200,000 loans)."""

SECONDS = 1.0
"""Where a search gives up, if it takes far longer than the release's own."""

WORTH = 0.05
"""The detail, as a share of all, that a change must gain to be proposed."""

WORTH_LOCALLY = 0.02
"""The same beside a local recoding, which leaves less to gain: on three tables, one column less gained 4 % at most."""

LOCAL_WORK = 400_000
"""Tuples × quasi-identifiers that are divided beside a local recoding, over all tries: some 1.2 s of CPU."""

HEAVY = 5
"""How many times as much a column must count to come back. With 5, each of eight columns of a table of students kept 76
to 99 %, where 2 to 99 % were left."""

BROUGHT_BACK = 0.5
"""The share of its detail that a column must keep to be called brought back. Not tuned."""


def measure(problem: Problem, plan: RecodingPlan) -> RecodingCost | None:
    """What a plan costs; None where it releases no records with generalized quasi-identifiers."""
    if not plan.hides_identity or not plan.has_rows or plan.aggregated:
        return None
    kept = keep_shares(problem, plan.outcome)
    there = 1 - plan.suppressed_records / max(problem.scale.records, 1)
    details = tuple(
        Detail(name, float(share), float(share / there) if there else 0.0)
        for name, share in zip(plan.attributes, kept, strict=True)
    )
    return RecodingCost(details, tuple(_groups_hit(problem, plan)) if plan.suppressed_records else ())


def keep_shares(problem: Problem, outcome: Outcome) -> Floats:
    """For each quasi-identifier, the share of its detail that is kept, over all records."""
    leaves, records = problem.scale.leaves, problem.scale.records
    released = records - int(outcome.suppressed)
    kept = released * leaves - np.asarray(outcome.leaf_sums)
    return np.asarray(np.where(leaves > 1, kept / np.maximum(leaves - 1, 1), released) / max(records, 1))


def _mean(shares: Floats) -> float:
    return float(shares.mean()) if len(shares) else 0.0


def _groups_hit(problem: Problem, plan: RecodingPlan) -> Iterator[SuppressedGroup]:
    lost = lost_records(problem, plan)
    if lost is None:
        return
    found: list[tuple[float, SuppressedGroup]] = []
    table = problem.table
    tried = sum(len(table.values[name]) for name in table.quasi_identifiers)
    share = plan.suppressed_records / problem.scale.records
    for position, name in enumerate(table.quasi_identifiers):
        labels, codes = table.values[name], table.codes[:, position]
        whole = sum_by_group(codes, table.counts, len(labels))
        gone = sum_by_group(codes, lost, len(labels))
        for code in np.flatnonzero((gone > 1) & (gone > 2 * share * whole)).tolist():
            chance = tail_bound(int(gone[code]), int(whole[code]), share)
            if chance * tried < RARE:
                found.append((chance, SuppressedGroup(name, labels[code], int(whole[code]), int(gone[code]))))
    yield from (group for _, group in sorted(found, key=lambda one: (one[0], one[1].attribute)))


def lost_records(problem: Problem, plan: RecodingPlan) -> Ints | None:
    """How many records of each tuple of the problem's table a plan suppresses; None where the plan cannot tell."""
    if isinstance(plan, LocalPlan):
        given = plan.assignment
        gone = given.owners < 0
        return sum_by_group(given.tuples[gone], given.counts[gone], len(problem.table.counts))
    if not isinstance(plan, FullDomainPlan):
        return None
    codes, wanted = [], []
    for position, (hierarchy, leaf) in enumerate(zip(problem.hierarchies, problem.leaf_codes, strict=True)):
        level = plan.levels[hierarchy.attribute]
        number = {label: code for code, label in enumerate(hierarchy.labels[level])}
        codes.append(hierarchy.maps[level][leaf[problem.table.codes[:, position]]])
        wanted.append(np.array([number[labels[position]] for labels in plan.suppressed], dtype=np.int64))
    both = _pack([np.concatenate(pair).astype(np.int64) for pair in zip(codes, wanted, strict=True)])
    tuples = len(problem.table.counts)
    return np.where(np.isin(both[:tuples], both[tuples:]), problem.table.counts, 0)


def _pack(columns: list[Ints]) -> Ints:
    """One number for each row, equal where rows are."""
    packed = np.zeros(len(columns[0]), dtype=np.int64)
    for column in columns:
        width = int(column.max(initial=0)) + 1
        if int(packed.max(initial=0)) > (1 << 62) // width:
            packed = np.unique(packed, return_inverse=True)[1].astype(np.int64)
        packed = packed * width + column
    return packed


def tail_bound(hits: int, tries: int, chance: float) -> float:
    """At most this is the probability of so many hits or more, where each try hits with ``chance`` (Chernoff 1952).

    >>> tail_bound(52, 52, 0.05) < 1e-60, tail_bound(5, 100, 0.05)
    (True, 1.0)
    """
    share = hits / tries
    if share <= chance:
        return 1.0
    divergence = share * math.log(share / chance)
    if share < 1:
        divergence += (1 - share) * math.log((1 - share) / (1 - chance))
    return math.exp(-tries * divergence)


def propose(problem: Problem, solution: AnySolution) -> tuple[Way, ...]:
    """At most three changes that keep clearly more detail, the best first; beside a local recoding, those that bring
    back columns, too. Of other algorithms none: there is nothing at hand that says what a change would give."""
    if isinstance(solution, Assigned) and solution.algorithm == "local":
        return _propose_locally(problem, solution)
    if not isinstance(solution, Solution) or solution.chosen.outcome is None:
        return ()
    now = _mean(keep_shares(problem, solution.chosen.outcome))
    searches = WORK // max(solution.checked * len(problem.table.counts), 1)
    found = [*_try_local(problem, solution), *itertools.islice(_changes(problem, solution), searches)]
    worth = [way for way in found if way.kept is None or way.kept > now + WORTH]
    return tuple(sorted(worth, key=lambda way: -1.0 if way.kept is None else -way.kept)[:3])


def _changes(problem: Problem, solution: Solution) -> Iterator[Way]:
    """What changes of the problem would give, one search each: a higher limit, or one quasi-identifier less."""
    more = replace(problem, limit=min(max(2 * problem.limit, 1), problem.scale.records))
    share = more.limit / max(problem.scale.records, 1)
    yield from _searched(more, tr("twice as many records left out"), f"suppression-limit = {share:.3g}")
    order = np.argsort([-len(h.leaves) for h in problem.hierarchies], kind="stable").tolist()
    for position in order:
        hierarchy, level = problem.hierarchies[position], solution.levels[position]
        root = len(hierarchy.labels[-1]) == 1 and problem.highest[position] == hierarchy.height
        if root and level < hierarchy.height and len(problem.hierarchies) > 1:
            lowest = tuple(hierarchy.height if place == position else low for place, low in enumerate(problem.lowest))
            name = hierarchy.attribute
            yield from _searched(
                replace(problem, lowest=lowest),
                tr("without {name}", name=name),
                f'{toml_key(name)} = {{ role = "identifier" }}',
            )


def _searched(problem: Problem, what: Text, key: str) -> Iterator[Way]:
    """The best full-domain recoding of a changed problem, if there is one."""
    try:
        found = ALGORITHMS.find("optimal", "")(problem, time_limit=SECONDS)
    except CobogoError:
        return
    if isinstance(found, Solution) and found.chosen.outcome is not None:
        outcome = found.chosen.outcome
        kept = _mean(keep_shares(problem, outcome))
        yield Way(what, key, kept, int(outcome.suppressed), exact=found.optimal)


def _propose_locally(problem: Problem, solution: Assigned) -> tuple[Way, ...]:
    """One quasi-identifier less, and more weight for those of which hardly anything is left."""
    if problem.withholds:
        return ()
    now = keep_shares(problem, solution.assignment.outcome())
    size = len(problem.table.counts) * len(problem.hierarchies)
    tries = itertools.islice(_local_changes(problem, now), LOCAL_WORK // max(size, 1))
    found = [way for changed, change in tries if (way := _divide(changed, change, now)) is not None]
    return tuple(sorted(found, key=lambda way: -(way.kept or 0.0))[:3])


def _local_changes(problem: Problem, now: Floats) -> Iterator[tuple[Problem, Way]]:
    names = [h.attribute for h in problem.hierarchies]
    for place in [place for place in np.argsort(now, kind="stable").tolist() if now[place] < NEARLY][:2]:
        weights = tuple(w * HEAVY if n == place else w for n, w in enumerate(problem.weights))
        key = f"{toml_key(names[place])} = {{ …, weight = {weights[place]:g} }}"
        what = tr("{name} counts {times} times as much", name=names[place], times=HEAVY)
        yield replace(problem, weights=weights), Way(what, key, column=names[place], column_now=float(now[place]))
    for place in np.argsort([-len(h.leaves) for h in problem.hierarchies], kind="stable").tolist():
        hierarchy = problem.hierarchies[place]
        if len(hierarchy.labels[-1]) == 1 and problem.highest[place] == hierarchy.height and len(names) > 1:
            lowest = tuple(hierarchy.height if n == place else low for n, low in enumerate(problem.lowest))
            key = f'{toml_key(names[place])} = {{ role = "identifier" }}'
            yield replace(problem, lowest=lowest), Way(tr("without {name}", name=names[place]), key)


def _divide(problem: Problem, way: Way, now: Floats) -> Way | None:
    """What Mondrian, with which `local` begins, makes of a changed problem; None where it is not worth it."""
    try:
        found = ALGORITHMS.find("mondrian" if problem.table.joint is None else "mondrian-relaxed", "")(problem)
    except CobogoError:
        return None
    assert isinstance(found, Assigned)
    outcome = found.assignment.outcome()
    shares = keep_shares(problem, outcome)
    made = replace(way, kept=_mean(shares), suppressed=int(outcome.suppressed), about=True)
    if not way.column:
        return made if _mean(shares) > _mean(now) + WORTH_LOCALLY else None
    own = float(shares[problem.table.quasi_identifiers.index(way.column)])
    return replace(made, column_kept=own) if own > BROUGHT_BACK else None


def _try_local(problem: Problem, solution: Solution) -> Iterator[Way]:
    """What Mondrian keeps: `local` begins with it, and ends no worse. Without a figure where it would take long beside
    the search. The relaxed one may part records with equal quasi-identifiers, of which the sensitive values must then
    be known together."""
    what, key = tr("each record at its own levels"), 'algorithm = "local"'
    if problem.withholds:
        return
    tuples = len(problem.table.counts)
    if tuples * len(problem.hierarchies) > max(SMALL, solution.checked * tuples // PATIENT):
        yield Way(what, key)
        return
    try:
        found = ALGORITHMS.find("mondrian" if problem.table.joint is None else "mondrian-relaxed", "")(problem)
    except CobogoError:
        return
    assert isinstance(found, Assigned)
    outcome = found.assignment.outcome()
    yield Way(what, key, _mean(keep_shares(problem, outcome)), int(outcome.suppressed))
