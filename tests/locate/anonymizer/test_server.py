"""The anonymizer under attack, over HTTP: positions that come late, restarts, people who leave or are shut out."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cobogo.locate.anonymizer.start import ServerDirectory, assemble_server
from cobogo.locate.places.geometry import distance

pytestmark = pytest.mark.slow

pytest.importorskip("fastapi")
httpx = pytest.importorskip("httpx")

K, PEOPLE, NOW = 3, 12, 1_700_000_000.0
ZONE = {"name": "square", "lon": -38.5, "lat": -3.7, "radius": 400.0, "least": 3, "otherwise": "silent"}
Position = tuple[float, float, float]


@dataclass
class Listener:
    """A curious service: it writes down when it heard what."""

    heard: list[dict[str, Any]] = field(default_factory=list)

    async def find_nearest(self, *question: Any) -> Any:
        return [[]]

    async def receive_reports(self, reports: Any) -> None:
        self.heard.extend(reports)

    async def close(self) -> None:
        """Nothing to hang up."""


class World:
    """A server that is started again and again over one directory, and what is true of everybody."""

    def __init__(self, directory: Path, seed: int) -> None:
        self.state, self.rng, self.now = ServerDirectory.create(directory), np.random.default_rng(seed), NOW
        self.service = Listener()
        self.people = [f"p{number}" for number in range(PEOPLE)]
        self.tokens = {who: self.state.devices.enrol(who) for who in self.people}
        self.operator = self.state.devices.enrol("olga", operator=True)
        self.truth: dict[str, Position] = {}  # where each really is, as of the latest that they said
        self.waits: set[str] = set()  # who must not be heard of: went into the zone, and was not mixed since
        self.outside = 0
        self.start()

    def start(self) -> None:
        """Start, or start again: what was in memory is gone."""
        from cobogo.locate.anonymizer.app import create_app

        self.server = assemble_server(self.state, cloak="quad-tree", k=K, identity="pseudonymous")
        app = create_app(self.server, self.state.devices, service=self.service, clock=lambda: self.now)
        self.client = httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://anonymizer")
        self.truth = {}

    async def ask(self, who: str, method: str, path: str, **request: Any) -> Any:
        token = self.operator if who == "olga" else self.tokens[who]
        return await self.client.request(method, path, headers={"Authorization": f"Bearer {token}"}, **request)

    def inside(self, position: Position) -> bool:
        return float(distance(position[0], position[1], ZONE["lon"], ZONE["lat"])) <= float(ZONE["radius"])  # type: ignore[arg-type]

    async def step(self) -> None:
        """Somebody does something."""
        who = str(self.rng.choice(self.people))
        what = self.rng.choice(["move", "late", "cloak", "forget", "restart"], p=[0.62, 0.15, 0.17, 0.03, 0.03])
        self.now += float(self.rng.exponential(20))
        if what == "restart":
            self.start()
        elif what == "forget":
            assert (await self.ask(who, "DELETE", "/locations")).status_code == 200
            self.truth.pop(who, None)
            self.waits.discard(who)
            assert (await self.ask(who, "POST", "/cloak", json={})).status_code == 422
        elif what == "cloak":
            answer = await self.ask(who, "POST", "/cloak", json={})
            if answer.status_code == 200:
                self.check(who, answer.json())
        else:
            await self.say(who, float(self.rng.uniform(1, 100)) if what == "late" else 0.0)

    async def say(self, who: str, late: float) -> None:
        """Somebody says where they are, or where they were before."""
        lon, lat = (self.rng.normal(size=2) * 0.004 + [ZONE["lon"], ZONE["lat"]]).tolist()
        position = (lon, lat, self.now - late)
        before, news = self.server.zones.pseudonyms.since(who), position[2] >= self.truth.get(who, (0, 0, 0.0))[2]
        answer = await self.ask(
            who, "POST", "/locations", json={"positions": [{"lon": lon, "lat": lat, "time": position[2]}]}
        )
        assert answer.status_code == 200, answer.text
        if news:
            self.truth[who] = position
            if self.inside(position):
                self.waits.add(who)
            elif self.server.zones.pseudonyms.since(who) > before:
                self.waits.discard(who)  # mixed: has a new name
        told = answer.json()["told"]
        assert (told is None) or news, "a late position was heard of"
        if told is not None:
            self.check(who, told)

    def check(self, who: str, told: dict[str, Any]) -> None:
        """What may go out: nothing of who is in the zone or silent since, and no region with fewer than k people."""
        assert who not in self.waits
        assert not self.inside(self.truth[who])
        west, south, east, north = told["box"]
        fresh = [one for one in self.truth.values() if one[2] >= self.now - 600]
        assert sum(west <= lon <= east and south <= lat <= north for lon, lat, _ in fresh) >= K
        self.outside += 1


@pytest.mark.parametrize("seed", range(3))
def test_whatever_comes_late_is_started_again_or_leaves_nobody_is_heard_of_from_a_mix_zone(
    seed: int, tmp_path: Path
) -> None:
    world = World(tmp_path / "state", seed)

    async def attack() -> None:
        assert (await world.ask("olga", "POST", "/mixzones", json=ZONE)).status_code == 201
        for _ in range(250):
            await world.step()
        assert (await world.ask("p1", "GET", "/mixzones")).json()["zones"][0]["name"] == "square"

    asyncio.run(attack())
    assert world.outside > 5  # some were heard of, or nothing was tried
    assert len({one["identity"] for one in world.service.heard}) > 1
    kept = "".join(file.read_text(errors="replace") for file in world.state.directory.iterdir())
    assert "38.4" not in kept
    assert "38.50" not in kept


def test_who_is_shut_out_stays_out(tmp_path: Path) -> None:
    world = World(tmp_path / "state", 0)
    slow = world.state.devices  # somebody else's command, which has read the file

    async def attack() -> None:
        for turn in range(3):
            assert world.state.devices.revoke("p1") == (turn == 0)
            slow.enrol(f"late {turn}")
            for method, path in (("POST", "/cloak"), ("DELETE", "/locations"), ("GET", "/mixzones")):
                assert (await world.ask("p1", method, path)).status_code == 401
            world.start()
        assert (await world.ask("p2", "GET", "/mixzones")).status_code == 200

    asyncio.run(attack())
