"""The commands ``cobogo serve`` and ``cobogo workbench``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from cobogo.errors import InputError
from cobogo.faces.cli import console
from cobogo.floor.language import tr

ME = "me"
"""The one person of a workbench on their own machine."""


def serve(
    config: Annotated[
        Path | None, typer.Option("--config", help="The server's configuration: a TOML file.", show_default=False)
    ] = None,
    host: Annotated[
        str | None, typer.Option("--host", help="The address to listen on; 127.0.0.1 if not given.")
    ] = None,
    port: Annotated[int | None, typer.Option("--port", help="The port; 8340 if not given.")] = None,
    state: Annotated[Path | None, typer.Option("--state", help="The directory of data, releases and ledgers.")] = None,
    certificate: Annotated[Path | None, typer.Option("--certificate", help="TLS: the certificate, PEM.")] = None,
    tls_key: Annotated[Path | None, typer.Option("--tls-key", help="TLS: its key, PEM.")] = None,
    workbench: Annotated[bool, typer.Option("--workbench", help="Serve the pages of the workbench, too.")] = False,
    add_key: Annotated[
        str | None, typer.Option("--add-key", help="Make a key for this person, show it, and stop.")
    ] = None,
    role: Annotated[str, typer.Option("--role", help="steward, analyst, collector, auditor or admin.")] = "steward",
    days: Annotated[float | None, typer.Option("--days", help="For how many days the key is valid.")] = None,
) -> None:
    """Run the server: data sets, policies, jobs, releases, curator and collections over HTTP."""
    require_server(*(["nicegui"] if workbench else []))
    from cobogo.faces.server.settings import ServerSettings

    given: dict[str, Any] = {"host": host, "port": port, "state": None if state is None else str(state)}
    if (certificate is None) != (tls_key is None):
        raise InputError(
            tr("a certificate needs its key, and a key its certificate"),
            where="--certificate, --tls-key",
            remedy=tr("Give both options, or neither."),
        )
    if certificate is not None:
        given["tls"] = {"certificate": str(certificate.absolute()), "key": str(Path(str(tls_key)).absolute())}
    asked = {name: value for name, value in given.items() if value is not None}
    settings = ServerSettings.load(config) if config is not None else ServerSettings()
    settings = ServerSettings.from_content(settings.model_dump() | asked)
    if add_key is not None:
        _add_key(settings, add_key, role, days)
        return
    _start(settings, workbench=workbench)


def _add_key(settings: Any, owner: str, role: str, days: float | None) -> None:
    from cobogo.faces.server.context import ServerContext
    from cobogo.faces.server.roles import KeyRole

    if role not in list(KeyRole):
        raise InputError(
            tr("there is no role {role!r}", role=role),
            where="--role",
            remedy=tr("Choose one of: {roles}.", roles=", ".join(KeyRole)),
        )
    this = ServerContext(settings)
    _, text = this.keys.create(owner, KeyRole(role), days=days)
    this.close()
    console.say(text)
    console.warn(tr("this key is shown only once; keep it where others cannot read it"))


def _start(settings: Any, *, workbench: bool) -> None:
    from cobogo.faces.server.app import create_app
    from cobogo.faces.server.context import ServerContext

    this = ServerContext(settings)
    settings.check_exposure(keys=this.keys.any())
    if not this.keys.any():
        console.warn(tr("there is no key yet; make one: cobogo serve --add-key NAME --role admin"))
    scheme = "http" if settings.tls is None else "https"
    console.say_line(
        "serving",
        f"{scheme}://{settings.host}:{settings.port}/api/v1",
        tr("State in {directory}", directory=str(settings.state)),
    )
    app = create_app(settings, context=this)
    if workbench:
        from cobogo.faces.workbench.app import mount

        mount(app)
    run_server(app, settings)


def workbench(
    state: Annotated[Path, typer.Option("--state", help="The directory of data and releases.")] = Path(
        "cobogo-workbench"
    ),
    port: Annotated[int, typer.Option("--port", help="The port.")] = 8341,
    curator: Annotated[
        Path | None, typer.Option("--curator", help="The curator's file, to ask questions of.", show_default=False)
    ] = None,
    source: Annotated[
        list[str] | None,
        typer.Option("--source", help="A database to take tables from, as NAME=URL; may be given again."),
    ] = None,
    show: Annotated[bool, typer.Option("--show/--no-show", help="Open a browser.")] = True,
) -> None:
    """Work in a browser on this machine: from a table to a release. No other machine can reach it."""
    require_server("nicegui")
    from cobogo.faces.server.app import create_app
    from cobogo.faces.server.context import ServerContext
    from cobogo.faces.server.keys import Holder
    from cobogo.faces.server.roles import LOCAL, KeyRole
    from cobogo.faces.server.settings import ServerSettings
    from cobogo.faces.workbench.app import mount

    home = state.absolute()
    settings = ServerSettings.from_content(
        {
            "state": str(home),
            "port": port,
            "registry": str(home / "registry.db"),
            "curator": None if curator is None else str(curator.absolute()),
            "sources": _sources(source or []),
        }
    )
    app = create_app(settings, context=ServerContext(settings))
    door = mount(app, local=Holder(ME, KeyRole.STEWARD, LOCAL, "workbench"))
    address = f"http://127.0.0.1:{port}/enter/{door}"
    console.say_line(
        "workbench", address, tr("Data and releases in {directory}. Stop with Ctrl-C.", directory=str(state))
    )
    if show:
        import threading
        import webbrowser

        threading.Timer(1.5, webbrowser.open, [address]).start()
    run_server(app, settings)


def _sources(given: list[str]) -> dict[str, Any]:
    pairs = [text.partition("=") for text in given]
    for name, mark, url in pairs:
        if not (name and mark and url):
            raise InputError(
                tr("must be NAME=URL. Got {text!r} instead", text=f"{name}{mark}{url}"),
                where="--source",
                remedy=tr("Write it as in: --source clinic=postgresql://localhost/health."),
            )
    return {name: {"url": url, "stewards": [ME]} for name, _, url in pairs}


def run_server(app: Any, settings: Any) -> None:
    """Serve until somebody stops it."""
    import uvicorn

    from cobogo.floor import web

    web.serve(uvicorn.Server(server_config(app, settings)))


def server_config(app: Any, settings: Any) -> Any:
    """How the web server runs. Nothing of a request is printed: an address may hold a name, or a key by mistake."""
    import uvicorn

    from cobogo.floor import web

    tls = settings.tls
    return uvicorn.Config(
        app,
        host=settings.host,
        port=settings.port,
        http=web.patient(settings.limits.stalled_seconds),
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=settings.behind_proxy,
        forwarded_allow_ips=list(settings.trusted_proxies),
        ssl_certfile=tls and tls.certificate,
        ssl_keyfile=tls and tls.key,
    )


def require_server(*more: str) -> None:
    """Refuse to begin where the server's parts are not installed."""
    from importlib.util import find_spec

    if any(find_spec(name) is None for name in ("fastapi", "uvicorn", "argon2", "prometheus_client", *more)):
        raise InputError(
            tr("the packages that the server needs are not installed"),
            remedy=tr("Install them: {command}", command="pip install 'cobogo[server]'"),
        )
