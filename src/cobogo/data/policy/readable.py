"""Pydantic's complaints as sentences that name the place in the file and the remedy."""

from __future__ import annotations

import difflib
from collections.abc import Iterator
from typing import Any, get_args

from pydantic import BaseModel, Tag, ValidationError
from pydantic_core import ErrorDetails

from cobogo.errors import PolicyError, number_of
from cobogo.floor.untrusted import shortened

Candidates = list[tuple[str | None, type[BaseModel]]]
"""The tables that may stand at a place, each with the tag that tells it from the others."""


def readable(error: ValidationError, name: str, root: type[BaseModel]) -> PolicyError:
    """The first of pydantic's complaints as a sentence, with the others counted."""
    details = error.errors(include_url=False)
    first = details[0]
    keys, beside = _walked(first["loc"], root)
    place = ".".join(keys)
    more = f" (and {number_of(len(details) - 1, 'error')} more)" if len(details) > 1 else ""
    what, remedy = _sentence(first, beside)
    return PolicyError(what + more, where=f"{name}, {place}" if place else name, remedy=remedy)


def _sentence(detail: ErrorDetails, known: list[str]) -> tuple[str, str | None]:
    context = detail.get("ctx", {})
    shown = detail["input"]
    match detail["type"]:
        case "extra_forbidden":
            near = difflib.get_close_matches(str(detail["loc"][-1]), known, n=1)
            return "unknown key", f'Did you mean "{near[0]}"?' if near else f"Known keys: {', '.join(known)}."
        case "missing":
            return "this key is required and is not there", None
        case "value_error":
            return str(context.get("error", detail["msg"])), None
        case "enum" if str(shown).startswith("CONFIRM "):
            meant = str(shown).removeprefix("CONFIRM ")
            return (
                f"the role {meant!r} is a guess of `cobogo inspect`",
                f'Look at the column, then write role = "{meant}", or another role.',
            )
        case "enum" | "literal_error":
            return f"must be {context['expected']}. Got {shortened(shown)} instead", None
        case "too_short":
            return "must not be empty", None
    text = detail["msg"].replace("Input should", "must").replace("must be a valid", "must be a")
    return (f"{text}. Got {shortened(shown)} instead" if isinstance(shown, str | int | float) else text), None


def _walked(location: tuple[str | int, ...], root: type[BaseModel]) -> tuple[list[str], list[str]]:
    """The keys of the file on the way to a place, without pydantic's tags, and the keys that are known there."""
    keys: list[str] = []
    here: Candidates = [(None, root)]
    for number, step in enumerate(map(str, location)):
        tagged: Candidates = [(None, part) for tag, part in here if tag == step]
        if tagged:
            here = tagged
            continue
        keys.append(step)
        if number < len(location) - 1:
            fields = [
                field for _, part in here for name, field in part.model_fields.items() if step in (name, field.alias)
            ]
            here = [found for field in fields for found in _parts((field.annotation, *field.metadata))] or here
    return keys, [field.alias or name for _, part in here for name, field in part.model_fields.items()]


def _parts(annotations: tuple[Any, ...], tag: str | None = None) -> Iterator[tuple[str | None, type[BaseModel]]]:
    """The tables within annotations: alone, of several kinds, in a list or under names."""
    tag = next((kind.tag for kind in annotations if isinstance(kind, Tag)), tag)
    for kind in annotations:
        if isinstance(kind, type) and issubclass(kind, BaseModel):
            yield tag, kind
        else:
            yield from _parts(get_args(kind), tag)
