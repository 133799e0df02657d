"""From a release and what was read back of it to what the report says."""

from __future__ import annotations

import itertools
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

import cobogo
from cobogo.data.classes import Classes
from cobogo.data.hierarchy import Hierarchy, Label
from cobogo.data.policy import Role
from cobogo.data.table.frequency import FrequencyTable, frequency_table
from cobogo.floor.representation import tiles
from cobogo.promises.models.check import ModelVerdict, check
from cobogo.publish.apply import apply
from cobogo.publish.recode.contract.problem import Problem
from cobogo.publish.recode.lattice.evaluate import Evaluator
from cobogo.publish.recode.lattice.walk import node_count
from cobogo.publish.recode.plan import LocalPlan, MarginalPlan
from cobogo.publish.recode.withhold import not_shown
from cobogo.tell.report import exposure
from cobogo.tell.report.content import (
    AttributeStory,
    Content,
    LatticeStory,
    RunnerUp,
    SensitiveStory,
)  # fmt: skip
from cobogo.tell.report.words import words

if TYPE_CHECKING:
    from cobogo.publish.result import Release

LATTICE_AT_MOST = 200
"""Nodes of a lattice that is drawn whole."""

VALUES_SHOWN = 15


def tell(release: Release, released: FrequencyTable, classes: Classes, verdicts: tuple[ModelVerdict, ...]) -> Content:
    """Everything a report shows: ``released``, ``classes`` (as the models see them) and ``verdicts`` come from the
    written file, not from the plan."""
    before, after = release.problem.table, released
    names = release.plan.attributes
    classes = classes.where(classes.sizes > 0)
    people = exposure.counted(release, classes)
    original = before.classes()
    original = original.where(original.sizes > 0)
    exposed = exposure.exposed(release, classes)
    tuples = _tuples(release, after)
    order = np.argsort(-after.counts[: len(people)], kind="stable")[: release.policy.report.largest_classes]
    return Content(
        source=Path(release.table.name).name,
        created=datetime.now().astimezone().isoformat(timespec="seconds"),
        summary=summary(release, classes, verdicts, exposed),
        metric=release.metric,
        attributes=tuple(_attribute(name, release, after, tuples) for name in release.table.columns),
        class_sizes=after.counts[: len(people)],
        largest=tuple((after.tuple_labels(int(number)), int(after.counts[number])) for number in order),
        quasi_identifiers=names if release.plan.shows_tuples else after.quasi_identifiers,
        risk_before=exposed.before,
        risk_after=exposed.after,
        threshold=release.policy.risk.threshold,
        telling=() if isinstance(release.plan, MarginalPlan) else exposure.telling(before, tuples),
        sensitive=tuple(
            SensitiveStory(
                name=name,
                worst_before=worst_inference(name, original),
                worst_after=worst_inference(name, classes),
                distinct_per_class=classes.histograms[name].known.distinct,
            )
            for name in release.policy.sensitive
        ),
        runners_up=tuple(
            RunnerUp(
                dict(zip(names, node.levels, strict=True)),
                node.value,
                int(node.outcome.suppressed),
                int(node.outcome.classes),
            )
            for node in release.solution.runners_up
            if node.outcome is not None
        ),
        lattice=None if release.solution.levels is None else _lattice(release.problem, release.solution.levels),
        warnings=release.warnings,
    )


def expected(release: Release) -> dict[str, Any]:
    """What report.json would hold, by the plan alone."""
    kept = release.plan.kept
    return summary(release, kept, check(release.problem.promised, kept), exposure.exposed(release, kept))


def figures(release: Release) -> str:
    """The key figures of a release, as HTML for a notebook."""
    say, found = words(release.policy.report.language), expected(release)
    share = found["suppressed"] / max(found["records"], 1)
    suppressed = "suppressed" if found["suppressed"] else "unsuppressed"
    shown: list[tuple[str, str, dict[str, object]]] = [
        ("records", say.number(found["records"]), {}),
        (suppressed, say.number(found["suppressed"]), {"share": say.percent(share)}),
        (
            "classes",
            say.number(found["classes"]["count"]),
            {"average": say.number(found["classes"]["average"], 3)},
        ),
        ("risk", say.percent(found["risk"]["after"]["highest"]), {}),
    ]
    if found["inference"]:
        worst = max(found["inference"], key=lambda name: found["inference"][name]["after"])
        shown.append(("inference", say.percent(found["inference"][worst]["after"]), {"attribute": worst}))
    notes = [f"{model} ✓" for model in release.problem.promised]
    tiles_shown = [(say(f"key.{key}"), value, say(f"key.{key}.why", **values)) for key, value, values in shown]
    return tiles(
        f"{release.solution.algorithm}, {release.metric} {say.number(release.solution.value)}", tiles_shown, notes
    )


def summary(
    release: Release, classes: Classes, verdicts: tuple[ModelVerdict, ...], exposed: exposure.Exposed
) -> dict[str, Any]:
    """What report.json holds; risks, inferences and verdicts are those of the classes given."""
    original = release.problem.table.classes()
    original = original.where(original.sizes > 0)
    kept = release.plan.kept_records
    recoding = release.policy.recoding
    return {
        "version": cobogo.__version__,
        "records": release.problem.scale.records,
        "suppressed": release.suppressed,
        **({"levels": release.levels} if release.levels else {"cells": level_shares(release)}),
        "classes": {
            "count": len(kept),
            "min": int(kept.min()),
            "average": float(kept.mean()),
            "max": int(kept.max()),
        },
        "metrics": release.metrics,
        "models": [verdict.as_dict() for verdict in verdicts],
        "search": {
            "algorithm": release.solution.algorithm,
            "metric": release.metric,
            "optimal": release.solution.optimal,
            "nodes": release.solution.nodes,
            "checked": release.solution.checked,
        },
        "policy": {
            "metric": recoding.metric,
            "suppression_limit": recoding.suppression_limit,
            "time_limit": recoding.time_limit,
            "suppressed": "star" if release.plan.star else "drop",
        },
        "risk": exposed.as_dict(),
        **({"withheld": _withheld(classes)} if release.problem.withholds else {}),
        "inference": {
            name: {"before": worst_inference(name, original), "after": worst_inference(name, classes)}
            for name in release.policy.sensitive
        },
        **({} if release.reported_utility is None else {"utility": release.reported_utility}),
        "warnings": list(release.warnings),
        "seconds": {
            stage: round(release.seconds.get(stage, 0.0), 4) for stage in ("read", "search", "apply", "verify", "write")
        },
    }


def _withheld(classes: Classes) -> dict[str, dict[str, float]]:
    """Of each attribute with withheld values: in how many classes and records, and the share of the likeliest value
    among all that the release does not show, which whoever knows the column's totals can have."""
    return {
        name: {
            "classes": int(hidden.sum()),
            "records": int(classes.sizes[hidden].sum()),
            "inference": worst_inference(name, not_shown(name, classes)),
        }
        for name, hidden in classes.withheld.items()
    }


def level_shares(release: Release) -> dict[str, list[float]]:
    """For each quasi-identifier, the share of the kept records that have it at each level of its hierarchy."""
    return release.plan.assignment.level_shares() if isinstance(release.plan, LocalPlan) else {}


def worst_inference(name: str, classes: Classes) -> float:
    """The share of the likeliest sensitive value in the class where that share is largest, of those who have one."""
    whole = classes.histograms[name]
    histogram, there = whole.known, np.maximum(classes.sizes - whole.unknown, 1)
    return float(np.minimum(histogram.counts / there[histogram.owners], 1.0).max(initial=0.0))


def _tuples(release: Release, after: FrequencyTable) -> FrequencyTable:
    """The release's quasi-identifiers, counted: where its classes are no tuples they are as before (of marginals,
    there is nothing else to show), or drawn."""
    if release.plan.shows_tuples:
        return after
    if not release.plan.hides_identity or isinstance(release.plan, MarginalPlan):
        return release.problem.table
    rows = replace(release.table, expression=apply(release.table, release.plan, release.plan.attributes))
    return frequency_table(rows, release.plan.attributes, [])


def _attribute(name: str, release: Release, after: FrequencyTable, tuples: FrequencyTable) -> AttributeStory:
    role = release.policy.attributes[name].role
    before = release.problem.table
    if role is not Role.QUASI_IDENTIFIER:
        known = role is Role.SENSITIVE
        return AttributeStory(
            name=name,
            role=role,
            distinct_before=len(before.domains[name].labels) if known else None,
            distinct_after=len(after.domains[name].labels) if known else None,
        )
    position = before.quasi_identifiers.index(name)
    hierarchy = release.problem.hierarchies[position]
    return AttributeStory(
        name=name,
        role=role,
        levels=_example_of_each_level(hierarchy, before, position),
        level=release.levels.get(name),
        shares=tuple(level_shares(release).get(name, ())),
        distinct_before=len(before.values[name]),
        distinct_after=len(tuples.values[name]),
        before=_most_frequent(before, position),
        after=_most_frequent(tuples, position),
    )


def _example_of_each_level(hierarchy: Hierarchy, table: FrequencyTable, position: int) -> tuple[str, ...]:
    """How the most frequent value looks at each level."""
    value = _most_frequent(table, position)[0][0]
    return tuple(str(hierarchy.generalize(value, level) or "") for level in range(hierarchy.height + 1))


def _most_frequent(table: FrequencyTable, position: int) -> tuple[tuple[Label, int], ...]:
    """The most frequent values of a quasi-identifier; what is left over makes one more entry, under no name."""
    marginal = table.marginal(position)
    labels = table.values[table.quasi_identifiers[position]]
    order = np.argsort(-marginal, kind="stable")
    return tuple((labels[number], int(marginal[number])) for number in order[:VALUES_SHOWN].tolist())


def _lattice(problem: Problem, chosen: tuple[int, ...]) -> LatticeStory | None:
    """Every node of a small lattice, checked."""
    if node_count(problem.lowest, problem.highest) > LATTICE_AT_MOST:
        return None
    evaluator = Evaluator(problem)
    ranges = [range(low, high + 1) for low, high in zip(problem.lowest, problem.highest, strict=True)]
    nodes = list(itertools.product(*ranges))
    return LatticeStory(
        attributes=tuple(h.attribute for h in problem.hierarchies),
        levels=np.array(nodes, dtype=np.int64),
        satisfied=np.array([evaluator.check(node).satisfied for node in nodes]),
        chosen=nodes.index(chosen),
    )
