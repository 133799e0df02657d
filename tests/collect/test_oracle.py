"""What every frequency oracle promises: its ε, exactly; estimates without bias; the variance that it states."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from fractions import Fraction
from math import exp, log

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from cobogo.floor.randomness import Entropy, Seeded
from support.asked import ORACLES
from support.effort import examples

pytestmark = pytest.mark.slow

each = pytest.mark.parametrize("name", ORACLES)
some = settings(max_examples=examples(15), deadline=None)
SKETCHES = ("cms", "hcms", "flh")
HASHED = ("olh", *SKETCHES)
"""What q says of these is true on average over hash functions."""


def small(name, values, epsilon, **sizes):
    """An oracle whose law can be enumerated."""
    if name in SKETCHES:
        return ORACLES[name](values, epsilon, **{"rows": 2, "width": 8} | sizes)
    return ORACLES[name](values, epsilon)


def with_other_functions(oracle, number):
    """The same, with other public hash functions where it has any."""
    return replace(oracle, seed=number) if hasattr(oracle, "seed") else oracle


@each
@some
@given(values=st.integers(1, 6), epsilon=st.sampled_from([0.01, 0.5, 1.0, log(3), 4.0, 10.0]))
def test_no_report_tells_more_than_epsilon(name, values, epsilon):
    epsilon = min(epsilon, 4.0) if name == "olh" else epsilon  # beyond, its cells are too many to enumerate
    oracle = small(name, values, epsilon)
    laws = [oracle.law(held) for held in range(values)]
    loss = 0.0
    for law in laws:
        assert sum(law.values()) == 1
        for other in laws:
            assert law.keys() == other.keys()
            ratio = max(law[report] / other[report] for report in law)
            assert ratio <= Fraction(exp(epsilon))
            loss = max(loss, log(ratio))
    told_apart = values > 1 and (name not in HASHED or loss > 0)  # two values may share all of their few cells
    assert loss == pytest.approx(epsilon if told_apart else 0, rel=1e-4)


@each
@some
@given(values=st.integers(1, 6), epsilon=st.sampled_from([0.2, 1.0, 3.0]), data=st.data())
def test_support_is_what_p_and_q_say(name, values, epsilon, data):
    oracle = ORACLES[name](values, epsilon)
    held = data.draw(st.integers(0, values - 1))
    if name in HASHED:
        return
    chances = np.zeros(values)
    for report, chance in oracle.law(held).items():
        one = np.packbits(np.array([report], dtype=bool), axis=1) if isinstance(report, tuple) else np.array([report])
        chances += float(chance) * oracle.support(one)
    assert np.allclose(chances, [oracle.p if value == held else oracle.q for value in range(values)])


@each
def test_reports_follow_their_law(name):
    oracle = small(name, 3, 1.0)
    law = oracle.law(1)
    reports = oracle.encode(np.full(20_000, 1), Seeded(5))
    if name == "olh":
        seen = [tuple(report) for report in reports.tolist()]
        assert len({function for function, _ in seen}) > 19_900
        return
    if name in SKETCHES:
        seen = _plain(reports, oracle)
    elif reports.ndim == 2:
        seen = [tuple(row) for row in np.unpackbits(reports, axis=1, count=3).astype(bool).tolist()]
    else:
        seen = reports.tolist()
    counted = Counter(seen)
    observed = [counted[report] for report in law]
    assert sum(observed) == 20_000
    assert stats.chisquare(observed, [20_000 * float(chance) for chance in law.values()]).pvalue > 1e-6


@each
@pytest.mark.parametrize("values", [2, 40])
def test_estimates_are_unbiased_with_the_variance_stated(name, values):
    users, repeats = 2_000, 200
    oracle = small(name, values, 1.0, rows=16)
    held = np.minimum(np.arange(users) % (2 * values), values - 1)
    true = np.bincount(held, minlength=values)
    source = Seeded(11)
    found = np.array(
        [
            one.estimate(one.support(one.encode(held, source)), users).counts
            for one in (with_other_functions(oracle, number) for number in range(repeats))
        ]
    )
    variance = oracle.variance(true.astype(float), users)
    deviation = (found.mean(axis=0) - true) / np.sqrt(variance / repeats)
    assert np.abs(deviation).max() < 5.5
    statistic = (found - true).var(axis=0, mean=0) * repeats / variance
    low, high = stats.chi2(repeats).ppf([1e-8, 1 - 1e-8])
    assert (statistic > low).all()
    assert (statistic < high).all()


def _plain(reports, oracle):
    """Reports of a sketch as its law has them."""
    if reports.dtype.names[1] == "bits":
        bits = np.unpackbits(reports["bits"], axis=1).astype(bool)
        return list(zip(reports["row"].tolist(), map(tuple, bits.tolist()), strict=True))
    return reports.tolist()


@each
def test_counts_of_parts_add_up(name):
    oracle = ORACLES[name](10, 2.0)
    reports = oracle.encode(np.arange(1000) % 10, Seeded(3))
    assert (oracle.support(reports[:300]) + oracle.support(reports[300:]) == oracle.support(reports)).all()
    assert oracle.support(reports[:0]).tolist() == [0] * 10


@each
@pytest.mark.parametrize(("values", "epsilon"), [(0, 1.0), (3, 0.0), (3, float("nan")), (3, 21.0)])
def test_parameters_that_make_no_sense(name, values, epsilon):
    with pytest.raises(ValueError, match="must be"):
        ORACLES[name](values, epsilon)


MANY = 1_000_000


NEVER = 1e-7  # of a test that fails a sampler that is right


EDGES = (1, 2, 3, 4, 5, 7, 8, 9, 63, 64, 65, 100, 128, 129)
"""One value, two, powers of two, and what is beside them."""


@pytest.mark.parametrize("name", ["grr", "hadamard"])
@pytest.mark.parametrize("values", [2, 3, 8, 9])
def test_a_million_reports_follow_their_law(name, values):
    oracle = ORACLES[name](values, 1.0)
    for held in (0, values - 1):
        law = oracle.law(held)
        seen = np.bincount(oracle.encode(np.full(MANY, held), Entropy()), minlength=len(law))
        assert stats.chisquare(seen, [MANY * float(law[report]) for report in sorted(law)]).pvalue > NEVER


@pytest.mark.parametrize("name", ORACLES)
@pytest.mark.parametrize("values", EDGES)
def test_the_last_value_is_one_like_the_others(name, values):
    """At a large ε, whoever holds the first or the last value is seen to, and nobody beyond it."""
    oracle = ORACLES[name](values, 8.0)
    held = np.array([0, values - 1] * 400)
    support = oracle.support(oracle.encode(held, Seeded(2)))
    assert support.shape == (values,)
    found = oracle.estimate(support, len(held))
    true = np.bincount(held, minlength=values)
    assert (np.abs(found.counts - true) < 6 * np.maximum(found.errors, 3)).all()
