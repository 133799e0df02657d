"""The documentation builds as a site without a warning, and nothing of it needs a network."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from support.browsers import browser
from support.paths import ROOT


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("material", reason="mkdocs-material is missing: pip install '.[docs]'")
    pytest.importorskip("latex2mathml", reason="latex2mathml is missing: pip install '.[docs]'")
    built = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(built)]
    quiet = os.environ | {"NO_MKDOCS_2_WARNING": "1"}
    done = subprocess.run(command, cwd=ROOT, env=quiet, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout + done.stderr) == (0, "")
    return built


@pytest.mark.xdist_group("site")
def test_nothing_is_fetched_from_elsewhere(site: Path) -> None:
    """Scripts, styles, pictures and fonts are files of the site; links that a reader may follow do not count."""
    pages = list(site.rglob("*.html"))
    assert len(pages) >= len(list((ROOT / "docs").rglob("*.md")))
    for page in pages:
        text = page.read_text(encoding="utf-8")
        fetched = re.findall(r"<(?:script|img|iframe|source)[^>]+src=\"?([^\" >]+)", text)
        fetched += re.findall(r"<link[^>]+href=\"?([^\" >]+)[^>]*rel=\"?(?:stylesheet|preconnect|icon)", text)
        fetched += re.findall(r"<link[^>]+rel=\"?(?:stylesheet|preconnect|icon)[^>]*href=\"?([^\" >]+)", text)
        assert fetched
        assert [address for address in fetched if re.match(r"(https?:)?//", address)] == []


@pytest.mark.xdist_group("site")
def test_no_formula_is_left_as_it_was_written(site: Path) -> None:
    for page in site.rglob("*.html"):
        text = re.sub(r"(?s)<(pre|code|script|math)\b.*?</\1>", "", page.read_text(encoding="utf-8"))
        assert re.findall(r"\$[^$\s][^$\n]*\$", text) == []


@pytest.mark.xdist_group("site")
def test_the_search_finds_a_page_from_disk_without_a_network(site: Path) -> None:
    wanted: list[str] = []
    with browser() as chromium:
        page = chromium.new_context(offline=True).new_page()
        page.on("request", lambda request: wanted.append(request.url))
        page.goto((site / "index.html").as_uri())
        page.locator("input.md-search__input").click()
        page.locator("input.md-search__input").press_sequentially("t-closeness")
        page.locator(".md-search-result__link").first.wait_for()
        found = [link.get_attribute("href") or "" for link in page.locator(".md-search-result__link").all()]
    assert any("models.html" in link for link in found)
    assert [address for address in wanted if not address.startswith(("file:", "data:", "about:", "blob:"))] == []
