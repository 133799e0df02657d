"""COVID-19 in Ceará: how much does each more neighbour in the crowd cost?

A health secretariat wants to publish its cases: where people live, when they were born, their colour or race. Nobody
real is in the table; it is made up as the guide's is. For each k the best recoding is looked for, and proven to be it.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from canvas import BRICK, INK, save, sheet

from cobogo.examples import ceara
from cobogo.studies.frontier import frontier

POLICY = {
    "attributes": {
        "nome": {"role": "identifier"},
        "cpf": {"role": "identifier"},
        "localidade": {"role": "quasi-identifier", "hierarchy": {"path": "/"}},
        "data_nascimento": {
            "role": "quasi-identifier",
            "hierarchy": {"dates": "%d/%m/%Y", "levels": ["%m/%Y", "%Y", "decade"]},
        },
        "raca_cor": {"role": "sensitive"},
    },
    "privacy": {"models": [{"model": "k-anonymity", "k": 2}]},
    "recoding": {"metric": "precision", "suppression-limit": 0.05},
}
CROWDS = [2, 3, 5, 8, 12, 20, 35, 60, 100]


def main(directory: str = ".", people: int = 20_000) -> None:
    """Measure and draw."""
    with tempfile.TemporaryDirectory() as place:
        data = Path(place) / "cases.csv"
        ceara.write(data, people)
        policy = POLICY | {"data": {"path": str(data), "separator": ";"}}
        points = [point for point in frontier(policy, vary={"k": CROWDS}).points if point.levels is not None]
    for point in points:
        levels = ", ".join(f"{name} {level}" for name, level in (point.levels or {}).items())
        print(f"k = {point.given['k']:>3}: precision {point.value:.3f}, risk {100 * point.risk:.2g} %, levels {levels}")
    figure, axes = sheet(
        "A larger crowd costs detail, in steps",
        f"{people:,} made-up cases, at most 5 % left out; the best recoding for each k, proven",
    )
    crowd = [point.given["k"] for point in points]
    axes.step(crowd, [point.value for point in points], where="post", color=BRICK, linewidth=2, marker="o")
    axes.set(xscale="log", xlabel="k: records that nobody can tell apart", ylabel="detail that is kept (precision)")
    axes.set_xticks(crowd, [f"{k:g}" for k in crowd])
    other = axes.twinx()
    other.plot(crowd, [100 * point.risk for point in points], color=INK, linestyle="--", marker=".")
    other.set_ylabel("highest risk of a record, %", color=INK)
    other.spines[["top"]].set_visible(False)
    other.set_ylim(bottom=0)
    axes.set_ylim(bottom=0)
    print(save(figure, directory, "covid-ceara"))


if __name__ == "__main__":
    main(*sys.argv[1:2], *map(int, sys.argv[2:3]))
