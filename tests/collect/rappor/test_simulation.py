"""RAPPOR's published experiment on seeded draws: what the page says was found is what is found."""

from __future__ import annotations

import sys
from dataclasses import replace

import numpy as np
import pytest

from cobogo.collect.rappor.simulation import DEMO, PAPER, SHAPES, decode_drawn, draw_counts, simulate
from cobogo.floor.randomness import Seeded
from support.pages import ROOT, page

sys.path.insert(0, str(ROOT))  # figures are not part of the package

from benchmarks import decoding
from figures.collecting import LAWS, demo_row, of_the_demo, paper_row

pytestmark = pytest.mark.slow

TEXT = page("collecting")


@pytest.mark.parametrize("law", SHAPES)
def test_the_demonstration_is_as_the_page_says(law):
    assert demo_row(law) in TEXT
    found = of_the_demo(law)
    assert found.invented == 0
    assert found.detected <= len(found.candidates) - 10
    assert found.covered > 0.85
    assert not {f"v{number}" for number in range(10, 101, 10)} & set(found.found.strings)


@pytest.mark.parametrize("law", LAWS)
def test_few_reports_show_little(law):
    assert paper_row(law, 10_000) in TEXT


def test_more_reports_show_more():
    """The total variation falls, and what is found grows by whole neighbourhoods of frequent strings."""
    fewer = replace(PAPER, cohorts=8)
    few, many = (simulate("exponential", clients, fewer, Seeded(3), extra=100) for clients in (20_000, 200_000))
    assert few.detected < many.detected
    assert many.total_variation < few.total_variation
    assert many.invented == 0
    rare = [name for name, share in zip(many.names, many.shares, strict=True) if share < 0.005]
    assert not set(rare) & set(many.found.strings)
    assert many.as_dict()["reports"] == 200_000


def test_the_default_rule_invents_nothing_and_the_other_finds_more():
    """On the same counts, of all laws of the demonstration: what bonferroni finds, fdr finds too, and what fdr invents
    is about the share that was asked for."""
    found = invented = 0
    for law in SHAPES:
        drawn = draw_counts(law, 100_000, DEMO, Seeded(1), missing=10, extra=100)
        strict, loose = (
            decode_drawn(drawn, DEMO, level=level, rule=rule) for rule, level in (("bonferroni", 0.05), ("fdr", 0.1))
        )
        assert strict.invented == 0
        assert set(strict.found.strings) <= set(loose.found.strings)
        found, invented = found + loose.detected - strict.detected, invented + loose.invented
    assert found > 25
    assert invented < found / 2


@pytest.mark.parametrize("missing", [1, 3])
def test_nothing_is_invented_where_the_most_frequent_strings_are_no_candidates(missing):
    """They lift some bits of others by far, in every run the same ones."""
    for seed in range(3):
        drawn = draw_counts("zipf", 100_000, DEMO, Seeded(seed), extra=100)
        found = decode_drawn(replace(drawn, candidates=drawn.candidates[missing:]), DEMO)
        assert found.invented == 0
        assert found.detected > 3


def test_nothing_is_invented_where_some_of_many_candidates_are_selected():
    few_bits = replace(DEMO, cohorts=8)
    for seed in range(8):
        found = simulate("zipf", 100_000, few_bits, Seeded(seed), extra=40)
        assert found.invented == 0
        assert found.detected > 5


@pytest.mark.evidence
@pytest.mark.parametrize("name", ["paper, exponential", "paper, normal", "typical, 8 bits", "sharp, normal"])
def test_fdr_finds_as_many_as_googles_rule_with_no_larger_share_of_false_ones(name):
    found = [
        decoding.tally(draw_counts(law, 1_000_000, parameters, Seeded(seed), **others), parameters)
        for law, parameters, others in [decoding.SET_UPS[name]]
        for seed in (1, 2, 3)
    ]
    ours, theirs = (np.sum([one[rule] for one in found], axis=0) for rule in ("fdr", "google"))
    assert ours[0] >= 0.95 * theirs[0]
    assert ours[1] / ours.sum() <= theirs[1] / theirs.sum() + 0.03
    assert not sum(one["bonferroni"][1] for one in found)
