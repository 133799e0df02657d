"""Mobility in Fortaleza: noise that a service can live with, and an attacker too.

Made-up people move about the city. Their phones blur each position before it leaves them. An attacker who knows where
people tend to be guesses where each one was, and where each one lives.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from canvas import BRICK, INK, SKY, save, sheet

from cobogo.locate import spec as asking
from cobogo.locate.places.reading import read_points
from cobogo.studies.fortaleza.people import write_people
from cobogo.studies.locations import evaluate

METRES = [50, 100, 200, 500, 1000, 2000]
"""How far off a reported position is on average: 2/ε."""


def main(directory: str = ".", people: int = 40) -> None:
    """Measure and draw."""
    with tempfile.TemporaryDirectory() as place:
        write_people(Path(place) / "city", people, days=5, step=1800, seed=2024)
        points = read_points(Path(place) / "city" / "points.csv")
    wanted = {off: asking.parse_specs(f"planar-laplace:epsilon={2 / off:g}", "mechanism")[0] for off in METRES}
    made = {str(off): asking.build_mechanism(one, points) for off, one in wanted.items()}
    attacks = [
        asking.build_attack(one)
        for text in ("short-observation", "home-and-work")
        for one in asking.parse_specs(text, "attack")
    ]
    found = evaluate(points, made, attacks, name="Fortaleza", raw=False, hours_from_utc=-3)
    homes, errors = [], []
    for run in found.runs:
        guess, home = run.findings.get("short-observation"), run.findings.get("home-and-work")
        errors.append(float(guess.error.mean()) if guess is not None else float("nan"))
        homes.append(100 * home.success if home is not None else float("nan"))
        print(f"{run.label:>5} m of noise: the attacker is {errors[-1]:,.0f} m off; homes found {homes[-1]:.0f} %")
    figure, axes = sheet(
        "Noise hides a position long before it hides a home", f"{people} made-up people, 5 days, planar Laplace noise"
    )
    axes.plot(METRES, METRES, color=SKY, linestyle=":", label="what the service gets is off by")
    axes.plot(METRES, errors, color=BRICK, marker="o", label="the attacker's best guess is off by")
    axes.set(xscale="log", yscale="log", xlabel="noise: mean error, metres", ylabel="metres")
    axes.set_xticks(METRES, [f"{off:,}" for off in METRES])
    other = axes.twinx()
    other.plot(METRES, homes, color=INK, linestyle="--", marker="s", label="homes found (right)")
    other.set(ylim=(0, 105), ylabel="homes found, %")
    other.spines[["top"]].set_visible(False)
    lines = [*axes.get_lines(), *other.get_lines()]
    axes.legend(lines, [str(line.get_label()) for line in lines], frameon=False, fontsize=9, loc="lower right")
    print(save(figure, directory, "mobility-fortaleza"))


if __name__ == "__main__":
    main(*sys.argv[1:2], *map(int, sys.argv[2:3]))
