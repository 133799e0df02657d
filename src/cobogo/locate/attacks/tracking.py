"""Tracking: where somebody went, from all their reports together and a Markov chain of how people move.

The chain has sparse rows, learned from movements or assumed. Beliefs run forward and backward along it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, get_args

import numpy as np

from cobogo.floor.arguments import choice
from cobogo.floor.arrays import Floats, Ints
from cobogo.floor.catalogue import card
from cobogo.floor.kernels import kernel
from cobogo.locate.attacks.base import Ground, LocationAttack, LocationFindings, Scene, Spots, share
from cobogo.locate.attacks.inference import How, Likelihood, guess, likelihood_of
from cobogo.locate.metrics import entropy
from cobogo.locate.places.geometry import distance
from cobogo.locate.places.points import Points

WALK = 1.5
"""Metres a second that people make on average, stops included: a walk."""


@dataclass(frozen=True, eq=False)
class Markov:
    """Probabilities of the next cell after ``step`` seconds, as sparse rows: from cell x to ``ends[starts[x]:starts[x +
    1]]``."""

    grid: Ground
    step: float
    starts: Ints
    ends: Ints
    probabilities: Floats

    @classmethod
    def assume(cls, grid: Ground, *, step: float = 60.0, speed: float = WALK, far: float = 2.0) -> Markov:
        """A chain without knowledge of movements: the probability of a step falls off exponentially with its length.
        Steps have ``speed`` times ``step`` metres on average, and ``far`` times that at most."""
        reach = max(speed * step / 2, grid.size / 2)
        if isinstance(grid, Spots):
            return cls._assume_on_spots(grid, step, reach, far)
        side = max(int(np.ceil(far * 2 * reach / grid.size)), 1)
        dy, dx = (part.ravel() for part in np.mgrid[-side : side + 1, -side : side + 1])
        weight = np.exp(-np.hypot(dx, dy) * grid.size / reach)
        row, column = np.divmod(np.arange(grid.cells), grid.columns)
        to_row, to_column = row[:, None] + dy, column[:, None] + dx
        inside = (to_row >= 0) & (to_row < grid.rows) & (to_column >= 0) & (to_column < grid.columns)
        ends = (to_row * grid.columns + to_column)[inside]
        weights = np.broadcast_to(weight, inside.shape)[inside]
        starts = np.concatenate([[0], np.cumsum(inside.sum(axis=1))])
        return cls(grid, step, starts, ends, _normalize(starts, weights))

    @classmethod
    def _assume_on_spots(cls, spots: Spots, step: float, reach: float, far: float) -> Markov:
        """The chain of `assume` between spots: to those within reach, and always to the nearest few, so that every spot
        can be left."""
        near, few = max(far * 2 * reach, spots.size), min(9, spots.cells)
        pairs = spots.tree.query_pairs(near, output_type="ndarray")
        others = spots.tree.query(spots.tree.data, k=few)[1]
        own = np.repeat(np.arange(spots.cells), few)
        one = np.concatenate([pairs[:, 0], pairs[:, 1], own])
        other = np.concatenate([pairs[:, 1], pairs[:, 0], np.reshape(others, -1)])
        key = np.unique(one * np.int64(spots.cells) + other)
        one, other = np.divmod(key, spots.cells)
        east, north = spots.metres()
        metres = np.hypot(east[one] - east[other], north[one] - north[other])
        starts = np.searchsorted(one, np.arange(spots.cells + 1)).astype(np.int64)
        return cls(spots, step, starts, other, _normalize(starts, np.exp(-metres / reach)))

    @classmethod
    def learn(
        cls, points: Points, grid: Ground, *, step: float = 60.0, strength: float = 1.0, speed: float = WALK
    ) -> Markov:
        """A chain from known movements: how often people in a cell were in another one a step later. The chain of
        `assume` is added with the weight of ``strength`` visits a cell."""
        from scipy import sparse

        wander = cls.assume(grid, step=step, speed=speed)
        before, after = step_pairs(points, grid, step)
        shape = (grid.cells, grid.cells)
        known = sparse.csr_array((np.ones(len(before)), (before, after)), shape=shape)
        assumed = sparse.csr_array((wander.probabilities * strength, wander.ends, wander.starts), shape=shape)
        both = sparse.csr_array(known + assumed)
        both.sort_indices()
        starts, ends = both.indptr.astype(np.int64), both.indices.astype(np.int64)
        return cls(grid, step, starts, ends, _normalize(starts, both.data))


def usual_speed(points: Points) -> float:
    """The speed in metres a second that one step in ten exceeds, among steps in which people move."""
    ordered = points.sort()
    if ordered.time is None or len(ordered) < 2:
        return WALK
    gap = np.diff(ordered.time)
    same = (gap > 0) & (gap <= 1800)
    if ordered.user is not None:
        same &= np.diff(ordered.user) == 0
    far = distance(ordered.lon[:-1], ordered.lat[:-1], ordered.lon[1:], ordered.lat[1:])
    speed = far[same] / gap[same]
    moving = speed[speed > 0.2]
    return float(np.clip(np.quantile(moving, 0.9), 0.5, 40.0)) if len(moving) else WALK


def step_pairs(points: Points, grid: Ground, step: float) -> tuple[Ints, Ints]:
    """Pairs of cells of one person that are a step apart, give or take half a step."""
    ordered = points.sort()
    if ordered.time is None or len(ordered) < 2:
        return np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64)
    cells = grid.cell_of(ordered.lon, ordered.lat)
    person = np.zeros(len(ordered), dtype=np.int64) if ordered.user is None else ordered.user
    clock = ordered.time - ordered.time.min()
    span = float(clock.max()) + 4 * step
    line = clock + person * span  # people one after the other, too far apart to meet
    later = np.minimum(np.searchsorted(line, line + step), len(line) - 1)
    gap = line[later] - line
    good = (gap >= step / 2) & (gap <= step * 1.5) & (cells >= 0) & (cells[later] >= 0)
    return cells[good], cells[later][good]


def _normalize(starts: Ints, weights: Floats) -> Floats:
    totals = np.add.reduceat(weights, starts[:-1])
    return np.asarray(weights / np.repeat(totals, np.diff(starts)), dtype=np.float64)


NEGLIGIBLE = 1e-8
"""Beliefs below this are not followed further: it keeps the kernels sparse, and changes no guess."""


@kernel()
def _step_forward(starts, ends, probabilities, anywhere, prior, now, after):  # type: ignore[no-untyped-def]
    """One step of the chain, after = now · P, which begins anew with probability ``anywhere``."""
    after[:] = anywhere * prior
    for cell in range(len(now)):
        mass = now[cell]
        if mass > NEGLIGIBLE:
            for place in range(starts[cell], starts[cell + 1]):
                after[ends[place]] += (1.0 - anywhere) * mass * probabilities[place]


@kernel()
def _step_back(starts, ends, probabilities, anywhere, prior, later, before, wanted):  # type: ignore[no-untyped-def]
    """One step backwards, before = P · later, for cells that are ``wanted``."""
    new = 0.0
    for cell in range(len(later)):
        new += anywhere * prior[cell] * later[cell]
    for cell in range(len(later)):
        total = 0.0
        if wanted[cell] > NEGLIGIBLE:
            for place in range(starts[cell], starts[cell + 1]):
                total += probabilities[place] * later[ends[place]]
        before[cell] = new + (1.0 - anywhere) * total


@kernel()
def smooth(starts, ends, probabilities, anywhere, prior, seen, steps):  # type: ignore[no-untyped-def]  # noqa: PLR0912
    """Pr(x_t | all reports) by forward–backward, scaled at each report.

    ``seen[t, x]`` is the likelihood of report t in cell x up to a factor of its own; ``steps[t]`` how many steps of the
    chain lie between reports t − 1 and t; at each of them the person may be ``anywhere`` with that probability.
    """
    count, cells = seen.shape
    belief = np.empty((count, cells))
    one, two = np.empty(cells), np.empty(cells)
    for t in range(count):
        if t == 0:
            one[:] = prior
        else:
            one[:] = belief[t - 1]
            for _ in range(steps[t]):
                _step_forward(starts, ends, probabilities, anywhere, prior, one, two)
                one, two = two, one
        total = 0.0
        for cell in range(cells):
            one[cell] *= seen[t, cell]
            total += one[cell]
        if total > 0.0:
            for cell in range(cells):
                belief[t, cell] = one[cell] / total
        else:  # impossible by the chain: believe the report alone
            total = 0.0
            for cell in range(cells):
                one[cell] = prior[cell] * seen[t, cell]
                total += one[cell]
            for cell in range(cells):
                belief[t, cell] = one[cell] / total if total > 0.0 else prior[cell]
    later, everywhere = np.ones(cells), np.ones(cells)
    for t in range(count - 2, -1, -1):
        top = 0.0
        for cell in range(cells):
            one[cell] = later[cell] * seen[t + 1, cell]
            top = max(top, one[cell])
        if top > 0.0:
            for cell in range(cells):
                one[cell] /= top
        for step in range(steps[t + 1]):
            last = step == steps[t + 1] - 1
            _step_back(starts, ends, probabilities, anywhere, prior, one, two, belief[t] if last else everywhere)
            one, two = two, one
        total = 0.0
        for cell in range(cells):
            total += belief[t, cell] * one[cell]
        if total > 0.0:
            later[:] = one
            for cell in range(cells):
                belief[t, cell] = belief[t, cell] * one[cell] / total
        else:
            later[:] = 1.0
    return belief


LONGEST = 400
"""Reports that are smoothed at once: their beliefs are all in memory."""

ANYWHERE = 1e-4
"""The probability, at each step, that somebody is where the chain cannot lead, by a train or after a gap."""

APART = 1800.0
"""Seconds without a report after which tracking begins anew."""

MOST_STEPS = 30
"""Steps of the chain between two reports, at most: after more than that a person may be anywhere."""


def track(likelihood: Likelihood, markov: Markov, prior: Floats, rows: Ints, time: Floats) -> Floats:
    """Pr(cell | all these reports) for each of some reports of one person, in the order of time."""
    logs = likelihood.logs(rows)
    best = logs.max(axis=1, keepdims=True)
    lost = ~np.isfinite(best[:, 0])
    if lost.any():
        logs[lost] = likelihood.nearness(rows)[lost]
        best = logs.max(axis=1, keepdims=True)
    clock = np.round((time - time[0]) / markov.step)  # steps since the first report, so that short gaps add up
    steps = np.clip(np.diff(clock, prepend=0.0), 0, MOST_STEPS).astype(np.int64)
    found = smooth(markov.starts, markov.ends, markov.probabilities, ANYWHERE, prior, np.exp(logs - best), steps)
    return np.asarray(found, dtype=np.float64)


@card(
    "tracking", knows="the mechanism, which person sent the reports, and how people move", finds="guesses within 100 m"
)
@dataclass(frozen=True)
class Tracking(LocationAttack):
    r"""Where did a person go? The forward–backward algorithm over a Markov model of movement.

    The attacker knows the mechanism, that the reports come from one person, and how people move. The model of movement
    is learned from known movements if there are any; otherwise the attacker only knows that people are not fast.

    Formula: $\Pr[x_t \mid z_1 \ldots z_T] \propto \alpha_t(x)\,\beta_t(x)$ with $\alpha_t(x) = k(z_t \mid x) \sum_{x'}
        \alpha_{t-1}(x')\,P(x \mid x')$
    Example:
        >>> from cobogo.locate.mechanisms import PlanarLaplace
        >>> from cobogo.studies.worked_examples import city, attack_city
        >>> attack_city(Tracking(), PlanarLaplace(1.0), city(2)).success > 0.9
        True

    Guarantee: None: an attack finds people, it does not protect them. It helps to report less often, or to send the
        same report again: see `predictive`.
    Limits: A first-order chain does not remember where a person came from.
    Cost: $O(n\,e)$ for n reports and the e transitions of the model.
    Paper: R. Shokri, G. Theodorakopoulos, J.-Y. Le Boudec and J.-P. Hubaux, Quantifying location privacy, IEEE
        Symposium on Security and Privacy, 2011; L. R. Rabiner 1989 for the algorithm.
    """

    how: How | None = None  # the mean, unless said; of sets the likeliest place: between dummies nobody is
    step: float | None = None  # seconds of a step of the model; what lies between two reports, unless said
    speed: float | None = None  # metres a second that people make; as they do in what is known, unless said
    within: float = 100.0

    knows: ClassVar[str] = "the mechanism, which person sent the reports, and how people move"
    measures: ClassVar[str] = "guesses within a hundred metres, or what `within` says"
    needs: ClassVar[frozenset[str]] = frozenset({"users", "times"})

    def __post_init__(self) -> None:
        if self.how is not None:
            choice(self.name, "how", self.how, get_args(How))

    def run(self, scene: Scene) -> LocationFindings:
        """Follow every person."""
        law = likelihood_of(scene.released, scene.grid, scene.mechanism, scene.known)
        markov = chain_of(scene, self.step, self.speed)
        reports = scene.reports
        assert reports.user is not None
        assert reports.time is not None
        count = len(reports)
        lon, lat, unsure = np.empty(count), np.empty(count), np.empty(count)
        how = self.how or ("mean" if scene.released.members is None else "map")
        for rows in stretches(reports.user, reports.time, apart=max(APART, 2 * markov.step)):
            probabilities = track(law, markov, scene.probabilities, rows, reports.time[rows])
            lon[rows], lat[rows] = guess(probabilities, scene.grid, how)
            unsure[rows] = entropy(probabilities)
        guesses = scene.reports if scene.takes_reports_as_true else scene.truth.move_to(lon, lat)
        error = scene.truth.distance(guesses)
        return self.findings(
            share(error <= self.within),
            count,
            baseline=scene.blind_success(scene.truth, self.within),
            error=error,
            guesses=guesses,
            figures={"uncertainty_bits": float(unsure.mean()), "quality_loss": scene.quality_loss},
        )


def chain_of(scene: Scene, step: float | None = None, speed: float | None = None) -> Markov:
    """How people of a scene move: learned from the background, or assumed; the step and the speed are those of the
    scene, unless given."""
    speed, step = speed or usual_speed(scene.known), step or _usual_gap(scene.reports)
    if scene.background is None:
        return Markov.assume(scene.grid, step=step, speed=speed)
    return Markov.learn(scene.background, scene.grid, step=step, speed=speed)


def _usual_gap(reports: Points) -> float:
    """The median of the seconds between two reports of a person."""
    ordered = reports.sort()
    assert ordered.user is not None
    assert ordered.time is not None
    gap = np.diff(ordered.time)[np.diff(ordered.user) == 0]
    return float(np.clip(np.median(gap[gap > 0]), 1.0, 3600.0)) if (gap > 0).any() else 60.0


def stretches(user: Ints, time: Floats, longest: int = LONGEST, apart: float = np.inf) -> list[Ints]:
    """The rows of each person in the order of time, cut where there are more than ``longest``, or none for ``apart``
    seconds."""
    order = np.lexsort((time, user))
    new = (np.diff(user[order], prepend=-1) != 0) | (np.diff(time[order], prepend=-np.inf) > apart)
    people = np.split(order, np.flatnonzero(new)[1:])
    return [rows[start : start + longest] for rows in people for start in range(0, len(rows), longest)]
