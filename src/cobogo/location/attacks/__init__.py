"""Attacks on location privacy, each returning what it finds. See `cobogo.location.attacks.base` for the contract."""

from __future__ import annotations

from cobogo.location.attacks.base import Attack, Findings, Scene
from cobogo.location.attacks.cloaks import CentreOfCloak, IntersectionOfCloaks
from cobogo.location.attacks.context import ContextLinking
from cobogo.location.attacks.homes import HomeAndWork
from cobogo.location.attacks.identification import Identification
from cobogo.location.attacks.long import LongObservation
from cobogo.location.attacks.mixing import MixZoneLinkage
from cobogo.location.attacks.presence import Presence
from cobogo.location.attacks.short import ShortObservation
from cobogo.location.attacks.together import AggregatedPresence
from cobogo.location.attacks.tracking import Tracking
from cobogo.location.attacks.trilateration import Trilateration

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
