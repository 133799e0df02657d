"""Who may reach what: every route with every role, and strangers."""

from __future__ import annotations

import json
import re
from contextlib import suppress
from pathlib import Path

import pytest

from cobogo.faces.server.keys import RequestAllowance
from cobogo.faces.server.roles import SCOPES, KeyRole

pytestmark = pytest.mark.slow

OPEN = {("GET", "/health")}
OF_ANYBODY = {("GET", "/api/v1/me"), ("GET", "/api/v1/location/mixzones")}
NOBODY = "0123456789abcdef"


def _scopes(served) -> dict[tuple[str, str], set[str]]:
    """The routes, and the scope that the document says each of them needs."""
    paths = served.client.get("/api/v1/openapi.json").json()["paths"]
    found = {
        (method.upper(), path): {
            scope for one in told.get("security", []) for scopes in one.values() for scope in scopes
        }
        for path, methods in paths.items()
        for method, told in methods.items()
    }
    assert len(found) > 40
    assert all(len(scopes) == 1 or route in OPEN | OF_ANYBODY for route, scopes in found.items())
    return found


def test_every_route_asks_for_a_scope_and_only_its_roles_pass(served) -> None:
    reached = {role: set() for role in KeyRole}
    for method, path in sorted(_scopes(served)):
        url = re.sub(r"{(identity|trip)}", NOBODY, path)
        assert (served.client.request(method, url).status_code == 200) == ((method, path) in OPEN)
        for role in KeyRole:
            named = url.replace("{name}", f"{role}-{served.test}")
            headers = {"Authorization": f"Bearer {served.keys[role.value]}"}
            status = served.client.request(method, named, headers=headers).status_code
            assert status < 500, (method, path, role)
            if status not in (401, 403):
                reached[role].add((method, path))
    scopes = _scopes(served)
    for role in KeyRole:
        allowed = {key for key, asked in scopes.items() if SCOPES[role] & asked or key in OPEN | OF_ANYBODY}
        assert reached[role] == allowed
    stewards = {key for key, asked in scopes.items() if SCOPES[KeyRole.STEWARD] & asked}
    assert len(stewards) > 10
    assert not stewards & reached[KeyRole.ANALYST]


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


def test_guesses_are_paced_before_they_are_hashed_and_every_one_is_in_the_log(served) -> None:
    served("auditor", "GET", "/me")  # a key that was seen before needs no hashing, and is not paced as a guess
    served.context.strangers = RequestAllowance(3)
    known = served.keys["steward"].split("_")[1]
    wrong = f"cobogo_{known}_" + "A" * 43
    made_up = [{"Authorization": f"Bearer {wrong}", "X-Forwarded-For": f"10.0.0.{n}"} for n in range(6)]
    answers = [served.client.get("/api/v1/datasets", headers=headers) for headers in made_up]
    answers += [
        served.client.post("/api/v1/datasets", headers=headers, files={"file": ("a.csv", "a\n1\n")})
        for headers in made_up[:2]
    ]
    assert [answer.status_code for answer in answers] == [401] * 3 + [429] * 5
    lines = [line for line in served("auditor", "GET", "/log?limit=10000").json() if line["key"] == known]
    assert [line["action"] for line in lines] == ["wrong key"] * 3  # as many as were hashed
    assert {line["object"] for line in lines} == {"127.0.0.1"}
    assert "AAAA" not in json.dumps(lines)
    served.context.strangers = RequestAllowance(3)
    assert [served("steward", "GET", "/datasets").status_code for _ in range(5)] == [200] * 5


def _state_bytes(root: Path) -> bytes:
    """What the state's database holds, read beginning with its log: that goes into the database, and then is gone."""
    found = b""
    for name in ("state.db-wal", "state.db"):
        with suppress(FileNotFoundError):
            found += (root / name).read_bytes()
    return found


def test_a_key_is_kept_as_a_hash_narrowed_revoked_and_ends(served) -> None:
    made = served("admin", "POST", "/keys", json={"owner": "ana", "role": "steward", "scopes": ["releases"]}).json()
    served.keys["ana"] = made["key"]
    assert served("ana", "GET", "/releases").status_code == 200
    assert served("ana", "GET", "/datasets").status_code == 403
    raw = _state_bytes(served.context.files.root)
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
    served.context.pace.per_minute = 3
    answers = [served("auditor", "GET", "/releases") for _ in range(6)]
    assert [answer.status_code for answer in answers].count(429) >= 2
    assert int(answers[-1].headers["Retry-After"]) >= 1
    assert served("steward", "GET", "/releases").status_code == 200  # whose key has a pace of its own
