"""Attacks on presence: was somebody at a sensitive place, such as a clinic, and who was there together?

`LocationPresence` decides it for every report, `AggregatedPresence` finds people who meet. `log_evidence` is what a
service learns that knows the sensitive places, where people of the city are in general, and how reports are made: how
much likelier a report is from somebody at such a place than from anybody in the city (a Bayes factor). The evidence of
reports under one name adds up.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, inf, log
from typing import Any, ClassVar

import numpy as np

from cobogo.floor.arrays import Floats
from cobogo.floor.catalogue import card
from cobogo.floor.language import tr
from cobogo.locate.attacks.base import Ground, LocationAttack, LocationFindings, Scene, share
from cobogo.locate.attacks.inference import beliefs, blocks, likelihood_of, rows_by_person, sent_positions
from cobogo.locate.crowds.cells import are_inside
from cobogo.locate.mechanisms.base import Released
from cobogo.locate.places.geometry import distance, wrap
from cobogo.locate.places.points import Points
from cobogo.locate.reports import Report


@card(
    "presence-absence",
    title="presence and absence",
    knows="the mechanism, how often each place is visited, and a place of interest",
    finds="area under the ROC curve: one half reveals nothing",
)
@dataclass(frozen=True)
class LocationPresence(LocationAttack):
    r"""Was a person at a sensitive place when they reported? The attacker's probability that they were within a radius
    of it.

    The attacker knows the mechanism and how often each place is visited. The attack says yes if the probability is
    above one half. The sensitive places are those that are given with the data or, without any, the most visited cell.

    Formula: $\Pr[d(x, s) \le r \mid z] = \sum_{x : d(x, s) \le r} \Pr[x \mid z]$; success is the area under the ROC
        curve, one half where nothing is told
    Example:
        >>> from cobogo.locate.mechanisms import PlanarLaplace
        >>> from cobogo.studies.worked_examples import attack_city
        >>> attack_city(LocationPresence(), PlanarLaplace(1.0)).success > 0.9
        True

    Guarantee: None: an attack finds people, it does not protect them. Noise much wider than the radius helps, and so do
        cloaks that include people who are elsewhere.
    Limits: The same as for `short-observation`.
    Cost: $O(n\,c)$ exponentials for n reports and c cells.
    Paper: R. Shokri, G. Theodorakopoulos, J.-Y. Le Boudec and J.-P. Hubaux, Quantifying location privacy, IEEE
        Symposium on Security and Privacy, 2011.
    """

    radius: float = 200.0  # metres

    knows: ClassVar[str] = "the mechanism, how often each place is visited, and a place of interest"
    measures: ClassVar[str] = "the area under the ROC curve (one half: nothing is revealed)"

    def run(self, scene: Scene) -> LocationFindings:
        """Decide for every report."""
        law = likelihood_of(scene.released, scene.grid, scene.mechanism, scene.known)
        places = scene.places if scene.places is not None else _busiest(scene)
        near = _nearest(scene.truth, places) <= self.radius
        target = _shares(scene.grid, places, self.radius)
        belief = np.empty(len(scene.truth))
        for rows in blocks(len(scene.truth), scene.grid.cells):
            belief[rows] = beliefs(law, scene.probabilities, rows) @ target
        said = belief > 0.5
        return self.findings(
            auc(belief, near),
            len(near),
            baseline=0.5,
            figures={
                "present": share(near),
                "accuracy": share(said == near),
                "precision": share(near[said]),
                "recall": share(said[near]),
                "absence_told": share(~near[belief < 0.05]) if (belief < 0.05).any() else None,
                "prior_belief": float(scene.probabilities @ target),
            },
        )


def auc(score: Floats, positive: np.ndarray) -> float:
    """The area under the ROC curve: the probability that a positive scores higher than a negative, ties counting half.

    >>> auc(np.array([0.1, 0.9, 0.5, 0.5]), np.array([False, True, True, False]))
    0.875
    """
    ordered = np.sort(score)
    rank = (np.searchsorted(ordered, score, "left") + np.searchsorted(ordered, score, "right") + 1) / 2
    yes = int(positive.sum())
    no = len(score) - yes
    if not yes or not no:
        return 0.5
    return float((rank[positive].sum() - yes * (yes + 1) / 2) / (yes * no))


def _busiest(scene: Scene) -> Points:
    cell = scene.grid.nearest_cell(scene.truth.lon, scene.truth.lat)
    return Points(*scene.grid.centres([np.bincount(cell).argmax()]))


def _shares(grid: Ground, places: Points, radius: float) -> Floats:
    """The share of each cell that lies within a radius of some place, estimated by five by five points of the cell."""
    steps = (np.arange(5) - 2) / 5 * grid.size
    east, north = grid.metres()
    spots = (east[:, None, None] + steps, north[:, None, None] + steps[:, None])
    lon, lat = grid.frame.degrees(*(np.broadcast_to(spot, (grid.cells, 5, 5)).ravel() for spot in spots))
    near = _nearest(Points(lon, lat), places) <= radius
    return np.asarray(near.reshape(grid.cells, 25).mean(axis=1), dtype=np.float64)


def _nearest(points: Points, places: Points) -> Floats:
    """Metres to the nearest of some places, in a flat frame."""
    from scipy.spatial import cKDTree

    frame = places.frame
    tree = cKDTree(np.column_stack(frame.metres(places.lon, places.lat)))
    return np.asarray(tree.query(np.column_stack(frame.metres(points.lon, points.lat)))[0])


NEAR = 75.0
"""Metres from a place within which a precise position counts as being there."""


def log_evidence(report: Report, places: Points, everybody: Points, *, epsilon: float | None = None) -> float:
    """The logarithm of how much likelier a report is from somebody at one of ``places``, each equally likely, than from
    one of ``everybody``: all people at that time, the sender among them.

    A rectangle comes from anybody in it, a set from anybody near one of its members, a noisy position (planar Laplace
    of ``epsilon``) from anywhere, e times less likely for every 1/ε metres; any other position from anybody near it.
    """
    theirs, all_ = (_likelihood(report, points, epsilon).mean() for points in (places, everybody))
    if not theirs:
        return -inf
    return log(theirs) - log(all_) if all_ else inf


def probability(prior: float, evidence: Sequence[float]) -> float:
    """The attacker's belief after reports that are known to be of one person.

    >>> probability(0.5, []), round(probability(0.5, [log(3)]), 6)
    (0.5, 0.75)
    """
    total = log(prior / (1 - prior)) + sum(evidence)
    return 1 / (1 + exp(-total)) if total > -700 else 0.0


def _likelihood(report: Report, points: Points, epsilon: float | None) -> Floats:
    if report.box is not None:
        west, south, east, north = (np.asarray(edge) for edge in report.box)
        return are_inside((west, south, east, north), points.lon, points.lat).astype(np.float64)
    away = np.stack([distance(lon, lat, points.lon, points.lat) for lon, lat in report.positions])
    if epsilon is not None:
        return np.asarray(np.exp(-epsilon * away).sum(axis=0))
    return np.asarray((away <= max(report.radius, NEAR)).sum(axis=0, dtype=np.float64))


MOST = 3000
"""People whose pairs are scored at most: a table of all pairs of 3,000 takes 72 MB."""


def count_meetings(points: Points, size: float, minutes: float, frame: Any = None, people: int | None = None) -> Any:
    """For each pair of people, how often they were in the same square of ``size`` metres in the same stretch of time,
    as a sparse symmetric matrix. A meeting counts less the more people were there: Σ 1 / log2(people + 1)."""
    from scipy import sparse

    assert points.user is not None
    assert points.time is not None
    east, north = (frame or points.frame).metres(points.lon, points.lat)
    slot = np.floor(points.time / (60 * minutes)).astype(np.int64)
    column, row = np.floor(east / size).astype(np.int64), np.floor(north / size).astype(np.int64)
    event = np.unique(np.stack([slot, row, column]), axis=1, return_inverse=True)[1].ravel()
    people = people or int(points.user.max()) + 1
    there = sparse.csr_array((np.ones(len(event)), (points.user, event)), shape=(people, int(event.max()) + 1))
    there.data[:] = 1.0
    crowd = np.asarray(there.sum(axis=0)).ravel()
    there = there[:, crowd > 1]
    weighed = there.multiply(1 / np.log2(crowd[crowd > 1] + 1)[None, :])
    both = sparse.coo_array(sparse.csr_array(weighed) @ there.T)
    off = both.row != both.col
    return sparse.csr_array((both.data[off], (both.row[off], both.col[off])), shape=both.shape)


def score_overlaps(released: Released, minutes: float, people: int) -> Floats:
    """For each pair of people, the sum over stretches of time of the share that their rectangles have in common."""
    reports = released.points
    assert released.box is not None
    assert reports.user is not None
    assert reports.time is not None
    west, south, east, north = released.box
    left, width = wrap(west - reports.frame.lon), (east - west) % 360
    size = np.maximum(width, 1e-12) * np.maximum(north - south, 1e-12)
    score = np.zeros((people, people))
    slot = np.floor(reports.time / (60 * minutes))
    for rows in rows_by_person(np.unique(slot, return_inverse=True)[1].ravel()):
        x = np.minimum.outer((left + width)[rows], (left + width)[rows]) - np.maximum.outer(left[rows], left[rows])
        y = np.minimum.outer(north[rows], north[rows]) - np.maximum.outer(south[rows], south[rows])
        both = np.maximum(x, 0) * np.maximum(y, 0)
        who = reports.user[rows]
        score[who[:, None], who] += both / (size[rows, None] + size[rows] - both)
    return score


@card(
    "aggregated-presence",
    title="aggregated presence",
    knows="only the reports of all people",
    finds="area under the ROC curve of pairs who meet: one half reveals nothing",
)
@dataclass(frozen=True)
class AggregatedPresence(LocationAttack):
    r"""Who is with whom? People who report from the same place at the same time again and again know each other.

    The attacker sees the reports of all people. The attack counts how often each pair meets, in any of the positions
    that were sent, by one sparse product; a meeting among many people counts less. Squares are as large as the noise.
    Of regions, the area that two of them have in common counts.

    Formula: $m(u, v) = \sum_{s, t} \frac{[u, v \in s \text{ at } t]}{\log_2(n_{st} + 1)}$ over squares $s$ and
        stretches of time $t$ with $n_{st}$ people; success is the area under the ROC curve against the pairs who truly
        met ``often``
    Example: Ana and Bia go together, Caio goes elsewhere.
        >>> import numpy as np
        >>> from cobogo.locate.places.points import Points
        >>> from cobogo.studies.worked_examples import attack_city
        >>> hours, way = np.arange(12) * 3600.0, np.linspace(-38.53, -38.48, 12)
        >>> lon = np.concatenate([way, way, way[::-1] - 0.02])
        >>> who = np.repeat(["ana", "bia", "caio"], 12)
        >>> friends = Points.from_columns(lon, [-3.73] * 36, time=np.tile(hours, 3), user=who)
        >>> attack_city(AggregatedPresence(), None, friends).success
        1.0

    Guarantee: None: an attack finds people, it does not protect them. Noise that is wider than the distance between
        places helps, and so do reports at other times.
    Limits: The attack misses pairs who meet in a crowd, and takes neighbours for friends.
    Cost: $O(m)$ for the m pairs that ever met.
    Paper: E. Cho, S. A. Myers and J. Leskovec, Friendship and mobility: user movement in location-based social
        networks, KDD 2011; H. Pham, C. Shahabi and Y. Liu, EBM: an entropy-based model to infer social strength from
        spatiotemporal data, SIGMOD 2013.
    """

    size: float = 100.0  # metres: so near is together
    minutes: float = 15.0
    often: int = 3

    knows: ClassVar[str] = "only the reports of all people"
    measures: ClassVar[str] = "the area under the ROC curve of pairs who meet (one half: nothing is revealed)"
    needs: ClassVar[frozenset[str]] = frozenset({"users", "times"})

    def run(self, scene: Scene) -> LocationFindings:
        """Score every pair."""
        frame = scene.grid.frame
        people = scene.truth.users
        if people > MOST:
            return self.findings(
                0.5, 0, baseline=0.5, notes=(tr("more than {most:,} people: pairs are not scored", most=MOST),)
            )
        real = count_meetings(scene.truth, self.size, self.minutes, frame, people)
        upper = np.triu_indices(people, 1)
        friends = real.toarray()[upper] >= self.often / np.log2(3)
        if not friends.any():
            return self.findings(
                0.5, 0, baseline=0.5, notes=(tr("no two people meet {often:,} times", often=self.often),)
            )
        score = self._meeting_scores(scene, frame, people)[upper]
        top = np.argsort(-score, kind="stable")[: int(friends.sum())]
        return self.findings(
            auc(score, friends),
            len(score),
            baseline=0.5,
            figures={
                "pairs_who_meet": int(friends.sum()),
                "precision": float(friends[top].mean()) if len(top) else None,
                "precision_anybody_has": share(friends),
            },
        )

    def _meeting_scores(self, scene: Scene, frame: Any, people: int) -> Floats:
        if scene.released.box is not None:
            return score_overlaps(scene.released, self.minutes, people)
        points, _ = sent_positions(scene.released)
        return np.asarray(
            count_meetings(points, max(self.size, scene.quality_loss), self.minutes, frame, people).toarray()
        )
