"""How useful a randomized release is.

Counting queries are compared with the answers of generalization and anatomy; trees and rules mined from the release
with those of the original.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from cobogo.data.policy import Policy
from cobogo.data.table.columns import load_coded_columns
from cobogo.data.table.frequency import FrequencyTable, frequency_table
from cobogo.data.table.read import Table
from cobogo.floor.arrays import Ints
from cobogo.floor.language import tr
from cobogo.publish.randomize.estimate import counts, mining
from cobogo.publish.randomize.estimate.queries import CountingQuery, build_rivals, draw_queries, relative_errors
from cobogo.release.drawn import Row, Section

if TYPE_CHECKING:
    from cobogo.floor.language import Speech
    from cobogo.publish.randomize.columns import RandomizedAttributes, RandomizedColumns

RANDOMIZED_RIVAL = {
    "randomization": tr("this one"),
    "generalization": tr("generalization, (α, k)-anonymous"),
    "anatomy": tr("anatomy"),
}

RANDOMIZED_MINED = {
    "source": tr("mined"),
    "accuracy": tr("accuracy of the tree"),
    "recalled": tr("rules found"),
    "precise": tr("of those found, right"),
    "original": tr("the original"),
    "corrected": tr("the release, corrected"),
    "naive": tr("the release as it is"),
}


def compare_queries(
    made: RandomizedColumns, before: Table, after: Table, say: Speech
) -> tuple[Section, dict[str, Any]] | None:
    """The errors of counting queries on this release and on its rivals."""
    policy: Policy = made.policy
    (part, *more) = made.drawn
    if more or len(part.values) > 1 or not policy.quasi_identifiers or policy.utility is None:
        return None
    name = part.names[0]
    quasi = policy.quasi_identifiers
    original = frequency_table(before, quasi, [name])
    released = frequency_table(after, quasi, [name])
    confidence = min((getattr(g, "rho2", 0.5) for g in made.guarantees), default=0.5)
    asked = list(draw_queries(original, name, policy.utility.queries, policy.utility.selectivity, policy.utility.seed))
    answers: dict[str, Callable[[CountingQuery], float] | None] = {
        "randomization": _answer(part, original, released, name)
    }
    why = {}
    for rival in build_rivals(before, policy, name, confidence):
        answers[rival.name] = rival.answer
        why[rival.name] = rival.why
    summary: dict[str, Any] = {"queries": len(asked), "confidence": confidence}
    rows: list[Row] = []
    for rival_name, answer in answers.items():
        label = say(RANDOMIZED_RIVAL[rival_name])
        if answer is None:
            summary[rival_name] = {"median": None, "why": why[rival_name]}
            rows.append([label, None, None])
            continue
        found = relative_errors(original, name, asked, answer)
        summary[rival_name] = {"median": float(np.median(found)), "mean": float(found.mean())}
        rows.append([label, float(np.median(found)), float(found.mean())])
    header = [say("release"), say("median error"), say("mean error")]
    lead = say(
        "Relative errors of {n} random counting queries, against releases in which no value of a person "
        "is known with more than {share}.",
        share=say.percent(confidence),
        n=len(asked),
    )
    return Section(say("Counting queries, at equal privacy"), lead, header, rows), summary


def _answer(
    part: RandomizedAttributes, original: FrequencyTable, released: FrequencyTable, name: str
) -> Callable[[CountingQuery], float]:
    """The answers of the randomized release. Its tuples and values are coded as those of the original."""
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

    def answer(query: CountingQuery) -> float:
        inside = query.matching(codes)[histogram.owners]
        observed = np.bincount(ours[inside], histogram.counts[inside], operator.size).astype(np.int64)
        return counts.count(operator, observed, theirs[query.sensitive].tolist()).count

    return answer


MOST = 60_000
"""Records of each table that are mined: enough to know a share to ±0.4 %. Time grows with it."""

SUPPORT, CONFIDENCE = 0.01, 0.3


def compare_mining(
    made: RandomizedColumns, before: Table, after: Table, say: Speech
) -> tuple[Section, dict[str, Any]] | None:
    """Compare a decision tree and association rules from quasi-identifiers to the one randomized attribute.

    They are mined from the original, from the release with corrected counts, and from the release without correction.
    Trees are scored on the original's records: shallow trees with large leaves cannot overfit them much.
    """
    quasi, (part, *more) = list(made.policy.quasi_identifiers), made.drawn
    if more or len(part.values) > 1 or not quasi:
        return None
    values, operator = part.values[0], part.operator
    columns, target = _encode(before, quasi, values.attribute, values.places)
    released, shown = _encode(after, quasi, values.attribute, values.places)
    try:
        corrected = mining.correction(operator)
        corrected(np.ones(operator.size, dtype=np.int64))
    except ValueError:  # values that are released alike cannot be told apart again
        return None
    sides = {
        "original": (columns, target, mining.no_correction),
        "corrected": (released, shown, corrected),
        "naive": (released, shown, mining.no_correction),
    }
    true = _rules(columns, target, operator.size, mining.no_correction)
    summary: dict[str, Any] = {"rules": len(true)}
    rows: list[Row] = []
    for name, (known, labels, estimate) in sides.items():
        tree = mining.grow_tree(known, labels, operator.size, estimate)
        right = mining.accuracy(tree, columns, target)
        recalled, precise = mining.agreement(true, _rules(known, labels, operator.size, estimate))
        summary[name] = {"accuracy": right, "recalled": recalled, "precise": precise}
        rows.append([say(RANDOMIZED_MINED[name]), right, recalled, precise])
    heads = [say(RANDOMIZED_MINED[key]) for key in ("source", "accuracy", "recalled", "precise")]
    lead = say(
        "A decision tree for “{attribute}”, judged by original records, and the {n} association rules of "
        "the original. Whoever mines the release corrects the counts by how values were drawn.",
        attribute=values.attribute,
        n=len(true),
    )
    return Section(say("Mining"), lead, heads, rows), summary


def _rules(columns: Ints, target: Ints, values: int, estimate: mining.Correction) -> tuple[mining.Rule, ...]:
    return mining.find_rules(columns, target, values, estimate, support=SUPPORT, confidence=CONFIDENCE, longest=1)


def _encode(table: Table, quasi: list[str], name: str, places: dict[Any, int]) -> tuple[Ints, Ints]:
    """The quasi-identifiers and the attribute as codes, of at most `MOST` records at equal distances."""
    codes, labels = load_coded_columns(table, [*quasi, name])
    step = -(-len(codes[name]) // MOST)
    ours = np.array([places[label] for label in labels[name]], dtype=np.int64)
    columns = np.column_stack([codes[column][::step] for column in quasi]).astype(np.int64)
    return columns, ours[codes[name][::step]]
