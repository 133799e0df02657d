"""Two answers told together: likelihoods are those of the laws, and joint shares come out with the errors stated."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from math import prod

import numpy as np
import pytest

from cobogo.collect.association import ReportPairs, associate, fit_shares
from cobogo.collect.hashing import REPORT
from cobogo.collect.layout import pack_reports
from cobogo.collect.pilot import encode_pairs
from cobogo.collect.rappor.filters import bloom_filters
from cobogo.errors import PolicyError, ReportError
from cobogo.floor.randomness import Seeded
from support.asked import LISTED, VALUES, asked


@pytest.mark.parametrize("mechanism", LISTED)
def test_likelihoods_are_those_of_the_law(mechanism):
    """Of every report of a small domain, the ratios between values."""
    collection = asked(mechanism, values=VALUES[:4])
    oracle = collection.protocol.oracle
    laws = [oracle.law(held) for held in range(4)]
    reports = list(laws[0])
    if mechanism == "olh":
        raw = np.array(reports, dtype=REPORT)
    elif isinstance(reports[0], tuple):
        raw = np.packbits(np.array(reports, dtype=bool), axis=1)
    else:
        raw = np.array(reports)
    labels, likely = collection.protocol.likelihoods(pack_reports(raw, oracle.layout))
    true = np.array([[float(law[report]) for law in laws] for report in reports])
    assert labels == VALUES[:4]
    assert np.allclose(likely / likely[:, :1], true / true[:, :1], rtol=1e-9)


def test_likelihoods_of_rappor_are_those_of_its_bits():
    collection = asked("rappor", bits=8, hashes=1, cohorts=2, candidates=VALUES[:3])
    parameters = collection.protocol.parameters
    q, p = parameters.shown_if_set, parameters.shown_if_not
    blooms = bloom_filters(VALUES[:3], parameters)
    shown = list(product((False, True), repeat=8))
    for cohort in range(2):
        rows = np.column_stack([np.full(256, cohort), np.packbits(np.array(shown), axis=1)]).astype(np.uint8)
        _, likely = collection.protocol.likelihoods(rows)
        true = np.array([
            [
                float(prod((c if b else 1 - c for b, c in zip(bits, chances, strict=True)), start=Fraction(1)))
                for chances in ([q if has else p for has in bloom] for bloom in blooms[cohort])
            ]
            for bits in shown
        ])  # fmt: skip
        assert np.allclose(likely[:, 1:3] / likely[:, :1], true[:, 1:] / true[:, :1])


JOINT = np.array([[0.35, 0.05], [0.1, 0.2], [0.05, 0.25]])


@pytest.mark.parametrize(("one", "other"), [("rappor", "grr"), ("oue", "olh"), ("hadamard", "sue")])
def test_joint_shares_come_out(one, other):
    loose = {"epsilon": 3.0, "values": VALUES[:3]}
    sharp = {"f": 0.1, "p": 0.1, "q": 0.9, "candidates": VALUES[:3]}
    first = asked(one, **(sharp if one == "rappor" else loose))
    second = asked(other, **{**loose, "values": VALUES[:2]})
    held = np.random.default_rng(1).choice(6, 8_000, p=JOINT.ravel())
    a, b = ([VALUES[number] for number in part] for part in (held // 2, held % 2))
    found = associate(first, *_interleaved(first, a, second, b))
    true = np.bincount(held, minlength=6).reshape(3, 2) / len(held)
    assert found.chance < 1e-6
    assert found.rows[:3] == VALUES[:3]
    assert (np.abs(found.shares[:3] - true) < 5.5 * found.errors[:3]).all()
    assert (found.errors[:3] < 0.05).all()
    assert found.shares.sum() == pytest.approx(1)
    assert len(found.as_dict()["pairs"]) == found.shares.size
    strangers = associate(first, *_interleaved(first, a, second, b[4000:] + b[:4000]))
    assert strangers.chance > 1e-6


def _interleaved(first, a, second, b):
    one, other = encode_pairs(first, a, second, b, Seeded(5))
    return one, second, other


def test_the_fit_is_the_most_likely():
    """No other shares make the reports more likely: among them those that were drawn by."""
    random = np.random.default_rng(2)
    reports = ReportPairs(random.random((500, 3)), random.random((500, 2)), random.integers(1, 5, 500).astype(float))
    shares, likely = fit_shares(reports)
    _, independent = fit_shares(reports, independent=True)
    assert likely >= independent - 1e-6
    for _ in range(200):
        other = random.dirichlet(np.ones(6)).reshape(3, 2)
        mixed = 0.9 * shares + 0.1 * other
        assert float(reports.often @ np.log(reports.chances(mixed))) <= likely + 1e-4


def test_what_cannot_be_associated():
    first, second = asked("grr"), asked("duchi")
    with pytest.raises(PolicyError, match="duchi cannot be associated"):
        associate(first, np.zeros((2, 1), dtype=np.uint8), second, np.zeros((2, 1), dtype=np.uint8))
    with pytest.raises(ReportError, match="same number of reports"):
        associate(first, np.zeros((2, 1), dtype=np.uint8), first, np.zeros((1, 1), dtype=np.uint8))
