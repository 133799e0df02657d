"""Presence: records that appear twice give themselves away."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import cobogo as cb
from cobogo.examine import attacks
from cobogo.floor.randomness import Entropy, coins
from cobogo.publish.randomize.alpha_beta import AlphaBeta, draw_set
from support.attack_tables import policy, table

FIGURE_7B = [
    ("23", "47806", "H1N1"), ("27", "47805", "SARS"), ("33", "47823", "AIDS"), ("37", "47926", "SARS"),
    ("45", "47934", "H1N1"), ("47", "47930", "AIDS"), ("47", "47926", "AIDS"), ("23", "47806", "H1N1"),
    ("48", "47930", "H1N1"),
]  # fmt: skip


def attacked(name: str, directory: Path, **options: Any) -> attacks.Findings:
    return attacks.ATTACKS[name](**options).run(attacks.open_case([directory]))


def duplicated(records: Iterable[Hashable]) -> set[Hashable]:
    return {record for record, times in Counter(records).items() if times > 1}


def naive(originals: np.ndarray, possible: int, chances: AlphaBeta) -> np.ndarray:
    """As first described: the second step goes over all possible records, those of the table among them."""
    kept = originals[coins(chances.retention, len(originals), Entropy())]
    return np.concatenate([kept, np.flatnonzero(coins(chances.beta, possible, Entropy()))])


def test_duplicates_give_originals_away_by_the_naive_algorithm_and_not_by_ours() -> None:
    chances, possible = AlphaBeta.best(0.05, 0.3), 20_000
    originals = np.sort(np.random.default_rng(1).choice(possible, 2000, replace=False))
    theirs = duplicated(naive(originals, possible, chances).tolist())
    assert len(theirs) > 50
    assert theirs <= set(originals.tolist())  # each of them is an original: confidence 1
    ours = draw_set(originals, possible, chances, Entropy())
    assert duplicated(ours.tolist()) == set()
    kept, added = int(np.isin(ours, originals).sum()), int((~np.isin(ours, originals)).sum())
    for found, n, share in ((kept, 2000, chances.retention), (added, possible - 2000, chances.beta)):
        assert abs(found - n * share) < 5.5 * np.sqrt(n * float(share * (1 - share)))
    estimate = (len(ours) - float(chances.beta) * possible) / float(chances.alpha)
    spread = 2000 * chances.retention * (1 - chances.retention) + (possible - 2000) * chances.beta * (1 - chances.beta)
    assert abs(estimate - 2000) < 5.5 * np.sqrt(float(spread)) / float(chances.alpha)


def test_the_duplicate_attack_on_files(tmp_path: Path) -> None:
    """As `cobogo attack duplicate` runs it: on Figure 7 (b), and on a set of ours."""
    figure = pa.table(dict(zip(("age", "zip", "disease"), zip(*FIGURE_7B, strict=True), strict=True)))
    found = attacks.ATTACKS["duplicate"]().run(attacks.open_case([figure]))
    assert found.exposed.tolist() == [1, 8]
    ours = cb.perturb(figure, {
        "attributes": {name: {"role": "sensitive"} for name in figure.column_names},
        "privacy": {"models": [{"model": "d-gamma-privacy", "d": 0.2, "gamma": 0.5}]},
        "randomization": {"method": "alpha-beta"},
    })  # fmt: skip
    assert ours.write(tmp_path / "ours")
    assert not attacked("duplicate", tmp_path / "ours")


class TestDuplicate:
    def test_what_stands_twice_is_genuine(self) -> None:
        found = cb.attack("duplicate", table("a b", "1 x", "2 y", "1 x", "3 -", "3 -", "4 z"))
        assert found.exposed.tolist() == [1, 3, 4, 5]
        assert not cb.attack("duplicate", table("a b", "1 x", "1 y")).succeeded


class TestPresence:
    """Tables 3.9 and 3.10: Alice with 4/5, Bob with 3/4. (The survey spells Bob's profession in two ways.)"""

    released = table(
        "work sex age disease",
        *["Professional M [35-40) hepatitis"] * 2, "Professional M [35-40) HIV",
        "Artist F [30-35) flu", *["Artist F [30-35) HIV"] * 3,
    )  # fmt: skip
    everybody = table(
        "name work sex age",
        *[
            f"{name} {'Artist F [30-35)' if number % 2 == 0 else 'Professional M [35-40)'}"
            for number, name in enumerate(
                ["Alice", "Bob", "Cathy", "Doug", "Emily", "Fred", "Gladys", "Henry", "Irene"]
            )
        ],
    )

    def test_alice_and_bob(self) -> None:
        rules = policy("work sex age", "disease")
        found = cb.attack("presence", self.released, knowledge=self.everybody, policy=rules)
        assert found.confidence[:2].tolist() == [4 / 5, 3 / 4]
        assert found.confidence.tolist() == [4 / 5, 3 / 4] * 4 + [4 / 5]
        assert found.exposed.tolist() == [1, 3, 5, 7, 9]  # 3/4 is no more than 7/9, which is anybody's
        assert found.measures["share of everybody"] == pytest.approx(7 / 9)

    def test_a_table_that_spells_otherwise_fits_nobody(self) -> None:
        names = ["Professional_" if value == "Professional" else value for value in self.everybody["work"].to_pylist()]
        other = self.everybody.set_column(1, "work", pa.array(names))
        found = cb.attack("presence", self.released, knowledge=other, policy=policy("work sex age", "disease"))
        assert found.confidence[:2].tolist() == [4 / 5, 0]
        assert any("3 released records match no person" in note for note in found.notes)
