"""Attacks on location privacy, each returning what it finds. See `cobogo.locate.attacks.base` for the contract."""

from __future__ import annotations

from cobogo.locate.attacks.base import LocationAttack, LocationFindings, Scene
from cobogo.locate.attacks.crowds import CentreOfCloak, IntersectionOfCloaks, MixZoneLinkage
from cobogo.locate.attacks.homes import ContextLinking, HomeAndWork
from cobogo.locate.attacks.identification import Identification
from cobogo.locate.attacks.meetings import AggregatedPresence
from cobogo.locate.attacks.observation import LongObservation, ShortObservation
from cobogo.locate.attacks.presence import LocationPresence
from cobogo.locate.attacks.tracking import Tracking
from cobogo.locate.attacks.trilateration import Trilateration

ATTACKS: dict[str, type[LocationAttack]] = {
    attack.name: attack
    for attack in (
        ShortObservation,
        LongObservation,
        Tracking,
        HomeAndWork,
        LocationPresence,
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
    "CentreOfCloak",
    "ContextLinking",
    "HomeAndWork",
    "Identification",
    "IntersectionOfCloaks",
    "LocationAttack",
    "LocationFindings",
    "LocationPresence",
    "LongObservation",
    "MixZoneLinkage",
    "Scene",
    "ShortObservation",
    "Tracking",
    "Trilateration",
]
