"""pure-ldp and multi-freq-ldpy, as independent oracles: the same probabilities, and the variances that we foretell."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats

from support.asked import ORACLES
from support.paths import ROOT

PEERS = Path(os.environ.get("COBOGO_LDP_ORACLES", ROOT / ".venv-oracles-ldp"))
PYTHON = PEERS / "bin" / "python"
SCRIPT = ROOT / "tests/oracles/ldp_peers.py"
COUNTS, REPEATS, SIZES = [60, 30, 10, 0], 120, {"rows": 8, "width": 8}

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        not PYTHON.exists(),
        reason=f"no environment with pure-ldp at {PEERS}: python -m venv .venv-oracles-ldp && "
        ".venv-oracles-ldp/bin/pip install -r tests/oracles/ldp.txt (or set COBOGO_LDP_ORACLES)",
    ),
]


def oracle(name: str, epsilon: float) -> Any:
    return ORACLES[name](len(COUNTS), epsilon, **(SIZES if name in ("cms", "hcms") else {}))


@pytest.fixture(scope="module", params=[0.7, 2.0])
def peers(request) -> dict[str, Any]:
    epsilon = request.param
    ours = {
        name: [oracle(name, epsilon).p, oracle(name, epsilon).q] for name in ("grr", "sue", "oue", "olh", "hadamard")
    }
    task = {"epsilon": epsilon, "counts": COUNTS, "repeats": REPEATS, "probabilities": ours, **SIZES}
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    asked = subprocess.run(
        [PYTHON, SCRIPT, json.dumps(task)], capture_output=True, text=True, check=False, env=environment
    )
    assert asked.returncode == 0, asked.stderr
    return {"epsilon": epsilon, **json.loads(asked.stdout.splitlines()[-1])}


def test_probabilities_are_the_same(peers):
    for name, (own, *other) in peers["probabilities"].items():
        ours = oracle(name, peers["epsilon"])
        assert ours.p == pytest.approx(own, rel=1e-9)
        if name not in ("olh", "cms", "hcms"):  # pure-ldp tells another q of a hash's cells
            assert ours.q == pytest.approx(other[0], rel=1e-9)


def test_variances_are_those_that_multi_freq_ldpy_tells(peers):
    users = sum(COUNTS)
    for name, theirs in peers["variances"].items():
        ours = oracle(name, peers["epsilon"]).variance(np.array(COUNTS, dtype=float), users) / users**2
        assert ours == pytest.approx(np.array(theirs), rel=1e-9)


def test_estimates_of_pure_ldp_vary_as_foretold(peers):
    low, high = stats.chi2(REPEATS).ppf([1e-8, 1 - 1e-8])
    for name, estimates in peers["estimates"].items():
        found = np.array(estimates)
        variance = oracle(name, peers["epsilon"]).variance(np.array(COUNTS, dtype=float), sum(COUNTS))
        deviation = (found.mean(axis=0) - COUNTS) / np.sqrt(variance / REPEATS)
        assert np.abs(deviation).max() < 6, name
        statistic = ((found - COUNTS) ** 2).sum(axis=0) / variance
        assert (statistic > low).all(), name
        assert (statistic < high).all(), name
