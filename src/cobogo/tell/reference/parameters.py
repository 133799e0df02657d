"""The parameters of a named thing in words, and how a policy asks for the thing."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from cobogo.floor.arguments import Bounds
from cobogo.floor.catalogue import Card
from cobogo.floor.language import Text, join, tr
from cobogo.floor.options import Parameter

BOUNDS_IN_WORDS = {
    "whole": tr("whole number"),
    "number": tr("number"),
    "flag": tr("true or false"),
    "text": tr("text"),
    "names": tr("names"),
    "see the guide": tr("see the guide"),
}
"""What a parameter is."""

NAMED = {
    "algorithms": ("recoding", "algorithm"),
    "metrics": ("recoding", "metric"),
    "randomization": ("randomization", "method"),
    "synthesis": ("synthesis", "method"),
    "collecting": ("collection", "mechanism"),
}
"""Sections whose things a file names by one key: the table, and the key."""

STEPS = {
    "noise": {"method": "noise", "attributes": ["income"], "relative": 0.1},
    "swap": {"method": "swap", "attributes": ["income"], "window": 0.05},
    "pram": {"method": "pram", "attributes": ["district"], "retention": 0.8},
}
MASKS: dict[str, tuple[str, dict[str, Any]]] = {
    "fake": ("name", {"fake": "name"}),
    "list": ("street", {"list": "streets.txt"}),
    "shuffle": ("city", {"shuffle": True}),
    "blur": ("income", {"blur": 0.1}),
    "days": ("birth", {"days": 30, "format": "%d/%m/%Y"}),
    "null": ("comment", {"null": True}),
    "truncate": ("cep", {"truncate": 5}),
    "mask": ("phone", {"mask": "*", "keep-last": 4}),
    "text": ("note", {"text": True}),
    "pseudonym": ("cpf", {"pseudonym": True}),
    "encrypt": ("name", {"encrypt": True}),
    "token": ("cpf", {"token": "research"}),
}
"""A column and how it is masked, by the operator."""

KEEPERS = {
    "pseudonym": ('secret = "secret.key"',),
    "encrypt": ('secret = "secret.key"',),
    "token": ('vault = "vault.db"', 'key = "tokenize.key"'),
}
"""What an operator needs besides: a secret, or a vault."""


def bounds_text(bounds: Bounds) -> Text:
    """What a parameter may be.

    >>> bounds_text(Bounds("whole", least=1)), bounds_text(Bounds("choice", words=("equal", "ordered")))
    ('whole number, at least 1', 'equal or ordered')
    """
    if bounds.kind == "choice":
        *others, last = bounds.words
        return tr("{others} or {last}", others=", ".join(others), last=last) if others else tr("{word}", word=last)
    limits = [
        tr("above {value:g}", value=bounds.above) if bounds.above is not None else "",
        tr("at least {value:g}", value=bounds.least) if bounds.least is not None else "",
        tr("at most {value:g}", value=bounds.most) if bounds.most is not None else "",
    ]
    return join([BOUNDS_IN_WORDS.get(bounds.kind, bounds.kind), *limits], ", ")


def default_text(one: Parameter) -> Text:
    """Whether a parameter must be given, and what it is if it is not."""
    if one.required:
        return tr("required")
    return tr("optional") if one.default is None else tr("default: {value}", value=toml(one.default))


def policy_lines(section: str, card: Card) -> list[str]:
    """The lines of TOML that ask for a thing; none where no file can name it.

    >>> from cobogo.promises.models.k_anonymity import KAnonymity
    >>> policy_lines("models", KAnonymity.card)
    ['[privacy]', 'models = [{ model = "k-anonymity", k = 5 }]']
    """
    if section == "models":
        given = {name: value or name for name, value in card.start.items() if value is not None and value != 0.0}
        return ["[privacy]", f"models = [{toml({'model': card.name, **given})}]"]
    if section == "perturbation":
        return ["[perturbation]", f"steps = [{toml(STEPS[card.name])}]"] if card.name in STEPS else []
    if section == "masking":
        column, operator = MASKS.get(card.name, ("", {}))
        lines = ["[masking]", f"columns = {toml({column: operator})}", *KEEPERS.get(card.name, ())]
        return lines if operator else []
    if section not in NAMED or (section == "metrics" and not _is_chosen(card)):
        return []
    table, key = NAMED[section]
    budget = (
        ["epsilon = 1.0", "delta = 1e-6"] if section == "synthesis" and "without-guarantee" not in card.name else []
    )
    return [f"[{table}]", f"{key} = {toml(card.name)}", *budget]


def toml(value: Any) -> str:
    """A value as TOML writes it.

    >>> toml({"k": 5, "kind": "entropy", "open": True})
    '{ k = 5, kind = "entropy", open = true }'
    """
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{name} = {toml(one)}" for name, one in value.items()) + " }"
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(toml, value))}]"
    return json.dumps(value, ensure_ascii=False) if isinstance(value, str | bool | int) else f"{value:g}"


def _is_chosen(card: Card) -> bool:
    """Whether a search can minimize a metric; others are only reported."""
    from cobogo.tell.reference.sections import SECTIONS

    return card.name in SECTIONS["metrics"].registries[0]
