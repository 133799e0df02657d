"""Hierarchies written in the policy: ordered categories that are grouped in nested steps (low, medium, high → low -
medium, …), nested tables whose innermost lists are the leaves, and labels of codes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from itertools import pairwise
from typing import Any

from cobogo.data.hierarchy.base import Hierarchy, Label
from cobogo.data.policy import LabelsHierarchy, OrderingHierarchy, TreeHierarchy
from cobogo.errors import HierarchyError
from cobogo.floor.language import tr
from cobogo.floor.untrusted import shorten


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
                code="COBOGO-HIERARCHY-SHAPE",
            )
        columns.append([name for name, group in zip(names, groups, strict=True) for _ in group])
    return Hierarchy.from_columns(attribute, columns, where=where)


def _check(spec: OrderingHierarchy, missing: Collection[str], where: str) -> None:
    twice = _repetitions(spec.ordering)
    if twice:
        remedy = tr("List every category once.")
        raise HierarchyError(
            tr('ordering lists "{twice}" more than once', twice=twice[0]),
            where=where,
            remedy=remedy,
            code="COBOGO-HIERARCHY-SHAPE",
        )
    null = [category for category in spec.ordering if not category or category in missing]
    if null:
        # The data never holds such a text: it is read as NULL, which has no place in an order.
        raise HierarchyError(
            tr('ordering lists "{null}", which is read as NULL', null=null[0]),
            where=where,
            remedy=tr("Take it out of ordering, or out of missing in [data]."),
            code="COBOGO-HIERARCHY-SHAPE",
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
                code="COBOGO-HIERARCHY-OPTIONS",
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
            raise HierarchyError(
                tr(
                    'the leaves of the branch "{branch}" are at depth {here}, the first ones at depth {first}',
                    branch=_name(branch),
                    here=len(branch),
                    first=len(rows[0]) - 1,
                ),
                where=where,
                remedy=tr("Bring all leaves to the same depth; repeat the name of a branch that has no finer parts."),
                code="COBOGO-HIERARCHY-SHAPE",
            )
        rows += [(_leaf(leaf, branch, missing, where), *reversed(branch)) for leaf in leaves]
    return Hierarchy.from_columns(attribute, list(zip(*rows, strict=True)), where=where)


def _branches(
    tree: Mapping[str, Any], above: tuple[str, ...], where: str
) -> Iterator[tuple[tuple[str, ...], list[Any]]]:
    """Each list of leaves with the names of the tables around it, from the outside in."""
    if not tree:
        raise HierarchyError(
            tr('the branch "{branch}" is empty', branch=_name(above)) if above else tr("the tree is empty"),
            where=where,
            remedy=tr("Give it leaves, or take it out."),
            code="COBOGO-HIERARCHY-SHAPE",
        )
    for name, content in tree.items():
        branch = (*above, name)
        if not name:
            remedy = tr("Name every branch: an empty name would be released as NULL.")
            raise HierarchyError(
                tr('the branch "{branch}" has a branch without a name', branch=_name(above))
                if above
                else tr("the tree has a branch without a name"),
                where=where,
                remedy=remedy,
                code="COBOGO-HIERARCHY-SHAPE",
            )
        if isinstance(content, Mapping):
            yield from _branches(content, branch, where)
        elif isinstance(content, list | tuple) and content:
            yield branch, list(content)
        else:
            empty = isinstance(content, list | tuple)
            raise HierarchyError(
                tr('the branch "{branch}" is empty', branch=_name(branch))
                if empty
                else tr('the branch "{branch}" is neither a table nor a list of leaves', branch=_name(branch)),
                where=where,
                remedy=tr('Write its leaves as a list: {name} = ["…", "…"].', name=name),
                code="COBOGO-HIERARCHY-SHAPE",
            )


def _leaf(leaf: object, branch: tuple[str, ...], missing: Collection[str], where: str) -> Label:
    if isinstance(leaf, bool) or not isinstance(leaf, str | int | float):
        remedy = tr("A list holds leaves only; branches are tables.")
        raise HierarchyError(
            tr(
                'the branch "{branch}" has the leaf {leaf}, which is not a text',
                branch=_name(branch),
                leaf=shorten(leaf),
            ),
            where=where,
            remedy=remedy,
            code="COBOGO-HIERARCHY-SHAPE",
        )
    text = str(leaf)
    return None if not text or text in missing else text


def _name(branch: tuple[str, ...]) -> str:
    return " > ".join(branch)


def labels_hierarchy(attribute: str, spec: LabelsHierarchy, *, missing: Collection[str] = (), where: str) -> Hierarchy:
    """The leaves are the codes, and level 1 their labels. A code that is empty or one of ``missing`` is NULL.

    >>> spec = LabelsHierarchy(labels={"1": "yes", "2": "no", "3": "no"})
    >>> labels_hierarchy("smoker", spec, where="policy").labels
    (('1', '2', '3'), ('yes', 'no'))
    """
    if not all(spec.labels.values()):
        raise HierarchyError(
            tr("a label is empty"),
            where=where,
            remedy=tr("Give every code a label: an empty one would be released as NULL."),
            code="COBOGO-HIERARCHY-SHAPE",
        )
    codes = [None if not code or code in missing else code for code in spec.labels]
    return Hierarchy.from_columns(attribute, [codes, list(spec.labels.values())], where=where)
