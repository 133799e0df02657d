"""OnTheMap's synthesizer has the law of its paper, and keeps ε with the invented people that it adds."""

from __future__ import annotations

from itertools import product
from math import exp, lgamma

import numpy as np
import pytest
from scipy import stats

from cobogo.floor.randomness import Seeded
from cobogo.locate.mobility.areas import AreaTree, Journeys
from cobogo.locate.mobility.on_the_map import below_each, draw_commuters, pseudo_people
from cobogo.locate.places.cells import Cells

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
