"""The command line as a new user would type it."""

import json
import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from cobogo.faces.cli.main import PANELS
from support.commands import Said, called

DATA = "name;age;city;disease\nAna;31;Sobral;flu\nBia;34;Sobral;cold\nCaio;52;Crato;flu\nDavi;58;Crato;cold\n"
POLICY = """
[data]
path = "a.csv"
separator = ";"
[attributes]
name = { role = "identifier" }
age = { role = "quasi-identifier", hierarchy = { intervals = [10, 20], top = true } }
city = { role = "quasi-identifier" }
disease = { role = "sensitive" }
[privacy]
models = [{ model = "k-anonymity", k = 2 }, { model = "l-diversity", l = 2 }]
"""


def cobogo(*words: object, cwd: Path, code: int = 0, **environment: str) -> Said:
    """Run a command: in this process, or in one of its own where an environment is given."""
    if not environment:
        return called(*words, cwd=cwd, code=code)
    done = subprocess.run(
        [sys.executable, "-c", "from cobogo.faces.cli.main import run; run()", *map(str, words)],
        capture_output=True,
        text=True,
        cwd=cwd,
        env={**os.environ, "COLUMNS": "200", **environment},
    )
    assert done.returncode == code, done.stdout + done.stderr
    assert "Traceback" not in done.stderr
    return Said(done.stdout, done.stderr)


@pytest.fixture
def here(tmp_path: Path) -> Path:
    (tmp_path / "a.csv").write_text(DATA, encoding="utf-8")
    (tmp_path / "p.toml").write_text(POLICY, encoding="utf-8")
    return tmp_path


def test_perturb_verify_and_what_fails(here: Path) -> None:
    policy = (
        POLICY.partition("[privacy]")[0]
        + """[privacy]
models = [{ model = "rho1-rho2-privacy", rho1 = 0.1, rho2 = 0.5 }]
[randomization]
method = "uniform"
"""
    )
    (here / "r.toml").write_text(policy, encoding="utf-8")
    said = cobogo("perturb", "r.toml", "--out", "out", cwd=here).stdout
    assert "rho1-rho2-privacy (disease, rho1 = 0.1, rho2 = 0.5): measured 0.5 ✓" in said
    assert "uniform of “disease”: 80% retained" in said
    assert "The release holds." in cobogo("verify", "out", cwd=here).stdout
    report = json.loads(cobogo("perturb", "r.toml", "--out", "out", "--json", cwd=here).stdout)
    assert (report["kind"], report["records"]) == ("randomization", 4)
    assert cobogo("perturb", "r.toml", "--out", "out", "--quiet", cwd=here).stdout == ""
    assert "nowhere" in cobogo("perturb", "r.toml", cwd=here, code=2).stderr
    assert "asks for nothing" in cobogo("perturb", "p.toml", "--out", "out", cwd=here, code=2).stderr
    (here / "s.toml").write_text(policy + "seed = 1\n", encoding="utf-8")
    assert "seed" in cobogo("perturb", "s.toml", "--out", "seeded", cwd=here, code=1).stderr
    assert "does NOT hold" in cobogo("verify", "seeded", cwd=here, code=1).stdout


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


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (("31", "abc"), ['"abc" first stands in row 1', 'attribute "age"', "1 record"]),
        (("name;age", "age;age"), ["stands twice"]),
        (("Ana;31;Sobral;flu", "Ana;31;Sobral"), ["line 2"]),
        (("name;", "nome;"), ['"nome"', "no role"]),
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


@pytest.mark.parametrize("what", ["models", "metrics", "algorithms", "attacks", "mechanisms"])
def test_list(here: Path, what: str) -> None:
    cobogo("list", what, cwd=here)
    assert isinstance(json.loads(cobogo("list", what, "--json", cwd=here).stdout), list)


def test_list_of_nothing_known(here: Path) -> None:
    assert "models" in cobogo("list", "mistakes", cwd=here, code=2).stderr


def test_inspect_shows_no_values_and_writes_a_policy_that_runs(here: Path) -> None:
    rows = "".join(
        f"{n} Silva;{20 + i % 40};{c};flu\n" for i, (n, c) in enumerate([("Ana", "Sobral"), ("Bia", "Crato")] * 60)
    )
    (here / "a.csv").write_text("nome;idade;cidade;doenca\n" + rows + "Caio Silva;30;Crato;cold\n" * 40)
    said = cobogo("inspect", "a.csv", "--write", "new.toml", cwd=here).stdout
    assert not [value for value in ("Silva", "Sobral", "flu") if value in said]
    text = (here / "new.toml").read_text()
    assert tomllib.loads(text)["data"] == {"path": "a.csv", "separator": ";", "encoding": "utf-8", "decimal": "."}
    (here / "new.toml").write_text(text.replace("CONFIRM ", ""))
    cobogo("anonymize", "new.toml", cwd=here)
    assert "is there already" in cobogo("inspect", "a.csv", "--write", "new.toml", cwd=here, code=2).stderr
    assert [c["column"] for c in json.loads(cobogo("inspect", "a.csv", "--json", cwd=here).stdout)] == [
        "nome", "idade", "cidade", "doenca",
    ]  # fmt: skip


def test_verify_of_what_is_no_release(here: Path) -> None:
    assert "not a Cobogó release" in cobogo("verify", ".", cwd=here, code=2).stderr
    assert "no such directory" in cobogo("verify", "none", cwd=here, code=2).stderr


def test_version_and_unknown_options(here: Path) -> None:
    assert cobogo("--version", cwd=here).stdout.startswith("cobogo 0.")
    cobogo("anonymize", "p.toml", "--nonsense", cwd=here, code=2)


def test_a_terminal_that_cannot_write_accents(here: Path) -> None:
    cobogo("anonymize", "p.toml", "--out", "out", cwd=here, PYTHONIOENCODING="ascii", PYTHONUTF8="0", LC_ALL="C")


@pytest.mark.parametrize(("old", "new"), [("dp", "answer"), ("ldp", "collect"), ("location", "locate")])
def test_a_former_name_is_refused_with_the_new_one(old: str, new: str, tmp_path: Path) -> None:
    said = cobogo(old, "plan", "x", cwd=tmp_path, code=2)
    assert said.stdout == ""
    assert said.stderr.startswith(f"cobogo: {old} is now {new}.")
    assert f"cobogo {new} plan …" in said.stderr


def test_help_shows_the_doors_in_order_of_use(tmp_path: Path) -> None:
    said = cobogo("--help", cwd=tmp_path, COLUMNS="200").stdout
    panels = ["Begin", "Publish", "Answer", "Collect", "Locate", "Examine", "Serve", "Look up"]
    assert [line.split()[1] for line in said.splitlines() if line.startswith("╭─")] == [
        "Options", *(panel.split()[0] for panel in panels)
    ]  # fmt: skip
    listed = [line.split()[1] for line in said.splitlines() if line.startswith("│ ") and line[2] != " "]
    assert [name for name in listed if not name.startswith("-")] == [
        name for panel in PANELS.values() for name in panel
    ]
