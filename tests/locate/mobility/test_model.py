"""DP-WHERE: what one person can change, what it costs, and what is drawn from it."""

from dataclasses import replace
from datetime import date
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cobogo.errors import DataError, PolicyError
from cobogo.locate.mobility import MobilityModel, Space, sample, where
from cobogo.locate.mobility.counts import SHARES, WHOLE, counts, habits, histogram_shapes
from cobogo.locate.mobility.fidelity import daily_ranges, fidelity, on_a_line, on_a_map
from cobogo.locate.mobility.fit import fit_model
from cobogo.locate.mobility.model import NoisyHistogram, _not_negative, budget, coarsen, estimate, mechanism
from cobogo.locate.mobility.sample import at_distance, attraction
from cobogo.locate.mobility.space import bound_calls
from cobogo.locate.places.cells import Calls, Cells
from cobogo.studies import fortaleza

FIRST = date(2024, 3, 4)
START = 1_709_510_400.0
"""Monday, 4 March 2024, 00:00 UTC."""

CELLS = Cells.of(list("abcde"), [-38.50, -38.505, -38.52, -38.56, -38.60], [-3.73, -3.731, -3.74, -3.75, -3.80])
SPACE = Space(CELLS, FIRST, 3, most_a_day=4)

Records = list[tuple[int, int, int]]
PERSON = st.lists(st.tuples(st.integers(-30, 5 * 24), st.integers(0, 4)), max_size=14)
"""Calls of one person: hours since the first midnight (some before it, some after the last), and cells."""


def calls_of(people: list[list[tuple[int, int]]]) -> Calls:
    rows = [(number, hour, cell) for number, person in enumerate(people) for hour, cell in person]
    user, hour, cell = (np.array([row[at] for row in rows], dtype=np.int64) for at in range(3))
    return Calls(user, np.asarray(START + hour * 3_600.0 + 60.0, np.float64), cell, CELLS)


def reaches_the_noise(calls: Calls, space: Space = SPACE) -> dict[str, np.ndarray]:
    """Both levels of every part, as they are before noise."""
    records = bound_calls(calls, space)
    forms = histogram_shapes(space)
    exact = counts(records, habits(records, space), space)
    return {
        **exact,
        **{f"{name}, coarse": coarsen(fine, forms[name]) for name, fine in exact.items()},
    }


@settings(max_examples=60, deadline=None)
@given(st.lists(PERSON, max_size=4), PERSON, PERSON)
def test_one_person_changes_no_more_than_declared(
    others: list[list[tuple[int, int]]], one: list[tuple[int, int]], other: list[tuple[int, int]]
) -> None:
    without = reaches_the_noise(calls_of(others))
    with_one = reaches_the_noise(calls_of([one, *others]))
    changed = reaches_the_noise(calls_of([other, *others]))
    for name, shape in histogram_shapes(SPACE).items():
        for level in (name, f"{name}, coarse"):
            assert np.abs(with_one[level] - without[level]).sum() <= shape.sensitivity
            assert np.abs(with_one[level] - changed[level]).sum() <= 2 * shape.sensitivity  # one gone, another come


@settings(max_examples=30, deadline=None)
@given(st.lists(PERSON, max_size=4), st.randoms(use_true_random=False))
def test_the_order_of_rows_and_the_names_of_people_do_not_matter(
    people: list[list[tuple[int, int]]], random: object
) -> None:
    calls = calls_of(people)
    rows = list(range(len(calls)))
    random.shuffle(rows)  # type: ignore[attr-defined]
    mixed = calls.take(np.array(rows, dtype=np.int64))
    renamed = replace(mixed, user=np.array([7, 3, 90, 1])[mixed.user])
    before, after = reaches_the_noise(calls), reaches_the_noise(renamed)
    assert all((before[name] == after[name]).all() for name in before)


def test_parts_cost_what_the_whole_costs() -> None:
    for epsilon in (Fraction(1), Fraction(1, 10), Fraction(1, 3), Fraction(10**9)):
        assert sum(budget(epsilon).values()) == epsilon
        assert budget(epsilon).keys() == SHARES.keys() == histogram_shapes(SPACE).keys()
    for name, shape in histogram_shapes(SPACE).items():
        cost = budget(Fraction(1))[name]
        noise = mechanism(shape, cost)
        assert 2 * noise.loss.amount == cost  # one for each level
        assert noise.scale >= shape.sensitivity / (cost / 2)
        assert shape.sensitivity == (WHOLE if name in ("times", "days", "presence", "outings", "places") else 1)


def test_with_next_to_no_noise_the_exact_counts_are_released_and_with_some_they_are_not() -> None:
    people = [[(9, 0), (20, 1), (33, 0), (50, 2)], [(10, 3), (34, 3)]] * 40
    calls = calls_of(people)
    exact = reaches_the_noise(calls)
    loud = fit_model(calls, SPACE, Fraction(10**6))
    assert all(
        (part.fine == exact[name]).all()
        for name, part in loud.parts.items()
        if histogram_shapes(SPACE)[name].sensitivity == 1
    )
    quiet = fit_model(calls, SPACE, Fraction(1, 100))
    assert any((part.fine != exact[name]).any() for name, part in quiet.parts.items())
    assert all((part.fine != exact[name]).mean() > 0.5 for name, part in quiet.parts.items())


def test_what_a_person_s_records_tell() -> None:
    monday_to_wednesday = Space(CELLS, FIRST, 3)
    records = [(2, 0), (22, 0), (10, 1), (11, 1), (12, 2), (34, 1), (58, 3)]
    found = habits(bound_calls(calls_of([records]), monday_to_wednesday), monday_to_wednesday)
    assert (found.home.tolist(), found.work.tolist()) == ([0], [1])
    #        2h a  10h b  11h b  12h c  22h a | 34h = 10h b | 58h = 10h d
    assert found.state.tolist() == [0, 1, 1, 2, 0, 1, 2]
    assert found.pattern.tolist() == [6, 6, 6, 6, 6, 1, 3]
    assert found.calls.tolist() == [2, 2, 2, 2, 2, 0, 0]
    only_evening = habits(
        bound_calls(calls_of([[(19, 2), (19, 4), (19, 2)]]), monday_to_wednesday), monday_to_wednesday
    )
    assert (only_evening.home.tolist(), only_evening.work.tolist()) == ([2], [2])  # no calls at night or at work


def test_saturday_is_no_working_day_and_the_clock_may_stand_apart_from_utc() -> None:
    weekend = Space(CELLS, date(2024, 3, 9), 2)
    calls = Calls(
        np.zeros(2, np.int64), START + np.array([5 * 24 + 10, 6 * 24 + 22]) * 3_600.0, np.array([1, 0]), CELLS
    )
    assert weekend.free.tolist() == [1, 1]
    assert habits(bound_calls(calls, weekend), weekend).work.tolist() == [0]
    late = Calls(np.zeros(1, np.int64), np.array([START + 2 * 3_600.0]), np.array([1]), CELLS)
    assert bound_calls(late, Space(CELLS, FIRST, 1, utc_offset=-3)).people == 0  # it is still Sunday there
    assert bound_calls(late, Space(CELLS, date(2024, 3, 3), 1, utc_offset=-3)).hour.tolist() == [23]


def test_the_first_calls_of_a_day_count_up_to_the_cap() -> None:
    records = bound_calls(calls_of([[(hour, hour % 5) for hour in range(10)]]), SPACE)
    assert records.hour.tolist() == [0, 1, 2, 3]


@settings(max_examples=40, deadline=None)
@given(st.lists(st.lists(st.integers(-20, 30), min_size=1, max_size=5), min_size=1, max_size=4), st.data())
def test_counts_are_moved_to_the_nearest_that_are_not_negative(groups: list[list[int]], data: st.DataObject) -> None:
    total = np.array([data.draw(st.integers(0, 40)) for _ in groups], dtype=np.float64)
    values = np.array([value for group in groups for value in group], dtype=np.float64)
    member = np.repeat(np.arange(len(groups)), [len(group) for group in groups])
    found = _not_negative(values, member, total)
    assert (found >= 0).all()
    assert np.allclose(np.bincount(member, found, len(groups)), total)
    for number, group in enumerate(groups):
        low, high = -100.0, 100.0  # an oracle: the one amount by which all are lowered
        for _ in range(80):
            middle = (low + high) / 2
            too_much = np.maximum(np.array(group) - middle, 0).sum() > total[number]
            low, high = (middle, high) if too_much else (low, middle)
        assert np.allclose(found[member == number], np.maximum(np.array(group) - high, 0), atol=1e-6)


def test_both_levels_together_know_more_than_either() -> None:
    """Against the truth, by squares: noise is drawn from a seed, and the levels' own errors are the measure."""
    random = np.random.default_rng(5)
    shape = histogram_shapes(Space(fortaleza.towers(), FIRST, 7))["home"]
    truth = random.poisson(30, shape.bins)
    worst, best = [], []
    for _ in range(20):
        noisy = NoisyHistogram(
            np.round(truth + random.laplace(0, 40, shape.bins)).astype(np.int64),
            np.round(coarsen(truth, shape) + random.laplace(0, 40, shape.parents)).astype(np.int64),
            Fraction(1),
        )
        found = coarsen(np.round(estimate(noisy, shape)).astype(np.int64), shape) - coarsen(truth, shape)
        worst.append(float((coarsen(noisy.fine, shape) - coarsen(truth, shape)).std()))
        best.append(float(found.std()))
    assert np.mean(best) < 0.6 * np.mean(worst)
    exact = NoisyHistogram(truth, coarsen(truth, shape), None)
    assert np.allclose(estimate(exact, shape), truth)


def test_made_up_calls_are_at_declared_cells_on_declared_days() -> None:
    made = where(calls_of([[(9, 0), (20, 1)], [(10, 3)]]), SPACE, "0.5", people=300, seed=1)
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
    made = where(calls_of(people), SPACE, 1, people=50)
    assert set(made.calls.cell.tolist()) <= set(range(5))
    assert fidelity(calls_of(people), made.calls, SPACE).keys() >= {"daily range", "population by hour"}
    again = MobilityModel.of(made.model.as_dict())
    assert all((again.counts[name] == made.model.counts[name]).all() for name in SHARES)


def test_noise_alone_does_not_make_up_a_country() -> None:
    assert 1 <= fit_model(calls_of([]), SPACE, Fraction(1, 10**8)).people <= 250_000


def test_one_cell_only() -> None:
    alone = Cells.of(["x"], [-38.5], [-3.7])
    calls = Calls(np.zeros(3, np.int64), np.full(3, START), np.zeros(3, np.int64), alone)
    assert set(where(calls, Space(alone, FIRST, 1), 1, people=20).calls.cell.tolist()) <= {0}


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 59), st.integers(0, 14))
def test_a_cell_is_found_at_its_distance_where_there_is_one(start: int, apart: int) -> None:
    space = Space(fortaleza.towers(60), FIRST, 7)
    random = np.random.default_rng(3)
    found = at_distance(space, np.full(20, start), np.full(20, apart), np.ones(60), random)
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
        ends = np.bincount(at_distance(space, starts, apart, by, random), minlength=60)
        return float(np.abs(ends / ends.sum() - wanted / wanted.sum()).sum())

    assert off(weights) < off(wanted) / 2


def test_earth_mover_s_distances_are_those_of_scipy_and_of_brute_force() -> None:
    from scipy.stats import wasserstein_distance

    random = np.random.default_rng(4)
    one, other = random.normal(0, 3, 40), random.normal(1, 2, 70)
    assert on_a_line(one, other) == pytest.approx(wasserstein_distance(one, other))
    place = np.column_stack((np.arange(12.0), np.zeros(12)))  # on a line both must agree
    left, right = random.random(12), random.random(12)
    line = wasserstein_distance(np.arange(12), np.arange(12), left, right)
    assert on_a_map(left, right, place) == pytest.approx(line)
    assert on_a_map(left, left * 3, place) == 0
    calls = fortaleza.people(40, days=2, seed=3).calls(fortaleza.towers(30))
    space = Space(calls.cells, FIRST, 2, utc_offset=-3)
    records = bound_calls(calls, space)
    days: dict[tuple[int, int], set[int]] = {}
    for user, day, cell in zip(records.user.tolist(), records.day.tolist(), records.cell.tolist(), strict=True):
        days.setdefault((user, day), set()).add(cell)
    spread = [max(calls.cells.distances[a, b] for a in cells for b in cells) for _, cells in sorted(days.items())]
    assert daily_ranges(records, space).tolist() == pytest.approx(spread)


def test_utility_survives_at_the_scale_of_a_city() -> None:
    """The noise is fresh each time; the bounds are far from what is found (see docs/where.md)."""
    calls = fortaleza.people(4_000, days=7, seed=11).calls(fortaleza.towers(80))
    space = Space(calls.cells, FIRST, 7, utc_offset=-3)
    near, far = (
        fidelity(calls, sample(fit_model(calls, space, epsilon), seed=2), space)
        for epsilon in (Fraction(10), Fraction(1, 100))
    )
    assert near["population by hour"]["mean"] < 0.6 * near["population by hour"]["of calls from anywhere"]
    assert near["daily range"]["earth mover's metres"] < 400
    assert near["population by hour"]["mean"] < 0.7 * far["population by hour"]["mean"]


def test_unknown_cells_are_refused_without_being_shown_or_left_out() -> None:
    user, time, cell = ["ana", "bia", "ana"], ["2024-03-04 08:00:00"] * 3, ["a", "secret place", "b"]
    with pytest.raises(DataError, match=r"1 call of 3.*row 2") as refused:
        Calls.of(user, time, cell, CELLS)
    assert "secret" not in str(refused.value)
    kept = Calls.of(user, time, cell, CELLS, leave_out=True)
    assert kept.cell.tolist() == [0, 1]
    assert bound_calls(kept, SPACE).people == 1
    with pytest.raises(DataError, match="row 1"):
        Calls.of(["ana"], ["soon"], ["a"], CELLS)
    with pytest.raises(DataError, match="twice"):
        Cells.of(["a", "a"], [0, 0], [0, 1])


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"days": 0}, "days"),
        ({"utc_offset": 20}, "utc-offset"),
        ({"area": 0}, "area"),
        ({"most_a_day": 0}, "most-a-day"),
    ],
)
def test_declarations_are_checked(change: dict[str, Any], named: str) -> None:
    with pytest.raises(PolicyError, match=named):
        replace(SPACE, **change)
    with pytest.raises(PolicyError, match="epsilon"):
        where(calls_of([]), SPACE, 0)
