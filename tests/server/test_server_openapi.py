"""The OpenAPI document is what the server does: whatever is sent, the answer is one that the document tells of."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import hypothesis
from hypothesis import HealthCheck
from hypothesis import strategies as st

from cobogo.ldp.collection import Collection
from cobogo.ldp.encoding import shuffled_reports
from cobogo.ldp.wire import batches
from cobogo.randomness import Entropy
from cobogo.server.access import Pace
from cobogo.server.roles import Role

COLLECTION = """
[collection]
name = "browsers"
question = "browser"
mechanism = "grr"
epsilon = 3.0
values = ["a", "b", "c"]
"""
HERE = {"positions": [{"lon": -38.5, "lat": -3.7}]}
CAREFREE = {"deadline": None, "database": None, "suppress_health_check": list(HealthCheck)}
EXAMPLES = 3
WHO = ["steward", "steward", "analyst", "collector", "auditor", "admin", ""]


class World:
    """A server with one of everything, and what a good request to each route looks like."""

    def __init__(self, served: Any) -> None:
        self.served = served
        self.dataset = served.upload().json()["id"]
        self.policy = self._made("/policies", {"dataset": self.dataset, "name": "p", "toml": served.policy})
        self.collection = self._made("/collections", {"toml": COLLECTION})
        self.job = self._made("/jobs", {"kind": "anonymize", "dataset": self.dataset, "policy": self.policy})
        self.key = self._made("/keys", {"owner": "eva", "role": "steward"}, "admin")
        self.zone = f"square {served.test}"
        for who in ("one", "two"):
            served.keys[who] = served.house.keys.create(f"{who}-{served.test}", Role.COLLECTOR)[1]
            assert served(who, "POST", "/location/locations", json=HERE).status_code == 200
        assert served.finished(self.job)["state"] == "done"
        audit = self._made("/jobs", {"kind": "audit", "release": self.job})
        assert served.finished(audit)["state"] == "done"
        self.token = served("steward", "POST", "/vault/tokens", json={"domain": "people", "texts": ["ana"]}).json()
        asked = Collection.of(served("collector", "GET", f"/collections/{self.collection}").json())
        (self.report,) = batches(asked, shuffled_reports(asked, ["a", "b"], Entropy()))

    def _made(self, path: str, body: Any, who: str = "steward") -> str:
        made = self.served(who, "POST", path, json=body)
        assert made.status_code < 300, made.text
        return str(made.json()["id"])

    def path(self, template: str) -> dict[str, str]:
        """What stands in a route's address for the thing that it is about."""
        if "{" not in template:
            return {}
        kinds = {"datasets": self.dataset, "policies": self.policy, "collections": self.collection, "keys": self.key}
        name = f"collector-{self.served.test}" if "budget" in template else self.zone if "mix" in template else "clinic"
        known = {"identity": kinds.get(template.split("/")[3], self.job), "name": name, "trip": "walk"}
        return {name: value for name, value in known.items() if f"{{{name}}}" in template}

    def bodies(self, label: str) -> list[Any]:
        """What may be sent to a route that takes something."""
        named = {"dataset": self.dataset, "name": "p", "toml": self.served.policy}
        question = {"sql": "SELECT COUNT(*) AS n FROM people", "epsilon": "0.01"}
        return {
            "POST /keys": [{"owner": "ana", "role": "analyst"}, {"owner": "é", "role": "steward", "scopes": ["data"]}],
            "POST /datasets": [{"file": b"a,b\n1,2\n"}, {"file": b"a;b\n1;2\n", "name": "n", "separator": ";"}],
            "POST /datasets/{identity}/files": [{"file": b"1,*\n", "name": "h.csv"}],
            "POST /datasets/from-source": [{"source": "clinic", "table": "people"}],
            "POST /policies": [named],
            "PUT /policies/{identity}": [named],
            "POST /jobs": [
                {"kind": "anonymize", "dataset": self.dataset, "policy": self.policy},
                {"kind": "audit", "release": self.job},
            ],
            "POST /vault/tokens": [{"domain": "people", "texts": ["ana", None]}],
            "POST /vault/values": [{"domain": "people", "texts": self.token["texts"]}],
            "POST /curator/explain": [question],
            "POST /curator/ask": [question],
            "POST /collections": [{"toml": COLLECTION}],
            "POST /collections/{identity}/reports": [self.report],
            "POST /location/locations": [HERE | {"release": "accumulated", "trip": "walk"}],
            "POST /location/cloak": [{"k": 3}],
            "POST /location/nearest": [{}],
            "POST /location/mixzones": [{"name": self.zone, "lon": -38.5, "lat": -3.7, "radius": 10.0}],
        }.get(label.replace("/api/v1", ""), [])


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
    found = case.call_and_validate(base_url=str(served.client.base_url), headers=headers, checks=kept)
    return int(found.status_code)


def test_every_answer_is_one_that_the_document_tells_of(served, tmp_path) -> None:
    served.furnish(tmp_path)
    served.house.pace, served.house.strangers = Pace(10**6), Pace(10**6)
    world = World(served)
    _good_requests_are_answered_on_every_route(world)
    _whatever_is_sent_is_answered(world)


def _good_requests_are_answered_on_every_route(world: World) -> None:
    served, reached = world.served, set()
    operations = list(_operations(served))
    for operation in sorted(operations, key=lambda one: one.method == "delete"):
        media = next(iter(operation.body)).media_type if operation.body else None
        for body in world.bodies(operation.label) or [None]:
            given = {} if body is None else {"body": body, "media_type": media}
            for who in dict.fromkeys(WHO):
                case = operation.Case(path_parameters=world.path(operation.path), **given)
                if _answer(served, case, who) < 300:
                    reached.add(operation.label)
    unanswered = {"POST /api/v1/location/nearest"}  # there is no service behind this server
    assert reached == {one.label for one in operations} - unanswered


def _whatever_is_sent_is_answered(world: World) -> None:
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
