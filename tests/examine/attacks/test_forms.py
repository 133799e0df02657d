"""What released values stand for, by their form alone: what attacks can link, and what they must not call safe."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import cobogo as cb
from cobogo.examine.attacks.forms import (
    date_form,
    form_of,
    is_within,
    mask_form,
    meet,
    number_form,
    overlapping_pairs,
    path_form,
)
from support.attack_tables import policy, table
from support.commands import cobogo

pytestmark = pytest.mark.slow

INSIDE = {
    "month in year": ("05/1988", "1988", "1989"),
    "day in month": ("02/05/1988", "05/1988", "06/1988"),
    "iso month in year": ("1988-05", "1988", "1989"),
    "iso day in month": ("1988-05-02", "1988-05", "1988-06"),
    "month in decade": ("05/1988", "1980-1989", "1990-1999"),
    "mask in mask": ("60127***", "6012****", "6013****"),
    "mask from the left": ("***27", "****7", "****8"),
    "interval in interval": ("20-24", "20-29", "30-39"),
    "number in interval": ("31", "30-39", "40-49"),
    "number in a range with brackets": ("31", "[17-35]", "[36-40]"),
    "decimals": ("[10.5, 11)", "[10, 12)", "[11, 13)"),
    "decimal commas": ("10,7", "[10,5; 11)", "[11; 11,5)"),
    "open end": ("95", ">=90", "<90"),
    "negative": ("-3", "-5 to -1", "0-4"),
    "path": ("Messejana/Fortaleza/CE", "Fortaleza/CE", "Sobral/CE"),
    "path at the top": ("Fortaleza/CE", "CE", "PE"),
}


@pytest.mark.parametrize("what", INSIDE)
def test_containment_follows_from_the_form(what: str) -> None:
    fine, coarse, other = INSIDE[what]
    read = form_of([fine, coarse, other])
    assert read is not None
    boxes = [read(label) for label in (fine, coarse, other)]
    assert all(box is not None for box in boxes)
    one, around, apart = (box or {} for box in boxes)
    assert is_within(one, around)
    assert not is_within(around, one)
    assert meet(one, around) == one or what == "month in decade"
    assert meet(one, apart) is None
    assert list(overlapping_pairs([one], [around, apart])) == [(0, 0)]


def test_what_has_no_form_is_not_guessed() -> None:
    assert form_of(["Dentist", "Health", "Analyst"]) is None
    assert form_of([]) is None
    assert date_form(["%d/%m/%Y"])("31/13/1999") is None
    assert number_form()("9-1") is None


@given(st.lists(st.tuples(st.integers(0, 40), st.integers(0, 9)), min_size=1, max_size=12))
def test_pairs_of_intervals_are_those_that_overlap(found: list[tuple[int, int]]) -> None:
    read = number_form()
    labels = [f"{low}-{low + wide}" for low, wide in found]
    boxes = [read(label) for label in labels]
    expected = {
        (m, n)
        for m, (one, long) in enumerate(found)
        for n, (other, wide) in enumerate(found)
        if one <= other + wide and other <= one + long
    }
    assert set(overlapping_pairs(boxes, boxes)) == expected


def test_a_week_is_told_by_the_day() -> None:
    read = date_form(["%Y-%m-%d", "%G-W%V"])
    day, week, other = (read(label) or {} for label in ("2024-01-03", "2024-W01", "2024-W02"))
    assert is_within(day, week)
    assert meet(day, other) is None
    assert mask_form("#")("60#") != mask_form("#")("6##")
    assert path_form("|")("a|b") is not None


ILLS = "abcdefgh"
FIRST = [f"{month}/1988 6012**** {ill}" for month, ill in zip(["05", "05", "06", "06"] * 2, ILLS, strict=True)]
SECOND = [f"1988 {zip_code} {ill}" for zip_code, ill in zip(["60127***"] * 4 + ["60128***"] * 4, ILLS, strict=True)]
TREES = {"born": {"dates": "%d/%m/%Y", "levels": ["%m/%Y", "%Y"]}, "zip": {"mask": "right"}}


@pytest.mark.parametrize("name", ["complementary", "temporal", "intersection"])
@pytest.mark.parametrize("trees", [TREES, dict.fromkeys(TREES)], ids=["policy", "look"])
def test_two_releases_without_a_leaf_are_crossed(name: str, trees: dict[str, Any]) -> None:
    """Classes of four in each; who has both has pairs."""
    tables = [table("born zip ill", *rows) for rows in (FIRST, SECOND[::-1])]
    found = cb.attack(name, *tables, policy=policy(trees, "ill"), threshold=0.4)
    assert found.measures["linked pairs of rows"] == 8
    assert (len(found.exposed), found.highest) == (8, 0.5)


def test_two_releases_that_nothing_relates_are_no_all_clear(tmp_path: Path) -> None:
    """Professions and groups of them: without the hierarchy nobody can tell which is of which, here either."""
    fine, coarse = tmp_path / "fine.csv", tmp_path / "coarse.csv"
    fine.write_text(
        "job,ill\n" + "".join(f"{job},{ill}\n" for job, ill in zip(["dentist", "nurse"] * 4, ILLS, strict=True))
    )
    coarse.write_text("job,ill\n" + "".join(f"health,{ill}\n" for ill in ILLS))
    blind, told = tmp_path / "blind.toml", tmp_path / "told.toml"
    rules = '[attributes]\njob = {{ role = "quasi-identifier"{} }}\nill = {{ role = "sensitive" }}\n'
    blind.write_text(rules.format(', hierarchy = { csv = "gone.csv" }'))
    told.write_text(rules.format(', hierarchy = { tree = { health = ["dentist", "nurse"] } }'))
    said = cobogo("attack", "complementary", fine, coarse, "--policy", blind, cwd=tmp_path, code=1)
    assert 'Not tried: the values of "job" in the two releases cannot be compared' in said
    assert "is found with a" not in said
    said = cobogo("attack", "complementary", fine, coarse, "--policy", told, cwd=tmp_path)
    assert "linked pairs of rows: 8" in said
    found = cb.attack("complementary", fine, coarse, policy=blind)
    assert (found.tried, found.succeeded, bool(found)) == (False, False, False)


def test_an_interval_of_public_alone_holds_a_value(tmp_path: Path) -> None:
    people = pa.table({"age": ["31", "38", "44", "47"], "job": ["nurse", "nurse", "cook", "cook"], "ill": list("abcd")})
    rules = policy({"age": {"intervals": [10]}, "job": {"tree": {"any": ["nurse", "cook"]}}}, "ill")
    cb.anonymize(people, rules).write(tmp_path / "out")
    known = tmp_path / "known.csv"
    known.write_text("age,job\n31,nurse\n")
    asked = ("attack", "record-linkage", tmp_path / "out/public", "--knowledge", known)
    said = cobogo(*asked, "--threshold", 0.4, cwd=tmp_path, code=1)
    assert "1 row of the knowledge (of 1) is found" in said
    coarse = {**rules, "recoding": {"metric": "height"}}
    coarse["attributes"] = {**rules["attributes"], "job": {**rules["attributes"]["job"], "min-level": 1}}
    cb.anonymize(people, coarse).write(tmp_path / "coarse")
    said = cobogo("attack", "record-linkage", tmp_path / "coarse/public", "--knowledge", known, cwd=tmp_path, code=1)
    assert 'Not tried: 4 rows of the release have a "job" that cannot be compared' in said


def test_a_quarter_is_three_months_of_a_year() -> None:
    read = date_form(["%d/%m/%Y", "%Y-%m"])
    assert meet(read("2020-Q1"), read("29/02/2020")) is not None
    assert meet(read("2020-Q1"), read("2020-04")) is None
    assert is_within(read("2020-Q1"), read("2020-2024"))
