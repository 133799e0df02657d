"""What parameters a promise has and what each may be, read off the promise itself: what a form needs to know."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import MISSING, dataclass, fields
from typing import Any, Literal, get_args, get_origin, get_type_hints

from cobogo.floor.arguments import Bounds, noticed
from cobogo.promises.models.promise import Promise


@dataclass(frozen=True)
class Parameter:
    """One parameter, under the name that a policy gives it."""

    name: str
    bounds: Bounds
    required: bool
    default: Any = None


def described(kind: type[Promise], values: Mapping[str, Any]) -> tuple[Parameter, ...]:
    """The parameters of a promise. ``values`` are those it has now: what one may be can depend on another.

    A promise checks its parameters when it is made; what it checks is noticed. Of those that it does not look at, and
    of those after the first that is wrong, the type tells as much as there is.

    >>> from cobogo.promises.models import KAnonymity, TCloseness
    >>> [(one.name, one.bounds.kind, one.bounds.least) for one in described(KAnonymity, {"k": 5})]
    [('k', 'whole', 1)]
    >>> [one.name for one in described(TCloseness, {"t": 0.2}) if one.required]
    ['attribute', 't']
    """
    hints = get_type_hints(kind)
    known = {field.name: field for field in fields(kind)}  # type: ignore[arg-type]
    given = {key.replace("-", "_"): value for key, value in values.items()}
    needed = {name: "attribute" if name == "attribute" else None for name in known if known[name].default is MISSING}
    with noticed() as seen, suppress(ValueError, TypeError):
        kind(**(needed | {name: value for name, value in given.items() if name in known}))
    return tuple(
        Parameter(
            name.replace("_", "-"),
            seen.get(name.replace("_", "-")) or _typed(hints[name]),
            field.default is MISSING,
            None if field.default is MISSING else field.default,
        )
        for name, field in known.items()
    )


def _typed(hint: Any) -> Bounds:
    if get_origin(hint) is Literal:
        return Bounds("choice", words=tuple(map(str, get_args(hint))))
    inner = [part for part in get_args(hint) or (hint,) if part is not type(None)]
    for type_, kind in ((bool, "flag"), (int, "whole"), (float, "number")):
        if type_ in inner:
            return Bounds(kind)
    return Bounds("text")
