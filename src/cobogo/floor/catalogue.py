"""The catalogue of named things: the card that each carries, and the registry that finds and builds it.

A model, metric, algorithm, attack or mechanism says once, on its card, what it is called, what it is for, which values
a form begins with and which page tells of its use. Its parameters are read off the dataclass and off what that checks.
Lists, explanations, forms and reference pages read cards; policies and commands go through `Registry.build`.

Other packages add things by an entry point in the group of a registry, such as ``cobogo.models``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, MutableMapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any, Generic

from cobogo.errors import CobogoError, PluginError, PolicyError
from cobogo.floor.language import nearest, tr
from cobogo.floor.options import Parameter, Thing, construct, parameters_of
from cobogo.floor.untrusted import shorten

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint


@dataclass(frozen=True)
class Card:
    """What is said of a named thing wherever it is listed, explained, offered or asked for.

    ``summary`` is the first sentence of its docstring; ``plain`` says the same to a reader who is new to the field.
    ``guide`` is the page of the documentation that tells of its use. ``start`` has values that a form begins with, and
    ``facts`` what only things of its registry have.
    """

    name: str
    title: str
    summary: str
    plain: str = ""
    group: str = ""
    guide: str = ""
    start: Mapping[str, Any] = field(default_factory=dict)
    facts: Mapping[str, Any] = field(default_factory=dict)
    thing: Any = field(default=None, repr=False, compare=False)

    def parameters(self, values: Mapping[str, Any] | None = None) -> tuple[Parameter, ...]:
        """The parameters. ``values`` are those it has now, `start` if none are given: what one may be can depend on
        another.

        A thing checks its parameters when it is made; what it checks is noticed. Of those that it does not look at, and
        of those after the first that is wrong, the type tells as much as there is.
        """
        return parameters_of(self.thing, self.start if values is None else values)


def card(
    name: str,
    *,
    title: str = "",
    plain: str = "",
    group: str = "",
    guide: str = "",
    start: Mapping[str, Any] | None = None,
    **facts: Any,
) -> Callable[[Thing], Thing]:
    """Give a class or a function its card. A class has it as ``card``, and the name as ``name``.

    >>> @card("coin", title="Fair coin")
    ... class Coin:
    ...     '''Heads or tails, each half of the time. And nothing else.'''
    >>> Coin.name, Coin.card.title, Coin.card.summary
    ('coin', 'Fair coin', 'Heads or tails, each half of the time')
    """

    def carried(thing: Thing) -> Thing:
        told = first_sentence(thing.__doc__ or "")
        own = Card(name, title or name, told, plain or f"{told}.", group, guide, dict(start or {}), facts, thing)
        setattr(thing, "card", own)  # noqa: B010
        if isinstance(thing, type):
            setattr(thing, "name", name)  # noqa: B010
        return thing

    return carried


def first_sentence(text: str) -> str:
    """The first sentence of a docstring: what a list says of the thing.

    >>> first_sentence("What it is (Li et al. 2007). And more.")
    'What it is (Li et al. 2007)'
    """
    line = " ".join(text.strip().split("\n\n", maxsplit=1)[0].split()).replace("`", "")
    return re.split(r"(?<!al)\. ", line)[0].rstrip(".")


@cache
def _installed_entry_points() -> Any:
    """What all installed packages offer to each other; looked up once, since it means reading a file of each."""
    from importlib.metadata import entry_points

    return entry_points()


class Registry(MutableMapping[str, Thing], Generic[Thing]):
    """Things of one family by name, each imported when it is first used.

    ``noun`` is what one of them is called in messages, ``listed`` the list of ``cobogo list`` that has them, with
    ``remark`` in brackets. ``things`` gives each, or its place as ``module:name``, the module relative to ``home``.
    ``plugins`` is the group of entry points by which other packages add theirs; those must be of ``base``.
    ``ready`` turns what is imported into what is used, where these differ.

    >>> from fractions import Fraction
    >>> numbers = Registry("number", {"fraction": "fractions:Fraction"}, listed="numbers")
    >>> numbers["fraction"] is Fraction, list(numbers)
    (True, ['fraction'])
    >>> numbers.find("faction", where="policy.toml")
    Traceback (most recent call last):
    cobogo.errors.PolicyError: policy.toml: there is no number 'faction'.
    Did you mean "fraction"? `cb.explain("numbers")` shows all.
    """

    def __init__(
        self,
        noun: str,
        things: Mapping[str, Any],
        *,
        listed: str,
        home: str = "",
        guide: str = "",
        remark: str = "",
        plugins: str = "",
        base: str = "",
        ready: Callable[[Any], Thing] | None = None,
    ) -> None:
        self.noun, self.listed, self.home, self.guide, self.remark = noun, listed, home, guide, remark
        self.plugins, self.base = plugins, base
        self._places = dict(things)
        self._ready = ready
        self._imported: dict[str, Any] = {}
        self._loaded: dict[str, Thing] = {}
        self._found: dict[str, EntryPoint] | None = None
        self._broken: dict[str, PluginError] = {}

    def __getitem__(self, name: str) -> Thing:
        if name not in self._loaded:
            if name in self._places:
                self._loaded[name] = self._prepare(name, self._own(name))
            elif name in self._entry_points():
                self._loaded[name] = self._plugin(name)
            else:
                raise KeyError(name)
        return self._loaded[name]

    def __setitem__(self, name: str, thing: Thing) -> None:
        self._loaded[name] = thing

    def __delitem__(self, name: str) -> None:
        del self._loaded[name]
        self._places.pop(name, None)

    def __contains__(self, name: object) -> bool:
        return name in self._loaded or name in self._places or (isinstance(name, str) and name in self._entry_points())

    def __iter__(self) -> Iterator[str]:
        return iter(dict.fromkeys((*self._places, *(n for n in self._entry_points() if self._works(n)), *self._loaded)))

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def find(self, name: object, where: str | None = None, raising: type[CobogoError] = PolicyError) -> Thing:
        """The thing of a name; an error with the nearest name where there is none."""
        if not isinstance(name, str) or name not in self:
            raise raising(
                tr("there is no {noun} {name}", noun=_NOUNS.get(self.noun, self.noun), name=shorten(name)),
                where=where,
                remedy=nearest(name, self, f"cobogo list {self.listed}"),
                code="COBOGO-NAME",
            )
        return self[name]

    def card(self, name: str) -> Card:
        """The card of a thing; one that carries none has a card that says what its docstring says."""
        thing: Any = self[name]
        kind = self._imported.get(name, thing)
        own = vars(kind).get("card")
        if not isinstance(own, Card):
            own = Card(name, name, first_sentence(kind.__doc__ or ""), thing=kind)
        return own if own.guide else replace(own, guide=self.guide)

    def cards(self) -> dict[str, Card]:
        """The cards of all things, in order."""
        return {name: self.card(name) for name in self}

    def groups(self) -> dict[str, list[Card]]:
        """The cards by their groups, in the order of the first of each."""
        found: dict[str, list[Card]] = {}
        for one in self.cards().values():
            found.setdefault(one.group, []).append(one)
        return found

    def build(self, name: object, options: Mapping[str, Any], where: str | None = None, *, texts: bool = False) -> Any:
        """A thing made with its options. With ``texts``, options that are texts stand for values of their types.

        >>> from cobogo.promises.models import MODELS
        >>> MODELS.build("k-anonymity", {"k": 5})
        KAnonymity(k=5)
        >>> MODELS.build("k-anonymity", {"k": "five"}, texts=True)
        Traceback (most recent call last):
        cobogo.errors.PolicyError: The 'k' parameter of k-anonymity must be a whole number. Got 'five' instead.
        `cb.explain("k-anonymity")` describes its parameters.
        """
        kind: Any = self.find(name, where)
        return construct(kind, str(name), options, where, texts=texts)

    def broken(self) -> dict[str, PluginError]:
        """What other packages offer under a name and cannot be used, with the reason."""
        for name in self._entry_points():
            self._works(name)
        return dict(self._broken)

    def refresh(self) -> None:
        """Forget what other packages offer: it is looked up anew. For tests that install a package."""
        for name in self._found or {}:
            self._loaded.pop(name, None)
        self._found = None
        self._broken = {}

    def _own(self, name: str) -> Any:
        place = self._places[name]
        return import_object(place, self.home) if isinstance(place, str) else place

    def _prepare(self, name: str, thing: Any) -> Thing:
        self._imported[name] = thing
        return thing if self._ready is None else self._ready(thing)

    def _entry_points(self) -> dict[str, EntryPoint]:
        """What other packages offer, by name, not yet imported."""
        if self._found is None:
            self._found = {}
            if self.plugins:
                for one in _installed_entry_points().select(group=self.plugins):
                    self._offer(one)
        return self._found

    def _offer(self, one: EntryPoint) -> None:
        assert self._found is not None
        earlier = self._found.get(one.name)
        if one.name in self._places:
            self._broken[one.name] = self._plugin_error(one, tr("Cobogó has {name!r} itself", name=one.name))
        elif earlier is not None and earlier.value != one.value:
            why = tr("{package} has {name!r}, too", package=_package(earlier), name=one.name)
            self._broken[one.name] = self._plugin_error(one, why)
        else:
            self._found[one.name] = one

    def _works(self, name: str) -> bool:
        with suppress(PluginError):
            self[name]
        return name in self._loaded

    def _plugin(self, name: str) -> Thing:
        if name not in self._broken:
            one = self._entry_points()[name]
            try:
                thing = one.load()
                wrong = self._misfit(thing, name)
                if wrong is None:
                    return self._prepare(name, thing)
                self._broken[name] = self._plugin_error(one, wrong)
            except Exception as error:  # another package's code may raise anything
                self._broken[name] = self._plugin_error(one, f"{type(error).__name__}: {error}")
        raise self._broken[name]

    def _misfit(self, thing: Any, name: str) -> str | None:
        """Why an imported thing is none of this registry, as part of a sentence."""
        if self.base:
            base = import_object(self.base, self.home)
            fits = isinstance(thing, type) and (
                isinstance(thing(), base) if getattr(base, "_is_protocol", False) else issubclass(thing, base)
            )
            if not fits:
                return tr(
                    "{thing} does not follow {base}",
                    thing=getattr(thing, "__qualname__", thing),
                    base=f"{base.__module__}.{base.__qualname__}",
                )
        elif not callable(thing):
            return tr("{thing!r} cannot be called", thing=thing)
        called = getattr(vars(thing).get("card"), "name", getattr(thing, "name", name))
        return None if called == name else tr("it calls itself {name!r}", name=called)

    def _plugin_error(self, one: EntryPoint, why: str) -> PluginError:
        return PluginError(
            tr(
                "the package {package} offers {noun} {name!r}, which cannot be used: {why}",
                noun=_NOUNS.get(self.noun, self.noun),
                name=one.name,
                package=_package(one),
                why=why,
            ),
            where=tr("entry point {plugins}", plugins=self.plugins),
            remedy=tr("Repair that package or uninstall it. Everything else works."),
        )


class JoinedRegistry(Registry[Thing]):
    """Several registries as one: the first that has a name gives its thing. Messages are those of the first."""

    def __init__(self, *registries: Registry[Any]) -> None:
        first = registries[0]
        super().__init__(first.noun, {}, listed=first.listed, guide=first.guide)
        self.registries = registries

    def registry_of(self, name: str) -> Registry[Any]:
        """The registry that has a name."""
        for one in self.registries:
            if name in one:
                return one
        raise KeyError(name)

    def __getitem__(self, name: str) -> Thing:
        found: Thing = self.registry_of(name)[name]
        return found

    def __contains__(self, name: object) -> bool:
        return any(name in one for one in self.registries)

    def __iter__(self) -> Iterator[str]:
        return iter(dict.fromkeys(name for one in self.registries for name in one))

    def card(self, name: str) -> Card:
        """The card of a thing."""
        return self.registry_of(name).card(name)

    def broken(self) -> dict[str, PluginError]:
        """What cannot be used, of all."""
        return {name: error for one in self.registries for name, error in one.broken().items()}


def _package(one: EntryPoint) -> str:
    return f"{one.dist.name} {one.dist.version}" if one.dist is not None else one.value


def import_object(place: str, home: str = "") -> Any:
    """Import what ``module:name`` names; a module that begins with a point is relative to ``home``.

    >>> import_object(".abc:Mapping", "collections").__name__
    'Mapping'
    """
    module, _, name = place.partition(":")
    return getattr(import_module(module, home or None), name)


_NOUNS = {
    "algorithm": tr("algorithm"),
    "attack": tr("attack"),
    "attack on locations": tr("attack on locations"),
    "cloak": tr("cloak"),
    "engine": tr("engine"),
    "mechanism": tr("mechanism"),
    "method for trajectories": tr("method for trajectories"),
    "method of randomization": tr("method of randomization"),
    "method of synthesis": tr("method of synthesis"),
    "metric": tr("metric"),
    "mix zone": tr("mix zone"),
    "model": tr("model"),
    "number": tr("number"),
    "private release": tr("private release"),
    "step of a perturbation": tr("step of a perturbation"),
    "way to mask a column": tr("way to mask a column"),
}
"""What a registry's things are called, for messages."""
