"""A server of its own for each test: real files, real workers, real HTTP."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest
import uvicorn

from cobogo.server.app import create_app
from cobogo.server.house import House
from cobogo.server.roles import Role
from cobogo.server.settings import Settings

POLICY = """
[attributes]
name = { role = "identifier" }
age = { role = "quasi-identifier", hierarchy = { intervals = [10, 20] } }
city = { role = "quasi-identifier" }
illness = { role = "sensitive" }

[privacy]
models = [{ model = "k-anonymity", k = 2 }]

[recoding]
suppression-limit = 0.5
"""

CSV = "name,age,city,illness\n" + "".join(
    f"person {n},{25 + n % 4 * 10},{'Fortaleza' if n % 2 else 'Sobral'},{'flu' if n % 3 else 'cold'}\n"
    for n in range(40)
)


@dataclass
class Served:
    """A server, and clients of it with keys of every role."""

    client: httpx.Client
    house: House
    keys: dict[str, str]
    policy: str = POLICY

    def __call__(self, who: str, method: str, path: str, **options: Any) -> Any:
        headers = {"Authorization": f"Bearer {self.keys[who]}"} if who else {}
        return self.client.request(method, f"/api/v1{path}", headers=headers, **options)

    def upload(self, who: str = "steward", content: str | bytes = CSV, name: str = "people.csv") -> Any:
        raw = content.encode() if isinstance(content, str) else content
        return self(who, "POST", "/datasets", files={"file": (name, raw)})

    def finished(self, identity: str, who: str = "steward") -> dict[str, Any]:
        for _ in range(600):
            job: dict[str, Any] = self(who, "GET", f"/jobs/{identity}").json()
            if job["finished"] is not None:
                return job
            time.sleep(0.1)
        raise AssertionError("the job did not end within a minute")

    def released(self, who: str = "steward") -> dict[str, Any]:
        dataset = self.upload(who).json()["id"]
        asked = {"kind": "anonymize", "dataset": dataset, "toml": POLICY}
        return self.finished(self(who, "POST", "/jobs", json=asked).json()["id"], who)


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Served]:
    settings = Settings(state=str(tmp_path / "server"))
    house = House(settings)
    keys = {role.value: house.keys.create(role.value, role)[1] for role in Role}
    keys["other"] = house.keys.create("other", Role.STEWARD)[1]
    server = uvicorn.Server(uvicorn.Config(create_app(settings, house=house), port=0, log_level="error"))
    thread = threading.Thread(target=server.run)
    thread.start()
    while not server.started:
        time.sleep(0.01)
    port = server.servers[0].sockets[0].getsockname()[1]
    with httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=60) as client:
        yield Served(client, house, keys)
    server.should_exit = True
    thread.join()
