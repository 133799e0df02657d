"""Attacks on places: from one report alone, and from many reports of one place."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal, get_args

import numpy as np

from cobogo.floor.arguments import choice
from cobogo.floor.catalogue import card
from cobogo.floor.language import tr
from cobogo.locate.attacks.base import LocationAttack, LocationFindings, Scene, share
from cobogo.locate.attacks.hearing import (
    SPOT,
    geometric_median,
    likeliest_place,
    points_of_people,
    rows_by_person,
    sent_positions,
)
from cobogo.locate.attacks.inference import How, beliefs, blocks, guess, likelihood_of
from cobogo.locate.metrics import correctness, entropy
from cobogo.locate.places.geometry import Frame
from cobogo.locate.places.points import Points


@card(
    "short-observation",
    title="short observation",
    knows="the mechanism and how often each place is visited; one report at a time",
    finds="guesses within 100 m",
)
@dataclass(frozen=True)
class ShortObservation(LocationAttack):
    r"""Where was a person when they sent one report? Bayes' rule over a grid of places.

    The attacker knows the mechanism and how often each place is visited. The guess is the place with the smallest
    expected distance to the true one (``median``), the most probable place (``map``) or the mean.

    Formula: $\Pr[x \mid z] \propto \pi(x)\,k(z \mid x)$; the guess is $\arg\min_y \sum_x \Pr[x \mid z]\,d(x, y)$
    Example: Reports that are two metres off.
        >>> from cobogo.locate.mechanisms import PlanarLaplace
        >>> from cobogo.studies.worked_examples import attack_city
        >>> attack_city(ShortObservation(), PlanarLaplace(1.0)).success > 0.9
        True

    Guarantee: None: an attack finds people, it does not protect them. Geo-indistinguishability bounds what one report
        adds to what the attacker knows.
    Limits: The prior comes from the attacked people themselves unless another one is given: no attacker knows the city
        better. A guess is a cell, not a point.
    Cost: $O(n\,c)$ exponentials for n reports and c cells; for ``median``, one transform of the grid for each report.
    Paper: R. Shokri, G. Theodorakopoulos, J.-Y. Le Boudec and J.-P. Hubaux, Quantifying location privacy, IEEE
        Symposium on Security and Privacy, 2011.
    """

    how: How = "median"
    within: float = 100.0  # metres: a guess as near as this has found the person

    knows: ClassVar[str] = "the mechanism and how often each place is visited"
    measures: ClassVar[str] = "guesses within a hundred metres, or what `within` says"

    def __post_init__(self) -> None:
        choice(self.name, "how", self.how, get_args(How))

    def run(self, scene: Scene) -> LocationFindings:
        """Guess the place of every report on its own."""
        law = likelihood_of(scene.released, scene.grid, scene.mechanism, scene.known)
        count = len(scene.reports)
        lon, lat, unsure, off = np.empty(count), np.empty(count), np.empty(count), np.empty(count)
        for rows in blocks(count, scene.grid.cells):
            probabilities = beliefs(law, scene.probabilities, rows)
            lon[rows], lat[rows] = guess(probabilities, scene.grid, self.how)
            unsure[rows] = entropy(probabilities)
            off[rows] = correctness(probabilities, scene.grid, scene.truth.take(rows))
        guesses = scene.reports if scene.takes_reports_as_true else scene.truth.move_to(lon, lat)
        error = scene.truth.distance(guesses)
        return self.findings(
            share(error <= self.within),
            count,
            error=error,
            guesses=guesses,
            baseline=scene.blind_success(scene.truth, self.within),
            figures={
                "expected_error": float(off.mean()),
                "uncertainty_bits": float(unsure.mean()),
                "quality_loss": scene.quality_loss,
                "law_known": int(law.law != "learned"),
            },
        )


Way = Literal["frequency", "mean", "median"]


def middle_of(points: Points, how: Way = "mean") -> tuple[float, float]:
    """The middle of points: their mean, or their geometric median."""
    frame = Frame.from_points(points.lon, points.lat)
    east, north = frame.metres(points.lon, points.lat)
    x, y = geometric_median(east, north) if how == "median" else (float(east.mean()), float(north.mean()))
    lon, lat = frame.degrees([x], [y])
    return float(lon[0]), float(lat[0])


@card(
    "long-observation",
    title="long observation",
    knows="which reports were sent from the person’s most visited place, for example by the hour",
    finds="people whose most visited place is found within 100 m",
)
@dataclass(frozen=True)
class LongObservation(LocationAttack):
    r"""Where is the place from which a person reports again and again? Noise averages out, and dummies do not repeat.

    The attacker knows which reports a person sent from their most visited place (for example by the hour), but not
    where that place is. The attack finds the spot that most reports name, as wide as the mechanism's usual noise, and
    guesses the median of the positions that were sent around it. Of regions, it takes the part that most of them have
    in common. With ``how`` "mean" or "median" it takes the mean or the median of everything that was sent.

    Formula: $\arg\max_x \lvert\{i : x \text{ is among what report } i \text{ sent}\}\rvert$; the mean of $n$ planar
        Laplace reports is off by about $\frac{\sqrt{3 \pi / 2}}{\varepsilon \sqrt{n}}$ metres
    Example:
        >>> from cobogo.locate.mechanisms import PlanarLaplace
        >>> from cobogo.studies.worked_examples import attack_city
        >>> attack_city(LongObservation(), PlanarLaplace(1.0)).success
        1.0

    Guarantee: None: an attack finds people, it does not protect them. If a device draws one noisy report of a place and
        sends that same report for ever, the noise does not average out.
    Limits: The attack assumes that the noise is drawn anew for each report.
    Cost: $O(n)$ for n reports.
    Paper: None in particular: the law of large numbers; described in the surveys of location privacy.
    """

    how: Way = "frequency"
    within: float = 100.0
    fewest: int = 2  # reports of a place, for it to count as one that is reported from again and again

    knows: ClassVar[str] = "which reports were sent from the person's most visited place, for example by the hour"
    measures: ClassVar[str] = "people whose most visited place is found within a hundred metres, or `within`"
    needs: ClassVar[frozenset[str]] = frozenset({"users"})

    def __post_init__(self) -> None:
        choice(self.name, "how", self.how, get_args(Way))

    def run(self, scene: Scene) -> LocationFindings:
        """Guess everybody's most visited place."""
        truth = scene.truth
        assert truth.user is not None
        cells = scene.grid.nearest_cell(truth.lon, truth.lat)
        found, real, numbers, people = [], [], [], []
        for rows in rows_by_person(truth.user):
            favourite = np.bincount(cells[rows]).argmax()
            there = rows[cells[rows] == favourite]
            if len(there) < self.fewest:
                continue
            found.append(self._place(scene, there))
            real.append(middle_of(truth.take(there)))
            numbers.append(len(there))
            people.append(int(truth.user[there[0]]))
        guesses, places = points_of_people(found, people, truth.names), points_of_people(real, people, truth.names)
        error = guesses.distance(places)
        return self.findings(
            share(error <= self.within),
            len(found),
            baseline=scene.blind_success(places, self.within),
            error=error,
            guesses=guesses,
            figures={"reports_of_a_place": share(numbers), "quality_loss": scene.quality_loss},
            notes=() if found else (tr("no person reports twice from the same place"),),
        )

    def _place(self, scene: Scene, rows: np.ndarray) -> tuple[float, float]:
        if self.how == "frequency":
            return likeliest_place(scene, rows, max(SPOT, scene.quality_loss))
        points, report = sent_positions(scene.released)
        return middle_of(points.take(np.isin(report, rows)), self.how)
