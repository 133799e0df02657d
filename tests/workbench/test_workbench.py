"""The workbench in a real browser: from a CSV file to a release, in both languages."""

from __future__ import annotations

import re
import socket
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from browsers import browser
from cobogo.workbench.words import TEXTS

CSV = "nome,idade,cidade,doença\n" + "".join(
    f"{name} Silva {n},{25 + n % 4 * 10},{city},{'dengue' if n % 3 else 'gripe'}\n"
    for n, (name, city) in enumerate([("José", "Sobral"), ("Ana", "Fortaleza")] * 30)
)


@contextmanager
def workbench(state: Path) -> Iterator[str]:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    program = "from cobogo.cli.main import run; run()"
    arguments = ["workbench", "--no-show", "--port", str(port), "--state", str(state)]
    server = subprocess.Popen([sys.executable, "-uc", program, *arguments], stdout=subprocess.PIPE, text=True)
    try:
        assert server.stdout is not None
        line = server.stdout.readline()
        found = re.search(r"http://\S+", line)
        assert found, line
        yield found[0]
    finally:
        server.terminate()
        server.communicate(timeout=30)


def _opened(page: Any, address: str) -> None:
    for _ in range(100):
        try:
            page.goto(address)
            return
        except Exception as error:
            if "ERR_CONNECTION_REFUSED" not in str(error):
                raise
            page.wait_for_timeout(200)


@pytest.mark.parametrize("language", ["en", "pt-BR"])
def test_from_a_file_to_a_release(tmp_path, language) -> None:
    say = TEXTS[language]
    (tmp_path / "pessoas.csv").write_text(CSV, encoding="utf-8")
    with workbench(tmp_path / "state") as address, browser() as chromium:
        page = chromium.new_page(viewport={"width": 1366, "height": 800})
        page.set_default_timeout(60_000)
        _opened(page, address)
        page.wait_for_url(re.compile(r"/data$"))
        if language != "en":
            page.get_by_role("button", name=TEXTS["en"]["language"]).click()
        page.get_by_text(say["data.mine"]).wait_for()
        page.set_input_files("input[type=file]", tmp_path / "pessoas.csv")
        page.get_by_text("pessoas.csv").first.wait_for()
        page.get_by_text("Fortaleza").first.wait_for()
        page.get_by_role("link", name=say["step.columns"]).click()
        page.get_by_text(say["columns.what"]).wait_for()
        page.get_by_text("doença", exact=True).wait_for()
        for button in page.get_by_role("button", name=say["columns.accept"].split("{")[0]).all():
            button.click()
        page.get_by_role("link", name=say["step.privacy"]).click()
        page.get_by_role("button", name=say["privacy.check"]).click()
        page.get_by_text(say["privacy.fine"]).wait_for()
        page.get_by_role("link", name=say["step.running"]).click()
        page.get_by_role("button", name=say["run.go"]).click()
        page.get_by_role("button", name=say["run.see"]).click()
        with page.expect_download() as download:
            page.get_by_role("button", name=say["release.public"]).click()
        with zipfile.ZipFile(download.value.path()) as archive:
            names = archive.namelist()
            table = pd.read_csv(archive.open("public/release.csv"))
        assert all(name.startswith("public/") for name in names)
        assert "nome" not in table.columns
        quasi = [name for name in table.columns if name != "doença"]
        assert table.groupby(quasi).size().min() >= 5
        page.get_by_role("button", name=say["release.verify"]).click()
        page.get_by_text(say["release.holds"]).wait_for()


def test_nobody_comes_in_without_the_door_or_a_key(tmp_path) -> None:
    with workbench(tmp_path / "state") as address, browser() as chromium:
        page = chromium.new_page()
        page.set_default_timeout(60_000)
        _opened(page, address.partition("/enter")[0])
        page.get_by_label(TEXTS["en"]["login.key"]).fill("cobogo_0123456789abcdef_" + "A" * 43)
        page.get_by_role("button", name=TEXTS["en"]["login.go"]).click()
        page.get_by_text(TEXTS["en"]["login.wrong"]).wait_for()
        _opened(page, address)
        page.get_by_text(TEXTS["en"]["data.mine"]).wait_for()
        page.set_input_files("input[type=file]", {"name": "x.csv", "mimeType": "text/csv", "buffer": b"a,a\n1,2\n"})
        page.get_by_role("alert").wait_for()
        assert list((tmp_path / "state" / "datasets").iterdir()) == []
