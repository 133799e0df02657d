"""The command line speaks English and Portuguese, and Spanish as far as its catalogue goes."""

from pathlib import Path

import pytest

from cobogo.data.policy import Policy
from cobogo.faces.cli.language import report_language, take_language
from support.commands import cobogo as command

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("place", ["before", "after"])
def test_the_main_job_in_portuguese(tmp_path: Path, place: str) -> None:
    (tmp_path / "a.csv").write_text("idade,mal\n" + "30,gripe\n31,dengue\n" * 5, encoding="utf-8")
    (tmp_path / "p.toml").write_text(
        '[data]\npath = "a.csv"\n[attributes]\n'
        'idade = { role = "quasi-identifier", hierarchy = { intervals = [10] } }\n'
        'mal = { role = "sensitive" }\n[privacy]\nmodels = [{ model = "k-anonymity", k = 6 }]\n',
        encoding="utf-8",
    )

    def portuguese(*arguments: str, code: int = 0) -> str:
        both = ("--lang", "pt-BR")
        given = (*both, *arguments) if place == "before" else (*arguments, *both)
        return command(*given, cwd=tmp_path, code=code)

    said = portuguese("anonymize", "p.toml", "--out", "r")
    assert "10 registros, 2 combinações distintas" in said
    assert "r/public (para entregar)" in said
    assert 'lang="pt-BR"' in (tmp_path / "r" / "evidence" / "report.html").read_text(encoding="utf-8")
    assert "A publicação se sustenta." in portuguese("verify", "r")
    assert "O papel é um palpite" in portuguese("inspect", "a.csv")
    assert "sabe que a pessoa está na tabela" in portuguese("risk", "a.csv", "--policy", "p.toml")
    assert "o arquivo não existe" in portuguese("inspect", "b.csv", code=2)
    assert "The release holds." in command("verify", "r", cwd=tmp_path), "the language is that of one call"


def test_spanish_says_what_it_knows(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("age,ill\n" + "30,flu\n31,dengue\n" * 5, encoding="utf-8")
    (tmp_path / "p.toml").write_text(
        '[data]\npath = "a.csv"\n[attributes]\nage = { role = "quasi-identifier" }\nill = { role = "sensitive" }\n'
        '[privacy]\nmodels = [{ model = "k-anonymity", k = 5 }]\n[report]\nlanguage = "es"\n',
        encoding="utf-8",
    )
    assert "10 registros, 2 combinaciones distintas" in command(
        "--lang", "es", "anonymize", "p.toml", "--out", "r", cwd=tmp_path
    )
    page = (tmp_path / "r" / "evidence" / "report.html").read_text(encoding="utf-8")
    assert 'lang="es"' in page
    assert "Informe de privacidad" in page
    (tmp_path / "p.toml").write_text('[report]\nlanguage = "fr"\n', encoding="utf-8")
    said = command("anonymize", "p.toml", "--lang", "es", cwd=tmp_path, code=2)
    assert "report.language: debe ser una de estas opciones: en, es, pt-BR. Se recibió 'fr'." in said


def test_the_policy_says_in_which_language_the_report_is(monkeypatch: pytest.MonkeyPatch) -> None:
    take_language([])  # as a command without --lang does; an earlier test may have had one
    policy = {"attributes": {"a": {"role": "sensitive"}}}
    assert report_language(Policy.of(policy | {"report": {"language": "pt-BR"}})) == "pt-BR"
    assert report_language(None) == "en"
    monkeypatch.setenv("LC_ALL", "pt_BR.UTF-8")
    assert report_language(Policy.of(policy)) == "pt-BR"
    assert report_language(Policy.of(policy | {"report": {"language": "en"}})) == "en"
