"""What attacks make of partitions, and what of randomized tables."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import cobogo as cb
from cobogo.examine import attacks
from cobogo.floor.randomness import Entropy
from cobogo.promises.operators import Uniform, largest_retention

HOSPITAL = [
    ("23", "47806", "H1N1"), ("27", "47805", "SARS"), ("33", "47823", "AIDS"),
    ("35", "47823", "AIDS"), ("41", "47904", "SARS"), ("45", "47906", "H1N1"),
]  # fmt: skip
"""Six patients in the manner of the hospital of Chaytor (2010): age, zip code, disease."""

FIGURE_7A = [
    ("23", "47806", "H1N1"), ("27", "47805", "SARS"), ("37", "47926", "SARS"), ("45", "47934", "H1N1"),
    ("47", "47930", "AIDS"), ("47", "47926", "AIDS"),
]  # fmt: skip
FIGURE_7B = [
    ("23", "47806", "H1N1"), ("27", "47805", "SARS"), ("33", "47823", "AIDS"), ("37", "47926", "SARS"),
    ("45", "47934", "H1N1"), ("47", "47930", "AIDS"), ("47", "47926", "AIDS"), ("23", "47806", "H1N1"),
    ("48", "47930", "H1N1"),
]  # fmt: skip


ROLES = {
    "age": {"role": "quasi-identifier", "hierarchy": {"intervals": [10, 20, 40], "top": True}},
    "zip": {"role": "quasi-identifier", "hierarchy": {"mask": "right"}},
    "disease": {"role": "sensitive"},
}


def hospital() -> pa.Table:
    """Three thousand such patients, each with a zip code of their own."""
    rows = [(str(20 + n % 60), str(47000 + n), ("H1N1", "SARS", "AIDS")[n % 3]) for n in range(3000)]
    return pa.table(dict(zip(("age", "zip", "disease"), zip(*rows, strict=True), strict=True)))


def attacked(name: str, directory: Path, **options: Any) -> attacks.Findings:
    return attacks.ATTACKS[name](**options).run(attacks.open_case([directory]))


def test_corruption_breaks_a_two_diverse_generalization_and_not_a_uniform_perturbation(tmp_path: Path) -> None:
    diverse = {"privacy": {"models": [{"model": "l-diversity", "l": 2}, {"model": "k-anonymity", "k": 2}]}}
    cb.anonymize(hospital(), {"attributes": ROLES, **diverse}).write(tmp_path / "generalized")
    rho = {"privacy": {"models": [{"model": "rho1-rho2-privacy", "rho1": 1 / 3, "rho2": 2 / 3}]}}
    uniform = cb.perturb(hospital(), {"attributes": ROLES, **rho, "randomization": {"method": "uniform"}})
    assert uniform.write(tmp_path / "randomized")
    everybody = {"t": 2999, "threshold": 0.99}
    assert attacked("corruption", tmp_path / "generalized", t=0, threshold=0.99).highest < 0.99
    assert attacked("corruption", tmp_path / "generalized", **everybody).highest == 1.0
    found = attacked("corruption", tmp_path / "randomized", **everybody)
    assert not found
    assert found.highest <= 0.8  # odds of about ½, as estimated from the release, times γ = 4
    assert found.highest == attacked("corruption", tmp_path / "randomized", t=0, threshold=0.99).highest


def test_what_the_others_show_tells_nothing_of_a_person() -> None:
    """Many draws of a table: the victim's posterior is the same, whatever was released of the others."""
    prior, runs = np.full(3, 1 / 3), 60_000
    operator = Uniform(3, largest_retention(4, 3))
    random = np.random.default_rng(0)
    mine = random.integers(0, 3, runs)
    released = operator.sample(mine, Entropy())
    theirs = operator.sample(random.integers(0, 3, runs), Entropy())
    for y in range(3):
        expected = operator.posterior(prior)[y, y]
        assert expected <= 4 / 6 + 1e-9  # odds of ½, times γ = 4
        for others in range(3):
            chosen = (theirs == others) & (released == y)
            share = (mine[chosen] == y).mean()
            assert abs(share - expected) < 5.5 * np.sqrt(expected * (1 - expected) / chosen.sum())


def test_beliefs_about_a_randomized_attribute_are_posteriors(tmp_path: Path) -> None:
    release = cb.perturb(hospital(), {
        "attributes": {"age": {"role": "quasi-identifier"}, "zip": {"role": "quasi-identifier"},
                       "disease": {"role": "sensitive"}},
        "randomization": {"method": "uniform", "retention": 0.2},
    })  # fmt: skip
    release.write(tmp_path / "out")
    found = attacked("homogeneity", tmp_path / "out")  # every zip code is one record, whose value would be "certain"
    assert found.highest < 0.8
    assert any("drawn at random" in note for note in found.notes)


def duplicated(records: Iterable[Hashable]) -> set[Hashable]:
    return {record for record, times in Counter(records).items() if times > 1}


def test_figure_7() -> None:
    """Both solutions are 33 % original; the second keeps more of them, and gives one away by its duplicate."""
    kept_a, kept_b = ([r for r in dict.fromkeys(v) if r in HOSPITAL] for v in (FIGURE_7A, FIGURE_7B))
    assert (len(kept_a), len(FIGURE_7A)) == (2, 6)
    assert (len(kept_b), len(FIGURE_7B)) == (3, 9)
    assert len(kept_a) / len(FIGURE_7A) == len(kept_b) / len(FIGURE_7B) == pytest.approx(1 / 3)
    assert duplicated(FIGURE_7A) == set()
    assert duplicated(FIGURE_7B) == {("23", "47806", "H1N1")} <= set(HOSPITAL)  # Alice, for certain


def test_values_that_are_drawn_again_and_again_are_known_in_the_end() -> None:
    """The odds change by γ with each draw: why a release is drawn once."""
    operator = Uniform(4, Fraction(1, 2))
    likelihood = operator.matrix()[2]
    posterior = likelihood**6 / (likelihood**6).sum()
    assert posterior[2] > 0.999
    assert posterior[2] / posterior[0] == pytest.approx(operator.amplification**6)
