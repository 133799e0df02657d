"""People drawn from a model.

OnTheMap's synthesizer has the law of its paper, and keeps ε with the invented people that it adds.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from math import exp, lgamma

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from cobogo.floor.randomness import Seeded
from cobogo.locate.mobility import MobilityModel, Space, dp_where, sample
from cobogo.locate.mobility.areas import AreaTree, Journeys
from cobogo.locate.mobility.counts import SHARES, bound_calls
from cobogo.locate.mobility.fidelity import fidelity
from cobogo.locate.mobility.model import fit_model
from cobogo.locate.mobility.sample import attraction, below_each, draw_at_distance, draw_commuters, pseudo_people
from cobogo.locate.places.cells import Calls, Cells
from cobogo.studies import fortaleza
from support.effort import examples
from support.location_calls import FIRST, SPACE, START, calls_of


def test_made_up_calls_are_at_declared_cells_on_declared_days() -> None:
    made = dp_where(calls_of([[(9, 0), (20, 1)], [(10, 3)]]), SPACE, "0.5", people=300, seed=1)
    assert isinstance(made.model, MobilityModel)
    assert set(made.calls.cell.tolist()) <= set(range(5))
    kept = bound_calls(made.calls, SPACE)
    assert len(kept.user) == len(made.calls) > 0
    assert made.calls.users == 300
    again = sample(made.model, 300, seed=1)
    assert (again.cell == made.calls.cell).all()
    assert len(sample(made.model, 0)) == 0


@pytest.mark.parametrize("people", [[], [[]], [[(9, 0)]], [[(-5, 0)]], [[(9, 4)] * 50]])
def test_nobody_one_person_one_call_none_on_these_days(people: list[list[tuple[int, int]]]) -> None:
    made = dp_where(calls_of(people), SPACE, 1, people=50)
    assert set(made.calls.cell.tolist()) <= set(range(5))
    assert fidelity(calls_of(people), made.calls, SPACE).keys() >= {"daily range", "population by hour"}
    again = MobilityModel.from_dict(made.model.as_dict())
    assert all((again.counts[name] == made.model.counts[name]).all() for name in SHARES)


def test_noise_alone_does_not_make_up_a_country() -> None:
    assert 1 <= fit_model(calls_of([]), SPACE, Fraction(1, 10**8)).people <= 250_000


def test_one_cell_only() -> None:
    alone = Cells.from_columns(["x"], [-38.5], [-3.7])
    calls = Calls(np.zeros(3, np.int64), np.full(3, START), np.zeros(3, np.int64), alone)
    assert set(dp_where(calls, Space(alone, FIRST, 1), 1, people=20).calls.cell.tolist()) <= {0}


@settings(max_examples=examples(25), deadline=None)
@given(st.integers(0, 59), st.integers(0, 14))
def test_a_cell_is_found_at_its_distance_where_there_is_one(start: int, apart: int) -> None:
    space = Space(fortaleza.towers(60), FIRST, 7)
    random = np.random.default_rng(3)
    found = draw_at_distance(space, np.full(20, start), np.full(20, apart), np.ones(60), random)
    bins = space.distance_bin(np.full(60, start), np.arange(60))
    nearest = np.abs(bins - apart).min()
    assert (np.abs(bins[found] - apart) == nearest).all()


def test_attraction_leads_people_where_they_are_wanted() -> None:
    space = Space(fortaleza.towers(60), FIRST, 7)
    random = np.random.default_rng(8)
    home, wanted = random.random(60), random.random(60)
    chances = np.tile(
        np.bincount(space.distance_bin(np.arange(60)[:, None], np.arange(60)[None]).ravel(), minlength=15), (60, 1)
    )
    chances = chances / chances.sum(axis=1, keepdims=True)
    weights = attraction(space, home, chances, wanted)
    starts = np.repeat(np.arange(60), np.round(home * 2_000).astype(np.int64))
    apart = random.choice(chances.shape[1], len(starts), p=chances[0])

    def off(by: np.ndarray) -> float:
        ends = np.bincount(draw_at_distance(space, starts, apart, by, random), minlength=60)
        return float(np.abs(ends / ends.sum() - wanted / wanted.sum()).sum())

    assert off(weights) < off(wanted) / 2


def test_attraction_is_a_number_where_next_to_nobody_can_reach_a_cell() -> None:
    """Noise leaves counts such as 1e-13 where there is nobody."""
    space = Space(fortaleza.towers(80), FIRST, 7)
    home, wanted = np.zeros(80), np.zeros(80)
    home[7], wanted[[2, 3, 60]] = 1e-13, [1e-13, 2e-13, 5e-13]
    chances = np.zeros((80, space.distances))
    chances[:, 0], chances[:, 1:] = 1.0, 2e-300
    weights = attraction(space, home, chances, wanted)
    assert np.isfinite(weights).all()
    assert weights.sum() == pytest.approx(1)
    assert set(np.flatnonzero(weights)) <= {2, 3, 60}


FALSE_ALARM = 1e-6


def law(counts: tuple[int, ...], alpha: int, outcome: tuple[int, ...]) -> float:
    """The probability of an outcome under the Dirichlet-multinomial law, by its formula."""
    size, drawn = sum(counts) + alpha * len(counts), sum(outcome)
    logs = lgamma(size) + lgamma(drawn + 1) - lgamma(size + drawn)
    for count, number in zip(counts, outcome, strict=True):
        logs += lgamma(number + count + alpha) - lgamma(count + alpha) - lgamma(number + 1)
    return exp(logs)


def outcomes(drawn: int, origins: int) -> list[tuple[int, ...]]:
    return [one for one in product(range(drawn + 1), repeat=origins) if sum(one) == drawn]


@pytest.mark.parametrize("epsilon", [0.5, 1.0, 2.0])
def test_enough_people_are_invented_and_not_one_fewer_would_do(epsilon: float) -> None:
    """Of all tables of four people and three origins, and one person in another origin."""
    worst = {}
    for alpha in (pseudo_people(4, epsilon), pseudo_people(4, epsilon) - 1):
        ratios = [
            law(counts, alpha, one) / law(other, alpha, one)
            for counts in outcomes(4, 3)
            for other in outcomes(4, 3)
            if sum(abs(a - b) for a, b in zip(counts, other, strict=True)) == 2 and alpha
            for one in outcomes(4, 3)
        ]
        worst[alpha] = max(ratios, default=np.inf)
    enough, fewer = worst.values()
    assert enough <= exp(epsilon) * (1 + 1e-9) < fewer


def test_draws_follow_the_law() -> None:
    tree = AreaTree.from_columns(Cells(("a", "b"), np.array([-38.5, -38.4]), np.array([-3.7, -3.7])))
    true = Journeys(np.arange(3), np.array([0, 0, 1]), np.zeros(3, dtype=np.int64), tree)
    alpha = pseudo_people(3, 1.5)
    source, seen = Seeded(3), np.zeros(4)
    for _ in range(4_000):
        seen[int((draw_commuters(true, 1.5, source).origin == 0).sum())] += 1
    expected = [4_000 * law((2, 1), alpha, (number, 3 - number)) for number in range(4)]
    assert stats.chisquare(seen, expected).pvalue > FALSE_ALARM


def test_numbers_below_bounds_of_their_own_are_even() -> None:
    drawn = below_each(np.tile([1, 2, 3], 20_000), Seeded(1)).reshape(-1, 3)
    assert drawn.max(axis=0).tolist() == [0, 1, 2]
    assert stats.chisquare(np.bincount(drawn[:, 2])).pvalue > FALSE_ALARM
