"""Attacks on location privacy, each returning what it finds. See `cobogo.locate.attacks.base` for the contract."""

from __future__ import annotations

from cobogo.locate.attacks.base import Attack, Findings, Scene
from cobogo.locate.attacks.cloaks import CentreOfCloak, IntersectionOfCloaks
from cobogo.locate.attacks.context import ContextLinking
from cobogo.locate.attacks.homes import HomeAndWork
from cobogo.locate.attacks.identification import Identification
from cobogo.locate.attacks.long import LongObservation
from cobogo.locate.attacks.mixing import MixZoneLinkage
from cobogo.locate.attacks.presence import Presence
from cobogo.locate.attacks.short import ShortObservation
from cobogo.locate.attacks.together import AggregatedPresence
from cobogo.locate.attacks.tracking import Tracking
from cobogo.locate.attacks.trilateration import Trilateration

ATTACKS: dict[str, type[Attack]] = {
    attack.name: attack
    for attack in (
        ShortObservation,
        LongObservation,
        Tracking,
        HomeAndWork,
        Presence,
        Identification,
        AggregatedPresence,
        ContextLinking,
        CentreOfCloak,
        IntersectionOfCloaks,
        MixZoneLinkage,
        Trilateration,
    )
}
"""Every attack by its name."""

__all__ = [
    "ATTACKS",
    "AggregatedPresence",
    "Attack",
    "CentreOfCloak",
    "ContextLinking",
    "Findings",
    "HomeAndWork",
    "Identification",
    "IntersectionOfCloaks",
    "LongObservation",
    "MixZoneLinkage",
    "Presence",
    "Scene",
    "ShortObservation",
    "Tracking",
    "Trilateration",
]
