"""(c,k)-safety against a brute force over all worlds and all implications."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cobogo.promises.models import Classes, Monotone, Scope
from cobogo.promises.models.check import check
from cobogo.promises.models.ck_safety import CKSafety
from support import random_tables as tables
from support.effort import examples
from support.random_tables import row

pytestmark = pytest.mark.slow

Bucket = tuple[str, ...]
World = tuple[str, ...]
Atom = tuple[int, str]

buckets = st.lists(st.lists(st.sampled_from("xyz"), min_size=1, max_size=4).map(tuple), min_size=1, max_size=3)
few_people = buckets.filter(lambda found: sum(map(len, found)) <= 6)


def classes_of(groups: Sequence[Sequence[str | None]]) -> Classes:
    values = [value for group in groups for value in group]
    keys = [number for number, group in enumerate(groups) for _ in group]
    return tables.classes(row(s=values), keys)[1]


def measured(groups: Sequence[Sequence[str | None]], k: int) -> float:
    return float(CKSafety("s", c=1.0, k=k).measure(classes_of(groups))[0])


def worlds(groups: Sequence[Bucket]) -> list[World]:
    """Every way to deal the values of each bucket to its people, each equally likely."""
    dealt = [sorted(set(itertools.permutations(group))) for group in groups]
    return [tuple(itertools.chain(*parts)) for parts in itertools.product(*dealt)]


def atoms(groups: Sequence[Bucket]) -> list[Atom]:
    """Everybody with each value of their bucket."""
    people = [group for group in groups for _ in group]
    return [(person, value) for person, group in enumerate(people) for value in sorted(set(group))]


def true_in(world: World, atom: Atom) -> bool:
    return world[atom[0]] == atom[1]


def best_confidence(possible: Iterable[World], wanted: Sequence[Atom]) -> Fraction:
    """The largest confidence in an atom, given the worlds that are left."""
    left = list(possible)
    return max((Fraction(sum(true_in(w, a) for w in left), len(left)) for a in wanted), default=Fraction(0))


def with_one_consequent(groups: Sequence[Bucket], k: int) -> Fraction:
    """Over all A and all sets of k atoms Aᵢ: the confidence in A given Aᵢ ⇒ A."""
    every, known = worlds(groups), atoms(groups)
    most = Fraction(0)
    for consequent in known:
        for chosen in itertools.combinations(known, min(k, len(known))):
            left = [w for w in every if true_in(w, consequent) or not any(true_in(w, a) for a in chosen)]
            most = max(most, best_confidence(left, [consequent]))
    return most


def implications(known: Sequence[Atom], *, longest: int = 1) -> Iterator[tuple[tuple[Atom, ...], tuple[Atom, ...]]]:
    """All of them with up to so many atoms on either side."""
    sides = [side for size in range(1, longest + 1) for side in itertools.combinations(known, size)]
    yield from itertools.product(sides, sides)


def with_any(groups: Sequence[Bucket], k: int, *, longest: int = 1) -> Fraction:
    """Over all sets of k implications whatever: the largest confidence in any atom."""
    every, known = worlds(groups), atoms(groups)
    true = np.array([[true_in(w, atom) for atom in known] for w in every])
    place = {atom: column for column, atom in enumerate(known)}
    agreeing = {
        (~true[:, [place[a] for a in before]].all(axis=1) | true[:, [place[a] for a in after]].any(axis=1)).tobytes()
        for before, after in implications(known, longest=longest)
    }
    kinds = [np.frombuffer(found, dtype=bool) for found in agreeing]
    most = Fraction(0)
    for chosen in itertools.combinations_with_replacement(kinds, k):
        left = np.logical_and.reduce(chosen)
        if left.any():
            most = max(most, Fraction(int(true[left].sum(axis=0).max()), int(left.sum())))
    return most


@settings(deadline=None, max_examples=examples(150))
@given(groups=few_people, k=st.integers(0, 2))
def test_it_measures_the_worst_of_implications_with_one_consequent(groups: list[Bucket], k: int) -> None:
    assert measured(groups, k) == pytest.approx(float(with_one_consequent(groups, k)))


@settings(deadline=None, max_examples=examples(25))
@given(groups=few_people.filter(lambda found: len(atoms(found)) <= 9))
def test_no_other_implications_tell_more(groups: list[Bucket]) -> None:
    """One of any with two atoms on each side, or two of any with one: never more than those with one consequent."""
    assert float(with_any(groups, 1, longest=2)) <= measured(groups, 1) + 1e-12
    assert float(with_any(groups, 1)) == pytest.approx(measured(groups, 1))


def test_two_of_any_tell_no_more_either() -> None:
    for groups in ([("x", "x", "y", "z")], [("x", "y"), ("x", "y")], [("x", "y", "z"), ("x", "y")]):
        assert float(with_any(groups, 2)) == pytest.approx(measured(groups, 2))


FLU: tuple[Bucket, Bucket] = (("flu", "flu", "cold", "mumps", "gout"), ("flu", "flu", "cold", "mumps", "gout"))


def test_two_buckets_of_five_with_one_value_twice() -> None:
    """4/7 after one implication, 4/5 after two: the figures of the notes."""
    assert measured(FLU, 0) == pytest.approx(2 / 5)
    assert measured(FLU, 1) == pytest.approx(0.5714, abs=5e-5)
    assert measured(FLU, 2) == pytest.approx(0.8)
    assert float(with_one_consequent(FLU[:1], 1)) == pytest.approx(4 / 7)


def test_knowledge_spread_over_classes_can_be_worth_more_than_in_either() -> None:
    """Why this is a condition on the table: with three implications each class alone is safe at c = 0.502."""
    one = tuple("aaaaaabbbbbbcccccdddeeffgh")
    other = tuple("aaaaaabbbbbcccddeeffghi")
    assert measured([one], 3) == pytest.approx(0.5)
    assert measured([other], 3) <= 0.5
    assert measured([one, other], 3) == pytest.approx(52 / 103)


@settings(deadline=None, max_examples=examples(300))
@given(groups=buckets, merged=st.lists(st.integers(0, 1), min_size=3, max_size=3), k=st.integers(0, 4))
def test_merging_never_helps_the_attacker(groups: list[Bucket], merged: list[int], k: int) -> None:
    together: dict[int, list[str]] = {}
    for group, owner in zip(groups, merged, strict=False):
        together.setdefault(owner, []).extend(group)
    assert measured(list(together.values()), k) <= measured(groups, k) + 1e-12
    assert CKSafety("s", 0.5, k).monotone is Monotone.WITHOUT_SUPPRESSION


def slowly(groups: Sequence[Bucket], k: int) -> float:
    """The formula of the paper, by going through every way to spread the atoms."""
    counts = [sorted(Counter(group).values(), reverse=True) for group in groups]

    def missed(group: list[int], parts: Sequence[int]) -> Fraction:
        size, chance = sum(group), Fraction(1)
        for place, part in enumerate(sorted(parts, reverse=True)):
            if part and place < size:
                chance *= Fraction(max(size - place - sum(group[:part]), 0), size - place)
        return chance

    slots = [(number, person) for number, group in enumerate(counts) for person in range(min(sum(group), k + 1))]
    least = None
    for spread in itertools.combinations_with_replacement(range(len(slots)), k + 1):
        held = Counter(slots[slot] for slot in spread)
        product = Fraction(1)
        for number, group in enumerate(counts):
            product *= missed(group, [times for (owner, _), times in held.items() if owner == number])
        for number, group in enumerate(counts):
            if any(owner == number for owner, _ in held):
                ratio = product / Fraction(group[0], sum(group))
                least = ratio if least is None else min(least, ratio)
    assert least is not None
    return float(1 / (1 + least))


@settings(deadline=None, max_examples=examples(60))
@given(
    groups=st.lists(st.lists(st.sampled_from("xxyzw"), min_size=1, max_size=9).map(tuple), min_size=1, max_size=4),
    k=st.integers(0, 3),
)
def test_the_dynamic_programme_finds_the_least_favourable_spread(groups: list[Bucket], k: int) -> None:
    assert measured(groups, k) == pytest.approx(slowly(groups, k))


@settings(deadline=None, max_examples=examples(40))
@given(groups=buckets, k=st.integers(0, 3))
def test_many_equal_classes_are_as_bad_as_k_plus_one_of_them(groups: list[Bucket], k: int) -> None:
    assert measured(groups * 40, k) == pytest.approx(measured(groups * (k + 1), k))


def test_enough_knowledge_makes_certain() -> None:
    assert measured([("x", "y", "z")], 2) == 1
    assert measured([("x",)], 0) == 1


def test_it_is_a_condition_on_the_table_and_its_bound_is_not_reached() -> None:
    """Below c, not at it: 2/5 is not safe at c = 2/5."""
    (at,) = check([CKSafety("s", c=0.4, k=0)], classes_of(FLU))
    (above,) = check([CKSafety("s", c=0.4000001, k=0)], classes_of(FLU))
    assert not at.satisfied
    assert above.satisfied
    assert CKSafety.scope is Scope.TABLE
    assert at.worst_class is None


def test_null_is_a_value_where_it_is_said_to_be_and_nothing_is_known_of_nobody() -> None:
    some = [("x", None, None, "y", "z")]
    assert measured(some, 1) == pytest.approx(1 / 2)
    assert CKSafety("s", c=1.0, k=1, missing="value").measure(classes_of(some))[0] == pytest.approx(4 / 7)
    classes = classes_of(FLU)
    empty = classes.where(np.zeros(len(classes), dtype=bool))
    assert CKSafety("s", 0.5, 1).measure(empty).tolist() == [0]
    (verdict,) = check([CKSafety("s", 0.5, 1)], empty)
    assert verdict.satisfied


@pytest.mark.parametrize(("key", "value"), [("c", 0), ("c", 1.5), ("c", "x"), ("k", -1), ("k", 1.5), ("k", True)])
def test_parameters(key: str, value: object) -> None:
    with pytest.raises(ValueError, match=rf"The '{key}' parameter of c-k-safety must be"):
        CKSafety(**{"attribute": "s", "c": 0.5, "k": 1, key: value})  # type: ignore[arg-type]
