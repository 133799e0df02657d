"""How useful a randomized release is.

Random counting queries are answered by the release and by others of equal privacy, its rivals: generalization and
anatomy. Trees and rules mined from the release are compared with those of the original.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from cobogo.data.policy import Policy, Privacy, Recoding
from cobogo.data.table.columns import load_coded_columns
from cobogo.data.table.frequency import FrequencyTable, frequency_table
from cobogo.data.table.read import Table
from cobogo.errors import CobogoError
from cobogo.floor.arrays import Floats, Ints, Mask
from cobogo.floor.language import tr
from cobogo.publish.randomize.estimate import (
    Correction,
    Rule,
    accuracy,
    agreement,
    correction,
    count,
    find_rules,
    grow_tree,
    no_correction,
)
from cobogo.release.drawn import Row, Section

if TYPE_CHECKING:
    from cobogo.floor.language import Speech
    from cobogo.publish.randomize.columns import RandomizedAttributes, RandomizedColumns


SANITY = 0.001
"""Errors are relative to the true count, but to no less than this share of the records."""


@dataclass(frozen=True, eq=False, repr=False)
class CountingQuery:
    """A query for the number of records with some values of quasi-identifiers (by index) and of the sensitive
    attribute. Values are given as masks over the domains."""

    quasi: dict[int, Mask]
    sensitive: Mask

    def matching(self, codes: NDArray[Any]) -> Mask:
        """The tuples that meet the conditions on quasi-identifiers."""
        found = np.ones(len(codes), dtype=np.bool_)
        for column, mask in self.quasi.items():
            found &= mask[codes[:, column]]
        return found


def draw_queries(
    table: FrequencyTable, attribute: str, many: int, selectivity: float, seed: int
) -> Iterator[CountingQuery]:
    """Draw queries for runs of neighbouring values of one or two quasi-identifiers and of the sensitive attribute.

    Each is centred on a random record, and so wide that it would select a share ``selectivity`` of the records if
    attributes were independent.
    """
    random = np.random.default_rng(seed)
    histogram = table.histograms[attribute]
    ends = np.cumsum(histogram.counts)
    width = len(table.quasi_identifiers)
    for _ in range(many):
        entry = int(np.searchsorted(ends, random.integers(ends[-1]), side="right"))
        tuple_ = table.codes[histogram.owners[entry]]
        some = random.choice(width, size=min(width, int(random.integers(1, 3))), replace=False).tolist()
        share = selectivity ** (1 / (len(some) + 1))
        quasi = {c: _run(table.marginal(c), int(tuple_[c]), share, random) for c in some}
        yield CountingQuery(quasi, _run(histogram.domain.total, int(histogram.values[entry]), share, random))


def _run(counts: Ints, anchor: int, share: float, random: np.random.Generator) -> Mask:
    """A run of neighbouring values around an anchor that covers at least a share of the records."""
    wanted, low, high = share * counts.sum(), anchor, anchor + 1
    while counts[low:high].sum() < wanted and (low > 0 or high < len(counts)):
        if low > 0 and (high == len(counts) or random.random() < 0.5):
            low -= 1
        else:
            high += 1
    chosen = np.zeros(len(counts), dtype=np.bool_)
    chosen[low:high] = True
    return chosen


def true_count(table: FrequencyTable, attribute: str, query: CountingQuery) -> float:
    """The true answer."""
    histogram = table.histograms[attribute]
    inside = query.matching(table.codes)[histogram.owners] & query.sensitive[histogram.values]
    return float(histogram.counts[inside].sum())


def relative_errors(
    table: FrequencyTable, attribute: str, asked: Sequence[CountingQuery], answer: Callable[[CountingQuery], float]
) -> Floats:
    """The relative error of each answer."""
    true = np.array([true_count(table, attribute, query) for query in asked])
    given = np.array([answer(query) for query in asked])
    return np.asarray(abs(given - true) / np.maximum(true, SANITY * table.records))


Answer = Callable[[CountingQuery], float]


@dataclass(frozen=True, eq=False, repr=False)
class Rival:
    """Another release of the same table with its answers, or the reason why there is none."""

    name: str
    answer: Answer | None
    why: str = ""


def build_rivals(table: Table, policy: Policy, attribute: str, confidence: float) -> tuple[Rival, ...]:
    """Build the best full-domain generalization and an anatomy in which a value is known with at most ``confidence``.

    In the generalization no value has a larger share of a class; anatomy's buckets have ⌈1/confidence⌉ distinct values.
    """
    l = max(2, math.ceil(1 / confidence - 1e-9))
    bounded = {"model": "alpha-k-anonymity", "attribute": attribute, "alpha": confidence, "k": 2}
    diverse = {"model": "l-diversity", "attribute": attribute, "kind": "distinct", "l": l}
    found = []
    for name, algorithm, model, make in (
        ("generalization", "optimal", bounded, _answer_by_generalization),
        ("anatomy", "anatomy", diverse, _answer_by_anatomy),
    ):
        asked = policy.model_copy(
            update={
                "privacy": Privacy(models=(model,)),
                "recoding": Recoding(algorithm=algorithm, suppression_limit=0.05),
                "randomization": None,
                "utility": None,
            }
        )
        asked._home, asked._name = policy.home, policy.name
        try:
            found.append(Rival(name, make(table, asked, attribute)))
        except CobogoError as error:
            found.append(Rival(name, None, error.what))
    return tuple(found)


def _answer_by_generalization(table: Table, policy: Policy, attribute: str) -> Answer:
    """Answer by spreading each released value uniformly over the leaves under it."""
    from cobogo.examine.utility.sides import recode_values, sides
    from cobogo.publish.anonymize import prepare, solve

    both = sides(solve(prepare(table, policy)).transformation)
    histogram = both.after.histograms[attribute]
    values = recode_values(histogram, both.before.histograms[attribute].domain)

    def answer(query: CountingQuery) -> float:
        inside: Floats = np.ones(len(both.after.counts))
        for column, mask in query.quasi.items():
            known = both.before.values[both.before.quasi_identifiers[column]]
            leaves = np.zeros(len(both.hierarchies[column].leaves), dtype=np.bool_)
            leaves[both.hierarchies[column].encode([known[code] for code in np.flatnonzero(mask)])] = True
            inside = inside * both.share(column, leaves)[both.released[column]]
        return float((inside[histogram.owners] * query.sensitive[values] * histogram.counts).sum())

    return answer


def _answer_by_anatomy(table: Table, policy: Policy, attribute: str) -> Answer:  # noqa: ARG001
    """Answer by the matching records of each bucket times the share of its sensitive values that match."""
    from cobogo.publish.anonymize import prepare, solve
    from cobogo.publish.recode.plans.groups import BucketPlan

    release = solve(prepare(table, policy))
    assert isinstance(release.plan, BucketPlan)
    buckets, counted = release.plan.buckets, release.problem.table
    kept = buckets.owners >= 0
    histogram = buckets.histogram

    def answer(query: CountingQuery) -> float:
        matching = query.matching(counted.codes)[buckets.tuples] & kept
        records = np.bincount(buckets.owners[matching], buckets.counts[matching], len(buckets))
        having = query.sensitive[histogram.values]
        values = np.bincount(histogram.owners[having], histogram.counts[having], len(buckets))
        return float((records * values / buckets.sizes).sum())

    return answer


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
        return count(operator, observed, theirs[query.sensitive].tolist()).count

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
        corrected = correction(operator)
        corrected(np.ones(operator.size, dtype=np.int64))
    except ValueError:  # values that are released alike cannot be told apart again
        return None
    sides = {
        "original": (columns, target, no_correction),
        "corrected": (released, shown, corrected),
        "naive": (released, shown, no_correction),
    }
    true = _rules(columns, target, operator.size, no_correction)
    summary: dict[str, Any] = {"rules": len(true)}
    rows: list[Row] = []
    for name, (known, labels, estimate) in sides.items():
        tree = grow_tree(known, labels, operator.size, estimate)
        right = accuracy(tree, columns, target)
        recalled, precise = agreement(true, _rules(known, labels, operator.size, estimate))
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


def _rules(columns: Ints, target: Ints, values: int, estimate: Correction) -> tuple[Rule, ...]:
    return find_rules(columns, target, values, estimate, support=SUPPORT, confidence=CONFIDENCE, longest=1)


def _encode(table: Table, quasi: list[str], name: str, places: dict[Any, int]) -> tuple[Ints, Ints]:
    """The quasi-identifiers and the attribute as codes, of at most `MOST` records at equal distances."""
    codes, labels = load_coded_columns(table, [*quasi, name])
    step = -(-len(codes[name]) // MOST)
    ours = np.array([places[label] for label in labels[name]], dtype=np.int64)
    columns = np.column_stack([codes[column][::step] for column in quasi]).astype(np.int64)
    return columns, ours[codes[name][::step]]
