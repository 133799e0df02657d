"""Ask, Collect and Map in a real browser, on one server: the analyst who runs out of budget, a collection from its plan
to its estimates, a mechanism that is played and attacked."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from cobogo.floor.language import speech
from support.browsers import answers, browser, free_port, log_in, running
from support.contrasts import faint, fits, nameless

pytestmark = pytest.mark.xdist_group("workbench_ask")

SAY = speech("en")
CURATOR = """
ledger = "ledger.db"
[datasets.patients]
path = "patients.csv"
budget = { epsilon = 10 }
analysts = { ana = { epsilon = 1 }, bia = { epsilon = 2 } }
[datasets.patients.columns]
payer = { type = "text", keys = ["SUS", "plan"] }
"""


@dataclass
class Bench:
    """A server with pages, and keys to it."""

    address: str
    keys: dict[str, str]
    chromium: Any
    browsers: dict[str, Any] = field(default_factory=dict)

    def enter(self, who: str) -> Any:
        """A page in one's own browser, logged in."""
        browser = self.browsers.get(who)
        if browser is not None:
            page = browser.new_page()
            page.set_default_timeout(60_000)
            return page
        page = self.chromium.new_context(viewport={"width": 1366, "height": 768}, locale="en-US").new_page()
        page.set_default_timeout(60_000)
        log_in(page, self.address, self.keys[who], SAY)
        self.browsers[who] = page.context
        return page


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bench]:
    from cobogo.faces.server.context import ServerContext
    from cobogo.faces.server.roles import KeyRole
    from cobogo.faces.server.settings import ServerSettings

    home = tmp_path_factory.mktemp("bench")
    (home / "curator.toml").write_text(CURATOR)
    (home / "patients.csv").write_text("payer\n" + "SUS\n" * 300 + "plan\n" * 100)
    port = free_port()
    (home / "server.toml").write_text(f'port = {port}\nstate = "state"\ncurator = "curator.toml"\n')
    context = ServerContext(ServerSettings.load(home / "server.toml"))
    roles = {"ana": KeyRole.ANALYST, "maria": KeyRole.STEWARD, "gate": KeyRole.COLLECTOR}
    keys = {who: context.keys.create(who, role)[1] for who, role in roles.items()}
    context.close()
    with running("serve", "--workbench", "--config", str(home / "server.toml")), browser() as chromium:
        answers(port)
        yield Bench(f"http://127.0.0.1:{port}", keys, chromium)


def _readable(page: Any) -> None:
    """Once buttons have faded in, every text can be read, and every field has a name; on a phone, too."""
    for _ in range(30):
        if not faint(page):
            break
        page.wait_for_timeout(100)
    assert faint(page) == nameless(page) == []
    fits(page, SAY("Menu"))


def _left(page: Any) -> float:
    return float(page.locator("[data-left]").get_attribute("data-left"))


def _wait_for_left(page: Any, amount: str) -> None:
    page.locator(f'[data-left="{amount}"]').wait_for()


def test_an_analyst_asks_until_the_budget_is_spent(bench: Bench) -> None:
    page = bench.enter("ana")
    page.wait_for_url(re.compile(r"/asking$"))
    links = {link.get_attribute("href") for link in page.get_by_role("navigation").get_by_role("link").all()}
    assert links == {"/asking"}
    assert _left(page) == 1
    page.get_by_role("button", name=SAY("How many in each group?")).click()
    page.get_by_role("spinbutton", name="ε").fill("0.6")
    page.get_by_role("button", name=SAY("Explain")).click()
    page.locator("[data-explained]").get_by_text("± 5").wait_for()
    assert _left(page) == 1
    page.locator(".cm-content").click()
    page.keyboard.press("Control+Enter")
    answer = page.locator("[data-answer]")
    answer.get_by_role("cell", name="SUS").wait_for()
    answer.locator("svg").wait_for()
    _wait_for_left(page, "0.4")
    _readable(page)
    with page.expect_download() as download:
        answer.get_by_role("button", name=SAY("CSV")).click()
    lines = Path(download.value.path()).read_text().splitlines()
    assert lines[0] == "payer,n,n low,n high"
    assert abs(int(lines[1].split(",")[1]) - 300) < 60
    page.get_by_role("button", name=SAY("Ask"), exact=True).click()
    refused = page.locator("[data-refused]")
    refused.get_by_text(SAY("The budget is too small for this question. It cost nothing.")).wait_for()
    _wait_for_left(page, "0.4")
    refused.get_by_role("button", name="ε = 0.4").click()
    page.get_by_role("button", name=SAY("Ask"), exact=True).click()
    page.get_by_text(SAY("The budget is spent.")).wait_for()
    _wait_for_left(page, "0")
    page.get_by_role("button", name=SAY("Ask"), exact=True).click()
    page.get_by_text(
        SAY(
            "No budget is left for a question. You can look at your earlier answers again below. If you need "
            "more, ask the data holder."
        )
    ).wait_for()
    page.get_by_role("button", name="SELECT payer").last.click()
    page.get_by_text("It had cost ε = 0.6").wait_for()
    for path in ("data", "releases", "collecting"):
        page.goto(f"{bench.address}/{path}")
        page.get_by_text(SAY("Your key does not give access to this page.")).wait_for()
    page.close()


def test_a_steward_sees_what_everybody_spends_and_cannot_ask(bench: Bench) -> None:
    page = bench.enter("maria")
    page.goto(f"{bench.address}/asking")
    page.get_by_role("cell", name="bia").wait_for()
    assert page.get_by_role("button", name=SAY("Ask"), exact=True).count() == 0
    page.close()


def test_a_question_is_planned_tried_opened_and_decoded(bench: Bench) -> None:
    import httpx

    from cobogo.collect.collection import Collection
    from cobogo.collect.pilot import encode_shuffled
    from cobogo.collect.wire import batch_messages
    from cobogo.floor.randomness import Entropy

    page = bench.enter("maria")
    page.goto(f"{bench.address}/collecting")
    page.get_by_role("cell", name="77,398").wait_for()
    page.get_by_role("spinbutton", name=SAY("ε: what a report may reveal")).fill("3")
    page.get_by_text("epsilon = 3").wait_for()
    page.get_by_role("button", name=SAY("Simulate")).click()
    page.locator("[data-trial] svg").wait_for()
    page.get_by_role("button", name=SAY("Open this collection")).click()
    page.get_by_text(SAY("No reports yet.")).wait_for()
    page.get_by_text(SAY("How clients send reports")).click()
    snippet = page.locator("code", has_text="/collections/").inner_text()
    found = re.search(r'place = "(\S+)"', snippet)
    assert found
    with httpx.Client(headers={"Authorization": f"Bearer {bench.keys['gate']}"}) as client:
        asked = Collection.of(client.get(found[1]).json())
        held = ["Linux"] * 1500 + ["iOS"] * 500
        for message in batch_messages(asked, encode_shuffled(asked, held, Entropy())):
            assert client.post(f"{found[1]}/reports", content=message).status_code == 202
    page.get_by_role("button", name=SAY("Refresh")).click()
    page.locator("[data-estimates]").wait_for()
    page.get_by_role("button", name=SAY("Dark or light")).click()
    page.reload()
    page.locator("[data-estimates] svg").wait_for()
    _readable(page)
    first = page.get_by_role("row", name=re.compile("^Linux")).inner_text()
    assert abs(float(re.search(r"([\d.]+)%", first)[1]) - 75) < 15  # type: ignore[index]
    page.close()


def test_a_mechanism_is_chosen_played_and_attacked(bench: Bench) -> None:
    page = bench.enter("maria")
    outside: list[str] = []
    page.on("request", lambda request: outside.append(request.url) if "127.0.0.1" not in request.url else None)
    page.goto(f"{bench.address}/mapping")
    page.locator("[data-map] svg").wait_for()
    page.locator("[data-promise]").get_by_text(SAY("Guarantee")).wait_for()
    told = page.locator("[data-distance]")
    assert re.search(r"report is [\d,.]+.k?m from the true position, and the guess is [\d,.]+.k?m", told.inner_text())
    page.get_by_role("button", name=SAY("One step back")).click()
    page.get_by_text("04 Mar 11:45").wait_for()
    page.get_by_role("button", name=SAY("Play")).click()
    page.get_by_text(re.compile("04 Mar (1[3-9]|2)")).wait_for()
    page.get_by_role("button", name=SAY("Pause")).click()
    page.get_by_role("combobox", name=SAY("Mechanism")).click()
    page.get_by_role("option", name=SAY("Cloak: nearest neighbours")).click()
    page.locator("[data-promise]").get_by_text(
        SAY("Every cloak has k people, but it is drawn around the person who sends the request.")
    ).wait_for()
    assert page.locator("[data-promise]").get_by_text(SAY("Guarantee"), exact=True).count() == 0
    page.get_by_role("combobox", name=SAY("Attacker")).click()
    page.get_by_role("option", name=SAY("Centre of the cloak")).click()
    page.get_by_role("row", name=SAY("Centre of the cloak")).wait_for()
    _readable(page)
    assert outside == []
    page.close()
