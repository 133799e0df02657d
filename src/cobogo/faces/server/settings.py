"""How a server is set up. Everything has a safe default; what would be unsafe is refused, with what to do instead."""

from __future__ import annotations

import ipaddress
from pathlib import Path
from typing import Annotated, Any, Self

from pydantic import Field, ValidationError

from cobogo.data.policy.complaints import explain_error
from cobogo.data.policy.toml_file import PolicyTable, read_toml
from cobogo.errors import CobogoError, InputError
from cobogo.floor.language import tr
from cobogo.floor.language.errors import change_error
from cobogo.floor.urls import public_url, resolve_file

MEGABYTE = 1 << 20

SourceName = Annotated[str, Field(pattern=r"^[\w-]{1,100}$")]


class ServerLimits(PolicyTable):
    """How much a key may ask of the server."""

    requests_per_minute: int = Field(default=600, ge=1, le=1_000_000)
    upload_megabytes: int = Field(default=2048, ge=1, le=1_000_000)
    unpacked_megabytes: int = Field(default=16_384, ge=1, le=10_000_000)
    datasets: int = Field(default=1000, ge=1)
    jobs_waiting: int = Field(default=100, ge=1)
    jobs_waiting_each: int = Field(default=20, ge=1)  # of a person
    jobs_at_once: int = Field(default=1, ge=1, le=64)
    job_minutes: float = Field(default=1440, gt=0)
    job_megabytes: int | None = Field(default=None, ge=512)  # without it, three quarters of the machine's for all jobs
    session_minutes: float = Field(default=120, gt=0, le=100_000)  # how long a browser may be idle and stay logged in
    stalled_seconds: float = Field(default=20, gt=0, le=3600)  # how long a request may stay half-sent


class SourceDatabase(PolicyTable):
    """A database whose tables become data sets. Its URL may hold a password, and is shown to nobody."""

    url: str
    tables: tuple[str, ...] | None = None  # those that may be taken; without it, all that the URL's login may read
    stewards: tuple[str, ...]  # who may take them; "*" is every steward

    def open_to(self, owner: str) -> bool:
        """Whether somebody may take tables of it."""
        return owner in self.stewards or "*" in self.stewards


class Location(PolicyTable):
    """A trusted anonymizer for devices: the options of ``cobogo locate serve``."""

    cloak: str = "hilbert"
    k: int = Field(default=5, ge=2)
    min_area: float = Field(default=0.0, ge=0)
    max_wait: float = Field(default=60.0, ge=0)
    identity: str = "absent"
    service: str | None = None
    epsilon: float | None = None
    budget: float | None = None
    window: float = Field(default=3600.0, gt=0)


class TLS(PolicyTable):
    """The certificate of the server and its key, as PEM files."""

    certificate: str
    key: str


class ServerSettings(PolicyTable):
    """The file of a server: every table may be left out."""

    host: str = "127.0.0.1"
    port: int = Field(default=8340, ge=0, le=65535)
    state: str = "cobogo-server"
    database: str | None = None
    curator: str | None = None
    registry: str | None = None
    vault: str | None = None
    vault_key: str | None = None
    tls: TLS | None = None
    behind_proxy: bool = False
    trusted_proxies: tuple[str, ...] = ("127.0.0.1", "::1")  # whose word on who asks is taken, behind a proxy
    limits: ServerLimits = ServerLimits()
    location: Location | None = None
    sources: dict[SourceName, SourceDatabase] = Field(default_factory=dict)

    @classmethod
    def load(cls, path: Path) -> Self:
        """Read a TOML file; its paths are relative to it."""
        content = read_toml(path, "server")
        return cls.from_content(content, home=path.parent, name=str(path))

    @classmethod
    def from_content(cls, content: dict[str, Any], *, home: Path = Path(), name: str = "settings") -> Self:
        """Settings with their paths made relative to where the program runs."""
        try:
            found = cls.model_validate(content)
        except ValidationError as error:
            raise explain_error(error, name, cls) from None
        paths = {
            key: str(home / Path(value).expanduser())
            for key in ("state", "curator", "registry", "vault", "vault_key")
            if (value := getattr(found, key)) is not None and "://" not in value
        }
        tls = found.tls and TLS(certificate=str(home / found.tls.certificate), key=str(home / found.tls.key))
        sources = {
            name: one.model_copy(update={"url": resolve_file(one.url, lambda path: home / Path(path).expanduser())})
            for name, one in found.sources.items()
        }
        return found.model_copy(update={**paths, "tls": tls, "sources": sources})

    @property
    def encrypted(self) -> bool:
        """Whether requests come encrypted: to the server, or to the proxy before it."""
        return self.tls is not None or self.behind_proxy

    def hide_places(self, text: str) -> str:
        """A text with the server's paths replaced by names such as ``<state>``: callers must not learn the paths.

        >>> ServerSettings(state="/srv/cobogo").hide_places("/srv/cobogo/state.db: cannot be read")
        '<state>/state.db: cannot be read'
        """
        for name in ("vault_key", "vault", "registry", "curator", "state"):
            place = getattr(self, name)
            if place is not None:
                said = f"<{name.replace('_', '-')}>"
                text = text.replace(str(Path(place).absolute()), said)
                text = (
                    text.replace(public_url(place), said) if "/" in place or "." in place else text
                )  # not a plain word
        return text

    def hide_in_error(self, error: CobogoError) -> CobogoError:
        """An error as a caller may see it: the same sentences, with the server's paths replaced by names.

        A path that only the values of a sentence make together is hidden, too; that sentence stays English.
        """
        hidden = change_error(error, self.hide_places)
        what, where, remedy = (
            part if part is None or self.hide_places(part) == part else self.hide_places(str(part))
            for part in (hidden.what, hidden.where, hidden.remedy)
        )
        return CobogoError(what or "", where=where, remedy=remedy, code=error.code)

    def check_exposure(self, *, keys: bool) -> None:
        """Refuse to be reachable from elsewhere without keys, or without encryption on the way."""
        if _is_loopback(self.host):
            return
        if not keys:
            raise InputError(
                tr("other machines can reach {host}, and there is no key yet", host=self.host),
                where="host",
                remedy=tr("Create a key first: cobogo serve --add-key NAME --role admin."),
            )
        if not self.encrypted:
            raise InputError(
                tr(
                    "other machines can reach {host}, and keys and data would travel unencrypted",
                    host=self.host,
                ),
                where="host",
                remedy=tr(
                    "Add [tls] with certificate and key to the server's file (or use --certificate and --tls-key). If "
                    "a proxy on this machine encrypts, set behind-proxy = true."
                ),
            )


def _is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
