"""One's own position among made-up ones."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from cobogo.floor.randomness import Seeded
from cobogo.locate.mechanisms import Dummies
from cobogo.locate.mechanisms.base import Course
from cobogo.locate.places.geometry import Frame, distance, move
from cobogo.locate.places.grid import Grid
from cobogo.locate.places.points import Points
from support.location_grids import FORTALEZA, here

PRIOR = np.random.default_rng(8).gamma(0.5, 1, FORTALEZA.cells)


ALLOWED = np.random.default_rng(9).random(FORTALEZA.cells) < 0.6


KINDS = ["uniform", "dls", "enhanced-dls"]


def sets(mechanism: Dummies, people: Points, seed: int = 1) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    released = mechanism.apply(people, Seeded(seed))
    assert released.members is not None
    shape = (len(people), mechanism.k)
    return released.members.lon.reshape(shape), released.members.lat.reshape(shape), released.owner_only["truth"]


@pytest.mark.parametrize("how", KINDS)
@pytest.mark.parametrize("moving", [False, True])
def test_the_truth_is_among_k_positions_at_any_place_in_the_row(how: str, moving: bool) -> None:
    people = here(6000)
    lon, lat, truth = sets(Dummies(6, FORTALEZA, how, PRIOR, ALLOWED, moving=moving), people)  # type: ignore[arg-type]
    rows = np.arange(len(people))
    assert distance(people.lon, people.lat, lon[rows, truth], lat[rows, truth]).max() < 1
    assert stats.chisquare(np.bincount(truth, minlength=6)).pvalue > 1e-6


@pytest.mark.parametrize("how", KINDS)
@pytest.mark.parametrize("moving", [False, True])
def test_dummies_keep_to_where_people_may_be(how: str, moving: bool) -> None:
    people = here(500)
    lon, lat, truth = sets(Dummies(5, FORTALEZA, how, PRIOR, ALLOWED, moving=moving), people)  # type: ignore[arg-type]
    made_up = np.arange(5) != truth[:, None]
    # A report is snapped to the metre after it was placed, so it may be just over the edge of its cell.
    allowed = ALLOWED[FORTALEZA.cell_of(lon[made_up], lat[made_up])]
    assert allowed.mean() > 0.98


def entropies(how: str) -> np.ndarray:
    people = here(800)
    mechanism = Dummies(8, FORTALEZA, how, PRIOR)  # type: ignore[arg-type]
    lon, lat, _ = sets(mechanism, people)
    chances = PRIOR[FORTALEZA.nearest_cell(lon, lat)]
    shares = chances / chances.sum(axis=1, keepdims=True)
    return -(shares * np.log2(np.maximum(shares, 1e-300))).sum(axis=1)


def test_dls_leaves_the_prior_nothing_to_choose_by() -> None:
    assert np.median(entropies("dls")) > 2.99
    assert np.median(entropies("enhanced-dls")) > 2.98
    assert np.median(entropies("uniform")) < 2.5


def test_enhanced_dls_spreads_farther() -> None:
    people = here(800)

    def spread(how: str) -> float:
        lon, lat, _ = sets(Dummies(5, FORTALEZA, how, PRIOR), people)  # type: ignore[arg-type]
        away = distance(lon[:, :, None], lat[:, :, None], lon[:, None], lat[:, None])
        one, other = np.triu_indices(5, 1)
        return float(np.log(away[:, one, other] + 1).mean())

    assert spread("enhanced-dls") > spread("dls") + 0.1


def test_the_true_cell_stands_anywhere_in_the_rank_of_its_set() -> None:
    """Were the dummies always its neighbours to both sides, the truth would be the one in the middle."""
    people = Points(*FORTALEZA.centres(np.full(6000, int(np.argsort(PRIOR)[FORTALEZA.cells // 2]))))
    lon, lat, truth = sets(Dummies(5, FORTALEZA, "enhanced-dls", PRIOR), people)
    chances = PRIOR[FORTALEZA.nearest_cell(lon, lat)]
    rank = (chances < chances[np.arange(6000), truth][:, None]).sum(axis=1)
    share = np.bincount(rank, minlength=5) / 6000
    assert share.max() < 2.2 * share.min()


@pytest.mark.parametrize("one_by_one", [False, True])
def test_moving_dummies_go_as_far_as_the_person_does(one_by_one: bool) -> None:
    lon, lat = move(np.full(80, -38.53), np.full(80, -3.76), np.cumsum(np.tile([60.0, 0.0, 90.0, 15.0], 20)), 0.6)
    people = Points.from_columns(lon, lat, time=np.arange(80) * 60.0, user=np.zeros(80))
    mechanism = Dummies(6, FORTALEZA, "dls", PRIOR, moving=True)
    released = mechanism.apply(people, Seeded(3))
    assert released.members is not None
    own = people.take(slice(1, None)).distance(people.take(slice(0, -1)))
    members = [released.members.take(released.report == i) for i in range(80)]
    if one_by_one:
        course = Course(mechanism, Seeded(4))
        members = [made for i in range(80) if (made := course.report(people.take(slice(i, i + 1))).members) is not None]
    # Which member follows which is not told: each has one before it at the person's own distance.
    for i in range(1, 80):
        away = distance(members[i].lon[:, None], members[i].lat[:, None], members[i - 1].lon, members[i - 1].lat)
        near = np.abs(away - own[i - 1]).min(axis=1)
        stayed = away.min(axis=1)
        assert (np.minimum(near, stayed) < 3).all()
        assert (near < 3).sum() >= 5


def test_senseless_dummies_are_refused() -> None:
    for options, named in (({"k": 1}, "k"), ({"how": "magic"}, "how"), ({"prior": [1]}, "prior"),
                           ({"allowed": np.zeros(FORTALEZA.cells)}, "allowed")):  # fmt: skip
        with pytest.raises(ValueError, match=f"'{named}' parameter of dummies"):
            Dummies(**{"k": 5, "grid": FORTALEZA, **options})  # type: ignore[arg-type]


@pytest.mark.parametrize("how", ["dls", "enhanced-dls"])
@pytest.mark.parametrize("prior", [None, np.arange(1600) % 3 == 0], ids=["no prior", "a prior of few values"])
def test_dummies_as_likely_as_the_truth_are_anywhere_on_the_map(how: str, prior) -> None:
    """Of cells that are equally likely, all are: no more of the dummies share the true cell's row than chance puts
    there (2.5 %, and 10,000 draws: 6 standard deviations are 0.9 points)."""
    grid = Grid(Frame(-38.5, -3.75), 40, 40, 500.0)
    cells = np.resize(np.flatnonzero(np.ones(1600) if prior is None else prior), 1112)
    released = Dummies(10, grid, how, prior=prior).apply(Points.from_columns(*grid.centres(cells)), Seeded(1))  # type: ignore[arg-type]
    x, y = released.owner_only["made up"].transpose(2, 0, 1)
    row = np.floor(y / 500 + 20)
    assert (row == (cells // 40)[:, None]).mean() < 0.025 + 0.009
    assert (np.ptp(x, axis=1) > 5000).mean() > 0.9


def test_a_track_that_comes_home_is_not_the_only_one() -> None:
    """Dummies turn as their owner does, so that where nothing stops them they come home, too."""
    grid = Grid(Frame(-38.5, -3.75), 400, 400, 500.0)
    angle = np.linspace(0, 2 * np.pi, 25)
    lon, lat = grid.frame.degrees(1000 * np.cos(angle), 700 * np.sin(angle))
    round_trip = Points.from_columns(lon, lat, time=np.arange(25) * 60.0, user=["ana"] * 25)
    made = Dummies(10, grid, "uniform", moving=True).apply(round_trip, Seeded(1))
    tracks = made.owner_only["made up"]
    assert (np.hypot(*(tracks[-1] - tracks[0]).T) < 0.1).sum() >= 8  # one began at the edge of the grid
    assert (np.hypot(*(tracks[12] - tracks[0]).T) > 1900).sum() >= 8
