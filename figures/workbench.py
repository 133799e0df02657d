"""Pictures of every page of the workbench, at work on the demonstration's table. Without a browser they stay."""

from __future__ import annotations

import io
import re
import shutil
import socket
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache, partial
from pathlib import Path
from typing import Any

from cobogo.examples import ceara
from cobogo.faces.workbench.steps import STEPS

SIZE = {"width": 1366, "height": 768}
ROWS = 5000
PATIENCE = 60_000
TABLE = "dados_covid-ce.csv"
CURATOR = f"""
ledger = "ledger.db"

[datasets.covid]
path = "{TABLE}"
separator = ";"
unit = "cpf"
max-groups = 1
max-rows = 1
budget = {{ epsilon = 10, delta = 1e-5 }}
analysts = {{ me = {{ epsilon = 3, delta = 1e-6 }} }}

[datasets.covid.columns]
raca_cor = {{ type = "text", keys = ["AMARELA", "BRANCA", "INDÍGENA", "PARDA", "PRETA"] }}
"""


def drawn(step: str, path: Path) -> None:
    """The picture of one page, where there is a browser to take it."""
    found = pictures().get(step)
    if found is not None:
        path.write_bytes(found)


@cache
def pictures() -> dict[str, bytes]:
    """Every page's picture; none where the browser or the server's parts are not installed."""
    try:
        from playwright.sync_api import Error, sync_playwright
    except ImportError:
        return {}
    place = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    with tempfile.TemporaryDirectory() as directory, sync_playwright() as player:
        try:
            browser = player.chromium.launch(executable_path=place, args=["--no-sandbox"])
        except Error:
            return {}
        ceara.write(Path(directory) / TABLE, rows=ROWS)
        (Path(directory) / "curator.toml").write_text(CURATOR, encoding="utf-8")
        with _workbench(Path(directory)) as address:
            page = browser.new_page(viewport=SIZE, locale="en")
            page.set_default_timeout(PATIENCE)
            found = _driven(page, address, Path(directory))
        browser.close()
    return found


@contextmanager
def _workbench(home: Path) -> Iterator[str]:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = str(free.getsockname()[1])
    program = "from cobogo.faces.cli.main import run; run()"
    arguments = ["workbench", "--no-show", "--port", port, "--state", str(home / "state")]
    arguments += ["--curator", str(home / "curator.toml")]
    server = subprocess.Popen([sys.executable, "-uc", program, *arguments], stdout=subprocess.PIPE, text=True)
    assert server.stdout is not None
    found = re.search(r"http://\S+", server.stdout.readline())
    assert found is not None
    try:
        yield found[0]
    finally:
        server.terminate()
        server.communicate(timeout=30)


def _driven(page: Any, address: str, directory: Path) -> dict[str, bytes]:
    """The demonstration's table, taken in, recoded and looked at from all sides."""
    home = address.partition("/enter")[0]
    _reached(page, address)
    page.wait_for_url(re.compile(r"/data"))
    page.set_input_files("input[type=file]", directory / TABLE)
    page.get_by_role("banner").get_by_text(TABLE).wait_for()
    page.goto(f"{home}/columns")
    _still(page)
    page.get_by_role("button", name=re.compile("Accept all suggestions")).click()
    _still(page)
    page.goto(f"{home}/running")
    page.get_by_role("button", name="Run").first.click()
    page.get_by_role("button", name="See the release").wait_for()
    found = {}
    for step in STEPS:
        page.goto(f"{home}{step.path}")
        _still(page)
        if step.name == "asking":
            page.get_by_role("button", name="How many in each group?").click()
            page.get_by_role("button", name="Ask", exact=True).click()
            page.get_by_text("Answered for").first.wait_for()
            _still(page)
        found[step.name] = _smaller(page.screenshot())
    return found


def _reached(page: Any, address: str) -> None:
    for _ in range(300):
        try:
            page.goto(address)
            return
        except Exception as error:
            if "ERR_CONNECTION_REFUSED" not in str(error):
                raise
            page.wait_for_timeout(200)


def _still(page: Any) -> None:
    """Wait until nothing on the page is on its way any more."""
    page.wait_for_timeout(2500)
    for _ in range(300):
        if not page.locator(".q-spinner:visible, .q-loading:visible").count():
            break
        page.wait_for_timeout(200)
    page.wait_for_timeout(1000)


def _smaller(picture: bytes) -> bytes:
    """The same picture in 256 colours."""
    from PIL import Image

    sink = io.BytesIO()
    with Image.open(io.BytesIO(picture)) as image:
        image.convert("RGB").quantize(256, dither=Image.Dither.NONE).save(sink, "PNG", optimize=True)
    return sink.getvalue()


FIGURES: dict[str, Callable[[Path], None]] = {f"workbench-{step.name}.png": partial(drawn, step.name) for step in STEPS}
