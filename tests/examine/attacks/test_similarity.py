"""Similarity, by a hierarchy and by numbers."""

from __future__ import annotations

from typing import Any, ClassVar

import pytest

import cobogo as cb
from support.attack_tables import policy, table


class TestSimilarity:
    """Three diseases, all of the stomach; three salaries, all low."""

    tree: ClassVar[dict[str, Any]] = {
        "stomach": ["gastritis", "ulcer", "cancer"],
        "lungs": ["flu", "bronchitis", "pneumonia"],
    }
    rows = ("a gastritis 3000", "a ulcer 4000", "a cancer 5000", "b flu 6000", "b cancer 11000", "b bronchitis 8000")

    def test_by_the_hierarchy(self) -> None:
        rules = policy("class", {"disease": {"tree": self.tree}})
        found = cb.attack("similarity", table("class disease salary", *self.rows), policy=rules)
        assert found.confidence.tolist() == pytest.approx([1.0] * 3 + [2 / 3] * 3)
        assert found.baseline is not None
        assert found.baseline.tolist() == pytest.approx([4 / 6] * 3 + [2 / 6] * 3)

    def test_by_numbers(self) -> None:
        rules = policy("class", "salary")
        found = cb.attack("similarity", table("class disease salary", *self.rows), policy=rules, width=0.25)
        assert found.confidence.tolist() == pytest.approx([1.0] * 3 + [2 / 3] * 3)
        assert found.baseline is not None
        assert found.baseline.tolist() == pytest.approx([3 / 6] * 3 + [2 / 6] * 3)

    def test_what_has_no_likeness_is_refused(self) -> None:
        with pytest.raises(cb.CobogoError, match="not numbers"):
            cb.attack("similarity", table("class disease salary", *self.rows), policy=policy("class", "disease"))
