"""Attacks over several releases: the k-anonymity paper's tables, and properties against a plain count."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cobogo.data.hierarchy import Hierarchy
from cobogo.examine.attacks import attack
from cobogo.examine.attacks.crossing import ClassStructure, Crossing, Meeting
from cobogo.examine.attacks.several_releases import Intersection
from cobogo.promises.models import Domain
from support.effort import examples
from support.physician_tables import GT1, GT1_AND_NEW, GT3, GT3_AND_NEW, POLICY, PRIVATE, Row, frame

pytestmark = pytest.mark.slow

JOINING = ["complementary", "temporal", "intersection"]


@pytest.mark.parametrize("name", JOINING)
def test_gt1_and_gt3_isolate_exactly_two_people(name: str) -> None:
    findings = attack(name, frame(GT1), frame(GT3), policy=POLICY)
    assert findings.exposed.tolist() == [7, 8]
    assert findings.highest == 1
    assert [PRIVATE[row - 1][0:1] + PRIVATE[row - 1][2:4] for row in findings.exposed] == [
        ("white", "male", "02138"),
        ("white", "female", "02139"),
    ]


@pytest.mark.parametrize("name", JOINING)
def test_each_release_alone_tells_nobody(name: str) -> None:
    """Released twice, a table says nothing that it did not say once."""
    for rows in (GT1, GT3):
        assert not attack(name, frame(rows), frame(list(reversed(rows))), policy=POLICY)


@pytest.mark.parametrize("name", [*JOINING, "differencing"])
def test_a_release_based_on_the_first_does_not(name: str) -> None:
    assert not attack(name, frame(GT1), frame(GT1_AND_NEW), policy=POLICY)


@pytest.mark.parametrize("name", JOINING)
def test_time_does_not_heal_it(name: str) -> None:
    assert attack(name, frame(GT1), frame(GT3_AND_NEW), policy=POLICY).exposed.tolist() == [7, 8]


def test_the_order_of_rows_does_not_matter() -> None:
    shuffled = [GT3[place] for place in np.random.default_rng(7).permutation(len(GT3))]
    findings = attack("complementary", frame(GT1), frame(shuffled), policy=POLICY)
    assert {shuffled[row - 1] for row in findings.exposed} == {GT3[6], GT3[7]}


def test_a_third_release_is_crossed_with_both_before() -> None:
    findings = attack("complementary", frame(GT1), frame(GT1_AND_NEW), frame(GT3), policy=POLICY)
    assert findings.exposed.tolist() == [7, 8]


def test_one_who_comes_alone_is_found_by_differencing() -> None:
    joined = [*GT1, ("white", "1967", "male", "02138", "gout")]
    findings = attack("differencing", frame(GT1), frame(joined), policy=POLICY)
    assert (findings.rows_of, findings.exposed.tolist(), findings.highest) == ("release 2", [13], 1)
    gone = attack("differencing", frame(joined), frame(GT1), policy=POLICY)
    assert (gone.rows_of, gone.exposed.tolist()) == ("release 1", [13])


TREE = Hierarchy.from_columns("a", [["1", "2", "3", "4"], ["12", "12", "34", "34"], ["*"] * 4])
people = st.lists(
    st.tuples(st.integers(0, 3), st.integers(0, 2), st.integers(0, 3), st.integers(0, 2)), min_size=1, max_size=14
)


@settings(deadline=None, max_examples=examples(30))
@given(found=people, levels=st.tuples(*[st.integers(0, 2)] * 4))
def test_joining_against_a_plain_count(found: list[Row], levels: tuple[int, ...]) -> None:
    """Two attributes at any levels, rows told again by a number: the groups left are those of the finer levels."""
    trees = {"tree": {"*": {"12": ["1", "2"], "34": ["3", "4"]}}}
    policy = {
        "attributes": {
            "a": {"role": "quasi-identifier", "hierarchy": trees},
            "b": {"role": "quasi-identifier", "hierarchy": trees},
            "who": {"role": "non-sensitive"},
        },
        "privacy": {"models": [{"model": "k-anonymity", "k": 2}]},
    }

    def at(first: int, second: int) -> list[tuple[str, str]]:
        return [(TREE.labels[first][TREE.maps[first][a]], TREE.labels[second][TREE.maps[second][b]])
                for a, _, b, _ in found]  # fmt: skip

    def released(first: int, second: int) -> list[tuple[str, str, str]]:
        return [(*values, str(who)) for who, values in enumerate(at(first, second))]

    one, other = levels[:2], levels[2:]
    both = at(min(one[0], other[0]), min(one[1], other[1]))
    alike, before, after = Counter(both), Counter(at(*one)), Counter(at(*other))
    expected = [
        who + 1
        for who, values in enumerate(both)
        if alike[values] == 1 and min(before[at(*one)[who]], after[at(*other)[who]]) > 1
    ]
    columns = ("a", "b", "who")
    findings = attack(
        "complementary", frame(released(*one), columns), frame(released(*other), columns), policy=policy
    )  # fmt: skip
    assert findings.exposed.tolist() == expected


def test_values_that_have_nothing_in_common() -> None:
    meet = Meeting(TREE, TREE)
    assert meet("12", "3") == (False, ("12", "3"))
    assert meet("12", "2")[0]
    assert meet("12", "2")[1] == meet("2", "*")[1] == meet("2", "2")[1]
    assert not Meeting(None, None)("12", "2")[0]
    assert Meeting(None, None)("*", "2") == (True, ("=", "2"))


def test_a_new_column_adds_to_every_row_finer_or_not() -> None:
    """The first row is finer than it was, the second is not; both have a column that the earlier release lacks."""
    rows = np.arange(2)
    values = np.zeros((2, 1), dtype=np.int32), np.array([[0, 0], [1, 0]], dtype=np.int32)
    earlier = ClassStructure(("a",), {"a": ("12",)}, values[0], rows, {}, {}, {"a": TREE})
    later = ClassStructure(("a", "b"), {"a": ("1", "12"), "b": ("x",)}, values[1], rows, {}, {}, {"a": TREE})
    assert Crossing(earlier, later, rows, rows).later_adds.tolist() == [True, True]
    assert Crossing(earlier, later, rows, rows).earlier_adds.tolist() == [False, False]
    assert Crossing(later, earlier, rows, rows).earlier_adds.tolist() == [True, True]


def structure(classes: Sequence[int], values: Sequence[str], people: Sequence[int] | None = None) -> ClassStructure:
    labels = tuple(sorted(set(values)))
    codes = np.array([labels.index(value) for value in values], dtype=np.int32)
    known, owners = np.unique(np.array(classes), return_inverse=True)
    return ClassStructure(
        ("q",),
        {"q": tuple(map(str, known.tolist()))},
        np.arange(len(known), dtype=np.int32)[:, None],
        owners.astype(np.int64),
        {"s": codes},
        {"s": Domain("s", labels, np.bincount(codes, minlength=len(labels)))},
        people=None if people is None else np.array(people, dtype=np.uint64),
    )


rows = st.lists(st.tuples(st.integers(0, 2), st.sampled_from("xyz")), min_size=1, max_size=10)


@settings(deadline=None, max_examples=examples(150))
@given(before=rows, after=rows, linked=st.integers(0, 10))
def test_intersection_against_a_plain_count(
    before: list[tuple[int, str]], after: list[tuple[int, str]], linked: int
) -> None:
    """The first rows of both are the same people, whose values do not change."""
    linked = min(linked, len(before), len(after))
    after = [(owner, before[n][1] if n < linked else value) for n, (owner, value) in enumerate(after)]
    one, other = structure(*zip(*before, strict=True)), structure(*zip(*after, strict=True))
    same = np.arange(linked)
    (told,) = Intersection().distinguish(Crossing(one, other, same, same))
    assert told.rows.tolist() == same.tolist()
    for n in range(linked):
        first, second = (Counter(v for o, v in rows if o == rows[n][0]) for rows in (before, after))
        left = first & second
        value = before[n][1]
        assert told.confidence[n] == pytest.approx(left[value] / left.total())
        assert told.baseline[n] == pytest.approx(max(first[value] / first.total(), second[value] / second.total()))
        group = told.groups.histograms["s"]
        entries = slice(group.offsets[told.owners[n]], group.offsets[told.owners[n] + 1])
        labels = [group.domain.labels[code] for code in group.values[entries]]
        assert dict(zip(labels, group.counts[entries].tolist(), strict=True)) == dict(left)


@settings(deadline=None, max_examples=examples(100))
@given(found=st.lists(st.tuples(st.integers(0, 2), st.sampled_from("xyz"), st.integers(0, 4)), min_size=1, max_size=12))
def test_people_with_several_rows_count_once(found: list[tuple[int, str, int]]) -> None:
    classes, values, people = zip(*found, strict=True)
    side = structure(classes, values, people)
    counted = side.group_rows(np.arange(len(side)), side.owners, len(side.codes))
    for number, name in enumerate(sorted(set(classes))):
        there = {(value, who) for owner, value, who in found if owner == name}
        assert counted.sizes[number] == len({who for _, who in there})
        histogram = counted.histograms["s"]
        entries = slice(histogram.offsets[number], histogram.offsets[number + 1])
        labels = [histogram.domain.labels[code] for code in histogram.values[entries]]
        expected = Counter(value for value, _ in there)
        assert dict(zip(labels, histogram.counts[entries].tolist(), strict=True)) == dict(expected)
