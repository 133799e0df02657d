"""Attacks on location privacy, each returning what it finds. See `cobogo.locate.attacks.base` for the contract."""

from __future__ import annotations

from cobogo.floor.catalogue import Registry
from cobogo.locate.attacks.base import LocationAttack, LocationFindings, Scene
from cobogo.locate.attacks.crowds import CentreOfCloak, IntersectionOfCloaks, MixZoneLinkage
from cobogo.locate.attacks.homes import ContextLinking, HomeAndWork
from cobogo.locate.attacks.identification import Identification
from cobogo.locate.attacks.observation import LongObservation, SameOrigin, ShortObservation, Trilateration
from cobogo.locate.attacks.presence import AggregatedPresence, LocationPresence
from cobogo.locate.attacks.tracking import Tracking

ATTACKS: Registry[type[LocationAttack]] = Registry(
    "attack on locations",
    {
        "short-observation": ".observation:ShortObservation",
        "long-observation": ".observation:LongObservation",
        "same-origin": ".observation:SameOrigin",
        "tracking": ".tracking:Tracking",
        "home-and-work": ".homes:HomeAndWork",
        "presence-absence": ".presence:LocationPresence",
        "identification": ".identification:Identification",
        "aggregated-presence": ".presence:AggregatedPresence",
        "context-linking": ".homes:ContextLinking",
        "centre-of-cloak": ".crowds:CentreOfCloak",
        "intersection-of-cloaks": ".crowds:IntersectionOfCloaks",
        "mix-zone-linkage": ".crowds:MixZoneLinkage",
        "trilateration": ".observation:Trilateration",
    },
    home="cobogo.locate.attacks",
    listed="attacks",
    guide="location-attacks",
    remark="location",
    plugins="cobogo.location_attacks",
    base=".base:LocationAttack",
)
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
    "SameOrigin",
    "Scene",
    "ShortObservation",
    "Tracking",
    "Trilateration",
]
