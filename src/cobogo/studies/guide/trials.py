"""What the guide tries beside its releases: the lattice without suppression, and attacks on one table and on two."""

from __future__ import annotations

import itertools
from collections.abc import Container, Iterator, Mapping, Sequence
from pathlib import Path

from cobogo.data.policy import Data, Policy, Role
from cobogo.data.table.frequency import frequency_table
from cobogo.data.table.read import read
from cobogo.examine import attacks
from cobogo.publish.anonymize import Prepared
from cobogo.publish.recode.lattice.evaluate import Evaluator
from cobogo.publish.recode.lattice.walk import node_count
from cobogo.studies.guide.policies import GuideRoles
from cobogo.studies.guide.results import (
    RELEASES,
    ColumnChange,
    GuideCase,
    GuideNode,
    GuideResult,
    LinkageTrial,
    PairTrial,
    Remainder,
)

MOST_NODES = 36
"""Nodes of a lattice that are listed one by one, a screenful. The guide's lattice has nine."""


def list_nodes(prepared: Prepared) -> Iterator[GuideNode]:
    """The nodes of the lattice from the finest to the coarsest, or the coarsest alone where there are many."""
    problem = prepared.problem
    ranges = [range(least, most + 1) for least, most in zip(problem.lowest, problem.highest, strict=True)]
    many = node_count(problem.lowest, problem.highest) > MOST_NODES
    nodes = [problem.highest] if many else sorted(itertools.product(*ranges), key=lambda levels: (sum(levels), levels))
    evaluator = Evaluator(problem, histograms=prepared.policy.sensitive)
    for levels in nodes:
        classes = evaluator.classes(evaluator.table(levels))
        diversity = [int(classes.histograms[name].known.distinct.min()) for name in prepared.policy.sensitive]
        yield GuideNode(levels, len(classes.sizes), int(classes.sizes.min()), min(diversity, default=None))


def list_changes(
    prepared: Prepared, roles: GuideRoles, file: Path, levels: Mapping[str, int]
) -> Iterator[ColumnChange]:
    """What becomes of each column in the release whose data file this is."""
    rules, problem = prepared.policy, prepared.problem
    names = rules.quasi_identifiers
    released = frequency_table(read(file, Data(separator=rules.data.separator, encoding="utf-8")), names, [])
    for name in prepared.table.columns:
        role, reason = rules.attributes[name].role, roles.reasons.get(name)
        if role is not Role.QUASI_IDENTIFIER:
            yield ColumnChange(name, role, reason=reason)
            continue
        place = names.index(name)
        tree, table = problem.hierarchies[place], problem.table
        usual = int(table.marginal(place).argmax())
        chain = (
            table.values[name][usual],
            tree.labels[levels[name]][tree.maps[levels[name]][problem.leaf_codes[place][usual]]],
        )
        yield ColumnChange(name, role, len(table.values[name]), len(released.values[name]), chain, reason)


def link_releases(
    stage: Path, data: Path, chosen: GuideCase, achieved: Container[GuideCase], rules: Policy
) -> dict[GuideCase | None, LinkageTrial]:
    """Record linkage in the original table (None), in the release of k alone, and in the one that is given away."""
    tried = dict.fromkeys(case for case in (GuideCase(chosen.k), chosen) if case in achieved)
    return {None: _link(data, data, rules)} | {case: _link(stage / RELEASES / case.name, data, rules) for case in tried}


def _link(release: Path, data: Path, rules: Policy) -> LinkageTrial:
    """Record linkage by an attacker who knows the quasi-identifiers of everybody in the original table."""
    found = attacks.attack(
        "record-linkage",
        release,
        knowledge=data,
        policy=rules,
        separator=rules.data.separator,
        columns=rules.quasi_identifiers,
    )
    return LinkageTrial(len(found.exposed), found.highest)


def subtract_releases(stage: Path, results: Sequence[GuideResult], rules: Policy) -> PairTrial | None:
    """The two releases that expose most people together.

    Two releases at one node differ by whole classes, none of them small: only pairs at different nodes are tried. Of
    the releases at a node the first is taken, which suppresses fewest records.
    """
    first: dict[tuple[int, ...], GuideCase] = {}
    for result in results:
        if result.report is not None:
            first.setdefault(tuple(result.report["levels"].values()), result.case)
    pairs = itertools.combinations(first.values(), 2)
    return max((_subtract(stage, *pair, rules) for pair in pairs), key=lambda pair: pair.exposed, default=None)


def _subtract(stage: Path, one: GuideCase, other: GuideCase, rules: Policy) -> PairTrial:
    """Subtract two releases from each other, and find the classes in which one person is left."""
    case = attacks.open_case([stage / RELEASES / pair.name for pair in (one, other)], policy=rules)
    found = attacks.run(attacks.build("differencing", {}), case)
    side = int(found.rows_of.removeprefix("release ")) - 1
    groups = case.releases[side].rows.group(rules.quasi_identifiers)
    labels = [case.releases[side].rows.labels(name) for name in groups.names]
    left = [
        Remainder(
            tuple(known[code] for known, code in zip(labels, groups.codes[number].tolist(), strict=True)),
            int(groups.sizes[number]),
        )
        for number in groups.ids[found.exposed - 1].tolist()
    ]
    minuend, subtrahend = (one, other) if side == 0 else (other, one)
    return PairTrial(minuend, subtrahend, tuple(sorted(left, key=lambda one: tuple(map(str, one.values)))))
