"""A server as users start it, and a real browser: the system's Chromium, or the one that Playwright brought."""

from __future__ import annotations

import re
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest


@contextmanager
def running(*arguments: str, program: str = "from cobogo.faces.cli.main import run; run()") -> Iterator[str]:
    """A process that runs a command, or another program; the first line that it prints."""
    server = subprocess.Popen(
        [sys.executable, "-uc", program, *arguments], stdout=subprocess.PIPE, text=True, start_new_session=True
    )
    try:
        assert server.stdout is not None
        yield server.stdout.readline()
    finally:
        server.terminate()
        server.communicate(timeout=30)


def free_port() -> int:
    """A port that nobody listens on."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


def answers(port: int) -> None:
    """Wait until somebody listens on a port."""
    for _ in range(600):
        with socket.socket() as door:
            if door.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.1)
    raise AssertionError("the server did not begin within a minute")


@contextmanager
def browser() -> Iterator[Any]:
    """Headless Chromium; the test is skipped where there is none."""
    sync = pytest.importorskip("playwright.sync_api")
    place = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    with sync.sync_playwright() as player:
        try:
            found = player.chromium.launch(executable_path=place, args=["--no-sandbox"])
        except sync.Error:
            pytest.skip("no Chromium: install the package chromium, or run `playwright install chromium`")
        yield found
        found.close()


def log_in(page: Any, address: str, key: str, say: Any) -> None:
    """Log in with a key. A page that lost its server on the way, as one may on a busy machine, is opened again."""
    for last in (False, False, True):
        page.goto(f"{address}/login")
        page.wait_for_function("window.did_handshake === true")
        page.get_by_label(say("Your key")).fill(key)
        page.get_by_role("button", name=say("Log in")).click()
        try:
            page.wait_for_url(
                re.compile(r"/(data|releases|asking|administering)(\?|$)"), timeout=60_000 if last else 20_000
            )
            return
        except Exception:
            if last:
                raise
