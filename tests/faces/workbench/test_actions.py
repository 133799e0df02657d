"""What is done from a page is done for whoever it was opened for, with what it shows, and is in the log; else not."""

from __future__ import annotations

import io
import json
import secrets
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import insert

pytest.importorskip("nicegui")

from cobogo.errors import InputError, QueryRefused, Stale
from cobogo.faces.server import drafts
from cobogo.faces.server.context import ServerContext
from cobogo.faces.server.keys import Holder
from cobogo.faces.server.roles import SCOPES, KeyRole, KeyScope
from cobogo.faces.server.settings import ServerSettings
from cobogo.faces.server.state import BEGUN, COLLECTIONS, DATASETS, DRAFTS, JOBS, POLICIES, RELEASES
from cobogo.faces.workbench import actions
from cobogo.faces.workbench.actions import ACTIONS
from cobogo.faces.workbench.draft import check_draft, undecided_columns
from cobogo.faces.workbench.pages.login import safe_goal
from cobogo.faces.workbench.session import Browser, Desk, PageSession
from support.services import person, service_of

pytestmark = pytest.mark.slow

CSV = b"nome,idade,cidade,doenca\n" + b"".join(
    f"Ana Silva {n},{20 + n % 30},{('Sobral', 'Crato')[n % 2]},{('gripe', 'dengue', 'zika')[n % 3]}\n".encode()
    for n in range(60)
)
POLICY = """
[attributes]
nome = { role = "identifier" }
idade = { role = "quasi-identifier", hierarchy = { intervals = [10], top = true } }
cidade = { role = "quasi-identifier" }
doenca = { role = "sensitive" }
[privacy]
models = [{ model = "k-anonymity", k = 50 }]
"""
COLLECTION = '[collection]\nname = "b"\nquestion = "q"\nmechanism = "grr"\nepsilon = 3.0\nvalues = ["a", "b"]\n'
CURATOR = """
ledger = "ledger.db"
[datasets.people]
path = "people.csv"
budget = { epsilon = 100 }
analysts = { ana = { epsilon = 50 } }
[datasets.people.columns]
cidade = { type = "text", keys = ["Sobral", "Crato"] }
"""


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    home = tmp_path_factory.mktemp("acts")
    (home / "people.csv").write_bytes(CSV)
    (home / "curator.toml").write_text(CURATOR)
    settings = ServerSettings(
        state=str(home / "state"), registry=str(home / "registry.db"), curator=str(home / "curator.toml")
    )
    at = ServerContext(settings)
    yield Desk(service_of(at))
    at.close()


class Furnished:
    """Ana's page about a data set, with a job and a release of it; and all that she could do there."""

    def __init__(self, desk: Desk) -> None:
        self.desk, self.context = desk, desk.service.datasets._context
        ana = person("ana")
        self.dataset = desk.service.datasets.receive(ana, "people.csv", io.BytesIO(CSV))
        drafts.begin(self.context.state, "ana", self.dataset, POLICY)
        self.browser = Browser(self.holder("ana"))
        self.release = secrets.token_hex(8)
        row = {"owner": "ana", "dataset": self.dataset, "kind": "anonymize", "summary": "{}", "created": time.time()}
        with self.context.state.transaction() as connection:
            connection.execute(insert(RELEASES).values(id=self.release, **row))
        self.context.files.release(self.release).mkdir()
        self.job = desk.service.jobs.submit(ana, "anonymize", self.dataset, POLICY)["id"]

    def holder(self, who: str) -> Holder:
        """Somebody with a key of their own, who may do all that pages offer."""
        identity, _ = self.context.keys.create(who, KeyRole.STEWARD)
        return Holder(who, KeyRole.STEWARD, SCOPES[KeyRole.STEWARD] | {KeyScope.ASK}, identity)

    def page(self, **asked: str) -> PageSession:
        """A page as it is opened now."""
        session = self.desk.open_session(self.browser, {"data": self.dataset, **asked})
        session.draft = actions.draft_of(self.desk, session)
        return session

    def deeds(self) -> dict[str, tuple[Any, ...]]:
        """A good request for every act: what it is about, and more."""
        file = Path(self.context.settings.curator).parent / "people.csv"  # type: ignore[arg-type]
        study = (self.dataset, "compare", POLICY, {"algorithms": ["optimal"]})
        return {
            "receive": ("", "new.csv", file, {}),
            "receive example": ("", "example.csv", 60),
            "copy table": ("", "clinic", "people"),
            "forget": (self.dataset,),
            "attach": (self.dataset, "h.csv", b"20,*\n"),
            "begin policy": (self.dataset,),
            "write policy": (self.dataset, POLICY.replace("50", "5"), "models"),
            "save policy": (self.dataset, "mine"),
            "take policy": (self.release,),
            "undo policy": (self.dataset,),
            "redo policy": (self.dataset,),
            "run": ("", self.dataset, "anonymize"),
            "run node": ("", self.dataset, lambda text: text),
            "cancel": (self.job,),
            "audit": (self.release,),
            "verify": (self.release,),
            "register": (self.release, "series"),
            "delete release": (self.release, None),
            "study": study,
            "stop study": study,
            "ask": ("people", "SELECT COUNT(*) AS n FROM people", {"epsilon": "0.01"}),
            "open collection": ("", COLLECTION),
            "state release": (self.release,),
            "make key": ("", "bea", "analyst", 30),
            "revoke key": (self.holder("rui").key,),
            "stop job": (self.job,),
        }

    def everything(self) -> list[Any]:
        """All that acts could have changed; the log aside."""
        state, kept = self.context.state, (DATASETS, POLICIES, JOBS, RELEASES, COLLECTIONS)
        with state.transaction(reads=True) as connection:
            written = [tuple(row) for row in connection.execute(DRAFTS.select())]
        spent = self.context.curator.ledger.balance("people", "ana").spent  # type: ignore[union-attr]
        places = sorted(str(path) for path in self.context.files.root.rglob("*") if "state.db" not in path.name)
        return [*(state.rows(table) for table in kept), written, spent, places]

    def logged(self, after: int) -> list[tuple[str, str, int]]:
        """The log from a line on: who, what, and what came of it."""
        return [(one["owner"], one["action"], one["status"]) for one in self.context.state.log(after, 100)]

    @property
    def last_line(self) -> int:
        """The number of the last line of the log."""
        lines = self.context.state.log(0, 100_000)
        return int(lines[-1]["id"]) if lines else 0


def _leave(at: Furnished) -> None:
    at.browser.forget()


def _somebody_else(at: Furnished) -> None:
    at.browser.forget()
    at.browser.holder = at.holder("bea")


def _revoke(at: Furnished) -> None:
    assert at.browser.holder is not None
    at.context.keys.revoke(at.browser.holder.key)


def test_every_action_is_tried_here(desk: Desk) -> None:
    assert Furnished(desk).deeds().keys() == ACTIONS.keys()


@pytest.mark.parametrize("change", [_leave, _somebody_else, _revoke])
def test_nothing_is_done_on_a_page_of_somebody_who_is_gone(desk: Desk, change: Callable[[Furnished], None]) -> None:
    """A tab that stayed open when its reader logged out, when somebody else logged in, when the key was revoked."""
    at = Furnished(desk)
    stale = at.page()
    change(at)
    before = at.everything()
    for name, given in at.deeds().items():
        line = at.last_line
        with pytest.raises(Stale, match=r"logged out|logged in now|revoked"):
            ACTIONS[name](desk, stale, *given)
        assert [(action, status) for _, action, status in at.logged(line)] == [(f"workbench {name}", 409)]
    assert at.everything() == before
    assert not stale.here


def test_nobody_does_what_their_key_does_not_allow(desk: Desk) -> None:
    at = Furnished(desk)
    assert at.browser.holder is not None
    at.browser.holder = Holder("ana", KeyRole.STEWARD, frozenset(), at.browser.holder.key)
    page, before = at.page(), at.everything()
    for name, given in at.deeds().items():
        line = at.last_line
        with pytest.raises(Stale, match="does not have the scope"):
            ACTIONS[name](desk, page, *given)
        assert at.logged(line) == [("ana", f"workbench {name}", 403)]
    assert at.everything() == before


def test_a_page_acts_on_nobody_elses_things(desk: Desk) -> None:
    """Bea, logged in herself, sends what names Ana's data set, job and release."""
    at = Furnished(desk)
    deeds = at.deeds()
    _somebody_else(at)
    page = at.page()
    assert (page.dataset, page.draft.text) == (None, "")
    before = at.everything()
    about_hers = {"forget", "attach", "begin policy", "write policy", "undo policy", "redo policy", "run", "run node"}
    for name in (
        *about_hers,
        "save policy",
        "take policy",
        "audit",
        "verify",
        "register",
        "delete release",
        "study",
        "stop study",
    ):
        with pytest.raises(Stale, match="no longer exists"):
            ACTIONS[name](desk, page, *deeds[name])
    ACTIONS["cancel"](desk, page, *deeds["cancel"])
    with pytest.raises(QueryRefused, match="no data set"):
        ACTIONS["ask"](desk, page, *deeds["ask"])
    assert at.everything() == before


def test_what_is_done_is_in_the_log_before_it_begins(desk: Desk) -> None:
    at = Furnished(desk)
    line, seen = at.last_line, []

    def fixed(text: str) -> str:
        seen.extend(at.logged(line))
        return text

    job = actions.run_node(desk, at.page(), "", at.dataset, fixed)
    assert seen == [("ana", "workbench run node", BEGUN)]
    assert at.logged(line) == [("ana", "workbench run node", 200)]
    assert at.context.state.log(line, 1)[0]["object"] == job
    with pytest.raises(InputError):
        actions.open_collection(desk, at.page(), "", "x = [")
    assert at.logged(line)[-1] == ("ana", "workbench open collection", 400)


def test_a_run_is_of_the_policy_that_the_page_shows(desk: Desk) -> None:
    """Two tabs: one shows k = 50, the other asks for 5 afterwards. Nothing is released under a page that says 50."""
    at = Furnished(desk)
    first, second = at.page(), at.page()
    second.draft.set_models([{"model": "k-anonymity", "k": 5}])
    for name in ("run", "run node", "study"):
        with pytest.raises(Stale, match="changed in another window"):
            ACTIONS[name](desk, first, *at.deeds()[name])
    with pytest.raises(Stale, match="changed in another window"):
        first.draft.set_models([{"model": "k-anonymity", "k": 60}])
    assert first.draft.models == [{"model": "k-anonymity", "k": 50}]
    job = actions.run_policy(desk, second, "", at.dataset, "anonymize")
    asked = json.loads(at.context.state.get(JOBS, job)["asked"])
    assert (asked["dataset"], asked["policy"]) == (at.dataset, second.draft.text)


def test_two_tabs_on_two_data_sets_are_independent(desk: Desk) -> None:
    """Whichever is opened last: each has its own policy, and neither is lost."""
    at = Furnished(desk)
    here = at.page()
    other = desk.service.datasets.receive(person("ana"), "other.csv", io.BytesIO(CSV))
    actions.begin_policy(desk, here, other)
    there = at.page(data=other)
    there.draft = actions.draft_of(desk, there)
    there.draft.set("recoding", "metric", "precision")
    here.draft.set("recoding", "suppression-limit", 0.1)
    assert (here.dataset, there.dataset) == (at.dataset, other)
    assert "metric" not in at.page().draft.recoding
    assert at.page(data=other).draft.recoding["metric"] == "precision"
    assert at.page().draft.recoding == {"suppression-limit": 0.1}
    assert desk.last(at.browser) == at.dataset


def test_a_policy_survives_a_restart_and_its_changes_can_be_undone(desk: Desk) -> None:
    at = Furnished(desk)
    page = at.page()
    page.draft.set("recoding", "metric", "precision")
    page.draft.set("recoding", "suppression-limit", 0.1)
    page.draft.set("recoding", "suppression-limit", 0.2)  # of the same thing, at once: one version
    restarted = ServerContext(at.context.settings)
    again = Desk(service_of(restarted))
    there = again.open_session(Browser(at.browser.holder), {"data": at.dataset})
    assert there.draft.recoding == {"metric": "precision", "suppression-limit": 0.2}
    assert again.last(Browser(at.browser.holder)) == at.dataset
    actions.undo_policy(again, there, at.dataset)
    assert there.draft.recoding == {"metric": "precision"}
    with pytest.raises(Stale):
        actions.undo_policy(desk, page, at.dataset)
    actions.redo_policy(again, there, at.dataset)
    assert there.draft.recoding["suppression-limit"] == 0.2
    for _ in range(3):
        actions.undo_policy(again, there, at.dataset)
    assert there.draft.text == POLICY
    actions.write_policy(again, there, at.dataset, "[data]\n", "text")
    actions.redo_policy(again, there, at.dataset)
    assert there.draft.text == "[data]\n"
    restarted.close()


def test_versions_are_kept_up_to_a_number_and_go_with_their_data_set(desk: Desk, monkeypatch) -> None:
    at = Furnished(desk)
    monkeypatch.setattr(drafts, "KEPT", 5)
    page, state = at.page(), at.context.state
    for number in range(9):
        actions.write_policy(desk, page, at.dataset, f"# {number}\n", f"{number}")
    assert [one.toml for one in drafts.versions(state, "ana", at.dataset)] == [f"# {n}\n" for n in range(8, 3, -1)]
    assert drafts.versions(state, "bea", at.dataset) == []
    desk.service.jobs.cancel(person("ana"), at.job)
    actions.forget_dataset(desk, page, at.dataset)
    assert drafts.versions(state, "ana", at.dataset) == []
    assert at.page().dataset is None


def test_a_policy_begins_with_guesses_that_somebody_has_to_confirm(desk: Desk) -> None:
    at = Furnished(desk)
    dataset = actions.receive_table(desk, at.page(), "", "t.csv", Path(at.deeds()["receive"][2]), {})
    page = at.page(data=dataset)
    assert undecided_columns(page.draft) == ["nome", "idade", "cidade", "doenca"]
    with pytest.raises(InputError, match="the roles of 4 columns are not confirmed"):
        check_draft(desk, page, dataset)
    with pytest.raises(InputError, match="not confirmed"):
        actions.run_policy(desk, page, "", dataset, "anonymize")
    told = page.draft.attributes
    page.draft.set_attributes({name: {"role": one["role"].removeprefix("CONFIRM ")} for name, one in told.items()})
    assert check_draft(desk, page, dataset)
    assert page.draft.attributes["idade"]["hierarchy"] == told["idade"]["hierarchy"]


def test_a_policy_names_files_that_are_there(desk: Desk) -> None:
    at = Furnished(desk)
    page = at.page()
    presence = {"model": "delta-presence", "population": "population.csv", "min": 0.0, "max": 0.5}
    page.draft.set_models([presence])
    with pytest.raises(InputError, match=r"models\[0\].*no file population\.csv"):
        check_draft(desk, page, at.dataset)
    actions.attach_file(desk, page, at.dataset, "population.csv", CSV)
    assert check_draft(desk, page, at.dataset)
    page.draft.set_attribute("cidade", hierarchy={"csv": "cidades.csv"})
    with pytest.raises(InputError, match=r"cidade.*no file cidades\.csv"):
        check_draft(desk, page, at.dataset)


def test_the_policy_of_a_release_is_taken_up_again(desk: Desk) -> None:
    at = Furnished(desk)
    page = at.page()
    job = actions.run_policy(desk, page, "", at.dataset, "anonymize")
    row = {"owner": "ana", "dataset": at.dataset, "kind": "anonymize", "summary": "{}", "created": time.time()}
    with at.context.state.transaction() as connection:
        connection.execute(insert(RELEASES).values(id=job, **row))
    actions.save_policy(desk, page, at.dataset, "first")
    page.draft.set("recoding", "metric", "precision")
    (kept,) = at.context.state.rows(POLICIES, "ana", dataset=at.dataset)
    assert (kept["name"], kept["toml"]) == ("first", POLICY)
    assert actions.take_policy(desk, page, job) == at.dataset
    assert at.page().draft.text == POLICY
    assert [one.toml != POLICY for one in drafts.versions(at.context.state, "ana", at.dataset)] == [False, True, False]


def test_no_file_takes_the_place_of_another(desk: Desk) -> None:
    """Two columns whose hierarchies both come as hierarchy.csv; a job that waits reads the file that it was given."""
    at = Furnished(desk)
    page, files = at.page(), at.context.files.dataset(at.dataset) / "files"
    names = [
        actions.attach_file(desk, page, at.dataset, "hierarchy.csv", text) for text in (b"1,*\n", b"2,*\n", b"1,*\n")
    ]
    assert names == ["hierarchy.csv", "hierarchy-2.csv", "hierarchy.csv"]
    assert [(files / name).read_bytes() for name in names] == [b"1,*\n", b"2,*\n", b"1,*\n"]


@pytest.mark.parametrize(
    ("asked", "there"),
    [
        ("/columns?data=00ff", "/columns?data=00ff"),
        ("https://example.org/columns", "/"),
        ("//example.org", "/"),
        ("/columns?next=//example.org", "/"),
        ("/api/v1/keys", "/"),
        ("javascript:alert(1)", "/"),
    ],
)
def test_a_login_leads_to_a_page_of_ours(asked, there) -> None:
    assert safe_goal(asked) == there
