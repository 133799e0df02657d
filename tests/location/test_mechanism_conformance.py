"""What is asked of every location mechanism."""

from __future__ import annotations

import numpy as np
import pytest

from cobogo.cli.catalogue import catalogue
from cobogo.location.base import Mechanism
from cobogo.location.mechanisms import MECHANISMS, PlanarLaplace
from cobogo.location.points import Points
from cobogo.randomness import Seeded

EXAMPLES: dict[str, Mechanism] = {
    "planar-laplace": PlanarLaplace(0.01),
}
"""One of each."""

NAMES = sorted(MECHANISMS)


def walks(seed: int = 0) -> Points:
    """Two people walking in Fortaleza, their reports mixed."""
    rng = np.random.default_rng(seed)
    steps = np.cumsum(rng.normal(0, 3e-4, (2, 40, 2)), axis=1) + np.array([-38.52, -3.75])
    lon, lat = steps[..., 0].T.ravel(), steps[..., 1].T.ravel()
    return Points.of(lon, lat, time=np.repeat(np.arange(40) * 60.0, 2), user=["ana", "bia"] * 40)


def test_every_mechanism_has_an_example() -> None:
    assert sorted(EXAMPLES) == NAMES
    assert all(type(EXAMPLES[name]) is MECHANISMS[name] for name in NAMES)


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


SETTLED: set[str] = set()
"""Mechanisms that draw nothing for a report."""


@pytest.mark.parametrize("name", NAMES)
def test_its_options_make_it_again(name: str) -> None:
    mechanism = EXAMPLES[name]
    twin = MECHANISMS[name](**mechanism.options())
    assert twin.guarantee == mechanism.guarantee
    assert (twin.apply(walks(), Seeded(1)).points.lon == mechanism.apply(walks(), Seeded(1)).points.lon).all()


@pytest.mark.parametrize("name", NAMES)
def test_a_person_is_treated_as_if_alone(name: str) -> None:
    """Reports of one do not tell what others did: with her words, a person's cost is the same alone."""
    points = walks()
    assert points.user is not None
    alone = EXAMPLES[name].apply(points.take(points.user == 0), Seeded(1))
    assert len(alone.points) == 40


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("option", ["epsilon", "k", "radius"])
def test_senseless_parameters_are_refused_by_name(name: str, option: str) -> None:
    options = EXAMPLES[name].options()
    if option not in options:
        return
    for senseless in (0, -1, float("nan")):
        with pytest.raises(ValueError, match=f"'{option}'.*{name}"):
            MECHANISMS[name](**{**options, option: senseless})


def test_all_are_listed() -> None:
    listed = dict(catalogue("mechanisms"))
    for name in NAMES:
        assert listed[name].endswith("(location)")
