"""A server with one of everything: what a good request to each route looks like."""

from __future__ import annotations

from typing import Any

from cobogo.collect.collection import Collection
from cobogo.collect.pilot import encode_shuffled
from cobogo.collect.wire import batch_messages
from cobogo.faces.server.roles import KeyRole
from cobogo.floor.randomness import Entropy

COLLECTION = """
[collection]
name = "browsers"
question = "browser"
mechanism = "grr"
epsilon = 3.0
values = ["a", "b", "c"]
"""
HERE = {"positions": [{"lon": -38.5, "lat": -3.7}]}


class World:
    """A server with one of everything, and what a good request to each route looks like."""

    def __init__(self, served: Any) -> None:
        self.served = served
        self.dataset = served.upload().json()["id"]
        self.spare = served.upload().json()["id"]
        self.policy = self._made("/policies", {"dataset": self.dataset, "name": "p", "toml": served.policy})
        self.collection = self._made("/collections", {"toml": COLLECTION})
        self.job = self._made("/jobs", {"kind": "anonymize", "dataset": self.dataset, "policy": self.policy})
        self.key = self._made("/keys", {"owner": "eva", "role": "steward"}, "admin")
        self.zone = f"square {served.test}"
        for who in ("one", "two"):
            served.keys[who] = served.context.keys.create(f"{who}-{served.test}", KeyRole.COLLECTOR)[1]
            assert served(who, "POST", "/location/locations", json=HERE).status_code == 200
        assert served.finished(self.job)["state"] == "done"
        audit = self._made("/jobs", {"kind": "audit", "release": self.job})
        assert served.finished(audit)["state"] == "done"
        self.token = served("steward", "POST", "/vault/tokens", json={"domain": "people", "texts": ["ana"]}).json()
        asked = Collection.of(served("collector", "GET", f"/collections/{self.collection}").json())
        (self.report,) = batch_messages(asked, encode_shuffled(asked, ["a", "b"], Entropy()))

    def _made(self, path: str, body: Any, who: str = "steward") -> str:
        made = self.served(who, "POST", path, json=body)
        assert made.status_code < 300, made.text
        return str(made.json()["id"])

    def path(self, template: str, method: str = "get") -> dict[str, str]:
        """What stands in a route's address for the thing that it is about: one apart to be deleted."""
        if "{" not in template:
            return {}
        dataset = self.spare if method == "delete" else self.dataset
        kinds = {"datasets": dataset, "policies": self.policy, "collections": self.collection, "keys": self.key}
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
