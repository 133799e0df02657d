"""Uniqueness in the population: figures of the Adult extract, SciPy's functions and populations that are known."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import optimize, special, stats

import cobogo
from cobogo.examine.risk.population import (
    ClassSizes,
    UniquesEstimate,
    _pitman_likeliest,
    _probability_drawn_once,
    dankar,
    digamma,
    estimates,
    pitman,
    shlosser,
    slide_negative_binomial,
    zayatz,
)
from support.effort import examples
from support.paths import SHARED

pytestmark = pytest.mark.slow

ADULT = SHARED / "data" / "adult" / "adult.csv"
QUASI = ("sex", "age", "race", "marital-status", "education", "native-country", "workclass", "salary-class")

some_sizes = st.lists(st.integers(1, 30), min_size=1, max_size=60).map(np.array)


@pytest.fixture(scope="module")
def adult() -> ClassSizes:
    import duckdb

    if not ADULT.exists():
        pytest.skip("the Adult extract (../shared/data/adult) is not here")
    columns = ", ".join(f'"{name}"' for name in QUASI)
    found = duckdb.sql(f"SELECT count(*) FROM read_csv('{ADULT}', delim=';') GROUP BY {columns}").fetchall()
    return ClassSizes.from_classes(np.array([size for (size,) in found]))


def test_the_sample(adult: ClassSizes) -> None:
    assert (adult.people, adult.uniques) == (30_162, 8_841)
    assert adult.count / adult.people == pytest.approx(0.413036, abs=1e-6)


@pytest.mark.parametrize(
    ("population", "name", "expected"),
    [
        (317_238_626, "zayatz", 27_295_484),
        (317_238_626, "pitman", 4_614_481),
        (60_324, "zayatz", 13_956),
        (60_324, "pitman", 14_335),
        (60_324, "snb", 13_989),
    ],
)
def test_figures_of_the_adult_extract(adult: ClassSizes, population: int, name: str, expected: int) -> None:
    found = estimates(adult, population)[name].uniques
    assert found is not None
    assert round(found) == expected


def test_dankar_s_rule_on_the_adult_extract(adult: ClassSizes) -> None:
    assert estimates(adult, 317_238_626)["dankar"].model == "pitman"
    assert estimates(adult, 60_324)["dankar"].model == "zayatz"


def test_the_same_figures_from_the_file(adult: ClassSizes) -> None:
    roles = {name: {"role": "quasi-identifier"} for name in QUASI} | {"occupation": {"role": "sensitive"}}
    found = cobogo.risk(ADULT, {"data": {"separator": ";"}, "attributes": roles}, fraction=0.5)
    assert found.attackers.prosecutor.average == pytest.approx(0.413036, abs=1e-6)
    assert found.uniques == 8_841
    assert found.population.size == 2 * adult.people
    assert found.population.estimates == estimates(adult, 60_324)


@given(st.floats(1e-3, 1e9))
def test_digamma(x: float) -> None:
    assert float(digamma(x)) == pytest.approx(float(special.digamma(x)), rel=1e-12, abs=1e-12)


@given(st.integers(1, 40), st.integers(1, 400), st.integers(0, 400))
def test_the_chance_to_draw_one_of_a_class(size: int, n: int, others: int) -> None:
    population = max(n + others, size)
    expected = stats.hypergeom(population, size, n).pmf(1)
    assert _probability_drawn_once(np.array([size]), n, population)[0] == pytest.approx(expected, rel=1e-9, abs=1e-12)


@settings(max_examples=examples(30), deadline=None)
@given(some_sizes)
def test_no_other_parameters_of_pitman_s_model_are_likelier(sizes: np.ndarray) -> None:
    sample = ClassSizes.from_classes(sizes)
    if sample.count in (1, sample.people):
        assert pitman(sample, 2 * sample.people).uniques is None
        return

    def likelihood(theta: float, alpha: float) -> float:
        rising = special.gammaln(sample.sizes - alpha) - special.gammaln(1 - alpha)
        drawn = np.log(theta + alpha * np.arange(1, sample.count)).sum()
        everybody = special.gammaln(theta + sample.people) - special.gammaln(theta + 1)
        return float(drawn - everybody + (sample.classes * rising).sum())

    theta, alpha = _pitman_likeliest(sample)
    if not math.isfinite(theta):
        return
    best = likelihood(theta, alpha)
    for other in (0.02, 0.2, 0.5, 0.8, 0.98):
        for scale in (0.1, 1.0, 10.0, 300.0):
            assert likelihood(scale - other * 0.999, other) <= best + 1e-6
    for step in (0.99, 1.01):
        shifted = (theta + alpha) * step - alpha
        assert likelihood(shifted, alpha) <= best + 1e-9
        assert likelihood(theta + alpha - min(alpha * step, 0.999), min(alpha * step, 0.999)) <= best + 1e-9


def test_shlosser_against_its_formula() -> None:
    sample, pi = ClassSizes.from_classes(np.array([1, 1, 1, 2, 2, 5])), 0.3
    j, s = np.array([1, 2, 5]), np.array([3, 2, 1])
    first = (j * pi**2 * (1 - pi**2) ** (j - 1) * s).sum() / ((1 - pi) ** j * ((1 + pi) ** j - 1) * s).sum()
    second = ((1 - pi) ** j * s).sum() / (j * pi * (1 - pi) ** (j - 1) * s).sum()
    assert shlosser(sample, pi) == pytest.approx(6 + 3 * first * second**2)


def test_the_slide_negative_binomial_fits_the_sample(adult: ClassSizes) -> None:
    """Solved anew with SciPy, from the chances that SciPy's distributions give."""
    pi, sizes = 0.5, np.arange(1, 4000)
    classes = shlosser(adult, pi)

    def expected(parameters: np.ndarray) -> list[float]:
        alpha, beta = np.exp(parameters[0]), special.expit(parameters[1])
        chances = stats.nbinom.pmf(sizes - 1, alpha, beta)
        drawn = [(chances * stats.binom.pmf(number, sizes, pi)).sum() * classes for number in (1, 2)]
        return [drawn[0] / adult.uniques - 1, drawn[1] / adult.classes_of(2) - 1]

    solved = optimize.root(expected, [-1.5, -1.5])
    assert solved.success
    uniques = classes * special.expit(solved.x[1]) ** np.exp(solved.x[0])
    assert slide_negative_binomial(adult, 2 * adult.people).uniques == pytest.approx(uniques, rel=1e-6)


def test_a_known_population() -> None:
    """Half of a population whose class sizes are geometric, as one slide negative binomial says that they are."""
    draw = np.random.default_rng(7)
    population = np.repeat(np.arange(30_000), draw.geometric(0.4, 30_000))
    chosen = draw.choice(population, len(population) // 2, replace=False)
    there = int((np.bincount(population) == 1).sum())
    found = estimates(ClassSizes.from_classes(np.bincount(chosen)), len(population))
    assert found["snb"].uniques == pytest.approx(there, rel=0.03)
    assert found["zayatz"].uniques == pytest.approx(there, rel=0.3)
    assert found["dankar"].model == "snb"


def test_a_population_of_pitman_s() -> None:
    """People come in one after the other and join a class by its size less α, or begin one: a twentieth is drawn."""
    draw, theta, alpha = np.random.default_rng(11), 200.0, 0.6
    classes: list[int] = []
    members: list[int] = []  # a class for each person
    for number, (new, join) in enumerate(draw.random((20_000, 2))):
        if new < (theta + alpha * len(classes)) / (theta + number):
            members.append(len(classes))
            classes.append(1)
            continue
        chosen = members[int(join * number)]
        while draw.random() < alpha / classes[chosen]:  # a class is joined by its size less α
            chosen = members[int(draw.random() * number)]
        members.append(chosen)
        classes[chosen] += 1
    sample = np.bincount(draw.choice(members, 1000, replace=False))
    found = estimates(ClassSizes.from_classes(sample), len(members))
    assert found["dankar"].model == "pitman"
    assert found["dankar"].uniques == pytest.approx(classes.count(1), rel=0.15)
    assert abs(found["zayatz"].uniques - classes.count(1)) > abs(found["dankar"].uniques - classes.count(1))


@settings(max_examples=examples(40), deadline=None)
@given(some_sizes, st.integers(0, 500))
def test_estimates_are_possible(sizes: np.ndarray, others: int) -> None:
    sample = ClassSizes.from_classes(sizes)
    found = estimates(sample, sample.people + others)
    for one in found.values():
        assert (one.uniques is None) == (one.why is not None)
        if one.uniques is not None:
            assert 0 <= one.uniques <= sample.uniques + others
    assert found["dankar"].uniques is not None
    if not others:
        assert {one.uniques for one in found.values()} == {float(sample.uniques)}


def test_everybody_unique() -> None:
    sample = ClassSizes.from_classes(np.ones(10, dtype=np.int64))
    assert zayatz(sample, 1000).uniques == pytest.approx(1000)
    assert pitman(sample, 1000).uniques is None
    assert slide_negative_binomial(sample, 1000).uniques is None
    assert estimates(sample, 1000)["dankar"].model == "zayatz"


@pytest.mark.parametrize(
    ("pi", "zayatz", "pitman", "snb", "expected"),
    [
        (0.1, 5.0, 9.0, 1.0, "pitman"),
        (0.1, 5.0, None, 1.0, "zayatz"),
        (0.11, 5.0, 1.0, 4.0, "snb"),
        (0.11, 3.0, 1.0, 4.0, "zayatz"),
        (0.9, 3.0, 1.0, None, "zayatz"),
    ],
)
def test_dankar_s_rule(pi: float, zayatz: float, pitman: float | None, snb: float | None, expected: str) -> None:
    found = {"zayatz": UniquesEstimate(zayatz), "pitman": UniquesEstimate(pitman), "snb": UniquesEstimate(snb)}
    assert dankar(found, pi).model == expected
