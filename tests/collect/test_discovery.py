"""Frequent words and numbers, found without a list: the loss of a report, what is found, and what is not."""

from __future__ import annotations

from fractions import Fraction
from math import exp, log

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from cobogo.collect.power import smallest_share
from cobogo.collect.sequences import NumberDomain, WordDomain
from cobogo.floor.randomness import Entropy, Seeded
from support.asked import DISCOVERIES
from support.effort import examples

pytestmark = pytest.mark.slow

each = pytest.mark.parametrize("name", DISCOVERIES)
LETTERS = "abcdefghijklmnopqrstuvwxyz"
WORDS = WordDomain(LETTERS, 8)


def population(users: int, domain: WordDomain | NumberDomain, seed: int):
    """Twelve values of many holders, and as many others as there are users left."""
    random = np.random.default_rng(seed)
    share = np.array([0.2, 0.15, 0.1, 0.1, 0.08, 0.05, 0.04, 0.03, 0.002, 0.002, 0.001, 0.001])
    if isinstance(domain, WordDomain):
        rare = ["".join(row) for row in random.choice(list(LETTERS), (users, domain.length))]
        frequent = [
            "casa",
            "cama",
            "saudade",
            "mar",
            "maresia",
            "cajueiro",
            "sol",
            "a",
            "jangada",
            "rede",
            "vento",
            "lua",
        ]
    else:
        rare = random.integers(0, 1 << domain.bits, users).tolist()
        frequent = random.integers(0, 1 << domain.bits, 12).tolist()
    number = random.choice(13, users, p=[*share, 1 - share.sum()])
    held = [rare[user] if which == 12 else frequent[which] for user, which in enumerate(number)]
    return held, frequent, np.bincount(number, minlength=13)[:12]


@each
@pytest.mark.parametrize("epsilon", [0.5, log(3), 4.0])
def test_no_report_tells_more_than_epsilon(name, epsilon):
    discovery = DISCOVERIES[name](epsilon, WordDomain("ab", length=3), rows=2, width=8)
    laws = [discovery.law(word) for word in ("", "a", "ab", "bab", "zzz")]
    loss = 0.0
    for law in laws:
        assert sum(law.values()) == 1
        for other in laws:
            ratio = max(law[report] / other[report] for report in law)
            assert ratio <= Fraction(exp(epsilon))
            loss = max(loss, log(ratio))
    assert loss == pytest.approx(epsilon, rel=1e-4)


@each
@pytest.mark.parametrize("epsilon", [1.5, 4.0])
def test_reports_follow_their_law(name, epsilon):
    discovery = DISCOVERIES[name](epsilon, WordDomain("ab", length=3), rows=2, width=8)
    law = discovery.law("ba")
    reports = discovery.encode(["ba"] * 30_000, Seeded(2)).tolist()
    observed = dict.fromkeys(law, 0)
    for report in reports:
        observed[report] += 1
    expected = [30_000 * float(chance) for chance in law.values()]
    assert stats.chisquare(list(observed.values()), expected).pvalue > 1e-6


@each
@pytest.mark.parametrize(("epsilon", "domain"), [(2.0, WORDS), (6.0, NumberDomain(48))], ids=["words", "numbers"])
def test_frequent_values_are_found_and_nothing_else(name, epsilon, domain):
    fragments = {"fragment": 1} if name == "sfp" and isinstance(domain, NumberDomain) else {}
    discovery = DISCOVERIES[name](epsilon, domain, **fragments)
    users = 150_000
    held, frequent, true = population(users, domain, seed=3)
    reports = discovery.encode(held, Seeded(4))
    tally = discovery.tally(reports)
    assert (discovery.tally(reports[:1000]) + discovery.tally(reports[1000:]) == tally).all()
    found = discovery.find(tally, alpha=1e-4)
    assert found.users == users
    assert set(frequent[: 4 if epsilon < 3 else 7]) <= set(found.there) <= set(frequent)
    for value, count, error in zip(found.values, found.counts, found.errors, strict=True):
        if value in found.there:
            assert abs(count - true[frequent.index(value)]) < 5.5 * error
    assert list(found.counts) == sorted(found.counts, reverse=True)
    assert found.shares == pytest.approx(found.counts / users)


@each
def test_a_crowd_without_frequent_values_shows_none(name):
    """Everybody holds another word: of all collections, at most the share alpha finds anything."""
    discovery = DISCOVERIES[name](2.0, WordDomain("abcdef", length=5), rows=64)
    random = np.random.default_rng(6)
    alarms = 0
    for seed in range(40):
        held = ["".join(row) for row in random.choice(list("abcdef"), (3_000, 5))]
        alarms += bool(discovery.find(discovery.tally(discovery.encode(held, Seeded(seed))), alpha=0.1).there)
    assert stats.binom(40, 0.1).sf(alarms - 1) > 1e-6


@each
def test_a_word_is_found_as_often_as_foretold(name):
    discovery = DISCOVERIES[name](2.0, WordDomain("abce", length=6))
    users, repeats = 20_000, 20
    share = smallest_share(discovery, users, alpha=0.1, power=0.9)
    random = np.random.default_rng(7)
    held = ["".join(row) for row in random.choice(list("abce"), (users, 6))]
    held[: round(share * users)] = ["cabeca"] * round(share * users)
    seen = sum(
        "cabeca" in discovery.find(discovery.tally(discovery.encode(held, Seeded(seed))), alpha=0.1).there
        for seed in range(repeats)
    )
    assert stats.binom(repeats, 0.75).cdf(seen) > 1e-4


@each
def test_nobody(name):
    discovery = DISCOVERIES[name](1.0)
    tally = discovery.tally(discovery.encode([], Seeded(1)))
    assert tally.sum() == 0
    assert discovery.find(tally).values == []


@settings(max_examples=examples(50), deadline=None)
@given(words=st.lists(st.text(max_size=12), max_size=8))
def test_every_word_has_a_sequence(words):
    domain = WORDS
    sequences = domain.sequences(words)
    assert sequences.shape == (len(words), 8)
    assert ((sequences >= 0) & (sequences < domain.symbols)).all()
    assert domain.possible(sequences).all()
    expected = ["".join(c if c in LETTERS else "\ufffd" for c in word[:8].rstrip("\0")) for word in words]
    assert domain.values(sequences) == expected


@settings(max_examples=examples(50), deadline=None)
@given(bits=st.integers(1, 56), digit=st.integers(1, 8), data=st.data())
def test_numbers_are_their_digits(bits, digit, data):
    domain = NumberDomain(bits, digit)
    numbers = [0, 2**bits - 1, *data.draw(st.lists(st.integers(0, 2**bits - 1), max_size=5))]
    assert domain.values(domain.sequences(numbers)) == numbers
    assert domain.to_numbers(domain.sequences(numbers)).tolist() == numbers
    with pytest.raises(ValueError, match="must be"):
        domain.sequences([2**bits])


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: WordDomain("aa"),
        lambda: WordDomain(""),
        lambda: WordDomain("a\0"),
        lambda: WordDomain(LETTERS, 13),
        lambda: WordDomain(LETTERS, 0),
        lambda: NumberDomain(0),
        lambda: NumberDomain(61),
        lambda: NumberDomain(8, 9),
        lambda: DISCOVERIES["pem"](0.0),
        lambda: DISCOVERIES["pem"](1.0, keep=0),
        lambda: DISCOVERIES["sfp"](1.0, fragment=3),
        lambda: DISCOVERIES["sfp"](1.0, fragment=0),
        lambda: DISCOVERIES["sfp"](1.0).find(np.zeros((5, 256, 1025), dtype=np.int64), alpha=0),
    ],
    ids=range(13),
)
def test_parameters_that_make_no_sense(wrong):
    with pytest.raises(ValueError, match="must be"):
        wrong()


NEVER = 1e-7  # of a test that fails a sampler that is right


@pytest.mark.parametrize("name", DISCOVERIES)
def test_groups_are_dealt_evenly(name):
    discovery = DISCOVERIES[name](1.0)
    groups = discovery.encode(np.full(200_000, "oi"), Entropy())["group"]
    assert stats.chisquare(np.bincount(groups, minlength=discovery.groups)).pvalue > NEVER
