"""The OpenAPI document is what the server does: whatever is sent, the answer is one that the document tells of."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import hypothesis
import pytest
from hypothesis import HealthCheck
from hypothesis import strategies as st

from cobogo.faces.server.keys import RequestAllowance
from cobogo.faces.server.roles import SCOPES, KeyRole
from support.server_world import World

pytestmark = pytest.mark.slow

CAREFREE = {"deadline": None, "database": None, "suppress_health_check": list(HealthCheck)}
EXAMPLES = 10
WHO = ["steward", "steward", "analyst", "collector", "auditor", "admin", ""]


def _operations(served: Any) -> Iterator[Any]:
    import schemathesis

    document = served.client.get("/api/v1/openapi.json").json()
    assert document["openapi"].startswith("3.1")
    for found in schemathesis.openapi.from_dict(document).get_all_operations():
        yield found.ok()


def _answer(served: Any, case: Any, who: str) -> int:
    """Send a case; the answer must be one that the document describes, in status, type and shape."""
    from schemathesis import checks, openapi  # noqa: F401
    from schemathesis.specs.openapi.checks import (
        content_type_conformance,
        response_headers_conformance,
        response_schema_conformance,
        status_code_conformance,
    )

    headers = {"Authorization": f"Bearer {served.keys[who]}"} if who else {}
    kept = [
        checks.not_a_server_error,
        status_code_conformance,
        content_type_conformance,
        response_headers_conformance,
        response_schema_conformance,
    ]
    base = str(served.client.base_url)
    found = case.call_and_validate(base_url=base, headers=headers, checks=kept, timeout=60)
    return int(found.status_code)


@pytest.fixture
def world(served, tmp_path) -> Iterator[World]:
    """A server with something of everything in it, whose jobs only wait."""
    served.furnish(tmp_path)
    served.context.pace, served.context.strangers = RequestAllowance(10**6), RequestAllowance(10**6)
    world = World(served)
    limits = served.context.settings.limits.model_copy(update={"jobs_at_once": 0})  # from now on they only wait
    served.context.settings = served.context.settings.model_copy(update={"limits": limits})
    yield world
    for job in served("steward", "GET", "/jobs").json():
        served("steward", "POST", f"/jobs/{job['id']}/cancel")


def test_every_answer_is_documented_and_nothing_of_one_steward_is_there_for_another(world: World) -> None:
    _another_steward_finds_nothing(world)
    _good_requests_are_answered_on_every_route(world)


def _another_steward_finds_nothing(world: World) -> None:
    served = world.served
    paths = served.client.get("/api/v1/openapi.json").json()["paths"]
    of_stewards = [
        (method.upper(), path)
        for path, methods in paths.items()
        for method, told in methods.items()
        if "{identity}" in path and set(told["security"][0]["HTTPBearer"]) & SCOPES[KeyRole.STEWARD]
    ]
    assert len(of_stewards) > 15
    for method, path in of_stewards:
        url = path.format(**world.path(path)).removeprefix("/api/v1")
        body = next(iter(world.bodies(f"{method} {path}")), None)
        options = {"files": {"file": ("h.csv", body["file"])}} if path.endswith("/files") else {"json": body}
        theirs = served("other", method, url, **options)
        nobodys = served("other", method, re.sub(r"[0-9a-f]{16}", "0" * 16, url), **options)
        assert (theirs.status_code, nobodys.status_code) == (404, 404), (method, path, theirs.text)
        assert theirs.content == nobodys.content
    about = {"dataset": world.dataset, "name": "p", "toml": served.policy}
    wanted = [
        ("/policies", about),
        ("/jobs", {"kind": "anonymize", "dataset": world.dataset, "toml": served.policy}),
        ("/jobs", {"kind": "audit", "release": world.job}),
    ]
    for path, json in wanted:
        assert served("other", "POST", path, json=json).status_code == 404
    own = served.upload("other").json()["id"]
    mine = {"kind": "anonymize", "dataset": own, "policy": world.policy}
    assert served("other", "POST", "/jobs", json=mine).status_code == 404
    for path in ("/datasets", "/policies", "/jobs", "/releases", "/collections", "/registry"):
        assert [one["id"] for one in served("other", "GET", path).json()] == ([own] if path == "/datasets" else [])
    assert served("steward", "GET", f"/datasets/{world.dataset}").status_code == 200
    assert served("steward", "POST", f"/releases/{world.job}/verify").json()["holds"] is True


def _good_requests_are_answered_on_every_route(world: World) -> None:
    served, reached = world.served, set()
    operations = list(_operations(served))
    for operation in sorted(operations, key=lambda one: one.method == "delete"):
        media = next(iter(operation.body)).media_type if operation.body else None
        for body in world.bodies(operation.label) or [None]:
            given = {} if body is None else {"body": body, "media_type": media}
            for who in dict.fromkeys(WHO):
                case = operation.Case(path_parameters=world.path(operation.path, operation.method), **given)
                if _answer(served, case, who) < 300:
                    reached.add(operation.label)
    unanswered = {"POST /api/v1/location/nearest"}  # there is no service behind this server
    assert reached == {one.label for one in operations} - unanswered


@pytest.mark.evidence
def test_whatever_is_sent_is_answered_as_documented(world: World) -> None:
    from schemathesis import GenerationMode

    served = world.served
    for operation in _operations(served):
        modes = [GenerationMode.POSITIVE, *([GenerationMode.NEGATIVE] if operation.body or operation.query else [])]
        for mode in modes:
            _tried(world, operation, operation.as_strategy(generation_mode=mode))


def _tried(world: World, operation: Any, cases: Any) -> None:
    """Cases by themselves, and with something in them that is there: bad requests about good things go further."""

    @hypothesis.settings(**CAREFREE, max_examples=EXAMPLES)
    @hypothesis.given(case=cases, who=st.sampled_from(WHO), there=st.booleans(), real=st.integers(0, 3))
    def check(case: Any, who: str, there: bool, real: int) -> None:
        if there and operation.method != "delete":
            case.path_parameters = world.path(operation.path)
        for good in world.bodies(operation.label)[:1]:
            if isinstance(good, dict) and isinstance(case.body, dict):
                case.body |= {key: value for n, (key, value) in enumerate(good.items()) if n == real}
        _answer(world.served, case, who)

    check()
