"""Who meets whom?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from cobogo.floor.arrays import Floats
from cobogo.floor.catalogue import card
from cobogo.locate.attacks.base import LocationAttack, LocationFindings, Scene, share
from cobogo.locate.attacks.hearing import by_person, sent
from cobogo.locate.attacks.presence import auc
from cobogo.locate.mechanisms.base import Released
from cobogo.locate.places.geometry import wrapped
from cobogo.locate.places.points import Points

MOST = 3000
"""People whose pairs are scored: a table of all of them is made."""


def meetings(points: Points, size: float, minutes: float, frame: Any = None, people: int | None = None) -> Any:
    """For each pair of people, how often they were in the same square of ``size`` metres in the same stretch of time,
    a meeting counting for less the more people were there: Σ 1 / log2(people + 1). A sparse symmetric matrix."""
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


def overlaps(released: Released, minutes: float, people: int) -> Floats:
    """The same for regions: of each stretch of time, the share that two people's rectangles have in common."""
    reports = released.points
    assert released.box is not None
    assert reports.user is not None
    assert reports.time is not None
    west, south, east, north = released.box
    left, width = wrapped(west - reports.frame.lon), (east - west) % 360
    size = np.maximum(width, 1e-12) * np.maximum(north - south, 1e-12)
    score = np.zeros((people, people))
    slot = np.floor(reports.time / (60 * minutes))
    for rows in by_person(np.unique(slot, return_inverse=True)[1].ravel()):
        x = np.minimum.outer((left + width)[rows], (left + width)[rows]) - np.maximum.outer(left[rows], left[rows])
        y = np.minimum.outer(north[rows], north[rows]) - np.maximum.outer(south[rows], south[rows])
        both = np.maximum(x, 0) * np.maximum(y, 0)
        who = reports.user[rows]
        score[who[:, None], who] += both / (size[rows, None] + size[rows] - both)
    return score


@card("aggregated-presence", title="aggregated presence")
@dataclass(frozen=True)
class AggregatedPresence(LocationAttack):
    r"""Who is with whom? People who report from the same place at the same time again and again know each other.

    The attacker sees the reports of everybody. Counts meetings of every pair in any of the positions that were sent,
    those in a crowd for less, as one sparse product; squares are as large as the noise. Of regions, what two have in
    common counts.

    Formula: $m(u, v) = \sum_{s, t} \frac{[u, v \in s \text{ at } t]}{\log_2(n_{st} + 1)}$ over squares $s$ and
        stretches of time $t$ with $n_{st}$ people; success is the area under the ROC curve against the pairs who truly
        met ``often``
    Example: Ana and Bia go together, Caio elsewhere.
        >>> import numpy as np
        >>> from cobogo.locate.places.points import Points
        >>> from cobogo.studies.worked import observed
        >>> hours, way = np.arange(12) * 3600.0, np.linspace(-38.53, -38.48, 12)
        >>> lon = np.concatenate([way, way, way[::-1] - 0.02])
        >>> friends = Points.of(lon, [-3.73] * 36, time=np.tile(hours, 3), user=np.repeat(["ana", "bia", "caio"], 12))
        >>> observed(AggregatedPresence(), None, friends).success
        1.0

    Guarantee: None: an attack finds, it does not protect. Noise wider than what tells places apart, and reports at
        other times, help.
    Limits: Who meets in a crowd is missed; who lives next door is taken for a friend.
    Cost: $O(m)$ for the m pairs that ever met.
    Paper: E. Cho, S. A. Myers and J. Leskovec, Friendship and mobility: user movement in location-based social
        networks, KDD 2011; H. Pham, C. Shahabi and Y. Liu, EBM: an entropy-based model to infer social strength from
        spatiotemporal data, SIGMOD 2013.
    """

    size: float = 100.0  # metres: so near is together
    minutes: float = 15.0
    often: int = 3

    knows: ClassVar[str] = "nothing but everybody's reports"
    measures: ClassVar[str] = "the area under the ROC curve of pairs who meet (one half: nothing is told)"
    needs: ClassVar[frozenset[str]] = frozenset({"users", "times"})

    def run(self, scene: Scene) -> LocationFindings:
        """Score every pair."""
        frame = scene.grid.frame
        people = scene.truth.users
        if people > MOST:
            return self.findings(0.5, 0, baseline=0.5, notes=(f"more than {MOST:,} people: pairs are not scored",))
        real = meetings(scene.truth, self.size, self.minutes, frame, people)
        upper = np.triu_indices(people, 1)
        friends = real.toarray()[upper] >= self.often / np.log2(3)
        if not friends.any():
            return self.findings(0.5, 0, baseline=0.5, notes=(f"no two people meet {self.often} times",))
        score = self._seen(scene, frame, people)[upper]
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

    def _seen(self, scene: Scene, frame: Any, people: int) -> Floats:
        if scene.released.box is not None:
            return overlaps(scene.released, self.minutes, people)
        points, _ = sent(scene.released)
        return np.asarray(meetings(points, max(self.size, scene.quality_loss), self.minutes, frame, people).toarray())
