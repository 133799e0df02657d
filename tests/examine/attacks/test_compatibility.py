"""Masked releases: what each operator leaves of a value, and an audit that does not sign what it cannot look at."""

from __future__ import annotations

import json
from datetime import date, timedelta
from pathlib import Path

import numpy as np
import pytest

import cobogo as cb
from support.commands import cobogo

pytestmark = pytest.mark.slow

PEOPLE = 300
COLUMNS = ("cpf", "phone", "birth", "seen", "city", "income", "ill")
ROLES = """
[data]
path = "people.csv"
[attributes]
cpf = { role = "identifier" }
phone = { role = "identifier" }
birth = { role = "quasi-identifier" }
seen = { role = "quasi-identifier" }
city = { role = "quasi-identifier" }
income = { role = "quasi-identifier" }
ill = { role = "sensitive" }
[masking.columns]
"""
MASKED = {
    "cpf": "{ pseudonym = true }",
    "phone": '{ mask = "*", keep-last = 4 }',
    "birth": '{ days = 30, per = "cpf" }',
    "seen": '{ days = 30, per = "cpf" }',
    "city": "{ shuffle = true }",
    "income": "{ blur = 0.1 }",
}


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("masked")
    random = np.random.default_rng(8)
    rows = [",".join(COLUMNS)]
    for n in range(PEOPLE):
        born = date(1940, 1, 1) + timedelta(int(random.integers(25_000)))
        seen = date(2024, 1, 1) + timedelta(int(random.integers(300)))
        phone, pay = int(random.integers(10**8)), int(random.integers(1000, 20_000))
        city, ill = random.choice(["Crato", "Sobral"]), random.choice(["flu", "hiv", "gout"])
        rows.append(f"id{n},859{phone:08d},{born},{seen},{city},{pay},{ill}")
    (place / "people.csv").write_text("\n".join(rows) + "\n")
    return place


def masked(home: Path, name: str, columns: dict[str, str]) -> Path:
    text = ROLES + "".join(f"{column} = {how}\n" for column, how in columns.items())
    (home / f"{name}.toml").write_text(text)
    cobogo("mask", f"{name}.toml", "--out", name, "--quiet", cwd=home)
    return home / name


@pytest.fixture(scope="module")
def release(home: Path) -> Path:
    return masked(home, "all", MASKED)


def test_the_audit_of_a_masked_release_finds_whom_it_gives_away(home: Path, release: Path) -> None:
    said = cobogo("audit", "all", cwd=home, code=1)
    assert f"Re-identified: {PEOPLE}" in said
    found = json.loads((release / "evidence/audit.json").read_text())
    assert (found["verdict"], found["people"]["record"]) == ("exposed", PEOPLE)


@pytest.mark.parametrize("part", ["", "public"])
def test_days_between_dates_that_move_alike_find_people(home: Path, release: Path, part: str) -> None:
    found = cb.attack("record-linkage", release / part, knowledge=home / "people.csv", columns=("birth", "seen"))
    assert len(found.exposed) > 0.9 * PEOPLE
    alone = cb.attack("record-linkage", release / part, knowledge=home / "people.csv", columns=("birth",))
    assert len(alone.exposed) < 0.75 * PEOPLE
    assert len(alone.rows) == PEOPLE, "the window of each date holds its own record"


@pytest.mark.parametrize("column", ["phone", "income"])
def test_every_record_fits_whom_it_was_made_of(home: Path, release: Path, column: str) -> None:
    found = cb.attack("record-linkage", release, knowledge=home / "people.csv", columns=(column,))
    assert len(found.rows) == PEOPLE
    assert found.highest > 5 / PEOPLE


def test_a_truncated_value_fits_by_either_end(home: Path) -> None:
    for end in ("right", "left"):
        made = masked(home, f"cut-{end}", {"cpf": "{ null = true }", "phone": f'{{ truncate = 5, end = "{end}" }}'})
        found = cb.attack("record-linkage", made, knowledge=home / "people.csv", columns=("phone",))
        assert len(found.rows) == PEOPLE
        assert len(found.exposed) > 0.5 * PEOPLE if end == "left" else found.rows.any()


def test_how_often_a_pseudonym_occurs_tells_whose_it_is(home: Path) -> None:
    (home / "visits.csv").write_text("who,ill\n" + "".join(f"p{n},x\n" * (n + 1) for n in range(6)))
    (home / "visits.toml").write_text(
        '[data]\npath = "visits.csv"\n[attributes]\nwho = { role = "identifier" }\nill = { role = "sensitive" }\n'
        "[masking.columns]\nwho = { pseudonym = true }\n"
    )
    cobogo("mask", "visits.toml", "--out", "visits", "--quiet", cwd=home)
    found = cb.attack("record-linkage", home / "visits", knowledge=home / "visits.csv")
    assert found.confidence.tolist() == [1 / (n + 1) for n in range(6) for _ in range(n + 1)]


def test_what_nothing_can_be_linked_by_is_no_all_clear(home: Path) -> None:
    """Shuffled columns, and an identifier encrypted: nothing of a row follows from what is known of a person."""
    others = dict.fromkeys(("birth", "seen", "city", "income"), "{ shuffle = true }")
    masked(home, "mixed", {"cpf": "{ null = true }", "phone": "{ null = true }", **others})
    said = cobogo("audit", "mixed", cwd=home, code=1)
    assert "No verdict" in said
    assert "no released column depends on what is known" in said
    page = (home / "mixed/evidence/audit.html").read_text(encoding="utf-8")
    assert "No verdict" in page
    assert "✓" not in page.split("</section>")[0]
    said = cobogo("attack", "record-linkage", "mixed", "--knowledge", "people.csv", cwd=home, code=1)
    assert "Not tried" in said


def test_classes_of_masked_values_are_nobody_s(home: Path, release: Path) -> None:
    assert "--knowledge" in cobogo("attack", "homogeneity", release, cwd=home, code=2)
