"""The command line speaks two languages: nothing that the main job says is missing in either."""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

import cobogo
from cobogo import errors
from cobogo.data.policy import Policy
from cobogo.faces.cli.language import report_language
from cobogo.faces.cli.words import TEXTS
from cobogo.floor.language import language_of, translated
from cobogo.floor.language.sentences import in_portuguese, sentences
from support.commands import cobogo as command

SOURCES = Path(cobogo.__file__).parent
MAIN_JOB = (
    "data", "examine/metrics", "examine/risk", "promises/models", "publish/admission.py", "publish/anonymize.py",
    "publish/recode", "publish/registry", "release", "studies/comparison.py", "studies/frontier.py",
)  # fmt: skip
LETTERS = re.compile(r"[^\W\d_]{2}")
ERRORS = {name for name, kind in vars(errors).items() if isinstance(kind, type) and issubclass(kind, Exception)}


def templates(node: ast.expr | None) -> list[str]:
    """What an expression of text may say: its literal parts, with ``{}`` where values go; nothing if there are none."""
    match node:
        case ast.Constant(value=str(text)):
            return [text]
        case ast.JoinedStr(values=parts):
            return ["".join(part.value if isinstance(part, ast.Constant) else "{}" for part in parts)]  # type: ignore[misc]
        case ast.IfExp(body=one, orelse=other):
            return [*templates(one), *templates(other)]
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            return [a + b for a in templates(left) or ["{}"] for b in templates(right) or ["{}"]]
    return []


def spoken(node: ast.AST) -> list[ast.expr]:
    """The expressions of text in a node that end up in an error: its own, or what is put into a variable for it."""
    match node:
        case ast.Call(func=ast.Name(id="unfit"), args=[_, why, *_], keywords=words):
            return [why, *(word.value for word in words if word.arg == "remedy")]
        case ast.Call(func=ast.Name(id=name), args=arguments, keywords=words) if name in ERRORS:
            return [*arguments[:1], *(word.value for word in words if word.arg == "remedy")]
        case ast.Assign(targets=[ast.Name(id="what" | "remedy" | "OUR_FAULT")], value=value):
            return [value]
        case ast.Assign(
            targets=[ast.Tuple(elts=[ast.Name(id="what"), ast.Name(id="remedy")])], value=ast.Tuple(elts=both)
        ):
            return both
        case ast.Call(func=ast.Attribute(value=ast.Name(id="hints"), attr="append"), args=[value]):
            return [value]
    return []


def errors_of(*rooms: str) -> Iterator[str]:
    """Every sentence of an error that some rooms raise."""
    for room in rooms:
        place = SOURCES / room
        for file in [place] if place.is_file() else sorted(place.rglob("*.py")):
            for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
                for expression in spoken(node):
                    yield from (one for one in templates(expression) if LETTERS.search(one.replace("{}", "")))


def test_every_error_of_the_main_job_has_its_portuguese_and_no_other() -> None:
    listed = tomllib.loads((SOURCES / "floor/language/portuguese.toml").read_text(encoding="utf-8"))["errors"].keys()
    assert sorted(set(errors_of(*MAIN_JOB)) - listed) == []
    assert sorted(listed - set(errors_of("."))) == []


def test_sentences_have_the_same_values_in_both_languages() -> None:
    for one in sentences():
        assert one.english.count("{}") == one.portuguese.count("{}"), one.english
        assert in_portuguese(one.english.replace("{}", "«v»")).count("«v»") == one.english.count("{}")


def test_the_terminal_has_every_word_in_both_languages() -> None:
    english, portuguese = TEXTS["en"], TEXTS["pt-BR"]
    assert english.keys() == portuguese.keys()
    for key in english:
        assert set(re.findall(r"{\w+}", english[key])) == set(re.findall(r"{\w+}", portuguese[key])), key


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
    assert "papel sugerido" in portuguese("inspect", "a.csv")
    assert "maior" in portuguese("risk", "a.csv", "--policy", "p.toml")
    assert "não existe esse arquivo" in portuguese("inspect", "b.csv", code=2)
    assert "The release holds." in command("verify", "r", cwd=tmp_path), "the language is that of one call"


def test_the_policy_says_in_which_language_the_report_is(monkeypatch: pytest.MonkeyPatch) -> None:
    policy = {"attributes": {"a": {"role": "sensitive"}}}
    assert report_language(Policy.of(policy | {"report": {"language": "pt-BR"}})) == "pt-BR"
    assert report_language(None) == "en"
    monkeypatch.setenv("LC_ALL", "pt_BR.UTF-8")
    assert report_language(Policy.of(policy)) == "pt-BR"
    assert report_language(Policy.of(policy | {"report": {"language": "en"}})) == "en"


def test_a_language_that_is_not_spoken(tmp_path: Path) -> None:
    assert "en or pt-BR" in command("list", "models", "--lang", "fr", cwd=tmp_path, code=2)
    assert "needs a language" in command("list", "models", "--lang", cwd=tmp_path, code=2)
    assert language_of("PT-br") == "pt-BR"
    assert translated(errors.CobogoError("never said before"), "pt-BR") == "never said before."
