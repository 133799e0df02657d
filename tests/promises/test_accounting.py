"""Costs add up as the literature says, and conversions never promise more than dp-accounting would."""

from __future__ import annotations

import json
import math
import os
import subprocess
from fractions import Fraction
from functools import reduce
from operator import add
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cobogo.errors import PolicyError
from cobogo.promises.accounting import (
    ATTO,
    NANO,
    PrivacyLoss,
    delta_of,
    epsilon_of,
    exact_amount,
    float_above,
    rho_of,
    round_down,
    round_up,
    to_rho,
)
from support.paths import ROOT

pytestmark = pytest.mark.slow

ORACLES = Path(os.environ.get("COBOGO_ORACLES", ROOT / ".venv-oracles"))
PYTHON = ORACLES / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
SCRIPT = ROOT / "tests/oracles/dp_accounting_epsilon.py"

amounts = st.fractions(min_value=0, max_value=10, max_denominator=10**12)


def test_sequential_composition_adds_up() -> None:
    half = PrivacyLoss("epsilon", Fraction(1, 2), Fraction(1, 10**6))
    assert half + half + half == PrivacyLoss("epsilon", Fraction(3, 2), Fraction(3, 10**6))
    with pytest.raises(ValueError, match="convert"):
        half + PrivacyLoss("rho", Fraction(1))


def test_pure_costs_are_concentrated_ones() -> None:
    assert to_rho(PrivacyLoss("epsilon", Fraction(1, 2))) == PrivacyLoss("rho", Fraction(1, 8))


@pytest.mark.parametrize("rho", [1e-4, 0.01, 0.5, 2.0, 30.0])
@pytest.mark.parametrize("delta", [1e-10, 1e-6, 1e-2])
def test_conversion_of_zcdp(rho: float, delta: float) -> None:
    epsilon = epsilon_of(rho, delta)
    assert epsilon <= rho + 2 * math.sqrt(rho * math.log(1 / delta))  # Bun & Steinke, Proposition 1.3
    assert delta_of(rho, epsilon) <= delta
    assert delta >= _gaussian_delta(rho, epsilon)  # the Gaussian mechanism's own δ, which no conversion can undercut
    back = float(rho_of(Fraction(epsilon), Fraction(delta)))
    assert delta_of(back, epsilon) <= delta
    assert back == pytest.approx(rho, rel=1e-6) or (epsilon < 1e-9 and back > rho)  # δ alone allows for more


def _gaussian_delta(rho: float, epsilon: float) -> float:
    """Balle & Wang 2018, for sensitivity 1 and σ² = 1/2ρ."""
    from scipy.stats import norm

    sigma = 1 / math.sqrt(2 * rho)
    one, two = 1 / (2 * sigma) - epsilon * sigma, -1 / (2 * sigma) - epsilon * sigma
    return float(norm.cdf(one) - math.exp(epsilon + norm.logcdf(two)))


@pytest.mark.skipif(
    not PYTHON.exists() or subprocess.run([PYTHON, "-c", "import dp_accounting"], capture_output=True).returncode != 0,
    reason=f"no environment with dp-accounting at {ORACLES}: python -m venv .venv-oracles && "
    ".venv-oracles/bin/pip install -r tests/oracles/requirements.txt (or set COBOGO_ORACLES)",
)
def test_dp_accounting_never_finds_more_than_we_charge() -> None:
    """A mixture of Laplace and Gaussian releases: our sums, and our conversion, are upper bounds of its tight ones."""
    task = {"laplace": [0.1, 0.1, 0.5], "gaussian": [0.01, 0.05, 0.2], "delta": 1e-6}
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    done = subprocess.run(
        [str(PYTHON), str(SCRIPT), json.dumps(task)], capture_output=True, text=True, check=False, env=environment
    )
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    pure = reduce(add, [PrivacyLoss("epsilon", exact_amount(epsilon, "epsilon")) for epsilon in task["laplace"]])
    assert found["laplace"] <= float(pure.amount) + 1e-4
    spent = reduce(add, [PrivacyLoss("rho", exact_amount(rho, "rho")) for rho in task["gaussian"]])
    ours = epsilon_of(float(spent.amount), task["delta"])
    assert found["gaussian"] <= ours <= found["gaussian"] * 1.15
    both = spent + to_rho(pure)
    assert found["both"] <= epsilon_of(float(both.amount), task["delta"])


@given(amount=amounts)
def test_charges_round_up_and_limits_down(amount: Fraction) -> None:
    for unit in (NANO, ATTO):
        assert round_down(amount, unit) <= amount * unit <= round_up(amount, unit) < amount * unit + 1
    assert amount <= Fraction(float_above(amount))


def test_a_float_means_what_was_written() -> None:
    assert exact_amount(0.1, "epsilon") * 10 == 1
    assert exact_amount("1e-9", "delta") == Fraction(1, NANO)
    assert exact_amount(0, "delta", zero=True) == 0


@pytest.mark.parametrize("amount", [0, -1, "abc", float("nan"), float("inf"), True, "", "1/0"])
def test_what_is_no_amount_is_refused(amount: object) -> None:
    with pytest.raises(PolicyError):
        exact_amount(amount, "epsilon")  # type: ignore[arg-type]
