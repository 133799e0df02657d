"""Plans release themselves: what they find in a written file that is not as planned, and what can be used again."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pyarrow as pa
import pytest

import cobogo as cb
from cobogo.data.table.frequency import FrequencyTable, frequency_table
from cobogo.publish.recoding import Recoded

PEOPLE = {
    "age": [str(20 + n % 12) for n in range(120)],
    "sex": ["f", "m", "m"] * 40,
    "ill": ["flu", "gout", "cold", "ache"] * 30,
}
ROLES = {
    "age": {"role": "quasi-identifier", "hierarchy": {"intervals": [4], "top": True}},
    "sex": {"role": "quasi-identifier"},
    "ill": {"role": "sensitive"},
}
K, L = {"model": "k-anonymity", "k": 4}, {"model": "l-diversity", "l": 2}
REUSED = {"optimal": "full-domain", "mondrian": "local", "anatomy": "buckets", "condensation": "condensed"}


def recoded(algorithm: str) -> Recoded:
    asked: dict[str, Any] = {"privacy": {"models": [L if algorithm == "anatomy" else K]}}
    policy = {"attributes": ROLES, **asked, "recoding": {"algorithm": algorithm}}
    return cb.anonymize(pa.table(PEOPLE), policy).transformation


def counted(made: Recoded) -> FrequencyTable:
    """The released classes: those of a group, or of equal tuples."""
    grouped = made.plan.class_columns != made.plan.attributes
    return frequency_table(made.apply(), made.plan.class_columns if grouped else made.plan.key, [])


@pytest.mark.parametrize("algorithm", REUSED)
def test_a_file_that_is_as_planned_has_no_fault_and_one_that_lacks_a_record_has(algorithm: str) -> None:
    made = recoded(algorithm)
    released = counted(made)
    assert list(made.plan.faults(released)) == []
    counts = released.counts.copy()
    counts[0] -= 1
    assert list(made.plan.faults(replace(released, counts=counts)))


@pytest.mark.parametrize("algorithm", REUSED)
def test_the_registry_keeps_what_can_be_done_again(algorithm: str) -> None:
    assert recoded(algorithm).plan.to_json()["kind"] == REUSED[algorithm]


def test_only_a_full_domain_plan_tells_what_becomes_of_other_people() -> None:
    assert recoded("optimal").plan.population_plan() is not None
    assert recoded("mondrian").plan.population_plan() is None
