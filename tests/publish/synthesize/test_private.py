"""What reaches the noise differs by no more than was declared, and what is spent is what was allowed."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cobogo.promises.accounting import delta_of, selection_epsilon
from cobogo.publish.synthesize import METHODS
from cobogo.publish.synthesize.methods import CHANGE, dependence
from cobogo.publish.synthesize.private import Attributes, Fitted, PrivateTable, distance
from support.effort import examples
from support.synth_tables import PRIVATE, Tape, codes, excess

pytestmark = pytest.mark.slow

SIZES = (4, 4, 4)
RHO = Fraction(1, 50)


def private(columns: list[list[int]], max_rows: int = 1, tape: Tape | None = None) -> PrivateTable:
    return PrivateTable(SIZES, tuple(np.array(c, dtype=np.int32) for c in columns), RHO, max_rows, tape or Tape())


@pytest.mark.parametrize("method", PRIVATE)
def test_one_person_changes_what_reaches_the_noise_by_no_more_than_declared(method: str) -> None:
    """The same answers are given on both tables, so that both runs ask the same questions."""
    pytest.importorskip("mbi")
    columns = [list(column) for column in codes(300)]
    first, second = Tape(), Tape()
    METHODS[method].fit(private(columns, 3, first), 2)
    second.given = first.answers
    more = [[*column, value, value, value] for column, value in zip(columns, (3, 0, 2), strict=True)]
    rows = private(more, 3, second)
    METHODS[method].fit(rows, 2)
    assert first.asked != second.asked
    assert excess(first, second) == 0
    assert rows.spent == sum((step.rho for step in rows.steps), Fraction(0)) == RHO
    assert sum((step.cost for step in rows.steps), Fraction(0)) <= RHO


def test_the_tape_would_tell_a_method_that_takes_people_for_less() -> None:
    def cheating(rows: PrivateTable) -> Fitted | None:
        rows.choose([(0, 1), (1, 2)], lambda pair, own: 2 * distance(own, pair, np.zeros(16)), 1, RHO)
        return None

    columns = [list(column) for column in codes(50)]
    first = Tape()
    cheating(private(columns, 1, first))
    second = Tape(first.answers)
    cheating(private([[*column, 1] for column in columns], 1, second))
    assert excess(first, second) > 0


def test_nothing_is_spent_beyond_the_budget() -> None:
    rows = private([list(column) for column in codes(50)])
    rows.measure((0,), RHO)
    with pytest.raises(AssertionError):
        rows.measure((1,), Fraction(1, 10**9))
    assert len(rows.steps) == 1


@given(rho=st.fractions(min_value=Fraction(1, 10**6), max_value=10))
@settings(max_examples=examples(50))
def test_the_exponential_mechanism_costs_what_was_allowed(rho: Fraction) -> None:
    epsilon = selection_epsilon(rho)
    assert epsilon**2 / 8 <= rho
    assert (epsilon + Fraction(1, 10**11)) ** 2 / 8 > rho


def test_bounded_range_of_the_exponential_mechanism() -> None:
    """Of exp(ε·u/2) over scores that a person changes by 1, the Rényi divergence is at most α·ε²/8."""
    epsilon, random = 0.7, np.random.default_rng(1)
    for _ in range(200):
        scores = random.integers(0, 6, 5)
        other = scores + random.integers(-1, 2, 5)
        p, q = (np.exp(epsilon * s / 2) / np.exp(epsilon * s / 2).sum() for s in (scores, other))
        for alpha in (1.01, 1.5, 2.0, 4.0, 16.0):
            divergence = np.log((p**alpha * q ** (1 - alpha)).sum()) / (alpha - 1)
            assert divergence <= alpha * epsilon**2 / 8 + 1e-12


rows_of_three = st.lists(st.tuples(*[st.integers(0, 3)] * 3), min_size=0, max_size=30)


@given(rows=rows_of_three, added=st.lists(st.tuples(*[st.integers(0, 3)] * 3), min_size=1, max_size=3))
@settings(max_examples=examples(60))
def test_a_record_changes_scores_by_no_more_than_declared(
    rows: list[tuple[int, int, int]], added: list[tuple[int, int, int]]
) -> None:
    before, after = (private([[r[n] for r in several] for n in range(3)]) for several in (rows, rows + added))
    expected = np.random.default_rng(len(rows)).normal(3, 5, 16)
    pair: Attributes
    for pair in ((0, 1), (1, 2)):
        assert abs(distance(before, pair, expected) - distance(after, pair, expected)) <= len(added)
    for move in ((0, 1), (2, 0, 1), (1, 0, 2)):
        assert abs(dependence(before, move) - dependence(after, move)) <= CHANGE * len(added)


def test_the_score_of_dependence_comes_near_its_sensitivity() -> None:
    """So that a smaller bound would not hold: one record that is alike in nothing with any other."""
    before = private([[0] * 400, [0] * 400, [0] * 400])
    after = private([[0] * 400 + [3], [0] * 400 + [3], [0] * 401])
    assert dependence(after, (0, 1)) - dependence(before, (0, 1)) > 0.97 * (CHANGE - 1)


def test_every_step_of_a_replayed_release_is_within_epsilon_and_delta() -> None:
    from cobogo.data.policy import Synthesis
    from cobogo.publish.synthesize.release import Cost

    cost = Cost.from_policy(Synthesis(epsilon=1.0, delta=1e-9), "here")
    assert delta_of(float(cost.rho), 1.0) <= 1e-9
    assert delta_of(1.001 * float(cost.rho), 1.0) > 1e-9
