"""A server for the tests: real files, real workers, real HTTP, and people of its own for each test."""

from __future__ import annotations

import secrets
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

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


CURATOR = """
ledger = "ledger.db"

[datasets.people]
path = "people.csv"
budget = { epsilon = 10 }
analysts = { "ANALYST" = { epsilon = 1 } }

[datasets.people.columns]
city = { type = "text", keys = ["Fortaleza", "Sobral"] }
age = { type = "integer", bounds = [0, 100] }
"""


class People(dict[str, str]):
    """Keys by role, made when they are first used: hashing them takes its time on purpose. "other" is a steward."""

    def __init__(self, context: Any, test: str) -> None:
        self.context, self.test = context, test

    def __missing__(self, who: str) -> str:
        from cobogo.faces.server.roles import KeyRole

        role = KeyRole.STEWARD if who == "other" else KeyRole(who)
        self[who] = self.context.keys.create(f"{who}-{self.test}", role)[1]
        return self[who]


@dataclass
class Served:
    """A server, and clients of it with keys of every role."""

    client: Any  # httpx.Client
    app: Any  # fastapi.FastAPI
    context: Any  # cobogo.faces.server.context.ServerContext
    keys: dict[str, str]
    test: str  # what the names of its people end with
    policy: str = POLICY

    def __call__(self, who: str, method: str, path: str, **options: Any) -> Any:
        headers = {"Authorization": f"Bearer {self.keys[who]}"} if who else {}
        return self.client.request(method, f"/api/v1{path}", headers=headers, **options)

    def upload(self, who: str = "steward", content: str | bytes = CSV, name: str = "people.csv") -> Any:
        raw = content.encode() if isinstance(content, str) else content
        return self(who, "POST", "/datasets", files={"file": (name, raw)})

    def furnish(self, place: Path) -> None:
        """Give the server a curator with the test's analyst, a registry, a vault and a database, for this test."""
        import duckdb

        from cobogo.faces.server.context import begin_registry
        from cobogo.publish.mask.vault import Vault

        (place / "people.csv").write_text(CSV)
        (place / "curator.toml").write_text(CURATOR.replace("ANALYST", f"analyst-{self.test}"))
        vault, key = Vault.create(place / "vault.db")
        key.save(place / "vault.key")
        vault.add_domain("people")
        with duckdb.connect(str(place / "clinic.duckdb")) as database:
            database.execute("CREATE TABLE people AS SELECT i AS n, i % 2 AS sex FROM range(40) t(i)")
        files = {"curator": "curator.toml", "registry": "registry.db", "vault": "vault.db", "vault-key": "vault.key"}
        clinic = {"url": "duckdb:///clinic.duckdb", "stewards": ["*"]}
        new = self.context.settings.from_content({**files, "sources": {"clinic": clinic}}, home=place)
        given = {name: getattr(new, name) for name in ("curator", "registry", "vault", "vault_key", "sources")}
        self.context.settings = self.context.settings.model_copy(update=given)
        begin_registry(new.registry)

    @property
    def datasets(self) -> set[str]:
        """What lies in the directory of data sets."""
        return {place.name for place in (self.context.files.root / "datasets").iterdir()}

    def finished(self, identity: str, who: str = "steward") -> dict[str, Any]:
        for _ in range(600):
            job: dict[str, Any] = self(who, "GET", f"/jobs/{identity}").json()
            if job["finished"] is not None:
                return job
            time.sleep(0.1)
        raise AssertionError("the job did not end within a minute")


@pytest.fixture(scope="session")
def http_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Any, Any]]:
    """A server that runs as long as the tests do, and a client of it."""
    import httpx
    import uvicorn

    from cobogo.faces.cli.serve import server_config
    from cobogo.faces.server.app import create_app
    from cobogo.faces.server.context import ServerContext
    from cobogo.faces.server.settings import Location, ServerSettings

    state = tmp_path_factory.mktemp("http") / "server"
    settings = ServerSettings(port=0, state=str(state), location=Location(k=3, epsilon=0.01, budget=0.05))
    context = ServerContext(settings)
    app = create_app(settings, context=context)
    server = uvicorn.Server(server_config(app, settings))
    thread = threading.Thread(target=server.run)
    thread.start()
    while not server.started:
        time.sleep(0.01)
    port = server.servers[0].sockets[0].getsockname()[1]
    with httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=60) as client:
        yield client, app
    server.should_exit = True
    thread.join()


@pytest.fixture
def served(http_server: tuple[Any, Any]) -> Iterator[Served]:
    """The server with people of its own for each test, who have nothing there yet."""
    from cobogo.faces.server.keys import RequestAllowance

    client, app = http_server
    context = app.state.context
    test = secrets.token_hex(4)
    settings, limits = context.settings, context.files.limits
    yield Served(client, app, context, People(context, test), test)
    context.settings, context.files.limits = settings, limits
    context.pace, context.strangers = RequestAllowance(settings.limits.requests_per_minute), RequestAllowance(30)
