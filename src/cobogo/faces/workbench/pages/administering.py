"""Administration: who has keys, what waits and runs, and who did what; for those who keep the server running."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from nicegui import run, ui

from cobogo.errors import CobogoError
from cobogo.faces.server.roles import KeyRole, KeyScope
from cobogo.faces.workbench import actions
from cobogo.faces.workbench.charts import table
from cobogo.faces.workbench.frame import attempt, complain, open_page, section
from cobogo.faces.workbench.header import PERSON
from cobogo.faces.workbench.labels import JOB_STATE, KIND
from cobogo.faces.workbench.session import Desk, PageSession
from cobogo.faces.workbench.widgets import snippet
from cobogo.floor.language import tr

STUDY = tr("comparison")
"""What a job is called that releases nothing."""
LINES = 100
"""Lines of the log that are shown at once."""
BEAT = 2.0
"""Seconds between two looks at the queue."""

KEY = {
    "owner": tr("Person"),
    "role": tr("Role"),
    "made": tr("Made"),
    "ends": tr("Ends"),
    "state": tr("State"),
    "id": tr("Key"),
}

MAY = {
    "steward": tr("Uploads data, runs jobs, and sees their own releases with the evidence."),
    "analyst": tr("Asks the curator, on their own budget."),
    "collector": tr("Hands in randomized reports, and positions of a device."),
    "auditor": tr("Sees everybody's releases and evidence, budgets, and this log."),
    "admin": tr("Makes and revokes keys, ends jobs, and reads this log. Sees no data."),
}

QUEUE = {
    "owner": tr("Person"),
    "kind": tr("Kind"),
    "made": tr("When"),
    "state": tr("State"),
    "progress": tr("Progress"),
}

LOG = {
    "made": tr("When"),
    "owner": tr("Person"),
    "role": tr("Role"),
    "action": tr("What"),
    "object": tr("On what"),
    "outcome": tr("Outcome"),
}

OUTCOME = {
    102: tr("not finished"),
    401: tr("wrong key"),
    403: tr("not allowed"),
    404: tr("not there"),
    409: tr("refused"),
    413: tr("too large"),
    429: tr("too many"),
}

BUTTON = """<q-td :props="props"><q-btn v-if="props.row.open" flat dense no-caps color="negative" label="{label}"
  :aria-label="'{label}: ' + props.row.name" @click="() => $parent.$emit('act', props.row.id)" /></q-td>"""


def build(desk: Desk) -> None:
    with open_page(desk, "administering") as session:
        if session is None:
            return
        parts: dict[KeyScope, tuple[str, str, str, Callable[[Desk, PageSession], _Keys | _Jobs | _Log]]] = {
            KeyScope.KEYS: ("keys", session.say("Keys"), "vpn_key", _Keys),
            KeyScope.JOBS: ("jobs", session.say("Jobs"), "pending_actions", _Jobs),
            KeyScope.AUDIT: ("log", session.say("Log"), "history", _Log),
        }
        mine = [part for scope, part in parts.items() if scope in session.caller.scopes]
        with ui.tabs().props("no-caps align=left dense inline-label").classes("w-full") as bar:
            for name, label, icon, _ in mine:
                ui.tab(name, label, icon=icon)
        drawn: dict[str, _Keys | _Jobs | _Log] = {}
        with ui.tab_panels(bar, value=mine[0][0], animated=False).classes("w-full bg-transparent"):
            for name, _, _, part in mine:
                with ui.tab_panel(name).classes("q-pa-none gap-3"):
                    drawn[name] = part(desk, session)
        bar.on_value_change(lambda event: drawn[event.value].draw())


class _Keys:
    """The keys, a form that makes one, and a button that ends one."""

    def __init__(self, desk: Desk, session: PageSession) -> None:
        self.desk, self.session, say = desk, session, session.say
        section(
            say("Make a key"),
            help=say("A key belongs to a person. Its role says what they may do. It is shown only once."),
        )
        with ui.card().classes("w-full q-pa-md"):
            with ui.row().classes("items-start w-full gap-4"):
                self.owner = ui.input(say("Person")).props("dense outlined").style("width: 14rem")
                roles = {role.value: say(PERSON[role.value]) for role in KeyRole}
                self.role = ui.select(roles, value=KeyRole.STEWARD.value, label=say("Role"))
                self.role.props("dense outlined").style("width: 12rem")
                self.days = ui.number(say("Days until it ends"), min=1, max=3660, format="%d")
                hint = say("empty: it does not end")
                self.days.props(f'dense outlined clearable hint="{hint}"')
                self.days.style("width: 14rem")
                ui.button(say("Make a key"), icon="vpn_key", on_click=self._make).props("no-caps")
            may = ui.label().classes("text-body2 text-quiet")
            may.bind_text_from(self.role, "value", self._scopes)
        section(say("Keys"))
        self.room = ui.column().classes("w-full")
        self.draw()

    def _scopes(self, role: str) -> str:
        return self.session.say(MAY[role])

    async def _make(self) -> None:
        made = await attempt(
            self.session, actions.make_key, self.desk, self.session, "",
            str(self.owner.value or "").strip(), str(self.role.value), self.days.value,
        )  # fmt: skip
        if made is None:
            return
        say, owner = self.session.say, str(self.owner.value).strip()
        self.owner.value = ""
        self.draw()
        with ui.dialog(value=True).props("persistent") as shown, ui.card().classes("gap-3").style("max-width: 40rem"):
            ui.label(say("The key of {owner}", owner=owner)).classes("text-h6")
            snippet(self.session, made[1], "text")
            ui.label(
                say("Copy it now and hand it over safely: the server keeps only a hash, and cannot show it again.")
            )
            ui.button(say("I have copied it"), on_click=shown.delete).props("no-caps")

    def draw(self) -> None:
        """List the keys as they are now."""
        say, session = self.session.say, self.session
        rows = self.desk.service.keys.list_all(session.caller)
        shown = []
        for row in sorted(rows, key=lambda row: (str(row["owner"]), -float(str(row["created"])))):
            state = _key_state(row)
            shown.append(
                {
                    "id": row["id"],
                    "name": f"{row['owner']}, {row['id']}",
                    "owner": row["owner"],
                    "role": say(PERSON[str(row["role"])]),
                    "made": session.date(float(str(row["created"]))),
                    "ends": "–" if row["expires"] is None else session.date(float(str(row["expires"]))),
                    "state": say(state),
                    "open": state == VALID,
                }
            )
        self.room.clear()
        with self.room:
            made = table(
                [*((key, say(word), "left") for key, word in KEY.items()), ("act", "", "right")], shown, page=20
            )
            made.add_slot("body-cell-act", BUTTON.format(label=say("Revoke")))
            made.on("act", lambda event: self._confirm(str(event.args)))

    async def _confirm(self, key: str) -> None:
        say = self.session.say
        with ui.dialog() as dialog, ui.card().classes("gap-3").style("max-width: 32rem"):
            ui.label(say("Revoke this key? Its person is logged out at once. Data and releases stay."))
            with ui.row().classes("gap-2"):
                ui.button(say("Revoke"), on_click=lambda: dialog.submit(True)).props("no-caps color=negative")
                ui.button(say("Keep it"), on_click=lambda: dialog.submit(False)).props("flat no-caps autofocus")
        if await dialog:
            await attempt(self.session, actions.revoke_key, self.desk, self.session, key)
            self.draw()


VALID, REVOKED, EXPIRED = tr("valid"), tr("revoked"), tr("expired")


def _key_state(row: dict[str, Any]) -> str:
    if row["revoked"] is not None:
        return REVOKED
    return EXPIRED if row["expires"] is not None and float(row["expires"]) <= time.time() else VALID


class _Jobs:
    """Everybody's jobs that wait or run, without what they are about."""

    def __init__(self, desk: Desk, session: PageSession) -> None:
        self.desk, self.session = desk, session
        self.known: list[tuple[Any, ...]] | None = None
        section(
            session.say("Waiting and running"),
            help=session.say("Everybody's jobs, without their data. People take turns."),
        )
        self.room = ui.column().classes("w-full")
        ui.timer(BEAT, self._look)

    def draw(self) -> None:
        """The next look draws it."""
        self.known = None

    async def _look(self) -> None:
        if not self.session.here:
            return
        rows = await run.io_bound(self.desk.service.jobs.list_queue, self.session.caller) or []
        now = [(row["id"], row["state"], row["stage"], row["done"]) for row in rows]
        if now != self.known:
            self.known = now
            self.room.clear()
            with self.room:
                self._draw(rows)

    def _draw(self, rows: list[dict[str, Any]]) -> None:
        say = self.session.say
        if not rows:
            ui.label(say("No job is waiting or running.")).classes("text-body1")
            return
        shown = [
            {
                "id": row["id"],
                "name": row["owner"],
                "owner": row["owner"],
                "kind": say(KIND.get(row["kind"], STUDY)),
                "made": self.session.date(row["created"]),
                "state": say(JOB_STATE[row["state"]]),
                "progress": say("{done} of {total}", done=row["done"], total=row["total"]) if row["total"] else "",
                "open": row["state"] != "cancelling",
            }
            for row in rows
        ]
        made = table([*((key, say(word), "left") for key, word in QUEUE.items()), ("act", "", "right")], shown)
        made.add_slot("body-cell-act", BUTTON.format(label=say("Stop")))
        made.on("act", lambda event: self._stop(str(event.args)))

    async def _stop(self, job: str) -> None:
        await attempt(self.session, actions.stop_job, self.desk, self.session, job)
        self.known = None


class _Log:
    """Who did what, the latest first."""

    def __init__(self, desk: Desk, session: PageSession) -> None:
        self.desk, self.session = desk, session
        self.before: list[int | None] = [None]
        section(
            session.say("Log"), help=session.say("Who did what, the latest first. It contains no values and no keys.")
        )
        with ui.row().classes("items-center gap-2"):
            self.newer = ui.button(session.say("Newer"), icon="chevron_left", on_click=self._go_newer)
            self.older = ui.button(session.say("Older"), icon="chevron_right", on_click=self._go_older)
            for button in (self.newer, self.older):
                button.props("flat no-caps")
        self.room = ui.column().classes("w-full")
        self.draw()

    def draw(self) -> None:
        """Show the latest lines."""
        self.before = [None]
        self._draw()

    def _go_newer(self) -> None:
        if len(self.before) > 1:
            self.before.pop()
        self._draw()

    def _go_older(self) -> None:
        self.before.append(self.last)
        self._draw()

    def _draw(self) -> None:
        session, say = self.session, self.session.say
        try:
            lines = self.desk.service.keys.read_latest(session.caller, self.before[-1], LINES)
        except CobogoError as error:
            complain(error, session.language)
            return
        self.last = lines[-1]["id"] if lines else self.before[-1]
        self.newer.set_enabled(len(self.before) > 1)
        self.older.set_enabled(len(lines) == LINES)
        shown = [
            {
                "made": session.date(line["at"]),
                "owner": line["owner"] or "–",
                "role": say(PERSON[line["role"]]) if line["role"] in PERSON else "–",
                "action": line["action"],
                "object": line["object"],
                "outcome": _outcome(session, line["status"]),
            }
            for line in lines
        ]
        self.room.clear()
        with self.room:
            table([(key, say(word), "left") for key, word in LOG.items()], shown)


def _outcome(session: PageSession, status: int) -> str:
    """What came of an action, in words where the number alone says little."""
    usual = tr("done") if 200 <= status < 400 else tr("failed")
    return f"{session.say(OUTCOME.get(status, usual))} ({status})"
