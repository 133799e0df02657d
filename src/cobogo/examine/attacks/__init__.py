"""Attacks on releases: what somebody could find out, about whom, and how surely.

A release that holds what it promises may still tell more than was meant. An attack takes what was released and what an
attacker may know, and says who is exposed. See `cobogo.examine.attacks.base` for the contract.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import MISSING, fields
from types import UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

from cobogo.errors import PolicyError, nearest
from cobogo.examine.attacks.attribute_linkage import BackgroundKnowledge, Belief, Corruption, Homogeneity, Skewness
from cobogo.examine.attacks.averaging import Averaging
from cobogo.examine.attacks.base import Attack, Findings
from cobogo.examine.attacks.case import AnyPolicy, Case, open_case
from cobogo.examine.attacks.complementary import Complementary, Temporal
from cobogo.examine.attacks.definetti import DeFinetti
from cobogo.examine.attacks.differencing import Differencing
from cobogo.examine.attacks.distance import DistanceLinkage
from cobogo.examine.attacks.duplicate import Duplicate
from cobogo.examine.attacks.intersection import Intersection
from cobogo.examine.attacks.joining import Join, Projections
from cobogo.examine.attacks.membership import Membership
from cobogo.examine.attacks.minimality import Minimality
from cobogo.examine.attacks.presence import Presence
from cobogo.examine.attacks.record_linkage import RecordLinkage
from cobogo.examine.attacks.similarity import Similarity
from cobogo.examine.attacks.synthetic import Inference, Linkability, SinglingOut
from cobogo.examine.attacks.tracker import Tracker
from cobogo.examine.attacks.unsorted import UnsortedMatching

ATTACKS: dict[str, type[Attack]] = {
    kind.name: kind
    for kind in (
        RecordLinkage,
        DistanceLinkage,
        Homogeneity,
        BackgroundKnowledge,
        Skewness,
        Similarity,
        Presence,
        Belief,
        Corruption,
        Minimality,
        UnsortedMatching,
        Join,
        Projections,
        Tracker,
        Duplicate,
        Complementary,
        Temporal,
        Intersection,
        Differencing,
        Averaging,
        DeFinetti,
        SinglingOut,
        Linkability,
        Inference,
        Membership,
    )
}  # fmt: skip
"""Every attack by its name."""

__all__ = ["ATTACKS", "Attack", "Case", "Findings", "attack", "build", "open_case"]


def attack(
    name: str,
    *releases: Any,
    knowledge: Any = None,
    control: Any = None,
    queries: Any = None,
    policy: AnyPolicy | None = None,
    separator: str | None = None,
    encoding: str | None = None,
    **options: Any,
) -> Findings:
    """Attack releases: ``attack("record-linkage", "release/", knowledge="voters.csv")``. Truthy when it succeeds.

    A release is a directory that Cobogó wrote, or a file or a frame with a ``policy`` that tells its columns' roles, or
    a `Release`. ``options`` are the attack's own, ``threshold`` among them.
    """
    chosen = build(name, options)
    return run(
        chosen,
        open_case(
            releases,
            knowledge=knowledge,
            control=control,
            queries=queries,
            policy=policy,
            separator=separator,
            encoding=encoding,
        ),
    )


def run(chosen: Attack, case: Case) -> Findings:
    """Run an attack on a case that must have what it needs."""
    lacking = chosen.lacks(case)
    if lacking is not None:
        raise PolicyError(f"the attack {lacking}", where=chosen.name, remedy="See `cobogo attack --help`.")
    return chosen.run(case)


def build(name: str, options: Mapping[str, Any]) -> Attack:
    """An attack by its name, with its options: values, or texts that stand for them.

    >>> build("duplicate", {"threshold": "0.9"})
    Duplicate(threshold=0.9)
    """
    if name not in ATTACKS:
        raise PolicyError(f"there is no attack {name!r}", remedy=nearest(name, ATTACKS, "cobogo list attacks"))
    kind = ATTACKS[name]
    known = {field.name: field for field in fields(kind)}  # type: ignore[arg-type]
    types = get_type_hints(kind)
    given = {}
    for key, value in options.items():
        option = key.replace("-", "_")
        if option not in known:
            listed = ", ".join(field.replace("_", "-") for field in known)
            raise PolicyError(f"has no option {key!r}", where=name, remedy=f"It has: {listed}.")
        given[option] = _read(value, types[option], name, key) if isinstance(value, str) else value
    for option, field in known.items():
        if field.default is MISSING and option not in given:
            raise PolicyError(f"needs the option {option.replace('_', '-')!r}", where=name)
    try:
        return kind(**given)
    except (TypeError, ValueError) as error:
        raise PolicyError(str(error), where=name) from None


def _read(text: str, wanted: Any, owner: str, option: str) -> Any:
    """A text of the command line as a value of the option's type."""
    if get_origin(wanted) in (Union, UnionType):
        wanted = next(kind for kind in get_args(wanted) if kind is not type(None))
    if get_origin(wanted) is tuple:
        return tuple(part.strip() for part in text.split(",") if part.strip())
    if wanted is bool and text.lower() in ("true", "false", "yes", "no"):
        return text.lower() in ("true", "yes")
    names = {int: "a whole number", float: "a number", bool: "true or false"}
    try:
        return text if wanted is str else wanted(text) if wanted is not bool else _refuse()
    except ValueError:
        said = names.get(wanted, "something else")
        raise PolicyError(f"The '{option}' option of {owner} must be {said}. Got {text!r} instead") from None


def _refuse() -> Any:
    raise ValueError
