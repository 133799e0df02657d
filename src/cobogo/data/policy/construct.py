"""The parts of a policy as calls that an editor completes: roles of columns, and hierarchies.

    cb.Policy(
        {"name": cb.identifier(), "birth": cb.quasi(cb.dates("%d/%m/%Y", "%m/%Y", "%Y")), "disease": cb.sensitive()},
        [cb.KAnonymity(5)],
    )

Each call gives one of the policy's own tables; `hierarchy` takes the keys of every kind there is.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from pydantic import TypeAdapter, ValidationError

from cobogo.data.policy.complaints import explain_error
from cobogo.data.policy.hierarchies import AnyHierarchy, HierarchySpec
from cobogo.data.policy.tables import AttributePolicy, Normalization, Role

AnyHierarchySpec = HierarchySpec | Mapping[str, Any]
"""A hierarchy as an object, or as the policy writes it."""


def identifier() -> AttributePolicy:
    """A column that names a person: it is never released."""
    return _attribute(Role.IDENTIFIER)


def quasi(
    hierarchy: AnyHierarchySpec | None = None,
    *,
    weight: float | None = None,
    min_level: int | None = None,
    max_level: int | None = None,
    aggregate: Literal["mean", "median", "mode", "ancestor", "range"] | None = None,
    normalize: Sequence[Normalization] | None = None,
) -> AttributePolicy:
    """A column that names a person together with others: it is recoded along a hierarchy, or withheld without one.

    >>> quasi(intervals(10, 20), weight=2).weight
    2.0
    """
    return _attribute(
        Role.QUASI_IDENTIFIER,
        hierarchy=hierarchy,
        weight=None if weight is None else float(weight),
        min_level=min_level,
        max_level=max_level,
        aggregate=aggregate,
        normalize=normalize,
    )


def sensitive(
    hierarchy: AnyHierarchySpec | None = None, *, normalize: Sequence[Normalization] | None = None
) -> AttributePolicy:
    """A column that must not be learnt about a person: it is released, and the models protect it."""
    return _attribute(Role.SENSITIVE, hierarchy=hierarchy, normalize=normalize)


def non_sensitive(
    *, publish_unique: bool | None = None, normalize: Sequence[Normalization] | None = None
) -> AttributePolicy:
    """A column that is released unchanged."""
    return _attribute(Role.NON_SENSITIVE, publish_unique=publish_unique, normalize=normalize)


def _attribute(role: Role, **keys: Any) -> AttributePolicy:
    given = {key: value for key, value in keys.items() if value is not None}
    try:
        return AttributePolicy.model_validate({"role": role, **given})
    except ValidationError as error:
        raise explain_error(error, "attribute", AttributePolicy) from None


def hierarchy(**keys: Any) -> HierarchySpec:
    """A hierarchy of any kind, by the keys that a policy has for it, with ``_`` for ``-``.

    >>> hierarchy(mask="right", keep=3)
    MaskHierarchy(mask)
    """
    given = {key.replace("_", "-"): value for key, value in keys.items() if value is not None}
    try:
        built: HierarchySpec = TypeAdapter(AnyHierarchy).validate_python(given)
    except ValidationError as error:
        raise explain_error(error, "hierarchy", HierarchySpec) from None
    return built


def csv(
    path: str, *, separator: str | None = None, encoding: str | None = None, top: bool | None = None
) -> HierarchySpec:
    """The hierarchy of a file without header: column 0 the values, one column a level."""
    return hierarchy(csv=path, separator=separator, encoding=encoding, top=top)


def dates(form: str, *levels: str, lenient: bool | None = None, top: bool | None = None) -> HierarchySpec:
    """Dates in a strftime format, and their coarser levels.

    >>> print(dates("%d/%m/%Y", "%m/%Y", "%Y").preview(["31/12/1990"]).to_string(index=False))
             0       1    2
    31/12/1990 12/1990 1990
    """
    return hierarchy(dates=form, levels=levels, lenient=lenient, top=top)


def intervals(
    *widths: float,
    origin: float | None = None,
    lower: float | None = None,
    upper: float | None = None,
    open_ends: bool | None = None,
    bottom_code: float | None = None,
    top_code: float | None = None,
    decimal: Literal[".", ","] | None = None,
    top: bool | None = None,
) -> HierarchySpec:
    """Numbers in intervals of nested widths.

    >>> print(intervals(10, 20, top=True).preview([31, 52]).to_string(index=False))
     0     1     2 3
    31 30-39 20-39 *
    52 50-59 40-59 *
    """
    ends = {"origin": origin, "lower": lower, "upper": upper, "open_ends": open_ends}
    codes = {"bottom_code": bottom_code, "top_code": top_code}
    return hierarchy(intervals=widths, **ends, **codes, decimal=decimal, top=top)


def masked(
    side: Literal["left", "right"], *, keep: int | None = None, character: str | None = None, top: bool | None = None
) -> HierarchySpec:
    """Characters masked one by one from one side, the last ``keep`` of them never."""
    return hierarchy(mask=side, keep=keep, character=character, top=top)


def ordering(values: Sequence[str], steps: Sequence[int], *, top: bool | None = None) -> HierarchySpec:
    """Ordered categories, grouped in nested steps."""
    return hierarchy(ordering=tuple(values), steps=tuple(steps), top=top)


def path(separator: str, *, lenient: bool | None = None, top: bool | None = None) -> HierarchySpec:
    """Places from the finest to the coarsest, joined by a separator: a/b/c → b/c → c."""
    return hierarchy(path=separator, lenient=lenient, top=top)


def tree(groups: Mapping[str, Any], *, top: bool | None = None) -> HierarchySpec:
    """Nested groups whose innermost lists are the values."""
    return hierarchy(tree=dict(groups), top=top)
