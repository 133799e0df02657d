"""Values are judged by what those in the same cells leave unexplained: tails by laws, false alarms by simulation."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from cobogo.collect.oracle import tail_probability
from cobogo.collect.sketch import CountMeanSketch, FastHashing, HadamardSketch
from cobogo.collect.sketch_protocol import judge
from cobogo.floor.randomness import Seeded
from support.asked import ORACLES

each = pytest.mark.parametrize("kind", [CountMeanSketch, HadamardSketch, FastHashing])


@pytest.mark.parametrize("q", [0.001, 0.25, 0.5])
def test_tails_without_disturbance_are_binomial(q):
    support = np.array([0, 1, 3, 50, 260, 520, 600, 1000])
    found = tail_probability(support, np.full(8, 1000 * q), 1000, 0.0)
    assert found == pytest.approx(stats.binom(1000, q).sf(support - 1), rel=1e-6, abs=1e-300)


@pytest.mark.parametrize("users", [1, 2, 3, 7, 1000])
@pytest.mark.parametrize("q", [0.1, 0.2, 0.3, 1 / 3, 0.4, 0.5, 0.9])
def test_all_of_the_reports_are_as_likely_as_they_are(users, q):
    """However the figures are rounded: one report that supports a value proves nothing."""
    assert tail_probability(np.array([users]), np.array([users * q]), users) == pytest.approx(
        q**users, rel=1e-6, abs=1e-300
    )


def test_tails_with_disturbance_have_its_variance():
    """Negative binomial where the variance exceeds the mean, binomial of fewer draws where it does not."""
    mean, users = 40.0, 10**6
    support = np.arange(1, 300)
    wide = tail_probability(support, np.full(299, mean), users, 60.0 + mean**2 / users)
    assert wide == pytest.approx(stats.nbinom(mean**2 / 60, mean / 100).sf(support - 1), rel=1e-4)
    some = tail_probability(support, np.full(299, 50.0), 100, 15.0)  # variance 40 of a mean of 50: 250 draws of 1/5
    assert some == pytest.approx(stats.binom(250, 0.2).sf(support - 1), rel=1e-6, abs=1e-300)


@each
@pytest.mark.parametrize("epsilon", [2.0, 6.0])
def test_values_that_share_cells_with_frequent_ones_are_not_taken_for_frequent(kind, epsilon):
    """Three values hold nearly all; ten thousand are tried that nobody holds. Their chances are as likely as they say,
    over several families: without judging, they are wrong by orders of magnitude."""
    users = 20_000
    held = np.random.default_rng(3).choice(1_003, users, p=[0.5, 0.3, 0.1] + [0.1 / 1000] * 1000)
    tried = np.arange(1_003, 11_003)
    source, low, plain = Seeded(8), 0, 0
    for seed in range(4):
        oracle = kind(1, epsilon, rows=64, width=256, seed=seed)
        sketch = oracle.sketch(oracle.encode(held, source))
        keys = np.concatenate([np.arange(3), tried])
        found = judge(oracle, sketch, keys)
        low += int((found.chances[3:] < 1e-3).sum())
        assert (np.abs(found.counts[:3] - np.bincount(held)[:3]) < 5 * found.errors[:3]).all()
        assert (found.chances[:2] < 1e-12).all()
        rough = oracle.frequencies(sketch, keys)
        assert (found.errors <= rough.errors + 1e-9).all()
        plain += int((rough.counts[3:] / rough.errors[3:] > stats.norm.isf(1e-3)).sum())
    assert stats.poisson(40 * 1.5).sf(low - 1) > 1e-6
    if epsilon == 6.0:
        assert plain > 2 * low


def test_rare_reports_raise_no_more_alarms_than_they_should():
    """A thousand values through the direct answer, of which few users report each: a normal tail would be exceeded
    several times as often as it says."""
    users, values = 5_000, 1_000
    oracle = ORACLES["grr"](values, 1.0)
    held = np.zeros(users, dtype=np.int64)
    source, low, normal = Seeded(12), 0, 0
    for _ in range(100):
        support = oracle.support(oracle.encode(held, source))
        low += int((oracle.chances(support, users)[1:] < 1e-3).sum())
        scores = oracle.estimate(support, users).counts / np.sqrt(oracle.variance(np.zeros(1), users))
        normal += int((scores[1:] > stats.norm.isf(1e-3)).sum())
    assert stats.poisson(100).sf(low - 1) > 1e-6
    assert normal > 3 * 100


@each
def test_nothing_to_judge(kind):
    oracle = kind(1, 1.0, rows=4, width=8)
    empty = oracle.sketch(oracle.encode(np.zeros(0, dtype=np.int64), Seeded(1)))
    found = judge(oracle, empty, np.arange(3))
    assert found.chances.tolist() == [1, 1, 1]
    assert found.users == 0
    some = oracle.sketch(oracle.encode(np.zeros(9, dtype=np.int64), Seeded(1)))
    assert len(judge(oracle, some, np.zeros(0, dtype=np.int64)).counts) == 0


@each
def test_support_that_is_known_need_not_be_read_again(kind):
    oracle = kind(1, 2.0, rows=16, width=16)
    sketch = oracle.sketch(oracle.encode(np.arange(2_000) % 7, Seeded(1)))
    keys = np.arange(20)
    one, other = judge(oracle, sketch, keys), judge(oracle, sketch, keys, oracle.read(sketch, keys))
    assert (one.counts == other.counts).all()
    assert (one.chances == other.chances).all()
