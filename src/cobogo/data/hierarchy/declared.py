"""Hierarchies written in the policy: ordered categories that are grouped in nested steps (low, medium, high → low -
medium, …), and nested tables whose innermost lists are the leaves."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from itertools import pairwise
from typing import Any

from cobogo.data.hierarchy.base import Hierarchy, Label
from cobogo.data.policy import OrderingHierarchy, TreeHierarchy
from cobogo.errors import HierarchyError
from cobogo.floor.language import tr


def ordering_hierarchy(
    attribute: str, spec: OrderingHierarchy, *, missing: Collection[str] = (), where: str
) -> Hierarchy:
    """The leaves are the categories, in their order; level n groups ``steps[n - 1]`` neighbours, at last what is left.

    >>> spec = OrderingHierarchy(ordering=("none", "primary", "secondary", "higher", "doctor"), steps=(2, 4))
    >>> ordering_hierarchy("schooling", spec, where="policy").labels[1:]
    (('none - primary', 'secondary - higher', 'doctor'), ('none - higher', 'doctor'))
    """
    categories = spec.ordering
    _check(spec, missing, where)
    columns = [list(categories)]
    for step in spec.steps:
        groups = [categories[start : start + step] for start in range(0, len(categories), step)]
        names = [group[0] if len(group) == 1 else f"{group[0]} - {group[-1]}" for group in groups]
        alike = _repetitions(names)
        if alike:
            raise HierarchyError(
                tr('in steps of {step} two groups would both be called "{alike}"', step=step, alike=alike[0]),
                where=where,
                remedy=tr('Rename the categories that contain " - ".'),
            )
        columns.append([name for name, group in zip(names, groups, strict=True) for _ in group])
    return Hierarchy.from_columns(attribute, columns, where=where)


def _check(spec: OrderingHierarchy, missing: Collection[str], where: str) -> None:
    twice = _repetitions(spec.ordering)
    if twice:
        remedy = tr("List every category once.")
        raise HierarchyError(tr('ordering lists "{twice}" more than once', twice=twice[0]), where=where, remedy=remedy)
    null = [category for category in spec.ordering if not category or category in missing]
    if null:
        # The data never holds such a text: it is read as NULL, which has no place in an order.
        raise HierarchyError(
            tr('ordering lists "{null}", which is read as NULL', null=null[0]),
            where=where,
            remedy=tr("Take it out of ordering, or out of missing in [data]."),
        )
    for small, large in pairwise(spec.steps):
        if large % small:
            raise HierarchyError(
                tr(
                    "steps of {small} and {large} do not nest: {large} is not a multiple of {small}",
                    small=small,
                    large=large,
                ),
                where=where,
                remedy=tr("Make each step a multiple of the one before."),
            )


def _repetitions(names: Collection[str]) -> list[str]:
    return [name for name, count in Counter(names).items() if count > 1]


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
                tr(
                    "the tree is ragged: the leaves of {quote} lie {here} deep, the first ones {first}",
                    quote=_quote(branch),
                    here=here,
                    first=first,
                ),
                where=where,
                remedy=tr("Bring all leaves to the same depth; repeat the name of a branch that has no finer parts."),
            )
        rows += [(_leaf(leaf, branch, missing, where), *reversed(branch)) for leaf in leaves]
    return Hierarchy.from_columns(attribute, list(zip(*rows, strict=True)), where=where)


def _branches(
    tree: Mapping[str, Any], above: tuple[str, ...], where: str
) -> Iterator[tuple[tuple[str, ...], list[Any]]]:
    """Each list of leaves with the names of the tables around it, from the outside in."""
    if not tree:
        raise HierarchyError(
            tr("{quote} is empty", quote=_quote(above)), where=where, remedy=tr("Give it leaves, or take it out.")
        )
    for name, content in tree.items():
        branch = (*above, name)
        if not name:
            remedy = tr("Name every branch: an empty name would be released as NULL.")
            raise HierarchyError(
                tr("{quote} has a branch without name", quote=_quote(above)), where=where, remedy=remedy
            )
        if isinstance(content, Mapping):
            yield from _branches(content, branch, where)
        elif isinstance(content, list | tuple) and content:
            yield branch, list(content)
        else:
            what = "is empty" if isinstance(content, list | tuple) else "is neither a table nor a list of leaves"
            remedy = tr('Write its leaves as a list: {name} = ["…", "…"].', name=name)
            raise HierarchyError(f"{_quote(branch)} {what}", where=where, remedy=remedy)


def _leaf(leaf: object, branch: tuple[str, ...], missing: Collection[str], where: str) -> Label:
    if isinstance(leaf, bool) or not isinstance(leaf, str | int | float):
        remedy = tr("A list holds leaves only; branches are tables.")
        raise HierarchyError(
            tr("{quote} holds {leaf!r}, which is not a text", quote=_quote(branch), leaf=leaf),
            where=where,
            remedy=remedy,
        )
    text = str(leaf)
    return None if not text or text in missing else text


def _quote(branch: tuple[str, ...]) -> str:
    return f'the branch "{" > ".join(branch)}"' if branch else "the tree"


def _tables(depth: int) -> str:
    return "1 table" if depth == 1 else f"{depth} tables"
