"""Releases: what was made, its report, the two parts to download (one to give away, one to keep), the registry."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING, Any

from nicegui import run, ui

from cobogo.faces.server.roles import KeyScope
from cobogo.faces.workbench import actions, opened_release
from cobogo.faces.workbench.charts import table
from cobogo.faces.workbench.frame import attempt, empty, open_page, section
from cobogo.faces.workbench.labels import KIND
from cobogo.faces.workbench.session import Desk, PageSession
from cobogo.faces.workbench.widgets import slowly
from cobogo.floor.language import tr
from cobogo.publish.registry.store import RegistryEntry

if TYPE_CHECKING:
    from cobogo.examine.utility.pairs.pair import RecordBeside, TablePair

PREVIEW = 25
"""Released rows that the page shows."""

ENTRY_STATE = {
    "unfinished": tr("not finished"),
    "released": tr("released"),
}


async def build(desk: Desk) -> None:
    with open_page(desk, "releases") as session:
        if session is None:
            return
        holder = session.holder
        assert holder is not None
        rows = desk.service.releases.list_all(holder)
        if not rows:
            can = KeyScope.RUN in holder.scopes
            empty(
                session.say("There is no release yet. Run a job, and its release appears here."),
                icon="inventory_2",
                button=session.say("Run") if can else "",
                go=session.address("running"),
            )
            return
        chosen = desk.release(session) or rows[0]
        entry = await run.io_bound(desk.service.registry.entry_of, holder, chosen["id"])
        with ui.row().classes("w-full items-start no-wrap gap-4 cobogo-beside"):
            with ui.column().classes("gap-2").style("flex: 0 0 19rem"):
                section(session.say("Releases"))
                with ui.scroll_area().style("height: calc(100vh - 11rem)").classes("w-full cobogo-list"):
                    for row in rows:
                        _draw_card(desk, session, row, chosen=row["id"] == chosen["id"])
            with ui.column().classes("gap-3").style("flex: 1 1 0; min-width: 0"):
                _show_release(desk, session, chosen, entry)


def _dataset_name(desk: Desk, session: PageSession, row: dict[str, Any]) -> str:
    return desk.service.datasets.names(session.caller).get(row["dataset"], session.say("data set deleted"))


def _count_text(session: PageSession, row: dict[str, Any]) -> str:
    told = json.loads(row["summary"])
    if told.get("suppressed") is None:
        return session.say("{records} records", records=told.get("records"))
    return session.say(
        "{records} records, {suppressed} suppressed",
        records=told["records"] - told["suppressed"],
        suppressed=told["suppressed"],
    )


def _draw_card(desk: Desk, session: PageSession, row: dict[str, Any], *, chosen: bool) -> None:
    def choose() -> None:
        ui.navigate.to(session.address("releases", release=row["id"], data=row["dataset"]))

    with ui.card().classes("w-full q-pa-sm q-mb-sm gap-0 cursor-pointer") as card:
        card.props(f"tabindex=0 role=button aria-pressed={'true' if chosen else 'false'}")
        card.on("click", choose).on("keydown.enter", choose)
        if chosen:
            card.style("border: 2px solid var(--q-primary)")
        ui.label(_dataset_name(desk, session, row)).classes("text-weight-medium ellipsis w-full")
        made = KIND[row["kind"]]
        kind = session.say(made)
        ui.label(f"{kind} · {session.date(row['created'])}").classes("text-caption")
        ui.label(_count_text(session, row)).classes("text-caption text-quiet")
        _verdict(desk, session, row)
        if row["owner"] != session.owner:
            ui.label(session.say("of {owner}", owner=row["owner"])).classes("text-caption text-quiet")


def _show_release(desk: Desk, session: PageSession, row: dict[str, Any], entry: RegistryEntry | None) -> None:
    identity, holder = row["id"], session.holder
    assert holder is not None
    manifest = opened_release.manifest(desk, session, identity)
    with ui.row().classes("items-center w-full gap-2"):
        with ui.column().classes("gap-0"):
            ui.label(_dataset_name(desk, session, row)).classes("text-h6").props('role="heading" aria-level="2"')
            ui.label(" · ".join(opened_release.promise(session, manifest.get("models", [])))).classes(
                "text-body2 text-quiet"
            )
        ui.space()
        if entry is not None:
            ui.badge(session.say("in the registry")).props("color=positive").classes("q-pa-xs")
    _show_verdict(desk, session, row)
    _actions(desk, session, row, entry)
    inside = KeyScope.EVIDENCE in holder.scopes
    with ui.tabs().props("no-caps align=left dense") as tabs:
        summary = ui.tab("summary", session.say("Summary"))
        ui.tab("rows", session.say("Rows"))
        if inside:
            ui.tab("beside", session.say("Before and after"))
            ui.tab("report", session.say("Report"))
            ui.tab("statement", session.say("To sign"))
        ui.tab("registry", session.say("Registry"))
    compare: Callable[[], Awaitable[None]]
    with ui.tab_panels(tabs, value=summary).classes("w-full bg-transparent"):
        with ui.tab_panel("summary").classes("q-pa-none gap-4"):
            found = opened_release.report(desk, session, identity)
            opened_release.tiles(session, found or json.loads(row["summary"]))
            opened_release.levels(desk, session, identity, found or manifest)
        with ui.tab_panel("rows").classes("q-pa-none gap-2"):
            _preview(desk, session, identity)
        if inside:
            with ui.tab_panel("beside").classes("q-pa-none gap-2"):
                compare = _compare(desk, session, identity)
            with ui.tab_panel("report").classes("q-pa-none gap-2"):
                _framed(session, identity, "report", session.say("Report"))
            with ui.tab_panel("statement").classes("q-pa-none gap-2"):
                _statement(desk, session, row)
        with ui.tab_panel("registry").classes("q-pa-none gap-2"):
            _registry(desk, session, row, entry)

    async def look(event: Any) -> None:
        if event.value == "beside":
            await compare()

    tabs.on_value_change(look)


def _verdict(desk: Desk, session: PageSession, row: dict[str, Any], size: str = "xs") -> None:
    """What attacks made of a release, in a sign and a line."""
    judged = opened_release.audit_verdict(desk, session, row)
    if judged is not None:
        icon, colour, text = judged
        with ui.row().classes("items-center gap-1 no-wrap").props('data-verdict="1"'):
            ui.icon(icon).props(f"color={colour} size={size}")
            ui.label(text).classes(f"text-weight-medium text-{colour}" + (" text-caption" if size == "xs" else ""))


def _show_verdict(desk: Desk, session: PageSession, row: dict[str, Any]) -> None:
    """The same in large, with a way to the attacks."""
    with ui.row().classes("items-center w-full gap-4"):
        _verdict(desk, session, row, "md")
        if KeyScope.EVIDENCE in (session.holder.scopes if session.holder else ()):
            there = session.address("risk", release=row["id"], data=row["dataset"], tab="attacks")
            ui.button(session.say("Attacks"), on_click=lambda: ui.navigate.to(there)).props("outline dense no-caps")


def _preview(desk: Desk, session: PageSession, identity: str) -> None:
    """The first rows as whoever receives the release sees them."""

    def fetch() -> tuple[list[str], list[list[str]]] | None:
        return desk.service.releases.first_rows(session.caller, identity, PREVIEW)

    def draw(found: tuple[list[str], list[list[str]]] | None) -> None:
        if found is None:
            ui.label(session.say("This release is not a file of rows. Download it to see what it contains."))
            return
        names, rows = found
        ui.label(session.say("The first rows of the public part: what the people you give it to will see."))
        keys = [f"column {place}" for place in range(len(names))]
        shown = [dict(zip(keys, row, strict=True)) for row in rows]
        table([(key, name, "left") for key, name in zip(keys, names, strict=True)], shown)

    body = ui.column().classes("w-full gap-2")
    ui.timer(0.01, lambda: slowly(session, body, fetch, draw), once=True)


BESIDE = """<q-td :props="props"><div>{{ props.value.before }}</div>
  <div v-if="props.value.after !== null" :class="props.value.same ? 'text-quiet' : 'text-weight-bold text-primary'">
  {{ props.value.after }}</div></q-td>"""
"""A cell: the value of the original, and under it the released one."""


Beside = tuple[tuple[str, ...], "list[RecordBeside]"]


def _compare_records(pair: TablePair, count: int) -> Beside | None:
    from cobogo.examine.utility.pairs.pair import side_by_side

    found = side_by_side(pair, count)
    return None if found is None else (pair.columns, found)


def _compare(desk: Desk, session: PageSession, identity: str) -> Callable[[], Awaitable[None]]:
    """Some original records, each over a released row that fits it: for whoever may read the original. Returns what
    begins the work."""

    def fetch() -> Beside | None:
        release = desk.service.releases.open(session.caller, identity)
        return release.measure_pair(_compare_records, PREVIEW) if release.mine else None

    def draw(found: Beside | None) -> None:
        if found is None:
            ui.label(
                session.say(
                    "There is nothing to compare row by row: the original is not yours or was deleted, or the release "
                    "is not its records with more general values."
                )
            )
            return
        with ui.row().classes("items-center no-wrap"):
            ui.icon("home").props("size=sm")
            ui.label(session.say("This page reveals original data. Do not share it or pictures of it."))
        ui.label(
            session.say(
                "The first records of the original; in bold under each, a released row that it can have become. Where "
                "several fit, nobody knows which it is: the release does not keep that. No row fits a record that was "
                "suppressed, or whose values were replaced."
            )
        ).classes("text-body2 text-quiet")
        names, records = found
        keys = [f"column {place}" for place in range(len(names))]
        made = table(
            [(key, name, "left") for key, name in zip(keys, names, strict=True)]
            + [("fitting", session.say("Released rows that fit"), "right")],
            [_beside_row(session, keys, one) for one in records],
        )
        for key in keys:
            made.add_slot(f"body-cell-{key}", BESIDE)

    body = ui.column().classes("w-full gap-2")

    async def begin() -> None:
        if not body.default_slot.children:
            await slowly(session, body, fetch, draw)

    return begin


def _beside_row(session: PageSession, keys: Sequence[str], one: RecordBeside) -> dict[str, Any]:
    """A record and its row as a line of the table."""
    after = one.after or (None,) * len(keys)
    cells = {
        key: {"before": session.say.label(old), "after": None if one.after is None else session.say.label(new)}
        | {"same": old == new}
        for key, old, new in zip(keys, one.before, after, strict=True)
    }
    fitting = session.say.number(one.fitting) if one.fitting else session.say("no row")
    return {**cells, "fitting": fitting}


def _statement(desk: Desk, session: PageSession, row: dict[str, Any]) -> None:
    """The page for whoever signs, and the impact report: made of the evidence as it is now."""
    identity = row["id"]

    async def keep() -> None:
        await attempt(session, actions.state_release, desk, session, identity)
        ui.notify(session.say("Both pages are in the evidence now."), type="positive")

    ui.label(
        session.say(
            "For the person who answers for the release. Who that is, the purpose and the legal basis come from the "
            "policy (Privacy, “Who is responsible”); what is not said there is a blank to fill in."
        )
    ).classes("text-body2 text-quiet")
    pages = {"statement": session.say("Statement on a release"), "impact": session.say("Data protection impact report")}
    with ui.row().classes("items-center w-full gap-2"):
        page = ui.toggle(pages, value="statement").props("no-caps")
        ui.space()
        if row["owner"] == session.owner and KeyScope.RUN in session.caller.scopes:
            ui.button(session.say("Put both into the evidence"), icon="lock", on_click=keep).props("outline no-caps")

    @ui.refreshable
    def show() -> None:
        _framed(session, identity, str(page.value), pages[str(page.value)])

    show()
    page.on_value_change(show.refresh)


def _framed(session: PageSession, identity: str, name: str, title: str) -> None:
    """A page of a release in a frame that runs no scripts."""
    address = f"/release/{identity}/{name}"
    ui.link(session.say("Open in a new tab"), address, new_tab=True).classes("text-primary")
    frame = ui.element("iframe").props(f'src="{address}" sandbox="" title="{title}"').classes("w-full")
    frame.style("height: max(36rem, calc(100vh - 12rem)); border: 1px solid rgb(0 0 0 / 20%); background: white")


def _actions(desk: Desk, session: PageSession, row: dict[str, Any], entry: RegistryEntry | None) -> None:
    identity, holder = row["id"], session.holder
    assert holder is not None

    async def check() -> None:
        verdict = await attempt(session, actions.verify_release, desk, session, identity)
        if verdict is None:
            return
        said = session.say(
            tr("The release keeps its promises.") if verdict else tr("The release does not keep its promises.")
        )
        ui.notify(said, type="positive" if verdict else "negative")

    async def again() -> None:
        dataset = await attempt(session, actions.take_policy, desk, session, identity)
        if dataset is not None:
            ui.navigate.to(session.address("privacy", data=dataset))

    def give(part: str) -> None:
        ui.download.from_url(f"/release/{identity}/{part}")

    with ui.row().classes("gap-2 items-center"):
        ui.button(session.say("Download the public part"), icon="download", on_click=lambda: give("public.zip")).props(
            "no-caps"
        ).tooltip(session.say("To give away: the data, the meaning of its columns, and the promises."))
        written = opened_release.manifest(desk, session, identity).get("data", {})
        if (written.get("format"), written.get("formulas", "kept")) == ("csv", "kept"):
            ui.button(
                session.say("For spreadsheets"),
                icon="grid_on",
                on_click=lambda: give("public.zip?formulas=neutralised"),
            ).props("outline no-caps").tooltip(
                session.say("The public part again, with an apostrophe before each cell that would be a formula.")
            )
        if KeyScope.EVIDENCE in holder.scopes:
            ui.button(session.say("Download evidence"), icon="lock", on_click=lambda: give("evidence.zip")).props(
                "outline no-caps"
            ).tooltip(session.say("To keep: it reveals original data."))
        if row["owner"] == session.owner and KeyScope.DATA in holder.scopes:
            ui.button(session.say("Use its policy again"), icon="article", on_click=again).props("flat no-caps")
        ui.button(session.say("Verify again"), icon="fact_check", on_click=check).props("flat no-caps")
        if row["owner"] == session.owner and KeyScope.RUN in holder.scopes:
            ui.button(session.say("Delete"), icon="delete", on_click=lambda: _delete(desk, session, row, entry)).props(
                "flat no-caps color=negative"
            )


def _delete(desk: Desk, session: PageSession, row: dict[str, Any], entry: RegistryEntry | None) -> None:
    async def go() -> None:
        dialog.close()
        taken_back = entry if never.value else None
        await attempt(session, actions.delete_release, desk, session, row["id"], taken_back)
        if desk.service.releases.find(session.caller, row["id"]) is None:
            ui.navigate.to(session.address("releases", release=None))

    with ui.dialog() as dialog, ui.card().classes("gap-3").style("max-width: 32rem"):
        ui.label(
            session.say("Delete this release? Its files on this server are deleted. Copies that were downloaded stay.")
        )
        never = ui.checkbox(
            session.say(
                "It was never given to anyone, or all copies were taken back: remove it from the registry, too."
            )
        )
        never.set_visibility(entry is not None)
        with ui.row().classes("gap-2"):
            ui.button(session.say("Delete"), on_click=go).props("no-caps color=negative")
            ui.button(session.say("Keep it"), on_click=dialog.close).props("flat no-caps")
    dialog.open()


def _registry(desk: Desk, session: PageSession, row: dict[str, Any], entry: RegistryEntry | None) -> None:
    if not desk.service.registry.exists:
        ui.label(session.say("This server has no registry."))
        return
    if entry is not None:
        series = entry.dataset.removeprefix(f"{row['owner']} ")
        ui.label(
            session.say(
                "Recorded as {entry} in the series “{series}”. Later releases of the series are checked against it.",
                entry=entry.id,
                series=series,
            )
        )
        state = ENTRY_STATE.get(entry.state, entry.state)
        ui.label(session.say("State: {state}", state=state)).classes("text-quiet")
        return
    ui.label(
        session.say(
            "This release is not in the registry: later releases of the same people are not checked against it."
        )
    )
    if row["owner"] != session.owner or row["kind"] != "anonymize":
        return
    start = _dataset_name(desk, session, row).rpartition(".")[0]
    name = ui.input(session.say("Name of the series"), value=start).style("width: 20rem").props("dense")

    async def go() -> None:
        button.props("loading")
        found = await attempt(session, actions.register_release, desk, session, row["id"], str(name.value))
        button.props(remove="loading")
        if found:
            ui.notify(
                session.say(
                    "The release is in the registry now. Warning: together with earlier releases it exposes people."
                ),
                type="warning",
                timeout=0,
                close_button="OK",
            )
        elif found is not None:
            ui.navigate.to(session.address("releases", release=row["id"]))

    button = ui.button(session.say("Add to the registry"), icon="history", on_click=go).props("no-caps")
