"""``cobogo list`` and ``cobogo explain``: everything, in both languages, and nothing wider than the terminal."""

import json
from pathlib import Path

import pytest

from cobogo.tell.reference.glossary import TERMS
from cobogo.tell.reference.sections import SECTIONS, lists
from support.small_job import cobogo


@pytest.mark.parametrize("what", ["models", "metrics", "algorithms", "attacks", "mechanisms", "glossary"])
def test_list(here: Path, what: str) -> None:
    cobogo("list", what, cwd=here)
    assert isinstance(json.loads(cobogo("list", what, "--json", cwd=here).stdout), list)


def test_list_of_nothing_known(here: Path) -> None:
    assert "models" in cobogo("list", "mistakes", cwd=here, code=2).stderr


def test_list_alone_lists_everything(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "90")
    said = cobogo("list", cwd=here).stdout
    names = {line.split()[0] for line in said.splitlines() if line and not line.startswith(" ")}
    assert {name for section in SECTIONS.values() for name in section.cards()} <= names
    assert all(str(section.title) in said for section in SECTIONS.values())
    assert json.loads(cobogo("list", "--json", cwd=here).stdout).keys() == {*lists(), "glossary"}


@pytest.mark.parametrize("width", [40, 64])
@pytest.mark.parametrize("words", [["list"], ["explain", "l-diversity"], ["explain", "t-closeness", "--lang", "pt-BR"]])
def test_nothing_is_wider_than_the_terminal(
    here: Path, words: list[str], width: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    assert [line for line in cobogo(*words, cwd=here).stdout.splitlines() if len(line) > width] == []


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("hierarchy", ["The levels through which", "In a policy"]),
        ("hierarquia", ["hierarchy (glossary)"]),
        ("Quasi-Identifier", ["names the person together", 'role = "quasi-identifier"']),
        ("semi-identificador", ["quasi-identifier (glossary)"]),
        ("reticulado", ["lattice (glossary)"]),
        ("promotor", ["prosecutor (glossary)"]),
        ("limite de supressao", ["suppression limit (glossary)", "suppression-limit = "]),
        ("k-anonimato", ["k-anonymity (privacy model)", 'models = [{ model = "k-anonymity", k = 5 }]']),
        ("l-diversity", ["kind: distinct, entropy or recursive; default: ", "l: whole number, at least 1; required"]),
    ],
)
def test_explain_knows_the_glossary_in_both_languages(here: Path, name: str, words: list[str]) -> None:
    said = cobogo("explain", name, cwd=here).stdout
    assert [word for word in words if word not in said] == []


def test_explain_in_portuguese(here: Path) -> None:
    said = cobogo("explain", "hierarchy", "--lang", "pt-BR", cwd=here).stdout
    assert said.startswith("hierarquia (glossário)")
    said = cobogo("explain", "k-anonymity", "--lang", "pt-BR", cwd=here).stdout
    for heading in ("Parâmetros", "Em uma política", "Fórmula", "Exemplo", "Garantia", "Limites", "Custo", "Artigo"):
        assert f"\n{heading}" in said
    assert "k: número inteiro, no mínimo 1; obrigatório" in said


def test_a_word_can_be_asked_for_by_its_kind(here: Path) -> None:
    assert "(glossary)" in cobogo("explain", "k-anonymity", "--kind", "glossary", cwd=here).stdout
    found = json.loads(cobogo("explain", "lattice", "--json", cwd=here).stdout)
    assert (found["name"], found["kind"]) == ("lattice", "glossary")
    assert "Did you mean" in cobogo("explain", "latice", cwd=here, code=2).stderr
    assert "glossary" in cobogo("explain", "lattice", "--kind", "word", cwd=here, code=2).stderr


def test_every_word_can_be_explained(here: Path) -> None:
    for term in TERMS:
        name = str(term.names).strip("[]").partition("; ")[0]
        cobogo("explain", name, cwd=here)
