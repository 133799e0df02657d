"""What is asked of every location mechanism."""

from __future__ import annotations

import numpy as np
import pytest

from cobogo.floor.randomness import Seeded
from cobogo.locate.mechanisms import (
    MECHANISMS,
    Adaptive,
    CachedDummies,
    Centroid,
    Disc,
    Dummies,
    Eclipse,
    Elastic,
    GridExponential,
    Indirect,
    KeyedTransform,
    MapKey,
    Optimal,
    PlanarLaplace,
    Predictive,
    Remapped,
    SeveralPlaces,
)
from cobogo.locate.mechanisms.base import Course, Mechanism
from cobogo.locate.mechanisms.discrete import Discrete
from cobogo.locate.places.cells import PublicPlaces
from cobogo.locate.places.geometry import Frame
from cobogo.locate.places.grid import Grid
from cobogo.locate.places.points import Points
from cobogo.tell.reference.sections import listing
from cobogo.testing import check_mechanism

AREA = Grid.from_bounds(-38.56, -3.79, -38.48, -3.71, size=1500)
PRIOR = np.arange(1, AREA.cells + 1) / 100
PLACES = PublicPlaces(Points.from_columns(np.linspace(-38.56, -38.48, 9), np.linspace(-3.79, -3.71, 9)))

EXAMPLES: dict[str, Mechanism] = {
    "planar-laplace": PlanarLaplace(0.01),
    "planar-laplace, in a region": PlanarLaplace(0.001, region=PLACES),
    "remapped-laplace": Remapped(0.01, AREA, PRIOR),
    "optimal": Optimal(0.001, AREA, PRIOR, spanner=1.5),
    "grid-exponential": GridExponential(0.001, AREA),
    "elastic": Elastic(0.001, AREA, PRIOR),
    "predictive": Predictive(0.01),
    "adaptive": Adaptive(0.01),
    "adaptive, judged by reports": Adaptive(0.01, judge="reports"),
    "several": SeveralPlaces(0.01),
    "centroid": Centroid(0.01, AREA),
    "disc": Disc(200.0, 0.5, "shift"),
    "keyed-transform": KeyedTransform(MapKey(bytes(range(16))), Frame(-38.52, -3.73)),
    "indirect": Indirect(PLACES),
    "dummies": Dummies(5, AREA, prior=PRIOR),
    "eclipse": Eclipse(0.01, AREA, prior=PRIOR),
    "cached-dummies": CachedDummies(5, AREA, prior=PRIOR),
    "dummies, moving": Dummies(5, AREA, "enhanced-dls", prior=PRIOR, moving=True),
}
"""One of each at least."""

SETTLED = {"keyed-transform", "indirect"}
"""Those that draw nothing for a report."""

NAMES = sorted(EXAMPLES)


def walks(seed: int = 0) -> Points:
    """Two people walking in Fortaleza, their reports mixed."""
    rng = np.random.default_rng(seed)
    steps = np.cumsum(rng.normal(0, 3e-4, (2, 40, 2)), axis=1) + np.array([-38.52, -3.75])
    lon, lat = steps[..., 0].T.ravel(), steps[..., 1].T.ravel()
    return Points.from_columns(lon, lat, time=np.repeat(np.arange(40) * 60.0, 2), user=["ana", "bia"] * 40)


def test_every_mechanism_has_an_example() -> None:
    assert {type(example) for example in EXAMPLES.values()} == set(MECHANISMS.values())
    assert all(name == one.name for name, one in MECHANISMS.items())


@pytest.mark.parametrize("name", NAMES)
def test_it_passes_the_suite_that_other_packages_use(name: str) -> None:
    check_mechanism(EXAMPLES[name])


@pytest.mark.parametrize("name", NAMES)
def test_there_is_one_report_a_point_in_order(name: str) -> None:
    points = walks()
    released = EXAMPLES[name].apply(points, Seeded(1))
    assert len(released.points) == len(points) == len(released.cost)
    assert (released.points.time == points.time).all()
    assert (released.points.user == points.user).all()
    assert released.points.names == points.names
    assert (np.abs(released.points.lat) <= 90).all()
    assert ((released.points.lon >= -180) & (released.points.lon < 180)).all()
    if released.members is not None:
        assert released.report is not None
        assert len(released.members) == len(released.report)
        assert sorted(set(released.report.tolist())) == list(range(len(points)))


@pytest.mark.parametrize("name", NAMES)
def test_costs_are_those_of_the_guarantee(name: str) -> None:
    mechanism = EXAMPLES[name]
    cost, promised = mechanism.apply(walks(), Seeded(1)).cost, mechanism.guarantee
    assert (cost >= 0).all()
    if promised.kind == "none":
        assert promised.note
        assert promised.epsilon is None
        assert str(promised).startswith("no guarantee")
        assert promised.k is None
    else:
        assert promised.epsilon is not None
        assert promised.epsilon > 0
        assert (cost <= promised.epsilon * (1 + 1e-12)).all()


@pytest.mark.parametrize("name", NAMES)
def test_no_points_have_no_reports(name: str) -> None:
    released = EXAMPLES[name].apply(walks().take(slice(0, 0)), Seeded(1))
    assert len(released.points) == len(released.cost) == 0


@pytest.mark.parametrize("name", NAMES)
def test_the_source_decides_and_nothing_else_is_random(name: str) -> None:
    one, again, other = (EXAMPLES[name].apply(walks(), Seeded(seed)).points for seed in (1, 1, 2))
    assert (one.lon == again.lon).all()
    assert (one.lat == again.lat).all()
    if name not in SETTLED:
        assert (one.lon != other.lon).any()


@pytest.mark.parametrize("name", NAMES)
def test_its_options_make_it_again(name: str) -> None:
    mechanism = EXAMPLES[name]
    twin = type(mechanism)(**mechanism.options())
    assert twin.guarantee == mechanism.guarantee
    assert (twin.apply(walks(), Seeded(1)).points.lon == mechanism.apply(walks(), Seeded(1)).points.lon).all()


@pytest.mark.parametrize("name", [name for name in NAMES if not isinstance(EXAMPLES[name], Discrete)])
def test_what_one_person_reports_does_not_depend_on_where_others_are(name: str) -> None:
    """With the same words. (On cells, words go to people in the order of cells, so that it holds in law only.)"""
    points = walks()
    assert points.user is not None
    ana = points.user == 0
    moved = points.move_to(np.where(ana, points.lon, 100.0), np.where(ana, points.lat, 60.0))
    one, other = (EXAMPLES[name].apply(where, Seeded(1)) for where in (points, moved))
    assert (one.points.lon[ana] == other.points.lon[ana]).all()
    assert (one.points.lat[ana] == other.points.lat[ana]).all()
    assert (one.cost[ana] == other.cost[ana]).all()


@pytest.mark.parametrize("name", NAMES)
def test_the_ends_of_the_world_are_places_like_others(name: str) -> None:
    ends = Points.from_columns([0, 180, -180, 179.99999, 12, -77], [90, 0, -90, 45, 89.999999, -89.999999])
    reports = EXAMPLES[name].apply(ends, Seeded(1)).points
    assert np.isfinite(reports.lon).all()
    assert ((reports.lon >= -180) & (reports.lon < 180)).all()
    assert (np.abs(reports.lat) <= 90).all()


@pytest.mark.parametrize("name", NAMES)
def test_a_course_of_reports_is_as_long_as_the_way(name: str) -> None:
    course = Course(EXAMPLES[name], Seeded(1))
    points = walks()
    made = [course.report(points.take(slice(i, i + 2))) for i in range(0, 20, 2)]
    assert [len(one.points) for one in made] == [2] * 10
    assert all((one.cost <= (EXAMPLES[name].guarantee.epsilon or np.inf) * (1 + 1e-12)).all() for one in made)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("option", ["epsilon", "k", "radius"])
def test_senseless_parameters_are_refused_by_name(name: str, option: str) -> None:
    mechanism = EXAMPLES[name]
    options = mechanism.options()
    if option not in options:
        return
    for senseless in (0, -1, float("nan")):
        with pytest.raises(ValueError, match=f"'{option}'.*{mechanism.name}"):
            type(mechanism)(**{**options, option: senseless})


def test_all_are_listed() -> None:
    listed = dict(listing("mechanisms"))
    for name in MECHANISMS:
        assert listed[name].endswith("(location)")
