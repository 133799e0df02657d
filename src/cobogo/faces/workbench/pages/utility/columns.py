"""Columns of both sides: one by one, two by two, and numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from nicegui import run, ui

from cobogo.errors import CobogoError
from cobogo.faces.server.services.releases import OpenedRelease
from cobogo.faces.workbench.charts import bars, heat, table
from cobogo.faces.workbench.frame import metric
from cobogo.faces.workbench.session import PageSession
from cobogo.faces.workbench.widgets import slowly, trouble
from cobogo.floor.language import tr
from cobogo.tell.report.labels import ROLE

if TYPE_CHECKING:
    from cobogo.examine.utility.pairs.comparison import Contingency, Distribution, ShownValue, Summary
    from cobogo.examine.utility.pairs.pair import TablePair

UTILITY_SHOWN = {
    "missing": tr("(missing)"),
    "suppressed": tr("* (suppressed)"),
    "others": tr("(all others)"),
}

UTILITY_HOW = {
    "values": tr("Value by value, the most frequent ones first."),
    "bins": tr("Numbers in intervals of equal width; the first and the last are open."),
    "level": tr("Both sides at the released level, {level} of {height}: differences come from suppression."),
    "spread": tr(
        "Each record has its own level: a released value is spread evenly over the original values that it "
        "may mean, as an analyst would do."
    ),
    "replaced": tr("The values were replaced by others, so there is nothing to compare. Only their number was kept."),
}

UTILITY_NUMBER = {
    "records": tr("Records"),
    "missing": tr("Missing"),
    "mean": tr("Mean"),
    "deviation": tr("Std. deviation"),
    "least": tr("Least"),
    "quarter": tr("1st quartile"),
    "median": tr("Median"),
    "three": tr("3rd quartile"),
    "most": tr("Most"),
}

FAR = 0.1
"""Distance beyond which a change is marked."""


def names(pair: TablePair) -> dict[str, str]:
    """The columns that can be compared, and the role of each."""
    return {name: pair.described[name].role.value for name in pair.columns}


def _distribution(pair: TablePair, name: str) -> Distribution:
    from cobogo.examine.utility.pairs.comparison import distribution

    return distribution(pair, name)


def _contingency(pair: TablePair, one: str, other: str) -> Contingency | None:
    from cobogo.examine.utility.pairs.comparison import contingency

    return contingency(pair, one, other)


def _summaries(pair: TablePair) -> dict[str, tuple[Summary | None, Summary | None]]:
    from cobogo.examine.utility.pairs.comparison import summaries

    return summaries(pair)


def value_text(session: PageSession, one: ShownValue) -> str:
    """What is counted, in words."""
    if one.kind == "value":
        return one.text
    if one.kind == "interval":
        low, high = (_edge(session, edge) for edge in (one.low, one.high))
        if one.low is None:
            return f"< {high}"
        return f"≥ {low}" if one.high is None else f"{low} – {high}"
    return session.say(UTILITY_SHOWN[one.kind])


def _edge(session: PageSession, edge: float | None) -> str:
    """The end of an interval: a year has no thousands."""
    if edge is not None and edge == int(edge) and abs(edge) < 10_000:
        return str(int(edge))
    return session.say.number(edge)


def show_distributions(session: PageSession, release: OpenedRelease) -> None:
    """Every column: how it is distributed on both sides, and how far that moved."""
    ui.label(
        session.say(
            "The distribution of each column, in the original and in the release. Beside each column: how many "
            "distinct values it has, before and after, and the share of the records that would have to change to make "
            "both sides equal."
        )
    ).classes("text-body2 text-quiet")
    body = ui.row().classes("w-full no-wrap items-start cobogo-beside")

    def draw(columns: dict[str, str]) -> None:
        if not columns:
            trouble(session.say("No column of the release is also in the original, so there is nothing to compare."))
            return
        with ui.row().classes("w-full no-wrap items-start cobogo-beside"):
            with ui.card().tight().style("width: 300px; flex: none"):
                listed = ui.list().props("dense separator").classes("w-full")
            right = ui.column().classes("col")
        marks: dict[str, tuple[ui.item, ui.label]] = {}

        async def choose(name: str) -> None:
            for other, (item, _) in marks.items():
                item.props(add="active" if other == name else None, remove=None if other == name else "active")
            await slowly(
                session,
                right,
                lambda: release.measure_pair(_distribution, name),
                lambda found: _draw_column(session, release, found, columns[name]),
            )

        with listed:
            for name, role in columns.items():
                with ui.item(on_click=lambda _, name=name: choose(name)).props("active-class=text-primary") as item:
                    with ui.item_section():
                        ui.item_label(name)
                        ui.item_label(session.say(ROLE.get(role, role))).props("caption")
                    with ui.item_section().props("side"):
                        marks[name] = item, ui.label("…").classes("text-caption text-right cobogo-lines")

        async def every() -> None:
            await choose(next(iter(columns)))
            for name, (_, mark) in marks.items():
                try:
                    found = await run.io_bound(release.measure_pair, _distribution, name)
                except CobogoError:
                    mark.text = "–"
                    continue
                if mark.is_deleted or found is None:
                    return
                mark.text = _change_text(session, found)
                mark.classes(add="text-weight-bold text-negative" if _is_far(found) else "")

        ui.timer(0.05, every, once=True)

    ui.timer(0.01, lambda: slowly(session, body, lambda: release.measure_pair(names), draw), once=True)


def _change_text(session: PageSession, found: Distribution) -> str:
    """The distinct values of a column on both sides, and how far its distribution moved."""
    moved = "–" if found.apart is None else session.say.percent(found.apart)
    before, after = found.distinct
    if before is None:
        return moved
    if _is_withheld(found):
        return session.say("{before} → {after} values", before=before, after=after)
    return session.say("{before} → {after} values", before=before, after=after) + "\n" + moved


def _is_far(found: Distribution) -> bool:
    """Whether a column moved far, or has no detail left."""
    return (found.apart or 0) > FAR or _is_withheld(found)


def _is_withheld(found: Distribution) -> bool:
    """Whether one value is left of several: compared at its level, both sides are the same."""
    before, after = found.distinct
    return after == 1 != (before or 1)


def _draw_column(session: PageSession, release: OpenedRelease, found: Distribution, role: str) -> None:
    with ui.card().classes("w-full gap-2"):
        with ui.row().classes("w-full items-baseline"):
            ui.label(found.column).classes("text-subtitle1 text-weight-medium")
            ui.label(session.say(ROLE.get(role, role))).classes("text-caption text-quiet")
            ui.space()
            before, after = found.distinct
            if before is not None:
                ui.label(
                    session.say("{before} distinct values before, {after} after", before=before, after=after)
                ).classes("text-caption")
        how = session.say(UTILITY_HOW[found.how], level=found.level or 0, height=found.height or 0)
        ui.label(how).classes("text-caption text-quiet")
        if found.how == "replaced":
            return
        if _is_withheld(found):
            ui.label(session.say("Every released record has the same value: the release says nothing here.")).classes(
                "text-body2 text-weight-medium text-negative"
            )
        elif found.apart is not None:
            ui.label(
                session.say(
                    "{share} of the records would have to change to make both sides equal.",
                    share=session.say.percent(found.apart),
                )
            ).classes("text-body2")
        undone = release.report.get("attributes", {}).get(found.column, {}).get("distance", {}).get("estimated")
        if undone is not None:
            ui.label(
                session.say(
                    "These values were exchanged at random, with probabilities that are published. Corrected "
                    "for that, as in the report, the distribution can be estimated with an error of {share}.",
                    share=session.say.percent(undone),
                )
            ).classes("text-body2")
        series: dict[str, Any] = {} if found.before is None else {session.say("Original"): found.before}
        series[session.say("Released data")] = found.after
        labels = [value_text(session, one) for one in found.shown]
        upright = any(one.kind == "interval" for one in found.shown)
        bars(session, labels, series, label=f"{found.column}. {how}", upright=upright)


def show_contingencies(session: PageSession, release: OpenedRelease) -> None:
    """Two columns at once: heat maps of both sides and of what changed."""
    ui.label(
        session.say(
            "Is the relation between two columns still the same? Each cell is a share of the records. In the "
            "third map, blue cells lost records and red cells gained records."
        )
    ).classes("text-body2 text-quiet")
    body = ui.column().classes("w-full")

    def draw(columns: dict[str, str]) -> None:
        if len(columns) < 2:
            trouble(session.say("No column of the release is also in the original, so there is nothing to compare."))
            return
        listed = list(columns)
        sensitive = [name for name, role in columns.items() if role == "sensitive"]
        quasi = [name for name, role in columns.items() if role == "quasi-identifier"]
        start = (quasi or listed)[0]
        end = next(name for name in [*sensitive, *reversed(listed)] if name != start)
        with ui.row().classes("items-end w-full"):
            one = ui.select(listed, value=start, label=session.say("Rows")).style("width: 14rem")
            other = ui.select(listed, value=end, label=session.say("Columns")).style("width: 14rem")
            figures = ui.row()
        maps = ui.column().classes("w-full")

        async def again() -> None:
            if one.value == other.value:
                maps.clear()
                with maps:
                    trouble(session.say("Choose two different columns."))
                return
            first, second = str(one.value), str(other.value)
            await slowly(
                session,
                maps,
                lambda: release.measure_pair(_contingency, first, second),
                lambda found: _maps(session, found, figures),
            )

        one.on_value_change(again)
        other.on_value_change(again)
        ui.timer(0.01, again, once=True)

    ui.timer(0.01, lambda: slowly(session, body, lambda: release.measure_pair(names), draw), once=True)


def _maps(session: PageSession, found: Contingency | None, figures: ui.row) -> None:
    figures.clear()
    if found is None:
        trouble(session.say("This release does not contain these two columns together."))
        return
    rows, across = ([value_text(session, one) for one in side] for side in (found.rows, found.across))
    most = max(float(side.max()) for side in (found.before, found.after) if side is not None)
    with figures:
        if found.apart is not None:
            metric(
                session.say("Difference"),
                session.say.percent(found.apart),
                help=session.say("of the records would have to change"),
            )
        before, after = found.association
        shown = (
            session.say.number(after, 3)
            if before is None
            else f"{session.say.number(before, 3)} → {session.say.number(after, 3)}"
        )
        metric(
            session.say("Association (Cramér's V)"), shown, help=session.say("0 is none, 1 is the strongest possible")
        )
    if "spread" in found.how:
        ui.label(
            session.say(
                "Each record has its own level: a released value is spread evenly over the original values "
                "that it may mean, as an analyst would do."
            )
        ).classes("text-caption text-quiet")
    with ui.row().classes("w-full no-wrap gap-2 cobogo-beside"):
        maps = [(session.say("Released data"), found.after, False)]
        if found.before is not None:
            maps.insert(0, (session.say("Original"), found.before, False))
            maps.append((session.say("Difference"), found.after - found.before, True))
        for title, cells, signed in maps:
            with ui.card().classes("col q-pa-sm").style("min-width: 0"):
                top = max(float(abs(cells).max()), 1e-9) if signed else most
                heat(session, cells, rows, across, most=top, title=title, signed=signed)


def show_numbers(session: PageSession, release: OpenedRelease) -> None:
    """Means, deviations and quartiles."""
    ui.label(session.say("Statistics of the numeric columns.")).classes("text-body2 text-quiet")
    body = ui.column().classes("w-full")
    ui.timer(
        0.01,
        lambda: slowly(session, body, lambda: release.measure_pair(_summaries), lambda found: _numbers(session, found)),
        once=True,
    )


def _numbers(session: PageSession, found: dict[str, tuple[Summary | None, Summary | None]]) -> None:
    if not found:
        trouble(session.say("No column has numbers."))
        return
    fields = ("records", "missing", "mean", "deviation", "least", "quarter", "median", "three", "most")
    columns = [("name", session.say("Column"), "left"), ("side", "", "left")]
    columns += [(name, session.say(UTILITY_NUMBER[name]), "right") for name in fields]
    rows, estimated = [], False
    for name, (before, after) in found.items():
        sides = [] if before is None else [(session.say("Original"), before)]
        for side, one in [*sides, (session.say("Released data"), after)]:
            if one is None:
                rows.append({"name": name, "side": session.say("Release: no numbers")} | dict.fromkeys(fields, "–"))
                continue
            values = (
                round(one.present), round(one.missing), one.mean, one.deviation, one.least, *one.quartiles, one.most
            )  # fmt: skip
            estimated |= one.estimated
            shown = f"{side} *" if one.estimated else side
            rows.append(
                {"name": name, "side": shown}
                | {key: session.say.number(value) for key, value in zip(fields, values, strict=True)}
            )
    table(columns, rows)
    if estimated:
        ui.label(
            "* "
            + session.say(
                "A generalized value is spread evenly over the original values that it may mean, as an analyst would "
                "do."
            )
        ).classes("text-caption text-quiet")
    ui.label(
        session.say("The smallest and the largest value of the original belong to single people. Do not share them.")
    ).classes("text-caption text-quiet")
