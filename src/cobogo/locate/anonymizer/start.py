"""Starting the privacy server from options: its directory of state, its certificate, its web server.

An eavesdropper between device and anonymizer would see true positions, so that this leg is encrypted or refused.
"""

from __future__ import annotations

import ipaddress
import secrets
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

from cobogo.errors import InputError, OutputError
from cobogo.floor.files import exclusive, write_private
from cobogo.floor.language import nearest, tr
from cobogo.floor.language.errors import reason
from cobogo.floor.untrusted import shorten
from cobogo.locate.anonymizer.cloaking import SERVER
from cobogo.locate.anonymizer.devices import Devices, WindowBooks
from cobogo.locate.anonymizer.server import AnonymizerSettings, Identity, PrivacyServer
from cobogo.locate.crowds import CLOAKS, NearestNeighbours
from cobogo.locate.mechanisms import PlanarLaplace

if TYPE_CHECKING:
    from cryptography.x509 import GeneralName


def is_loopback(host: str) -> bool:
    """Whether an address never leaves the machine.

    >>> is_loopback("127.0.0.1"), is_loopback("::1"), is_loopback("localhost"), is_loopback("0.0.0.0")
    (True, True, True, False)
    """
    if host.lower() == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


def check_leg(host: str, certificate: Path | None, key: Path | None, *, plain: bool = False) -> None:
    """Raise where true positions would go over a network unencrypted, unless ``plain`` allows it."""
    if (certificate is None) != (key is None):
        raise InputError(
            tr("the two options go together"),
            where="--certificate, --tls-key",
            remedy=tr("Give both, or none of them."),
        )
    for file, option in ((certificate, "--certificate"), (key, "--tls-key")):
        if file is not None and not file.is_file():
            raise InputError(tr("no such file"), where=f"{option} {file}", remedy=tr("Check the path."))
    if certificate is None and not plain and not is_loopback(host):
        raise InputError(
            tr(
                "without TLS, anyone who listens on the way to {host} sees where people are: a cloak protects from the "
                "service, not from an attacker between device and anonymizer",
                host=host,
            ),
            where="--host",
            remedy=tr(
                "Give --certificate and --tls-key (`cobogo locate certificate` makes a pair for trials), or "
                "--plain-http if a proxy in front of this server does TLS."
            ),
        )


def write_certificate(directory: Path, hosts: Sequence[str], *, days: int = 90) -> tuple[Path, Path]:
    """Write a self-signed certificate and its key, for trials and small set-ups: devices must be given the
    certificate."""
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec
    from cryptography.x509.oid import NameOID

    certificate, key_file = directory / "certificate.pem", directory / "key.pem"
    for file in (certificate, key_file):
        if file.exists():
            raise OutputError(tr("already exists"), where=str(file), remedy=tr("Choose another --out."))
    directory.mkdir(parents=True, exist_ok=True)
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "Cobogó anonymizer")])
    now = datetime.now(UTC)
    built = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(minutes=5))
        .not_valid_after(now + timedelta(days=days))
        .add_extension(x509.SubjectAlternativeName([_name(host) for host in hosts]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
        .sign(key, hashes.SHA256())
    )
    pem = key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    write_private(key_file, pem.decode())
    certificate.write_bytes(built.public_bytes(serialization.Encoding.PEM))
    return certificate, key_file


def _name(host: str) -> GeneralName:
    from cryptography import x509

    try:
        return x509.IPAddress(ipaddress.ip_address(host))
    except ValueError:
        return x509.DNSName(host)


NEEDED = ("fastapi", "httpx", "uvicorn")


@dataclass(frozen=True)
class ServerDirectory:
    """What a server keeps, in a directory that only its user may enter: devices, budgets, mix zones and people who are
    silent since one, and the secret that lasting names are made with. Positions are in memory only."""

    directory: Path

    @classmethod
    def create(cls, directory: str | Path) -> ServerDirectory:
        """A directory, created where there is none."""
        place = Path(directory).expanduser()
        try:
            place.mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError as problem:
            raise OutputError(
                tr("the directory cannot be created: {reason}", reason=reason(problem)),
                where=str(place),
                remedy=tr("Choose another directory."),
            ) from None
        return cls(place)

    @property
    def devices(self) -> Devices:
        """The devices that may use the server."""
        return Devices(self.directory / "devices.json")

    @property
    def ledger(self) -> Path:
        """The file of budgets."""
        return self.directory / "ledger.db"

    @property
    def zones(self) -> Path:
        """The file of mix zones."""
        return self.directory / "mixzones.json"

    @property
    def secret(self) -> bytes:
        """Thirty-two random bytes, drawn once and kept."""
        file = self.directory / "secret"
        with exclusive(file):
            if not file.exists():
                write_private(file, secrets.token_hex(32))
        try:
            found = bytes.fromhex(file.read_text(encoding="ascii"))
        except (OSError, ValueError):
            found = b""
        if len(found) != 32:
            raise InputError(
                tr("is not a secret of this server"), where=str(file), remedy=tr("Restore the file, or remove it.")
            )
        return found


def require_server_parts() -> None:
    """Raise where the packages of a server are not installed."""
    missing = [name for name in NEEDED if find_spec(name) is None]
    if missing:
        raise InputError(
            tr("these packages are not installed: {missing}", missing=", ".join(missing)),
            where=SERVER,
            remedy=tr("Install them: pip install 'cobogo[server]'."),
        )


def run(
    app: Any, *, host: str, port: int, certificate: Path | None = None, key: Path | None = None, plain: bool = False
) -> None:
    """Serve until interrupted. Plain HTTP leaves the machine only where ``plain`` allows it."""
    check_leg(host, certificate, key, plain=plain)
    from cobogo.floor import web

    web.serve(_server(app, host, port, certificate, key))


@contextmanager
def serve_in_background(
    app: Any, *, host: str = "127.0.0.1", port: int = 0, certificate: Path | None = None, key: Path | None = None
) -> Iterator[str]:
    """Serve in the background while the block runs, on a free port; yields the address."""
    check_leg(host, certificate, key)
    server = _server(app, host, port, certificate, key)
    thread = threading.Thread(target=server.run, name="cobogo-server", daemon=True)
    thread.start()
    try:
        while not server.started:
            if not thread.is_alive():
                raise InputError(
                    tr("the server did not start"),
                    where=f"{host}:{port}",
                    remedy=tr("Check that no other program uses the port."),
                )
            time.sleep(0.005)
        bound = server.servers[0].sockets[0].getsockname()[1]
        yield f"{'http' if certificate is None else 'https'}://{host}:{bound}"
    finally:
        server.should_exit = True
        thread.join(timeout=10)


def _server(app: Any, host: str, port: int, certificate: Path | None, key: Path | None) -> Any:
    """A web server without an access log: an address has a person's name in it, and its time reveals where they were.

    The process's logging is left alone: uvicorn would close the handlers of other code.
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


OFFERED = tuple(name for name in CLOAKS if name != NearestNeighbours.name)
"""The cloaks that a server offers: not the one whose centre is, most often, the person."""


def assemble_server(
    state: ServerDirectory,
    *,
    cloak: str = "hilbert",
    k: int = 5,
    min_area: float = 0.0,
    max_wait: float = 60.0,
    identity: str = "absent",
    epsilon: float | None = None,
    budget: float | None = None,
    window: float = 3600.0,
) -> PrivacyServer:
    """The server with its books and its secret. Noise is offered where an ``epsilon`` is given; the budget is that of
    ten reports a window unless given."""
    if cloak not in OFFERED:
        what = (
            tr("this cloak is drawn around the person who asks, and reveals who it is")
            if cloak in CLOAKS
            else tr("there is no cloak {cloak!r}", cloak=cloak)
        )
        raise InputError(what, where="--cloak", remedy=tr("Choose one of {offered}.", offered=", ".join(OFFERED)))
    names: tuple[Identity, ...] = get_args(Identity)
    if identity not in names:
        raise InputError(
            tr("must be one of {known}. Got {value!r} instead", known=", ".join(names), value=identity),
            where="--identity",
            remedy=nearest(identity, names, "cobogo locate serve --help"),
        )
    if budget is not None and epsilon is None:
        raise InputError(
            tr("a budget is for noise, and there is no noise without --epsilon"),
            where="--budget",
            remedy=tr("Give --epsilon, or leave --budget out."),
        )
    if not max_wait >= 0:
        raise InputError(
            tr("must be 0 or more. Got {value} instead", value=shorten(max_wait)),
            where="--max-wait",
            remedy=tr("Give a number of seconds."),
        )
    try:
        mechanism = None if epsilon is None else PlanarLaplace(epsilon)
        books = (
            None
            if epsilon is None
            else WindowBooks(round(10 * epsilon, 12) if budget is None else budget, window=window, file=state.ledger)
        )
        settings = AnonymizerSettings(
            CLOAKS[cloak](k, min_area), next(name for name in names if name == identity), state.secret, mechanism,
            max_wait=max_wait,
        )  # fmt: skip
    except ValueError as problem:
        raise InputError(
            problem.args[0], where="cobogo locate serve", remedy=nearest("", (), "cobogo locate serve --help")
        ) from None
    return PrivacyServer(settings, books=books, kept=state.zones)
