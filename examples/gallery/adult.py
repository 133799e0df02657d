"""Adult: many algorithms, one policy.

The extract of the 1994 census that every paper on k-anonymity uses. It is not ours to give away: bring the file, with a
column for each attribute of the policy below.
"""

from __future__ import annotations

import sys
from pathlib import Path

import pandas as pd
from canvas import BRICK, SAND, save, sheet

from cobogo.studies.comparison import compare

AGE = {"intervals": [5, 10, 20], "top": True}
ALGORITHMS = ["optimal", "ola", "genetic", "datafly", "bottom-up", "local", "mondrian", "mdav"]


def main(file: str, directory: str = ".") -> None:
    """Compare and draw."""
    head = Path(file).read_text(encoding="utf-8").partition("\n")[0]
    table = pd.read_csv(file, sep=";" if ";" in head else ",", dtype=str)
    known = {"sex": {}, "age": {"hierarchy": AGE}, "race": {}, "marital-status": {}, "education": {}}
    columns = [name for name in known if name in table]
    data = Path(directory) / "adult-columns.csv"
    table[[*columns, "salary-class"]].to_csv(data, index=False)
    policy = {
        "data": {"path": str(data.absolute())},
        "attributes": {name: {"role": "quasi-identifier", **known[name]} for name in columns}
        | {"salary-class": {"role": "sensitive"}},
        "privacy": {"models": [{"model": "k-anonymity", "k": 5}]},
        "recoding": {"suppression-limit": 0.02, "metric": "loss"},
    }
    found = compare(policy, algorithms=ALGORITHMS)
    data.unlink()
    runs = sorted((run for run in found.runs if run.value is not None), key=lambda run: run.value)
    for run in runs:
        print(f"{run.algorithm:<12} loss {100 * run.value:5.1f} %   {run.seconds:6.2f} s   {run.classes:>5,} classes")
    for run in found.runs:
        if run.value is None:
            print(f"{run.algorithm:<12} {run.why or 'no such loss'}")
    figure, axes = sheet(
        "Recoding record by record loses least", f"Adult, {len(table):,} records, {len(columns)} attributes, k = 5"
    )
    bars = axes.barh(
        [run.algorithm for run in runs],
        [100 * run.value for run in runs],
        color=[BRICK if run.algorithm == "optimal" else SAND for run in runs],
    )
    axes.bar_label(bars, [f"{100 * run.value:.1f} %  ({run.seconds:.1f} s)" for run in runs], padding=4, fontsize=9)
    axes.set_xlabel("what is lost (loss, %); in brackets how long it took")
    axes.invert_yaxis()
    axes.margins(x=0.2)
    print(save(figure, directory, "adult"))


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit("usage: python adult.py adult.csv [DIRECTORY]")
    main(*sys.argv[1:3])
