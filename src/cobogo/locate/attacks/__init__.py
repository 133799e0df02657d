"""Attacks on location privacy, each returning what it finds. See `cobogo.locate.attacks.base` for the contract."""

from __future__ import annotations

from cobogo.floor.catalogue import Registry
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

ATTACKS: Registry[type[Attack]] = Registry(
    "attack on locations",
    {
        "short-observation": ".short:ShortObservation",
        "long-observation": ".long:LongObservation",
        "tracking": ".tracking:Tracking",
        "home-and-work": ".homes:HomeAndWork",
        "presence-absence": ".presence:Presence",
        "identification": ".identification:Identification",
        "aggregated-presence": ".together:AggregatedPresence",
        "context-linking": ".context:ContextLinking",
        "centre-of-cloak": ".cloaks:CentreOfCloak",
        "intersection-of-cloaks": ".cloaks:IntersectionOfCloaks",
        "mix-zone-linkage": ".mixing:MixZoneLinkage",
        "trilateration": ".trilateration:Trilateration",
    },
    home="cobogo.locate.attacks",
    listed="attacks",
    guide="location-attacks",
    remark="location",
    plugins="cobogo.location_attacks",
    base=".base:Attack",
)
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
