"""Groups that are edited by hand keep every value, in files and in policies."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from cobogo.data.hierarchy.base import Hierarchy
from cobogo.data.hierarchy.csv_file import csv_hierarchy
from cobogo.data.hierarchy.declared import tree_hierarchy
from cobogo.data.policy import TreeHierarchy
from cobogo.faces.workbench.pages.hierarchies import groups
from cobogo.faces.workbench.pages.hierarchies.form import BY_HAND, FIELDS
from support.effort import examples

NAMES = st.text("ab;\"'é *=\n", min_size=1, max_size=4).filter(str.strip)


@st.composite
def hierarchies(draw: st.DrawFn) -> list[groups.Row]:
    leaves = draw(st.lists(NAMES, min_size=1, max_size=8, unique=True))
    middle = draw(st.lists(NAMES, min_size=1, max_size=4, unique=True))
    tops = {name: draw(st.sampled_from(["all", "none"])) for name in middle}
    chosen = [draw(st.sampled_from(middle)) for _ in leaves]
    return [(leaf, group, tops[group]) for leaf, group in zip(leaves, chosen, strict=True)]


@settings(max_examples=examples(40), deadline=None)
@given(hierarchies(), st.data())
def test_edited_groups_keep_every_value_once_and_survive_files_and_policies(tmp_path_factory, rows, data) -> None:
    leaf = data.draw(st.sampled_from([row[0] for row in rows]))
    group = data.draw(st.sampled_from([row[1] for row in rows]) | NAMES)
    for edited in (
        groups.move(rows, 0, leaf, group),
        groups.move(rows, 1, rows[0][1], "all"),
        groups.rename(rows, 1, rows[0][1], group),
        groups.add_values(rows, ["a value of its own"], group),
    ):
        there = groups.check_rows("x", edited)
        assert [row[0] for row in there][: len(rows)] == [row[0] for row in rows]
        built = Hierarchy.from_columns("x", list(zip(*there, strict=True)))
        file = tmp_path_factory.mktemp("file") / "x.csv"
        file.write_bytes(groups.as_csv(there, ";"))
        read = csv_hierarchy("x", file, separator=";", encoding="utf-8", missing=(), where="x")
        assert (read.labels, groups.rows_of(read)) == (built.labels, there)
        planted = tree_hierarchy("x", TreeHierarchy(tree=groups.as_tree(there)), where="x")
        assert sorted(groups.rows_of(planted)) == sorted(there)
    assert groups.move(rows, 0, leaf, group)[[row[0] for row in rows].index(leaf)][1] == group


def test_rows_leave_the_top_and_null_to_the_policy() -> None:
    built = Hierarchy.from_columns("x", [["a", "b"], ["g", "g"]]).with_top().with_null()
    assert groups.rows_of(built, top=True, null=False) == [("a", "g"), ("b", "g")]
    assert groups.rows_of(built)[-1] == (None, None, "*")
    told = Hierarchy.from_columns("x", [["a", None], ["g", "unknown"]])
    assert groups.rows_of(told, null=False) == [("a", "g"), (None, "unknown")]
    assert set(BY_HAND) < set(FIELDS)
