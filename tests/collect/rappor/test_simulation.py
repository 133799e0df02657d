"""RAPPOR's published experiment on seeded draws: what the page says was found is what is found."""

from __future__ import annotations

import sys
from dataclasses import replace

import pytest

from cobogo.collect.rappor.simulation import PAPER, SHAPES, simulate
from cobogo.floor.randomness import Seeded
from support.pages import ROOT, page

sys.path.insert(0, str(ROOT))  # figures are not part of the package

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
