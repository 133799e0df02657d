"""Routes and pages call the service and nothing below it; what changes something on a page is an action."""

from __future__ import annotations

import ast
from pathlib import Path
from unittest.mock import MagicMock

import pytest

from cobogo.faces import server
from cobogo.faces.server.services import Services
from cobogo.faces.server.services.operation import READS, Subject

SERVER = Path(server.__file__).parent
WORKBENCH = SERVER.parent / "workbench"
FACES = [*sorted((SERVER / "routes").glob("*.py")), *sorted(WORKBENCH.rglob("*.py"))]

OPEN = ("services", "routes", "roles", "schemas", "settings")
"""Modules and packages of the server that faces may import: operations, and plain words."""
HIDDEN = ("._context", "._queue", "app.state.context", "app.state.queue")
"""What is below the service, as code would reach it."""
NAMES = {"keys": {"Holder"}}
"""Names that they may import of others: a holder is a value."""

SUBJECTS = {
    name: type(subject)
    for name, subject in vars(Services(MagicMock(), MagicMock())).items()
    if isinstance(subject, Subject)
}
"""The subjects of the service, as pages name them."""

UNSCOPED = {"find", "check", "recognise"}
"""What pages may call besides operations that only read, and properties: a look for what may not be there, whether
there is a curator, and whose key was given. Every other operation is an action, which is in the log."""

ACTING = {"actions.py", "session.py", "app.py", "files.py"}
"""The actions; who is logged in; where pages are mounted; downloads, which the middleware writes in the log."""


def _below(tree: ast.AST) -> list[str]:
    """What a module imports of the server below its service, late imports too, or reaches through it."""
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and str(node.module).startswith("cobogo.faces.server"):
            part = str(node.module).removeprefix("cobogo.faces.server").lstrip(".").partition(".")[0]
            wanted = [one.name for one in node.names]
            closed = wanted if part else [name for name in wanted if name not in OPEN]
            if part not in OPEN:
                found += [f"{part}.{name}" for name in closed if name not in NAMES.get(part, ())]
        elif isinstance(node, ast.Import):
            found += [one.name for one in node.names if one.name.startswith("cobogo.faces.server")]
        elif isinstance(node, ast.ImportFrom) and str(node.module).partition(".")[0] == "sqlalchemy":
            found.append("sqlalchemy")
        elif isinstance(node, ast.Attribute) and ast.unparse(node).endswith(HIDDEN):
            found.append(ast.unparse(node))
    return found


def _effects(tree: ast.AST) -> list[str]:
    """The operations that a page calls, or takes, that are no reads; a subject that it takes whole, too."""
    found, inside = [], {node.value for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
    for node in ast.walk(tree):
        if not isinstance(node, ast.Attribute):
            continue
        name = ast.unparse(node)
        if node.attr == "service" and node not in inside:
            found.append(name)
        whole, _, rest = name.rpartition("service.")
        if whole == "" and not name.startswith("service."):
            continue
        subject, _, operation = rest.partition(".")
        if subject in SUBJECTS and ("." not in operation) and (operation or node not in inside):
            found += [] if _reads(SUBJECTS[subject], operation) else [name]
    return found


def _reads(subject: type[Subject], operation: str) -> bool:
    found = getattr(subject, operation, None)
    return operation in UNSCOPED or isinstance(found, property) or getattr(found, "__qualname__", "") in READS


@pytest.mark.parametrize("file", FACES, ids=lambda file: "/".join(file.parts[-2:]))
def test_a_face_imports_nothing_below_the_service(file: Path) -> None:
    wrong = _below(ast.parse(file.read_text(encoding="utf-8")))
    assert [one for one in wrong if not (file == WORKBENCH / "app.py" and one.startswith("app.state."))] == []


@pytest.mark.parametrize("file", sorted(WORKBENCH.rglob("*.py")), ids=lambda file: "/".join(file.parts[-2:]))
def test_a_page_reads_and_everything_else_is_an_action(file: Path) -> None:
    assert file.name in ACTING or _effects(ast.parse(file.read_text(encoding="utf-8"))) == []


@pytest.mark.parametrize(
    "code",
    [
        "from cobogo.faces.server.state import JOBS",
        "from cobogo.faces.server import queue",
        "import cobogo.faces.server.drafts",
        "def late():\n    from cobogo.faces.server.rows import PAGES",
        "from cobogo.faces.server.keys import Keys",
        "from sqlalchemy import select",
        "desk.service.jobs._queue.cancel(job)",
        "request.app.state.context.files",
    ],
)
def test_a_face_that_reaches_below_is_noticed(code: str) -> None:
    assert _below(ast.parse(code))


@pytest.mark.parametrize(
    "handler",
    [
        "desk.service.releases.delete(holder, identity)",
        "await run.io_bound(self.desk.service.jobs.cancel, holder, job)",
        "jobs = desk.service.jobs",
        "service = desk.service",
        "self.desk.service.curator.ask(holder, text)",
    ],
)
def test_a_handler_with_an_effect_of_its_own_is_noticed(handler: str) -> None:
    assert _effects(ast.parse(handler))
