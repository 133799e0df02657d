"""Run: what the policy allows, how far it is, a way to stop it, and what came of it."""

from __future__ import annotations

import time
from typing import Any

from nicegui import run, ui

from cobogo.errors import CobogoError, UnfitValues
from cobogo.faces.server.services.jobs import AUDIT, OVER, RELEASE_JOBS
from cobogo.faces.workbench import actions, opened_release
from cobogo.faces.workbench.draft import check_draft, jobs_of, undecided_columns
from cobogo.faces.workbench.frame import attempt, no_data, open_page, section
from cobogo.faces.workbench.labels import JOB_STATE, KIND, KIND_WHY, RUN_REPAIR, algorithm_name
from cobogo.faces.workbench.session import Desk, PageSession
from cobogo.faces.workbench.widgets import turn_to
from cobogo.floor.language import Text, tr

RUN = {
    "kind": tr("Kind"),
    "dataset": tr("Data set"),
    "date": tr("When"),
    "state": tr("State"),
    "took": tr("Took, with waiting"),
}

STAGE = {
    "queued": tr("Waiting for a free process"),
    "read": tr("Reading and counting"),
    "compile": tr("Preparing"),
    "search": tr("Searching for the best solution"),
    "release": tr("Creating the release"),
    "generate": tr("Drawing records"),
    "tokenize": tr("Replacing values"),
    "write": tr("Writing"),
    "check": tr("Checking against earlier releases"),
    "verify": tr("Verifying the release"),
    "report": tr("Writing the report"),
    "attack": tr("Attacking"),
    "columns": tr("Examining columns"),
    "combine": tr("Examining combinations"),
}

RUN_WHY = {
    "refused": tr(
        "No release satisfies this policy. Choose weaker models or a higher suppression limit, or add more "
        "general levels to the hierarchies."
    ),
    "failed": tr("The job failed. Nothing was released."),
    "cancelled": tr("You cancelled the job. Nothing was released."),
}

COLOURS = {"done": "positive", "refused": "warning", "failed": "negative", "cancelled": "secondary"}
TABS = {"risk": ("risk", "attacks"), "improve": ("exploring", "improve"), "exploring": ("exploring", "lattice")}
"""Buttons that lead to a tab of a page."""
GOING = ("queued", "running")
OFTEN = 0.25
"""Seconds between two looks at a job."""
SHOWN = 20
OPEN = """<q-td :props="props"><q-btn flat round dense size="sm" icon="visibility" aria-label="{label}"
  @click="() => $parent.$emit('open', props.row.id)" /></q-td>"""


def build(desk: Desk) -> None:
    with open_page(desk, "running") as session:
        if session is None:
            return
        row = desk.service.datasets.find(session.caller, session.dataset)
        watched = JobWatch(desk, session)
        if row is None:
            no_data(session)
        else:
            _start(desk, session, row, watched)
        watched.build()


def _start(desk: Desk, session: PageSession, row: dict[str, Any], watched: JobWatch) -> None:
    """What would run now, and the button."""
    section(
        session.say("What to run"),
        help=session.say("The job runs in the background: you may continue to work, or close this page."),
    )
    kinds = [kind for kind in jobs_of(session.draft.content()) if kind in RELEASE_JOBS]
    problem = _problem(desk, session, row)
    with ui.card().classes("w-full q-pa-md gap-3"):
        ui.label(session.say("{name}: {rows} records", name=row["name"], rows=row["about"]["rows"])).classes(
            "text-subtitle1"
        )
        _policy(desk, session)
        chosen = ui.radio({kind: session.say(KIND[kind]) for kind in kinds}, value=kinds[0] if kinds else None)
        chosen.props("inline dense").set_visibility(len(kinds) > 1)
        why = ui.label().classes("text-body2 text-quiet")
        why.bind_text_from(chosen, "value", lambda kind: session.say(KIND_WHY[kind]) if kind else "")
        if problem is not None:
            ui.label(session.say.error(problem)).classes("text-negative").style("white-space: pre-wrap").props(
                'role="alert"'
            )

        async def go() -> None:
            job = await attempt(session, actions.run_policy, desk, session, "", row["id"], str(chosen.value))
            if job is not None:
                watched.choose(job)

        with ui.row().classes("gap-2"):
            ui.button(session.say("Run"), icon="play_arrow", on_click=go).props("no-caps").set_enabled(problem is None)
            if problem is not None:
                step = "columns" if undecided_columns(session.draft) else "privacy"
                ui.button(session.say(RUN_REPAIR[step]), on_click=lambda: ui.navigate.to(session.address(step))).props(
                    "flat no-caps"
                )


def _policy(desk: Desk, session: PageSession) -> None:
    """Which policy it would be: what must hold, what may be lost, and the version of its text."""
    draft = session.draft
    recoding, now = draft.recoding, next(iter(desk.versions(session)), None)
    with ui.column().classes("gap-0 w-full").props('data-policy="1"'):
        for line in opened_release.promise(session, draft.models):
            ui.label(line).classes("text-weight-medium")
        share = session.say.percent(float(recoding.get("suppression-limit", 0) or 0))
        algorithm = algorithm_name(str(recoding.get("algorithm", "optimal")), session.say)
        ui.label(
            session.say("Suppression limit {share}; algorithm {algorithm}", share=share, algorithm=algorithm)
        ).classes("text-body2")
        if now is not None:
            told = session.say("Policy {digest}, of {date}", digest=now.digest, date=session.date(now.created))
            ui.label(told).classes("text-caption text-quiet")


def _problem(desk: Desk, session: PageSession, row: dict[str, Any]) -> CobogoError | None:
    try:
        check_draft(desk, session, row["id"])
    except CobogoError as error:
        return error
    return None


def latest(desk: Desk, session: PageSession) -> str | None:
    """The last job on the data set of a page, where its address names none."""
    rows = list_jobs(desk, session) if session.dataset is not None else []
    return next((row["id"] for row in rows if row["asked"].get("dataset") == session.dataset), None)


def list_jobs(desk: Desk, session: PageSession) -> list[dict[str, Any]]:
    """The reader's jobs, studies aside: those are on the page that began them."""
    return [row for row in desk.service.jobs.list_all(session.caller) if row["kind"] in (*RELEASE_JOBS, AUDIT)]


def unfit_column(error: CobogoError | None) -> str | None:
    """The column whose values have no place in its hierarchy, where a job failed for that."""
    where = None if error is None or error.code != UnfitValues.code else error.where
    return where.values.get("attribute") if isinstance(where, Text) else None


class JobWatch:
    """The job that the page looks at, and those before it: looked at now and then.

    A card is drawn when the job is another one or in another state; while it goes on, what is there already says how
    far it is: a button that was drawn anew at each step could not be clicked.
    """

    def __init__(self, desk: Desk, session: PageSession) -> None:
        self.desk, self.session = desk, session
        self.job = session.job or latest(desk, session)
        self.known: Any = None
        self.far: dict[str, Any] = {}

    def build(self) -> None:
        """Room for both, and a look now and then."""
        self.card = ui.column().classes("w-full gap-3").props('aria-live="polite"')
        self.past = ui.column().classes("w-full gap-2")
        ui.timer(OFTEN, self.look)

    async def look(self) -> None:
        """Show what has changed."""
        session = self.session
        if not session.here:
            return
        job = None
        if self.job is not None:
            job = await run.io_bound(self.desk.service.jobs.find, session.caller, self.job)
        state = None if job is None else (job["id"], "going" if job["state"] in GOING else job["state"])
        if self.known is None or state != self.known[0]:
            self.known = (state,)
            rows = await run.io_bound(list_jobs, self.desk, session)
            self.card.clear()
            with self.card:
                self._job(job)
            self.past.clear()
            with self.past:
                self._history(rows or [])
            session.redraw_steps()
        if job is not None and self.far:
            self._going_on(job)

    def _job(self, job: dict[str, Any] | None) -> None:
        self.far = {}
        if job is None:
            return
        session = self.session
        section(session.say("The result"))
        with ui.card().classes("w-full q-pa-md gap-3"):
            with ui.row().classes("items-center w-full gap-3"):
                state, kind = JOB_STATE[job["state"]], KIND[job["kind"]]
                badge = ui.badge(session.say(state)).classes("text-body1 q-pa-sm")
                badge.props(f"color={COLOURS.get(job['state'], 'primary')}")
                ui.label(session.say(kind)).classes("text-subtitle1")
                ui.space()
                if job["state"] not in OVER:
                    self.far |= {"state": badge, "elapsed": ui.label().classes("text-body2")}
            if job["state"] in OVER:
                self._show_end(job)
            else:
                self._going(job)

    def _going(self, job: dict[str, Any]) -> None:
        with ui.row().classes("items-center gap-2"):
            self.far["stage"] = ui.label().classes("text-body1")
            self.far["count"] = ui.label().classes("text-quiet")
        self.far["bar"] = ui.linear_progress(value=0, show_value=False).classes("w-full").props("rounded size=10px")
        if job["state"] != "cancelling":
            ui.button(
                self.session.say("Cancel"),
                icon="stop",
                on_click=lambda: attempt(self.session, actions.cancel_job, self.desk, self.session, job["id"]),
            ).props("outline no-caps")

    def _going_on(self, job: dict[str, Any]) -> None:
        """Say how far a job is, in what was drawn for it."""
        session, stage = self.session, job["stage"] or "queued"
        known = session.say(STAGE.get(stage, stage))
        state = JOB_STATE[job["state"]]
        self.far["state"].text = session.say(state)
        self.far["elapsed"].text = session.say(
            "{seconds} so far", seconds=session.say.seconds(time.time() - job["created"])
        )
        self.far["stage"].text = known
        told = session.say("{done} of {total}", done=job["done"], total=job["total"]) if job["total"] else ""
        self.far["count"].text = told
        bar = self.far["bar"]
        bar.value = min(job["done"] / job["total"], 1.0) if job["total"] else 0
        bar.props["aria-label"] = known
        bar.props(remove="indeterminate") if job["total"] else bar.props("indeterminate")

    def _show_end(self, job: dict[str, Any]) -> None:
        session = self.session
        if job["state"] != "done":
            why = RUN_WHY[job["state"]]
            ui.label(session.say(why))
            if job["error"] is not None:
                ui.label(session.say.error(job["error"])).classes("text-body2").style("white-space: pre-wrap")
            with ui.row().classes("gap-2"):
                if (column := unfit_column(job["error"])) is not None:
                    there = session.address("hierarchies", data=job["asked"]["dataset"], column=column)
                    ui.button(
                        session.say("Repair the hierarchy"), icon="build", on_click=lambda: ui.navigate.to(there)
                    ).props("no-caps")
                ui.button(
                    session.say("Change the policy"), on_click=lambda: ui.navigate.to(session.address("privacy"))
                ).props("no-caps" + ("" if column is None else " outline"))
            return
        if job["kind"] == AUDIT:
            self._offer_attacks(job["asked"].get("release"))
            return
        found = opened_release.report(self.desk, session, job["id"])
        opened_release.tiles(session, found)
        opened_release.levels(self.desk, session, job["id"], found)
        steps = {
            tr("See the release"): "releases",
            tr("Run attacks on it"): "risk",
            tr("See what keeps more"): "improve",
            tr("Explore other solutions"): "exploring",
            tr("Change the policy"): "privacy",
        }
        with ui.row().classes("gap-2"):
            for place, (word, step) in enumerate(steps.items()):
                dataset = job["asked"]["dataset"]
                page, tab = TABS.get(step, (step, None))
                there = session.address(page, data=dataset, release=job["id"], tab=tab)
                ui.button(session.say(word), on_click=lambda there=there: ui.navigate.to(there)).props(
                    f"no-caps {'outline' if place else ''}"
                )

    def _offer_attacks(self, release: str | None) -> None:
        there = self.session.address("risk", release=release, tab="attacks")
        ui.button(self.session.say("See the results of the attacks"), on_click=lambda: ui.navigate.to(there)).props(
            "no-caps"
        )

    def _history(self, rows: list[dict[str, Any]]) -> None:
        session = self.session
        section(session.say("Your jobs"))
        if not rows:
            ui.label(session.say("You have not run a job yet."))
            return
        names = self.desk.service.datasets.own_names(session.caller)
        keys = ("kind", "dataset", "date", "state", "took")
        columns = [{"name": key, "label": session.say(RUN[key]), "field": key, "align": "left"} for key in keys]
        columns.append({"name": "open", "label": "", "field": "id", "align": "right"})
        kinds = {kind: session.say(text) for kind, text in KIND.items()}
        states = {state: session.say(text) for state, text in JOB_STATE.items()}
        shown = [
            {
                "id": row["id"],
                "kind": kinds[row["kind"]],
                "dataset": names.get(row["asked"].get("dataset"), session.say("deleted")),
                "date": session.date(row["created"]),
                "state": states[row["state"]],
                "took": session.say.seconds(None if row["finished"] is None else row["finished"] - row["created"]),
            }
            for row in rows
        ]
        table = ui.table(rows=shown, columns=columns, row_key="id", pagination=SHOWN).classes("w-full")
        table.props("dense flat bordered" + (" hide-bottom" if len(shown) <= SHOWN else ""))
        table.add_slot("body-cell-open", OPEN.format(label=session.say("Show the result")))
        table.on("open", lambda event: self.choose(str(event.args)))

    def choose(self, identity: str) -> None:
        """Look at a job; its address is the page's from now on."""
        self.job = identity
        turn_to(stay=True, job=identity)
