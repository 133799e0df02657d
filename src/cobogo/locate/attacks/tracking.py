"""A sequence of reports, seen together."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from cobogo.floor.arrays import Floats, Ints
from cobogo.locate.attacks.base import Attack, Findings, Scene, share
from cobogo.locate.attacks.kernels import smoothed
from cobogo.locate.attacks.likelihood import Likelihood, likelihood_of
from cobogo.locate.attacks.markov import Markov, usual_speed
from cobogo.locate.attacks.posterior import How, guess
from cobogo.locate.metrics import entropy
from cobogo.locate.places.points import Points

LONGEST = 400
"""Reports of a stretch that is worked through at once."""

ANYWHERE = 1e-4
"""The chance, at each step, that somebody is where the model cannot lead: by a train, or under a bridge."""

APART = 1800.0
"""Seconds without a report after which a person is looked for anew."""

MOST_STEPS = 30
"""Steps between two reports: after more than that a wanderer may be anywhere."""


def track(likelihood: Likelihood, markov: Markov, prior: Floats, rows: Ints, time: Floats) -> Floats:
    """Pr(cell | every report of the stretch) for each of some reports of one person, in the order of time."""
    logs = likelihood.logs(rows)
    best = logs.max(axis=1, keepdims=True)
    lost = ~np.isfinite(best[:, 0])
    if lost.any():
        logs[lost] = likelihood.nearness(rows)[lost]
        best = logs.max(axis=1, keepdims=True)
    clock = np.round((time - time[0]) / markov.step)  # of the whole stretch, so that short gaps add up
    steps = np.clip(np.diff(clock, prepend=0.0), 0, MOST_STEPS).astype(np.int64)
    found = smoothed(markov.starts, markov.ends, markov.chances, ANYWHERE, prior, np.exp(logs - best), steps)
    return np.asarray(found, dtype=np.float64)


@dataclass(frozen=True)
class Tracking(Attack):
    r"""Where did somebody go? Forward–backward over a Markov model of movement.

    The attacker knows the mechanism, that reports are of one person, and how people move: learned from movements known
    from elsewhere where there are any, otherwise only that nobody is fast.

    Formula: $\Pr[x_t \mid z_1 \ldots z_T] \propto \alpha_t(x)\,\beta_t(x)$ with $\alpha_t(x) = k(z_t \mid x) \sum_{x'}
        \alpha_{t-1}(x')\,P(x \mid x')$
    Example:
        >>> from cobogo.locate.mechanisms import PlanarLaplace
        >>> from cobogo.studies.worked import city, observed
        >>> observed(Tracking(), PlanarLaplace(1.0), city(2)).success > 0.9
        True

    Guarantee: None: an attack finds, it does not protect. Reporting less often helps, or the same report again: see
        predictive.
    Limits: First-order chains forget where somebody came from.
    Cost: $O(n\,e)$ for n reports and the e transitions of the model.
    Paper: R. Shokri, G. Theodorakopoulos, J.-Y. Le Boudec and J.-P. Hubaux, Quantifying location privacy, IEEE
        Symposium on Security and Privacy, 2011; L. R. Rabiner 1989 for the algorithm.
    """

    how: How | None = None  # the mean, unless said; of sets the likeliest place: between dummies nobody is
    step: float | None = None  # seconds of a step of the model; what lies between two reports, unless said
    speed: float | None = None  # metres a second that people make; as they do in what is known, unless said
    within: float = 100.0

    name: ClassVar[str] = "tracking"
    knows: ClassVar[str] = "the mechanism, whose reports they are, and how people move"
    measures: ClassVar[str] = "guesses within a hundred metres, or what `within` says"
    needs: ClassVar[frozenset[str]] = frozenset({"users", "times"})

    def run(self, scene: Scene) -> Findings:
        """Follow every person."""
        law = likelihood_of(scene.released, scene.grid, scene.mechanism, scene.known)
        speed = self.speed or usual_speed(scene.known)
        step = self.step or _between(scene.reports)
        markov = (
            Markov.wandering(scene.grid, step=step, speed=speed)
            if scene.background is None
            else Markov.learned(scene.background, scene.grid, step=step, speed=speed)
        )
        reports = scene.reports
        assert reports.user is not None
        assert reports.time is not None
        count = len(reports)
        lon, lat, unsure = np.empty(count), np.empty(count), np.empty(count)
        how = self.how or ("mean" if scene.released.members is None else "map")
        for rows in stretches(reports.user, reports.time, apart=max(APART, 2 * step)):
            chances = track(law, markov, scene.chances, rows, reports.time[rows])
            lon[rows], lat[rows] = guess(chances, scene.grid, how)
            unsure[rows] = entropy(chances)
        guesses = scene.reports if scene.at_their_word else scene.truth.at(lon, lat)
        error = scene.truth.distance(guesses)
        return self.found(
            share(error <= self.within),
            count,
            baseline=scene.blind(scene.truth, self.within),
            error=error,
            guesses=guesses,
            figures={"uncertainty_bits": float(unsure.mean()), "quality_loss": scene.quality_loss},
        )


def _between(reports: Points) -> float:
    """Seconds from a report to the next of the same person, usually."""
    ordered = reports.ordered()
    assert ordered.user is not None
    assert ordered.time is not None
    gap = np.diff(ordered.time)[np.diff(ordered.user) == 0]
    return float(np.clip(np.median(gap[gap > 0]), 1.0, 3600.0)) if (gap > 0).any() else 60.0


def stretches(user: Ints, time: Floats, longest: int = LONGEST, apart: float = np.inf) -> list[Ints]:
    """The rows of each person in the order of time, cut where there are too many for one go, or nothing for long."""
    order = np.lexsort((time, user))
    new = (np.diff(user[order], prepend=-1) != 0) | (np.diff(time[order], prepend=-np.inf) > apart)
    people = np.split(order, np.flatnonzero(new)[1:])
    return [rows[start : start + longest] for rows in people for start in range(0, len(rows), longest)]
