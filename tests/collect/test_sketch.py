"""Apple's sketches: their hash functions, words that nobody listed, collisions, and the estimator as published."""

from __future__ import annotations

from itertools import combinations
from math import exp, log

import numpy as np
import pytest

from cobogo.collect.hashing import fingerprints
from cobogo.collect.oracle import Oracle
from cobogo.collect.sketch import CountMeanSketch, FastHashing, HadamardSketch
from cobogo.floor.randomness import Seeded

pytestmark = pytest.mark.slow

each = pytest.mark.parametrize("kind", [CountMeanSketch, HadamardSketch, FastHashing])


@each
@pytest.mark.parametrize("epsilon", [0.5, log(3), 4.0])
def test_the_loss_is_epsilon_where_two_values_have_different_cells(kind, epsilon):
    oracle = kind(4, epsilon, rows=1, width=8, seed=1)
    laws = [oracle.law(value) for value in range(4)]
    own = [int(oracle._own_cells(value)[0]) for value in range(4)]
    assert len(set(own)) > 1
    for one, other in combinations(range(4), 2):
        loss = log(max(laws[one][report] / laws[other][report] for report in laws[one]))
        assert loss == pytest.approx(epsilon if own[one] != own[other] else 0, rel=1e-4)
        assert exp(loss) <= exp(epsilon)


@each
def test_words_that_nobody_listed_are_estimated_from_merged_sketches(kind):
    words = ["oi", "olá", "saudade", "açaí"]
    keys = fingerprints(words)
    held = np.random.default_rng(1).choice(4, 40_000, p=[0.6, 0.25, 0.1, 0.05])
    oracle = kind(6, 2.0, rows=64, width=128)
    reports = oracle.encode(keys[held], Seeded(2))
    merged = oracle.sketch(reports[:10_000]) + oracle.sketch(reports[10_000:])
    assert (merged == oracle.sketch(reports)).all()
    asked = fingerprints([*words, "ninguém", "nada"])
    found = oracle.estimate(oracle.read(merged, asked), len(held))
    true = np.append(np.bincount(held, minlength=4), [0, 0])
    assert (np.abs(found.counts - true) < 5.5 * found.errors).all()
    assert (found.errors < 0.05 * len(held)).all()


@pytest.mark.parametrize("kind", [CountMeanSketch, HadamardSketch])
def test_the_estimate_is_the_published_one(kind):
    """Apple's server adds (m/(m−1))·(mean over rows of k·c·x − n/m), x a report's vector or its transform."""
    oracle = kind(5, 1.0, rows=4, width=8)
    held = np.arange(600) % 5
    reports = oracle.encode(held, Seeded(7))
    rows, width = oracle.rows, oracle.width
    sketch = np.zeros((rows, width))
    if kind is CountMeanSketch:
        c = (exp(0.5) + 1) / (exp(0.5) - 1)
        signs = 2.0 * np.unpackbits(reports["bits"], axis=1) - 1
        np.add.at(sketch, reports["row"], rows * (c / 2 * signs + 0.5))
    else:
        c = (exp(1) + 1) / (exp(1) - 1)
        np.add.at(sketch, (reports["row"], reports["column"]), rows * c * np.where(reports["negative"], -1.0, 1.0))
        matrix = np.array([[(-1) ** (a & b).bit_count() for a in range(width)] for b in range(width)])
        sketch = sketch @ matrix
    own = np.array([oracle._own_cells(value) for value in range(5)])
    published = width / (width - 1) * (sketch[np.arange(rows), own].mean(axis=1) - len(held) / width)
    assert np.allclose(oracle.estimate(oracle.support(reports), len(held)).counts, published, rtol=1e-6)


@each
def test_standard_errors_hold_where_collisions_are_most_of_them(kind):
    """Few rows, narrow, and nearly everybody holds one value: over many families of hash functions."""
    users, repeats = 4_000, 150
    held = np.zeros(users, dtype=np.int64)
    held[:400] = 1 + np.arange(400) % 20
    true = np.bincount(held, minlength=30)
    source = Seeded(9)
    scores = []
    for seed in range(repeats):
        oracle = kind(30, 4.0, rows=16, width=8, seed=seed)
        found = oracle.estimate(oracle.support(oracle.encode(held, source)), users)
        scores.append(((found.counts - true) / found.errors)[20:])
    assert oracle.variance(true.astype(float), users)[25] > 3 * Oracle.variance(oracle, true.astype(float), users)[25]
    spread = np.sqrt((np.array(scores) ** 2).mean())
    assert 0.85 < spread < 1.15


@each
@pytest.mark.parametrize("epsilon", [1.0, 4.0])
def test_pairs_are_hardly_underestimated(kind, epsilon):
    """The sum that collisions rest on, over many families: between the truth and a few spreads above it."""
    held = np.minimum(np.arange(20_000) // 2_000, 4)
    true = np.bincount(held)
    true = float((true * (true - 1)).sum())
    source = Seeded(10)
    found = []
    for seed in range(60):
        oracle = kind(5, epsilon, rows=32, width=16, seed=seed)
        found.append(oracle.pairs(oracle.sketch(oracle.encode(held, source))) / true)
    assert (np.array(found) > 1).mean() > 0.8
    assert np.mean(found) < 1.5
    assert oracle.pairs(oracle.sketch(oracle.encode(held[:0], source))) == 0


@each
@pytest.mark.parametrize("wrong", [{"rows": -1}, {"rows": 70_000}, {"width": 1}, {"width": 2**17}])
def test_sketches_that_make_no_sense(kind, wrong):
    with pytest.raises(ValueError, match="must be"):
        kind(10, 1.0, **wrong)


@pytest.mark.parametrize("kind", [CountMeanSketch, HadamardSketch])
def test_widths_that_bits_do_not_fit(kind):
    with pytest.raises(ValueError, match="power of two"):
        kind(10, 1.0, width=100)


@pytest.mark.parametrize(("epsilon", "width"), [(0.1, 2), (1.0, 4), (log(3), 4), (4.0, 56), (20.0, 65_536)])
def test_fast_hashing_takes_the_best_width(epsilon, width):
    oracle = FastHashing(10, epsilon)
    assert oracle.width == width
    assert oracle.q == pytest.approx(1 / width)
    for other in (width + 1, max(width - 1, 2)):
        if other <= 65_536 and epsilon < 10:
            worse = FastHashing(10, epsilon, width=other)
            assert Oracle.variance(oracle, np.zeros(1), 1)[0] < 1.02 * Oracle.variance(worse, np.zeros(1), 1)[0]
