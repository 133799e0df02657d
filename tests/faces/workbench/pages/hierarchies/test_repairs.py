"""The buttons beside values that have no place: each is a remedy of the message, and is offered only where it helps."""

from __future__ import annotations

from typing import Any

import pytest

from cobogo.data.hierarchy.build import build
from cobogo.data.policy import Policy
from cobogo.errors import CobogoError, UnfitValues
from cobogo.faces.server.state import pack_error, unpack_error
from cobogo.faces.workbench.pages.hierarchies.repairs import nearest_entries, repairs
from cobogo.faces.workbench.pages.running import unfit_column
from support.hierarchy_previews import policy_of, previewed

CASES: list[tuple[dict[str, Any], list[str], list[tuple[str, int]]]] = [
    ({"intervals": [10]}, ["1,5", "22,5", "30"], [('Read "," as the decimal mark', 0)]),
    ({"intervals": [10], "lower": 0, "upper": 99}, ["5", "120", "?"], [("Put numbers outside the bounds", 1)]),
    ({"quantiles": [2], "domain": [0, 10]}, ["1", "2.25"], [("Keep 2 decimals", 0)]),
    ({"dates": "%d/%m/%Y", "levels": ["%Y"]}, ["2020-12-31", "1999-01-13"], [('in the format "%Y-%m-%d"', 0)]),
    ({"dates": "%d/%m/%Y", "levels": ["%Y"]}, ["31/12/2020", "2/2/99x"], []),
    ({"age": "%Y-%m-%d", "at": "2000-01-01", "widths": [5]}, ["1990-01-01", "2010-01-01"], [("Count ages on", 0)]),
    ({"path": "/"}, ["Centro/Sobral", "Sobral"], [("Leave them as they are", 0)]),
    ({"codes": "icd-10"}, ["A09", "Z99", "??"], [("Leave them as they are", 0)]),
    ({"mask": "right"}, ["12*", "345", "#1"], [('Mask with "?"', 0)]),
    ({"labels": {"1": "Male"}}, ["1", "2"], [("Let each be its own label", 0)]),
    ({"ordering": ["a"], "steps": [2]}, ["a", "b"], []),
]


@pytest.mark.parametrize(("spec", "values", "offered"), CASES, ids=lambda one: next(iter(one), None) and str(one)[:24])
def test_what_is_offered_gives_values_a_place(spec, values, offered, tmp_path) -> None:
    text, counted = policy_of("x", spec), [(value, 2) for value in values]
    seen = previewed(text, tmp_path, counted)
    assert seen.unfit
    found = repairs(seen, text, "x", lambda policy: previewed(policy, tmp_path, counted))
    assert [left for _, left in found] == [left for _, left in offered]
    assert all(words in str(repair.label) for (repair, _), (words, _) in zip(found, offered, strict=True))


def test_misspelt_values_are_likened_to_the_entries_of_a_tree(tmp_path) -> None:
    spec = {"tree": {"Fortaleza": ["Messejana", "Aldeota"]}}
    seen = previewed(policy_of("x", spec), tmp_path, [("Mecejana", 1), ("Aldeota", 5), ("123", 1)])
    assert nearest_entries(seen) == {"Mecejana": "Messejana"}


def test_a_job_that_stops_at_a_value_leads_to_its_column() -> None:
    policy = Policy.of({"attributes": {"ward": {"role": "quasi-identifier", "hierarchy": {"tree": {"a": ["b"]}}}}})
    with pytest.raises(UnfitValues) as stopped:
        build("ward", policy.attributes["ward"].hierarchy, ["b", "c"], policy=policy)
    kept = unpack_error(pack_error(stopped.value))
    assert unfit_column(kept) == "ward"
    assert unfit_column(CobogoError("no", where="ward")) is None
