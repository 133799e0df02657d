"""The map of the source documents is true: every command and call of it runs, and gives the figures that it states."""

from __future__ import annotations

import ast
import contextlib
import json
import re
from pathlib import Path
from typing import Any

import pytest
from press.blocks import command

import cobogo
from cobogo.examples import write_set
from cobogo.faces.cli.main import app
from cobogo.tell.reference.documents import NAMES, PRELUDE, Document, Item, documents, find_document, pages
from support.paths import ROOT


def outcome(item: Item, session: dict[str, Any]) -> str:
    """What a command says, on one line, or what the last line of a session returns."""
    if item.is_command:
        return " ".join(command(item.lines[0], item.section).split())
    *steps, last = ast.parse(item.run).body
    exec(compile(ast.Module(steps, []), item.section, "exec"), session)
    assert isinstance(last, ast.Expr)
    return repr(eval(compile(ast.Expression(last.value), item.section, "eval"), session))


def mistakes(document: Document, directory: Path, *, heavy: bool) -> list[str]:
    """The items whose figures differ, each with what came out."""
    write_set("documents", directory / "documents")
    session: dict[str, Any] = {}
    exec("\n".join(line.removeprefix(">>> ") for line in PRELUDE), session)
    wrong = []
    with contextlib.chdir(directory / "documents"):
        for item in document.items:
            if item.run and (heavy or not item.heavy):
                found = outcome(item, session)
                right = all(part in found for part in item.result) if item.is_command else [found] == [*item.result]
                wrong += [] if right else [f"{item.section} {item.run}\n  states {item.result}\n  gives {found}"]
    return wrong


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_commands_and_calls_give_the_figures_of_the_map(name: str, tmp_path: Path) -> None:
    assert mistakes(find_document(name), tmp_path, heavy=False) == []


@pytest.mark.evidence
@pytest.mark.parametrize("name", NAMES)
def test_so_do_those_that_take_long(name: str, tmp_path: Path) -> None:
    assert mistakes(find_document(name), tmp_path, heavy=True) == []


@pytest.mark.parametrize("document", documents(), ids=lambda document: document.name)
def test_every_item_says_where_it_leads_in_both_languages(document: Document) -> None:
    for item in document.items:
        assert item.text.keys() == {"en", "pt-BR"}, item
        assert not item.erratum or item.erratum.keys() == {"en", "pt-BR"}, item
        assert item.run or item.page or item.see, item
        assert bool(item.run) == bool(item.result), item
        assert not item.page or (ROOT / "docs" / f"{item.page}.md").exists(), item.page
        if item.see:
            name, _, section = item.see.partition(" ")
            assert section in [other.section for other in find_document(name).items], item.see


def test_the_pages_have_every_row_and_lead_to_pages_of_their_language() -> None:
    docs = ROOT / "docs"
    made = pages({path.relative_to(docs).as_posix() for path in docs.rglob("*.md")})
    for document in documents():
        for item in document.items:
            assert item.text["en"] in made["documents.md"]
            assert item.text["pt-BR"] in made["pt/documents.md"]
    for path, text in made.items():
        for target in re.findall(r"\]\(([\w/.-]+\.md)\)", text):
            assert (docs / path).parent.joinpath(target).exists(), target
    assert "(law.md)" in made["pt/documents.md"]
    assert "(../location-service.md)" in made["pt/documents.md"]


def test_a_part_of_a_document_is_explained(capsys: pytest.CaptureFixture[str]) -> None:
    with contextlib.suppress(SystemExit):
        app(args=["explain", "documents", "002", "3.1", "--json"])
    rows = json.loads(capsys.readouterr().out)
    assert {row["section"] for row in rows} == {"3.1"}
    with contextlib.suppress(SystemExit):
        app(args=["--lang", "pt-BR", "explain", "documents", "002", "Figura 2"])
    said = capsys.readouterr().out
    assert "cobogo anonymize figure2.toml" in said
    assert "Errata" in said


@pytest.mark.parametrize("words", [["documents", "005"], ["documents", "002", "9.9"], ["k-anonymity", "3.1"]])
def test_what_is_not_there_is_refused(words: list[str]) -> None:
    with pytest.raises(cobogo.CobogoError):
        app(args=["explain", *words])
