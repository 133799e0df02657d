"""The sections of the reference: which registries they show, and the entries that are read from docstrings."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

from cobogo.errors import PolicyError
from cobogo.floor.catalogue import Card, Registry, first_sentence, import_object
from cobogo.floor.language import Speech, nearest, tr

PARTS = ("Formula", "Example", "Guarantee", "Limits", "Cost", "Paper")
"""The parts of every docstring of the reference after its definition, in this order."""

_PART = re.compile(rf"^({'|'.join(PARTS)}):(?: +(.*))?$")


@dataclass(frozen=True)
class Entry:
    """An entry of the reference: a docstring, split into its parts."""

    name: str
    definition: str
    parts: dict[str, str]
    module: str = ""  # where its example runs

    @property
    def summary(self) -> str:
        """The first sentence, without a full stop."""
        return first_sentence(self.definition)

    def texts(self) -> list[str]:
        """What there is to translate: the paragraphs of the definition and of the parts, without code and citations."""
        told = [text.partition(">>> ")[0] for part, text in self.parts.items() if part != "Paper"]
        return [paragraph for text in (self.definition, *told) for paragraph in paragraphs(text)]

    @property
    def missing(self) -> list[str]:
        """The parts that are missing or empty, and an example without code."""
        absent = [part for part in PARTS if not self.parts.get(part)]
        if "Example" not in absent and ">>> " not in self.parts["Example"]:
            absent.append("Example")
        return absent if self.definition else ["Definition", *absent]


def paragraphs(text: str) -> list[str]:
    r"""The paragraphs of a text, each on one line.

    >>> paragraphs("One\nline.\n\nAnother.")
    ['One line.', 'Another.']
    """
    return [" ".join(paragraph.split()) for paragraph in text.split("\n\n") if paragraph.strip()]


def split_docstring(name: str, thing: object) -> Entry:
    """Split a docstring into its definition and its parts.

    >>> def thing():
    ...     '''What it is. And more.
    ...
    ...     Formula: $a$ means
    ...         one thing
    ...     Cost: little
    ...     '''
    >>> entry = split_docstring("thing", thing)
    >>> entry.summary, entry.parts
    ('What it is', {'Formula': '$a$ means\\none thing', 'Cost': 'little'})
    """
    text = inspect.cleandoc(thing.__doc__ or "") if getattr(thing, "__doc__", None) else ""
    definition: list[str] = []
    parts: dict[str, list[str]] = {}
    here = definition
    for line in text.splitlines():
        heading = _PART.match(line)
        if heading:
            here = parts.setdefault(heading[1], [])
            here.append(heading[2] or "")
        else:
            here.append(line)
    joined = {part: _join_lines(lines) for part, lines in parts.items()}
    return Entry(name, "\n".join(definition).strip(), joined, getattr(thing, "__module__", ""))


def _join_lines(lines: list[str]) -> str:
    """The text after a heading and the indented lines below it."""
    first, *rest = lines
    return "\n".join([first, inspect.cleandoc("\n" + "\n".join(rest)) if rest else ""]).strip()


@dataclass(frozen=True)
class Section:
    """Things of one kind: what ``one`` is called, what they are ``about``, and the places of their registries. Where
    ``asks`` is true, their fields are parameters that users set. What is ``listed_only`` has no pages."""

    title: str
    one: str
    about: str
    places: tuple[str, ...]
    asks: bool = False
    listed_only: bool = False

    @property
    def registries(self) -> tuple[Registry[Any], ...]:
        """The registries of the section."""
        return tuple(import_object(place) for place in self.places)

    def rows(self, listed: str, say: Speech) -> list[list[str]]:
        """Names and first sentences of the things in one of the lists, in a language."""
        found: list[list[str]] = []
        for one in self.registries:
            if one.listed == listed:
                told = one.remark in REMARKS and len(self.places) > 1
                remark = f" ({say(REMARKS[one.remark])})" if told else ""
                found += [
                    [name, _sentence(card.summary, say) + remark + _study(card, say)]
                    for name, card in one.cards().items()
                ]
                found += [[name, say(error.what)] for name, error in one.broken().items()]
        return found

    def cards(self) -> dict[str, Card]:
        """The cards of all things by name."""
        return {name: card for registry in self.registries for name, card in registry.cards().items()}

    def entries(self) -> dict[str, Entry]:
        """The entries of all things by name."""
        return {name: split_docstring(name, card.thing) for name, card in self.cards().items()}


def _study(card: Card, say: Callable[[str], str]) -> str:
    """A remark on things that are there to be studied: what to use instead."""
    better = card.facts.get("study")
    return f" ({say(tr('for study: {better} was better on every table measured', better=better))})" if better else ""


def _sentence(summary: str, say: Speech) -> str:
    """The first sentence of a docstring in a language, as plain text."""
    from cobogo.tell.reference.formula import readable

    return readable(say(f"{summary}.")).replace("``", "").replace("`", "").rstrip(".")


SECTIONS: dict[str, Section] = {
    "models": Section(
        "Privacy models",
        "privacy model",
        "What must be true of a release, or of how it was drawn.",
        (
            "cobogo.promises.models:MODELS",
            "cobogo.promises.guarantees:GUARANTEES",
            "cobogo.promises.models.differential_privacy:MEASURES",
        ),
        asks=True,
    ),
    "metrics": Section(
        "Metrics",
        "metric",
        "What a release lost, or what can still be done with it, in one number.",
        (
            "cobogo.examine.metrics:METRICS",
            "cobogo.examine.metrics:REPORTED",
        ),
    ),
    "algorithms": Section(
        "Algorithms",
        "algorithm",
        "How Cobogó searches for a release that satisfies the models.",
        ("cobogo.publish.recode.algorithms:ALGORITHMS",),
    ),
    "attacks": Section(
        "Attacks on tables",
        "attack",
        "What an attacker could do with a release, and which people would be exposed.",
        ("cobogo.examine.attacks:ATTACKS",),
        asks=True,
    ),
    "location-attacks": Section(
        "Attacks on locations",
        "attack on locations",
        "What an attacker could learn from the positions that people report.",
        ("cobogo.locate.attacks:ATTACKS",),
        asks=True,
    ),
    "mechanisms": Section(
        "Mechanisms of the curator",
        "mechanism of the curator",
        "How noise is added to answers, and how choices are made.",
        ("cobogo.promises.mechanisms:MECHANISMS",),
        asks=True,
    ),
    "private-releases": Section(
        "Private releases",
        "private release",
        "Rows and lists that may be given away with differential privacy.",
        ("cobogo.publish:PRIVATE_RELEASES",),
    ),
    "randomization": Section(
        "Methods of randomization",
        "method of randomization",
        "How sensitive values are exchanged at random, with a guarantee.",
        ("cobogo.publish.randomize.make:METHODS",),
    ),
    "perturbation": Section(
        "Steps of perturbation",
        "step of a perturbation",
        "How values are changed without a guarantee.",
        ("cobogo.publish.perturb:STEPS",),
    ),
    "masking": Section(
        "Ways to mask a column",
        "way to mask a column",
        "How columns are changed for test data, or so that they can still be joined or turned back.",
        ("cobogo.publish.mask:MASKS",),
    ),
    "synthesis": Section(
        "Methods of synthesis",
        "method of synthesis",
        "How invented records are learned from true ones.",
        ("cobogo.publish.synthesize:METHODS",),
    ),
    "collecting": Section(
        "Mechanisms of collecting",
        "mechanism of collecting",
        "How a device answers so that no party needs to be trusted: local differential privacy.",
        ("cobogo.collect.mechanisms:MECHANISMS",),
        asks=True,
    ),
    "location-mechanisms": Section(
        "Location mechanisms",
        "location mechanism",
        "How a device reports a position without revealing where it is exactly.",
        ("cobogo.locate.mechanisms:MECHANISMS",),
        asks=True,
    ),
    "cloaks": Section(
        "Cloaks and mix zones",
        "cloak of an anonymizer",
        "What a trusted anonymizer gives away instead of a person's position or name.",
        (
            "cobogo.locate.crowds:CLOAKS",
            "cobogo.locate.crowds:REQUESTS",
            "cobogo.locate.crowds:ZONES",
        ),
        asks=True,
    ),
    "trajectories": Section(
        "Trajectories",
        "method for trajectories",
        "Trips that may be released: moved, or invented.",
        ("cobogo.locate.trips:TRAJECTORIES",),
        asks=True,
    ),
    "engines": Section(
        "Engines",
        "engine",
        "Where tables are read, counted and written.",
        ("cobogo.data.engines.engine:ENGINES",),
        listed_only=True,
    ),
}
"""All sections by name, which is also the name of their page. Registries are named by their places, since most of them
are in rooms above this one."""


def pages() -> dict[str, Section]:
    """The sections whose things have pages."""
    return {slug: section for slug, section in SECTIONS.items() if not section.listed_only}


REMARKS = {
    "of how it is drawn": tr("of how it is drawn"),
    "of randomization": tr("of randomization"),
    "reported only": tr("reported only"),
    "of an anonymizer": tr("of an anonymizer"),
    "cloak of an anonymizer": tr("cloak of an anonymizer"),
}
"""What is said of the things of a registry, where a section has several."""


def lists() -> list[str]:
    """The names of the lists that ``cobogo list`` has."""
    return list(dict.fromkeys(one.listed for section in SECTIONS.values() for one in section.registries))


def listing(what: str) -> list[tuple[str, str]]:
    """Names and first sentences for programs; a plug-in that cannot be loaded is listed with the reason."""
    if what not in lists():
        *others, last = [*lists(), "glossary"]
        raise PolicyError(
            tr("there is no list of {what!r}", what=what),
            where="cobogo list",
            remedy=tr("Ask for {lists} or {last}.", lists=", ".join(others), last=last),
        )
    found: list[tuple[str, str]] = []
    for one in (one for section in SECTIONS.values() for one in section.registries):
        if one.listed == what:
            remark = f" ({one.remark})" if one.remark else ""
            found += [(name, card.summary + remark + _study(card, str)) for name, card in one.cards().items()]
            found += [(name, error.what) for name, error in one.broken().items()]
    return found


@cache
def names() -> dict[str, tuple[str, ...]]:
    """For each name, the sections that have an entry of it."""
    found: dict[str, tuple[str, ...]] = {}
    for slug, section in SECTIONS.items():
        for name in section.cards():
            found[name] = (*found.get(name, ()), slug)
    return found


def find(name: str, section: str | None = None) -> tuple[str, Entry]:
    """The section and the entry of a name; a PolicyError where no section has it, or several have.

    >>> find("k-anonymity")[0]
    'models'
    """
    from cobogo.tell.reference.glossary import term_names

    if section is not None and section not in SECTIONS:
        remedy = tr("Choose one of: {kinds}.", kinds=", ".join([*SECTIONS, "glossary"]))
        raise PolicyError(tr("there is no kind {kind!r}", kind=section), where="--kind", remedy=remedy)
    having = names().get(name, ())
    if not having or (section is not None and section not in having):
        for registry in (one for part in SECTIONS.values() for one in part.registries):
            if name in registry.broken():
                raise registry.broken()[name]
        among = [*names(), *term_names()] if section is None else list(SECTIONS[section].cards())
        raise PolicyError(
            tr("there is nothing with the name {name!r}", name=name),
            where="cobogo explain",
            remedy=nearest(name, among, "cobogo list"),
        )
    if section is None and len(having) > 1:
        raise PolicyError(
            tr("{name!r} is the name of several things", name=name),
            where="cobogo explain",
            remedy=tr("Say which one with --kind: {kinds}.", kinds=", ".join(having)),
        )
    chosen = section or having[0]
    return chosen, SECTIONS[chosen].entries()[name]
