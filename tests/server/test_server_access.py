"""Who may reach what: every route with every role, and strangers."""

from __future__ import annotations

import json
import re

import pytest

from cobogo.server.access import scope_of
from cobogo.server.app import SUBJECTS
from cobogo.server.roles import SCOPES, Role
from cobogo.server.routes import watching

OPEN = {"/health"}
OF_ANYBODY = {"/api/v1/me"}
NOBODY = "0123456789abcdef"


def _routes(served) -> list[tuple[str, str]]:
    document = served.client.get("/api/v1/openapi.json").json()
    paths = {(method.upper(), path) for path, methods in document["paths"].items() for method in methods}
    assert len(paths) > 20
    return sorted(paths)


def test_every_route_asks_for_a_scope_and_only_its_roles_pass(served) -> None:
    reached = {role: set() for role in Role}
    for method, path in _routes(served):
        url = re.sub(r"{\w+}", NOBODY, path)
        assert (served.client.request(method, url).status_code == 200) == (path in OPEN)
        for role in Role:
            headers = {"Authorization": f"Bearer {served.keys[role.value]}"}
            status = served.client.request(method, url, headers=headers).status_code
            assert status < 500, (method, path, role)
            if status not in (401, 403):
                reached[role].add((method, path))
    mounted = [(f"/api/v1{route.path}", route) for module in SUBJECTS for route in module.router.routes]
    mounted += [(route.path, route) for route in watching.router.routes]
    scopes = {(method, path): scope_of(route.endpoint) for path, route in mounted for method in route.methods}
    assert set(scopes) == set(_routes(served))
    for role in Role:
        allowed = {key for key, scope in scopes.items() if scope in SCOPES[role] or key[1] in OPEN | OF_ANYBODY}
        assert reached[role] == allowed
    stewards = {key for key, scope in scopes.items() if scope in SCOPES[Role.STEWARD]}
    assert len(stewards) > 10
    assert not stewards & reached[Role.ANALYST]


def test_what_is_somebody_elses_is_not_there(served) -> None:
    dataset = served.upload("steward").json()["id"]
    policy = {"dataset": dataset, "name": "p", "toml": served.policy}
    kept = served("steward", "POST", "/policies", json=policy).json()["id"]
    for path in (f"/datasets/{dataset}", f"/datasets/{dataset}/rows", f"/policies/{kept}"):
        assert served("steward", "GET", path).status_code == 200
        answers = [
            served("other", "GET", place) for place in (path, path.replace(dataset, NOBODY).replace(kept, NOBODY))
        ]
        assert [answer.status_code for answer in answers] == [404, 404]
        assert answers[0].content == answers[1].content
    assert served("other", "GET", "/datasets").json() == []
    asked = {"kind": "anonymize", "dataset": dataset, "toml": served.policy}
    assert served("other", "POST", "/jobs", json=asked).status_code == 404
    assert served("other", "DELETE", f"/datasets/{dataset}").status_code == 404
    assert served("other", "POST", "/policies", json=policy).status_code == 404


@pytest.mark.parametrize(
    "key",
    ["_", "x", "cobogo_0123456789abcdef_" + "A" * 43, "cobogo_' OR 1=1 --_x", "cobogo_\u00e9"],
    ids=["line", "short", "unknown", "injection", "accent"],
)
def test_what_is_no_key_opens_nothing(served, key) -> None:
    answer = served.client.get("/api/v1/datasets", headers={"Authorization": f"Bearer {key}".encode()})
    assert answer.status_code == 401
    assert answer.headers["WWW-Authenticate"] == "Bearer"


def test_a_key_is_kept_as_a_hash_narrowed_revoked_and_ends(served) -> None:
    made = served("admin", "POST", "/keys", json={"owner": "ana", "role": "steward", "scopes": ["releases"]}).json()
    served.keys["ana"] = made["key"]
    assert served("ana", "GET", "/releases").status_code == 200
    assert served("ana", "GET", "/datasets").status_code == 403
    raw = b"".join(file.read_bytes() for file in served.house.files.root.glob("state.db*"))
    assert made["key"].split("_", 2)[2].encode() not in raw
    assert b"$argon2id$" in raw
    wrong = {"owner": "ana", "role": "analyst", "scopes": ["data"]}
    assert served("admin", "POST", "/keys", json=wrong).status_code == 400
    assert served("admin", "DELETE", f"/keys/{made['id']}").status_code == 204
    assert served("ana", "GET", "/releases").status_code == 401
    served.keys["brief"] = served(
        "admin", "POST", "/keys", json={"owner": "b", "role": "steward", "days": 1e-9}
    ).json()["key"]
    assert served("brief", "GET", "/releases").status_code == 401


def test_the_log_tells_who_did_what_and_holds_no_secret(served) -> None:
    served.upload()
    served("analyst", "GET", "/datasets")
    lines = served("auditor", "GET", "/log?limit=10000").json()
    told = [(line["owner"], line["action"], line["status"]) for line in lines]
    assert (f"steward-{served.test}", "POST /datasets", 201) in told
    assert (f"analyst-{served.test}", "GET /datasets", 403) in told
    text = json.dumps(lines)
    assert "person 3" not in text
    assert not any(key in text for key in served.keys.values())


def test_too_many_requests_are_told_to_wait(served) -> None:
    served.house.pace.per_minute = 3
    answers = [served("auditor", "GET", "/releases") for _ in range(6)]
    assert [answer.status_code for answer in answers].count(429) >= 2
    assert int(answers[-1].headers["Retry-After"]) >= 1
