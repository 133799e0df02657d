"""The curves of the pages about the curator. Nothing is drawn at random: they are laws and declared errors."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any

from cobogo.answer.explain import Curves, compute_curves
from cobogo.answer.plan import plan
from cobogo.answer.sql.parse import parse
from cobogo.promises.accounting import rho_of
from cobogo.promises.curator_file import DeclaredDataset
from cobogo.promises.mechanisms import Gaussian, Laplace
from cobogo.tell.report.canvas import BLUE, MUTED, ORANGE
from cobogo.tell.report.curves import Axis, Curve, decades, draw

PROPERTIES = (4, 2, 7, 1)
BOUND = 10
REACH = range(-30, 51)


def errors(path: Path) -> None:
    """The error of answers against ε, from declarations alone."""
    found = [
        ("a count, one row a person", errors_of("COUNT(*)"), BLUE, False),
        ("a count, 5 groups of 3 rows a person", errors_of("COUNT(*)", groups=5, rows=3), BLUE, True),
        ("a sum of values from 0 to 100", errors_of("SUM(x)"), ORANGE, False),
        ("a mean of them over 10,000 rows", errors_of("AVG(x)", size=10_000), MUTED, False),
    ]
    lines = [Curve(name, [(x, y) for x, y in points if y > 0], color, dashed) for name, points, color, dashed in found]
    draw(
        path, "Ten times the ε, a tenth of the error", "What a person can add decides where a line starts", lines,
        across=Axis("ε", decades([0.01, 10]), logarithmic=True),
        up=Axis("95 % of answers within ±", decades([y for line in lines for _, y in line.points]), logarithmic=True),
    )  # fmt: skip


def errors_of(aggregate: str, *, groups: int = 1, rows: int = 1, size: int | None = None) -> Any:
    """The curve of one aggregate of a declared data set that nobody ever fills."""
    bounds = {"unit": "person", "max-groups": groups, "max-rows": rows}
    columns = {"x": {"type": "integer", "bounds": [0, 100]}, "g": {"type": "integer", "keys": list(range(100))}}
    declared = DeclaredDataset.model_validate({**bounds, "columns": columns, "budget": {"epsilon": 1}})
    text = f"SELECT {aggregate} AS e FROM d" + (" GROUP BY g" if groups > 1 else "")
    found: Curves = compute_curves(plan(parse(text, {"d": declared}), declared), "epsilon", rows=size)
    return found["e"]


def neighbours(path: Path) -> None:
    """The laws of what is answered with everybody and without the owner of seven, at ε = 1."""
    noise = Laplace(BOUND, Fraction(1))
    total = sum(PROPERTIES)
    without = total - max(PROPERTIES)
    draw(
        path, "One person more or less, and every answer is almost as likely",
        f"The sum of four people's properties at ε = 1, declared from 0 to {BOUND}: nowhere is one curve more than e "
        "times the other",
        [
            Curve(f"everybody: the exact sum is {total}", _stairs(noise, total), BLUE),
            Curve(f"without the owner of seven: {without}", _stairs(noise, without), ORANGE),
        ],
        across=Axis("what is answered", range(REACH[0], REACH[-1] + 1, 10)),
        up=Axis("probability, %", range(6)),
    )  # fmt: skip


def probability(noise: Laplace, distance: int) -> float:
    """Of noise of exactly so much."""
    distance = abs(distance)
    exactly = noise.two_sided_tail(distance) - noise.two_sided_tail(distance + 1)
    return exactly / (2 if distance else 1)


def _stairs(noise: Laplace, centre: int) -> list[tuple[float, float]]:
    """A step as wide as a whole number, as high as its probability in per cent."""
    heights = [(x, 100 * probability(noise, x - centre)) for x in REACH]
    return [(x + side, height) for x, height in heights for side in (-0.5, 0.5)]


def many(path: Path) -> None:
    """The error of each of many counts for ε = 1 in all: a book in ε beside one in ρ."""
    numbers = [round(10 ** (step / 10)) for step in range(31)]
    delta = Fraction(1, 10**6)
    rho = rho_of(Fraction(1), delta)
    pure = [(n, Laplace(1, Fraction(1, n)).error()) for n in numbers]
    concentrated = [(n, Gaussian(1, rho / n).error()) for n in numbers]
    draw(
        path, "Many questions are cheaper in a book that counts in ρ",
        "The error of each of so many counts, with ε = 1 for all of them together (and δ = 0.000001 with ρ)",
        [Curve("a book in ε, Laplace noise", pure, BLUE), Curve("a book in ρ, Gaussian noise", concentrated, ORANGE)],
        across=Axis("counts asked for", decades(numbers), logarithmic=True),
        up=Axis("95 % of answers within ±", decades([y for _, y in pure + concentrated]), logarithmic=True),
    )  # fmt: skip


FIGURES = {"curator-error.png": errors, "curator-neighbours.png": neighbours, "curator-many.png": many}
