"""Everything that the pages name has a name, and every sentence of theirs can be gathered for translation."""

from __future__ import annotations

import ast
import re
from pathlib import Path
from typing import get_args

import pytest

pytest.importorskip("nicegui")

from cobogo.faces.server.roles import KeyRole
from cobogo.faces.server.schemas import Job
from cobogo.faces.server.services.jobs import AUDIT, RELEASE_JOBS
from cobogo.faces.workbench.header import DOOR, LANGUAGE_NAMES, PERSON
from cobogo.faces.workbench.labels import JOB_STATE, KIND, KIND_WHY, LOOKED, STEP
from cobogo.faces.workbench.pages.administering import MAY
from cobogo.faces.workbench.pages.running import RUN_WHY
from cobogo.faces.workbench.steps import DOORS, STEPS
from cobogo.floor.language import LANGUAGES
from support.paths import ROOT

FACES = ROOT / "src" / "cobogo" / "faces"
FILES = sorted(file for room in ("server", "workbench") for file in (FACES / room).rglob("*.py"))
SAYING = {"say", "tr", "trn", "plural", "Text"}


def test_every_page_door_role_kind_and_state_has_a_name() -> None:
    assert STEP.keys() == {step.name for step in STEPS}
    assert DOOR.keys() == set(DOORS)
    assert PERSON.keys() == {role.value for role in KeyRole}
    assert KIND.keys() == KIND_WHY.keys() == {*RELEASE_JOBS, AUDIT}
    assert LOOKED.keys() == {*RELEASE_JOBS, "original", "after"}
    states = set(get_args(Job.model_fields["state"].annotation))
    assert states == JOB_STATE.keys()
    assert MAY.keys() == PERSON.keys()
    assert RUN_WHY.keys() <= states
    assert LANGUAGE_NAMES.keys() == set(LANGUAGES)


def _sentence(call: ast.Call) -> ast.expr | None:
    name = call.func.id if isinstance(call.func, ast.Name) else getattr(call.func, "attr", "")
    return call.args[0] if name in SAYING and call.args else None


@pytest.mark.parametrize("file", FILES, ids=lambda file: str(file.relative_to(FACES)))
def test_no_sentence_is_hidden_from_the_catalogue(file: Path) -> None:
    """Those in a formatted string, and formatted strings themselves, are not gathered."""
    tree = ast.parse(file.read_text(encoding="utf-8"))
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
    hidden = [call.lineno for call in calls if isinstance(_sentence(call), ast.JoinedStr)]
    for text in (node for node in ast.walk(tree) if isinstance(node, ast.JoinedStr)):
        inside = (_sentence(call) for call in ast.walk(text) if isinstance(call, ast.Call))
        hidden += [
            text.lineno for one in inside if isinstance(one, ast.Constant) and re.search("[a-z]", str(one.value))
        ]
    assert hidden == []
