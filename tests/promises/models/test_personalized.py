"""Personalized privacy: breach probabilities counted record by record."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import cobogo as cb
from cobogo.errors import PolicyError
from cobogo.promises.models import Classes, Monotone, build
from cobogo.promises.models.check import check
from cobogo.promises.models.personalized import Personalized
from support import random_tables as tables
from support.effort import examples
from support.random_tables import row

UNDER = {"r": "r", "p": "p", "q": "q", "R": "r", "P": "pq", "*": "rpq"}
"""The leaves under each node of the hierarchy of ``h``."""

records = st.lists(
    st.tuples(st.sampled_from("pqr"), st.sampled_from([*UNDER, None]), st.integers(1, 4)), min_size=1, max_size=14
)


def classes_of(values: Sequence[str | None], guards: Sequence[str | None], owners: Sequence[int]) -> Classes:
    rows = row(h=values)
    return tables.classes(replace(rows, sensitive={"h": tuple(values), "g": tuple(guards)}), owners)[1]


def breaches(found: Sequence[tuple[str | None, str | None, int]]) -> dict[int, Fraction]:
    """The largest breach probability of each class: of each record, the share of its class under its node."""
    most: dict[int, Fraction] = {}
    for _, guard, owner in found:
        mates = [value for value, _, other in found if other == owner]
        share = Fraction(
            sum(value is not None and value in UNDER[guard] for value in mates) if guard else 0, len(mates)
        )
        most[owner] = max(most.get(owner, Fraction(0)), share)
    return most


@settings(deadline=None, max_examples=examples(200))
@given(found=records)
def test_it_measures_the_largest_breach_of_each_class(found: list[tuple[str, str | None, int]]) -> None:
    values, guards, owners = zip(*found, strict=True)
    measured = Personalized("h", "g", 0.5).measure(classes_of(values, guards, owners))
    assert measured.tolist() == pytest.approx([float(share) for share in breaches(found).values()])


def test_only_the_wishes_of_a_class_count_in_it() -> None:
    """Two of three lie under P, and the one who minds is asked; where nobody minds, nothing is breached."""
    classes = classes_of("pqrpqr", ["P", None, None, None, None, None], [1, 1, 1, 2, 2, 2])
    model = Personalized("h", "g", 0.5)
    measured = model.measure(classes)
    assert measured.tolist() == pytest.approx([2 / 3, 0])
    assert model.holds(classes, measured).tolist() == [False, True]


def test_the_bound_itself_holds_whatever_the_rounding() -> None:
    classes = classes_of("pqr", ["P", None, None], [1, 1, 1])
    (at,) = check([Personalized("h", "g", 2 / 3)], classes)
    (below,) = check([Personalized("h", "g", 0.6666)], classes)
    assert at.satisfied
    assert not below.satisfied


def test_it_is_not_monotone() -> None:
    """Who does not want to be linked to P is safe beside an r, and not with a class of p that minded nothing."""
    model = Personalized("h", "g", 0.5)
    assert model.monotone is Monotone.NO
    values, guards = "rppppp", ["P", *[None] * 5]
    apart, together = classes_of(values, guards, [1, 1, 2, 2, 2, 2]), classes_of(values, guards, [1] * 6)
    assert check([model], apart)[0].satisfied
    assert not check([model], together)[0].satisfied


def test_null_lies_under_the_root_alone_and_asks_for_nothing() -> None:
    classes = classes_of([None, "p"], ["*", "P"], [1, 2])
    assert Personalized("h", "g", 1, "value").measure(classes).tolist() == [1, 1]
    assert Personalized("h", "g", 1).measure(classes).tolist() == [0, 1]
    assert Personalized("h", "g", 1).measure(classes_of([None, "p"], [None, None], [1, 1])).tolist() == [0]


def test_an_empty_table() -> None:
    classes = classes_of("pq", ["P", None], [1, 2])
    nothing = classes.where(np.zeros(2, dtype=bool))
    assert check([Personalized("h", "g", 0.1)], nothing)[0].satisfied


def test_wishes_that_name_no_node_are_refused_without_showing_them() -> None:
    domains = tables.domains(replace(row(h="pq"), sensitive={"h": ("p", "q"), "g": ("my secret", None)}))
    with pytest.raises(PolicyError) as refused:
        Personalized("h", "g", 0.5).check_domains(domains)
    assert '1 value of "g" is not in the hierarchy of "h"' in refused.value.what
    assert "secret" not in str(refused.value)
    with pytest.raises(PolicyError, match="needs a hierarchy"):
        Personalized("g", "h", 0.5).check_domains(domains)


@pytest.mark.parametrize(("key", "value"), [("p", 1.5), ("p", -0.1), ("guard", ""), ("guard", 3), ("guard", "h")])
def test_parameters(key: str, value: Any) -> None:
    with pytest.raises(PolicyError, match=rf"The '{key}' parameter of personalized must be .* Got"):
        build([{"model": "personalized", "attribute": "h", "guard": "g", "p": 0.5, key: value}], ["h", "g"])


@pytest.mark.parametrize(("role", "unit"), [("sensitive", None), ("identifier", None), ("identifier", "who")])
def test_from_policy_to_verified_release(tmp_path: Path, role: str, unit: str | None) -> None:
    """Whoever minds is in a class of which at most half has what they mind."""
    tree = {"tree": {"respiratory": ["flu", "cough"], "digestive": ["ulcer", "gastritis"]}, "top": True}
    policy: dict[str, Any] = {
        "data": {"unit": unit},
        "attributes": {
            "zip": {"role": "quasi-identifier", "hierarchy": {"mask": "right"}},
            "illness": {"role": "sensitive", "hierarchy": tree},
            "wish": {"role": role},
            "who": {"role": "identifier"},
        },
        "privacy": {"models": [{"model": "personalized", "attribute": "illness", "guard": "wish", "p": 0.5}]},
    }
    illness = ["flu", "cough", "ulcer", "gastritis", "ulcer", "flu", "flu", "gastritis"]
    wish = ["respiratory", "respiratory", None, None, None, "flu", None, "digestive"]
    zips = ["11", "11", "12", "12", "21", "22", "22", "22"]
    frame = pa.table({"zip": zips, "illness": illness, "wish": wish, "who": list("abcdefgh")})
    if unit:
        frame = pa.concat_tables([frame, frame])
    release = cb.anonymize(frame, policy)
    assert release.levels == {"zip": 1}, "both of 11 are respiratory, and both mind"
    release.write(tmp_path / "out")
    verdict = cb.verify(tmp_path / "out")
    assert verdict
    assert verdict.models[0].measured == pytest.approx(0.5)
    (tmp_path / "out" / "evidence").rename(tmp_path / "evidence")
    if role == "sensitive":
        assert cb.verify(tmp_path / "out").models[0].measured == pytest.approx(0.5)
    else:
        assert "wish" not in release.columns
        assert "wish" not in (tmp_path / "out" / "public" / "release.csv").read_text()
        verdict = cb.verify(tmp_path / "out")
        assert verdict.problems == ()
        assert verdict.undecided == verdict.models[:1], "the wishes are not released"


def test_a_guard_that_is_neither_counted_nor_left_out_is_refused() -> None:
    tree = {"tree": {"all": ["flu"]}, "top": True}
    policy = {
        "attributes": {
            "zip": {"role": "quasi-identifier"},
            "illness": {"role": "sensitive", "hierarchy": tree},
            "wish": {"role": "non-sensitive"},
        },
        "privacy": {"models": [{"model": "personalized", "attribute": "illness", "guard": "wish", "p": 0.5}]},
    }
    with pytest.raises(PolicyError, match="neither sensitive nor an identifier"):
        cb.anonymize(pa.table({"zip": ["1", "1"], "illness": ["flu", "flu"], "wish": ["flu", "flu"]}), policy)
