"""Two stewards on one server: nothing that one has is there for the other, by whatever route."""

from __future__ import annotations

import re

from cobogo.server.roles import SCOPES, Role
from server_world import World


def test_whatever_is_one_stewards_is_not_there_for_another(served, tmp_path) -> None:
    served.furnish(tmp_path)
    world = World(served, audited=False)
    paths = served.client.get("/api/v1/openapi.json").json()["paths"]
    of_stewards = [
        (method.upper(), path)
        for path, methods in paths.items()
        for method, told in methods.items()
        if "{identity}" in path and set(told["security"][0]["HTTPBearer"]) & SCOPES[Role.STEWARD]
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
