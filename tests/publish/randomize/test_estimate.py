"""Estimates are right on average, and as uncertain as they say: simulations inside their intervals."""

from __future__ import annotations

import math
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

import cobogo as cb
from cobogo.errors import OutputError
from cobogo.floor.randomness import Entropy
from cobogo.promises.operators import (
    Operator,
    Uniform,
    estimate_by_inversion,
    estimate_by_likelihood,
    operator_from_matrix,
    project_onto_simplex,
    variances,
    warner,
)
from cobogo.publish.randomize.estimate import (
    CountEstimate,
    accuracy,
    agreement,
    correction,
    count,
    count_sampled,
    estimate_count,
    filter_noise,
    find_rules,
    grow_tree,
    no_correction,
    noise_density,
    reconstruct,
    uniform_variance,
)
from cobogo.publish.randomize.make import METHODS
from support.effort import examples
from support.randomized_tables import policy, table

Z = 5.5  # standard errors that a mean of many draws strays by with a probability below 1e-7

TILTED = operator_from_matrix(np.array([[0.7, 0.2, 0.1], [0.2, 0.6, 0.3], [0.1, 0.2, 0.6]]))
OPERATORS = {"uniform": Uniform(3, Fraction(2, 5)), "matrix": TILTED}


@pytest.mark.parametrize("operator", OPERATORS.values(), ids=list(OPERATORS))
def test_draws_are_spread_as_the_matrix_says(operator: Operator) -> None:
    n = 60_000
    for x in range(3):
        drawn = np.bincount(operator.sample(np.full(n, x), Entropy()), minlength=3)
        expected = operator.matrix()[:, x]
        assert (abs(drawn - n * expected) < Z * np.sqrt(n * expected * (1 - expected))).all()


@pytest.mark.parametrize("operator", OPERATORS.values(), ids=list(OPERATORS))
def test_the_inverse_undoes_the_spread(operator: Operator) -> None:
    shares = np.array([0.2, 0.5, 0.3])
    assert operator.inverse(operator.spread(shares)) == pytest.approx(shares)
    assert operator.spread(shares) == pytest.approx(operator.matrix() @ shares)
    assert operator.matrix().sum(axis=0) == pytest.approx(1)


def test_a_domain_too_large_for_a_matrix_needs_none() -> None:
    operator = Uniform(10**9, Fraction(1, 2))
    assert operator.amplification > 10**9 - 10
    assert len(operator.sample(np.arange(1000), Entropy())) == 1000
    with pytest.raises(ValueError, match="too large"):
        operator.matrix()


@settings(deadline=None, max_examples=examples(40))
@given(st.lists(st.integers(0, 400), min_size=3, max_size=3).filter(lambda n: sum(n) > 0), st.integers(1, 9))
def test_the_likeliest_distribution_is_the_inversion_or_lies_on_the_edge(observed: list[int], tenths: int) -> None:
    operator, seen = Uniform(3, Fraction(tenths, 10)), np.array(observed)
    inversion = estimate_by_inversion(operator, seen)
    found = estimate_by_likelihood(operator, seen, rounds=200_000, tolerance=1e-15)
    assert found.sum() == pytest.approx(1)
    if inversion.min() > 0.01:
        assert found == pytest.approx(inversion, abs=2e-3)
    best = minimize(
        lambda f: -(seen / seen.sum()) @ np.log(np.maximum(operator.spread(f), 1e-300)), np.full(3, 1 / 3),
        bounds=[(0, 1)] * 3, constraints={"type": "eq", "fun": lambda f: f.sum() - 1},
    )  # fmt: skip
    mine = -(seen / seen.sum()) @ np.log(operator.spread(found))
    assert mine <= best.fun + 1e-5


def test_the_nearest_distribution() -> None:
    assert project_onto_simplex(np.array([0.5, 0.5])) == pytest.approx([0.5, 0.5])
    assert project_onto_simplex(np.array([0.9, 0.4, -0.3])) == pytest.approx([0.75, 0.25, 0])


def test_variances_are_those_of_the_draws() -> None:
    """2,610 by the formula at the notes' example; the mean and the variance of many draws agree with it."""
    n, c, m, p, s = 2000, 700, 5, Fraction(2, 5), 2
    operator = Uniform(m, p)
    table = np.repeat([0, 1, 2, 3, 4], [400, 300, 500, 500, 300])
    found = []
    for _ in range(3000):
        observed = np.bincount(operator.sample(table, Entropy()), minlength=m)
        found.append(count(operator, observed, [0, 1]).count)
    variance = uniform_variance(operator, c, n, s)
    assert abs(np.mean(found) - c) < Z * math.sqrt(variance / 3000)
    assert np.var(found) == pytest.approx(variance, rel=Z * math.sqrt(2 / 3000))
    shares = np.bincount(table, minlength=m) / n
    assert variances(operator, shares, n)[0] * n * n == pytest.approx(uniform_variance(operator, 400, n, 1))


@pytest.mark.parametrize("operator", OPERATORS.values(), ids=list(OPERATORS))
def test_true_counts_lie_in_their_intervals(operator: Operator) -> None:
    table = np.repeat([0, 1, 2], [500, 1200, 300])
    hits = 0
    for _ in range(400):
        observed = np.bincount(operator.sample(table, Entropy()), minlength=3)
        low, high = count(operator, observed, [0]).interval(0.95)
        hits += low <= 500 <= high
    assert abs(hits - 380) < Z * math.sqrt(400 * 0.95 * 0.05)


def test_both_ways_to_the_variance_agree() -> None:
    uniform = Uniform(4, Fraction(1, 3))
    same = operator_from_matrix(uniform.matrix())
    observed = np.array([300, 250, 200, 250])
    one, other = count(uniform, observed, [1, 2]), count(same, observed, [1, 2])
    assert one.count == pytest.approx(other.count)
    assert one.error == pytest.approx(other.error)


def test_a_count_that_drowns_in_its_error_is_not_estimable() -> None:
    operator = Uniform(10, Fraction(1, 10))
    assert not count(operator, np.array([2, 1, 1, 1, 1, 1, 1, 1, 1, 1]), [0]).estimable
    assert (CountEstimate(3, 3) + CountEstimate(4, 4)) == CountEstimate(7, 5)


def test_sampled_groups_stand_for_all_their_records() -> None:
    random = np.random.default_rng(2)
    operator = Uniform(4, Fraction(1, 2))
    sizes = random.integers(3, 9, 4000)
    truth = random.choice(4, 4000, p=[0.4, 0.3, 0.2, 0.1])
    shown = operator.sample(truth, Entropy())
    found = count_sampled(operator, shown, sizes, [0])
    assert abs(found.count - 0.4 * sizes.sum()) < Z * found.error


def test_warner_finds_the_share_of_a_delicate_yes() -> None:
    operator, n = warner(0.7), 40_000
    answers = operator.sample(np.repeat([0, 1], [int(0.85 * n), n - int(0.85 * n)]), Entropy())
    estimate = estimate_by_inversion(operator, np.bincount(answers, minlength=2))[1]
    assert abs(estimate - 0.15) < Z * math.sqrt(variances(operator, np.array([0.85, 0.15]), n)[1])


@pytest.mark.parametrize("kind", ["gaussian", "laplace", "uniform"])
def test_a_density_is_found_again_under_noise(kind: str) -> None:
    random = np.random.default_rng(3)
    n, scale = 40_000, 8.0
    truth = np.where(random.random(n) < 0.6, random.normal(30, 4, n), random.normal(70, 5, n)).clip(0, 100)
    draw = {
        "gaussian": random.normal(0, scale, n), "laplace": random.laplace(0, scale / math.sqrt(2), n),
        "uniform": random.uniform(-scale * math.sqrt(3), scale * math.sqrt(3), n),
    }  # fmt: skip
    noisy = truth + draw[kind]
    found = reconstruct(noisy, kind, scale, 0, 100, intervals=25)
    true = np.histogram(truth, found.edges)[0] / n
    seen = np.histogram(noisy.clip(0, 100), found.edges)[0] / n
    assert abs(found.shares - true).sum() < 0.4 * abs(seen - true).sum()
    grid = np.linspace(-60, 60, 20_001)
    assert np.trapezoid(noise_density(kind, scale, grid), grid) == pytest.approx(1, abs=1e-3)


def test_weak_noise_on_columns_that_belong_together_is_filtered_out() -> None:
    """Twelve columns that follow two: most of the noise goes. Columns of their own keep it."""
    random = np.random.default_rng(4)
    n, scale = 5000, 3.0
    together = random.normal(0, 5, (n, 2)) @ random.normal(0, 1, (2, 12))
    alone = random.normal(0, 5, (n, 12))

    def left(truth: np.ndarray) -> float:
        noisy = truth + random.normal(0, scale, truth.shape)
        return float(np.sqrt(((filter_noise(noisy, scale) - truth) ** 2).mean()) / scale)

    assert left(together) < 0.5
    assert left(alone) > 0.8


def mined() -> tuple[np.ndarray, np.ndarray]:
    """Two columns, and a value that follows the first, with exceptions."""
    random = np.random.default_rng(6)
    n = 60_000
    columns = np.column_stack([random.integers(0, 3, n), random.integers(0, 4, n)])
    target = np.where(random.random(n) < 0.8, columns[:, 0], random.integers(0, 3, n))
    return columns, target


def test_rules_are_found_again_on_randomized_data() -> None:
    columns, target = mined()
    operator = Uniform(3, Fraction(1, 2))
    released = operator.sample(target, Entropy())
    options = {"support": 0.02, "confidence": 0.6}
    true = find_rules(columns, target, 3, no_correction, **options)
    found = find_rules(columns, released, 3, correction(operator), **options)
    naive = find_rules(columns, released, 3, no_correction, **options)
    assert len(true) == 15  # each value of the first column, alone and with each of the second's
    assert agreement(true, found) == (1.0, 1.0)
    assert agreement(true, naive)[0] < 1
    for rule in found:
        same = next(r for r in true if (r.condition, r.value) == (rule.condition, rule.value))
        assert rule.confidence == pytest.approx(same.confidence, abs=0.06)


def test_a_tree_of_randomized_data_is_as_good_as_one_of_the_original() -> None:
    columns, target = mined()
    half = len(target) // 2
    operator = Uniform(3, Fraction(2, 5))
    released = operator.sample(target, Entropy())
    original = grow_tree(columns[:half], target[:half], 3, no_correction)
    corrected = grow_tree(columns[:half], released[:half], 3, correction(operator))
    best = accuracy(original, columns[half:], target[half:])
    assert original.column == corrected.column == 0
    assert best > 0.8
    assert accuracy(corrected, columns[half:], target[half:]) == pytest.approx(best, abs=0.01)


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("published")
    for method in METHODS:
        cb.perturb(table(), policy(method)).write(place / method)
    return place


@pytest.mark.slow
@pytest.mark.parametrize("method", [m for m in METHODS if m not in ("alpha-beta", "gamma-diagonal", "warner")])
def test_counts_are_near_the_truth(method: str, home: Path) -> None:
    rows = table().to_pylist()
    place = {} if method == "perturbed-generalization" else {"city": ["Crato", "Sobral"]}
    wanted = ["d0", "d2", None]
    true = sum(r["disease"] in wanted and r["city"] in place.get("city", [r["city"]]) for r in rows)
    found = estimate_count(home / method / "public", place, {"disease": wanted})
    assert 0 < found.error < true
    assert abs(found.count - true) < Z * found.error
    whole = estimate_count(home / method / "public", {}, {"disease": [*{r["disease"] for r in rows}]})
    assert whole.count == pytest.approx(len(rows))


@pytest.mark.slow
def test_counts_of_yes_and_no(home: Path) -> None:
    true = sum(r["smokes"] == "yes" and r["age"] == "30" for r in table().to_pylist())
    found = estimate_count(home / "warner" / "public", {"age": ["30"]}, {"smokes": ["yes"]})
    assert abs(found.count - true) < Z * found.error


@pytest.mark.slow
def test_counts_of_a_set_are_of_distinct_records(home: Path) -> None:
    distinct = {(r["age"], r["city"], r["disease"]) for r in table().to_pylist()}
    true = sum(city == "Crato" and disease in ("d0", "d1") for _, city, disease in distinct)
    found = estimate_count(home / "alpha-beta" / "public", {"city": ["Crato"]}, {"disease": ["d0", "d1"]})
    assert abs(found.count - true) < Z * found.error


@pytest.mark.slow
def test_a_marginal_of_whole_records(home: Path) -> None:
    found = estimate_count(home / "gamma-diagonal" / "public", {}, {"city": ["Crato"]})
    true = sum(r["city"] == "Crato" for r in table().to_pylist())
    assert abs(found.count - true) < Z * found.error


@pytest.mark.slow
def test_what_cannot_be_estimated_is_refused(home: Path, tmp_path: Path) -> None:
    for method, where, sensitive, word in (
        ("uniform", {}, {"weight": ["1"]}, "does not have the columns"),
        ("uniform", {}, {"age": ["30"], "disease": ["d0"]}, "one randomized"),
        ("gamma-diagonal", {"age": ["30"]}, {"disease": ["d0"]}, "randomized too"),
        ("small-domain", {}, {"age": ["30"]}, "not randomized"),
    ):
        with pytest.raises(OutputError, match=word):
            estimate_count(home / method / "public", where, sensitive)
    asked = {"attributes": policy("uniform")["attributes"], "privacy": {"models": [{"model": "k-anonymity", "k": 2}]}}
    asked["recoding"] = {"suppression-limit": 0.5}
    cb.anonymize(table(), asked).write(tmp_path / "recoded")
    with pytest.raises(OutputError, match="not a randomized"):
        estimate_count(tmp_path / "recoded" / "public", {}, {"disease": ["d0"]})
