"""The page Explore in a real browser: the lattice is drawn, filtered and clicked, and another node is released."""

from __future__ import annotations

import itertools
import json
import re
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from cobogo.floor.language import speech
from support.browsers import answers, browser, free_port, running

pytestmark = pytest.mark.xdist_group("workbench_explore")

POLICY = """
[attributes]
age = { role = "quasi-identifier", hierarchy = { intervals = [10, 20], top = true } }
zip = { role = "quasi-identifier", hierarchy = { mask = "right" } }
illness = { role = "sensitive" }

[privacy]
models = [{ model = "k-anonymity", k = 4 }]

[recoding]
suppression-limit = 0.1
algorithm = "mondrian"
"""
ROWS = [
    {"age": 20 + n * n % 37, "zip": f"{60 + n % 3}{n * 7 % 4}", "illness": "flu" if n % 3 else "cold"}
    for n in range(160)
]

SERVER = """
import io, sys
from pathlib import Path
import uvicorn
from cobogo.faces.server.app import create_app
from cobogo.faces.server.context import ServerContext
from cobogo.faces.server.keys import Holder
from cobogo.faces.server.roles import KeyRole, KeyScope
from cobogo.faces.server.settings import ServerSettings
from cobogo.faces.workbench.app import mount
from cobogo.faces.workbench.session import LOCAL_KEY

home, port = Path(sys.argv[1]), int(sys.argv[2])
settings = ServerSettings(state=str(home / "state"), port=port)
context = ServerContext(settings)
app = create_app(settings, context=context)
ana = Holder("ana", KeyRole.STEWARD, frozenset(KeyScope), LOCAL_KEY)
datasets = []
for name in ("changed.csv", "people.csv"):
    datasets.append(app.state.service.datasets.receive(ana, name, io.BytesIO((home / "people.csv").read_bytes())))
    app.state.service.policies.begin_draft(ana, datasets[-1], (home / "policy.toml").read_text())
door = mount(app, local=ana)
print(f"/enter/{door}", context.keys.create("bia", KeyRole.STEWARD)[1], *datasets, flush=True)
uvicorn.run(app, port=port, log_level="warning")
"""


@dataclass
class Served:
    """A server with two data sets of Ana's: one whose policy a test changes, and one whose policy stays."""

    address: str
    door: str
    key: str  # of Bia, who is a steward, too
    changed: str
    dataset: str
    home: Path
    chromium: Any

    def page(self) -> Any:
        page = self.chromium.new_context(viewport={"width": 1366, "height": 768}, locale="en-US").new_page()
        page.set_default_timeout(60_000)
        return page


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    home = tmp_path_factory.mktemp("explore")
    pd.DataFrame(ROWS).to_csv(home / "people.csv", index=False)
    (home / "policy.toml").write_text(POLICY)
    port = free_port()
    with running(str(home), str(port), program=SERVER) as line, browser() as chromium:
        door, key, changed, dataset = line.split()
        answers(port)
        yield Served(f"http://127.0.0.1:{port}", door, key, changed, dataset, home, chromium)


def _satisfied() -> dict[str, bool]:
    """Every node of the lattice by a plain count: whether few enough records are in classes below four."""
    table = pd.DataFrame(ROWS)
    ages = [table["age"], table["age"] // 10, table["age"] // 20, table["age"] * 0]
    zips = [table["zip"].str[:digits] for digits in (3, 2, 1, 0)]
    found = {}
    for (high, age), (low, code) in itertools.product(enumerate(ages), enumerate(zips)):
        sizes = table.groupby([age.rename("a"), code.rename("z")])["illness"].transform("size")
        found[f"{high}·{low}"] = int((sizes < 4).sum()) <= 16 and bool((sizes >= 4).any())
    return found


def _drawn(page: Any) -> dict[str, dict[str, Any]]:
    """The nodes of the picture, with where each is on the screen."""
    chart = page.locator(".lattice")
    nodes = page.evaluate(
        """id => {
            const chart = getElement(id).chart;
            return chart.getOption().series[0].data.map(node => ({
                name: node.name, symbol: node.symbol, tip: node.tip,
                at: chart.convertToPixel({xAxisIndex: 0, yAxisIndex: 0}, node.value),
            }));
        }""",
        int(chart.get_attribute("id")[1:]),
    )
    return {node["name"]: node for node in nodes}


def _settled(page: Any, wanted: set[str]) -> dict[str, dict[str, Any]]:
    """The picture when it shows these nodes, none of them unknown."""
    for _ in range(200):
        nodes = _drawn(page)
        if set(nodes) == wanted and not any(node["symbol"] == "triangle" for node in nodes.values()):
            return nodes
        page.wait_for_timeout(100)
    raise AssertionError(f"drawn are {sorted(nodes)}, wanted {sorted(wanted)}")


def _release(home: Path) -> dict[str, Any]:
    """The report of the first release that appears."""
    for _ in range(600):
        for report in (home / "state" / "releases").glob("[0-9a-f]*/evidence/report.json"):
            found: dict[str, Any] = json.loads(report.read_bytes())
            return found
        time.sleep(0.1)
    raise AssertionError("nothing was released within a minute")


def test_the_lattice_is_drawn_filtered_compared_and_another_node_released(served: Served) -> None:
    say, satisfied = speech("en"), _satisfied()
    page = served.page()
    page.goto(served.address + served.door)
    page.wait_for_url(re.compile(r"/data\?data="))
    page.goto(f"{served.address}/exploring?data={served.dataset}")
    page.locator(".lattice svg").wait_for()
    nodes = _settled(page, set(satisfied))
    assert {name: node["symbol"] in ("circle", "diamond") for name, node in nodes.items()} == satisfied
    best = [name for name, node in nodes.items() if node["symbol"] == "diamond"]
    assert len(best) == 1
    page.get_by_text(f"{say('The best node')} {best[0].replace('·', ' · ')}").wait_for()

    listed = page.get_by_role("button", name=re.compile(f"^{say('Show')} "))
    second = listed.nth(1).get_attribute("aria-label").removeprefix(f"{say('Show')} ")
    chosen = second.replace(" ", "")
    assert satisfied[chosen]
    assert chosen != best[0]
    box = page.locator(".lattice").bounding_box()
    page.mouse.click(box["x"] + nodes[chosen]["at"][0], box["y"] + nodes[chosen]["at"][1])
    page.get_by_text(f"{say('The chosen node')} {second}").wait_for()

    page.get_by_role("switch", name=say("only nodes that satisfy the policy")).click()
    _settled(page, {name for name, good in satisfied.items() if good})
    page.get_by_label(say("Relative to the chosen node")).click()
    page.get_by_role("option", name=say("more general nodes"), exact=True).click()
    _settled(page, {name for name in satisfied if satisfied[name] and name[0] >= chosen[0] and name[2] >= chosen[2]})

    portuguese = speech("pt-BR")
    page.get_by_role("button", name=say("Português")).click()
    page.get_by_text(
        portuguese(
            "Each node is a combination of levels, one for each quasi-identifier. A line leads to a node that "
            "is one level higher. Point at a node to see its figures; click it to choose it. Zoom with Ctrl "
            "and the mouse wheel."
        )
    ).wait_for()
    page.get_by_role("button", name=f"{portuguese('Show')} {second}", exact=True).click()
    page.get_by_text(f"{portuguese('The chosen node')} {second}").wait_for()
    page.get_by_role("button", name=portuguese("Release this node")).click()
    page.wait_for_url(re.compile(r"/running\?"))
    report = _release(served.home)
    assert report["levels"] == {"age": int(chosen[0]), "zip": int(chosen[2])}
    assert report["models"][0]["satisfied"]


def test_the_frontier_is_drawn_and_a_k_of_it_taken_into_the_policy(served: Served) -> None:
    """Tabs that show the policy as it was before can neither change it nor run it, and say so."""
    say = speech("en")
    page = served.page()
    page.goto(served.address + served.door)
    page.wait_for_url(re.compile(r"/data\?data="))
    page.goto(f"{served.address}/exploring?data={served.changed}")
    page.get_by_role("tab", name=say("Privacy and utility")).click()
    page.get_by_role("button", name=say("Draw the frontier")).click()
    page.get_by_role("button", name=f"{say('Use')} k = 7", exact=True).wait_for()
    others = [page.context.new_page() for _ in range(2)]
    for other, place in zip(others, ("exploring", "running"), strict=True):
        other.set_default_timeout(60_000)
        other.goto(f"{served.address}/{place}?data={served.changed}")
    others[0].get_by_role("tab", name=say("Privacy and utility")).click()
    others[0].get_by_role("button", name=f"{say('Use')} k = 10", exact=True).wait_for()
    others[1].locator("[data-policy]").get_by_text("k = 4").wait_for()

    page.get_by_role("button", name=f"{say('Use')} k = 7", exact=True).click()
    page.get_by_text(say("Now in the policy: {what}", what="k = 7")).wait_for()
    page.get_by_role("row", name=re.compile(rf"^7 .*{say('in the policy')}$")).wait_for()

    others[0].get_by_role("button", name=f"{say('Use')} k = 10", exact=True).click()
    others[1].get_by_role("button", name=say("Run")).first.click()
    for other in others:
        other.get_by_text("the policy was changed in another window").wait_for()
    others[1].get_by_role("button", name=say("Reload the page")).click()
    others[1].locator("[data-policy]").get_by_text("k = 7").wait_for()


def test_what_is_somebody_elses_cannot_be_explored(served: Served) -> None:
    say = speech("en")
    page = served.page()
    page.goto(served.address + "/login")
    page.get_by_label(say("Your key")).fill(served.key)
    page.get_by_role("button", name=say("Log in")).click()
    page.wait_for_url(re.compile(r"/data$"))
    page.goto(f"{served.address}/exploring?data={served.dataset}")
    page.get_by_text(say("Choose a data set first.")).wait_for()
    assert page.locator(".lattice").count() == 0
