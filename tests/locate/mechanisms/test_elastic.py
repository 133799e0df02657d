"""Elastic distances."""

from __future__ import annotations

import numpy as np
import pytest

from cobogo.locate.mechanisms import Elastic
from cobogo.locate.mechanisms.discrete import globe_distances
from cobogo.locate.mechanisms.elastic import REACH
from support.location_laws import square


@pytest.fixture(scope="module")
def town() -> Elastic:
    """A crowded middle in an empty country."""
    grid = square(13)
    east, north = grid.metres()
    return Elastic(0.03, grid, np.where(np.hypot(east, north) < 310, 10.0, 0.2), reference=10.0)


def test_within_every_level_of_every_cell_lies_as_much_as_is_asked_for(town: Elastic) -> None:
    mass = np.asarray(town.mass)
    for level in np.linspace(0.05, REACH, 60):
        within = (town.levels() <= level) @ mass
        assert (within >= np.minimum(town.required_mass(level), mass.sum()) * (1 - 1e-9)).all()


def test_elastic_whole_numbers_keep_every_pair_though_only_edges_are_checked(town: Elastic) -> None:
    levels = town.levels()
    assert (np.abs(levels - levels.T) < 1e-12).all()
    worst = np.log(town.weights.max(axis=0) / town.weights.min(axis=0))
    assert np.isfinite(worst).all()
    for x in range(0, town.grid.cells, 5):
        with np.errstate(divide="ignore"):
            told = np.abs(np.log(town.weights / town.weights[x])).max(axis=1)
        assert (told <= levels[x] + 1e-9).all()


def test_people_are_moved_farther_where_it_is_empty(town: Elastic) -> None:
    off = (town.matrix * globe_distances(town.grid)).sum(axis=1)
    centre, corner = town.grid.cells // 2, 2 * town.grid.columns + 2
    assert off[corner] > 1.5 * off[centre]


def test_elastic_distances_are_finite_however_large_epsilon_is() -> None:
    found = Elastic(0.2, square(6))
    assert np.isfinite(found.levels()).all()
    assert (found.matrix.diagonal() > 0.99).all()


def test_elastic_is_plain_where_mass_is_the_same_everywhere() -> None:
    grid = square(9)
    found = Elastic(0.01, grid, reference=1.0).levels()
    plain = 0.01 * globe_distances(grid)
    other = plain > 0
    assert (found <= plain * (1 + 1e-9)).all()
    assert np.median(found[other] / plain[other]) > 0.9  # less at the edges, beyond which nobody is
    with pytest.raises(ValueError, match="above 0 in every cell"):
        Elastic(0.01, grid, np.r_[0.0, np.ones(80)])
