"""``cobogo anonymize`` as a new user would type it."""

import json
import os
from pathlib import Path

import pytest

from support.small_job import DATA, POLICY, cobogo

pytestmark = pytest.mark.slow


def test_anonymize_verify_and_again(here: Path) -> None:
    said = cobogo("anonymize", "p.toml", "--out", "out", cwd=here, PYTHONUTF8="1").stdout
    assert "k-anonymity (k = 2): measured 2 ✓" in said
    assert "4 records" in said
    released = (here / "out/public/release.csv").read_text().splitlines()
    assert released[0] == "age;city;disease"
    assert sorted(released[1:]) == sorted(
        ["30-39;Sobral;flu", "30-39;Sobral;cold", "50-59;Crato;flu", "50-59;Crato;cold"]
    )
    assert "The release holds." in cobogo("verify", "out", cwd=here).stdout
    cobogo("anonymize", "p.toml", "--out", "out", cwd=here)
    assert json.loads(cobogo("verify", "out/public", "--json", cwd=here).stdout)["holds"] is True


def test_the_public_part_gives_nothing_away(here: Path) -> None:
    cobogo("anonymize", "p.toml", "--out", "out", cwd=here)
    public = "".join(file.read_text() for file in (here / "out/public").iterdir())
    assert not [word for word in ("Ana", ";31", "31;", "a.csv", str(here), "suppress") if word in public]


def test_quiet_says_nothing_and_json_says_it_all(here: Path) -> None:
    done = cobogo("anonymize", "p.toml", "--out", "out", "--quiet", cwd=here)
    assert (done.stdout, done.stderr) == ("", "")
    report = json.loads(cobogo("anonymize", "p.toml", "--out", "out", "--json", cwd=here).stdout)
    written = json.loads((here / "out/evidence/report.json").read_text())
    assert {
        key: report[key] for key in ("records", "suppressed", "levels", "classes", "metrics", "models", "risk")
    } == {key: written[key] for key in ("records", "suppressed", "levels", "classes", "metrics", "models", "risk")}


def test_a_dry_run_writes_nothing(here: Path) -> None:
    before = sorted(here.rglob("*"))
    assert "Nothing was written" in cobogo("anonymize", "p.toml", "--dry-run", cwd=here).stdout
    assert sorted(here.rglob("*")) == before


def test_no_place_to_write_is_an_error(here: Path) -> None:
    assert "--out" in cobogo("anonymize", "p.toml", cwd=here, code=2).stderr


def test_the_policy_may_say_where(here: Path) -> None:
    (here / "sub").mkdir()
    (here / "sub/p.toml").write_text(POLICY.replace('"a.csv"', '"../a.csv"') + '[output]\ndirectory = "mine"\n')
    cobogo("anonymize", "sub/p.toml", cwd=here)
    cobogo("verify", "sub/mine", cwd=here)


def test_no_solution_says_why_and_what_would_work(here: Path) -> None:
    (here / "p.toml").write_text(POLICY.replace("k = 2", "k = 3").replace("city = {", "city = { max-level = 0,"))
    said = cobogo("anonymize", "p.toml", "--out", "out", cwd=here, code=1).stderr
    assert 'The attribute that blocks most is "city"' in said
    assert "max-level" in said
    assert "no suppression limit would help" in said
    assert not (here / "out").exists()


def test_too_few_records_are_said_to_be_too_few(here: Path) -> None:
    (here / "p.toml").write_text(POLICY.replace("k = 2", "k = 300"))
    assert "give more records" in cobogo("anonymize", "p.toml", "--out", "out", cwd=here, code=1).stderr


def test_a_column_with_one_coarse_value_is_not_said_to_be_stars(here: Path) -> None:
    (here / "a.csv").write_text("postcode;ill\n" + "".join(f"60{n}00-000;flu\n" for n in range(100, 110)))
    (here / "p.toml").write_text(
        '[data]\npath = "a.csv"\nseparator = ";"\n[attributes]\nill = { role = "non-sensitive" }\n'
        'postcode = { role = "quasi-identifier", hierarchy = { mask = "right", character = "#" } }\n'
        '[privacy]\nmodels = [{ model = "k-anonymity", k = 10 }]\n'
    )
    assert "postcode: the same value in every record" in cobogo("anonymize", "p.toml", "--out", "o", cwd=here).stdout


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (("31", "abc"), ['"abc" first appears in row 1', 'attribute "age"', "1 record"]),
        (("name;age", "age;age"), ['"age" appears twice']),
        (("Ana;31;Sobral;flu", "Ana;31;Sobral"), ["line 2"]),
        (("name;", "nome;"), ["attributes.name: is not a column", 'Did you mean "nome"']),
    ],
)
def test_bad_data_is_named(here: Path, change: tuple[str, str], words: list[str]) -> None:
    (here / "a.csv").write_text(DATA.replace(*change))
    said = cobogo("anonymize", "p.toml", "--out", "out", cwd=here, code=2).stderr
    assert all(word in said for word in words), said
    assert not (here / "out").exists()
    assert "flu" not in said


def test_a_table_without_records(here: Path) -> None:
    (here / "a.csv").write_text(DATA.splitlines()[0] + "\n")
    assert "has no records" in cobogo("anonymize", "p.toml", "--out", "out", cwd=here, code=2).stderr


def test_one_record_has_no_solution_for_two(here: Path) -> None:
    (here / "a.csv").write_text("\n".join(DATA.splitlines()[:2]) + "\n")
    cobogo("anonymize", "p.toml", "--out", "out", cwd=here, code=1)


def test_a_foreign_directory_is_not_touched(here: Path) -> None:
    (here / "out").mkdir()
    (here / "out/thesis.doc").write_text("precious")
    assert "did not write" in cobogo("anonymize", "p.toml", "--out", "out", cwd=here, code=2).stderr
    assert os.listdir(here / "out") == ["thesis.doc"]


def test_a_column_that_singles_people_out_is_refused(here: Path) -> None:
    rows = "".join(f"n{i};{20 + i % 40};Sobral;{['flu', 'cold'][i % 2]}\n" for i in range(120))
    (here / "a.csv").write_text("name;age;city;disease\n" + rows)
    (here / "p.toml").write_text(POLICY.replace('"identifier"', '"non-sensitive"', 1))
    assert "publish-unique" in cobogo("anonymize", "p.toml", "--out", "out", cwd=here, code=2).stderr
    (here / "p.toml").write_text(POLICY.replace('"identifier"', '"non-sensitive", publish-unique = true', 1))
    cobogo("anonymize", "p.toml", "--out", "out", cwd=here)


def test_few_records_that_are_singled_out_are_a_warning(here: Path) -> None:
    (here / "p.toml").write_text(POLICY.replace('"identifier"', '"non-sensitive"', 1))
    assert "warning" in cobogo("anonymize", "p.toml", "--out", "out", cwd=here).stderr
