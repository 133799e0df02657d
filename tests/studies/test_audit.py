"""``cobogo audit``: every attack that applies, and a page in the evidence that changes nothing else."""

from __future__ import annotations

import csv
import json
import random
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import openpyxl
import pytest

import cobogo as cb
from cobogo.examine.attacks import ATTACKS
from cobogo.studies import audit as audits
from support.registry_commands import command

pytestmark = pytest.mark.slow

POLICY = """
[data]
path = "people.csv"

[attributes]
name    = { role = "identifier" }
age     = { role = "quasi-identifier", hierarchy = { intervals = [10, 100] } }
city    = { role = "quasi-identifier" }
illness = { role = "sensitive" }

[privacy]
models = [{ model = "k-anonymity", k = 4 }]

[recoding]
suppression-limit = 0.3

[registry]
path = "registry.db"
dataset = "people"

[report]
language = "pt-BR"
"""


@pytest.fixture
def home(workplace: Path) -> Path:
    draw = random.Random(5)
    with (workplace / "people.csv").open("w", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow(["name", "age", "city", "illness"])
        for n in range(80):
            writer.writerow([f"Nome{n}", draw.randrange(20, 50), draw.choice("AB"), draw.choice(["flu", "gout"])])
    (workplace / "policy.toml").write_text(POLICY)
    assert command("registry", "init") == 0
    assert command("anonymize", "policy.toml", "--out", "release", "--quiet") == 0
    return workplace


def test_an_audit_is_put_into_the_evidence_and_the_release_still_holds(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = (home / "release/public/manifest.json").read_bytes()
    code = command("audit", "release")
    found: dict[str, Any] = json.loads((home / "release/evidence/audit.json").read_text())
    assert code == (0 if found["nobody_exposed"] else 1)
    assert (home / "release/public/manifest.json").read_bytes() == before
    assert cb.verify("release")
    page = (home / "release/evidence/audit.html").read_text(encoding="utf-8")
    assert "Auditoria de uma publicação" in page, "the policy's language"
    assert "assinatura" in page
    assert not any(f"Nome{n}" in page for n in range(80))
    assert "<script" not in page
    by_name = {entry["attack"]: entry for entry in found["attacks"]}
    assert by_name.keys() == ATTACKS.keys()
    assert by_name["record-linkage"]["tried"]
    assert by_name["record-linkage"]["exposed"] == 0, "k = 4: nobody is found with more than 1/2"
    assert by_name["record-linkage"]["highest"] <= 1 / 4
    assert not by_name["presence"]["tried"], "that everybody of the original is in it is known before"
    assert not by_name["duplicate"]["tried"], "nothing was made up"
    assert all("row" not in entry for entry in found["attacks"])
    capsys.readouterr()
    assert command("audit", "release", "--language", "en") == code, "an audit can be made again"
    assert "Audit of a release" in (home / "release/evidence/audit.html").read_text(encoding="utf-8")
    assert command("anonymize", "policy.toml", "--out", "release", "--quiet") == 0, "and the release be replaced"
    assert not (home / "release/evidence/audit.html").exists()


def test_earlier_releases_come_from_the_registry_or_by_name(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    coarser = POLICY.replace("intervals = [10, 100] }", "intervals = [10, 100] }, min-level = 2")
    (home / "coarser.toml").write_text(coarser)
    assert command("anonymize", "coarser.toml", "--out", "second", "--quiet") == 0
    capsys.readouterr()
    command("audit", "second", "--json")
    found = json.loads(capsys.readouterr().out)
    assert [Path(one).name for one in found["earlier"]] == ["release"]
    by_name = {entry["attack"]: entry for entry in found["attacks"]}
    for name in ("complementary", "temporal", "intersection", "differencing"):
        assert by_name[name]["tried"]
        assert by_name[name]["exposed"] == 0
    assert not (home / "second/evidence/audit.html").exists(), "--json writes nothing"
    found = audits.audit(home / "release", earlier=[home / "second"])
    assert {trial.name for trial in found.tried} >= {"complementary", "differencing"}
    (home / "registry.db.key").unlink()
    assert any("key" in note for note in audits.audit(home / "second").notes)


def test_what_cannot_be_audited(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert command("audit", "nowhere") == 2
    assert command("audit", "release", "--language", "fr") == 2
    assert command("audit", "release/public") == 2
    assert "has no evidence directory for the audit" in capsys.readouterr().err
    (home / "people.csv").unlink()
    found = audits.audit(home / "release")
    assert any("original table was not found" in note for note in found.notes)
    assert "record-linkage" in {trial.name for trial in found.untried}
    assert not found, "what was not tried says nothing"


def test_an_audit_says_what_is_found_and_what_anybody_knew(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A value that two of three share is guessed with 2/3 by anybody: that is no finding, and said to be none."""
    with (home / "people.csv").open("w", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow(["name", "age", "city", "illness"])
        for n in range(60):
            writer.writerow([f"Nome{n}", 20 + n % 2, "A", "gout" if n % 3 else "flu"])
    (home / "plain.toml").write_text(POLICY.replace('[registry]\npath = "registry.db"\ndataset = "people"\n', ""))
    assert command("anonymize", "plain.toml", "--out", "plain", "--quiet") == 0
    capsys.readouterr()
    assert command("attack", "homogeneity", "plain") == 0
    assert "(highest 0.6667, which anybody knows without the attack)" in capsys.readouterr().out
    assert command("--lang", "en", "audit", "plain") == 1, "who also knows one value that they do not have is sure"
    said = capsys.readouterr().out
    assert "No attack that was tried finds a person. Attacks infer a sensitive value of 60 people." in said
    assert "! 60 inferred" in said
    assert "✗" not in said, "nobody is found"
    page = (home / "plain/evidence/audit.html").read_text(encoding="utf-8")
    assert "facts = 1" in page, "what the attacker was taken to know"
    assert 'class="verdict caution"' in page, "as in the report of the same release"
    assert page.index("Re-identification: whose record it is") < page.index("Inference: what a person has")
    found = json.loads((home / "plain/evidence/audit.json").read_text())
    assert found["verdict"] == "inferred"
    assert found["people"] == {"record": 0, "value": 60, "presence": 0}
    by_name = {entry["attack"]: entry for entry in found["attacks"]}
    assert by_name["homogeneity"]["surest_before"] == pytest.approx(2 / 3)


def test_an_attack_is_tried_on_what_it_is_made_for(home: Path) -> None:
    """By the flags of its contract: the kind of release, how many of them, and what it needs."""
    kinds = {kind for attack in ATTACKS.values() for kind in attack.against or ()}
    assert kinds <= {"recoding", "buckets", "randomization", "perturbation", "synthesis"}
    found = audits.audit(home / "release")
    for trial in found.trials:
        made_for_it = trial.attack.against is None or "recoding" in trial.attack.against
        enough = trial.attack.releases[0] == 1 and trial.attack.needs <= {"knowledge"} and trial.attack.from_original
        if trial.findings is not None:
            assert made_for_it
            assert enough
        elif made_for_it and enough:
            assert "cannot use any sensitive attribute" in trial.why or "this release has none" in trial.why


class Tried(SimpleNamespace):
    """Findings of one person, or of nobody."""

    def __init__(self, found: bool, by: str = "confidence") -> None:
        super().__init__(exposed=[1] if found else [], by=by)

    def __bool__(self) -> bool:
        return bool(self.exposed)


@pytest.mark.parametrize(
    ("attacks", "verdict"),
    [
        ((), "nobody"),
        (("homogeneity",), "inferred"),
        (("homogeneity", "record-linkage"), "exposed"),
        (("presence",), "exposed"),
    ],
)
def test_to_find_a_person_is_another_verdict_than_to_infer_a_value(attacks: tuple[str, ...], verdict: str) -> None:
    trials = [
        audits.AttackTrial.from_attack(ATTACKS[name], cast("Any", Tried(name in attacks)))
        for name in ("homogeneity", "record-linkage", "presence")
    ]
    found = audits.Audit(release="r", sha256="", records=1, models=(), trials=tuple(trials), knowledge=None, earlier=())
    assert found.verdict == verdict
    assert bool(found) == (not attacks)


def test_the_original_is_read_as_the_policy_reads_it(tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    book.active.append(["List of students"])
    for line in (["age", "illness"], *([10 + n % 2, "gout" if n % 3 else "flu"] for n in range(40))):
        book.active.append(line)
    book.create_sheet("notes").append(["x"])
    book.save(tmp_path / "people.xlsx")
    place = {"path": str(tmp_path / "people.xlsx"), "sheet": "Sheet", "range": "A2:B42"}
    columns = {"age": {"role": "quasi-identifier"}, "illness": {"role": "sensitive"}}
    models = [{"model": "k-anonymity", "k": 4}]
    cb.anonymize({"data": place, "attributes": columns, "privacy": {"models": models}}).write(tmp_path / "release")
    found = audits.audit(tmp_path / "release")
    assert found.notes == ()
    assert "record-linkage" in {trial.name for trial in found.tried}


def test_people_with_several_records_are_counted_once(workplace: Path) -> None:
    visits = [(f"P{n // 3}", 20 + n // 3 % 4, ["flu", "gout", "flu", "cold"][n % 4]) for n in range(120)]
    (workplace / "visits.csv").write_text("who,age,illness\n" + "".join(f"{a},{b},{c}\n" for a, b, c in visits))
    policy = {
        "data": {"path": str(workplace / "visits.csv"), "unit": "who"},
        "attributes": {
            "who": {"role": "identifier"},
            "age": {"role": "quasi-identifier"},
            "illness": {"role": "sensitive"},
        },
        "privacy": {"models": [{"model": "k-anonymity", "k": 4}]},
    }
    cb.anonymize(policy).write("release")
    found = audits.audit("release")
    assert {trial.attacked for trial in found.tried} == {40}
    assert max(trial.exposed for trial in found.tried) <= found.people["value"] <= 40
    assert found.as_dict()["people"] == found.people
    assert "the guess is right if it is one of them" in Path("release/evidence/report.html").read_text()


def test_the_original_given_by_name_is_what_an_audit_takes_by_itself(home: Path) -> None:
    by_name, by_itself = audits.audit("release", knowledge="people.csv"), audits.audit("release")
    assert [trial.name for trial in by_name.tried] == [trial.name for trial in by_itself.tried]
    assert "presence" not in {trial.name for trial in by_name.tried}


def test_a_range_that_is_inferred_is_told_from_a_value(workplace: Path) -> None:
    wages = [f"{20 + n % 4},{1000 + n % 4 * 1000 + n // 4}" for n in range(80)]
    (workplace / "wages.csv").write_text("age,wage\n" + "\n".join(wages) + "\n")
    roles = {"age": {"role": "quasi-identifier"}, "wage": {"role": "sensitive"}}
    policy = {
        "data": {"path": str(workplace / "wages.csv")},
        "attributes": roles,
        "privacy": {"models": [{"model": "k-anonymity", "k": 4}]},
    }
    cb.anonymize(policy).write("release")
    found = audits.audit("release")
    guessed = [trial.name for trial in found.succeeded if trial.attack.finds == "value" and not trial.gains]
    assert guessed == ["similarity"]
    assert found.only_near
    found.write("release")
    page = Path("release/evidence/audit.html").read_text()
    assert "80 people is inferred roughly" in page
    assert "! 80 inferred roughly" in page
