"""One value that is written in several ways: it is noticed, and a policy can make it one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import cobogo as cb
from cobogo.data.table.spelling import count_agreeing, normal_form

HIV = ["HIV", "hiv", "HIV ", "HIV"]
NUMBERS = ["1", "1.0", "01", "2"]
ACCENTS = ["Icó", "Ico", "ICÓ", "Jati"]


def people(values: list[str], who: list[str] | None = None) -> pa.Table:
    return pa.table({"who": who or ["a", "b", "c", "d"], "city": ["Sobral"] * 4, "value": values})


def policy(*, normalize: list[str] | None = None, unit: list[str] | None = None, l: int = 3) -> dict[str, Any]:
    more = {} if normalize is None else {"normalize": normalize}
    person = {} if unit is None else {"normalize": unit}
    return {
        "data": {"unit": "who"},
        "attributes": {
            "who": {"role": "identifier", **person},
            "city": {"role": "quasi-identifier", "max-level": 0},
            "value": {"role": "sensitive", **more},
        },
        "privacy": {"models": [{"model": "k-anonymity", "k": 2}, {"model": "l-diversity", "l": l}]},
    }


@pytest.mark.parametrize(("values", "number"), [(HIV, 3), (NUMBERS, 3), (ACCENTS, 3), (["a", "b", "c", "d"], 0)])
def test_values_that_may_be_one_are_counted_in_a_warning(values: list[str], number: int) -> None:
    release = cb.anonymize(people(values), policy(l=1))
    said = [warning for warning in release.warnings if '"value"' in warning]
    assert count_agreeing(dict.fromkeys(values)) == number
    assert [f"{number} values differ from another one" in warning for warning in said] == [True] * bool(number)
    assert not [value for value in values if any(f" {value} " in warning for warning in said)], "no value is shown"


def test_a_policy_makes_them_one() -> None:
    with pytest.raises(cb.CobogoError):
        cb.anonymize(people(HIV), policy(normalize=["trim", "case"]))
    release = cb.anonymize(people(HIV), policy(normalize=["trim", "case"], l=1))
    assert release.to_pandas()["value"].tolist() == ["HIV"] * 4, "as most of the records have it"
    assert not release.warnings
    assert cb.anonymize(people(HIV), policy()).levels == {"city": 0}, "otherwise they are three values"


def test_people_who_are_written_in_two_ways_are_one_where_the_policy_says_so() -> None:
    who = ["ana", "Ana", "ANA ", "Ána"]
    loose = cb.anonymize(people(["a", "b", "c", "d"], who), policy(l=1))
    assert any('"who"' in warning and "4 values differ from another one" in warning for warning in loose.warnings)
    with pytest.raises(cb.CobogoError):
        cb.anonymize(people(["a", "b", "c", "d"], who), policy(l=1, unit=["trim", "case", "accents"]))


def test_a_release_with_normalized_values_verifies(tmp_path: Path) -> None:
    values = ["HIV", "hiv", "flu", "Flu", "HIV", "flu"]
    table = pa.table({"who": list("abcdef"), "city": ["Sobral"] * 6, "value": values})
    assert cb.anonymize(table, policy(normalize=["case"], l=2)).write(tmp_path / "out")
    assert cb.verify(tmp_path / "out")


@pytest.mark.parametrize(
    ("how", "text", "expected"),
    [
        (["trim"], "  a  b ", "a b"),
        (["case"], "STRAẞE", "strasse"),
        (["accents"], "São José", "Sao Jose"),
        (["number"], "-0.0", "0"),
        (["number"], "1e5", "1e5"),
        (["number"], "٣", "٣"),
        (["number"], "007.10", "7.1"),
    ],
)
def test_each_way_does_one_thing(how: list[str], text: str, expected: str) -> None:
    assert normal_form(text, how) == expected


def test_differential_privacy_has_no_room_for_it() -> None:
    rules = {
        "attributes": {"value": {"role": "quasi-identifier", "normalize": ["case"]}},
        "privacy": {"models": [{"model": "differential-privacy", "epsilon": 1.0, "delta": 1e-6}]},
        "sampling": {},
    }
    from cobogo.publish.transform import sample

    with pytest.raises(cb.CobogoError, match="normalize"):
        sample(pa.table({"value": ["a"] * 20}), rules)
