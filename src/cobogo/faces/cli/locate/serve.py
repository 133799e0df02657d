"""The commands ``cobogo locate serve``, ``enrol`` and ``certificate``: the trusted anonymizer as a server."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from cobogo.faces.cli import console
from cobogo.floor.language import tr, trn

State = Annotated[
    Path, typer.Option("--state", help="The server's directory: devices, budgets, zones, secret.", show_default=False)
]


def serve(
    state: State,
    host: Annotated[str, typer.Option("--host", help="The address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option("--port", help="The port.")] = 8350,
    certificate: Annotated[
        Path | None, typer.Option("--certificate", help="TLS: the certificate, PEM.", show_default=False)
    ] = None,
    tls_key: Annotated[Path | None, typer.Option("--tls-key", help="TLS: its key, PEM.", show_default=False)] = None,
    plain_http: Annotated[
        bool, typer.Option("--plain-http", help="Serve without TLS on an address that other machines can reach.")
    ] = False,
    cloak: Annotated[str, typer.Option("--cloak", help="hilbert, quad-tree, casper or clique.")] = "hilbert",
    k: Annotated[
        int, typer.Option("--k", help="How many people a cloak has, unless a device asks for another number.")
    ] = 5,
    min_area: Annotated[
        float, typer.Option("--min-area", help="The smallest area of a cloak, in square metres.")
    ] = 0.0,
    max_wait: Annotated[float, typer.Option("--max-wait", help="How many seconds a request may wait at most.")] = 60.0,
    identity: Annotated[
        str, typer.Option("--identity", help="The identity that the service sees: consistent, pseudonymous or absent.")
    ] = "absent",
    service: Annotated[
        str | None, typer.Option("--service", help="The URL of the service to ask.", show_default=False)
    ] = None,
    epsilon: Annotated[
        float | None, typer.Option("--epsilon", help="Also offer noise: ε per metre.", show_default=False)
    ] = None,
    budget: Annotated[
        float | None,
        typer.Option(
            "--budget",
            help="ε per metre that a device may spend in a window; ten reports if not given.",
            show_default=False,
        ),
    ] = None,
    window: Annotated[float, typer.Option("--window", help="Seconds of the budget's window.")] = 3600.0,
) -> None:
    """Run a trusted anonymizer between devices and a location-based service."""
    from cobogo.locate.anonymizer.start import ServerDirectory as Directory
    from cobogo.locate.anonymizer.start import require_server_parts, run

    require_server_parts()
    from cobogo.locate.anonymizer.app import create_app
    from cobogo.locate.anonymizer.example_service import PlacesService
    from cobogo.locate.anonymizer.start import assemble_server, check_leg

    check_leg(host, certificate, tls_key, plain=plain_http)
    kept = Directory.create(state)
    server = assemble_server(
        kept, cloak=cloak, k=k, min_area=min_area, max_wait=max_wait, identity=identity, epsilon=epsilon,
        budget=budget, window=window,
    )  # fmt: skip
    behind = None if service is None else PlacesService(service)
    scheme = "http" if certificate is None else "https"
    console.say_line("serving", f"{scheme}://{host}:{port}", server.settings.cloak.name)
    console.say_line("promise", str(server.settings.cloak.guarantee))
    if plain_http and certificate is None:
        console.warn(tr("true positions arrive unencrypted: put a proxy with TLS before this server"))
    sys.stdout.flush()  # what follows may go on for months
    run(
        create_app(server, kept.devices, service=behind),
        host=host, port=port, certificate=certificate, key=tls_key, plain=plain_http,
    )  # fmt: skip


def enrol(
    name: Annotated[str, typer.Argument(help="The person whose device it is.", show_default=False)],
    state: State,
    operator: Annotated[
        bool, typer.Option("--operator", help="A token for the operator, who manages mix zones.")
    ] = False,
    revoke: Annotated[bool, typer.Option("--revoke", help="Revoke this person's tokens instead.")] = False,
) -> None:
    """Make a token for a device and print it, once."""
    from cobogo.locate.anonymizer.start import ServerDirectory as Directory

    devices = Directory.create(state).devices
    if revoke:
        count = devices.revoke(name)
        console.say_line("revoked", trn("{n:,} token of {name}", "{n:,} tokens of {name}", n=count, name=name))
        return
    console.say(devices.enrol(name, operator=operator))
    console.warn(tr("this token is shown only once; put it on the device, where others cannot read it"))


def certificate(
    out: Annotated[Path, typer.Option("--out", help="The directory of the two files.", show_default=False)],
    name: Annotated[list[str], typer.Option("--name", help="A name or address of the server; may be given again.")],
    days: Annotated[int, typer.Option("--days", help="For how many days it is valid.")] = 90,
) -> None:
    """Make a self-signed certificate and its key. Give the certificate to the devices."""
    from cobogo.locate.anonymizer.start import write_certificate

    made, key = write_certificate(out, name, days=days)
    console.say_line("written", str(made), tr("give it to the devices"))
    console.say_line("written", str(key), tr("keep it secret"))
