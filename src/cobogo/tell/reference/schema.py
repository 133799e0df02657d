"""The policy's JSON Schema for editors; models, their parameters and the names to choose from come from the cards."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any, get_type_hints

from cobogo.data.policy import Policy
from cobogo.floor.catalogue import Card
from cobogo.floor.files import stage_file
from cobogo.floor.options import Parameter
from cobogo.promises.guarantees import PROMISES
from cobogo.tell.reference.sections import SECTIONS

Json = dict[str, Any]

NAMED = {
    ("Recoding", "algorithm"): "algorithms",
    ("Recoding", "metric"): "metrics",
    ("Randomization", "method"): "randomization",
    ("Synthesis", "method"): "synthesis",
}
"""Keys of the policy whose values are names, each with the section of these names."""


FILE = "cobogo.schema.json"
"""What the schema is called where a starter policy names it."""

TITLE = "Cobogó policy"
"""By which a file is known to be the schema, and may be replaced by a newer one."""


def policy_schema() -> Json:
    """The schema.

    >>> models = policy_schema()["$defs"]["Privacy"]["properties"]["models"]["items"]["oneOf"]
    >>> next(one["properties"]["k"] for one in models if one["title"] == "k-anonymity")
    {'type': 'integer', 'minimum': 1}
    """
    schema: Json = {"$schema": "https://json-schema.org/draft/2020-12/schema"}
    schema |= _without_null(Policy.model_json_schema(by_alias=True)) | {"title": TITLE}
    models = schema["$defs"]["Privacy"]["properties"]["models"]
    models["items"] = {"oneOf": [_model(card) for card in PROMISES.cards().values()]}
    for (table, key), section in NAMED.items():
        _choose(schema["$defs"][table]["properties"][key], SECTIONS[section].cards().values())
    return schema


def _without_null(schema: Any) -> Any:
    """The same schema without null, which TOML does not have: editors then say what is wrong with the value itself."""
    if isinstance(schema, list):
        return [_without_null(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    kept = {key: _without_null(part) for key, part in schema.items() if not (key == "default" and part is None)}
    choices = [part for part in kept.pop("anyOf", []) if part != {"type": "null"}]
    return kept | (choices[0] if len(choices) == 1 else {"anyOf": choices} if choices else {})


def write_schema(directory: Path) -> None:
    """Write the schema beside a policy, in place of an earlier one; any other file of its name stays as it is."""
    file = directory / FILE
    if file.exists() and f'"title": "{TITLE}"' not in file.read_text(encoding="utf-8", errors="replace"):
        return
    with stage_file(file) as stage:
        stage.write_text(json.dumps(policy_schema(), indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def _model(card: Card) -> Json:
    parameters = card.parameters()
    return {
        "title": card.title,
        "description": card.summary,
        "type": "object",
        "properties": {"model": {"const": card.name}} | {one.name: _values(card, one) for one in parameters},
        "required": ["model", *(one.name for one in parameters if one.required and one.name != "attribute")],
        "additionalProperties": False,
    }


def _values(card: Card, parameter: Parameter) -> Json:
    """The schema of a parameter for all choices of the others: the l of an entropy, for example, need not be whole."""
    words = [(one.name, word) for one in card.parameters() for word in one.bounds.words]
    every = [card.parameters({**card.start, name: word}) for name, word in words]
    found = [_value(one) for one in (parameter, *(one for each in every for one in each)) if one.name == parameter.name]
    distinct = [value for place, value in enumerate(found) if value not in found[:place]]
    hint = str(get_type_hints(card.thing).get(parameter.name.replace("-", "_"), ""))
    if "Mapping" in hint or "dict" in hint:
        distinct.append({"type": "object"})
    return distinct[0] if len(distinct) == 1 else {"anyOf": distinct}


def _value(parameter: Parameter) -> Json:
    bounds = parameter.bounds
    kind = {"whole": "integer", "number": "number", "text": "string", "flag": "boolean"}.get(bounds.kind)
    if bounds.kind == "choice":
        return {"enum": list(bounds.words)}
    ends = {"minimum": bounds.least, "maximum": bounds.most, "exclusiveMinimum": bounds.above}
    return ({} if kind is None else {"type": kind}) | {end: value for end, value in ends.items() if value is not None}


def _choose(schema: Json, cards: Iterable[Card]) -> None:
    """Offer names as examples, not as an enumeration: another package may add a name."""
    schema["examples"] = [card.name for card in cards]
