"""Attacks that find where people live and work, and whose address that is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from cobogo.floor.arrays import Floats, Ints
from cobogo.floor.catalogue import card
from cobogo.floor.language import tr
from cobogo.locate.attacks.base import LocationAttack, LocationFindings, Scene, share
from cobogo.locate.attacks.inference import (
    SPOT,
    fullest_spot,
    likeliest_place,
    points_of_people,
    rows_by_person,
    sent_positions,
)
from cobogo.locate.places.geometry import Frame, distance
from cobogo.locate.places.points import Points

DAY = 86_400.0
THURSDAY = 3
"""The first of January 1970."""

Hours = Callable[[Floats, float], NDArray[np.bool_]]
"""A predicate of times, on a clock so many hours from UTC."""


def is_night(time: Floats, hours_from_utc: float = 0.0) -> NDArray[np.bool_]:
    """Whether times are between ten in the evening and six in the morning."""
    hour = (time / 3600 + hours_from_utc) % 24
    return np.asarray((hour >= 22) | (hour < 6))


def is_working_hour(time: Floats, hours_from_utc: float = 0.0) -> NDArray[np.bool_]:
    """Whether times are between nine and five, Monday to Friday."""
    local = time / 3600 + hours_from_utc
    hour, day = local % 24, (np.floor(local / 24) + THURSDAY) % 7
    return np.asarray((hour >= 9) & (hour < 17) & (day < 5))


def guess_places(scene: Scene, rows: NDArray[np.bool_], near: float, fewest: int) -> tuple[Ints, Points]:
    """For each person with at least ``fewest`` reports among ``rows``, the place from which most of them come: in a
    spot of ``near`` metres, or as wide as the mechanism's usual noise, which is public. One position of a set is exact,
    so that spots of sets are narrow: wide ones would collect dummies."""
    if scene.released.members is not None:
        points, report = sent_positions(scene.released)
        each = max(len(points) // max(len(scene.released.points), 1), 1)
        return favourite_places(points, rows[report], max(SPOT, scene.quality_loss), fewest * each)
    if scene.released.box is None:
        return favourite_places(scene.reports, rows, max(near, scene.quality_loss), fewest)
    user, time = scene.reports.user, scene.reports.time
    assert user is not None
    assert time is not None
    places, people = [], []
    for mine in rows_by_person(user, np.flatnonzero(rows)):
        if len(mine) >= fewest:
            hourly = mine[np.unique(np.floor(time[mine] / 3600), return_index=True)[1]]
            places.append(likeliest_place(scene, hourly, near))
            people.append(int(user[mine[0]]))
    found = points_of_people(places, people, scene.reports.names)
    assert found.user is not None
    return found.user, found


def favourite_places(points: Points, rows: NDArray[np.bool_], near: float, fewest: int) -> tuple[Ints, Points]:
    """For each person with at least ``fewest`` points among ``rows``, the median of their densest spot.

    The densest spot is the fullest of square cells of ``near`` metres, together with the eight around it. An hour
    counts once in a cell, so that one long evening of reports does not outweigh a month of nights.
    """
    assert points.user is not None
    assert points.time is not None
    frame = Frame.from_points(points.lon, points.lat) if len(points) else Frame(0.0, 0.0)
    places, people = [], []
    for mine in rows_by_person(points.user, np.flatnonzero(rows)):
        if len(mine) < fewest:
            continue
        x, y = frame.metres(points.lon[mine], points.lat[mine])
        hour = np.floor(points.time[mine] / 3600)
        keep = np.unique(np.stack([hour, np.floor(x / near), np.floor(y / near)]), axis=1, return_index=True)[1]
        place = fullest_spot(x, y, near, keep)
        there = frame.degrees([place[0]], [place[1]])
        places.append((float(there[0][0]), float(there[1][0])))
        people.append(int(points.user[mine[0]]))
    found = points_of_people(places, people, points.names)
    assert found.user is not None
    return found.user, found


@card(
    "home-and-work",
    title="home and work",
    knows="the hours at which people sleep and work",
    finds="homes found within 250 m",
)
@dataclass(frozen=True)
class HomeAndWork(LocationAttack):
    r"""Where does a person live, and where do they work? The places from which they report at night and in working
    hours.

    The attacker knows at which hours people sleep and work. The attack finds the densest spot of the nights and that of
    the working hours, hour by hour, and guesses the median of the positions that were sent around it. A spot is as wide
    as the mechanism's usual noise, which is public. Of regions, it takes the part that most of them have in common.

    Formula: $\hat{h} = \mathrm{median}\{z_t : z_t \text{ near the densest spot},\; t \text{ at night}\}$
    Example:
        >>> from cobogo.locate.mechanisms import PlanarLaplace
        >>> from cobogo.studies.worked_examples import attack_city
        >>> attack_city(HomeAndWork(), PlanarLaplace(1.0)).success
        1.0

    Guarantee: None: an attack finds people, it does not protect them. It helps to draw one noisy report for home and
        one for work, and to send only those for ever.
    Limits: The attack assumes that everybody sleeps at night.
    Cost: $O(n \log n)$ for n reports.
    Paper: J. Krumm, Inference attacks on location tracks, Pervasive 2007; P. Golle and K. Partridge, On the anonymity
        of home/work location pairs, Pervasive 2009.
    """

    within: float = 250.0
    near: float = 300.0  # metres: the width of a spot
    fewest: int = 3  # reports, for a guess

    knows: ClassVar[str] = "the hours at which people sleep and work"
    measures: ClassVar[str] = "homes found within 250 metres, or `within`"
    needs: ClassVar[frozenset[str]] = frozenset({"users", "times"})

    def run(self, scene: Scene) -> LocationFindings:
        """Guess homes and works from the reports, and compare with those of the true points."""
        home = self._attack(scene, is_night)
        work = self._attack(scene, is_working_hour)
        return self.findings(
            share(home.error <= self.within),
            len(home.error),
            baseline=scene.blind_success(home.real, self.within),
            error=home.error,
            guesses=home.guesses,
            figures={
                "works": len(work.error),
                "works_found": share(work.error <= self.within),
                "works_anybody_finds": scene.blind_success(work.real, self.within),
                "work_error": float(work.error.mean()) if len(work.error) else None,
                "quality_loss": scene.quality_loss,
            },
            notes=() if len(home.error) else (tr("no person reports at night"),),
        )

    def _attack(self, scene: Scene, hours: Hours) -> FoundPlaces:
        return find_places(scene, hours, self.near, self.fewest)


@dataclass(frozen=True, eq=False)
class FoundPlaces:
    """True places of people at some hours, and the attacker's guesses."""

    real: Points
    guesses: Points

    @property
    def error(self) -> Floats:
        """Metres by which each guess is off."""
        return self.real.distance(self.guesses)


def find_places(scene: Scene, hours: Hours, near: float, fewest: int) -> FoundPlaces:
    """The places of people who report often enough at some hours. Reports may be later than their points: some wait."""
    assert scene.truth.time is not None
    assert scene.reports.time is not None
    true_rows, rows = (hours(one.time, scene.hours_from_utc) for one in (scene.truth, scene.reports))  # type: ignore[arg-type]
    real, places = favourite_places(scene.truth, true_rows, near, fewest)
    who, guesses = guess_places(scene, rows, near, fewest)
    _, mine, theirs = np.intersect1d(real, who, return_indices=True)
    return FoundPlaces(places.take(mine), guesses.take(theirs))


@card(
    "context-linking",
    title="context linking",
    knows="a list of addresses, and the hours at which people sleep",
    finds="people whose address is found",
)
@dataclass(frozen=True)
class ContextLinking(LocationAttack):
    r"""Whose name is on the door? The home that the reports reveal is looked up in a list of addresses.

    The attacker has a list of places with names of people, such as an address book or the register of a clinic. The
    attack finds the home of each pseudonym as `home-and-work` does, and takes the nearest entry. It succeeds if that is
    the entry nearest to the true home. ``candidates`` says how many entries are as near: the person hides among so
    many.

    Formula: $\arg\min_{a \in A} d(a, \hat{h})$ over the list $A$, with the home $\hat{h}$ that the reports tell of
    Example: The address book has the places where people were at midnight.
        >>> from cobogo.locate.mechanisms import PlanarLaplace
        >>> from cobogo.studies.worked_examples import city, attack_city
        >>> book = city().take(city().time == city().time[0])
        >>> attack_city(ContextLinking(), PlanarLaplace(1.0), places=book).success > 0.9
        True

    Guarantee: None: an attack finds people, it does not protect them. A person who shares a home with many others hides
        among them.
    Limits: The same as for `home-and-work`.
    Cost: $O(p\,a)$ for p people and a entries.
    Paper: B. Hoh, M. Gruteser, H. Xiong and A. Alrabady, Enhancing security and privacy in traffic-monitoring systems,
        IEEE Pervasive Computing, 2006.
    """

    near: float = 300.0
    fewest: int = 3

    knows: ClassVar[str] = "a list of addresses, and the hours at which people sleep"
    measures: ClassVar[str] = "people whose address is found"
    needs: ClassVar[frozenset[str]] = frozenset({"users", "times", "places"})

    def run(self, scene: Scene) -> LocationFindings:
        """Look up everybody's guessed home."""
        assert scene.places is not None
        places = find_places(scene, is_night, self.near, self.fewest)
        homes, guesses = places.real, places.guesses
        book = scene.places
        hit, rank = [], []
        for home_lon, home_lat, lon, lat in zip(homes.lon, homes.lat, guesses.lon, guesses.lat, strict=True):
            entry = int(distance(home_lon, home_lat, book.lon, book.lat).argmin())
            away = distance(lon, lat, book.lon, book.lat)
            rank.append(int((away < away[entry]).sum()) + 1)
            hit.append(rank[-1] == 1)
        return self.findings(
            share(hit),
            len(hit),
            error=places.error,
            guesses=guesses,
            baseline=1 / max(len(book), 1),
            figures={"addresses": len(book), "candidates": float(np.median(rank)) if rank else None},
            notes=() if hit else (tr("no person reports at night"),),
        )
