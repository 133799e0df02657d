"""Attacks on releases: what an attacker could learn, about whom, and with what confidence.

A release that holds its promises may still reveal more than was meant. An attack takes the release and what an attacker
may know, and lists the rows that are exposed. See `cobogo.examine.attacks.base` for the contract.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from cobogo.errors import PolicyError
from cobogo.examine.attacks.base import Attack, Findings
from cobogo.examine.attacks.case import AnyPolicy, Case, open_case
from cobogo.floor.catalogue import Registry
from cobogo.floor.language import tr

ATTACKS: Registry[type[Attack]] = Registry(
    "attack",
    {
        "record-linkage": ".record_linkage:RecordLinkage",
        "distance-linkage": ".distance:DistanceLinkage",
        "homogeneity": ".attribute_linkage:Homogeneity",
        "background-knowledge": ".attribute_linkage:BackgroundKnowledge",
        "skewness": ".attribute_linkage:Skewness",
        "similarity": ".attribute_linkage:Similarity",
        "presence": ".presence:TableLinkage",
        "probabilistic": ".attribute_linkage:Belief",
        "corruption": ".attribute_linkage:Corruption",
        "minimality": ".minimality:Minimality",
        "unsorted-matching": ".joining:UnsortedMatching",
        "join": ".joining:Join",
        "projections": ".joining:Projections",
        "tracker": ".tracker:Tracker",
        "duplicate": ".presence:Duplicate",
        "complementary": ".several_releases:Complementary",
        "temporal": ".several_releases:Temporal",
        "intersection": ".several_releases:Intersection",
        "differencing": ".several_releases:Differencing",
        "averaging": ".averaging:Averaging",
        "definetti": ".definetti:DeFinetti",
        "singling-out": ".synthetic:SinglingOut",
        "linkability": ".synthetic:Linkability",
        "inference": ".synthetic:Inference",
        "membership": ".presence:Membership",
    },
    home=__name__,
    listed="attacks",
    guide="attacks",
    plugins="cobogo.attacks",
    base=".base:Attack",
)
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

    A release is a directory that Cobogó wrote, a `Release`, or a file or a frame with a ``policy`` that gives the roles
    of its columns. ``options`` are those of the attack, ``threshold`` among them.
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
    """Run an attack on a case; refuse a case that lacks something."""
    lacking = chosen.lacks(case)
    if lacking is not None:
        raise PolicyError(
            tr("the attack {lacking}", lacking=lacking), where=chosen.name, remedy=tr("See `cobogo attack --help`.")
        )
    return chosen.run(case)


def build(name: str, options: Mapping[str, Any]) -> Attack:
    """Build an attack by its name and its options, which are values or their texts.

    >>> build("duplicate", {"threshold": "0.9"})
    Duplicate(threshold=0.9)
    """
    found: Attack = ATTACKS.build(name, options, texts=True)
    return found
