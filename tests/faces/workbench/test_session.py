"""Coming in: what a browser has to show, what it may send, and what it is told to load."""

from __future__ import annotations

import re
import socket
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from cobogo.faces.server.context import ServerContext
from cobogo.faces.server.keys import Holder
from cobogo.faces.server.roles import LOCAL, KeyRole
from cobogo.faces.server.settings import ServerLimits, ServerSettings
from cobogo.faces.server.state import DATASETS, ServerState
from support.browsers import answers, free_port, running
from support.services import service_of

pytestmark = pytest.mark.xdist_group("workbench")

LARGE = b"a,b\n" + b"11111111,22222222\n" * 1_100_000
FORM = f"Content-Type: multipart/form-data; boundary=b\r\nContent-Length: {len(LARGE)}\r\n"


@pytest.fixture(scope="module")
def door(tmp_path_factory: Any) -> Iterator[tuple[str, Path]]:
    """The address that `cobogo workbench` prints, and its state."""
    state, port = tmp_path_factory.mktemp("door") / "state", free_port()
    with running("workbench", "--no-show", "--port", str(port), "--state", str(state)) as said:
        answers(port)
        yield re.search(r"http://\S+", said)[0], state


def _entered(address: str) -> tuple[httpx.Client, str]:
    """A browser that came in by the door, and the cookie that it had before."""
    base = address.partition("/enter/")[0]
    client = httpx.Client(base_url=base, timeout=60, follow_redirects=True)
    client.get("/login")
    before = client.cookies["cobogo"]
    assert client.get(address).status_code == 200
    return client, before


def test_whoever_comes_in_by_the_door_first_reads_their_own_language(door) -> None:
    with httpx.Client(timeout=60, follow_redirects=True, headers={"Accept-Language": "pt-BR,en;q=0.5"}) as client:
        assert client.get(door[0]).status_code == 200
        assert re.search(r'<html[^>]*lang="pt-BR"', client.get(f"{door[0].partition('/enter/')[0]}/data").text)


def test_a_browser_uploads_what_the_server_takes_and_a_stranger_does_not(door) -> None:
    assert len(LARGE) > 17 << 20
    client, before = _entered(door[0])
    place = re.search(r"/_nicegui/client/[\w-]+/upload/\d+", client.get("/data").text)[0]
    for cookie in ("", f"Cookie: cobogo={before}\r\n"):
        with socket.create_connection((client.base_url.host, client.base_url.port), timeout=60) as line:
            line.sendall(f"POST {place} HTTP/1.1\r\nHost: h\r\n{FORM}{cookie}\r\n--b".encode())
            assert b" 413 " in line.recv(4096)
    assert client.post(place, files={"file": ("large.csv", LARGE)}).status_code == 200
    books = ServerState(door[1] / "state.db")
    for _ in range(600):
        if any(row["about"] for row in books.rows(DATASETS)):
            break
        time.sleep(0.1)
    else:
        pytest.fail("the upload did not become a data set")
    books.close()
    client.close()


def test_whoever_knew_a_browser_before_it_logged_in_does_not_know_it_after(door) -> None:
    client, before = _entered(door[0])
    assert client.cookies["cobogo"] != before
    inside = client.get("/data").text
    with httpx.Client(base_url=client.base_url, cookies={"cobogo": before}, follow_redirects=True) as thief:
        assert "/upload/" in inside
        assert "/upload/" not in thief.get("/data").text
    used = httpx.get(f"{client.base_url}/entered/{'A' * 32}")
    assert "cobogo" not in used.cookies or used.cookies["cobogo"] != client.cookies["cobogo"]
    client.close()


def test_pages_load_nothing_from_elsewhere_and_are_framed_by_nobody(door) -> None:
    headers = httpx.get(f"{door[0].partition('/enter/')[0]}/login").headers
    rules = dict(rule.strip().split(" ", 1) for rule in headers["Content-Security-Policy"].split(";"))
    assert rules["default-src"] == "'self'"
    assert rules["frame-ancestors"] == rules["object-src"] == "'none'"
    assert not any("*" in rule or "http" in rule for rule in rules.values())
    assert headers["X-Content-Type-Options"] == "nosniff"


def test_a_browser_that_is_idle_for_long_is_logged_out(tmp_path) -> None:
    from cobogo.faces.workbench.session import Browser, Desk

    context = ServerContext(ServerSettings(state=str(tmp_path / "s"), limits=ServerLimits(session_minutes=30)))
    desk = Desk(service_of(context))
    desk.browsers["b"] = Browser(Holder("me", KeyRole.STEWARD, LOCAL, "workbench"))
    desk.browsers["b"].seen -= 29 * 60
    assert desk.known("b").holder is not None
    desk.browsers["b"].seen -= 31 * 60
    assert desk.known("b").holder is None
    context.close()
