"""People drawn from a model."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cobogo.locate.mobility import MobilityModel, Space, dp_where, sample
from cobogo.locate.mobility.counts import SHARES
from cobogo.locate.mobility.fidelity import fidelity
from cobogo.locate.mobility.model import fit_model
from cobogo.locate.mobility.sample import attraction, draw_at_distance
from cobogo.locate.mobility.space import bound_calls
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
