"""What the reference must have a page for: everything that a policy or a command can name, by kind."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from typing import Any

from cobogo.errors import PolicyError, nearest
from cobogo.tell.reference.carriers import MASKS, PERTURBATIONS, RANDOMIZATIONS, SYNTHESES
from cobogo.tell.reference.parts import Entry, read


@dataclass(frozen=True)
class Source:
    """A registry: where it is, the guide that tells of the use of its things, and what a list says of them in brackets.

    ``told`` says whose docstring tells of each name, where the registry's own values have none; ``others``, which of
    them have another guide.
    """

    path: str
    guide: str
    remark: str = ""
    told: Mapping[str, str] | None = None
    others: Mapping[str, str] = field(default_factory=dict)

    def guide_of(self, name: str) -> str:
        """The page that tells of the use of a thing."""
        return self.others.get(name, self.guide)

    def things(self) -> Mapping[str, object]:
        """What carries the docstring of each name: a class, or a function."""
        registry = _at(self.path)
        if self.told is None:
            return {name: _documented(value) for name, value in registry.items()}
        untold = [name for name in registry if name not in self.told]
        if untold:
            raise LookupError(f"nothing tells of {', '.join(untold)}: see cobogo.tell.reference.carriers")
        return {name: _at(self.told[name]) for name in registry}


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


ALGORITHM_GUIDES = {
    "optimal": "search",
    "local": "algorithms-local",
    **dict.fromkeys(("bucketization", "marginals"), "algorithms-sensitive"),
    **dict.fromkeys(
        ("datafly", "samarati", "incognito", "ola", "genetic", "top-down", "bottom-up", "mu-argus"),
        "algorithms-lattice",
    ),
}

KINDS: dict[str, Kind] = {
    "models": Kind(
        "Privacy models",
        "privacy model",
        "What must be true of a release, or of how it was drawn.",
        "models",
        (
            Source("cobogo.promises.models:MODELS", "models"),
            Source("cobogo.promises.guarantees:GUARANTEES", "randomization", "of randomization"),
            Source("cobogo.promises.models.differential_privacy:MEASURES", "curator", "of how it is drawn"),
        ),
    ),
    "metrics": Kind(
        "Metrics",
        "metric",
        "What a release lost, or what can still be done with it, in one number.",
        "metrics",
        (
            Source("cobogo.examine.metrics:METRICS", "metrics"),
            Source("cobogo.examine.metrics:REPORTED", "metrics", "reported only"),
        ),
    ),
    "algorithms": Kind(
        "Algorithms",
        "algorithm",
        "How a release that satisfies the models is looked for.",
        "algorithms",
        (Source("cobogo.publish.recode.algorithms:ALGORITHMS", "algorithms-partition", others=ALGORITHM_GUIDES),),
    ),
    "attacks": Kind(
        "Attacks on tables",
        "attack",
        "What somebody could do with a release, and who would be exposed.",
        "attacks",
        (Source("cobogo.examine.attacks:ATTACKS", "attacks"),),
    ),
    "location-attacks": Kind(
        "Attacks on locations",
        "attack on locations",
        "What somebody could learn from what people say of where they are.",
        "attacks",
        (Source("cobogo.locate.attacks:ATTACKS", "location-attacks", "location"),),
    ),
    "mechanisms": Kind(
        "Mechanisms of the curator",
        "mechanism of the curator",
        "How answers get their noise, and choices are made.",
        "mechanisms",
        (Source("cobogo.promises.mechanisms:MECHANISMS", "curator"),),
    ),
    "private-releases": Kind(
        "Private releases",
        "private release",
        "Rows and lists that may be given away, with differential privacy.",
        "mechanisms",
        (
            Source(
                "cobogo.tell.reference.carriers:RELEASES",
                "sampling",
                "release",
                others={"frequency-list": "frequency-list"},
            ),
        ),
    ),
    "randomization": Kind(
        "Methods of randomization",
        "method of randomization",
        "How sensitive values are exchanged at random, with a guarantee.",
        "mechanisms",
        (Source("cobogo.publish.randomize.make:METHODS", "randomization", "randomization", RANDOMIZATIONS),),
    ),
    "perturbation": Kind(
        "Steps of perturbation",
        "step of a perturbation",
        "How values are changed without a guarantee.",
        "mechanisms",
        (Source("cobogo.data.policy.random_releases:METHODS", "perturbation", "perturbation", PERTURBATIONS),),
    ),
    "masking": Kind(
        "Ways to mask a column",
        "way to mask a column",
        "How columns are changed for test data, or so that they can be joined and read again.",
        "mechanisms",
        (Source("cobogo.data.policy:OPERATORS", "masking", "masking", MASKS),),
    ),
    "synthesis": Kind(
        "Methods of synthesis",
        "method of synthesis",
        "How made-up records are learnt from true ones.",
        "mechanisms",
        (Source("cobogo.publish.synthesize.methods:METHODS", "synthesis", "synthesis", SYNTHESES),),
    ),
    "collecting": Kind(
        "Mechanisms of collecting",
        "mechanism of collecting",
        "How a device answers so that nobody need be trusted: local differential privacy.",
        "mechanisms",
        (Source("cobogo.collect.mechanisms:MECHANISMS", "collecting", "collecting"),),
    ),
    "location-mechanisms": Kind(
        "Location mechanisms",
        "location mechanism",
        "How a device says where it is without saying it.",
        "mechanisms",
        (Source("cobogo.locate.mechanisms:MECHANISMS", "location-mechanisms", "location"),),
    ),
    "cloaks": Kind(
        "Cloaks and mix zones",
        "cloak of an anonymizer",
        "What a trusted anonymizer gives away in place of where somebody is, or of who it is.",
        "mechanisms",
        (
            Source("cobogo.locate.crowds:CLOAKS", "location-service", "cloak of an anonymizer"),
            Source("cobogo.tell.reference.carriers:ZONES", "location-service", "of an anonymizer"),
        ),
    ),
    "trajectories": Kind(
        "Trajectories",
        "method for trajectories",
        "Trips that may be released: moved, or made up.",
        "mechanisms",
        (
            Source(
                "cobogo.tell.reference.carriers:TRAJECTORIES",
                "trajectories",
                "trajectories",
                others={"dp-where": "where"},
            ),
        ),
    ),
}
"""Every kind by its name, which is that of its page."""


def _at(path: str) -> Any:
    """What stands at "module:name"."""
    module, name = path.split(":")
    return getattr(import_module(module), name)


def _documented(value: Any) -> object:
    """What a value of a registry is an instance of, or stands for by its path, or is."""
    if isinstance(value, str):
        return _at(value)
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
