"""What a docstring says, part by part."""

from __future__ import annotations

import inspect
import re
from dataclasses import dataclass

from cobogo.floor.catalogue import first_sentence

PARTS = ("Formula", "Example", "Guarantee", "Limits", "Cost", "Paper")
"""What every docstring of the reference has after its definition, in this order."""

_PART = re.compile(rf"^({'|'.join(PARTS)}):(?: +(.*))?$")


@dataclass(frozen=True)
class Entry:
    """A thing of the reference, as its docstring tells of it."""

    name: str
    definition: str
    parts: dict[str, str]
    module: str = ""  # where its example runs

    @property
    def summary(self) -> str:
        """The first sentence, without a full stop."""
        return first_sentence(self.definition)

    @property
    def missing(self) -> list[str]:
        """The parts that are not there, or empty, or (of an example) nothing that runs."""
        absent = [part for part in PARTS if not self.parts.get(part)]
        if "Example" not in absent and ">>> " not in self.parts["Example"]:
            absent.append("Example")
        return absent if self.definition else ["Definition", *absent]


def read(name: str, thing: object) -> Entry:
    """Take a docstring apart.

    >>> def thing():
    ...     '''What it is. And more.
    ...
    ...     Formula: $a$ means
    ...         one thing
    ...     Cost: little
    ...     '''
    >>> entry = read("thing", thing)
    >>> entry.summary, entry.parts
    ('What it is', {'Formula': '$a$ means\\none thing', 'Cost': 'little'})
    """
    text = inspect.cleandoc(thing.__doc__ or "") if getattr(thing, "__doc__", None) else ""
    definition: list[str] = []
    parts: dict[str, list[str]] = {}
    here = definition
    for line in text.splitlines():
        opened = _PART.match(line)
        if opened:
            here = parts.setdefault(opened[1], [])
            here.append(opened[2] or "")
        else:
            here.append(line)
    told = {part: _joined(lines) for part, lines in parts.items()}
    return Entry(name, "\n".join(definition).strip(), told, getattr(thing, "__module__", ""))


def _joined(lines: list[str]) -> str:
    """What stands after the word and below it, further in."""
    first, *rest = lines
    return "\n".join([first, inspect.cleandoc("\n" + "\n".join(rest)) if rest else ""]).strip()
