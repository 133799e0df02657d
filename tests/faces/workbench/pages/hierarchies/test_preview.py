"""A hierarchy tried on a column: what does not fit is set aside, and a tree shows the most frequent."""

from __future__ import annotations

from typing import Any

from cobogo.errors import HierarchyError
from cobogo.faces.workbench.pages.hierarchies.preview import SHOWN, nodes
from support.hierarchy_previews import policy_of, previewed


def test_what_does_not_fit_is_set_aside_with_its_records(tmp_path) -> None:
    counted = [("7", 5), ("12", 4), ("999", 3), ("?", 2), ("-1", 1)]
    seen = previewed(policy_of("x", {"intervals": [10], "lower": 0, "upper": 120}), tmp_path, counted)
    assert sorted(seen.unfit) == [("-1", 1), ("999", 3), ("?", 2)]
    assert seen.bars(1) == ([("0-9", 5), ("10-19", 4)], 0)
    broken = previewed(policy_of("x", {"intervals": [10, 25]}), tmp_path, counted[:2])
    assert isinstance(broken.error, HierarchyError)
    nowhere = previewed(policy_of("x", {"csv": "../secret.csv"}), tmp_path, counted)
    assert nowhere.hierarchy is None
    assert nowhere.error is not None


def test_a_tree_of_many_values_is_drawn_of_the_most_frequent_and_of_those_searched_for(tmp_path) -> None:
    counted = [(f"{n:05d}", 30_000 - n) for n in range(20_000)]
    seen = previewed(policy_of("x", {"mask": "right", "keep": 1, "top": True}), tmp_path, counted)
    grown = nodes(seen, seen.leaves(), lambda level, label, values, records: (level, label, values, records))
    drawn = [node for root in grown for node in _walked(root)]
    leaves = [node["label"][1] for node in drawn if "children" not in node and node["label"][0] == 0]
    assert leaves == [f"{n:05d}" for n in range(SHOWN)]
    assert len(drawn) < 5 * SHOWN
    assert grown[0]["label"] == (5, "*", 20_000, sum(records for _, records in counted))
    assert [seen.hierarchy.leaves[code] for code in seen.leaves("1999")][:2] == ["01999", "11999"]
    assert seen.bars(1)[1] == 2000 - 30


def _walked(node: dict[str, Any]) -> list[dict[str, Any]]:
    return [node, *(one for child in node.get("children", []) for one in _walked(child))]
