"""How far off a question's answer would be for every price: from declarations alone, so that looking costs nothing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from pathlib import Path

from cobogo.answer.explain import explain
from cobogo.answer.plan import QueryPlan
from cobogo.errors import OutputError, QueryRefused
from cobogo.floor.files import stage_file
from cobogo.promises.accounting import Measure, PrivacyLoss
from cobogo.promises.ledger.balance import SYMBOLS

Curves = Mapping[str, Sequence[tuple[float, float]]]
"""Of each figure, prices and errors."""

STEPS = 20
"""Prices in every power of ten."""

DECADES: Mapping[Measure, tuple[int, int]] = {"epsilon": (-2, 1), "rho": (-4, 1)}


def prices(measure: Measure) -> list[Fraction]:
    """From the strongest protection that is of use to the weakest that is any, evenly on a logarithmic axis."""
    low, high = DECADES[measure]
    return [Fraction(f"{10 ** (step / STEPS):.4g}") for step in range(low * STEPS, high * STEPS + 1)]


def curves(
    plan: QueryPlan,
    measure: Measure,
    *,
    delta: Fraction = Fraction(0),
    rows: int | None = None,
    confidence: float = 0.95,
) -> Curves:
    """The error to expect of each figure, by the price of the whole question; not of those that depend on the data."""
    found: dict[str, list[tuple[float, float]]] = {}
    for price in prices(measure):
        explained = explain(plan, PrivacyLoss(measure, price, delta), rows=rows, confidence=confidence)
        for name, error in explained.errors.items():
            if error is not None:
                found.setdefault(name, []).append((float(price), error))
    if not found:
        raise QueryRefused(
            "how far off every figure will be depends on the data",
            where="--curve",
            remedy="Ask for counts and sums; for a mean, say how many rows a group may have.",
        )
    return found


def draw(found: Curves, measure: Measure, path: Path, question: str) -> None:
    """Write a PNG to a new file, whole or not at all."""
    from cobogo.tell.report import curves as plot

    if path.exists():
        raise OutputError("is there already", where=str(path), remedy="Choose another name for --curve.")
    seen = {name: [(x, y) for x, y in points if y > 0] for name, points in found.items()}  # 0 is beyond the axis
    lines = [
        plot.Curve(name, points, plot.COLORS[at % 4], dashed=at >= 4) for at, (name, points) in enumerate(seen.items())
    ]
    errors = [error for points in seen.values() for _, error in points]
    low, high = DECADES[measure]
    across = plot.Axis(SYMBOLS[measure], plot.decades([float(f"1e{low}"), float(f"1e{high}")]), logarithmic=True)
    up = plot.Axis("95 % of answers within ±", plot.decades(errors), logarithmic=True)
    with stage_file(path) as stage:
        plot.draw(stage, "The more is spent, the nearer the answer", question, lines, across=across, up=up)
