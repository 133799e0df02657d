"""How far a frequency list is off, over the number of accounts. The accounts are made up."""

from __future__ import annotations

import math
from fractions import Fraction
from pathlib import Path

import numpy as np

from cobogo.floor.randomness import Seeded
from cobogo.promises.mechanisms.frequency_list import Counts, FrequencyList
from cobogo.tell.report.canvas import BLUE, MUTED, ORANGE
from cobogo.tell.report.curves import Axis, Curve, decades, draw

ACCOUNTS = (1_000, 10_000, 100_000, 1_000_000, 10_000_000, 70_000_000)
DRAWS = 5
EVERYWHERE = np.geomspace(ACCOUNTS[0], ACCOUNTS[-1], 80).tolist()


def errors(path: Path) -> None:
    """The mean L1 error of a few draws at two ε, beside √(N/ε)."""
    lines = []
    for epsilon, color in (("0.1", ORANGE), ("1", BLUE)):
        made, found = FrequencyList(Fraction(epsilon), Fraction(1, 10**9)), []
        for accounts in ACCOUNTS:
            true = passwords(accounts)
            source = Seeded(accounts)
            off = [true.distance(made.draw(true, source)) for _ in range(DRAWS)]
            found.append((float(true.accounts), float(np.mean(off))))
        lines.append(Curve(f"ε = {epsilon}", found, color))
        least = [(accounts, math.sqrt(accounts / float(epsilon))) for accounts in EVERYWHERE]
        lines.append(Curve(f"√(N/ε), ε = {epsilon}", least, color, dashed=True))
    lines.append(Curve("all accounts", [(n, n) for n in EVERYWHERE], MUTED, dashed=True))
    draw(
        path, "The more accounts, the smaller the share that is off",
        "L1 error of made-up password lists, mean of five draws; no mechanism is better than the dashed lines by more "
        "than a constant",
        lines,
        across=Axis("accounts", decades([y for line in lines for y, _ in line.points]), logarithmic=True),
        up=Axis("L1 error", decades([y for line in lines for _, y in line.points]), logarithmic=True),
    )  # fmt: skip


def passwords(accounts: int) -> Counts:
    """Half of the accounts by Zipf's law, the rest alone."""
    ranks = np.arange(1, int(0.6 * accounts) + 1)
    return Counts.from_each(np.maximum(1, 0.5 * accounts / (math.log(len(ranks)) * ranks)).astype(np.int64))


FIGURES = {"frequency-list-error.png": errors}
