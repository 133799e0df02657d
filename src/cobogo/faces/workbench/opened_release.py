"""A finished release as somebody may look at it, and what was measured of it, which is measured once."""

from __future__ import annotations

import json
import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from nicegui import run, ui

from cobogo.data.policy import Policy
from cobogo.errors import CobogoError
from cobogo.faces.server import tables
from cobogo.faces.server.roles import Scope
from cobogo.faces.server.rows import PAGES
from cobogo.faces.server.state import DATASETS, RELEASES
from cobogo.faces.workbench.frame import no_release
from cobogo.faces.workbench.session import Desk, Session

if TYPE_CHECKING:
    from cobogo.examine.utility.pairs.pair import Pair

Found = TypeVar("Found")
ANONYMIZED, SYNTHETIC = "anonymize", "synthesize"


@dataclass(frozen=True, eq=False, repr=False)
class Looked:
    """A release: its directory, its report as data, and the policy that it was made by.

    ``data`` and ``rows`` are the original, as it was received and as pages read it; None for whoever may see the
    evidence of a release and not the data behind it, and where the data set is no longer there.
    """

    identity: str
    owner: str
    dataset: str
    kind: str
    directory: Path
    report: dict[str, Any]
    policy: Policy
    registered: str | None
    data: Path | None = None
    rows: Path | None = None
    runs: bool = False  # whether whoever looks may start work on it

    @property
    def mine(self) -> bool:
        """Whether the original may be read."""
        return self.data is not None


def look(desk: Desk, session: Session, row: dict[str, Any]) -> Looked:
    """Open a release for whoever is at the workbench."""
    holder, context = session.holder, desk.context
    assert holder is not None
    directory = context.files.release(row["id"])
    report = json.loads((directory / "evidence" / "report.json").read_bytes())
    kept = json.loads((directory / "evidence" / "evidence.json").read_bytes())
    registry = context.settings.registry
    policy = Policy.of(
        kept["policy"], home=kept["home"], name="policy", trusted=() if registry is None else (registry,)
    )
    own = row["owner"] == holder.owner and Scope.DATA in holder.scopes
    dataset = context.state.get(DATASETS, row["dataset"], holder.owner) if own else None
    data = rows = None
    if dataset is not None:
        home = context.files.dataset(dataset["id"])
        data, rows = home / tables.about(dataset)["file"], home / PAGES
    return Looked(
        row["id"],
        row["owner"],
        row["dataset"],
        row["kind"],
        directory,
        report,
        policy,
        kept.get("registered"),
        data if data is not None and data.is_file() else None,
        rows if rows is not None and rows.is_file() else None,
        own and Scope.RUN in holder.scopes,
    )


def chooser(desk: Desk, session: Session) -> dict[str, Any] | None:
    """Show which release is looked at, with a way to look at another; None, and a word, where there is none."""
    assert session.holder is not None
    row = desk.release(session)
    if row is None:
        no_release(session)
        return None
    rows = desk.context.state.rows(RELEASES, session.holder.sees)
    several = len({one["owner"] for one in rows}) > 1
    names = {one["id"]: one["name"] for one in desk.context.state.rows(DATASETS, session.holder.sees)}

    def shown(one: dict[str, Any]) -> str:
        whose = [one["owner"]] if several else []
        parts = [session.say(f"looked.{one['kind']}"), names.get(one["dataset"], ""), session.date(one["created"])]
        return " · ".join(part for part in (*whose, *parts, one["id"][:6]) if part)

    def choose(identity: str) -> None:
        dataset = next(one["dataset"] for one in rows if one["id"] == identity)
        turn_to(release=identity, data=dataset)

    options = {one["id"]: shown(one) for one in rows}
    with ui.row().classes("w-full items-center no-wrap cobogo-beside"):
        choice = ui.select(options, value=row["id"], label=session.say("looked.release")).classes("col")
        choice.on_value_change(lambda event: choose(event.value))
        with ui.row().classes("items-center no-wrap text-quiet gap-1").style("max-width: 24rem"):
            ui.icon("house").props("size=sm")
            ui.label(session.say("looked.stays")).classes("text-caption")
    return row


async def opened(desk: Desk, session: Session) -> Looked | None:
    """The release that was chosen, opened; None, and a word, where there is none."""
    row = chooser(desk, session)
    return None if row is None else await run.io_bound(look, desk, session, row)


def turn_to(*, stay: bool = False, **about: str) -> None:
    """Put what a page is about into its address, and open it there; or ``stay``, and do so when it is reloaded."""
    go = "history.replaceState(null, '', there)" if stay else "location.href = there"
    put = "".join(f"there.searchParams.set({json.dumps(key)}, {json.dumps(value)});" for key, value in about.items())
    ui.run_javascript(f"const there = new URL(location.href); {put} {go}")


class Memory:
    """Results under keys: each is worked out once, even if several ask at a time; the oldest are forgotten."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._lock = threading.Lock()
        self._found: OrderedDict[Hashable, Any] = OrderedDict()
        self._working: dict[Hashable, threading.Lock] = {}

    def get(self, key: Hashable, make: Callable[[], Any]) -> Any:
        """The result of a key; ``make`` works it out. One that raised is tried again."""
        with self._lock:
            if key in self._found:
                self._found.move_to_end(key)
                return self._found[key]
            working = self._working.setdefault(key, threading.Lock())
        with working:
            with self._lock:
                if key in self._found:
                    return self._found[key]
            try:
                found = make()
            finally:
                with self._lock:
                    self._working.pop(key, None)
            with self._lock:
                self._found[key] = found
                while len(self._found) > self._most:
                    self._found.popitem(last=False)
            return found


RESULTS, PAIRS = Memory(400), Memory(3)


def measured(looked: Looked, work: Callable[..., Found], *given: Hashable) -> Found:
    """What some work finds out about a release; what it may read is part of what it is remembered by."""
    key = (str(looked.directory), looked.mine, work.__module__, work.__qualname__, given)
    found: Found = RESULTS.get(key, partial(work, looked, *given))
    return found


def paired(looked: Looked, work: Callable[..., Found], *given: Hashable) -> Found:
    """The same of work on the release and its original side by side: on one pair one work at a time."""
    found: Found = measured(looked, _on_pair, work, *given)
    return found


def _on_pair(looked: Looked, work: Callable[..., Any], *given: Hashable) -> Any:
    pair, lock = PAIRS.get((str(looked.directory), looked.mine), lambda: (_opened(looked), threading.Lock()))
    with lock:
        return work(pair, *given)


def _opened(looked: Looked) -> Pair:
    from cobogo.examine.utility.pairs.pair import open_pair

    return open_pair(looked.directory, looked.policy, looked.rows)


async def slowly(
    session: Session, place: ui.element, work: Callable[[], Found], draw: Callable[[Found], object], *, what: str = ""
) -> None:
    """Do something that takes a while beside the page, which shows that it does, then what came of it or went wrong."""
    place.clear()
    with place, ui.row().classes("items-center q-pa-md").props('role="status"'):
        ui.spinner(size="lg")
        ui.label(what or session.say("looked.working")).classes("text-quiet")
    try:
        found = await run.io_bound(work)
    except CobogoError as error:
        if not place.is_deleted:
            place.clear()
            with place:
                trouble(session.trouble(error))
        return
    if place.is_deleted:
        return
    place.clear()
    with place:
        draw(found)  # type: ignore[arg-type]


def trouble(text: str, *, icon: str = "info") -> None:
    """A line that says why something is not shown."""
    with ui.row().classes("items-start no-wrap q-pa-sm w-full"):
        ui.icon(icon).props("size=sm color=primary")
        ui.label(text).classes("text-body2").style("white-space: pre-wrap")


Draw = Callable[[Session, Looked], object]


def tabs(session: Session, looked: Looked, drawn: Mapping[str, tuple[str, str, Draw]]) -> None:
    """Tabs, each with a title, an icon and what draws it when it is first looked at: no other is worked out."""
    waiting = dict(drawn)
    with ui.tabs().props("no-caps align=left dense inline-label").classes("w-full") as bar:
        made = {name: ui.tab(name, label=label, icon=icon) for name, (label, icon, _) in drawn.items()}
    places: dict[str, ui.element] = {}
    asked = ui.context.client.request.query_params.get("tab", "")
    first = asked if asked in drawn else next(iter(drawn))
    with ui.tab_panels(bar, value=made[first], animated=False, keep_alive=True).classes("w-full bg-transparent"):
        for name, tab in made.items():
            with ui.tab_panel(tab).classes("q-pa-none q-pt-sm"):
                places[name] = ui.column().classes("w-full gap-3")

    def turned(name: str) -> None:
        turn_to(stay=True, tab=name)  # so that another release shows the same
        show(name)

    def show(name: str) -> None:
        if name in waiting:
            with places[name]:
                waiting.pop(name)[2](session, looked)

    bar.on_value_change(lambda event: turned(event.value if isinstance(event.value, str) else event.value.name))
    show(first)
