"""One yardstick for all families, on a table small enough to reckon with."""

from __future__ import annotations

import numpy as np
import pytest

from cobogo.data.hierarchy import Hierarchy
from cobogo.studies.families.measures import _frequencies, measure_attacks, measure_use
from cobogo.studies.families.releases import (
    OriginalTable,
    ReleaseView,
    generalized_column,
    original_release,
    randomized_column,
    unchanged_column,
)


def tiny() -> OriginalTable:
    tree = Hierarchy.from_columns("letter", [list("abcd"), ["ab", "ab", "cd", "cd"]])
    members = (np.array([0, 0, 1, 2]), np.array([0, 0, 1, 1]))
    others = (np.array([3, 3, 1, 2]), np.array([0, 1, 1, 1]))
    return OriginalTable(("letter", "ill"), (tuple("abcd"), ("n", "y")), members, others, {"letter": tree})


def test_coarser_values_are_spread_evenly() -> None:
    original = tiny()
    letters = generalized_column(["ab", "ab", "ab", "cd"], "abcd", original.hierarchies["letter"], 1)
    view = ReleaseView("recoding", {"k": 2}, (letters, unchanged_column(original.members[1], 2)))
    assert _frequencies(view, (0,)).tolist() == [0.375, 0.375, 0.125, 0.125]
    assert measure_use(original, view, 0)["one-way"] == pytest.approx(np.mean([0.125 + 0.125, 0]))


def test_known_chance_is_undone() -> None:
    """Counts that the operator leads to exactly give the true frequencies back."""
    retention, true = 0.6, np.array([10, 30])
    released = (retention * true + (1 - retention) * true.sum() / 2).astype(int)
    codes = np.repeat([0, 1], released)
    view = ReleaseView("randomization", {}, (randomized_column(codes, 2, retention),))
    assert _frequencies(view, (0,)).tolist() == pytest.approx([0.25, 0.75])


def test_attacks_by_hand() -> None:
    """Of the four, a has two records alike, b and c one each; of the others, d fits nothing, and c and b are there."""
    rates = measure_attacks(tiny(), original_release(tiny()), 0)
    assert rates["re-identification"]["members"] == pytest.approx((0.5 + 0.5 + 1 + 1) / 4)
    assert rates["re-identification"]["others"] == pytest.approx((0 + 0 + 1 + 1) / 4)
    assert rates["membership"] == {"members": 1.0, "others": 0.5, "excess": 0.5}
    assert rates["inference"]["members"] == 1.0
