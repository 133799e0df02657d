"""Reports handed in over HTTP: a real server, keys, batches of clients' messages, until all of them are counted.

The note says how many reports a second that is, on the clock and for each second of a processor: server and clients
share the machine.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from uuid import uuid4

from benchmarks.measure import Result, Spent, once

REPORTS, BATCH, CLIENTS = 50_000, 500, 4
KINDS: dict[str, dict[str, Any]] = {
    "grr": {"epsilon": 2.0, "values": [f"value {number}" for number in range(100)]},
    "rappor": {},
    "cms": {"epsilon": 4.0},
    "hcms": {"epsilon": 4.0},
    "flh": {"epsilon": 2.0},
    "pem": {"epsilon": 4.0},
}


def ingesting(directory: Path, reports: int = REPORTS, kinds: Sequence[str] = tuple(KINDS)) -> Iterator[Result]:
    """Every kind of report, in batches of a gateway; then one message a request, as a single device sends it."""
    with _served(directory) as (client, service):
        for mechanism in kinds:
            yield _handed_in(client, service, mechanism, reports, BATCH)
        yield _handed_in(client, service, kinds[-1], max(reports // 25, 1), 1)


def _handed_in(client: Any, service: Any, mechanism: str, reports: int, batch: int) -> Result:
    from cobogo.collect.collection import Collection
    from cobogo.collect.pilot import encode_shuffled
    from cobogo.collect.wire import batch_messages
    from cobogo.data.schema.starter import toml
    from cobogo.faces.server.keys import Holder
    from cobogo.faces.server.roles import KeyRole, KeyScope
    from cobogo.floor.randomness import Entropy

    told = {"name": "a test", "question": "q", "mechanism": mechanism, **KINDS[mechanism]}
    text = "[collection]\n" + "".join(f"{key} = {toml(value)}\n" for key, value in told.items())
    steward = Holder("steward", KeyRole.STEWARD, frozenset(KeyScope), "benchmark")
    identity = service.collections.begin(steward, text)
    asked = Collection.of({"collection": told})
    rows = encode_shuffled(asked, [f"value {number % 100}" for number in range(reports)], Entropy())
    messages = [b"".join(batch_messages(asked, rows[at : at + batch])) for at in range(0, reports, batch)]

    def send(message: bytes) -> None:
        headers = {"Idempotency-Key": str(uuid4())}
        client.post(f"/collections/{identity}/reports", content=message, headers=headers).raise_for_status()

    def everything() -> None:
        with ThreadPoolExecutor(CLIENTS) as pool:
            list(pool.map(send, messages))
        assert service.collections.count(steward, identity).users == reports

    spent: Spent = once(everything)
    note = f"{reports / spent.wall:,.0f} reports a second, {reports / spent.cpu:,.0f} a second of a processor"
    return Result(f"{mechanism}, {reports:,} reports over HTTP, {batch} a request", spent, note=note)


@contextmanager
def _served(directory: Path) -> Iterator[tuple[Any, Any]]:
    import httpx
    import uvicorn

    from cobogo.faces.cli.serve import server_config
    from cobogo.faces.server.app import create_app
    from cobogo.faces.server.context import ServerContext
    from cobogo.faces.server.roles import KeyRole
    from cobogo.faces.server.settings import ServerLimits, ServerSettings

    settings = ServerSettings(
        port=0, state=str(directory / "server"), limits=ServerLimits(requests_per_minute=1_000_000)
    )
    context = ServerContext(settings)
    key = context.keys.create("gateway", KeyRole.COLLECTOR)[1]
    app = create_app(settings, context=context)
    server = uvicorn.Server(server_config(app, settings))
    thread = threading.Thread(target=server.run)
    thread.start()
    while not server.started:
        time.sleep(0.01)
    port = server.servers[0].sockets[0].getsockname()[1]
    try:
        base, headers = f"http://127.0.0.1:{port}/api/v1", {"Authorization": f"Bearer {key}"}
        with httpx.Client(base_url=base, headers=headers, timeout=60) as client:
            client.get("/me").raise_for_status()
            yield client, app.state.service
    finally:
        server.should_exit = True
        thread.join()
