"""From a device over TLS to the anonymizer, from there to a service and back: with real sockets."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import ssl
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cobogo.errors import InputError
from cobogo.faces.cli.main import app
from cobogo.locate.anonymizer.devices import Devices
from cobogo.locate.anonymizer.example_service import PlaceCatalogue, PlacesService, create_places_app
from cobogo.locate.anonymizer.server import AnonymizerSettings, PrivacyServer
from cobogo.locate.anonymizer.start import serve_in_background, write_certificate
from cobogo.locate.crowds import Hilbert
from cobogo.locate.device import DeviceClient
from cobogo.locate.mechanisms import Dummies
from cobogo.locate.places.geometry import distance
from cobogo.locate.places.grid import Grid

pytestmark = pytest.mark.slow

pytest.importorskip("fastapi")
pytest.importorskip("uvicorn")
httpx = pytest.importorskip("httpx")

K = 4
PEOPLE = 14


@dataclass
class Town:
    url: str
    places: str
    tokens: dict[str, str]
    certificate: Path
    catalogue: PlaceCatalogue
    heard: list[dict[str, Any]]
    at: dict[str, tuple[float, float]]

    def device(self, who: str) -> Any:
        trust = ssl.create_default_context(cafile=str(self.certificate))
        headers = {"Authorization": f"Bearer {self.tokens[who]}"}
        return httpx.Client(base_url=self.url, verify=trust, headers=headers, timeout=20)

    def nearest(self, who: str, count: int) -> list[str]:
        lon, lat = self.at[who]
        away = distance(lon, lat, [p.lon for p in self.catalogue.places], [p.lat for p in self.catalogue.places])
        return [self.catalogue.places[row].id for row in np.argsort(away)[:count]]


@pytest.fixture(scope="module")
def town(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Town]:
    from cobogo.locate.anonymizer.app import create_app

    rng = np.random.default_rng(7)
    catalogue = PlaceCatalogue.from_rows(
        [
            (f"place {n}", "any", *where)
            for n, where in enumerate((rng.normal(size=(400, 2)) * 0.02 + [-38.5, -3.74]).tolist())
        ]
    )
    certificate, key = write_certificate(tmp_path_factory.mktemp("tls"), ["127.0.0.1"])
    devices, heard = Devices(), []  # type: ignore[var-annotated]
    at = {f"p{n}": (x, y) for n, (x, y) in enumerate((rng.normal(size=(PEOPLE, 2)) * 0.01 + [-38.5, -3.74]).tolist())}
    tokens = {who: devices.enrol(who) for who in [*at, "late"]}
    server = PrivacyServer(AnonymizerSettings(Hilbert(K)))
    with serve_in_background(create_places_app(catalogue, heard)) as places:
        app = create_app(server, devices, service=PlacesService(places))
        with serve_in_background(app, certificate=certificate, key=key) as url:
            found = Town(url, places, tokens, certificate, catalogue, heard, at)
            for who, (lon, lat) in at.items():
                with found.device(who) as device:
                    answer = device.post("/locations", json={"positions": [{"lon": lon, "lat": lat}]})
                    assert answer.status_code == 200
            yield found


def test_under_a_cloak_the_answer_is_exactly_the_nearest(town: Town) -> None:
    town.heard.clear()
    for who in town.at:
        with town.device(who) as device:
            answer = device.post("/nearest", json={"count": 3}).json()
        assert [place["id"] for place in answer["places"]] == town.nearest(who, 3)
    assert len(town.heard) == PEOPLE
    for question in town.heard:
        assert question["identity"] is None
        (area,) = question["areas"]
        lon, lat = np.array(list(town.at.values())).T
        assert (distance(area["lon"], area["lat"], lon, lat) <= area["radius"]).sum() >= K
    asked = {tuple(question["areas"][0].values()) for question in town.heard}
    assert len(asked) <= PEOPLE // K  # everybody of a crowd asks the same


def test_the_service_hears_of_positions_under_cloaks_only(town: Town) -> None:
    town.heard.clear()
    lon, lat = town.at["p1"]
    with town.device("p1") as device:
        told = device.post("/locations", json={"positions": [{"lon": lon, "lat": lat}]}).json()["told"]
        trip = {"positions": [{"lon": lon, "lat": lat}], "release": "accumulated", "trip": "walk"}
        assert device.post("/locations", json=trip).json()["told"] is None
        assert device.post("/trips/walk/release").json()["told"] == []  # it began and ended there
    assert town.heard == [told]
    west, south, east, north = told["box"]
    assert sum(west <= x <= east and south <= y <= north for x, y in town.at.values()) >= K


def test_among_dummies_the_answer_is_exactly_the_nearest(town: Town) -> None:
    town.heard.clear()
    grid = Grid.from_bounds(-38.56, -3.80, -38.44, -3.68, size=200)
    device = DeviceClient(Dummies(5, grid), reports=1000, window=1)
    for who, (lon, lat) in town.at.items():
        answer = device.nearest(lon, lat, 0.0, PlacesService(town.places), count=2)
        assert answer.exact
        assert [place.id for place in answer.places] == town.nearest(who, 2)
    assert all(len(question["areas"]) == 5 for question in town.heard)
    assert len({round(area["radius"], 6) for question in town.heard for area in question["areas"]}) == 1


def test_a_request_waits_for_people_to_come_by(town: Town) -> None:
    """The one who asks for more people than there are waits until the last of them is heard of."""
    answers: list[Any] = []

    def ask() -> None:
        with town.device("p0") as device:
            answers.append(device.post("/cloak", json={"k": PEOPLE + 1, "max_wait": 15.0}))

    waiting = threading.Thread(target=ask)
    waiting.start()
    with town.device("late") as device:
        while not answers and waiting.is_alive():
            device.post("/locations", json={"positions": [{"lon": -38.5, "lat": -3.74}]})
            waiting.join(timeout=0.05)
        assert device.request("DELETE", "/locations").status_code == 200
    assert answers[0].status_code == 200
    assert answers[0].json()["until"] >= answers[0].json()["since"]
    with town.device("p0") as device:
        assert device.post("/cloak", json={"k": PEOPLE + 5, "max_wait": 0.1}).status_code == 409


def test_the_leg_to_the_anonymizer_is_encrypted_and_its_certificate_checked(town: Town) -> None:
    with pytest.raises(httpx.ConnectError), httpx.Client() as stranger:
        stranger.get(f"{town.url}/health")
    plain = town.url.replace("https", "http")
    with pytest.raises(httpx.HTTPError), httpx.Client() as careless:
        careless.get(f"{plain}/health").raise_for_status()
    with pytest.raises(InputError, match="plain_http"), serve_in_background(object(), host="0.0.0.0"):
        pass


def test_a_request_that_does_not_come_in_as_a_whole_is_hung_up_on(monkeypatch: pytest.MonkeyPatch) -> None:
    from cobogo.floor import web
    from cobogo.locate.anonymizer.app import create_app

    monkeypatch.setattr(web, "STALLED", 0.2)
    health = b"GET /health HTTP/1.1\r\nHost: a\r\n\r\n"
    head = b"POST /locations HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\n{"
    with serve_in_background(create_app(PrivacyServer(), Devices())) as url:
        host, port = url.removeprefix("http://").split(":")
        for before, rest in ((b"", b""), (b"", b"GET /hea"), (b"", head), (health, b"GET /hea"), (health, head)):
            with socket.create_connection((host, int(port))) as half:
                half.sendall(before)
                assert not before or half.recv(4096).startswith(b"HTTP/1.1 200")
                half.sendall(rest)
                assert b"HTTP/1.1" not in b"".join(iter(lambda half=half: half.recv(4096), b""))  # until it hangs up


def test_the_service_is_asked_again_after_it_hung_up() -> None:
    """A service that ends each connection after its answer, without a word."""
    heard = []

    def serve(listener: socket.socket) -> None:
        for _ in range(3):
            with listener.accept()[0] as connection:
                question = b""
                while not question.endswith(b"}"):  # what is left unread resets the connection, and the answer is lost
                    question += connection.recv(65536) or b"}"
                heard.append(question)
                body = b'{"heard": 1}'
                head = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n"
                connection.sendall(head % len(body) + body)

    async def tell(url: str) -> None:
        service = PlacesService(url)
        for _ in range(3):
            await service.receive_reports([])
        await service.close()

    with socket.create_server(("127.0.0.1", 0)) as listener:
        server = threading.Thread(target=serve, args=[listener])
        server.start()
        asyncio.run(tell(f"http://127.0.0.1:{listener.getsockname()[1]}"))
        server.join()
    assert len(heard) == 3


def test_the_command_serves_until_it_is_told_to_stop(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    state, tls = str(tmp_path / "state"), tmp_path / "tls"
    _run("enrol", "ana", "--state", state)
    token = capsys.readouterr().out.strip()
    _run("certificate", "--out", str(tls), "--name", "127.0.0.1")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    code = "import sys; from cobogo.faces.cli.main import run; run(sys.argv[1:])"
    options = ["--state", state, "--port", str(port), "--certificate", str(tls / "certificate.pem")]
    options += ["--tls-key", str(tls / "key.pem"), "--epsilon", "0.01"]
    with subprocess.Popen(
        [sys.executable, "-c", code, "locate", "serve", *options],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
    ) as process:  # fmt: skip
        trust = ssl.create_default_context(cafile=str(tls / "certificate.pem"))
        headers = {"Authorization": f"Bearer {token}"}
        with httpx.Client(base_url=f"https://127.0.0.1:{port}", verify=trust, headers=headers) as device:
            for _ in range(600):
                try:
                    device.get("/health")
                    break
                except httpx.ConnectError:
                    assert process.poll() is None
                    time.sleep(0.05)
            for _ in range(100):  # whoever hangs up before the answer ends nothing
                line = trust.wrap_socket(socket.create_connection(("127.0.0.1", port)), server_hostname="127.0.0.1")
                line.sendall(b"GET /health HTTP/1.1\r\nHost: h\r\n\r\n" * 2)
                line.close()
            assert device.get("/budget/ana").json()["left"] == 0.1
            position = {"positions": [{"lon": -38.123456, "lat": -3.654321}]}
            assert device.post("/locations", json=position).status_code == 200
        process.terminate()
        said = process.communicate(timeout=20)[0]
    assert "hilbert" in said
    assert "k-anonymity with k = 5" in said
    assert "38.12" not in said


def test_commands_that_cannot_be_carried_out_say_why(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    state = str(tmp_path / "state")
    with pytest.raises(InputError, match="sees where people are"):
        _run("serve", "--state", state, "--host", "0.0.0.0")
    with pytest.raises(InputError, match="no cloak 'circle'"):
        _run("serve", "--state", state, "--cloak", "circle")
    _run("enrol", "ana", "--state", state)
    _run("enrol", "ana", "--state", state, "--revoke")
    assert capsys.readouterr().out.splitlines()[-1] == "Revoked   1 token of ana"


def _run(*words: str) -> None:
    with contextlib.suppress(SystemExit):
        app(args=["locate", *words])
