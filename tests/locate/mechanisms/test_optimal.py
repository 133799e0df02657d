"""The optimal mechanism, and the spanner that thins its program."""

from __future__ import annotations

import json
import os
import subprocess
from math import exp
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cobogo.locate.mechanisms import GridExponential, Optimal
from cobogo.locate.mechanisms.discrete import globe_distances
from cobogo.locate.mechanisms.optimal import dilation, spanner
from cobogo.locate.places.geometry import Frame
from cobogo.locate.places.grid import Grid
from support.effort import examples
from support.location_laws import a_prior, square
from support.paths import ROOT

pytestmark = pytest.mark.slow

ORACLES = Path(os.environ.get("COBOGO_ORACLES", ROOT / ".venv-oracles"))


PYTHON = ORACLES / ("Scripts/python.exe" if os.name == "nt" else "bin/python")


def test_of_two_cells_the_optimum_is_randomized_response() -> None:
    grid = Grid(Frame(0, 0), 2, 1, 100.0)
    apart = float(globe_distances(grid)[0, 1])
    found = Optimal(0.01, grid, spanner=1.0)
    assert found.expected_loss() == pytest.approx(apart / (1 + exp(0.01 * apart)), rel=1e-6)


def test_the_optimum_is_the_one_of_qif() -> None:
    if not PYTHON.exists() or subprocess.run([PYTHON, "-c", "import qif"], capture_output=True).returncode:
        pytest.skip(f"no qif at {ORACLES}: .venv-oracles/bin/pip install -r tests/oracles/qif.txt (or COBOGO_ORACLES)")
    grid, prior = square(4), a_prior(16, 3)
    task = {"prior": prior.tolist(), "distances": globe_distances(grid).tolist(), "epsilon": 0.008}
    said = subprocess.run(
        [PYTHON, ROOT / "tests/oracles/qif_optimum.py"],
        input=json.dumps(task),
        capture_output=True,
        text=True,
        check=True,
    )
    ours = Optimal(0.008, grid, prior, spanner=1.0).expected_loss()
    assert ours == pytest.approx(json.loads(said.stdout)["loss"], rel=1e-5)


def test_a_wider_spanner_loses_more_and_none_as_much_as_the_exponential_mechanism() -> None:
    grid, prior = square(4), a_prior(16)
    losses = [Optimal(0.008, grid, prior, dilation).expected_loss() for dilation in (1.0, 1.1, 1.5)]
    assert losses == sorted(losses)
    assert losses[0] < losses[-1] < GridExponential(0.008, grid).loss(prior)


@settings(deadline=None, max_examples=examples(25))
@given(st.integers(2, 14), st.sampled_from([1.0, 1.1, 1.5, 2.0]), st.integers(0, 10_000))
def test_a_spanner_has_a_short_path_for_every_pair(count: int, dilation: float, seed: int) -> None:
    from scipy.sparse.csgraph import shortest_path

    places = np.random.default_rng(seed).random((count, 2))
    away = np.hypot(*(places[:, None] - places).transpose(2, 0, 1))
    one, other = spanner(away, dilation)
    graph = np.zeros_like(away)
    graph[one, other] = away[one, other]
    assert (shortest_path(graph, directed=False) <= dilation * away * (1 + 1e-9)).all()


def test_the_optimum_of_a_small_grid_is_the_optimum_and_a_spanner_is_as_wide_as_it_is() -> None:
    """No dilation is paid for that the spanner does not have: 1.1 on squares is 1.082."""
    grid, prior = square(5, 500.0), a_prior(25)
    plain, exact, wide = (Optimal(0.008, grid, prior, spanner=one).expected_loss() for one in (None, 1.0, 1.1))
    assert plain == pytest.approx(exact, rel=1e-6)
    assert wide < exact * 1.36  # 1.42 times where ε is divided by 1.1
    away = globe_distances(grid)
    assert dilation(away, *spanner(away, 1.1)) == pytest.approx(1.0797, abs=1e-3)
