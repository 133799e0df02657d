"""The page about attacks: every attack and option is there, and every example says what it says."""

from __future__ import annotations

import contextlib
import io
import re
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest
from press.blocks import blocks as all_blocks

import cobogo as cb
from cobogo.examine.attacks import ATTACKS
from cobogo.examples.ceara import generate
from cobogo.faces.cli.main import app
from support.paths import ROOT

pytestmark = pytest.mark.slow

PAGE = (ROOT / "docs" / "attacks.md").read_text(encoding="utf-8")
README = (ROOT / "README.md").read_text(encoding="utf-8")
EVERYWHERE = {"threshold": "0.5", "attribute": "none", "columns": "none"}
"""Options that the page explains once, with the defaults they have unless a table says otherwise."""


def blocks(text: str, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("name", ATTACKS)
def test_every_attack_and_its_options_are_explained(name: str) -> None:
    found = re.search(rf"^### {name}\n(.*?)(?=^##|\Z)", PAGE, re.MULTILINE | re.DOTALL)
    assert found, "there is no heading"
    text = found[1]
    assert "**finds**" in text.lower()
    listed = dict(re.findall(r"^\| `(\w+)` \| `?([^|`]*)`? \|", text, re.MULTILINE))
    for option in fields(ATTACKS[name]):  # type: ignore[arg-type]
        default = option.default
        shown = "none" if default is None else str(default).lower() if isinstance(default, bool) else str(default)
        stated = listed.pop(option.name, EVERYWHERE.get(option.name))
        assert stated is not None, option.name
        assert stated.strip('"') == shown, option.name
    assert not listed
    assert "```python" in text


def test_the_examples_run_and_say_what_they_say(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {}
    for block in blocks(PAGE, "python"):
        said = io.StringIO()
        with contextlib.redirect_stdout(said):
            exec(block, names)
        assert said.getvalue().splitlines() == re.findall(r"^print\(.*\)  # (.*)$", block, re.MULTILINE)


def test_the_commands_of_the_page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    for block in all_blocks(README):
        if block.title in ("patients.csv", "policy.toml"):
            Path(block.title).write_text(block.body, encoding="utf-8")
    cb.anonymize("policy.toml").write("release")
    for block in blocks(PAGE, "console"):
        for command, expected in re.findall(r"^\$ cobogo (.*)\n((?:(?!\$ ).*\n)*)", block, re.MULTILINE):
            capsys.readouterr()
            with pytest.raises(SystemExit) as stop:
                app(args=command.split())
            assert capsys.readouterr().out == expected
            assert (stop.value.code or 0) == (0 if "No row" in expected else 1)


def test_how_many_of_the_demo_s_people_are_unique() -> None:
    people = generate()
    rules = {
        "attributes": {
            "nome": {"role": "identifier"},
            "cpf": {"role": "identifier"},
            "localidade": {"role": "quasi-identifier", "hierarchy": {"path": "/"}},
            "data_nascimento": {"role": "quasi-identifier"},
            "raca_cor": {"role": "sensitive"},
        }
    }
    asked = {"district and birth date": None, "birth date": ("data_nascimento",), "district": ("localidade",)}
    for words, columns in asked.items():
        found = cb.attack("record-linkage", people, knowledge=people, policy=rules, columns=columns)
        assert re.search(rf"\| {words} \| {len(found.exposed) / 20_000:.1%} \|".replace("%", " %"), PAGE)
