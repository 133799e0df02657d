"""Utility, and Risk and attacks: what is behind the pages, and both of them in a real browser."""

from __future__ import annotations

import io
import json
import secrets
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from cobogo.floor.language import speech
from support.browsers import answers, browser, free_port, log_in, running
from support.contrasts import fits

pytestmark = pytest.mark.xdist_group("workbench_utility")

CSV = "nome,idade,cidade,renda\n" + "".join(
    f"P {n},{20 + n * 7 % 50},{('Sobral', 'Fortaleza', 'Crato')[n % 3]},{('alta', 'baixa')[n % 5 > 2]}\n"
    for n in range(120)
)
POLICY = """
[attributes]
nome = { role = "identifier" }
idade = { role = "quasi-identifier", hierarchy = { intervals = [10, 30], top = true } }
cidade = { role = "quasi-identifier" }
renda = { role = "sensitive" }
[privacy]
models = [{ model = "k-anonymity", k = 4 }]
[recoding]
suppression-limit = 0.1
"""


def furnished(context: Any, owner: str) -> None:
    """A data set of somebody's and a release of it."""
    from cobogo.faces.server.sandbox import confine_policy
    from cobogo.faces.server.state import RELEASES, pack
    from cobogo.faces.server.worker import RELEASE_JOBS
    from support.services import person, service_of

    dataset = service_of(context).datasets.receive(person(owner), "gente.csv", io.BytesIO(CSV.encode()))
    home, table = context.files.dataset(dataset), context.files.table(dataset)
    release = secrets.token_hex(8)
    policy = confine_policy(POLICY, home / "files", owner=owner)
    RELEASE_JOBS["anonymize"](table, policy, context.files.release(release), lambda *_: None, "gente.csv")
    about = {"records": 120, "suppressed": 0}
    values = {"owner": owner, "dataset": dataset, "kind": "anonymize", "summary": pack(about), "created": time.time()}
    from sqlalchemy import insert

    with context.state.transaction() as connection:
        connection.execute(insert(RELEASES).values(id=release, **values))


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A server's directory with a release of Maria's."""
    from cobogo.faces.server.context import ServerContext
    from cobogo.faces.server.settings import ServerSettings

    place = tmp_path_factory.mktemp("bench")
    context = ServerContext(ServerSettings(state=str(place / "state")))
    furnished(context, "maria")
    context.close()
    return place


def test_the_original_is_for_its_steward_alone(home) -> None:
    from cobogo.examine.utility.pairs.comparison import distribution
    from cobogo.faces.server.context import ServerContext
    from cobogo.faces.server.keys import Holder
    from cobogo.faces.server.roles import SCOPES, KeyRole
    from cobogo.faces.server.settings import ServerSettings
    from cobogo.faces.workbench.pages.risk import assess, figures
    from support.services import service_of

    context = ServerContext(ServerSettings(state=str(home / "state")))
    maria, otto = (
        Holder(who, role, SCOPES[role], "key") for who, role in (("maria", KeyRole.STEWARD), ("otto", KeyRole.AUDITOR))
    )
    releases = service_of(context).releases
    identity = releases.list_all(maria)[0]["id"]
    own, other = releases.open(maria, identity), releases.open(otto, identity)
    assert (own.mine, own.runs) == (True, True)
    assert (other.mine, other.runs, other.data, other.rows) == (False, False, None, None)
    assert own.measure_pair(distribution, "idade").before is not None
    assert other.measure_pair(distribution, "idade").before is None
    seen, told = own.measure(assess, None), other.measure(assess, None)
    assert seen.before is not None
    assert told.before is None
    now, kept = figures(seen.before, {}), figures(None, other.report["risk"]["before"])
    assert {key: now[key] for key in ("prosecutor", "over", "unique")} == {
        key: pytest.approx(kept[key]) for key in ("prosecutor", "over", "unique")
    }
    assert figures(seen.after, {})["smallest"] >= 4
    assert own.data is not None
    own.data.rename(own.data.with_name("elsewhere"))
    assert not releases.open(maria, identity).mine
    own.data.with_name("elsewhere").rename(own.data)
    context.close()


@contextmanager
def served(home: Path) -> Iterator[tuple[str, dict[str, str]]]:
    from cobogo.faces.server.context import ServerContext
    from cobogo.faces.server.roles import KeyRole
    from cobogo.faces.server.settings import ServerSettings

    port = free_port()
    (home / "server.toml").write_text(f'port = {port}\nstate = "state"\n')
    context = ServerContext(ServerSettings.load(home / "server.toml"))
    roles = {"maria": KeyRole.STEWARD, "otto": KeyRole.AUDITOR}
    keys = {who: context.keys.create(who, role)[1] for who, role in roles.items()}
    context.close()
    with running("serve", "--workbench", "--config", str(home / "server.toml")):
        answers(port)
        yield f"http://127.0.0.1:{port}", keys


def entered(chromium: Any, address: str, key: str, language: str) -> Any:
    page = chromium.new_context(viewport={"width": 1366, "height": 768}, locale=language).new_page()
    page.set_default_timeout(60_000)
    log_in(page, address, key, speech("pt-BR" if language == "pt-BR" else "en"))
    return page


def verdict(home: Path, say: Any) -> str:
    """How the verdict of the one audit there is begins, by what is in its file."""
    (file,) = (home / "state" / "releases").glob("*/evidence/audit.json")
    tried = [one for one in json.loads(file.read_bytes())["attacks"] if one["tried"]]
    succeeded = sum(one["succeeded"] for one in tried)
    if not succeeded:
        return str(say("Audited: none of {tried} attacks exposed a person.", tried=len(tried)))
    found = max(one["exposed"] for one in tried if one["finds"] == "record")
    return str(say("Audited. {people}.", people=say("Re-identified: {n}", n=say.number(found)))).rstrip(".")


def test_both_pages_in_a_browser(home) -> None:
    with served(home) as (address, keys), browser() as chromium:
        say = speech("pt-BR")
        page = entered(chromium, address, keys["maria"], "pt-BR")
        page.goto(f"{address}/utility")
        page.get_by_text(
            say("Both sides at the released level, {level} of {height}: differences come from suppression.").partition(
                " "
            )[0]
        ).first.wait_for()
        page.locator(".cobogo-chart svg").first.wait_for()
        page.get_by_text("renda", exact=True).click()
        page.get_by_text("baixa").first.wait_for()
        assert "P 17" not in page.content()
        page.get_by_role("tab", name=say("Two columns")).click()
        page.get_by_text(say("Association (Cramér's V)")).wait_for()
        page.get_by_role("tab", name=say("Counting")).click()
        page.get_by_text(say("Median error")).wait_for()
        page.get_by_role("tab", name=say("Loss")).click()
        page.get_by_text("precisão").wait_for()
        page.goto(f"{address}/risk")
        page.get_by_text(say("Enter the size of the population to see this.")).wait_for()
        page.get_by_label(say("Size of the population")).fill("5000")
        page.get_by_text(say("Enter the size of the population to see this.")).wait_for(state="detached")
        page.get_by_text(say("Journalist")).wait_for()
        page.get_by_role("tab", name=say("Unique people")).click()
        page.get_by_text("idade + cidade").wait_for()
        page.get_by_role("tab", name=say("Attacks")).click()
        page.get_by_role("button", name=say("Run the attacks")).click()
        page.get_by_text(say("Attacks tried")).wait_for()
        fits(page, say("Menu"))
        page.get_by_role("tab", name=say("Releases over time")).click()
        page.get_by_text(
            say(
                "This release is not in a registry, so the releases of this data set were not checked against "
                "each other. To check later releases, name the data set under [registry] in the policy."
            )
        ).wait_for()

        page.goto(f"{address}/releases")
        page.locator("[data-verdict]").last.get_by_text(verdict(home, say)).wait_for()
        assert page.get_by_text(say("Not audited: no attack has been tried yet.")).count() == 0

        say = speech("en")
        page = entered(chromium, address, keys["otto"], "en-US")
        page.goto(f"{address}/utility")
        page.get_by_text(
            say(
                "You may not read the original, or it no longer exists. You see the release and the figures "
                "of its evidence."
            )
        ).wait_for()
        page.locator(".cobogo-chart svg").first.wait_for()
        page.goto(f"{address}/risk")
        page.get_by_text(
            say("You may not read the original, or it no longer exists. Its figures are those in the evidence.")
        ).wait_for()
        page.get_by_role("tab", name=say("Attacks")).click()
        page.get_by_text(say("Attacks tried")).wait_for()
        assert page.get_by_role("button", name=say("Run the attacks again")).count() == 0
