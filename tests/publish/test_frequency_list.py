"""Frequency lists: the law of what is drawn, against all partitions one by one; what it costs; what it gives away."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from fractions import Fraction
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chi2

from cobogo.errors import DataError, PolicyError
from cobogo.floor.randomness import Seeded
from cobogo.promises.accounting import PrivacyLoss
from cobogo.promises.ledger import Ledger
from cobogo.promises.mechanisms import frequency_list
from cobogo.promises.mechanisms.frequency_list import (
    Counts,
    DistanceBounds,
    FrequencyList,
    Outline,
    _trace_list,
    bounds,
    outline,
    ratio,
    tail,
)
from support.commands import cobogo
from support.effort import examples

pytestmark = pytest.mark.slow

Partition = tuple[int, ...]
NANO = Fraction(1, 10**9)

small_lists = st.lists(st.integers(1, 5), max_size=4).map(lambda parts: tuple(sorted(parts, reverse=True)))


def partitions(total: int, largest: int | None = None) -> Iterator[Partition]:
    """All ways to write a number as a falling sum."""
    if total == 0:
        yield ()
    for first in range(min(total, largest or total), 0, -1):
        for rest in partitions(total - first, first):
            yield (first, *rest)


def apart(one: Partition, other: Partition) -> int:
    """‖f − g‖₁, plainly."""
    width = max(len(one), len(other))
    pad = [(*part, *[0] * (width - len(part))) for part in (one, other)]
    return sum(abs(a - b) for a, b in zip(*pad, strict=True))


def counts_of(parts: Partition) -> Counts:
    return Counts.from_each(np.array(parts, dtype=np.int64))


def listed(found: Counts) -> Partition:
    return tuple(np.repeat(found.counts, found.items).tolist())


def with_bounds(epsilon: str, q: float, band: int, run: int) -> FrequencyList:
    made = FrequencyList(Fraction(epsilon), NANO)
    made.__dict__["bounds"] = DistanceBounds(q, band, run, 0.0)
    return made


@given(small_lists, small_lists)
def test_the_distance_is_that_of_the_sorted_lists(one: Partition, other: Partition) -> None:
    assert counts_of(one).distance(counts_of(other)) == apart(one, other)


@settings(deadline=None)
@given(small_lists)
def test_a_rim_that_is_not_left_is_the_list_itself(parts: Partition) -> None:
    for run in (1, 2, 50):
        rim = outline(counts_of(parts), run)
        states = np.zeros(len(rim.downs) + 1, dtype=np.int16)
        assert listed(_trace_list(rim, states)) == parts


def states_of(rim: Outline, walked: Partition, band: int) -> list[int] | None:
    """The places along a whole rim of a list that was drawn, or None if it leaves the band or misses a pin."""
    if walked and (walked[0] > rim.top or len(walked) > (~rim.downs).sum()):
        return None  # it has left already where the rim is cut
    widths = [sum(part >= height for part in walked) for height in range(rim.top + 1, 0, -1)]
    own, drawn = (0, rim.top), (0, rim.top)
    states = [band]
    for down in rim.downs:
        own = (own[0], own[1] - 1) if down else (own[0] + 1, own[1])
        wide = widths[rim.top + 1 - drawn[1]] if drawn[1] > 0 else math.inf
        drawn = (drawn[0], drawn[1] - 1) if drawn[0] >= wide else (drawn[0] + 1, drawn[1])
        states.append(band + drawn[0] - own[0])
    inside = all(0 <= state <= 2 * band for state in states)
    pinned = all(states[point] == band for point in np.flatnonzero(rim.pinned))
    return states if inside and pinned else None


def law(made: FrequencyList, true: Partition, candidates: list[Partition]) -> dict[Partition, float]:
    """What the compiled walk gives each candidate, from its own sums, step by step."""
    found = made.bounds
    rim = outline(counts_of(true), found.run)
    assert not rim.skipped
    steps = len(rim.downs)
    last = np.zeros(2 * found.band + 1)
    last[found.band] = 1.0
    sums = frequency_list.restore_sums(rim.downs, rim.pinned, made.weights, 0, steps, last, found.scaling_interval)
    chances = {}
    for candidate in candidates:
        states = states_of(rim, candidate, found.band)
        if states is None:
            continue
        chance = 1.0
        for step, (here, there) in enumerate(pairwise(states)):
            move = 1 if rim.downs[step] else -1
            ways = [sums[step + 1, here], sums[step + 1, here + move] if 0 <= here + move < sums.shape[1] else 0.0]
            chance *= ways[here != there] / sum(ways)
        chances[candidate] = chance
    return chances


CANDIDATES = [one for total in range(19) for one in partitions(total)]


@pytest.mark.parametrize("true", [(), (1,), (3, 1, 1), (2, 2), (4,)], ids=str)
def test_the_law_is_the_exponential_mechanism_given_the_band(true: Partition) -> None:
    made = with_bounds("2", math.exp(-1), band=3, run=14)
    found = law(made, true, CANDIDATES)
    assert sum(found.values()) == pytest.approx(1, abs=1e-3)  # larger lists have the rest
    best = found[true]
    for candidate, chance in found.items():
        assert chance / best == pytest.approx(math.exp(-apart(true, candidate)), rel=1e-11)


NEIGHBOURS = [((), (1,)), ((3, 1, 1), (3, 1, 1, 1)), ((3, 1, 1), (3, 2, 1)), ((2, 2), (3, 2)), ((5,), (6,))]


@pytest.mark.parametrize("pair", NEIGHBOURS, ids=str)
def test_what_is_drawn_is_private(pair: tuple[Partition, Partition]) -> None:
    """(ε, δ) by all lists one by one, both ways, with a band so narrow that what it leaves out can be seen."""
    q = math.exp(-1)
    made = with_bounds("2", q, band=1, run=12)
    laws = [law(made, true, CANDIDATES) for true in pair]
    assert all(sum(found.values()) == pytest.approx(1, abs=1e-3) for found in laws)
    whole = [sum(q ** apart(true, one) for one in CANDIDATES) for true in pair]
    kept = [sum(q ** apart(true, one) for one in found) for true, found in zip(pair, laws, strict=True)]
    left_out = max(1 - inside / full for inside, full in zip(kept, whole, strict=True))
    assert 1e-3 < left_out < 0.4
    epsilon, delta = 2 - math.log1p(-left_out), math.exp(2) * left_out / (1 - left_out)
    for one, other in (laws, laws[::-1]):
        beyond = sum(max(0.0, chance - math.exp(epsilon) * other.get(drawn, 0.0)) for drawn, chance in one.items())
        assert beyond <= delta
    for drawn in CANDIDATES:  # and the law without a band is pure
        ratios = [q ** apart(true, drawn) / full for true, full in zip(pair, whole, strict=True)]
        assert abs(math.log(ratios[0] / ratios[1])) <= 2 + 1e-9


def reference_marginals(true: Partition, q: float, wide: int, ends: int) -> np.ndarray:
    """P(d_t = w) on every diagonal, by plain sums both ways over a band that is practically endless."""
    rim = outline(counts_of(true), ends)
    states = np.arange(-wide, wide + 1)
    weights = q ** np.abs(states)

    def sums(downs: np.ndarray, sign: int) -> list[np.ndarray]:
        found = [(states == 0).astype(float)]
        for down in downs:
            moved = np.roll(found[-1], sign if down else -sign)
            found.append(weights * (found[-1] + moved))
        return found

    left = sums(rim.downs, 1)
    right = sums(rim.downs[::-1], -1)[::-1]
    joint = np.array([one * other / weights for one, other in zip(left, right, strict=True)])
    return joint / joint.sum(axis=1, keepdims=True)


@settings(max_examples=examples(25), deadline=None)
@given(small_lists, st.sampled_from([0.2, 0.5, 0.8]))
def test_no_diagonal_strays_further_than_the_bound(true: Partition, q: float) -> None:
    chances = reference_marginals(true, q, wide=30, ends=60)
    for w in range(8):
        for side in (1, -1):
            near, far = chances[:, 30 + side * w], chances[:, 30 + side * (w + 1)]
            assert (far <= ratio(q, w) * near + 1e-12).all()
        assert chances[:, 30 + w + 1 :].sum(axis=1).max() <= tail(q, w) + 1e-12


def test_the_bound_is_met_by_the_empty_list() -> None:
    """Its Durfee square: P(w + 1)/P(w) is the ratio itself."""
    chances = reference_marginals((), 0.5, wide=30, ends=60)
    corner = chances[60]
    for w in range(4):
        assert corner[31 + w] / corner[30 + w] == pytest.approx(ratio(0.5, w), rel=1e-6)


@settings(max_examples=examples(25), deadline=None)
@given(st.integers(1, 12), st.sampled_from([0.2, 0.5, 0.7]))
def test_long_straight_runs_come_back(steps: int, q: float) -> None:
    """One count of many items: at m steps from either end of its run, P(d > 0) and P(d < 0) are at most 2x."""
    m = steps
    x = q ** (m + 1) / (1 - q) ** 2
    if x > 0.5:
        return
    chances = reference_marginals((1,) * (2 * m), q, wide=20, ends=60)
    run = 60 + np.arange(2 * m + 1)  # the points of the run to the right
    assert chances[run[m]][21:].sum() <= 2 * x + 1e-12
    assert chances[run[m]][:20].sum() <= 2 * x + 1e-12


def test_the_draws_follow_the_law() -> None:
    """χ² of seeded draws against all partitions, at a false alarm of 10⁻⁶."""
    true, draws = (3, 1, 1), 6000
    made, source = FrequencyList(Fraction(2), NANO), Seeded(11)
    q = made.bounds.q
    weights = {one: q ** apart(true, one) for one in CANDIDATES}
    full = sum(weights.values())
    seen: dict[Partition, int] = {}
    for _ in range(draws):
        found = listed(made.draw(counts_of(true), source))
        seen[found] = seen.get(found, 0) + 1
    common = [one for one, weight in weights.items() if draws * weight / full >= 8]
    expected = [draws * weights[one] / full for one in common]
    observed: list[float] = [seen.get(one, 0) for one in common]
    expected.append(draws - sum(expected))
    observed.append(draws - sum(observed))
    statistic = sum((o - e) ** 2 / e for o, e in zip(observed, expected, strict=True))
    assert len(common) > 40
    assert statistic < chi2.isf(1e-6, len(common))


def test_coins_look_at_every_digit() -> None:
    """A word that is level with the first 64 digits of a share leaves it to the next."""
    sums = np.array([[0.0, 1.0, 0.0], [0.0, 0.75, 0.25]])
    downs, states = np.array([True]), np.zeros(2, dtype=np.int16)
    for word, moves in ((2**62 - 1, True), (2**62, False), (2**63, False)):
        state, used = frequency_list.walk(downs, sums, 0, 1, np.array([word, 0], dtype=np.uint64), 0, states)
        assert ((state == 2), used) == (moves, 1)
    share = 2.0**-2 + 2.0**-54
    sums = np.array([[0.0, 1.0, 0.0], [0.0, 1 - share, share]])
    level = int(share * 2**64)
    assert frequency_list.walk(downs, sums, 0, 1, np.array([level - 1], dtype=np.uint64), 0, states)[0] == 2
    tiny = 2.0**-70
    sums = np.array([[0.0, 1.0, 0.0], [0.0, 1.0, tiny]])
    for second, moves in ((2**58 - 1, True), (2**58, False)):
        words = np.array([0, second, 0], dtype=np.uint64)
        assert (frequency_list.walk(downs, sums, 0, 1, words, 0, states)[0] == 2) == moves


def test_blocks_are_no_part_of_the_law() -> None:
    """The sums of a point are the same floats, however many points are in memory together."""
    true = counts_of((40, 17, 9, 9, 5, 3, 2, 2, 1, 1, 1, 1, 1))
    made = FrequencyList(Fraction(1), NANO)
    rim, between = outline(true, made.bounds.run), made.bounds.scaling_interval
    apart_from = [
        frequency_list.checkpoints(rim.downs, rim.pinned, made.weights, block, between) for block in (4096, 64)
    ]
    assert np.array_equal(apart_from[0][0], apart_from[1][0])
    for start in range(0, len(rim.downs), 64):
        end = min(start + 64, len(rim.downs))
        last = apart_from[1][start // 64 + 1]
        again = frequency_list.restore_sums(rim.downs, rim.pinned, made.weights, start, end, last, between)
        assert np.array_equal(again[0], apart_from[1][start // 64])


@settings(max_examples=examples(20), deadline=None)
@given(st.lists(st.integers(1, 10**6), max_size=30), st.sampled_from(["0.006", "0.05", "1", "20"]))
def test_whatever_the_list_another_one_comes(parts: list[int], epsilon: str) -> None:
    true = Counts.from_each(np.array(parts, dtype=np.int64))
    made = FrequencyList(Fraction(epsilon), NANO)
    found = made.draw(true)
    assert found.distance(found) == 0
    if epsilon == "20":
        assert found.distance(true) <= 12


def zipf(accounts: int) -> Counts:
    """A list as passwords have it: half of the accounts by Zipf's law, the rest alone."""
    ranks = np.arange(1, int(accounts * 0.6) + 1)
    return Counts.from_each(np.maximum(1, 0.5 * accounts / (math.log(len(ranks)) * ranks)).astype(np.int64))


@pytest.mark.parametrize("epsilon", ["0.01", "1"])
def test_the_error_is_of_the_order_of_the_lower_bound(epsilon: str) -> None:
    true = zipf(3_000_000)
    found = FrequencyList(Fraction(epsilon), NANO).draw(true)
    assert true.distance(found) < 4 * math.sqrt(true.accounts / float(epsilon))


def test_refusals_follow_from_the_question_alone() -> None:
    for epsilon, delta in (("0.005", "1e-9"), ("21", "1e-9"), ("1", "1e-19"), ("1", "0.2"), ("0.01", "0.002")):
        with pytest.raises(PolicyError):
            bounds(Fraction(epsilon), Fraction(delta))
    with pytest.raises(DataError):
        FrequencyList(Fraction(1), NANO).draw(Counts.from_each(np.array([2**29 + 1])))


WORDS = ["senha123", "qwerty,1", 'dragon"', "iloveyou"]


@pytest.fixture
def here(tmp_path: Path) -> Path:
    items = [word for number, word in enumerate(WORDS) for _ in range(20 * (number + 1))]
    (tmp_path / "words.txt").write_text("\n".join(items) + "\n")
    (tmp_path / "counts.csv").write_text("n\n20\n40\n60\n80\n")
    return tmp_path


def test_a_release_tells_counts_and_no_items(here: Path) -> None:
    said = json.loads(
        cobogo("answer", "frequency-list", "words.txt", "--epsilon", "20", "--out", "out", "--json", cwd=here)
    )
    assert said["accounts"]["true"] == 200
    assert said["distance"] <= 12
    rows = (here / "out/public/release.csv").read_text().splitlines()
    assert rows[0] == "count,items"
    counts = [int(row.split(",")[0]) for row in rows[1:]]
    assert counts == sorted(counts, reverse=True)
    for file in (here / "out").rglob("*"):
        if file.is_file():
            assert not any(word.encode() in file.read_bytes() for word in WORDS), file
    assert "holds" in cobogo("verify", "out", cwd=here)
    manifest = json.loads((here / "out/public/manifest.json").read_text())
    assert manifest["transformation"]["entropy"] == "operating system"
    assert "accounts" not in manifest["transformation"]


def test_counts_can_be_given(here: Path) -> None:
    said = json.loads(
        cobogo(
            "answer", "frequency-list", "counts.csv", "--counts", "--epsilon", "20", "--out", "out", "--json", cwd=here
        )
    )
    assert said["accounts"]["true"] == 200
    (here / "counts.csv").write_text("n\n20\nmany\n")
    wrong = cobogo(
        "answer", "frequency-list", "counts.csv", "--counts", "--epsilon", "1", "--out", "o", cwd=here, code=2
    )
    assert "many" not in wrong
    assert not (here / "o").exists()


def test_a_seed_voids_it_and_so_does_another_file(here: Path) -> None:
    cobogo("answer", "frequency-list", "words.txt", "--epsilon", "1", "--out", "out", "--seed", "7", cwd=here, code=1)
    assert "seed" in cobogo("verify", "out", cwd=here, code=1)


def test_verification_recomputes_the_mechanism(here: Path) -> None:
    cobogo("answer", "frequency-list", "words.txt", "--epsilon", "1", "--out", "out", "--quiet", cwd=here)
    manifest, rows = here / "out/public/manifest.json", here / "out/public/release.csv"
    content = json.loads(manifest.read_text())
    for key, value in (("band", 3), ("q", 0.9), ("epsilon", "1/2"), ("epsilon", "100"), ("delta", "0")):
        changed = {**content, "transformation": {**content["transformation"], key: value}}
        manifest.write_text(json.dumps(changed))
        assert "does not keep" in cobogo("verify", "out/public", cwd=here, code=1)
    manifest.write_text(json.dumps(content))
    rows.write_text("count,items\n5,1\n5,2\n")
    assert "not a list of decreasing counts" in cobogo("verify", "out/public", cwd=here, code=1)


def test_counts_beyond_64_bits_are_too_many() -> None:
    with pytest.raises(DataError):
        FrequencyList(Fraction(1), NANO).draw(Counts(np.array([2**62]), np.array([4])))


def test_the_ledger_pays_first(here: Path) -> None:
    ledger = Ledger(here / "ledger.db")
    ledger.open("users", PrivacyLoss("epsilon", Fraction(3), Fraction(1, 10**8)))
    ledger.grant("users", "ana", PrivacyLoss("epsilon", Fraction(2), Fraction(1, 10**8)))
    paid = ("--ledger", "ledger.db", "--dataset", "users", "--analyst", "ana")
    cobogo("answer", "frequency-list", "words.txt", "--epsilon", "1.5", "--out", "out", *paid, cwd=here)
    assert ledger.balance("users").spent.amount == 1_500_000_000
    cobogo("answer", "frequency-list", "words.txt", "--epsilon", "1.5", "--out", "two", *paid, cwd=here, code=1)
    assert not (here / "two").exists()
    assert len(ledger.entries("users")) == 1
    cobogo("answer", "frequency-list", "words.txt", "--epsilon", "1", "--out", "two", *paid[:4], cwd=here, code=2)
