"""The page to sign and the impact report: from the evidence, verified with it, and without a value of the data."""

from __future__ import annotations

import hashlib
import json
import shutil
from pathlib import Path

import pytest

import cobogo
from cobogo.data.policy import Policy
from cobogo.errors import OutputError
from cobogo.studies.audit import audit
from cobogo.studies.statement import BLANK, BROWSERS, statement
from support.pages import HOSPITAL

COLUMNS = ["name", "record", "birth", "cep", "sex", "place", "schooling", "occupation", "payer", "salary", "diagnosis"]
DECLARED = {"controller": "Hospital <b>Infantil</b>", "legal-basis": "LGPD art. 7", "signatories": ["Ana", "Rui"]}


@pytest.fixture(scope="module")
def release(tmp_path_factory: pytest.TempPathFactory) -> Path:
    here = tmp_path_factory.mktemp("statement") / "hospital"
    shutil.copytree(HOSPITAL, here)
    rules = Policy.load(here / "improved.toml")
    declared = type(rules.responsibility).model_validate(DECLARED)
    cobogo.anonymize(rules.model_copy(update={"responsibility": declared})).write(here / "release")
    return here / "release"


@pytest.mark.parametrize("language", ["en", "pt-BR"])
def test_pages_say_who_what_and_what_remains_and_show_no_value(release: Path, language: str) -> None:
    statement(release).write(language=language)
    pages = [(release / "evidence" / f"{name}.html").read_text(encoding="utf-8") for name in ("statement", "impact")]
    source = hashlib.sha256((release.parent / "patients.csv").read_bytes()).hexdigest()
    for page in pages:
        assert "Hospital &lt;b&gt;Infantil&lt;/b&gt;" in page
        assert source in page
        assert BLANK in page  # the purpose was not declared
    rows = (release.parent / "patients.csv").read_text(encoding="utf-8").splitlines()[1:]
    values = {value for row in rows for value in row.split(";") if len(value) > 5}
    assert [value for value in values if any(value in page for page in pages)] == []
    assert cobogo.verify(release)
    assert "Infantil" not in "".join(file.read_text(encoding="utf-8") for file in (release / "public").iterdir())


@pytest.mark.parametrize(
    ("algorithm", "words"),
    [("optimal", "datas, dadas como períodos de 10 anos"), ("local", "dado como ano, períodos de 10 anos; *")],
)
def test_what_each_column_means_is_said_in_portuguese(tmp_path: Path, algorithm: str, words: str) -> None:
    (tmp_path / "a.csv").write_text("birth,ill\n" + "".join(f"198{n}-01-0{n},flu\n" for n in range(1, 9)))
    dates = {"dates": "%Y-%m-%d", "levels": ["%Y", "decade"], "top": True}
    columns = {"birth": {"role": "quasi-identifier", "hierarchy": dates}, "ill": {"role": "sensitive"}}
    models = [{"model": "k-anonymity", "k": 4}]
    rules = {"attributes": columns, "privacy": {"models": models}, "recoding": {"algorithm": algorithm}}
    cobogo.anonymize(tmp_path / "a.csv", rules).write(tmp_path / "release")
    statement(tmp_path / "release").write(language="pt-BR")
    assert words in (tmp_path / "release/evidence/impact.html").read_text("utf-8")


def test_a_file_that_changed_after_the_release_is_not_taken_for_its_input(release: Path, tmp_path: Path) -> None:
    copy = shutil.copytree(release.parent, tmp_path / "hospital") / "release"
    kept = json.loads((copy / "evidence/evidence.json").read_text(encoding="utf-8")) | {"home": str(copy.parent)}
    (copy / "evidence/evidence.json").write_text(json.dumps(kept), encoding="utf-8")
    words = "the hash is not that of what was released"
    assert words not in statement(copy).render("statement", language="en")
    with (copy.parent / "patients.csv").open("a", encoding="utf-8") as stream:
        stream.write("\n")
    assert words in statement(copy).render("statement", language="en")


def test_an_impact_report_says_whom_suppression_hit(tmp_path: Path) -> None:
    rows = [("F" if n % 2 else "M", n % 4) for n in range(400)] + [("", n % 2 + 7) for n in range(12)]
    (tmp_path / "a.csv").write_text(
        "sex,shoe,ill\n" + "".join(f"{s},{n},{'flu' if n % 3 else 'gout'}\n" for s, n in rows)
    )
    columns = {"sex": {"role": "quasi-identifier"}, "shoe": {"role": "quasi-identifier"}, "ill": {"role": "sensitive"}}
    models = [{"model": "k-anonymity", "k": 20}]
    rules = {"attributes": columns, "privacy": {"models": models}, "recoding": {"suppression-limit": 0.05}}
    cobogo.anonymize(tmp_path / "a.csv", rules).write(tmp_path / "release")
    page = statement(tmp_path / "release").render("impact", language="en")
    assert "Groups that lost more records than chance explains: sex (1), shoe (2)." in page


def test_attacks_are_not_tried_until_they_are(release: Path) -> None:
    assert "cobogo audit" in statement(release).render("statement", language="en")
    found = audit(release)
    found.write(release)
    page = statement(release).render("statement", language="en")
    assert f"a value of {found.people['value']} people inferred" in page


def test_a_release_that_promises_nothing_is_not_called_safe(release: Path, tmp_path: Path) -> None:
    roles = {name: {"role": "non-sensitive", "publish-unique": True} for name in ("place", "sex")}
    others = {name: {"role": "identifier"} for name in COLUMNS if name not in roles}
    mask = {"masking": {"columns": {"place": {"truncate": 3}}}, "data": {"separator": ";"}}
    cobogo.mask(release.parent / "patients.csv", {"attributes": {**roles, **others}, **mask}).write(tmp_path / "masked")
    page = statement(tmp_path / "masked").render("statement", language="en")
    assert "promises no model" in page
    assert "Every promised model holds" not in page


def test_a_release_without_evidence_is_refused(release: Path, tmp_path: Path) -> None:
    shutil.copytree(release / "public", tmp_path / "public")
    with pytest.raises(OutputError, match="no evidence"):
        statement(tmp_path)


@pytest.mark.skipif(not any(map(shutil.which, BROWSERS)), reason="no Chromium to print with")
def test_the_pages_are_printed(release: Path) -> None:
    statement(release).write(language="pt-BR", pdf=True)
    for name in ("statement", "impact"):
        assert (release / "evidence" / f"{name}.pdf").read_bytes().startswith(b"%PDF")
    assert b"/Count 1\n" in (release / "evidence/statement.pdf").read_bytes(), "one page for the person who signs"
    assert cobogo.verify(release)
