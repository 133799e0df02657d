"""What is wrong with the content of a TOML file: every error of a validation, in our own sentences, with a remedy."""

from __future__ import annotations

import difflib
import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, get_args

from pydantic import BaseModel, Tag, ValidationError
from pydantic_core import ErrorDetails

from cobogo.errors import PolicyError
from cobogo.floor.language import Text, tr
from cobogo.floor.language.errors import gather_errors
from cobogo.floor.untrusted import shorten

CONFIRM = "CONFIRM "
"""What is before a role that is a guess of `cobogo inspect`."""

Candidates = list[tuple[str | None, type[BaseModel]]]
"""The tables that may be at a place, each with the tag that tells it from the others."""

_ROLES = {
    "qi": "quasi-identifier", "quasi": "quasi-identifier", "quaseidentificador": "quasi-identifier",
    "semiidentificador": "quasi-identifier", "id": "identifier", "identificador": "identifier",
    "direct": "identifier", "sensivel": "sensitive", "sensitivo": "sensitive", "naosensivel": "non-sensitive",
    "insensitive": "non-sensitive", "public": "non-sensitive", "publico": "non-sensitive",
}  # fmt: skip
"""Other words for a role that people write."""


ROLES = ("identifier", "quasi-identifier", "sensitive", "non-sensitive")


class Complaint(NamedTuple):
    """What is wrong, what to do about it, and the code of such errors."""

    what: str
    remedy: str | None
    code: str


def explain_error(error: ValidationError, name: str, root: type[BaseModel]) -> PolicyError:
    """Everything that a validation complains about, as one error."""
    return gather_errors(list_errors(error, root), name)


def list_errors(error: ValidationError, root: type[BaseModel]) -> list[PolicyError]:
    """An error for each thing that is wrong, a misspelt key instead of the missing one that it explains."""
    details = error.errors(include_url=False)
    places = [_locate(detail["loc"], root) for detail in details]
    unknown = [
        (keys[:-1], meant)
        for detail, (keys, known) in zip(details, places, strict=True)
        if detail["type"] == "extra_forbidden" and (meant := closest(keys[-1], known)) is not None
    ]
    found: dict[str, PolicyError] = {}
    for detail, (keys, known) in zip(details, places, strict=True):
        place = ".".join(keys).replace(".[", "[")
        broken_inside = detail["type"] == "too_short" and any(known.startswith(f"{place}[") for known in found)
        if place in found or broken_inside or (detail["type"] == "missing" and (keys[:-1], keys[-1]) in unknown):
            continue
        what, remedy, code = _complaint(detail, keys, known)
        found[place] = PolicyError(what, where=place or None, remedy=remedy, code=code)
    return sorted(found.values(), key=lambda problem: problem.code != "COBOGO-POLICY-KEY")


def closest(name: str, known: Iterable[str]) -> str | None:
    """The name that was meant, perhaps: case, accents, hyphens and underscores make no difference.

    >>> closest("quasi_identifier", ["identifier", "quasi-identifier"]), closest("Rol", ["role", "weight"])
    ('quasi-identifier', 'role')
    """
    plain = {_plain(one): one for one in known}
    near = difflib.get_close_matches(_plain(name), plain, n=1, cutoff=0.65)
    return plain[near[0]] if near else None


def did_you_mean(name: str, known: Iterable[str]) -> Text | None:
    """A remedy for a name that is not known, where one that is known comes near it."""
    near = closest(name, known)
    return None if near is None else tr('Did you mean "{name}"?', name=near)


def _key(keys: Sequence[str]) -> str:
    """The last key of a place; an entry of a list has none."""
    return keys[-1] if keys and not keys[-1].startswith("[") else "…"


def _plain(text: str) -> str:
    letters = unicodedata.normalize("NFKD", str(text))
    return "".join(c for c in letters if c.isalnum()).casefold()


def _complaint(detail: ErrorDetails, keys: Sequence[str], known: Sequence[str]) -> Complaint:
    shown, context, key = detail["input"], detail.get("ctx", {}), _key(keys)
    match detail["type"]:
        case "extra_forbidden":
            listed = tr("Known keys: {keys}.", keys=", ".join(dict.fromkeys(known)))
            return Complaint(tr("unknown key"), did_you_mean(key, known) or listed, "COBOGO-POLICY-KEY")
        case "missing":
            return Complaint(tr("required key missing"), tr("Add it: {key} = …", key=key), "COBOGO-POLICY-MISSING")
        case "value_error":
            said = context.get("error")
            what, *remedy = said.args if isinstance(said, ValueError) and said.args else (detail["msg"],)
            return Complaint(what, remedy[0] if remedy else None, "COBOGO-POLICY-VALUE")
        case "enum" | "literal_error":
            return _wrong_choice(str(context["expected"]), shown, key)
        case "builder":
            return _wrong_hierarchy(shown, key)
        case "operator":
            return _wrong_key(
                tr("a masked column has exactly one of the keys {keys}", keys=_one_of("operator")), shown, "operator"
            )
        case "method":
            named = shown.get("method") if isinstance(shown, Mapping) else None
            methods = _one_of("method")
            return Complaint(
                tr("a step needs a method, one of: {methods}", methods=methods),
                did_you_mean(str(named), methods.split(", ")) or tr('Add it: method = "{name}".', name="noise"),
                "COBOGO-POLICY-VALUE",
            )
        case "too_short" | "string_too_short":
            return Complaint(*_too_few(context), "COBOGO-POLICY-VALUE")
        case "too_long" | "string_too_long":
            most = context.get("max_length")
            return Complaint(
                tr("must not have more than {most} entries", most=most)
                if detail["type"] == "too_long"
                else tr("must not have more than {most} characters", most=most),
                tr("Shorten it."),
                "COBOGO-POLICY-VALUE",
            )
    bound = _out_of_bounds(detail["type"], context, shown)
    return bound or Complaint(*_wrong_type(detail["type"], shown, keys), "COBOGO-POLICY-TYPE")


def _got(what: str, shown: object) -> str:
    """The sentence with the value that was given, where it is short enough to show."""
    if not isinstance(shown, str | int | float):
        return what
    return tr("{what}. Got {value} instead", what=what, value=shorten(shown))


def _wrong_choice(expected: str, shown: object, key: str) -> Complaint:
    known = re.findall(r"'([^']*)'", expected)
    if key == "role":
        return _wrong_role(known, str(shown))
    if not known:  # the one value is no text
        return Complaint(
            tr("must be {expected}", expected=expected.lower()),
            tr("Write {key} = {expected}, or leave it out.", key=key, expected=expected.lower()),
            "COBOGO-POLICY-VALUE",
        )
    what = _got(tr("must be one of: {known}", known=", ".join(known)), shown)
    return Complaint(what, did_you_mean(str(shown), known) or tr("Choose one of them."), "COBOGO-POLICY-VALUE")


def _wrong_role(known: Sequence[str], shown: str) -> Complaint:
    if shown.startswith(CONFIRM):
        guess = shown.removeprefix(CONFIRM)
        return Complaint(
            tr("the role {guess!r} is a guess of `cobogo inspect`", guess=guess),
            tr('Look at the column, then write role = "{guess}", or another role.', guess=guess),
            "COBOGO-POLICY-CONFIRM",
        )
    what = _got(tr("must be one of: {known}", known=", ".join(known)), shown)
    meant = _ROLES.get(_plain(shown)) or closest(shown, known)
    remedy = tr('Did you mean "{name}"?', name=meant) if meant else tr("In doubt choose quasi-identifier.")
    return Complaint(what, remedy, "COBOGO-POLICY-ROLE")


def _wrong_hierarchy(shown: object, key: str) -> Complaint:
    what = tr("a hierarchy has exactly one of the keys {keys}", keys=_one_of("builder"))
    if isinstance(shown, str):
        wanted = shown if re.search(r"\.\w+$", shown) else "file.csv"
        remedy = tr('Write a table: {key} = {{ csv = "{file}" }}.', key=key, file=wanted)
        return Complaint(tr("must be a table, not a text"), remedy, "COBOGO-POLICY-VALUE")
    return _wrong_key(what, shown, "builder")


def _wrong_key(what: Text, shown: object, kind: str) -> Complaint:
    """A table that has none, or several, of the keys of which one is needed."""
    known = _one_of(kind).split(", ")
    given = list(map(str, shown)) if isinstance(shown, Mapping) else []
    several = [one for one in given if one in known]
    if len(several) > 1:
        return Complaint(what, tr("Keep one of: {keys}.", keys=", ".join(several)), "COBOGO-POLICY-VALUE")
    hints = (did_you_mean(one, known) for one in given)
    return Complaint(what, next(filter(None, hints), None) or tr("Add one of them."), "COBOGO-POLICY-VALUE")


def _one_of(kind: str) -> str:
    from cobogo.data.policy import hierarchies, masking, random_releases

    tables: dict[str, Iterable[str]] = {
        "builder": hierarchies.BUILDERS,
        "operator": masking.OPERATORS,
        "method": random_releases.METHODS,
    }
    return ", ".join(tables[kind])


def _too_few(context: Mapping[str, Any]) -> tuple[str, str]:
    least = context.get("min_length", 1)
    if least == 1:
        return tr("must not be empty"), tr("Write at least one entry, or leave the key out.")
    return (
        tr("must have at least {least} entries", least=least),
        tr("Add what is missing, or leave the key out."),
    )


def _out_of_bounds(kind: str, context: Mapping[str, Any], shown: object) -> Complaint | None:
    """The complaint about a number that is too small or too large."""
    match kind:
        case "greater_than":
            what = tr("must be above {bound}", bound=_number(context["gt"]))
        case "greater_than_equal":
            what = tr("must be at least {bound}", bound=_number(context["ge"]))
        case "less_than":
            what = tr("must be below {bound}", bound=_number(context["lt"]))
        case "less_than_equal":
            what = tr("must be at most {bound}", bound=_number(context["le"]))
        case "finite_number":
            what = tr("must be a finite number")
        case _:
            return None
    most = context.get("le", context.get("lt"))
    if most == 1 and isinstance(shown, int | float) and 1 < shown <= 100:
        share, percent = _number(shown / 100), _number(shown)
        remedy = tr("It is a share of 1: write {share} for {percent} %.", share=share, percent=percent)
    else:
        remedy = tr("Write another number.")
    return Complaint(_got(what, shown), remedy, "COBOGO-POLICY-VALUE")


def _number(value: Any) -> str:
    """A number as TOML writes it, in every language."""
    return f"{value:.12g}" if isinstance(value, int | float) else str(value)


def _wrong_type(kind: str, shown: object, keys: Sequence[str]) -> tuple[str, str]:
    """What a value must be instead, and how it is written."""
    key = _key(keys)
    if kind.startswith(("int", "float", "decimal")):
        what = tr("must be a whole number") if kind.startswith("int") else tr("must be a number")
        bare = shown.strip().replace(",", ".") if isinstance(shown, str) else ""
        if re.fullmatch(r"[+-]?[0-9]+(\.[0-9]+)?", bare) and ("." not in bare or not kind.startswith("int")):
            return _got(what, shown), tr("Write it without quotes: {key} = {value}.", key=key, value=bare)
        return _got(what, shown), tr("Write a number: {key} = 2.", key=key)
    if kind.startswith("bool"):
        return _got(tr("must be true or false"), shown), tr("Write it without quotes: {key} = true.", key=key)
    if kind.startswith("string"):
        value = shown if isinstance(shown, int | float) and not isinstance(shown, bool) else "…"
        return (
            _got(tr("must be a text"), shown),
            tr('Put it between quotes: {key} = "{value}".', key=key, value=shorten(value).strip("'")),
        )
    if kind.startswith(("tuple", "list", "set")):
        value = f'"{shown}"' if isinstance(shown, str) and len(shown) <= 60 else "…"
        return _got(tr("must be a list"), shown), tr("Put it between brackets: [{value}].", value=value)
    if kind.startswith(("dict", "model", "mapping")):
        return _got(tr("must be a table"), shown), _as_table(shown, keys)
    return _got(tr("is not valid here"), shown), tr("The documentation of the key says what it may be.")


def _as_table(shown: object, keys: Sequence[str]) -> Text:
    if len(keys) == 2 and keys[0] == "attributes" and isinstance(shown, str):
        meant = _ROLES.get(_plain(shown)) or closest(shown, ROLES) or "quasi-identifier"
        return tr('Write a table: {key} = {{ role = "{role}" }}.', key=keys[-1], role=meant)
    if keys[:2] == ["privacy", "models"]:
        name = shown if isinstance(shown, str) else "k-anonymity"
        return tr('Write a table: {{ model = "{name}", k = 5 }}.', name=name)
    return tr("Write a table: {key} = {{ … }}.", key=_key(keys))


def _locate(location: tuple[str | int, ...], root: type[BaseModel]) -> tuple[list[str], list[str]]:
    """The keys of the file on the way to a place, without pydantic's tags, and the keys that are known there."""
    keys: list[str] = []
    here: Candidates = [(None, root)]
    for number, step in enumerate(f"[{step}]" if isinstance(step, int) else step for step in location):
        if keys[-1:] == ["list"] and number == len(location) - 1:
            continue  # pydantic's name for one of the two things that a list may be
        tagged: Candidates = [(None, part) for tag, part in here if tag == step]
        if tagged:
            here = tagged
            continue
        keys.append(step)
        if number < len(location) - 1:
            fields = [
                field for _, part in here for name, field in part.model_fields.items() if step in (name, field.alias)
            ]
            here = [found for field in fields for found in _table_types((field.annotation, *field.metadata))] or here
    return keys, [field.alias or name for _, part in here for name, field in part.model_fields.items()]


def _table_types(annotations: tuple[Any, ...], tag: str | None = None) -> Iterator[tuple[str | None, type[BaseModel]]]:
    """The tables within annotations: alone, of several kinds, in a list or under names."""
    tag = next((kind.tag for kind in annotations if isinstance(kind, Tag)), tag)
    for kind in annotations:
        if isinstance(kind, type) and issubclass(kind, BaseModel):
            yield tag, kind
        else:
            yield from _table_types(get_args(kind), tag)
