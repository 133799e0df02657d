"""An attacker's view: from many answers on neighbours, the least ε that explains them. It stays below what was paid.

Each group of a table is a pair of neighbours of its own: one person is in it, or nobody. Bounds are Clopper and
Pearson's, each wrong once in a million runs. The same audit catches mechanisms that are broken on purpose.
"""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction

import pyarrow as pa
import pytest
from scipy import stats

from cobogo.answer.curator import RegisteredDataset
from cobogo.answer.measure import add_noise
from cobogo.answer.noise import NoisePlan, choose_noise
from cobogo.answer.plan import plan
from cobogo.answer.sql.parse import parse
from cobogo.promises.accounting import PrivacyLoss
from cobogo.promises.curator_file import DeclaredDataset
from cobogo.promises.mechanisms import Laplace
from support.audits import ERROR, least_epsilon

pytestmark = pytest.mark.slow

GROUPS = 2000


def dataset(*, public: bool = True) -> DeclaredDataset:
    keys = {"keys": list(range(GROUPS))} if public else {}
    columns = {"place": {"type": "integer", **keys}, "worth": {"type": "integer", "bounds": [-3, 8]}}
    return DeclaredDataset.model_validate({"columns": columns, "budget": {"epsilon": 1}})


def figures(text: str, loss: PrivacyLoss, rows: int, *, broken: float = 1.0, runs: int = 10) -> list[int]:
    """The first figure of every group, of several answers; with ``broken`` the noise is too small by that factor."""
    declared = dataset()
    chosen = choose_noise(plan(parse(text, {"d": declared}), declared), loss)
    if broken != 1:
        chosen = _broken(chosen, broken)
    table = pa.table({"place": pa.array(range(rows), pa.int64()), "worth": pa.array([10**6] * rows, pa.int64())})
    exact = RegisteredDataset(declared, table, None).measure(chosen.plan)
    first = next(iter(chosen.additive))
    return [figure for _ in range(runs) for figure in add_noise(exact, chosen).figures[first]]


def _broken(chosen: NoisePlan, factor: float) -> NoisePlan:
    smaller = {
        m: Laplace(noise.sensitivity, noise.epsilon * Fraction(factor))
        for m, noise in chosen.additive.items()
        if isinstance(noise, Laplace)
    }
    return replace(chosen, additive=smaller)


@pytest.mark.parametrize("text", ["COUNT(*)", "SUM(worth)"])
def test_answers_tell_no_more_than_was_paid_for(text: str) -> None:
    question = f"SELECT place, {text} FROM d GROUP BY place"
    loss = PrivacyLoss("epsilon", Fraction(1))
    told = least_epsilon(figures(question, loss, GROUPS), figures(question, loss, 0))
    assert 0.5 < told <= 1  # not far below, or the audit would be blind


def test_the_audit_catches_noise_that_is_too_small() -> None:
    question, loss = "SELECT place, COUNT(*) FROM d GROUP BY place", PrivacyLoss("epsilon", Fraction(1))
    told = least_epsilon(figures(question, loss, GROUPS, broken=2), figures(question, loss, 0, broken=2))
    assert told > 1


def test_gaussian_answers_tell_no_more_than_was_paid_for() -> None:
    from cobogo.promises.accounting import epsilon_of

    question, loss = "SELECT place, COUNT(*) FROM d GROUP BY place", PrivacyLoss("rho", Fraction(1, 2))
    told = least_epsilon(figures(question, loss, GROUPS), figures(question, loss, 0), 0.01)
    assert 0.3 < told <= epsilon_of(0.5, 0.01)


@pytest.mark.parametrize("measure", ["epsilon", "rho"])
def test_a_group_of_one_person_is_told_of_with_probability_delta_at_most(measure: str) -> None:
    declared = dataset(public=False)
    loss = PrivacyLoss("epsilon" if measure == "epsilon" else "rho", Fraction(1), Fraction(1, 20))
    chosen = choose_noise(plan(parse("SELECT place, COUNT(*) FROM d GROUP BY place", {"d": declared}), declared), loss)
    exact = RegisteredDataset(declared, pa.table({"place": range(GROUPS), "worth": range(GROUPS)}), None).measure(
        chosen.plan
    )
    told = sum(len(add_noise(exact, chosen).groups) for _ in range(5))
    rate = 1 / 20
    assert told <= stats.binom.ppf(1 - ERROR, 5 * GROUPS, rate)
    assert told >= stats.binom.ppf(ERROR, 5 * GROUPS, rate / 4)  # and not by hiding everything
    assert add_noise({m: {} for m in exact}, chosen).groups == []


def test_answers_lie_on_a_lattice_that_no_row_moves() -> None:
    """What floats gave away in their last bits (Mironov 2012): here neighbours have the same possible answers."""
    columns = {"worth": {"type": "number", "bounds": [0, 1], "decimals": 2}}
    declared = DeclaredDataset.model_validate({"columns": columns, "budget": {"epsilon": 1}})
    loss = PrivacyLoss("epsilon", Fraction(1))
    chosen = choose_noise(plan(parse("SELECT SUM(worth) AS total FROM d", {"d": declared}), declared), loss)
    for rows in ([0.1, 0.7, 1 / 3, math.pi], [0.1, 0.7, 1 / 3]):
        exact = RegisteredDataset(declared, pa.table({"worth": rows}), None).measure(chosen.plan)
        (measurement,) = exact
        found = chosen.additive[measurement].release([exact[measurement][()]] * 20_000)
        assert all(type(figure) is int for figure in found)
        assert set(range(110, 215)) <= set(found)  # each is expected 35 times or more, whoever is there
