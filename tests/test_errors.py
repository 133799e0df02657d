"""Errors for people and programs: every code has its section in both languages, and an error keeps its parts."""

from __future__ import annotations

import functools
import json
import pickle
import re
from collections.abc import Callable
from typing import Any

import pandas as pd
import pytest

import cobogo as cb
from cobogo import errors
from cobogo.answer.curator import Curator
from cobogo.answer.session import AnalystSession
from cobogo.errors import CobogoError, PolicyError, UnfitValues, python_words
from cobogo.floor.language import join, speech, tr
from cobogo.floor.language.errors import change_error, error_from_json, error_to_json, gather_errors
from support.paths import ROOT

CODE = re.compile(r"COBOGO-[A-Z]+(?:-[A-Z]+)*")


def codes_of_the_program() -> set[str]:
    sources = (ROOT / "src" / "cobogo").rglob("*.py")
    return {code for file in sources for code in re.findall(rf'"({CODE.pattern})"', file.read_text(encoding="utf-8"))}


@pytest.mark.parametrize("page", ["docs/errors.md", "docs/pt/errors.md"])
def test_every_code_has_a_section_and_every_section_a_code(page: str) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    sections = re.findall(rf"^### ({CODE.pattern})$", text, re.MULTILINE)
    assert len(sections) == len(set(sections))
    assert set(sections) == codes_of_the_program()
    for section in re.split(r"^### .*$", text, flags=re.MULTILINE)[1:]:
        assert re.search(r"\w", section.partition("\n## ")[0]), "a section says something"


def test_messages_on_the_pages_end_with_codes_that_exist() -> None:
    known = codes_of_the_program()
    for page in ("docs/errors.md", "docs/pt/errors.md"):
        blocks = re.findall(
            r"^```text\n(.*?)^```$", (ROOT / page).read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL
        )
        for block in blocks:
            last = block.splitlines()[-1].strip()
            assert last.startswith("[")
            assert set(CODE.findall(last)) <= known


def test_each_class_has_its_own_code() -> None:
    classes = [kind for kind in vars(errors).values() if isinstance(kind, type) and issubclass(kind, CobogoError)]
    codes = [kind.code for kind in classes]
    assert len(codes) == len(set(codes))


def test_several_errors_are_one() -> None:
    key = PolicyError(tr("unknown key"), where="data.pth", remedy=tr("Check the path."), code="COBOGO-POLICY-KEY")
    type_ = PolicyError(tr("must be a table"), where="attributes.x", code="COBOGO-POLICY-TYPE")
    both = gather_errors([key, type_], "p.toml")
    assert str(both) == "p.toml: 2 errors:\ndata.pth: unknown key. Check the path.\nattributes.x: must be a table."
    assert both.code == "COBOGO-POLICY"
    assert gather_errors([key, key], "p.toml").code == "COBOGO-POLICY-KEY"
    told = json.loads(json.dumps(error_to_json(both)))
    assert [one["code"] for one in told["errors"]] == ["COBOGO-POLICY-KEY", "COBOGO-POLICY-TYPE"]
    again = error_from_json(told)
    assert str(again) == str(both)
    assert speech("pt-BR").error(again) == speech("pt-BR").error(both)


def test_one_error_keeps_its_place_and_its_code() -> None:
    one = gather_errors([PolicyError("unknown key", where="data.pth", code="COBOGO-POLICY-KEY")], "p.toml")
    assert str(one) == "p.toml, data.pth: unknown key."
    assert one.code == "COBOGO-POLICY-KEY"
    assert not one.errors


def test_an_error_that_is_changed_keeps_its_template() -> None:
    error = UnfitValues(tr("{file} is wrong", file="/srv/a.csv"), ["x"], where=join(["/srv/a.csv", "x"], ", "))
    hidden = change_error(error, lambda text: text.replace("/srv/", ""))
    assert str(hidden) == "a.csv, x: a.csv is wrong."
    assert hidden.code == "COBOGO-HIERARCHY-VALUES"


def test_texts_survive_a_process() -> None:
    text = tr("{file}, line {line}", file="a.csv", line=3)
    assert pickle.loads(pickle.dumps(text)).template == text.template


def test_the_portuguese_page_shows_the_same_errors() -> None:
    shown = [
        re.findall(r"^ +(\[COBOGO-.*\])$", (ROOT / page).read_text(encoding="utf-8"), re.MULTILINE)
        for page in ("docs/errors.md", "docs/pt/errors.md")
    ]
    assert shown[0]
    assert shown[0] == shown[1]


def test_mistakes_in_python_are_told_in_the_words_of_python() -> None:
    """Arguments instead of options, and functions instead of commands."""
    people = pd.DataFrame({"age": [1, 2], "ill": ["a", "b"]})
    policy = cb.Policy({"age": cb.quasi(), "ill": cb.sensitive()}, [cb.KAnonymity(2)])
    wrong = cb.Policy({"age": cb.quasi(), "ill": cb.sensitive()}, [{"model": "k-anonymity", "k": "5a"}])
    release = cb.anonymize(people, policy)
    calls: dict[str, Callable[[], Any]] = {
        "inspect(data).policy()": lambda: cb.risk(people),
        "Got DataFrame instead": lambda: cb.anonymize(people),
        "release.write": lambda: cb.verify(release),  # type: ignore[arg-type]
        "Write it first": lambda: cb.audit(release),  # type: ignore[arg-type]
        "combinations: must be": lambda: cb.risk(people, policy, combinations=0),
        'vary={"k"': lambda: cb.frontier(people, policy, vary={}),
        "kind: there is no kind": lambda: cb.families(people, policy, kind={"magic": None}),
        '`cb.explain("algorithms")` shows all': lambda: cb.compare(people, policy, algorithms=["magic"]),
        '`cb.explain("attacks")` shows all': lambda: cb.attack("magic", release),
        "`cb.explain` shows all": lambda: cb.explain("magic"),
        '`cb.explain("k-anonymity")` describes': lambda: cb.anonymize(people, wrong),
    }
    for said, call in calls.items():
        with pytest.raises(cb.CobogoError) as refused:
            call()
        text = str(refused.value)
        assert said in text
        assert not re.search(r"--[a-z]|cobogo ", text), text


def test_what_is_called_instead_of_a_command_exists() -> None:
    """Of calls on objects, the class has the method."""
    places = {"cb": cb, "release": cb.Release, "vault": cb.Vault, "session": AnalystSession, "curator": Curator}
    for command in errors.CALLS:
        for name in command.split("|"):
            found = python_words(f"`cobogo {name.replace('(.+)', 'x')}`").strip("`")
            place, *parts = re.match(r"[\w.]+", found)[0].split(".")  # type: ignore[index]
            assert functools.reduce(getattr, parts, places[place])


def test_words_of_the_command_line_stay_on_the_command_line() -> None:
    error = CobogoError("no", where="--population-size", remedy="`cobogo list models`, or --set key=1, or --out.")
    assert error.message == "--population-size: no.\n`cobogo list models`, or --set key=1, or --out."
    assert str(error) == 'population_size: no.\n`cb.explain("models")`, or key=1, or path.'
    assert error_to_json(error)["message"] == error.message
