"""Mechanisms on real trajectories, where the sample is beside the project."""

from __future__ import annotations

import pytest
from benchmarks.adaptive import SAMPLE, Row, table


@pytest.fixture(scope="module")
def rows() -> dict[str, Row]:
    if not SAMPLE.is_file():
        pytest.skip("the sample of trajectories (../shared/data/geolife) is not here")
    return {row.rule: row for row in table((60.0,), seeds=1)}


def test_adaptive_noise_spends_more_and_protects_less_than_plain_noise(rows: dict[str, Row]) -> None:
    for rule in ("adaptive, judged by the truth", "adaptive, judged by reports"):
        assert rows[rule].spent > 2
        assert rows[rule].loss > rows["plain"].loss
        assert rows[rule].attacked < 0.8 * rows["plain"].attacked
        assert rows[rule].attacked < 0.6 * rows[rule].plain_attacked


def test_lines_through_true_places_give_more_noise_and_still_protect_less_for_it(rows: dict[str, Row]) -> None:
    row = rows["adaptive, lines through true places"]
    assert row.spent < 1.2
    assert row.loss > 3 * rows["plain"].loss
    assert row.attacked < row.plain_attacked


def test_the_predictive_mechanism_spends_half_and_protects_more(rows: dict[str, Row]) -> None:
    assert rows["predictive"].spent < 0.7
    assert rows["predictive"].attacked > 1.1 * rows["predictive"].plain_attacked
