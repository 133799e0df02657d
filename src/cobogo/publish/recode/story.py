"""The content of the report of a recoding, from the plan and from what was read back."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Sequence
from datetime import datetime
from operator import le
from pathlib import Path
from typing import Any

import numpy as np

import cobogo
from cobogo.data.classes import Classes
from cobogo.data.hierarchy import Hierarchy, Label
from cobogo.data.policy import Role
from cobogo.data.table.frequency import FrequencyTable
from cobogo.floor.language import speech
from cobogo.floor.representation import tiles
from cobogo.promises.models.check import ModelVerdict, check
from cobogo.publish.recode.contract.problem import Levels, Problem
from cobogo.publish.recode.lattice.evaluate import Evaluator
from cobogo.publish.recode.lattice.walk import node_count
from cobogo.publish.recoding import AnonymizedRelease, Recoded, RecodedReadBack
from cobogo.tell.report import exposure
from cobogo.tell.report import write as reports
from cobogo.tell.report.content import (
    AttributeStory,
    Content,
    LatticeStory,
    RunnerUp,
    SensitiveStory,
)  # fmt: skip
from cobogo.tell.report.labels import KEY, KEY_WHY, describe_way

LATTICE_AT_MOST = 200
"""Nodes of a lattice that is drawn whole."""

VALUES_SHOWN = 15


def write_report(release: AnonymizedRelease, read: RecodedReadBack, evidence: Path) -> None:
    """Write the report of a recoding: ``report.json``, ``report.html`` and ``plots/*.png``."""
    reports.write(content(release, read), evidence, language=release.origin.language)


def content(release: AnonymizedRelease, read: RecodedReadBack) -> Content:
    """The content of a report. Figures of the release come from the written file, not from the plan."""
    recoded = release.transformation
    policy, plan, problem = recoded.policy, recoded.plan, recoded.problem
    before, after, names = problem.table, read.released, plan.attributes
    classes = read.classes.where(read.classes.sizes > 0)
    people = plan.people(classes)
    original = before.classes()
    original = original.where(original.sizes > 0)
    exposed = _exposure(recoded, classes)
    tuples = plan.tuples(after, before, recoded.table)
    sizes = people.sizes if plan.counterfeits else after.counts[: len(people)]
    order = np.argsort(-sizes, kind="stable")[: policy.report.largest_classes]
    return Content(
        source=Path(release.table.name).name,
        created=datetime.now().astimezone().isoformat(timespec="seconds"),
        summary=summary(release, classes, read.verdict.models, exposed) | _cost_summary(recoded),
        metric=recoded.metric,
        attributes=tuple(_attribute(name, recoded, after, tuples) for name in recoded.table.columns),
        class_sizes=sizes,
        largest=tuple((after.tuple_labels(int(number)), int(sizes[number])) for number in order),
        quasi_identifiers=names if plan.shows_tuples else after.quasi_identifiers,
        risk_before=exposed.before,
        risk_after=exposed.after,
        threshold=policy.risk.threshold,
        separations=exposure.separations(before, tuples) if plan.has_rows else (),
        sensitive=tuple(
            SensitiveStory(
                name=name,
                title=policy.attributes[name].title or "",
                worst_before=exposure.worst_inference(name, original),
                worst_after=exposure.worst_inference(name, classes),
                distinct_per_class=classes.histograms[name].known.distinct,
                baseline=exposure.baseline_inference(name, classes),
            )
            for name in policy.sensitive
        ),
        runners_up=tuple(
            RunnerUp(
                dict(zip(names, node.levels, strict=True)),
                node.value,
                int(node.outcome.suppressed),
                int(node.outcome.classes),
            )
            for node in recoded.solution.runners_up
            if node.outcome is not None
        ),
        lattice=None if recoded.solution.levels is None else _lattice(problem, recoded.solution.levels),
        cost=recoded.cost,
        ways=recoded.ways,
        counts_people=policy.data.unit is not None,
        warnings=release.warnings,
    )


def planned_summary(release: AnonymizedRelease) -> dict[str, Any]:
    """The summary of report.json as the plan predicts it, before anything is written."""
    recoded = release.transformation
    kept = recoded.plan.kept
    return summary(release, kept, check(recoded.problem.promised, kept), _exposure(recoded, kept))


def figures(release: AnonymizedRelease) -> str:
    """The key figures of a release, as HTML for a notebook."""
    say, found = speech(release.origin.language), planned_summary(release)
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
    cost = release.transformation.cost
    if cost is not None and (gone := [one.name for one in cost.details if one.nearly_withheld]):
        notes.append(say("Withheld, or nearly so: {names}", names=", ".join(gone)))
    if cost is not None:
        notes += [
            say("Try {change}: {effect}", change=way.key, effect=describe_way(way, cost.kept, say))
            for way in release.transformation.ways
        ]
    tiles_shown = [(say(KEY[key]), value, say(KEY_WHY[key], **values)) for key, value, values in shown]
    return tiles(
        f"{release.solution.algorithm}, {release.metric} {say.number(release.solution.value)}", tiles_shown, notes
    )


def summary(
    release: AnonymizedRelease, classes: Classes, verdicts: tuple[ModelVerdict, ...], exposed: exposure.Exposure
) -> dict[str, Any]:
    """The content of report.json; risks, inferences and verdicts are those of the classes given."""
    recoded = release.transformation
    original = recoded.problem.table.classes()
    original = original.where(original.sizes > 0)
    kept = recoded.plan.kept_records
    recoding = recoded.policy.recoding
    return {
        "version": cobogo.__version__,
        "records": recoded.problem.scale.records,
        "suppressed": recoded.suppressed,
        **({"counterfeits": recoded.plan.counterfeits} if recoded.plan.counterfeits else {}),
        **({"levels": recoded.levels} if recoded.levels else {"cells": recoded.plan.level_shares()}),
        "classes": {
            "count": len(kept),
            "min": int(kept.min()),
            "average": float(kept.mean()),
            "max": int(kept.max()),
        },
        "metrics": recoded.metrics,
        "models": [verdict.as_dict() for verdict in verdicts],
        "search": {
            "algorithm": recoded.solution.algorithm,
            "metric": recoded.metric,
            "optimal": recoded.solution.optimal,
            **({} if recoded.solution.bound is None else {"bound": recoded.solution.bound}),
            **({} if recoded.solution.gap is None else {"gap": recoded.solution.gap}),
            "nodes": recoded.solution.nodes,
            "checked": recoded.solution.checked,
        },
        "policy": {
            "metric": recoding.metric,
            "suppression_limit": recoding.suppression_limit,
            "time_limit": recoding.time_limit,
            "suppressed": "star" if recoded.plan.star else "drop",
        },
        "risk": exposed.as_dict(),
        **({"withheld": _withheld_summary(classes)} if recoded.problem.withholds else {}),
        "inference": {
            name: {
                "before": exposure.worst_inference(name, original),
                "after": exposure.worst_inference(name, classes),
                "baseline": exposure.baseline_inference(name, classes),
            }
            for name in recoded.policy.sensitive
        },
        **({} if recoded.reported_utility is None else {"utility": recoded.reported_utility}),
        "warnings": list(release.warnings),
        "seconds": {
            stage: round(release.seconds.get(stage, 0.0), 4) for stage in ("read", "search", "apply", "verify", "write")
        },
    }


def _cost_summary(recoded: Recoded) -> dict[str, Any]:
    """What the recoding cost, and what would cost less, for report.json. Values of groups are on the page alone."""
    cost = recoded.cost
    if cost is None:
        return {}
    hit = Counter(group.attribute for group in cost.groups)
    return {
        "detail": {one.name: round(one.kept, 6) for one in cost.details},
        "withheld_columns": [one.name for one in cost.details if one.withheld],
        "suppressed_groups": dict(hit),
        "alternatives": [
            {"change": way.key, "detail": way.kept, "suppressed": way.suppressed, "exact": way.exact}
            | ({"column": way.column, "column_detail": way.column_kept} if way.column else {})
            for way in recoded.ways
        ],
    }


def _withheld_summary(classes: Classes) -> dict[str, dict[str, float]]:
    """For each attribute with withheld values: in how many classes and records, and the share of the most frequent
    value among all that the release does not show, which an attacker who knows the column's totals can compute."""
    return {
        name: {
            "classes": int(hidden.sum()),
            "records": int(classes.sizes[hidden].sum()),
            "inference": exposure.worst_inference(name, classes.hidden_values(name)),
        }
        for name, hidden in classes.withheld.items()
    }


def _exposure(recoded: Recoded, classes: Classes) -> exposure.Exposure:
    """The risk before, and after where identities are hidden."""
    people = recoded.plan.people(classes).sizes if recoded.plan.hides_identity else None
    return exposure.measure_exposure(recoded.policy, recoded.problem.table.classes(), people)


def _attribute(name: str, recoded: Recoded, after: FrequencyTable, tuples: FrequencyTable) -> AttributeStory:
    role, title = recoded.policy.attributes[name].role, recoded.policy.attributes[name].title or ""
    before = recoded.problem.table
    if role is not Role.QUASI_IDENTIFIER:
        known = role is Role.SENSITIVE
        return AttributeStory(
            name=name,
            role=role,
            title=title,
            distinct_before=len(before.domains[name].labels) if known else None,
            distinct_after=len(after.domains[name].labels) if known else None,
        )
    position = before.quasi_identifiers.index(name)
    hierarchy = recoded.problem.hierarchies[position]
    return AttributeStory(
        name=name,
        role=role,
        title=title,
        levels=_example_of_each_level(hierarchy, before, position),
        level=recoded.levels.get(name),
        shares=tuple(recoded.plan.level_shares().get(name, ())),
        distinct_before=len(before.values[name]),
        distinct_after=len(tuples.values[name]),
        before=_most_frequent(before, position),
        after=_most_frequent(tuples, position),
    )


def _example_of_each_level(hierarchy: Hierarchy, table: FrequencyTable, position: int) -> tuple[str, ...]:
    """The most frequent value at each level; a missing one only where there is no other."""
    frequent = [value for value, _ in _most_frequent(table, position)]
    value = next((value for value in frequent if value is not None), None)
    return tuple(str(hierarchy.generalize(value, level) or "") for level in range(hierarchy.height + 1))


def _most_frequent(table: FrequencyTable, position: int) -> tuple[tuple[Label, int], ...]:
    """The most frequent values of a quasi-identifier, with their records."""
    marginal = table.marginal(position)
    labels = table.values[table.quasi_identifiers[position]]
    order = np.argsort(-marginal, kind="stable")
    return tuple((labels[number], int(marginal[number])) for number in order[:VALUES_SHOWN].tolist())


def _lattice(problem: Problem, chosen: tuple[int, ...]) -> LatticeStory | None:
    """Every node of a small lattice, checked."""
    if node_count(problem.lowest, problem.highest) > LATTICE_AT_MOST:
        return None
    ranges = [range(low, high + 1) for low, high in zip(problem.lowest, problem.highest, strict=True)]
    nodes = list(itertools.product(*ranges))
    return LatticeStory(
        attributes=tuple(h.attribute for h in problem.hierarchies),
        levels=np.array(nodes, dtype=np.int64),
        satisfied=np.array(_satisfied(Evaluator(problem), nodes)),
        chosen=nodes.index(chosen),
    )


def _satisfied(evaluator: Evaluator, nodes: Sequence[Levels]) -> list[bool]:
    """Whether each node satisfies the models, of nodes in ascending order. What must fail below a node is not checked:
    its tables are the largest."""
    found, hopeless = [], list[Levels]()
    for node in reversed(nodes):
        checked = None if any(all(map(le, node, above)) for above in hopeless) else evaluator.check(node)
        if checked is not None and checked.hopeless:
            hopeless.append(node)
        found.append(checked is not None and checked.satisfied)
    return found[::-1]
