"""A hierarchy written in the policy as nested tables whose innermost lists are the leaves."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any

from cobogo.data.hierarchy.base import Hierarchy, Label
from cobogo.data.policy import TreeHierarchy
from cobogo.errors import HierarchyError


def tree_hierarchy(attribute: str, spec: TreeHierarchy, *, missing: Collection[str] = (), where: str) -> Hierarchy:
    """The lists give the leaves (numbers become text), the tables around them the levels, from the inside out.

    A leaf that is empty or one of ``missing`` is NULL. All leaves lie at the same depth.

    >>> spec = TreeHierarchy(tree={"Any": {"Health": ["Dentist", "Doctor"], "IT": ["Analyst", "Manager"]}})
    >>> tree_hierarchy("profession", spec, where="policy").labels
    (('Dentist', 'Doctor', 'Analyst', 'Manager'), ('Health', 'IT'), ('Any',))
    """
    rows: list[tuple[Label, ...]] = []
    for branch, leaves in _branches(spec.tree, (), where):
        if rows and len(rows[0]) != len(branch) + 1:
            # A leaf that lies higher than the others would have no label at the levels between.
            first, here = _tables(len(rows[0]) - 1), _tables(len(branch))
            raise HierarchyError(
                f"the tree is ragged: the leaves of {_named(branch)} lie {here} deep, the first ones {first}",
                where=where,
                remedy="Bring all leaves to the same depth; repeat the name of a branch that has no finer parts.",
            )
        rows += [(_leaf(leaf, branch, missing, where), *reversed(branch)) for leaf in leaves]
    return Hierarchy.from_columns(attribute, list(zip(*rows, strict=True)), where=where)


def _branches(
    tree: Mapping[str, Any], above: tuple[str, ...], where: str
) -> Iterator[tuple[tuple[str, ...], list[Any]]]:
    """Each list of leaves with the names of the tables around it, from the outside in."""
    if not tree:
        raise HierarchyError(f"{_named(above)} is empty", where=where, remedy="Give it leaves, or take it out.")
    for name, content in tree.items():
        branch = (*above, name)
        if not name:
            remedy = "Name every branch: an empty name would be released as NULL."
            raise HierarchyError(f"{_named(above)} has a branch without name", where=where, remedy=remedy)
        if isinstance(content, Mapping):
            yield from _branches(content, branch, where)
        elif isinstance(content, list | tuple) and content:
            yield branch, list(content)
        else:
            what = "is empty" if isinstance(content, list | tuple) else "is neither a table nor a list of leaves"
            remedy = f'Write its leaves as a list: {name} = ["…", "…"].'
            raise HierarchyError(f"{_named(branch)} {what}", where=where, remedy=remedy)


def _leaf(leaf: object, branch: tuple[str, ...], missing: Collection[str], where: str) -> Label:
    if isinstance(leaf, bool) or not isinstance(leaf, str | int | float):
        remedy = "A list holds leaves only; branches are tables."
        raise HierarchyError(f"{_named(branch)} holds {leaf!r}, which is not a text", where=where, remedy=remedy)
    text = str(leaf)
    return None if not text or text in missing else text


def _named(branch: tuple[str, ...]) -> str:
    return f'the branch "{" > ".join(branch)}"' if branch else "the tree"


def _tables(depth: int) -> str:
    return "1 table" if depth == 1 else f"{depth} tables"
