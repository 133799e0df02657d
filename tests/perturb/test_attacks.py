"""What attacks make of partitions, and what of randomized tables."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest

import cobogo as cb
from cobogo.perturb.attacks import corrupted_posterior, corruption, duplicated, republished
from cobogo.perturb.operators.uniform import Uniform, largest_retention
from cobogo.perturb.randomization.alpha_beta import AlphaBeta, drawn_set
from cobogo.randomness import Entropy, coins

HOSPITAL = [
    ("23", "47806", "H1N1"), ("27", "47805", "SARS"), ("33", "47823", "AIDS"),
    ("35", "47823", "AIDS"), ("41", "47904", "SARS"), ("45", "47906", "H1N1"),
]  # fmt: skip
"""Six patients in the manner of the hospital of Chaytor (2010): age, zip code, disease."""

FIGURE_7A = [
    ("23", "47806", "H1N1"), ("27", "47805", "SARS"), ("37", "47926", "SARS"), ("45", "47934", "H1N1"),
    ("47", "47930", "AIDS"), ("47", "47926", "AIDS"),
]  # fmt: skip
FIGURE_7B = [
    ("23", "47806", "H1N1"), ("27", "47805", "SARS"), ("33", "47823", "AIDS"), ("37", "47926", "SARS"),
    ("45", "47934", "H1N1"), ("47", "47930", "AIDS"), ("47", "47926", "AIDS"), ("23", "47806", "H1N1"),
    ("48", "47930", "H1N1"),
]  # fmt: skip


def test_corruption_breaks_a_two_diverse_generalization() -> None:
    rows = [r for r in HOSPITAL for _ in range(3)]
    table = pa.table({"age": [r[0] for r in rows], "zip": [r[1] for r in rows], "disease": [r[2] for r in rows]})
    release = cb.anonymize(table, {
        "attributes": {
            "age": {"role": "quasi-identifier", "hierarchy": {"intervals": [10, 20], "top": True}},
            "zip": {"role": "quasi-identifier", "hierarchy": {"mask": "right"}},
            "disease": {"role": "sensitive"},
        },
        "privacy": {"models": [{"model": "l-diversity", "l": 2}, {"model": "k-anonymity", "k": 2}]},
    })  # fmt: skip
    classes = release.plan.kept
    histogram = classes.histograms["disease"]
    counts = [histogram.counts[a:b] for a, b in zip(histogram.offsets, histogram.offsets[1:], strict=False)]
    before = max((c / c.sum()).max() for c in counts)
    found = corruption(counts)
    assert before < 1
    assert found is not None
    assert found.confidence == 1.0


def test_corruption_is_of_no_use_against_a_uniform_perturbation() -> None:
    """All six released, five of them corrupted: the sixth's posterior is what it would be alone."""
    prior = np.array([1 / 3, 1 / 3, 1 / 3])
    operator = Uniform(3, largest_retention(4, 3))
    joint = np.zeros((3, 3))  # of the victim's value and released one, counted over many draws of the whole table
    others = np.array([0, 1, 2, 2, 1])
    random = np.random.default_rng(0)
    runs = 60_000
    mine = random.integers(0, 3, runs)
    released = operator.sample(mine, Entropy())
    theirs = operator.sample(np.tile(others, runs), Entropy()).reshape(runs, -1)
    for x, y in zip(mine.tolist(), released.tolist(), strict=True):
        joint[x, y] += 1
    for y in range(3):
        expected = corrupted_posterior(operator, prior, y)
        assert expected.max() <= 4 / 6 + 1e-9  # odds of ½, times γ = 4
        for pattern in (theirs[:, 0] == 0, theirs[:, 0] != 0):  # whatever the others show
            chosen = pattern & (released == y)
            share = (mine[chosen] == y).mean()
            assert abs(share - expected[y]) < 5.5 * np.sqrt(expected[y] * (1 - expected[y]) / chosen.sum())


@pytest.mark.parametrize(
    ("counts", "threshold", "known"), [([2, 2], 1.0, 2), ([1, 1, 1], 0.5, 1), ([3, 1], 0.75, 0), ([5, 5], 0.9, 5)]
)
def test_how_many_must_be_corrupted(counts: list[int], threshold: float, known: int) -> None:
    found = corruption([np.array(counts)], threshold)
    assert found is not None
    assert found.known == known
    assert found.confidence >= threshold - 1e-9


def test_figure_7() -> None:
    """Both solutions are 33 % original; the second keeps more of them, and gives one away by its duplicate."""
    kept_a, kept_b = ([r for r in dict.fromkeys(v) if r in HOSPITAL] for v in (FIGURE_7A, FIGURE_7B))
    assert (len(kept_a), len(FIGURE_7A)) == (2, 6)
    assert (len(kept_b), len(FIGURE_7B)) == (3, 9)
    assert len(kept_a) / len(FIGURE_7A) == len(kept_b) / len(FIGURE_7B) == pytest.approx(1 / 3)
    assert duplicated(FIGURE_7A) == set()
    assert duplicated(FIGURE_7B) == {("23", "47806", "H1N1")} <= set(HOSPITAL)  # Alice, for certain


def naive(originals: np.ndarray, possible: int, chances: AlphaBeta) -> np.ndarray:
    """As first described: the second step goes over all possible records, those of the table among them."""
    kept = originals[coins(chances.kept, len(originals), Entropy())]
    return np.concatenate([kept, np.flatnonzero(coins(chances.beta, possible, Entropy()))])


def test_duplicates_give_originals_away_by_the_naive_algorithm_and_not_by_ours() -> None:
    chances, possible = AlphaBeta.best(0.05, 0.3), 20_000
    originals = np.sort(np.random.default_rng(1).choice(possible, 2000, replace=False))
    theirs = duplicated(naive(originals, possible, chances).tolist())
    assert len(theirs) > 50
    assert theirs <= set(originals.tolist())  # each of them is an original: confidence 1
    ours = drawn_set(originals, possible, chances, Entropy())
    assert duplicated(ours.tolist()) == set()
    kept, added = int(np.isin(ours, originals).sum()), int((~np.isin(ours, originals)).sum())
    for found, n, share in ((kept, 2000, chances.kept), (added, possible - 2000, chances.beta)):
        assert abs(found - n * share) < 5.5 * np.sqrt(n * float(share * (1 - share)))
    estimate = (len(ours) - float(chances.beta) * possible) / float(chances.alpha)
    spread = 2000 * chances.kept * (1 - chances.kept) + (possible - 2000) * chances.beta * (1 - chances.beta)
    assert abs(estimate - 2000) < 5.5 * np.sqrt(float(spread)) / float(chances.alpha)


def test_values_that_are_drawn_again_and_again_are_known_in_the_end() -> None:
    operator, prior = Uniform(4, Fraction(1, 2)), np.full(4, 1 / 4)
    once = republished(operator, prior, [2])
    assert once[2] == pytest.approx(operator.posterior(prior)[2, 2])
    assert republished(operator, prior, [2] * 6)[2] > 0.999
    ratio = operator.amplification
    twice = republished(operator, prior, [2, 2])
    assert twice[2] / twice[0] == pytest.approx(ratio**2)
