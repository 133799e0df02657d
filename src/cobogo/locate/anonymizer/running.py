"""Starting the privacy server: its directory of state, and the web server that carries it."""

from __future__ import annotations

import secrets
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from cobogo.errors import InputError, OutputError
from cobogo.floor.files import exclusive, write_private
from cobogo.locate.anonymizer.devices import Devices
from cobogo.locate.anonymizer.tls import check_leg

NEEDED = ("fastapi", "httpx", "uvicorn")


@dataclass(frozen=True)
class State:
    """What a server keeps, in a directory that its owner alone may enter: who may talk to it, the books of budgets, mix
    zones and who is silent since one, and the secret that lasting names are made with. Positions are in memory only."""

    directory: Path

    @classmethod
    def at(cls, directory: str | Path) -> State:
        """A directory, made where there is none."""
        place = Path(directory).expanduser()
        try:
            place.mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError as problem:
            raise OutputError(
                f"cannot be made: {problem.strerror}", where=str(place), remedy="Choose another."
            ) from None
        return cls(place)

    @property
    def devices(self) -> Devices:
        """Tokens and whose they are."""
        return Devices(self.directory / "devices.json")

    @property
    def ledger(self) -> Path:
        """Where budgets are kept."""
        return self.directory / "ledger.db"

    @property
    def zones(self) -> Path:
        """Where mix zones are kept."""
        return self.directory / "mixzones.json"

    @property
    def secret(self) -> bytes:
        """Thirty-two random bytes, the same ones every time."""
        file = self.directory / "secret"
        with exclusive(file):
            if not file.exists():
                write_private(file, secrets.token_hex(32))
        try:
            found = bytes.fromhex(file.read_text(encoding="ascii"))
        except (OSError, ValueError):
            found = b""
        if len(found) != 32:
            raise InputError("is not a secret of this server", where=str(file), remedy="Restore it, or remove it.")
        return found


def require() -> None:
    """Raise where the parts of a server are not installed."""
    missing = [name for name in NEEDED if find_spec(name) is None]
    if missing:
        raise InputError(f"{', '.join(missing)} is not installed", remedy="Install it: pip install 'cobogo[server]'.")


def run(
    app: Any, *, host: str, port: int, certificate: Path | None = None, key: Path | None = None, plain: bool = False
) -> None:
    """Serve until told to stop. Plain HTTP leaves the machine only where ``plain`` says so."""
    check_leg(host, certificate, key, plain=plain)
    from cobogo.floor import web

    web.serve(_server(app, host, port, certificate, key))


@contextmanager
def running(
    app: Any, *, host: str = "127.0.0.1", port: int = 0, certificate: Path | None = None, key: Path | None = None
) -> Iterator[str]:
    """Serve in the background while the block runs, on a port that is free; gives the address."""
    check_leg(host, certificate, key)
    server = _server(app, host, port, certificate, key)
    thread = threading.Thread(target=server.run, name="cobogo-server", daemon=True)
    thread.start()
    try:
        while not server.started:
            if not thread.is_alive():
                raise InputError("the server did not start", where=f"{host}:{port}", remedy="Is the port in use?")
            time.sleep(0.005)
        bound = server.servers[0].sockets[0].getsockname()[1]
        yield f"{'http' if certificate is None else 'https'}://{host}:{bound}"
    finally:
        server.should_exit = True
        thread.join(timeout=10)


def _server(app: Any, host: str, port: int, certificate: Path | None, key: Path | None) -> Any:
    """No access log: an address of a route has a name in it, and when it was asked for tells where somebody was.

    How the process logs is left alone: uvicorn would close the handlers of everybody else in it.
    """
    import uvicorn

    from cobogo.floor import web

    return uvicorn.Server(
        uvicorn.Config(
            app, host=host, port=port, ssl_certfile=certificate, ssl_keyfile=key, access_log=False, log_config=None,
            server_header=False, proxy_headers=False, ws="none", lifespan="auto", timeout_graceful_shutdown=2,
            http=web.patient(),
        )
    )  # fmt: skip
