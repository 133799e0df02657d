"""The commands ``cobogo locate serve``, ``enrol`` and ``certificate``: the trusted anonymizer as a server."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from cobogo.faces.cli import console

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
        bool, typer.Option("--plain-http", help="No TLS on an address that leaves this machine.")
    ] = False,
    cloak: Annotated[str, typer.Option("--cloak", help="hilbert, quad-tree, casper or clique.")] = "hilbert",
    k: Annotated[int, typer.Option("--k", help="How many people a cloak holds, unless asked otherwise.")] = 5,
    min_area: Annotated[float, typer.Option("--min-area", help="Square metres that a cloak has at least.")] = 0.0,
    max_wait: Annotated[float, typer.Option("--max-wait", help="Seconds that a request may wait at most.")] = 60.0,
    identity: Annotated[
        str, typer.Option("--identity", help="What the service hears: consistent, pseudonymous or absent.")
    ] = "absent",
    service: Annotated[
        str | None, typer.Option("--service", help="The URL of the service to ask.", show_default=False)
    ] = None,
    epsilon: Annotated[
        float | None, typer.Option("--epsilon", help="Also offer noise: ε per metre.", show_default=False)
    ] = None,
    budget: Annotated[
        float | None, typer.Option("--budget", help="ε per metre in a window; ten reports.", show_default=False)
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
    console.say(
        f"Serving   {'http' if certificate is None else 'https'}://{host}:{port}   {server.settings.cloak.name}"
    )
    console.say(f"Promise   {server.settings.cloak.guarantee}")
    if plain_http and certificate is None:
        console.warn("true positions come in unencrypted: end TLS before this server")
    sys.stdout.flush()  # what follows may go on for months
    run(
        create_app(server, kept.devices, service=behind),
        host=host, port=port, certificate=certificate, key=tls_key, plain=plain_http,
    )  # fmt: skip


def enrol(
    name: Annotated[str, typer.Argument(help="Whose device it is.", show_default=False)],
    state: State,
    operator: Annotated[bool, typer.Option("--operator", help="For one who looks after mix zones.")] = False,
    revoke: Annotated[bool, typer.Option("--revoke", help="Close the server to this person's tokens instead.")] = False,
) -> None:
    """Make a token for a device and print it, once."""
    from cobogo.locate.anonymizer.start import ServerDirectory as Directory

    devices = Directory.create(state).devices
    if revoke:
        console.say(f"Revoked   {devices.revoke(name)} of {name}")
        return
    console.say(devices.enrol(name, operator=operator))
    console.warn("this token is shown only now; put it on the device, where others cannot read it")


def certificate(
    out: Annotated[Path, typer.Option("--out", help="The directory that it goes into.", show_default=False)],
    name: Annotated[list[str], typer.Option("--name", help="A name or address of the server; may be given again.")],
    days: Annotated[int, typer.Option("--days", help="How long it is valid.")] = 90,
) -> None:
    """Make a certificate that vouches for itself, and its key. Devices must be given the certificate."""
    from cobogo.locate.anonymizer.start import write_certificate

    made, key = write_certificate(out, name, days=days)
    console.say(f"Written   {made}   give it to the devices\nWritten   {key}   keep it")
