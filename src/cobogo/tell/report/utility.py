"""What a report says about what can still be done with the release."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from cobogo.tell.report.words import Words

Row = dict[str, Any]


def rows(measured: Mapping[str, Any], say: Words) -> list[Row]:
    """One row a measure: its name, its value on the original and on the release, and a sentence.

    ``measured`` is what `cobogo.examine.utility.utility` gives.
    """
    return [
        *_queries(measured, say),
        *_accuracy(measured, say),
        *_association(measured, say),
        *_marginal(measured, say),
    ]


def _row(name: str, before: str, after: str, why: str) -> Row:
    return {"name": name, "before": before, "after": after, "why": why}


def _queries(measured: Mapping[str, Any], say: Words) -> Iterator[Row]:
    found = measured.get("query-error")
    if found:
        lower, upper = map(say.percent, found["quartiles"])
        why = say("utility.queries.why", queries=found["queries"], lower=lower, upper=upper)
        yield _row(say("utility.queries"), say.percent(0), say.percent(found["median"]), why)


def _accuracy(measured: Mapping[str, Any], say: Words) -> Iterator[Row]:
    found = measured.get("accuracy")
    if found:
        baseline = say.percent(found["baseline"])
        why = say("utility.accuracy.why", held_out=say("records", n=found["held_out"]), baseline=baseline)
        for model, accuracy in found["models"].items():
            name = say("utility.accuracy", label=found["label"], model=say.name("kind", model))
            yield _row(name, say.percent(accuracy["original"]), say.percent(accuracy["release"]), why)


def _association(measured: Mapping[str, Any], say: Words) -> Iterator[Row]:
    pairs = measured.get("association-distance", {}).get("pairs")
    if pairs:
        mean = say.number(measured["association-distance"]["mean"], 3)
        worst = pairs[0]
        one, other = worst["attributes"]
        why = say("utility.association.why", mean=mean, pairs=len(pairs))
        name = say("utility.association", one=one, other=other)
        yield _row(name, say.number(worst["before"], 3), say.number(worst["after"], 3), why)


def _marginal(measured: Mapping[str, Any], say: Words) -> Iterator[Row]:
    distances = measured.get("marginal-distance")
    if distances:
        worst = max(distances, key=lambda name: distances[name])
        name = say("utility.marginal", attribute=worst)
        yield _row(name, say.percent(0), say.percent(distances[worst]), say("utility.marginal.why"))
