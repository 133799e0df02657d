"""Counting queries: what the randomized release answers, and what generalization and anatomy would."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from cobogo.data.policy import Policy
from cobogo.data.table.frequency import FrequencyTable, frequency_table
from cobogo.data.table.read import Table
from cobogo.publish.randomize.estimate import counts
from cobogo.publish.randomize.estimate.rivals import rivals
from cobogo.publish.randomize.estimate.workload import Query, errors, queries
from cobogo.release.contract import Row, Section

if TYPE_CHECKING:
    from cobogo.publish.randomize.columns import Columns, Drawn
    from cobogo.tell.report.words import Words


def compared(made: Columns, before: Table, after: Table, say: Words) -> tuple[Section, dict[str, Any]] | None:
    """The errors of counting queries, ours and the rivals'."""
    policy: Policy = made.policy
    (part, *more) = made.drawn
    if more or len(part.values) > 1 or not policy.quasi_identifiers or policy.utility is None:
        return None
    name = part.names[0]
    quasi = policy.quasi_identifiers
    original = frequency_table(before, quasi, [name])
    released = frequency_table(after, quasi, [name])
    confidence = min((getattr(g, "rho2", 0.5) for g in made.guarantees), default=0.5)
    asked = list(queries(original, name, policy.utility.queries, policy.utility.selectivity, policy.utility.seed))
    answers: dict[str, Callable[[Query], float] | None] = {"randomization": _answer(part, original, released, name)}
    why = {}
    for rival in rivals(before, policy, name, confidence):
        answers[rival.name] = rival.answer
        why[rival.name] = rival.why
    summary: dict[str, Any] = {"queries": len(asked), "confidence": confidence}
    rows: list[Row] = []
    for rival_name, answer in answers.items():
        label = say(f"randomized.rival.{rival_name}")
        if answer is None:
            summary[rival_name] = {"median": None, "why": why[rival_name]}
            rows.append([label, None, None])
            continue
        found = errors(original, name, asked, answer)
        summary[rival_name] = {"median": float(np.median(found)), "mean": float(found.mean())}
        rows.append([label, float(np.median(found)), float(found.mean())])
    header = [say("randomized.release"), say("randomized.median"), say("randomized.mean")]
    lead = say("randomized.rivals.why", share=say.percent(confidence), n=len(asked))
    return Section(say("randomized.rivals"), lead, header, rows), summary


def _answer(part: Drawn, original: FrequencyTable, released: FrequencyTable, name: str) -> Callable[[Query], float]:
    """What the randomized release answers: the estimate. Its tuples and values are coded as the original's."""
    values, operator = part.values[0], part.operator
    histogram = released.histograms[name]
    columns = []
    for place, quasi in enumerate(original.quasi_identifiers):
        known = {label: code for code, label in enumerate(original.values[quasi])}
        lookup = np.array([known[label] for label in released.values[quasi]], dtype=np.int64)
        columns.append(lookup[released.codes[:, place]])
    codes = np.array(columns).T
    places = values.places
    ours = np.array([places[label] for label in histogram.domain.labels], dtype=np.int64)[histogram.values]
    theirs = np.array([places[label] for label in original.histograms[name].domain.labels], dtype=np.int64)

    def answer(query: Query) -> float:
        inside = query.matching(codes)[histogram.owners]
        observed = np.bincount(ours[inside], histogram.counts[inside], operator.size).astype(np.int64)
        return counts.count(operator, observed, theirs[query.sensitive].tolist()).count

    return answer
