"""A real browser: the system's Chromium, or the one that Playwright brought."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest


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
