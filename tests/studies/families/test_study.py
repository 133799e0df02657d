"""Kinds of release side by side: the same measures and the same attacks, on a table small enough to reckon with."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from cobogo.errors import PolicyError
from cobogo.floor.language import speech
from cobogo.studies.families import study
from cobogo.studies.families.study import Families, FamilyTrial, families
from support.commands import cobogo

pytestmark = pytest.mark.slow

POLICY: dict[str, Any] = {
    "attributes": {
        "age": {"role": "quasi-identifier", "hierarchy": {"intervals": [10, 50], "top": True}},
        "city": {"role": "quasi-identifier"},
        "note": {"role": "identifier"},
        "ill": {"role": "sensitive"},
    },
    "recoding": {"suppression-limit": 0.05},
}


def people(rows: int) -> pa.Table:
    """Illness follows the age; ages are many, so that some people are alone."""
    generator = np.random.default_rng(3)
    age = generator.integers(0, 90, rows)
    ill = np.where(generator.random(rows) < age / 120, "yes", "no")
    city = generator.choice(["Sobral", "Crato", "Ipu"], rows, p=[0.6, 0.3, 0.1])
    return pa.table({"age": age.astype(str), "city": city, "note": ["x"] * rows, "ill": ill})


@pytest.fixture(scope="module")
def found() -> Families:
    of = {"recoding": [2, 20], "randomization": [0.8, 0.2], "sampling": [1], "local": [0.5, 6]}
    return families(people(2400), POLICY, kind=of, seed=1)


def of_kind(found: Families, kind: str) -> list[FamilyTrial]:
    return [one for one in found.trials if one.name == kind]


def test_the_table_itself_loses_nothing_and_gives_people_away(found: Families) -> None:
    (original,) = of_kind(found, "original")
    assert original.loss == original.use["one-way"] == original.use["query-error"] == 0
    assert original.attacks["membership"]["members"] == 1
    assert original.exposed > 1.5 * found.chance
    assert (found.members, found.others) == (1200, 1200)


def test_more_protection_loses_more_and_gives_less_away(found: Families) -> None:
    two, twenty = of_kind(found, "recoding")
    assert two.loss <= twenty.loss
    assert twenty.attacks["re-identification"]["members"] <= 1 / 20
    assert two.attacks["re-identification"]["members"] <= 1 / 2
    loud, quiet = of_kind(found, "randomization")
    assert quiet.attacks["inference"]["members"] < loud.attacks["inference"]["members"]
    assert quiet.attacks["re-identification"] == loud.attacks["re-identification"]  # quasi-identifiers are as they were
    noisy, clear = of_kind(found, "local")
    assert clear.use["one-way"] < noisy.use["one-way"]


def test_differential_privacy_shows_no_more_than_chance(found: Families) -> None:
    """Twice what chance explains 99 times in 100 is beyond any luck."""
    for one in (*of_kind(found, "sampling"), *of_kind(found, "local")[:1]):
        assert one.exposed < 2 * found.chance


@pytest.mark.parametrize("language", ["en", "pt-BR"])
def test_the_page_says_what_each_promises(found: Families, language: str, tmp_path: Path) -> None:
    found.write(tmp_path / "out", language=language)
    assert {file.name for file in (tmp_path / "out").iterdir()} == set(Families.files())
    page = found.render(b"", say=speech(language))
    assert page.count("<tr>") == 1 + len(found.trials) + 5
    promises = {"en": "k, p and ε are not three scales of the same thing.", "pt-BR": "k, p e ε não são três escalas"}
    assert promises[language] in page
    content = json.loads((tmp_path / "out/kinds.json").read_text())
    assert content["releases"][0]["kind"] == "original"


def test_a_kind_that_the_policy_does_not_allow_for_is_left_out_unless_asked_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    masked = {"role": "quasi-identifier", "hierarchy": {"mask": "right"}}
    rules = {**POLICY, "attributes": {**POLICY["attributes"], "age": masked}}
    monkeypatch.setattr(study, "MAKERS", {"sampling": study.MAKERS["sampling"]})
    assert "depends on the data" in families(people(400), rules).skipped["sampling"]
    with pytest.raises(PolicyError, match="depends on the data"):
        families(people(400), rules, kind={"sampling": None})


def test_refusals() -> None:
    with pytest.raises(PolicyError, match="no kind"):
        families(people(400), POLICY, kind={"magic": None})
    bare = {"attributes": {"age": {"role": "quasi-identifier"}}}
    with pytest.raises(PolicyError, match="sensitive"):
        families(people(400), bare)


TOML = """
[data]
path = "people.csv"
[attributes]
age = { role = "quasi-identifier", hierarchy = { intervals = [10] } }
city = { role = "quasi-identifier" }
note = { role = "identifier" }
ill = { role = "sensitive" }
"""


def test_the_command(tmp_path: Path) -> None:
    from pyarrow import csv

    csv.write_csv(people(600), tmp_path / "people.csv")
    (tmp_path / "p.toml").write_text(TOML)
    said = cobogo("kinds", "p.toml", "--kind", "recoding=5", "--out", "out", cwd=tmp_path)
    assert said.splitlines()[1].split()[0] == "original"
    assert "out/kinds.html" in said
    cobogo("kinds", "p.toml", "--kind", "recoding=many", cwd=tmp_path, code=2)
