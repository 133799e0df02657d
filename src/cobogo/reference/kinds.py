"""What the reference must have a page for: everything that a policy or a command can name, by kind."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from typing import Any

from cobogo.errors import PolicyError, nearest
from cobogo.reference.parts import Entry, read


@dataclass(frozen=True)
class Source:
    """A registry: where it is, what a list says of its things in brackets, and the guide that tells of their use."""

    path: str
    guide: str
    remark: str = ""

    def things(self) -> Mapping[str, object]:
        """Its things by name. A value that is the path of something stands for that; an instance, for its class."""
        module, name = self.path.split(":")
        return {key: _documented(value) for key, value in getattr(import_module(module), name).items()}


@dataclass(frozen=True)
class Kind:
    """Things of one kind: ``one`` of them in words, and the list (``cobogo list``) that they are in."""

    title: str
    one: str
    about: str
    listed: str
    sources: tuple[Source, ...]

    def things(self) -> dict[str, object]:
        """All of them by name."""
        return {name: thing for source in self.sources for name, thing in source.things().items()}

    def entries(self) -> dict[str, Entry]:
        """What the docstring of each says."""
        return {name: read(name, thing) for name, thing in self.things().items()}

    def source_of(self, name: str) -> Source:
        """The registry that something is from."""
        return next(source for source in self.sources if name in source.things())


KINDS: dict[str, Kind] = {
    "models": Kind(
        "Privacy models",
        "privacy model",
        "What must be true of a release, or of how it was drawn.",
        "models",
        (
            Source("cobogo.models:MODELS", "models"),
            Source("cobogo.perturb.guarantees:GUARANTEES", "randomization", "of randomization"),
            Source("cobogo.models.differential_privacy:MEASURES", "curator", "of how it is drawn"),
        ),
    ),
}


def _documented(value: Any) -> object:
    """What carries the docstring."""
    if isinstance(value, str):
        module, _, name = value.partition(":")
        return getattr(import_module(module), name) if name else import_module(module)
    about = getattr(value, "documented", None)
    if isinstance(about, str):
        return _documented(about)
    return value if isinstance(value, type) or callable(value) else type(value)


@cache
def names() -> dict[str, tuple[str, ...]]:
    """The kinds that have something of a name."""
    found: dict[str, tuple[str, ...]] = {}
    for kind, of in KINDS.items():
        for name in of.things():
            found[name] = (*found.get(name, ()), kind)
    return found


def find(name: str, kind: str | None = None) -> tuple[str, Entry]:
    """The kind and the entry of a name; a PolicyError where there is none, or more than one kind has it.

    >>> find("k-anonymity")[0]
    'models'
    """
    if kind is not None and kind not in KINDS:
        raise PolicyError(f"there is no kind {kind!r}", where="--kind", remedy=nearest(kind, KINDS, "cobogo explain"))
    kinds = names().get(name, ())
    if not kinds or (kind is not None and kind not in kinds):
        among = list(names()) if kind is None else list(KINDS[kind].things())
        raise PolicyError(
            f"nothing is called {name!r}", where="cobogo explain", remedy=nearest(name, among, "cobogo list")
        )
    if kind is None and len(kinds) > 1:
        raise PolicyError(
            f"{name!r} is the name of several things",
            where="cobogo explain",
            remedy=f"Say which: --kind {' or --kind '.join(kinds)}.",
        )
    chosen = kind or kinds[0]
    return chosen, KINDS[chosen].entries()[name]
