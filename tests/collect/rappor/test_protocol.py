"""RAPPOR: its privacy by enumeration, its reports by their law, and strings found again among candidates."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from math import log, prod

import numpy as np
import pytest
from scipy import stats

from cobogo.collect.rappor.decode import CandidateBits, decode, estimate_bits
from cobogo.collect.rappor.filters import (
    RapporParameters,
    Reports,
    bit_positions,
    bloom_filters,
    count_reports,
    encode,
    randomize_permanently,
)
from cobogo.floor.randomness import Entropy, Seeded

NAMES = [f"string {number}" for number in range(60)]


def chance(shown: tuple[bool, ...], held: set[int], set_if_held: Fraction, set_if_not: Fraction) -> Fraction:
    chances = [set_if_held if bit in held else set_if_not for bit in range(len(shown))]
    return prod((c if bit else 1 - c for bit, c in zip(shown, chances, strict=True)), start=Fraction(1))


@pytest.mark.parametrize("hashes", [1, 2, 3])
@pytest.mark.parametrize("f", ["0.25", "0.5", "0.9"])
def test_the_losses_stated_are_those_of_the_laws(hashes, f):
    """All reports of the permanent answer, and of one report, under every pair of filters of so many bits."""
    p = RapporParameters.from_decimals(bits=8, hashes=hashes, cohorts=1, f=f, p="0.5", q="0.75")
    one, other = set(range(hashes)), set(range(hashes, 2 * hashes))  # filters that share nothing are told apart best
    laws = {
        p.epsilon_forever: (1 - p.f / 2, p.f / 2),
        p.epsilon_once: (p.shown_if_set, p.shown_if_not),
    }
    for stated, (held, not_held) in laws.items():
        shown = list(product((False, True), repeat=8))
        total = sum(chance(bits, one, held, not_held) for bits in shown)
        worst = max(chance(bits, one, held, not_held) / chance(bits, other, held, not_held) for bits in shown)
        assert total == 1
        if stated == p.epsilon_forever:
            assert log(worst) == pytest.approx(stated)
        else:
            assert stated == pytest.approx(log(worst), rel=1e-9)


def test_published_figures():
    assert RapporParameters(hashes=2).epsilon_once == pytest.approx(1.074, abs=0.001)
    assert RapporParameters().epsilon_forever == pytest.approx(4 * log(3))


def test_a_permanent_answer_follows_its_law():
    parameters = RapporParameters.from_decimals(bits=8, hashes=1, cohorts=1, f="0.3", p="0.5", q="0.75")
    bits = np.zeros((40_000, 8), dtype=bool)
    bits[:, :4] = True
    kept = randomize_permanently(np.packbits(bits, axis=1), parameters, Seeded(1))
    found = np.unpackbits(kept, axis=1).sum(axis=0)
    for count, share in zip(found, [0.85] * 4 + [0.15] * 4, strict=True):
        assert stats.binomtest(int(count), 40_000, share).pvalue > 1e-7


def test_bits_are_estimated_without_bias():
    parameters = RapporParameters.from_decimals(bits=16, hashes=2, cohorts=2, f="0.25", p="0.4", q="0.8")
    held = np.arange(20_000) % 3
    reports = encode(NAMES[:3], held, parameters, Seeded(2))
    counted = count_reports(reports, parameters)
    heights, spread = estimate_bits(counted, parameters)
    blooms = bloom_filters(NAMES[:3], parameters)
    for cohort in range(2):
        true = blooms[cohort, held[reports.cohorts == cohort]].sum(axis=0)
        assert (np.abs(heights[cohort] - true) < 6 * spread[cohort]).all()


def test_the_sparse_bits_of_candidates_are_those_of_their_filters():
    parameters = RapporParameters(bits=8, hashes=3, cohorts=4)  # some hash functions set the same bit
    weights = np.arange(1.0, 33.0).reshape(4, 8)
    plain = bloom_filters(NAMES, parameters).transpose(0, 2, 1) * weights[:, :, None]
    sparse, dense = CandidateBits.weigh(NAMES, parameters, weights), plain.reshape(32, len(NAMES))
    assert (sparse.to_scipy().toarray() == dense).all()
    assert np.allclose(sparse.products(), dense.T @ dense, rtol=1e-12)
    assert np.allclose(sparse.gather(weights.reshape(-1)), dense.T @ weights.reshape(-1), rtol=1e-12)
    assert np.allclose(sparse.spread(np.arange(len(NAMES))), dense @ np.arange(len(NAMES)), rtol=1e-12)
    assert all(bloom_filters([name], parameters)[1, 0, bit_positions(name, 1, parameters)].all() for name in NAMES)


def test_counts_of_parts_add_up():
    parameters = RapporParameters(bits=32, cohorts=4)
    reports = encode(NAMES, np.arange(500) % 60, parameters, Seeded(3))
    parts = [Reports(reports.cohorts[part], reports.bits[part]) for part in (slice(0, 200), slice(200, None))]
    assert (sum(count_reports(part, parameters) for part in parts) == count_reports(reports, parameters)).all()
    assert (count_reports(reports, parameters)[:, 0] == np.bincount(reports.cohorts, minlength=4)).all()


def test_frequent_strings_are_found_and_nothing_else():
    parameters = RapporParameters(bits=64, hashes=2, cohorts=16)
    random = np.random.default_rng(4)
    share = 0.75 ** np.arange(30)
    held = random.choice(30, 60_000, p=share / share.sum())
    counted = count_reports(encode(NAMES[:30], held, parameters, Seeded(5)), parameters)
    found = decode(counted, NAMES, parameters, level=1e-5)
    true = np.bincount(held, minlength=60)
    assert set(NAMES[:4]) <= set(found.strings)
    assert set(found.strings) <= set(NAMES[:30])
    for string, count, error in zip(found.strings, found.counts, found.errors, strict=True):
        assert abs(count - true[NAMES.index(string)]) < 6 * error
    assert 0.5 < found.fit <= 1


def test_strings_that_are_no_candidates_show_in_the_fit():
    parameters = RapporParameters(bits=64, cohorts=8)
    held = np.arange(40_000) % 2
    counted = count_reports(encode(NAMES[:2], held, parameters, Seeded(6)), parameters)
    assert decode(counted, NAMES[:2], parameters).fit > decode(counted, NAMES[:1], parameters).fit + 0.2
    nothing = decode(counted, [], parameters)
    assert nothing.strings == ()
    assert decode(np.zeros_like(counted), NAMES, parameters).strings == ()


def test_places_differ_by_cohort_and_stay_the_same():
    parameters = RapporParameters(hashes=12, bits=64)
    assert len(bit_positions("a", 0, parameters)) == 12
    assert bit_positions("a", 0, parameters) != bit_positions("a", 1, parameters)
    assert all(0 <= place < 64 for place in bit_positions("á" * 1000, 63, parameters))


@pytest.mark.parametrize(
    "wrong",
    [
        {"bits": 12},
        {"bits": 0},
        {"hashes": 0},
        {"cohorts": 0},
        {"f": Fraction(-1)},
        {"p": Fraction(3, 4)},
        {"q": Fraction(2)},
    ],
)
def test_parameters_that_make_no_sense(wrong):
    with pytest.raises(ValueError, match="RAPPOR must"):
        RapporParameters(**wrong)


def test_reports_differ_each_time():
    parameters = RapporParameters()
    one, other = (encode(NAMES, np.zeros(5, dtype=np.int64), parameters, Entropy()) for _ in range(2))
    assert (one.bits != other.bits).any()
