"""What a name means: a thing that can be asked for, by its docstring and its card, or a word of the glossary."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from cobogo.floor.representation import brief
from cobogo.tell.reference.formula import readable
from cobogo.tell.reference.glossary import TERMS, Term, find_term
from cobogo.tell.reference.pages import markdown
from cobogo.tell.reference.parameters import policy_lines
from cobogo.tell.reference.sections import SECTIONS, Entry, find, listing, lists, names

GLOSSARY = "glossary"
"""What the words of the glossary are listed and explained as."""


@dataclass(frozen=True, repr=False)
class NameExplanation:
    """The definition of a name, what a policy writes for it, and the parts of its page. Printed, it is the text.

    >>> explain("k-anonymity").parameters
    {'k': 'whole number, at least 1'}
    """

    name: str
    kind: str
    definition: str
    guide: str  # the page of the documentation
    title: str = ""
    parameters: Mapping[str, str] = field(default_factory=dict)
    policy: str = ""  # an example of it in a policy
    parts: Mapping[str, str] = field(default_factory=dict)  # formula, example, guarantee, limits, cost, paper

    def __repr__(self) -> str:
        return brief(self, self.name, self.kind)

    def __str__(self) -> str:
        blocks = [f"{self.name} ({self.kind})", self.definition, self.policy]
        blocks += [f"{part.capitalize()}: {text}" for part, text in self.parts.items()]
        return "\n\n".join(readable(block) for block in blocks if block)

    def _repr_markdown_(self) -> str:
        """The page, for a notebook."""
        blocks = [f"**{self.name}** ({self.kind})", markdown(self.definition)]
        blocks += [f"```toml\n{self.policy}\n```"] if self.policy else []
        blocks += [f"*{part.capitalize()}.* {markdown(text)}" for part, text in self.parts.items()]
        return "\n\n".join(blocks)

    def as_dict(self) -> dict[str, Any]:
        """What ``--json`` prints."""
        optional = {"title": self.title, "parameters": dict(self.parameters), "policy": self.policy}
        told = {"name": self.name, "kind": self.kind, "guide": self.guide, "definition": self.definition}
        return told | {key: value for key, value in optional.items() if value} | dict(self.parts)


LIST = "list"
"""What lists are explained as."""


def explain(name: str | None = None, kind: str | None = None) -> NameExplanation:
    """Explain a model, metric, algorithm, method, mechanism or attack, or a word of the glossary.

    ``kind`` chooses where several things have the name. The name of a list, such as ``"models"``, lists what it has;
    without a name, all lists.

    >>> print(explain("engines").definition.splitlines()[-1])
    - sqlite: The tables of a SQLite file, with DuckDB at work: sqlite:///file.db
    """
    if name is None or (kind is None and name in (*lists(), GLOSSARY)):
        return _list(name)
    meant = resolve(name, kind)
    if isinstance(meant, Term):
        return NameExplanation(_title(meant), GLOSSARY, str(meant.definition), meant.guide, policy=meant.policy or "")
    found, entry = meant
    section, card = SECTIONS[found], SECTIONS[found].cards()[entry.name]
    return NameExplanation(
        name=entry.name,
        kind=found,
        definition=entry.definition,
        guide=card.guide,
        title=card.title,
        parameters={one.name: one.bounds.in_words for one in (card.parameters() if section.asks else ())},
        policy="\n".join(policy_lines(found, card)),
        parts={part.lower(): text for part, text in entry.parts.items()},
    )


def _list(name: str | None) -> NameExplanation:
    """What is in a list, or all lists, as one item a line."""
    items = [f"- {item}: {about}" for one in lists() if name in (None, one) for item, about in listing(one)]
    items += [f"- {_title(term)}: {term.definition}" for term in TERMS if name in (None, GLOSSARY)]
    return NameExplanation(name or "everything", LIST, "\n".join(items), "glossary" if name == GLOSSARY else "commands")


def _title(term: Term) -> str:
    return str(term.names).strip("[]")


def resolve(name: str, kind: str | None = None) -> Term | tuple[str, Entry]:
    """The word of the glossary, or the section and the entry, that a name means; a thing comes before a word."""
    term = find_term(name)
    if term is None or name in names():
        return term if term is not None and kind == GLOSSARY else find(name, kind)
    usual = _title(term)
    if kind is None and usual in names():
        return find(usual, kind)
    return term if kind in (None, GLOSSARY) else find(name, kind)
