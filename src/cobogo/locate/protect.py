"""A file of points as a release: each point goes through a mechanism, as the device itself would have applied it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from cobogo.errors import PolicyError
from cobogo.floor.arguments import number
from cobogo.floor.language import Text, join, tr
from cobogo.floor.randomness import Entropy, keys
from cobogo.floor.untrusted import shorten
from cobogo.locate.mechanisms.base import LocationGuarantee, Mechanism
from cobogo.locate.places.geometry import Frame, distance
from cobogo.locate.places.grid import Grid, World
from cobogo.locate.places.points import Points
from cobogo.locate.release import ReleasedPoints, read_released
from cobogo.promises.models.check import ModelVerdict
from cobogo.promises.models.promise import Promise
from cobogo.release.contract import ENTROPY, CheckResult, Written

WHOSE = "pseudonym"

ON_TRUST = tr("the reports do not show whether the stated noise was really drawn, and the guarantee depends on it")


@dataclass(frozen=True)
class GeoIndistinguishability(Promise):
    """All reports of a person together are at most e^(ε·d) times as likely from one set of places as from another whose
    places are at most d metres away (Andrés et al. 2013). Measured: the highest sum of the costs of one person's
    reports, per metre; where positions have no people, the cost of one report."""

    epsilon: float

    name: ClassVar[str] = "geo-indistinguishability"

    def __post_init__(self) -> None:
        number(self.name, "epsilon", self.epsilon, above=0)


@dataclass(frozen=True)
class ElasticIndistinguishability(GeoIndistinguishability):
    """Geo-indistinguishability over a distance that is shorter where there is less around (Chatzikokolakis et al.
    2015)."""

    name: ClassVar[str] = "elastic-indistinguishability"


PROMISES: dict[str, type[GeoIndistinguishability]] = {
    "geo-indistinguishability": GeoIndistinguishability,
    "elastic": ElasticIndistinguishability,
}
"""The promise of a release, by the kind of its mechanism's guarantee."""


class ProtectedPoints(ReleasedPoints):
    """Reports of devices, with noise, under pseudonyms."""

    kind = "location-reports"
    whose = WHOSE


@dataclass(frozen=True)
class ReportLimits:
    """Limits for each person: ``budget`` is the ε per metre of all reports together, ``every`` the seconds in which at
    most one report is kept, ``clock`` the seconds that times are rounded down to."""

    budget: float | None = None
    every: float = 0.0
    clock: float = 0.0

    def __post_init__(self) -> None:
        for name, value in (("--budget", self.budget), ("--every", self.every), ("--round-times", self.clock)):
            if value is not None and not 0 <= value < float("inf"):
                raise PolicyError(
                    tr("must be 0 or more. Got {value} instead", value=shorten(value)),
                    where=name,
                    remedy=tr("Leave the option out to set no limit."),
                )
        if self.budget == 0:
            raise PolicyError(
                tr("must be above 0. Got {value} instead", value=0),
                where="--budget",
                remedy=tr("Give the ε per metre that one person may spend in all."),
            )


def protect_points(
    points: Points, mechanism: Mechanism, options: str, limits: ReportLimits | None = None
) -> ProtectedPoints:
    """Apply a mechanism to points: one report each under pseudonyms, in the order of time, as many of each person as
    the budget pays for. The mechanism must have a guarantee and report single positions."""
    limits, promised = limits or ReportLimits(), mechanism.guarantee
    if promised.kind not in PROMISES or promised.epsilon is None:
        raise PolicyError(
            tr(
                "{name} has no guarantee of geo-indistinguishability: {guarantee}",
                name=mechanism.name,
                guarantee=promised.text,
            ),
            where="--mechanism",
            remedy=tr(
                "Only mechanisms with this guarantee can release a file. `cobogo locate evaluate` shows what the "
                "others do."
            ),
        )
    if not mechanism.hides_returns and points.user is not None:
        raise PolicyError(
            tr("{name} shows which reports of a person come from the same place", name=mechanism.name),
            where="--mechanism",
            remedy=tr(
                "A release promises for all reports of a person together. Choose planar-laplace or predictive; this "
                "mechanism is for devices."
            ),
        )
    asked = _thin_out(points.sort(), limits.every)
    released = mechanism.apply(asked, Entropy())
    if released.members is not None or released.box is not None or released.radius is not None:
        raise PolicyError(
            tr("{name} does not report single positions", name=mechanism.name),
            where="--mechanism",
            remedy=tr("Choose a mechanism that reports positions, such as planar-laplace."),
        )
    paid = _affordable(released.cost, asked, mechanism, limits.budget)
    truth, reports, cost = asked.take(paid), released.points.take(paid), released.cost[paid]
    spent, many = _highest_spending(cost, truth)
    loss = truth.distance(reports)
    told = float(loss.mean()) / max(spent / promised.epsilon, 1.0) ** 0.5 if len(loss) else 0.0
    if limits.budget is None and spent > promised.epsilon * (1 + 1e-9):
        raise PolicyError(
            tr(
                "the {many:,} reports of one person spend ε = {spent:g} per metre together, and no budget allows it",
                many=many,
                spent=spent,
            ),
            where="--budget",
            remedy=tr(
                "Give the budget of one person: --budget {spent:.6g} releases every report, and an attacker who "
                "averages the reports from one place finds it to about {told:,.0f} m. --every 3600 keeps one report an "
                "hour.",
                spent=spent,
                told=told,
            ),
        )
    budget = limits.budget or promised.epsilon
    names = np.argsort(keys(max(points.users, 1)))
    time = reports.time if reports.time is None or not limits.clock else np.floor(reports.time / limits.clock)
    shown = Points(
        np.round(reports.lon, 7),
        np.round(reports.lat, 7),
        time if time is None or not limits.clock else time * limits.clock,
        None if truth.user is None else names[truth.user],
    )
    stated = {
        "entropy": ENTROPY,
        "mechanism": options,
        "epsilon_per_metre": promised.epsilon,
        "budget_per_metre": budget,
        "paid": _payment(mechanism),
        "unit": "one report" if truth.user is None else "all reports of a person together",
        "grid": _grid_of(mechanism),
    }
    report = {
        "mechanism": options,
        "guarantee": promised.text,
        "quality_loss_metres": {"mean": float(loss.mean()), "median": float(np.median(loss))} if len(loss) else None,
        "budget_per_metre": budget,
        "most_spent_by_a_person_per_metre": spent,
        "most_reports_of_a_person": many,
        "reports_left_out": len(points) - len(reports),
        "place_told_to_metres": told,
    }
    promise = PROMISES[promised.kind](budget)
    explained = _explanation(promised, budget, truth.user is not None, limits)
    return ProtectedPoints(shown, _meanings(shown, limits), [promise], stated, explained, report)


def _thin_out(points: Points, every: float) -> Points:
    """The first point of a person in each stretch of ``every`` seconds."""
    if not every:
        return points
    if points.time is None:
        raise PolicyError(
            tr("the points have no times"),
            where="--every",
            remedy=tr("Leave --every out, or name the column of times."),
        )
    slot = np.floor(points.time / every)
    person = np.zeros(len(points)) if points.user is None else points.user
    return points.take((np.diff(slot, prepend=-np.inf) != 0) | (np.diff(person, prepend=-1) != 0))


def _affordable(cost: Any, points: Points, mechanism: Mechanism, budget: float | None) -> Any:
    """Which reports a person's budget pays for: the first ones, until another might exceed it. Where a mechanism looks
    back, the cost of the next report depends on the truth, so that its highest possible cost counts."""
    if budget is None or not len(points):
        return np.ones(len(points), dtype=np.bool_)
    if points.user is None:
        return cost <= budget * (1 + 1e-12)
    whole = np.cumsum(cost)
    first = np.flatnonzero(np.diff(points.user, prepend=-1))
    before = whole - cost
    before = before - np.repeat(before[first], np.diff(np.append(first, len(points))))
    return before + (mechanism.highest_cost if mechanism.memory else cost) <= budget * (1 + 1e-9)


def _highest_spending(cost: Any, points: Points) -> tuple[float, int]:
    """The highest sum of costs of a person, and the largest number of reports. Where points have no people, each counts
    as a person of its own."""
    if not len(points):
        return 0.0, 0
    if points.user is None:
        return float(cost.max()), 1
    return float(np.bincount(points.user, cost).max()), int(np.bincount(points.user).max())


def _payment(mechanism: Mechanism) -> str:
    """What one ε pays for: each report, each report at most, or all reports of a person together."""
    if mechanism.name in ("several", "centroid"):
        return "together"
    return "at most each" if mechanism.memory else "each"


def _meanings(shown: Points, limits: ReportLimits) -> dict[str, str]:
    meanings: dict[str, str] = {
        "lon": tr("longitude in degrees (WGS 84), with noise"),
        "lat": tr("latitude in degrees (WGS 84), with noise"),
    }
    if shown.time is not None:
        when = (
            tr("when the report was made, in UTC, rounded down to {clock:g} s", clock=limits.clock)
            if limits.clock
            else tr("when the report was made, in UTC")
        )
        meanings = {"time": when, **meanings}
    if shown.user is not None:
        meanings = {WHOSE: tr("a random number for the person"), **meanings}
    return meanings


def _explanation(promised: LocationGuarantee, budget: float, whose: bool, limits: ReportLimits) -> Text:
    """What the release promises, for its recipients."""
    together = (
        tr(
            "All reports of a person together cost at most ε = {budget:g} per metre: if two people are never more than "
            "d metres apart, the probabilities of these reports differ by a factor of at most e^({budget:g}·d).",
            budget=budget,
        )
        if whose
        else tr("The release does not say whose reports they are: the guarantee is for each report.")
    )
    times = tr("Times are rounded down to {clock:g} s.", clock=limits.clock) if limits.clock else tr("Times are true.")
    noise = tr("Every position has its own noise: {guarantee}.", guarantee=promised.text)
    return join([tr("## How it was made"), join([noise, together, times])], "\n\n")


def _grid_of(mechanism: Mechanism) -> dict[str, Any] | None:
    """The public grid that reports lie on, as the manifest states it; None where the mechanism has none."""
    world = getattr(mechanism, "world", None)
    if isinstance(world, World) and getattr(mechanism, "region", None) is None:
        return {"world": world.size}
    grid = getattr(mechanism, "grid", None)
    if isinstance(grid, Grid):
        return {
            "lon": grid.frame.lon,
            "lat": grid.frame.lat,
            "columns": grid.columns,
            "rows": grid.rows,
            "size": grid.size,
        }
    return None


def check(written: Written) -> CheckResult:
    """Check what can be seen: every report lies on the public grid, and no person has more reports than the budget
    pays."""
    points = read_released(written, WHOSE)
    stated = written.statement
    problems = []
    if not _on_grid(points, stated["grid"]):
        problems.append(tr("some reports are not on the public grid: their last digits could reveal the true position"))
    cost = float(stated["epsilon_per_metre"])
    verdicts = []
    for entry in written.model_entries:
        promise = next(kind for kind in PROMISES.values() if kind.name == entry["model"])(float(entry["epsilon"]))
        spent = _visible_cost(points, stated, cost)
        verdicts.append(ModelVerdict(promise, spent <= promise.epsilon * (1 + 1e-9), spent, None, 0))
    if not verdicts:
        problems.append(tr("the manifest states no guarantee"))
    return CheckResult(tuple(verdicts), tuple(problems), (ON_TRUST,))


def _visible_cost(points: Points, stated: Mapping[str, Any], cost: float) -> float:
    """The highest cost of a person's reports that follows from the released rows and the manifest."""
    if points.user is None or not len(points) or stated.get("paid", "together") == "together":
        return cost
    if stated["paid"] == "at most each":
        return float(stated["budget_per_metre"])
    return float(cost * np.bincount(points.user).max())


def _on_grid(points: Points, grid: Mapping[str, Any] | None) -> bool:
    if grid is None:
        return True
    if "world" in grid:
        lon, lat = World(float(grid["world"])).snap(points.lon, points.lat)
    else:
        frame = Frame(float(grid["lon"]), float(grid["lat"]))
        cells = Grid(frame, int(grid["columns"]), int(grid["rows"]), float(grid["size"]))
        lon, lat = cells.centres(cells.nearest_cell(points.lon, points.lat))
    return not (distance(points.lon, points.lat, lon, lat) > 0.1).any()
