"""Reports and a list that everybody can have."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from cobogo.locate.attacks.base import Attack, Findings, Scene, share
from cobogo.locate.attacks.homes import at_night, places_found
from cobogo.locate.places.geometry import distance


@dataclass(frozen=True)
class ContextLinking(Attack):
    r"""Whose name is on the door? The home that the reports tell of is looked up in a list of addresses.

    The attacker has a list of places that names people: an address book, the register of a clinic. Finds each
    pseudonym's home as home-and-work does and takes the nearest entry; success is that it is the entry nearest to the
    true home. ``candidates`` tells how many entries lie as near: among so many the person hides.

    Formula: $\arg\min_{a \in A} d(a, \hat{h})$ over the list $A$, with the home $\hat{h}$ that the reports tell of
    Example: The address book is where people were at midnight.
        >>> from cobogo.locate.mechanisms import PlanarLaplace
        >>> from cobogo.studies.worked import city, observed
        >>> book = city().take(city().time == city().time[0])
        >>> observed(ContextLinking(), PlanarLaplace(1.0), places=book).success > 0.9
        True

    Guarantee: None: an attack finds, it does not protect. Whoever shares a home with many hides among them.
    Limits: As of home-and-work.
    Cost: $O(p\,a)$ for p people and a entries.
    Paper: B. Hoh, M. Gruteser, H. Xiong and A. Alrabady, Enhancing security and privacy in traffic-monitoring systems,
        IEEE Pervasive Computing, 2006.
    """

    near: float = 300.0
    fewest: int = 3

    name: ClassVar[str] = "context-linking"
    knows: ClassVar[str] = "a list of addresses, and the hours at which people sleep"
    measures: ClassVar[str] = "people whose address is found"
    needs: ClassVar[frozenset[str]] = frozenset({"users", "times", "places"})

    def run(self, scene: Scene) -> Findings:
        """Look everybody up."""
        assert scene.places is not None
        told = places_found(scene, at_night, self.near, self.fewest)
        homes, guesses = told.real, told.guesses
        book = scene.places
        hit, rank = [], []
        for home_lon, home_lat, lon, lat in zip(homes.lon, homes.lat, guesses.lon, guesses.lat, strict=True):
            entry = int(distance(home_lon, home_lat, book.lon, book.lat).argmin())
            away = distance(lon, lat, book.lon, book.lat)
            rank.append(int((away < away[entry]).sum()) + 1)
            hit.append(rank[-1] == 1)
        return self.found(
            share(hit),
            len(hit),
            error=told.error,
            guesses=guesses,
            baseline=1 / max(len(book), 1),
            figures={"addresses": len(book), "candidates": float(np.median(rank)) if rank else None},
            notes=() if hit else ("nobody reports at night",),
        )
