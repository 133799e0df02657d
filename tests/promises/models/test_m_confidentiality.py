"""The minimality attack, exactly, and what the class part of m-confidentiality sees of it."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import cobogo as cb
from cobogo.errors import NoSolution, PolicyError, SearchTooLarge
from cobogo.promises.models import Classes, Monotone
from cobogo.promises.models.check import check
from cobogo.promises.models.m_confidentiality import MConfidentiality, beliefs
from support import random_tables as tables
from support.effort import examples
from support.random_tables import row

pytestmark = pytest.mark.slow

APART = {"q1": "q1", "q2": "q2", "q3": "q3"}
TOGETHER = {"q1": "Q", "q2": "Q", "q3": "Q"}


def at_most_half(values: Sequence[str | None]) -> bool:
    return 2 * Counter(values)["HIV"] <= len(values)


def always(values: Sequence[str | None]) -> bool:
    return True


def classes_of(values: Sequence[str | None], owners: Sequence[int]) -> Classes:
    return tables.classes(row(s=values), owners)[1]


CLASSIC = (["q1", "q1", *["q2"] * 5], ["HIV", "HIV", *["flu"] * 5])
"""Seven people, two with HIV: 2-diverse as one class, in which HIV makes up 2/7."""


def test_the_classic_example_makes_certain() -> None:
    """The two classes must have failed; five q2 with at most two HIV cannot; so both q1 have it."""
    found = beliefs(*CLASSIC, [APART, TOGETHER], at_most_half)
    assert [person.get("HIV", 0) for person in found] == [1, 1, 0, 0, 0, 0, 0]


def test_the_class_part_alone_does_not_see_it() -> None:
    """No value makes up more than half of the class, and two people are known to have HIV."""
    held = ["HIV", "HIV", "flu", "cough", "ulcer", "gout", "cold"]
    assert check([MConfidentiality("s", 2)], classes_of(held, [1] * 7))[0].satisfied
    found = beliefs(CLASSIC[0], held, [APART, TOGETHER], at_most_half)
    assert [person.get("HIV", 0) for person in found] == [1, 1, 0, 0, 0, 0, 0]


def test_a_recoding_chosen_blindly_gives_nothing_more_away() -> None:
    """Where nothing less general was tried for the sake of the values, beliefs are the shares of the class."""
    for found in beliefs(*CLASSIC, [TOGETHER], at_most_half):
        assert found == {"HIV": Fraction(2, 7), "flu": Fraction(5, 7)}
    sizes_only = beliefs(*CLASSIC, [APART, TOGETHER], always)
    assert sizes_only[0] == {"HIV": 1}, "the least general table satisfies it, and is released as it is"


def test_an_attacker_can_be_left_in_doubt() -> None:
    """Of three q1 and three q2, with two HIV: whichever group has both fails, so each group has them or not."""
    people, held = ["q1"] * 3 + ["q2"] * 3, ["HIV", "HIV", "flu", "flu", "flu", "flu"]
    found = beliefs(people, held, [APART, TOGETHER], at_most_half)
    assert [person["HIV"] for person in found] == [Fraction(1, 3)] * 6


@settings(deadline=None, max_examples=examples(60))
@given(
    people=st.lists(st.sampled_from(["q1", "q2", "q3"]), min_size=1, max_size=6),
    data=st.data(),
)
def test_it_goes_through_all_tables_that_lead_to_the_release(people: list[str], data: st.DataObject) -> None:
    """Against going through all permutations of all values, without classes or multisets."""
    held = [data.draw(st.sampled_from(["HIV", "flu", "flu", None])) for _ in people]
    between = {"q1": "q12", "q2": "q12", "q3": "q3"}
    recodings = [APART, between, TOGETHER]

    def release(values: Sequence[str | None]) -> tuple[int, frozenset[tuple[str, tuple[str, ...]]]] | None:
        for number, recoding in enumerate(recodings):
            groups: dict[str, list[str | None]] = {}
            for quasi, value in zip(people, values, strict=True):
                groups.setdefault(recoding[quasi], []).append(value)
            if all(map(at_most_half, groups.values())):
                return number, frozenset((key, tuple(sorted(map(str, group)))) for key, group in groups.items())
        return None

    truth = release(held)
    if truth is None:
        with pytest.raises(ValueError, match="no release"):
            beliefs(people, held, recodings, at_most_half)
        return
    worlds = [world for world in set(itertools.permutations(held)) if release(world) == truth]
    found = beliefs(people, held, recodings, at_most_half)
    for person, belief in enumerate(found):
        expected = Counter(world[person] for world in worlds)
        assert belief == {value: Fraction(times, len(worlds)) for value, times in expected.items()}


def test_too_many_tables_are_refused() -> None:
    with pytest.raises(SearchTooLarge, match="tables would have to be examined"):
        beliefs(["q1"] * 30, [str(number) for number in range(30)], [TOGETHER], always)


def test_the_class_part_is_a_share_of_at_most_one_in_m() -> None:
    classes = classes_of("xxyyzzxxy", [1] * 6 + [2] * 3)
    model = MConfidentiality("s", 3)
    assert model.measure(classes).tolist() == pytest.approx([1 / 3, 2 / 3])
    assert model.holds(classes, model.measure(classes)).tolist() == [True, False]
    assert not check([model], classes_of([None, "x", "y"], [1] * 3))[0].satisfied, "one of the two who have a value"
    assert check([MConfidentiality("s", 3, missing="value")], classes_of([None, "x", "y"], [1] * 3))[0].satisfied


@settings(deadline=None, max_examples=examples(200))
@given(
    found=st.lists(st.tuples(st.sampled_from("xyzw"), st.integers(0, 3)), min_size=1, max_size=14),
    merged=st.lists(st.integers(0, 1), min_size=4, max_size=4),
    m=st.integers(1, 3),
)
def test_merging_classes_that_satisfy_it_breaks_nothing(
    found: list[tuple[str, int]], merged: list[int], m: int
) -> None:
    model = MConfidentiality("s", m)
    assert model.monotone is Monotone.WITHOUT_SUPPRESSION
    values, owners = zip(*found, strict=True)
    if check([model], classes_of(values, owners))[0].satisfied:
        assert check([model], classes_of(values, [merged[owner] for owner in owners]))[0].satisfied


@pytest.mark.parametrize("m", [0, 1.5, True])
def test_parameters(m: object) -> None:
    with pytest.raises(ValueError, match="The 'm' parameter of m-confidentiality must be"):
        MConfidentiality("s", m)  # type: ignore[arg-type]


# --- the choice is blind, and MASK ------------------------------------------------------------------------------


def policy(*models: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {
        "attributes": {
            "zip": {"role": "quasi-identifier", "hierarchy": {"mask": "right"}},
            "illness": {"role": "sensitive"},
        },
        "privacy": {"models": [{"model": "k-anonymity", "k": 2}, *models]},
        **more,
    }


def patients(**classes: str) -> pa.Table:
    """A record for each letter: ``z11="fc"`` are one with the flu and one with a cold in 11."""
    named = {"f": "flu", "c": "cold", "u": "ulcer", "-": None}
    rows = [(place[1:], named[letter]) for place, letters in classes.items() for letter in letters]
    return pa.table({"zip": [row[0] for row in rows], "illness": pa.array([row[1] for row in rows], pa.string())})


CONFIDENTIAL = {"model": "m-confidentiality", "m": 2}


def test_the_choice_does_not_depend_on_the_values() -> None:
    """The table of the attack: a search that looked would generalize; one that does not has nothing to give away."""
    attacked = patients(z11="ff", z12="cuuc")
    with pytest.raises(NoSolution, match="fails in 1 class of"):
        cb.anonymize(attacked, policy(CONFIDENTIAL))
    fine = cb.anonymize(patients(z11="fc", z12="cuuc"), policy(CONFIDENTIAL))
    assert fine.levels == cb.anonymize(attacked, policy()).levels == {"zip": 0}


@pytest.mark.parametrize("other", [{"model": "l-diversity", "l": 2}, {"model": "t-closeness", "t": 0.5}])
def test_models_that_look_at_its_values_do_not_go_with_it(other: dict[str, Any]) -> None:
    with pytest.raises(PolicyError, match="without using illness"):
        cb.anonymize(patients(z11="fc"), policy(CONFIDENTIAL, other))


def test_nor_does_a_label() -> None:
    wanted = policy(CONFIDENTIAL, recoding={"metric": "classification", "label": "illness"})
    with pytest.raises(PolicyError, match=r"recoding\.label uses it"):
        cb.anonymize(patients(z11="fc"), wanted)


def test_mask_distorts_what_fails_and_nothing_else(tmp_path: Path) -> None:
    """One of the two flus of 11 becomes another illness; who reads the release is told."""
    data = patients(z11="ff", z12="cuuc", z21="fcu")
    release = cb.anonymize(data, policy({**CONFIDENTIAL, "distort": True}))
    assert release.levels == {"zip": 0}
    assert any("distorted" in warning for warning in release.warnings)
    release.write(tmp_path / "out")
    assert cb.verify(tmp_path / "out")
    assert "distorted" in (tmp_path / "out" / "public" / "dictionary.md").read_text(encoding="utf-8")
    rows = Counter(zip(*release.to_pandas().astype(object).to_numpy().T, strict=True))
    before = Counter(zip(*data.to_pandas().astype(object).to_numpy().T, strict=True))
    assert {key: n for key, n in rows.items() if key[0] != "11"} == {k: n for k, n in before.items() if k[0] != "11"}
    assert rows["11", "flu"] <= 1
    assert sum(n for key, n in rows.items() if key[0] == "11") == 2


def test_what_cannot_be_distorted_enough_is_refused() -> None:
    with pytest.raises(NoSolution, match="equal shares"):
        cb.anonymize(patients(z11="ffff", z12="ff"), policy({**CONFIDENTIAL, "distort": True}))
    with pytest.raises(NoSolution, match="k = 5 or more"):
        cb.anonymize(patients(z11="fcu", z12="ff"), policy({**CONFIDENTIAL, "m": 5, "distort": True}))


@settings(deadline=None, max_examples=examples(40), suppress_health_check=list(HealthCheck))
@given(classes=st.lists(st.text("fcu-", min_size=2, max_size=9), min_size=1, max_size=5), m=st.integers(1, 4))
def test_after_mask_the_model_holds_and_the_engine_did_what_was_planned(classes: list[str], m: int) -> None:
    data = patients(**{f"z1{place}": letters for place, letters in enumerate(classes)})
    wanted = policy({**CONFIDENTIAL, "m": m, "distort": True})
    try:
        release = cb.anonymize(data, wanted)
    except NoSolution:
        groups = [known for letters in classes if (known := letters.replace("-", ""))]  # who has no value keeps none
        values = {letter for letters in groups for letter in letters}
        assert len(values) < m or any(
            m > len(group) or len(values) * (len(group) // m) < len(group) for group in groups
        )
        return
    frame = release.to_arrow().to_pylist()
    found: dict[str, Counter[str | None]] = {}
    for record in frame:
        found.setdefault(record["zip"], Counter())[record["illness"]] += 1
    known = [[n for value, n in counts.items() if value is not None] for counts in found.values()]
    assert all(max(counts, default=0) * m <= sum(counts) for counts in known)
    planned = release.plan.kept.histograms["illness"]
    labels = planned.domain.labels
    kept = [
        {labels[v]: n for v, n in zip(planned.values[a:b].tolist(), planned.counts[a:b].tolist(), strict=True)}
        for a, b in itertools.pairwise(planned.offsets)
    ]
    assert sorted(map(str, map(sorted_items, kept))) == sorted(map(str, map(sorted_items, found.values())))


def sorted_items(counts: dict[str | None, int]) -> list[tuple[str, int]]:
    return sorted((str(value), count) for value, count in counts.items())
