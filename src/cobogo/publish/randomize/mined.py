"""What can be learnt from a randomized release by mining it, against what the original teaches."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from cobogo.data.table.read import Table
from cobogo.floor.arrays import Ints
from cobogo.publish.randomize.estimate import mining
from cobogo.release.columns import whole
from cobogo.release.contract import Row, Section

if TYPE_CHECKING:
    from cobogo.publish.randomize.columns import Columns
    from cobogo.tell.report.words import Words

MOST = 60_000
"""Records of each table that are mined: more would take longer and teach little more."""

SUPPORT, CONFIDENCE = 0.01, 0.3


def compared(made: Columns, before: Table, after: Table, say: Words) -> tuple[Section, dict[str, Any]] | None:
    """A decision tree and association rules for the one attribute that was drawn, from its quasi-identifiers: of the
    original, of the release with corrected counts, and of the release as if nothing had been drawn.

    Trees are judged by the records of the original: shallow, and of large leaves, they have little to learn by heart.
    """
    quasi, (part, *more) = list(made.policy.quasi_identifiers), made.drawn
    if more or len(part.values) > 1 or not quasi:
        return None
    values, operator = part.values[0], part.operator
    columns, target = _coded(before, quasi, values.attribute, values.places)
    released, shown = _coded(after, quasi, values.attribute, values.places)
    try:
        corrected = mining.corrected(operator)
        corrected(np.ones(operator.size, dtype=np.int64))
    except ValueError:  # values that are released alike cannot be told apart again
        return None
    sides = {
        "original": (columns, target, mining.as_they_are),
        "corrected": (released, shown, corrected),
        "naive": (released, shown, mining.as_they_are),
    }
    true = _rules(columns, target, operator.size, mining.as_they_are)
    summary: dict[str, Any] = {"rules": len(true)}
    rows: list[Row] = []
    for name, (known, labels, estimate) in sides.items():
        tree = mining.tree(known, labels, operator.size, estimate)
        right = mining.accuracy(tree, columns, target)
        recalled, precise = mining.agreement(true, _rules(known, labels, operator.size, estimate))
        summary[name] = {"accuracy": right, "recalled": recalled, "precise": precise}
        rows.append([say(f"randomized.mined.{name}"), right, recalled, precise])
    heads = [say(f"randomized.mined.{key}") for key in ("source", "accuracy", "recalled", "precise")]
    lead = say("randomized.mined.why", attribute=values.attribute, n=len(true))
    return Section(say("randomized.mined"), lead, heads, rows), summary


def _rules(columns: Ints, target: Ints, values: int, estimate: mining.Corrected) -> tuple[mining.Rule, ...]:
    return mining.rules(columns, target, values, estimate, support=SUPPORT, confidence=CONFIDENCE, longest=1)


def _coded(table: Table, quasi: list[str], name: str, places: dict[Any, int]) -> tuple[Ints, Ints]:
    """Some records' quasi-identifiers and the attribute as codes: every so many, of a table with more than `MOST`."""
    codes, labels = whole(table, [*quasi, name])
    step = -(-len(codes[name]) // MOST)
    ours = np.array([places[label] for label in labels[name]], dtype=np.int64)
    columns = np.column_stack([codes[column][::step] for column in quasi]).astype(np.int64)
    return columns, ours[codes[name][::step]]
