"""Mondrian on numbers: parts are divided at their medians and released as ranges, from which the loss can be read."""

from __future__ import annotations

import csv
import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

import cobogo as cb
from cobogo.errors import NoSolution, PolicyError
from support.effort import examples

pytestmark = pytest.mark.slow

Row = tuple[str | None, str]
rows = st.lists(
    st.tuples(st.sampled_from([*map(str, range(-3, 12)), None]), st.sampled_from("fm")), min_size=3, max_size=40
)


def policy(algorithm: str, k: int = 3, **age: Any) -> dict[str, Any]:
    return {
        "attributes": {
            "number": {"role": "non-sensitive", "publish-unique": True},
            "age": {"role": "quasi-identifier", "aggregate": "range", **age},
            "sex": {"role": "quasi-identifier"},
        },
        "privacy": {"models": [{"model": "k-anonymity", "k": k}]},
        "recoding": {"algorithm": algorithm},
    }


def table(people: list[Row]) -> pa.Table:
    ages, sexes = zip(*people, strict=True)
    return pa.table({"number": [str(n) for n in range(len(people))], "age": pa.array(ages, pa.string()), "sex": sexes})


def inside(label: str | None, own: str | None) -> bool:
    found = re.fullmatch(r"\[(-?\d+)(?:-| to )(-?\d+)\]", label or "")
    if found is None:
        return label in ("*", own)
    return own is not None and int(found[1]) <= int(own) <= int(found[2])


def loss_of(released: list[dict[str, Any]], people: list[Row]) -> float:
    """Read from the rows: the share of the values of the data that lie within each released one."""
    product = 1.0
    for column, name in enumerate(("age", "sex")):
        domain = {row[column] for row in people}
        if len(domain) > 1:
            width = sum(sum(inside(row[name], value) for value in domain) for row in released) / len(released)
            product *= 1 + (width / len(domain) - 1 / len(domain)) / (1 - 1 / len(domain))
        # an attribute of one value loses nothing
    return float(product**0.5 - 1)


@pytest.mark.parametrize("algorithm", ["mondrian", "mondrian-relaxed", "mdav"])
@settings(deadline=None, max_examples=examples(25), suppress_health_check=list(HealthCheck))
@given(people=rows)
def test_every_range_holds_its_number_and_tells_what_it_loses(algorithm: str, people: list[Row]) -> None:
    assume(any(age is not None for age, _ in people))  # where there is no number there is no range to lose anything
    rules = policy(algorithm)
    if algorithm == "mdav":
        rules["attributes"]["sex"]["aggregate"] = "ancestor"
    release = cb.anonymize(table(people), rules)
    found = release.to_arrow().to_pylist()
    assert all(inside(row["age"], people[int(row["number"])][0]) for row in found)
    assert min(Counter((row["age"], row["sex"]) for row in found).values()) >= 3
    assert release.metrics["loss"] == pytest.approx(loss_of(found, people))
    assert release.metrics["precision"] is None


def test_numbers_are_divided_at_the_median_of_each_part() -> None:
    people: list[Row] = [(str(age), "f") for age in (1, 2, 3, 4, 5, 6, 70, 80, 90, 100, 110, 120)]
    found = cb.anonymize(table(people), policy("mondrian")).to_arrow()
    assert Counter(found["age"].to_pylist()) == {"[1-3]": 3, "[4-6]": 3, "[70-90]": 3, "[100-120]": 3}


def test_the_files_say_that_ranges_are_true(tmp_path: Path) -> None:
    people: list[Row] = [(str(n * 7 % 31), "fm"[n % 2]) for n in range(60)]
    release = cb.anonymize(table(people), policy("mondrian-relaxed", k=5))
    assert release.write(tmp_path / "out")
    assert cb.verify(tmp_path / "out")
    manifest = json.loads((tmp_path / "out/public/manifest.json").read_text())
    (age,) = [column for column in manifest["columns"] if column["name"] == "age"]
    assert age["truthful"]
    assert "range" in age["meaning"]
    with (tmp_path / "out/public/release.csv").open(newline="") as stream:
        found = list(csv.DictReader(stream))
    assert json.loads((tmp_path / "out/evidence/report.json").read_text())["metrics"]["loss"] == pytest.approx(
        loss_of(found, people)
    )


def test_ranges_lose_less_than_intervals_that_were_fixed_before() -> None:
    people: list[Row] = [(str(n * n % 97), "fm"[n % 2]) for n in range(400)]
    finer = cb.anonymize(table(people), policy("mondrian", k=5))
    fixed = policy("mondrian", k=5, hierarchy={"intervals": [10, 20, 40], "top": True})
    del fixed["attributes"]["age"]["aggregate"]
    assert (finer.metrics["loss"] or 0) < (cb.anonymize(table(people), fixed).metrics["loss"] or 0)


def test_what_is_no_number_or_bound_to_levels_has_no_range() -> None:
    with pytest.raises(PolicyError, match="range needs numbers, and the attribute has values that are"):
        cb.anonymize(pa.table({"age": ["x", "y"], "sex": ["f", "f"], "number": ["1", "2"]}), policy("mondrian", k=2))
    with pytest.raises(PolicyError, match="max-level"):
        cb.anonymize(table([("1", "f"), ("2", "f")]), policy("mondrian", k=2, **{"max-level": 0}))
    with pytest.raises(NoSolution):
        cb.anonymize(table([("1", "f"), ("2", "f")]), policy("mondrian", k=3))
