"""The privacy server: what it takes, whom it tells what, and that nothing of it is logged."""

from __future__ import annotations

import asyncio
import logging
import subprocess
import sys
from collections.abc import AsyncIterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest

from cobogo.errors import BudgetSpent, InputError, LedgerError, NoSolution, OutputError
from cobogo.locate.anonymizer.cloaking import Demand
from cobogo.locate.anonymizer.devices import Devices, WindowBooks
from cobogo.locate.anonymizer.server import AnonymizerSettings, PrivacyServer
from cobogo.locate.anonymizer.start import ServerDirectory, assemble_server, check_leg, write_certificate
from cobogo.locate.crowds import CliqueCloak, QuadTree
from cobogo.locate.crowds.mix_zones import MixZone
from cobogo.locate.mechanisms import PlanarLaplace
from cobogo.locate.places.geometry import distance

pytestmark = pytest.mark.slow

pytest.importorskip("fastapi")
httpx = pytest.importorskip("httpx")

NOW = 1_000_000.0


class City:
    """A server with thirty people about, and a clock that is set by hand."""

    def __init__(self, settings: AnonymizerSettings, service: Any = None, **options: Any) -> None:
        from cobogo.locate.anonymizer.app import create_app

        self.now = NOW
        self.devices = Devices()
        self.server = PrivacyServer(settings, **options)
        self.app = create_app(self.server, self.devices, service=service, clock=lambda: self.now)
        self.tokens = {f"p{number}": self.devices.enrol(f"p{number}") for number in range(30)}
        self.operator = self.devices.enrol("olga", operator=True)
        rng = np.random.default_rng(1)
        for name, (east, north) in zip(self.tokens, rng.normal(size=(30, 2)) * 0.01, strict=True):
            self.server.update(name, [(-38.5 + east, -3.7 + north, self.now)])

    def ask(self, method: str, path: str, who: str | None, json: Any = None) -> Any:
        token = self.operator if who == "olga" else self.tokens.get(who or "", "")
        headers = {"Authorization": f"Bearer {token}"} if who else {}
        return self.send(method, path, headers=headers, **({} if json is None else {"json": json}))

    def send(self, method: str, path: str, **request: Any) -> Any:
        async def sent() -> Any:
            transport = httpx.ASGITransport(self.app)
            async with httpx.AsyncClient(transport=transport, base_url="http://anonymizer") as client:
                return await client.request(method, path, **request)

        return asyncio.run(sent())

    def move(self, who: str, lon: float, lat: float, **more: Any) -> Any:
        answer = self.ask("POST", "/locations", who, {"positions": [{"lon": lon, "lat": lat}], **more})
        assert answer.status_code == 200, answer.text
        return answer.json()


@pytest.fixture
def city() -> City:
    return City(AnonymizerSettings(QuadTree(4)))


def test_a_cloak_holds_k_people_and_its_owner(city: City) -> None:
    answer = city.ask("POST", "/cloak", "p3", {"k": 6})
    assert answer.status_code == 200
    west, south, east, north = answer.json()["box"]
    lon, lat = city.server.anonymizer.place("p3", city.now)
    assert west <= lon <= east
    assert south <= lat <= north
    places = [city.server.anonymizer.place(name, city.now) for name in city.tokens]
    assert sum(west <= x <= east and south <= y <= north for x, y in places) >= 6
    assert answer.json()["identity"] is None
    assert "people" not in answer.json()


def test_requests_that_wait_for_each_other_go_out_together() -> None:
    city = City(AnonymizerSettings(CliqueCloak(3, dx=5000, dy=5000, dt=30)))

    async def all_at_once() -> list[Any]:
        transport = httpx.ASGITransport(city.app)
        async with httpx.AsyncClient(transport=transport, base_url="http://anonymizer") as client:
            headers = [{"Authorization": f"Bearer {city.tokens[who]}"} for who in ("p1", "p2", "p3", "p4")]
            asked = [client.post("/cloak", json={"max_wait": 0.5}, headers=one) for one in headers]
            return await asyncio.gather(*asked)

    answers = asyncio.run(all_at_once())
    assert sorted(answer.status_code for answer in answers) == [200, 200, 200, 409]
    assert len({tuple(answer.json()["box"]) for answer in answers if answer.status_code == 200}) == 1
    assert city.server.anonymizer.waiting == 0
    assert city.ask("POST", "/cloak", "p1", {"k": 62}).status_code == 422


def test_too_few_people_are_a_refusal_with_a_remedy(city: City) -> None:
    answer = city.ask("POST", "/cloak", "p3", {"k": 31})
    assert answer.status_code == 409
    assert answer.json()["remedy"]
    assert city.ask("POST", "/cloak", "p3", {"k": 5, "max_wait": 61.0}).status_code == 422


def test_nobody_sees_another_s_budget_or_cloak(city: City) -> None:
    city.server.books = WindowBooks(0.1, window=60)
    assert city.ask("GET", "/budget/p3", "p3").json()["left"] == 0.1
    assert city.ask("GET", "/budget/p3", "p4").status_code == 403
    assert city.ask("GET", "/budget/nobody", "p4").status_code == 403
    assert city.ask("GET", "/budget/p3", "olga").status_code == 403
    for method, path in (("GET", "/budget/p3"), ("POST", "/cloak"), ("POST", "/locations"), ("GET", "/mixzones"),
                         ("DELETE", "/locations"), ("POST", "/noise"), ("POST", "/trips/a/release")):  # fmt: skip
        assert city.ask(method, path, None).status_code == 401
        wrong = {"Authorization": "Bearer wrong"}
        assert city.send(method, path, headers=wrong).status_code == 401
    assert city.ask("POST", "/mixzones", "p3", {}).status_code == 403
    assert city.ask("POST", "/cloak", "olga", {}).status_code == 403


def test_health_needs_no_token_and_tells_nothing(city: City) -> None:
    assert set(city.ask("GET", "/health", None).json()) == {"status", "version"}


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/locations", {"positions": []}),
        ("/locations", {"positions": [{"lon": 181.25, "lat": 0.0}]}),
        ("/locations", {"positions": [{"lon": 0.0, "lat": 90.125}]}),
        ("/locations", {"positions": [{"lon": "12.5", "lat": 0.0}]}),
        ("/locations", {"positions": [{"lon": 12.5, "lat": 0.0, "alt": 3}]}),
        ("/locations", {"positions": [{"lon": 12.5}]}),
        ("/locations", {"positions": [{"lon": 12.5, "lat": 0.0}] * 1001}),
        ("/locations", {"positions": [{"lon": 12.5, "lat": 0.0, "time": NOW + 3600}]}),
        ("/locations", {"positions": [{"lon": 12.5, "lat": 0.0}], "release": "accumulated"}),
        ("/locations", {"positions": [{"lon": 12.5, "lat": 0.0}], "user": "p4"}),
        ("/cloak", {"k": 1}),
        ("/cloak", {"k": 2.5}),
        ("/cloak", {"max_wait": -1.0}),
        ("/cloak", {"min_area": 5.0, "max_area": 1.0}),
        ("/cloak", {"k": 100_001}),
    ],
    ids=range(15),
)
def test_what_is_not_right_is_refused_and_not_repeated(city: City, path: str, body: Any) -> None:
    answer = city.ask("POST", path, "p3", body)
    assert answer.status_code == 422
    for value in ("12.5", "181.25", "90.125"):
        assert value not in answer.text


def test_a_body_may_not_be_endless(city: City) -> None:
    from cobogo.locate.anonymizer.guards import LARGEST

    headers = {"Authorization": f"Bearer {city.tokens['p3']}"}

    async def parts() -> AsyncIterator[bytes]:
        for part in (b"x" * LARGEST, b"yy"):
            yield part

    for content in (b"x" * (LARGEST + 1), parts()):
        assert city.send("POST", "/locations", content=content, headers=headers).status_code == 413
    for content in (b"{", b'{"positions": [{"lon": NaN, "lat": 0}]}', b"[]", b"null"):
        assert city.send("POST", "/locations", content=content, headers=headers).status_code == 422


def test_identities_are_lasting_changing_or_none() -> None:
    def names(identity: str, secret: bytes = b"s" * 32) -> list[str | None]:
        town = City(
            AnonymizerSettings(QuadTree(2), identity, secret),  # type: ignore[arg-type]
            zones=[MixZone("square", -39.0, -3.7, 300, least=2)],
        )
        found = [town.ask("POST", "/cloak", "p1", {}).json()["identity"]]
        for where in (-39.0, -38.5):
            for who in ("p1", "p2"):
                town.move(who, where, -3.7)
        return [*found, town.ask("POST", "/cloak", "p1", {}).json()["identity"]]

    assert names("absent") == [None, None]
    lasting = names("consistent")
    assert lasting[0] == lasting[1] == names("consistent")[0] != names("consistent", b"t" * 32)[0]
    changing = names("pseudonymous")
    assert changing[0] != changing[1]
    assert all(name and "p1" not in name for name in (*lasting, *changing))


def test_nobody_is_heard_of_within_a_mix_zone() -> None:
    city = City(AnonymizerSettings(QuadTree(4)), Broken(ConnectionError()))
    zone = {"name": "square", "lon": -39.0, "lat": -3.7, "radius": 300.0, "least": 2}
    assert city.ask("POST", "/mixzones", "olga", zone).status_code == 201
    assert city.ask("POST", "/mixzones", "olga", zone).status_code == 409
    assert city.ask("GET", "/mixzones", "p1").json()["zones"][0]["name"] == "square"
    assert city.move("p1", -38.5, -3.7)["told"]["identity"] is None
    for second, who in enumerate(("p1", "p2")):
        city.now = NOW + second
        assert city.move(who, -39.0 + 0.002 * second, -3.7)["told"] is None
    assert city.ask("POST", "/cloak", "p1", {}).status_code == 409
    city.now = NOW + 300
    for who in ("p2", "p1"):
        city.move(who, -38.5, -3.7)
    mixed = city.ask("GET", "/mixzones/square/mix", "olga").json()
    assert (mixed["people"], mixed["exact"]) == (2, True)
    assert 0 < mixed["entropy"] <= 1
    assert city.ask("GET", "/mixzones/none/mix", "olga").status_code == 404


def test_noise_is_paid_for_and_then_refused(tmp_path: Path) -> None:
    books = WindowBooks(0.03, window=600, file=tmp_path / "ledger.db")
    city = City(AnonymizerSettings(QuadTree(4), mechanism=PlanarLaplace(0.01)), books=books)
    places = [city.ask("POST", "/noise", "p1").json() for _ in range(3)]
    assert len({(place["lon"], place["lat"]) for place in places}) == 3
    assert city.ask("POST", "/noise", "p1").status_code == 429
    assert city.ask("GET", "/budget/p1", "p1").json() == {
        "budget": 0.03, "window": 600, "spent": 0.03, "left": 0.0, "reports": 3,
    }  # fmt: skip
    assert city.ask("POST", "/noise", "p2").status_code == 200
    with pytest.raises(BudgetSpent):
        WindowBooks(0.03, window=600, file=tmp_path / "ledger.db").spend("p1", 0.01, city.now + 599)
    city.now += 600.5
    city.move("p1", -38.5, -3.7)
    assert city.ask("POST", "/noise", "p1").status_code == 200
    assert (tmp_path / "ledger.db").stat().st_mode & 0o077 == 0


def test_without_noise_there_is_none(city: City) -> None:
    assert city.ask("POST", "/noise", "p1").status_code == 422
    assert city.ask("GET", "/budget/p1", "p1").json() == {"budget": None}
    assert city.ask("POST", "/nearest", "p1", {}).status_code == 404


def near(box: list[float], lon: float, lat: float) -> float:
    """Metres from a place to a rectangle."""
    west, south, east, north = box
    return float(distance(lon, lat, min(max(lon, west), east), min(max(lat, south), north)))


def test_a_trip_is_told_afterwards_without_its_ends(city: City) -> None:
    """Everybody goes six kilometres to the east; one of them as a trip."""
    start = [city.server.anonymizer.place(name, city.now) for name in city.tokens]
    for step in range(1, 31):
        city.now = NOW + 60 * step
        for (lon, lat), name in zip(start, city.tokens, strict=True):
            trip = "run" if name == "p5" else None
            city.server.update(name, [(lon + 0.002 * step, lat, city.now)], trip=trip)
    lon, lat = start[5]
    assert city.move("p5", lon + 0.06, lat, release="accumulated", trip="run")["told"] is None
    answer = city.ask("POST", "/trips/run/release", "p5").json()["told"]
    assert 3 <= len(answer) <= 30
    own = [(NOW + 60 * step, lon + 0.002 * step) for step in range(1, 31)]
    for one in answer:
        west, south, east, north = one["box"]
        assert [x for time, x in own if one["since"] <= time < one["until"] and west <= x <= east]
        assert south <= lat <= north
        assert near(one["box"], own[0][1], lat) > 200
        assert near(one["box"], own[-1][1], lat) > 200
        assert one["until"] - one["since"] == city.server.settings.span
    assert city.ask("POST", "/trips/run/release", "p5").status_code == 422
    assert city.ask("POST", "/trips/run/release", "p4").status_code == 422


def test_a_trip_is_not_told_from_within_a_mix_zone_nor_across_one() -> None:
    zone = MixZone("square", -38.47, -3.7, 300, least=2)
    city = City(AnonymizerSettings(QuadTree(2), "pseudonymous"), zones=[zone])
    for step in range(61):
        for who in ("p1", "p2"):
            city.server.update(who, [(-38.5 + 0.001 * step, -3.7, NOW + 60 * step)], trip="run")
        if step == 30:
            assert city.server.zones.is_silent("p1")
            with pytest.raises(NoSolution, match="in a mix zone"):
                city.server.finished_trip("p1", "run").reports()
    named = city.server.zones.pseudonyms.since("p1")
    assert NOW + 1800 < named < NOW + 2100
    told = city.server.finished_trip("p1", "run").reports()
    assert told
    assert min(one.until for one in told) > named  # under the new name nothing of before
    consistent = replace(city.server.settings, identity="consistent", cloak=QuadTree(2))
    city.server.settings = consistent
    told = city.server.finished_trip("p1", "run").reports()
    assert min(one.until for one in told) < named
    within = [one for one in city.server.finished_trip("p1", "run").own.lon if abs(one - zone.lon) < 0.0025]
    assert within == []


def test_a_trip_without_company_is_not_told() -> None:
    city = City(AnonymizerSettings(QuadTree(4)))
    for step in range(1, 31):
        city.now = NOW + 1000 + 60 * step
        city.move("p5", -38.5 + 0.0005 * step, -3.7, release="accumulated", trip="run")
    assert city.ask("POST", "/trips/run/release", "p5").json()["told"] == []


def test_who_asks_to_be_forgotten_is(city: City) -> None:
    city.move("p1", -38.5, -3.7, release="accumulated", trip="run")
    assert city.ask("DELETE", "/locations", "p1").status_code == 200
    assert city.ask("POST", "/cloak", "p1", {}).status_code == 422
    assert city.ask("POST", "/trips/run/release", "p1").status_code == 422


def held(thing: Any, found: set[Any]) -> set[Any]:
    """Every text and number that an object holds, however deep."""
    if isinstance(thing, str | int | float):
        found.add(thing)
    elif isinstance(thing, np.ndarray):
        found.update(thing.ravel().tolist())
    elif isinstance(thing, dict):
        for pair in thing.items():
            held(pair, found)
    elif isinstance(thing, list | tuple | set):
        for one in thing:
            held(one, found)
    elif type(thing).__module__.startswith("cobogo.locate"):
        for name in {*vars(thing)} - {"settings", "_source", "books"}:
            held(getattr(thing, name), found)
    return found


PLACES = {-38.4321, -38.2345, -39.0001}


@pytest.mark.parametrize("cloak", [QuadTree(2), CliqueCloak(2)], ids=["quad-tree", "clique"])
@pytest.mark.parametrize("how", ["forgotten", "expired"])
def test_nothing_is_left_of_who_is_forgotten_or_was_long_ago(cloak: Any, how: str) -> None:
    server = PrivacyServer(
        AnonymizerSettings(cloak, "pseudonymous"), zones=[MixZone("square", -39.0, -3.7, 300, least=2)]
    )
    server.update("bia", [(-38.5, -3.7, NOW)])
    for second, lon in enumerate((-38.4321, -39.0001, -38.2345, -39.0001)):
        server.update("ana", [(lon, -3.7, NOW + second)], trip="run")
        server.identity("ana")
        if second == 2:
            server.ask("ana", NOW + second, Demand(50, max_wait=60.0))
    assert held(server, set()) >= {"ana", *PLACES}
    if how == "forgotten":
        server.forget("ana")
        assert not held(server, set()) & {"ana", *PLACES}
        assert "bia" in held(server, set())
    else:
        server.anonymizer.settle(NOW + 100)
        server.expire(NOW + server.settings.memory + 10)
        assert not held(server, set()) & PLACES


def test_positions_go_by_the_clock_and_those_that_are_too_old_do_not_come_in(city: City) -> None:
    old = {"positions": [{"lon": -38.5, "lat": -3.7, "time": NOW - 6 * 3600 - 1}, {"lon": -38.5, "lat": -3.7}]}
    assert city.ask("POST", "/locations", "p1", old).json()["accepted"] == 1

    async def later() -> None:
        from cobogo.locate.anonymizer.app import WaitingRoom

        loop, due = asyncio.get_running_loop(), []
        room = WaitingRoom(city.server, lambda: city.now)
        with pytest.MonkeyPatch.context() as patched:
            patched.setattr(loop, "call_later", lambda seconds, what: due.append((seconds, what)))
            room.forget_in_time()
            room.forget_in_time()
            for now in (NOW + 6 * 3600 - 1, NOW + 6 * 3600 + 60):
                city.now = now
                ((seconds, what),) = due
                assert seconds <= 60
                due.clear()
                what()
        assert due == []  # nothing is kept, so nothing is left to forget

    asyncio.run(later())
    assert city.server.anonymizer.people == 0


def test_a_late_position_tells_nothing_from_within_a_mix_zone() -> None:
    service = Listening()
    city = City(
        AnonymizerSettings(QuadTree(4), "pseudonymous"), service, zones=[MixZone("square", -39.0, -3.7, 300, least=2)]
    )
    city.now = NOW + 60
    city.move("p1", -39.0, -3.7)
    service.heard.clear()
    late = {"positions": [{"lon": -38.5, "lat": -3.7, "time": NOW + 30}]}
    assert city.ask("POST", "/locations", "p1", late).json() == {"accepted": 1, "told": None}
    assert city.ask("POST", "/cloak", "p1", {}).status_code == 409
    old = {"positions": [{"lon": -38.5, "lat": -3.7, "time": NOW - 3600}]}
    city.server.forget("p2")
    assert city.ask("POST", "/locations", "p2", old).json() == {"accepted": 1, "told": None}
    assert service.heard == []


def test_nobody_asks_faster_than_the_pace(city: City) -> None:
    from cobogo.locate.anonymizer.app import BURST, PACE

    answers = [city.ask("POST", "/cloak", "p1", {}).status_code for _ in range(int(BURST) - 20)]
    many = {"positions": [{"lon": -38.5, "lat": -3.7}] * 1000}
    assert {*answers} == {200}
    slow = city.ask("POST", "/locations", "p1", many)
    assert (slow.status_code, int(slow.headers["retry-after"])) == (429, 30)
    assert city.ask("POST", "/cloak", "p2", {}).status_code == 200
    city.now += 51 / PACE
    assert city.ask("POST", "/locations", "p1", many).status_code == 200


def test_cloaks_of_a_large_crowd_are_drawn_in_another_thread_once_for_all() -> None:
    import threading

    from cobogo.locate.anonymizer import app

    @dataclass(frozen=True)
    class Watched(QuadTree):
        drawn: ClassVar[list[str]] = []

        def regions(self, points: Any) -> Any:
            self.drawn.append(threading.current_thread().name)
            return super().regions(points)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(app, "HEAVY", 20)
        city = City(AnonymizerSettings(Watched(4)))

        async def all_at_once() -> list[Any]:
            transport = httpx.ASGITransport(city.app)
            async with httpx.AsyncClient(transport=transport, base_url="http://anonymizer") as client:
                headers = [{"Authorization": f"Bearer {city.tokens[f'p{n}']}"} for n in range(6)]
                asked = [client.post("/cloak", json={}, headers=one) for one in headers]
                asked.append(
                    client.post("/cloak", json={"k": 31}, headers={"Authorization": f"Bearer {city.tokens['p7']}"})
                )
                return await asyncio.gather(*asked)

        answers = asyncio.run(all_at_once())
    assert [answer.status_code for answer in answers] == [200] * 6 + [409]
    assert threading.current_thread().name not in Watched.drawn[:1]
    assert Watched.drawn.count(threading.current_thread().name) <= 1  # the refusal of 31 of 30 is quick


def test_no_position_name_or_token_is_logged(city: City, caplog: pytest.LogCaptureFixture, capfd: Any) -> None:
    with caplog.at_level(logging.DEBUG):
        city.move("p1", -38.123456, -3.654321)
        city.ask("POST", "/cloak", "p1", {"k": 31})
        city.ask("POST", "/locations", "p1", {"positions": [{"lon": -38.123456, "lat": 93.654321}]})
    out, err = capfd.readouterr()
    ours = "".join(record.getMessage() for record in caplog.records if not record.name.startswith("httpx"))
    for secret in ("38.123456", "3.654321", city.tokens["p1"]):
        assert secret not in out + err + ours


class Listening:
    """A service that writes down what it hears."""

    def __init__(self) -> None:
        self.heard: list[Any] = []

    async def find_nearest(self, *question: Any) -> Any:
        self.heard.append(question)
        return [[]]

    async def receive_reports(self, reports: Any) -> None:
        """Hear it."""
        self.heard.extend(reports)


class Broken:
    """A service that is not there, or worse."""

    def __init__(self, error: Exception) -> None:
        self.error = error

    async def find_nearest(self, *question: Any) -> Any:
        raise self.error

    async def receive_reports(self, reports: Any) -> None:
        """Hear it, and say nothing."""


def test_a_service_that_does_not_answer_is_told_apart_from_a_refusal() -> None:
    city = City(AnonymizerSettings(QuadTree(4)), Broken(ConnectionError("secret 38.123456")))
    answer = city.ask("POST", "/nearest", "p1", {})
    assert answer.status_code == 502
    assert "38.12" not in answer.text


def test_of_a_fault_only_its_kind_and_place_are_told(caplog: pytest.LogCaptureFixture, capfd: Any) -> None:
    city = City(AnonymizerSettings(QuadTree(4)), Broken(ZeroDivisionError("at 38.123456")))
    answer = city.ask("POST", "/nearest", "p1", {})
    assert (answer.status_code, answer.json()) == (500, {"error": "an error of the server"})
    assert "ZeroDivisionError in test_app.py" in caplog.text
    assert "38.12" not in caplog.text + "".join(capfd.readouterr())


def test_devices_are_kept_as_digests_and_closed_again(tmp_path: Path) -> None:
    file = tmp_path / "devices.json"
    token = Devices(file).enrol("ana")
    running = Devices(file)
    assert running.owner(token) == ("person", "ana")
    assert token not in file.read_text()
    assert file.stat().st_mode & 0o077 == 0
    later = Devices(file).enrol("bia")
    assert running.owner(later) == ("person", "bia")
    assert Devices(file).revoke("ana") == 1
    assert running.owner(token) is None
    file.write_text("[1]")
    with pytest.raises(InputError, match="not a file of devices"):
        Devices(file)
    file.unlink()
    assert running.owner(later) is None
    with pytest.raises(InputError, match="1 to 200"):
        Devices().enrol("")


def test_who_was_revoked_stays_so_when_somebody_else_is_enrolled(tmp_path: Path) -> None:
    file = tmp_path / "devices.json"
    token = Devices(file).enrol("mallory")
    slow = Devices(file)
    assert Devices(file).revoke("mallory") == 1
    slow.enrol("ana")
    assert Devices(file).owner(token) is None
    assert slow.owner(token) is None


def test_of_many_who_are_enrolled_at_once_everybody_may_come_in(tmp_path: Path) -> None:
    file = tmp_path / "devices.json"
    code = """if True:
        import sys
        from pathlib import Path
        from cobogo.locate.anonymizer.devices import Devices
        devices = Devices(sys.argv[1])
        print(flush=True)
        sys.stdin.readline()
        print(*[devices.enrol(f"{sys.argv[2]}-{n}") for n in range(15)], flush=True)
    """
    command = [sys.executable, "-c", code, str(file)]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    writers = [subprocess.Popen([*command, str(number)], **pipes) for number in range(3)]  # type: ignore[call-overload]
    for one in writers:
        one.stdout.readline()  # all have read the file before anybody writes it
    running, tokens = Devices(file), []
    for one in writers:
        one.stdin.write("\n")
        one.stdin.flush()
    for one in writers:
        tokens += one.communicate()[0].split()
    assert len(tokens) == 45
    assert [running.owner(token) for token in tokens].count(None) == 0


def test_plain_http_stays_on_the_machine(tmp_path: Path) -> None:
    check_leg("127.0.0.1", None, None)
    check_leg("0.0.0.0", None, None, plain=True)
    with pytest.raises(InputError, match=r"sees where people are") as refused:
        check_leg("0.0.0.0", None, None)
    assert "plain_http" in str(refused.value)
    certificate, key = write_certificate(tmp_path / "tls", ["localhost", "127.0.0.1"])
    check_leg("example.org", certificate, key)
    assert key.stat().st_mode & 0o077 == 0
    with pytest.raises(InputError, match="go together"):
        check_leg("127.0.0.1", certificate, None)
    with pytest.raises(InputError, match="no such file"):
        check_leg("127.0.0.1", tmp_path / "none", key)
    with pytest.raises(OutputError, match="already exists"):
        write_certificate(tmp_path / "tls", ["localhost"])


def test_a_server_of_plain_words(tmp_path: Path) -> None:
    state = ServerDirectory.create(tmp_path / "state")
    server = assemble_server(state, cloak="casper", k=7, identity="consistent", epsilon=0.01)
    assert server.settings.cloak.k == 7
    assert server.books is not None
    assert server.books.balance("ana", 0.0)["budget"] == 0.1
    assert server.identity("ana") == assemble_server(state, identity="consistent").identity("ana")
    assert (tmp_path / "state").stat().st_mode & 0o077 == 0
    for wrong, said in (
        ({"cloak": "circle"}, "no cloak 'circle'"),
        ({"cloak": "nearest-neighbours"}, "drawn around the person who asks"),
        ({"identity": "anonymous"}, "must be one of consistent"),
        ({"k": 1}, "'k' parameter"),
        ({"budget": 1.0}, "without epsilon"),
        ({"epsilon": -1.0}, "'epsilon' parameter"),
        ({"max_wait": -1.0}, "0 or more"),
    ):
        with pytest.raises(InputError, match=said):
            assemble_server(state, **wrong)  # type: ignore[arg-type]
    (state.directory / "secret").write_text("short")
    with pytest.raises(InputError, match="not a secret"):
        assemble_server(state)


def test_books_that_cannot_be_read_stop_everything(tmp_path: Path) -> None:
    file = tmp_path / "ledger.db"
    file.write_bytes(b"this is no database at all" * 100)
    with pytest.raises(LedgerError, match="cannot be read"):
        WindowBooks(1, window=1, file=file)


def test_trips_have_an_end() -> None:
    server = PrivacyServer(replace(AnonymizerSettings(), trip_positions=2))
    server.update("bia", [(0.0, 0.0, 0.0)] * 2, trip="run")
    server.update("ana", [(0.0, 0.0, 0.0)], trip="run")
    with pytest.raises(InputError, match="at most 2 positions"):
        server.update("ana", [(0.0, 0.0, 1.0)] * 2, trip="walk")
    server.drop_trip("ana", "run")
    server.update("ana", [(0.0, 0.0, 1.0)] * 2, trip="walk")


def test_who_went_into_a_mix_zone_while_they_waited_is_refused() -> None:
    city = City(AnonymizerSettings(QuadTree(2), "pseudonymous"), zones=[MixZone("square", -39.0, -3.7, 300, least=2)])
    region = city.server.anonymizer.cloak("p1", city.now)
    name = city.server.identity("p1")
    assert city.server.report_region("p1", region, name).identity == name
    for where in (-39.0, -38.5):
        for who in ("p1", "p2"):
            city.move(who, where, -3.7)
        with pytest.raises(NoSolution, match="while the request was waiting"):
            city.server.report_region("p1", region, name)


def test_a_trip_that_nobody_heard_of_is_still_there() -> None:
    class Deaf(Broken):
        async def receive_reports(self, reports: Any) -> None:
            raise self.error

    city = City(AnonymizerSettings(QuadTree(4)), None)
    for step in range(1, 31):
        for who in ("p1", "p2", "p3", "p4"):
            trip = "run" if who == "p1" else None
            city.server.update(who, [(-38.5 + 0.0005 * step, -3.7, NOW + 60 * step)], trip=trip)
    from cobogo.locate.anonymizer.app import create_app

    city.app = create_app(city.server, city.devices, service=Deaf(ConnectionError()), clock=lambda: NOW + 2000)
    assert city.ask("POST", "/trips/run/release", "p1").status_code == 502
    city.app = create_app(city.server, city.devices, clock=lambda: NOW + 2000)
    assert city.ask("POST", "/trips/run/release", "p1").json()["told"]
    assert city.ask("POST", "/trips/run/release", "p1").status_code == 422
