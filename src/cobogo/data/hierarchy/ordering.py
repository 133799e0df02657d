"""A hierarchy of ordered categories, grouped in nested steps: low, medium, high, very high → low - medium, …"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from itertools import pairwise

from cobogo.data.hierarchy.base import Hierarchy
from cobogo.data.policy import OrderingHierarchy
from cobogo.errors import HierarchyError


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
        alike = _repeated(names)
        if alike:
            raise HierarchyError(
                f'in steps of {step} two groups would both be called "{alike[0]}"',
                where=where,
                remedy='Rename the categories that contain " - ".',
            )
        columns.append([name for name, group in zip(names, groups, strict=True) for _ in group])
    return Hierarchy.from_columns(attribute, columns, where=where)


def _check(spec: OrderingHierarchy, missing: Collection[str], where: str) -> None:
    twice = _repeated(spec.ordering)
    if twice:
        remedy = "List every category once."
        raise HierarchyError(f'ordering lists "{twice[0]}" more than once', where=where, remedy=remedy)
    null = [category for category in spec.ordering if not category or category in missing]
    if null:
        # The data never holds such a text: it is read as NULL, which has no place in an order.
        raise HierarchyError(
            f'ordering lists "{null[0]}", which is read as NULL',
            where=where,
            remedy="Take it out of ordering, or out of missing in [data].",
        )
    for small, large in pairwise(spec.steps):
        if large % small:
            raise HierarchyError(
                f"steps of {small} and {large} do not nest: {large} is not a multiple of {small}",
                where=where,
                remedy="Make each step a multiple of the one before.",
            )


def _repeated(names: Collection[str]) -> list[str]:
    return [name for name, count in Counter(names).items() if count > 1]
