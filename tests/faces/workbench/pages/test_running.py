"""The workbench in a real browser: from a CSV file to a registered release, in both languages, beside a stranger."""

from __future__ import annotations

import json
import re
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from cobogo.faces.server.context import ServerContext
from cobogo.faces.server.roles import KeyRole
from cobogo.faces.server.settings import ServerSettings
from cobogo.faces.server.state import JOBS, RELEASES
from cobogo.floor.language import speech
from cobogo.publish.registry.store import create, open_registry
from support.browsers import answers, browser, free_port, log_in, running
from support.contrasts import faint, fits, nameless

pytestmark = pytest.mark.xdist_group("workbench")

CSV = "nome,idade,cidade,doença\n" + "".join(
    f"{name} Silva {n},{25 + n % 4 * 10},{city},{'dengue' if n % 3 else 'gripe'}\n"
    for n, (name, city) in enumerate([("José", "Sobral"), ("Ana", "Fortaleza")] * 30)
)
PATIENCE = 60_000


class Bench:
    """A server with a registry, keys of several people, and a browser."""

    def __init__(self, directory: Path, chromium: Any) -> None:
        self.port = free_port()
        self.settings = ServerSettings(
            state=str(directory / "state"), registry=str(directory / "registry.db"), port=self.port
        )
        create(str(self.settings.registry), None).close()
        self.context = ServerContext(self.settings)
        people = {
            "ana": KeyRole.STEWARD,
            "bia": KeyRole.STEWARD,
            "caio": KeyRole.ANALYST,
            "davi": KeyRole.AUDITOR,
            "eva": KeyRole.ADMIN,
        }
        self.keys = {name: self.context.keys.create(name, role)[1] for name, role in people.items()}
        self.chromium = chromium
        self.address = f"http://127.0.0.1:{self.port}"
        self.browsers: dict[tuple[str, str], Any] = {}

    def page(self, who: str, locale: str = "en") -> Any:
        """A page of somebody who is logged in, in their browser of that language."""
        browser = self.browsers.get((who, locale))
        page = (browser or self.browser(locale)).new_page()
        page.set_default_timeout(PATIENCE)
        if browser is None:
            log_in(page, self.address, self.keys[who], speech(locale))
            self.browsers[who, locale] = page.context
        else:
            page.goto(self.address)
            page.get_by_role("navigation").wait_for()
        return page

    def browser(self, locale: str = "en") -> Any:
        """A browser that was never here."""
        return self.chromium.new_context(viewport={"width": 1366, "height": 768}, locale=locale)


@pytest.fixture(scope="module")
def bench(tmp_path_factory: Any) -> Iterator[Bench]:
    with browser() as chromium:
        made = Bench(tmp_path_factory.mktemp("bench"), chromium)
        settings = Path(made.settings.state).parent / "server.toml"
        settings.write_text(f'state = "state"\nregistry = "registry.db"\nport = {made.port}\n', encoding="utf-8")
        with running("serve", "--workbench", "--config", str(settings)):
            answers(made.port)
            yield made
        made.context.close()


def readable(page: Any, language: str) -> None:
    """A page says what it is, in its language, and every text of it can be read."""
    assert page.title().endswith("· Cobogó")
    assert str(page.locator("html").get_attribute("lang")).startswith(language)
    assert faint(page) == [], page.url
    assert nameless(page) == [], page.url


def uploaded(page: Any, bench: Bench, say: Any, name: str, content: str = CSV) -> None:
    """A table with its roles decided."""
    page.goto(f"{bench.address}/data")
    file = {"name": name, "mimeType": "text/csv", "buffer": content.encode()}
    page.set_input_files("input[type=file]", file)
    page.get_by_role("banner").get_by_text(name).wait_for()
    page.goto(f"{bench.address}/columns")
    page.get_by_text("doença", exact=True).first.wait_for()
    assert page.get_by_text(say("Not decided yet: no job can run before.")).count() == 4
    everything = page.get_by_role(
        "button", name=re.compile(re.escape(say("Accept all suggestions ({count} undecided)").split("(")[0]))
    )
    everything.click()
    everything.wait_for(state="hidden")


def ask_for_registry(page: Any, say: Any) -> None:
    """Switch the registry on. A busy machine may fold the form up again while it is drawn anew: then it is unfolded."""
    switch, name = (
        page.get_by_role("switch", name=say("Check against earlier releases")),
        page.get_by_label(say("Name of the series")),
    )
    page.get_by_text(say("Check against earlier releases")).first.click()
    switch.click()
    for _ in range(3):
        page.wait_for_timeout(500)
        if name.is_visible():
            break
        page.wait_for_timeout(5000)
        if not switch.is_visible():
            page.get_by_text(say("Check against earlier releases")).first.click()
            switch.wait_for()
        if switch.get_attribute("aria-checked") != "true":
            switch.click()
    name.wait_for()


def import_hierarchies(page: Any, bench: Bench, say: Any) -> None:
    """Two files at once, each for the column that it is named after; a third is for none."""
    page.goto(f"{bench.address}/hierarchies")
    page.wait_for_function("window.did_handshake === true")
    levels = {
        "idade.csv": "25;<40\n35;<40\n45;40+\n55;40+\n",
        "h_cidade.csv": "Sobral;CE\nFortaleza;CE\n",
        "x.csv": "a;b\n",
    }
    files = [{"name": name, "mimeType": "text/csv", "buffer": text.encode()} for name, text in levels.items()]
    page.set_input_files("input[type=file]", files)
    page.get_by_text(say("No column has the name of: {files}.", files="x.csv")).wait_for()
    page.wait_for_function(f"document.body.innerText.split('{say('A file (CSV)')}').length > 2")


def run_and_register(page: Any, bench: Bench, name: str) -> tuple[pd.DataFrame, str]:
    """The whole way: what was published, and the address of the release. Each page is read in Portuguese, too, in the
    dark."""
    say = speech("en")
    uploaded(page, bench, say, name)
    import_hierarchies(page, bench, say)
    page.goto(f"{bench.address}/privacy")
    page.get_by_text(say("This policy can be run, as: {kinds}.", kinds=say("recoding"))).wait_for()
    page.get_by_text(say("Marketer: wants as many people as possible")).wait_for()
    readable(page, "en")
    ask_for_registry(page, say)
    page.goto(f"{bench.address}/running")
    page.locator("[data-policy]").get_by_text("k = 5").wait_for()
    page.get_by_role("button", name=say("Run"), exact=False).first.click()
    page.get_by_role("button", name=say("See the release")).wait_for()
    readable(page, "en")
    ran = page.url
    page.get_by_role("button", name=say("See the release")).click()
    page.wait_for_url(re.compile(r"/releases\?"))
    page.get_by_text(say("in the registry"), exact=True).wait_for()
    fits(page, say("Menu"))
    page.locator("[data-verdict]").last.get_by_text(say("Not audited: no attack has been tried yet.")).wait_for()
    readable(page, "en")
    read_in_portuguese(bench, ran, page.url)
    page.get_by_role("tab", name=say("Rows")).click()
    page.get_by_role("cell", name="dengue").first.wait_for()
    assert page.get_by_text("Silva").count() == 0
    with page.expect_download() as download:
        page.get_by_role("button", name=say("For spreadsheets")).click()
    with zipfile.ZipFile(download.value.path()) as archive:
        assert json.loads(archive.read("public/manifest.json"))["data"]["formulas"] == "neutralised"
    with page.expect_download() as download:
        page.get_by_role("button", name=say("Download the public part")).click()
    with zipfile.ZipFile(download.value.path()) as archive:
        assert all(inside.startswith("public/") for inside in archive.namelist())
        table = pd.read_csv(archive.open("public/release.csv"))
    return table, download.value.url


def read_in_portuguese(bench: Bench, ran: str, release: str) -> None:
    """The same data set, job and release in a Portuguese browser that likes the dark; the release is verified there."""
    say, page = speech("pt-BR"), bench.page("ana", "pt-BR")
    page.emulate_media(color_scheme="dark")
    page.goto(f"{bench.address}/columns")
    page.get_by_text("doença", exact=True).first.wait_for()
    readable(page, "pt-BR")
    page.goto(f"{bench.address}/privacy")
    page.get_by_text(say("This policy can be run, as: {kinds}.", kinds=say("recoding"))).wait_for()
    page.get_by_text(say("Marketer: wants as many people as possible")).wait_for()
    dark = "getComputedStyle(document.querySelector('.cm-editor')).backgroundColor === 'rgb(30, 30, 30)'"
    page.wait_for_function(dark)  # the text follows the page a moment later
    readable(page, "pt-BR")
    page.goto(ran)
    page.get_by_role("button", name=say("See the release")).wait_for()
    readable(page, "pt-BR")
    page.goto(release)
    page.get_by_text(say("in the registry"), exact=True).wait_for()
    readable(page, "pt-BR")
    fits(page, say("Menu"))
    page.get_by_role("button", name=say("Verify again")).click()
    page.get_by_text(say("The release keeps its promises.")).first.wait_for()
    page.context.close()


def test_from_a_file_to_a_registered_release(bench) -> None:
    who, page, stranger = "ana", bench.page("ana"), bench.page("bia")
    table, address = run_and_register(page, bench, "ana.csv")
    assert "nome" not in table.columns
    quasi = [name for name in table.columns if name != "doença"]
    assert table.groupby(quasi).size().min() >= 5
    registry = open_registry(str(bench.settings.registry), None)
    with registry.transaction() as book:
        assert f"{who} {who}" in {entry.dataset for entry in book.entries()}
    registry.close()
    assert stranger.request.get(address).status == 404
    assert stranger.request.get(address.replace("public.zip", "report")).status == 404
    for place in ("data", "running", "releases"):
        stranger.goto(f"{bench.address}/{place}")
        stranger.wait_for_timeout(500)
        assert f"{who}.csv" not in stranger.content()
    stranger.goto(page.url.replace("/releases", "/columns"))
    stranger.get_by_text(speech("en")("Choose a data set first.")).wait_for()
    stranger.close()
    outdated(page, bench, who, speech("en"))
    page.close()


def outdated(page: Any, bench: Bench, who: str, say: Any) -> None:
    """Logged out in another tab, nothing is done in this one, and it says so; then the login leads back to it."""
    before, address = bench.context.state.rows(RELEASES, who), page.url
    page.get_by_role("button", name=say("Delete")).click()
    other = page.context.new_page()
    other.set_default_timeout(PATIENCE)
    other.goto(f"{bench.address}/columns")
    other.get_by_role("button", name=say("Account")).click()
    other.get_by_role("button", name=say("Log out")).click()
    other.wait_for_url(re.compile("/login"))
    other.close()
    page.get_by_role("dialog").get_by_role("button", name=say("Delete")).click()
    page.get_by_role("button", name=say("Reload the page")).click()
    page.get_by_text(
        say(
            "Log in to open the page. If you had it open before, your session has ended: you logged out, your "
            "key expired, or the server was restarted. Your data and policies are kept."
        )
    ).wait_for()
    assert bench.context.state.rows(RELEASES, who) == before
    page.wait_for_function("window.did_handshake === true")
    page.get_by_label(say("Your key")).fill(bench.keys[who])
    page.get_by_role("button", name=say("Log in")).click()
    page.get_by_text(say("in the registry"), exact=True).wait_for()
    assert page.url == address


def test_a_job_is_cancelled_and_leaves_nothing(bench) -> None:
    """A job that would take long, asked for in the policy's text."""
    say = speech("en")
    page = bench.page("ana")
    rows = "".join(f"Ana Silva {n},{n * 7919 % 90},{n * 104729 % 9973},{n % 5}\n" for n in range(20_000))
    uploaded(page, bench, say, "again.csv", "nome,idade,cidade,doença\n" + rows)
    before = {row["id"] for row in bench.context.state.rows(RELEASES, "ana")}
    page.goto(f"{bench.address}/privacy")
    page.get_by_text(say("This policy can be run, as: {kinds}.", kinds=say("recoding"))).wait_for()
    page.wait_for_function("window.did_handshake === true")
    page.wait_for_timeout(1000)  # until the text has its colours: what is typed before may be lost
    page.locator(".cm-content").click()
    page.keyboard.press("Control+End")
    page.keyboard.type('\nalgorithm = "k-membre', delay=20)
    page.get_by_text('Did you mean "k-member"?').first.wait_for()
    page.keyboard.press("Backspace")
    page.keyboard.press("Backspace")
    page.keyboard.type("er")
    page.get_by_text(say("This policy can be run, as: {kinds}.", kinds=say("recoding"))).wait_for()
    page.goto(f"{bench.address}/running")
    page.get_by_role("button", name=say("Run"), exact=False).first.click()
    cancel = page.get_by_role("button", name=say("Cancel")).element_handle()
    page.get_by_text(say("Waiting for a free process")).wait_for(state="hidden")
    assert cancel.evaluate("button => button.isConnected"), "drawn anew at each step, it would lose clicks"
    cancel.click()
    page.get_by_text(say("You cancelled the job. Nothing was released.")).wait_for()
    assert {row["id"] for row in bench.context.state.rows(RELEASES, "ana")} == before
    assert bench.context.state.rows(JOBS, "ana")[0]["state"] == "cancelled"
    page.close()


def test_what_is_no_table_is_refused_and_not_kept(bench) -> None:
    page = bench.page("bia")
    page.goto(f"{bench.address}/data")
    kept = set((Path(bench.settings.state) / "datasets").iterdir())
    page.set_input_files("input[type=file]", {"name": "x.csv", "mimeType": "text/csv", "buffer": b"a,a\n1,2\n"})
    page.get_by_role("alert").first.wait_for()
    assert set((Path(bench.settings.state) / "datasets").iterdir()) == kept
    page.close()


def test_each_role_sees_its_pages_and_nobody_more(bench) -> None:
    for who, pages in {"caio": {"asking"}, "davi": {"utility", "risk", "releases", "asking", "administering"}}.items():
        page = bench.page(who)
        found = page.get_by_role("navigation").get_by_role("link").evaluate_all("all => all.map(one => one.pathname)")
        assert {path.strip("/") for path in found} == pages
        page.goto(f"{bench.address}/data")
        page.get_by_text(speech("en")("Your key does not give access to this page.")).wait_for()
        assert page.locator("input[type=file]").count() == 0
        page.context.close()


def test_an_administrator_makes_a_key_and_ends_it(bench) -> None:
    """The key is shown once, works until it is revoked, and is not in the log; what was done is."""
    say, page = speech("en"), bench.page("eva")
    page.get_by_label(say("Person")).fill("rui")
    page.get_by_role("button", name=say("Make a key")).click()
    page.get_by_role("button", name=say("I have copied it")).wait_for()
    key = page.get_by_role("dialog").locator("code").inner_text().strip()
    page.get_by_role("button", name=say("I have copied it")).click()
    readable(page, "en")
    fits(page, say("Menu"))
    guest = bench.browser().new_page()
    guest.set_default_timeout(PATIENCE)
    log_in(guest, bench.address, key, say)
    page.get_by_role("row").filter(has_text="rui").get_by_role("button").click()
    page.get_by_role("dialog").get_by_role("button", name=say("Revoke")).click()
    page.get_by_role("row").filter(has_text="rui").get_by_text(say("revoked")).wait_for()
    guest.goto(f"{bench.address}/data")
    guest.wait_for_url(re.compile("/login"))
    page.get_by_role("tab", name=say("Log")).click()
    page.get_by_text("workbench revoke key").first.wait_for()
    assert key.split("_", 2)[2] not in page.content()
    page.context.close()
    guest.context.close()


def test_strangers_stay_outside_and_their_guesses_are_paced(bench) -> None:
    say, page = speech("en"), bench.browser().new_page()
    page.set_default_timeout(PATIENCE)
    page.goto(f"{bench.address}/privacy")
    page.wait_for_url(re.compile(r"/login\?next=%2Fprivacy$"))
    missing = page.goto(f"{bench.address}/nothing/here")
    assert missing.status == 404
    page.get_by_text(say("This page does not exist")).first.wait_for()
    page.goto(f"{bench.address}/login")
    field, wrong = page.get_by_label(say("Your key")), "cobogo_0123456789abcdef_" + "A" * 43
    for _ in range(60):  # faster than the pace gives them back, however slow the answers are
        field.fill(wrong)
        field.press("Enter")
    page.get_by_text(say("Too many attempts. Wait a minute.")).first.wait_for()
    page.context.close()
