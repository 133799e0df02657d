"""Help and what is refused before a command runs: in the language of the terminal, with a place and a remedy."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from cobogo.faces.cli.commands import help_texts
from cobogo.faces.cli.main import all_commands
from cobogo.floor.language import LANGUAGES, speech
from support.commands import called

TREE: Any = all_commands()
PATHS = [
    [],
    *([name] for name in TREE.commands),
    *([name, inside] for name, group in TREE.commands.items() for inside in getattr(group, "commands", {})),
]


@pytest.mark.parametrize("words", PATHS, ids=" ".join)
def test_help_is_wholly_portuguese_and_has_no_types_of_flags(words: list[str], tmp_path: Path) -> None:
    said = called(*words, "--help", "--lang", "pt-BR", cwd=tmp_path).stdout
    for english in ("Usage", "Options", "Arguments", "Commands", "required", "default", "exit.", "bool", "BOOLEAN"):
        assert not re.search(rf"\b{english}", said), english
    assert "Uso: cobogo" in said
    assert "Mostra esta mensagem e termina." in said


def test_every_text_of_help_has_a_translation() -> None:
    say = speech("pt-BR")
    same = {"en", "NAME"}
    assert [text for text in help_texts(TREE) if say(text) == text and text not in same] == []


@pytest.mark.parametrize(
    ("words", "english", "portuguese"),
    [
        (["anonimize"], "there is no command 'anonimize'.\nDid you mean \"anonymize\"?", "não há comando 'anonimize'."),
        (["collect", "encod"], "cobogo collect: there is no command 'encod'.", "cobogo collect: não há comando"),
        (
            ["anonymize"],
            "cobogo anonymize: the argument POLICY is missing.\nThe policy: a TOML file.",
            "falta o argumento",
        ),
        (["anonymize", "p", "--ot", "x"], 'there is no option --ot.\nDid you mean "--out"?', "não há opção --ot."),
        (["anonymize", "p", "--out"], "--out: needs a value.", "--out: precisa de um valor."),
        (["anonymize", "p", "--json=1"], "--json: takes no value.", "--json: não aceita valor."),
        (["anonymize", "p", "q"], "there are more arguments than the command takes: 'q'.", "há mais argumentos"),
        (["demo", "--rows", "x"], "--rows: must be a whole number. Got 'x' instead.", "deve ser um número inteiro."),
        (
            ["locate", "people", "--days", "400"],
            "--days: must be a whole number from 1 to 366. Got '400' instead.",
            "--days: deve ser um número inteiro de 1 a 366. Veio '400'.",
        ),
        (["collect", "encode", "c", "d"], "the option --column is required.", "a opção --column é obrigatória."),
    ],
)
def test_what_is_typed_wrong_is_an_error_with_a_remedy(
    words: list[str], english: str, portuguese: str, tmp_path: Path
) -> None:
    said = called(*words, cwd=tmp_path, code=2)
    assert said.stdout == ""
    lines = [line.strip() for line in said.stderr.splitlines()]
    assert english in "\n".join(lines).removeprefix("cobogo: ")
    assert len(lines) >= 2, "a remedy"
    assert portuguese in called(*words, "--lang", "pt-BR", cwd=tmp_path, code=2).stderr


def test_a_language_that_there_is_not(tmp_path: Path) -> None:
    called("list", "models", "--lang", "pt-BR", cwd=tmp_path)
    assert (
        f"--lang: must be one of {', '.join(LANGUAGES)}." in called("list", "--lang", "xx", cwd=tmp_path, code=2).stderr
    )
    assert "--lang: needs a language." in called("list", "--lang", cwd=tmp_path, code=2).stderr


def test_an_error_is_json_where_the_result_would_be(tmp_path: Path) -> None:
    said = called("anonymize", "nowhere.toml", "--json", "--lang", "pt-BR", cwd=tmp_path, code=2)
    error = json.loads(said.stdout)["error"]
    assert error["code"].startswith("COBOGO-")
    assert error["what"]["template"] == "no such file"
    assert "nowhere.toml: no such file." in error["message"], "English, for programs"
    assert "nowhere.toml: " in said.stderr
    again = called("anonymize", "nowhere.toml", cwd=tmp_path, code=2)
    assert again.stdout == "", "the next command is for a person"
