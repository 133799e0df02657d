"""The command line speaks two languages: nothing that the main job says is missing in either."""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest
from cobogo.floor.language.sentences import sentences, to_portuguese

import cobogo
from cobogo import errors
from cobogo.floor.language import parse_language, translate
from support.commands import cobogo as command

pytestmark = pytest.mark.slow

SOURCES = Path(cobogo.__file__).parent
MAIN_JOB = (
    "data", "examine/metrics", "examine/risk", "promises/models", "publish/admission.py", "publish/anonymize.py",
    "publish/recode", "publish/registry", "release", "studies/comparison.py", "studies/frontier.py",
    "faces/server/drafts.py", "faces/workbench/actions.py", "faces/workbench/draft.py", "faces/workbench/session.py",
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
        assert to_portuguese(one.english.replace("{}", "«v»")).count("«v»") == one.english.count("{}")


def test_a_language_that_is_not_spoken(tmp_path: Path) -> None:
    assert "en or pt-BR" in command("list", "models", "--lang", "fr", cwd=tmp_path, code=2)
    assert "needs a language" in command("list", "models", "--lang", cwd=tmp_path, code=2)
    assert parse_language("PT-br") == "pt-BR"
    assert translate(errors.CobogoError("never said before"), "pt-BR") == "never said before."
