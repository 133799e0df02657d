"""Options: what named things are built from, read off a dataclass and off what that checks."""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import MISSING, Field, dataclass, fields, is_dataclass
from types import UnionType
from typing import Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

from cobogo.errors import PolicyError
from cobogo.floor.arguments import Bounds, notice_bounds, refusal
from cobogo.floor.language import Text, join, tr

Thing = TypeVar("Thing")


@dataclass(frozen=True)
class Parameter:
    """One parameter, under the name that a policy gives it."""

    name: str
    bounds: Bounds
    required: bool
    default: Any = None


def options_of(kind: Any) -> dict[str, Field[Any]]:
    """The fields of a dataclass that are given when it is made."""
    return {one.name: one for one in fields(kind) if one.init} if is_dataclass(kind) else {}


def required(one: Field[Any]) -> bool:
    """Whether a field has no default."""
    return one.default is MISSING and one.default_factory is MISSING


def check_options(kind: Any, name: str, options: Mapping[str, Any], where: str | None = None) -> dict[str, Any]:
    """The options under the names of the fields. It is an error to give one that there is not, or to leave out one
    that has no default."""
    known = options_of(kind)
    given = {key.replace("-", "_"): value for key, value in options.items()}
    for key in given:
        if key not in known:
            has = [one.replace("_", "-") for one in known]
            near = difflib.get_close_matches(key, has, n=1)
            hints = [tr('Did you mean "{name}"?', name=near[0])] if near else []
            hints.append(tr("It has: {has}.", has=", ".join(has)) if has else tr("It has no parameters."))
            raise PolicyError(
                tr("{name} has no parameter {key!r}", name=name, key=key),
                where=where,
                remedy=join(hints),
                code="COBOGO-POLICY-PARAMETER",
            )
    for key, one in known.items():
        if key not in given and required(one):
            raise PolicyError(
                tr("{name} needs the parameter {key!r}", name=name, key=key),
                where=where,
                remedy=tr("Add it. `cobogo explain {name}` says what it means.", name=name),
                code="COBOGO-POLICY-PARAMETER",
            )
    return given


def construct(
    kind: Callable[..., Thing], name: str, options: Mapping[str, Any], where: str | None = None, *, texts: bool = False
) -> Thing:
    """Make a thing with its options, which are checked."""
    given = check_options(kind, name, options, where)
    try:
        if texts:
            hints = _hints(kind)
            for key, value in given.items():
                if isinstance(value, str):
                    given[key] = read_text(value, hints.get(key), owner=name, option=key.replace("_", "-"))
        return kind(**given)
    except (TypeError, ValueError) as error:
        what, *remedy = error.args if error.args and isinstance(error.args[0], str) else (str(error),)
        raise PolicyError(
            what,
            where=where,
            remedy=remedy[0] if remedy else _parameter_remedy(name, given),
            code="COBOGO-POLICY-PARAMETER",
        ) from None


def _parameter_remedy(name: str, given: Mapping[str, Any]) -> Text:
    """What to do about a parameter: often it is a number between quotes."""
    for key, value in given.items():
        bare = value.replace(",", ".") if isinstance(value, str) else ""
        if re.fullmatch(r"[+-]?[0-9]+([.][0-9]+)?", bare):
            return tr("Write it without quotes: {key} = {value}.", key=key.replace("_", "-"), value=bare)
    return tr("`cobogo explain {name}` describes its parameters.", name=name)


NUMBERS: Mapping[Any, Text] = {int: tr("a whole number"), float: tr("a number"), bool: tr("true or false")}


def read_text(text: str, hint: Any, *, owner: str, option: str) -> Any:
    """A text of the command line as a value of the option's type. Without a type, numbers and truth values are told by
    their looks.

    >>> read_text("0.5", float | None, owner="x", option="p"), read_text("a, b", tuple[str, ...], owner="x", option="p")
    (0.5, ('a', 'b'))
    >>> [read_text(text, None, owner="x", option="p") for text in ("5", "0.5", "true", "none", "dls")]
    [5, 0.5, True, None, 'dls']
    """
    if hint in (None, Any):
        return _guess_value(text)
    optional = get_origin(hint) in (Union, UnionType)
    inner = [one for one in get_args(hint) if one is not type(None)] if optional else [hint]
    if optional and text.lower() == "none" and str not in inner:
        return None
    wanted = inner[0]
    if get_origin(wanted) is tuple:
        return tuple(part.strip() for part in text.split(",") if part.strip())
    if wanted is bool and text.lower() in ("true", "false", "yes", "no"):
        return text.lower() in ("true", "yes")
    if wanted in (int, float):
        with suppress(ValueError):
            return wanted(text)
    if wanted in NUMBERS:
        raise ValueError(refusal(owner, option, NUMBERS[wanted], text))
    return text if wanted is str or get_origin(wanted) is Literal else _guess_value(text)


def _guess_value(text: str) -> Any:
    for kind in (int, float):
        with suppress(ValueError):
            return kind(text)
    return {"true": True, "false": False, "none": None}.get(text.lower(), text)


def parameters_of(kind: Any, values: Mapping[str, Any]) -> tuple[Parameter, ...]:
    """The parameters of a dataclass: see `Card.parameters`.

    >>> from cobogo.promises.models.k_anonymity import KAnonymity
    >>> [(one.name, one.bounds.kind, one.bounds.least) for one in parameters_of(KAnonymity, {"k": 5})]
    [('k', 'whole', 1)]
    """
    known = {name: one for name, one in options_of(kind).items() if not name.startswith("_")}
    hints = _hints(kind) if known else {}
    given = {key.replace("-", "_"): value for key, value in values.items()}
    needed = {name: "attribute" if name == "attribute" else None for name, one in known.items() if required(one)}
    with notice_bounds() as seen, suppress(Exception):
        kind(**(needed | {name: value for name, value in given.items() if name in known}))
    return tuple(
        Parameter(
            name.replace("_", "-"),
            seen.get(name.replace("_", "-")) or seen.get(name) or _bounds_of_type(hints.get(name)),
            required(one),
            None if one.default is MISSING else one.default,
        )
        for name, one in known.items()
    )


def _hints(kind: Any) -> dict[str, Any]:
    """The types of the fields, of those that can be told: some are imported for type checkers only."""
    try:
        return get_type_hints(kind)
    except NameError:
        return {}


def _bounds_of_type(hint: Any) -> Bounds:
    if get_origin(hint) is Literal:
        return Bounds("choice", words=tuple(map(str, get_args(hint))))
    several = get_origin(hint) in (Union, UnionType)
    inner = [part for part in (get_args(hint) if several else (hint,)) if part is not type(None)]
    if len(inner) == 1 and get_origin(inner[0]) is Literal:
        return Bounds("choice", words=tuple(map(str, get_args(inner[0]))))
    for type_, kind in ((bool, "flag"), (int, "whole"), (float, "number")):
        if type_ in inner:
            return Bounds(kind)
    if any(get_origin(part) is tuple for part in inner):
        return Bounds("names")
    return Bounds("text" if str in inner else "see the guide")
