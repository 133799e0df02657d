"""Answers and budgets: what a question found, with intervals; what it cost, what is left, and everybody's budgets."""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass
from typing import Any

from nicegui import run, ui

from cobogo.answer.result import Answer
from cobogo.faces.workbench.charts import BLUE, FAINT, axis, dots, plot, whiskers
from cobogo.faces.workbench.frame import metric, section
from cobogo.faces.workbench.session import Desk, PageSession
from cobogo.faces.workbench.style import BRICK, NEGATIVE
from cobogo.floor.language import tr
from cobogo.promises.accounting import ATTO, NANO, PrivacyLoss
from cobogo.promises.ledger.balance import SYMBOLS, Balance

ASK = {
    "dataset": tr("Data set"),
    "analyst": tr("Analyst"),
    "measure": tr("Unit"),
    "limit": tr("Limit"),
    "spent": tr("Spent"),
    "left": tr("Left"),
    "share": tr("Spent, %"),
    "delta": tr("δ left"),
}

RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def amount(session: PageSession, units: float) -> str:
    """An amount of ε or ρ as the language writes it, to the last digit that counts."""
    return session.say.number(units, 6)


def small(session: PageSession, share: float) -> str:
    """An amount of δ, which is tiny or nothing, as a power of ten."""
    if not share:
        return "0"
    figure, _, power = f"{share:.2e}".partition("e")
    raised = "10" + str(int(power)).translate(RAISED)
    return raised if float(figure) == 1 else f"{session.say.number(float(figure), 3)} · {raised}"


def format_loss(session: PageSession, loss: PrivacyLoss) -> str:
    """A privacy loss with its symbol and amount."""
    text = f"{SYMBOLS[loss.measure]} = {amount(session, float(loss.amount))}"
    return f"{text}, δ = {small(session, float(loss.delta))}" if loss.delta else text


def bar(session: PageSession, mine: Balance, cost: float) -> None:
    """One budget as a bar. ``cost`` is what the question at hand would take, in ε or ρ."""
    symbol, limit = SYMBOLS[mine.measure], mine.limit.amount / NANO
    spent, left = mine.spent.amount / NANO, mine.left.amount / NANO
    fits = cost <= left
    parts = [(tr("Spent"), spent, BRICK), (tr("This question"), min(cost, left), BLUE if fits else NEGATIVE)]
    parts.append((tr("Left"), max(left - cost, 0.0) if fits else 0.0, FAINT))
    said = "; ".join(
        f"{session.say(key)} {symbol} = {amount(session, value)}"
        for key, value in ((tr("Spent"), spent), (tr("This question"), cost), (tr("Left"), left))
    )
    whole = ui.row().classes("w-full no-wrap gap-0 overflow-hidden rounded-borders").style("height: 22px")
    with whole.props(f'role="img" aria-label="{said}" data-spent="{spent:.9g}" data-left="{left:.9g}"'):
        for key, value, colour in parts:
            share = 100 * value / limit if limit else 0.0
            if share > 0:
                ui.element("div").style(f"width: {share:.3f}%; background: {colour}; height: 100%").tooltip(
                    f"{session.say(key)}: {symbol} = {amount(session, value)}"
                )
    with ui.row().classes("w-full gap-4 text-body2"):
        for key, value, colour in (
            (tr("Spent"), spent, BRICK),
            (tr("This question"), cost, BLUE if fits else NEGATIVE),
            (tr("Left"), left, FAINT),
        ):
            with ui.row().classes("items-center gap-1 no-wrap"):
                ui.element("div").style(f"width: 12px; height: 12px; border-radius: 3px; background: {colour}")
                ui.label(f"{session.say(key)} {amount(session, value)}")
    if mine.limit.delta:
        ui.label(
            session.say(
                "δ left: {left} of {limit}",
                left=small(session, mine.left.delta / ATTO),
                limit=small(session, mine.limit.delta / ATTO),
            )
        ).classes("text-caption text-quiet")


async def everybody(desk: Desk, session: PageSession) -> None:
    """What every analyst has spent: for stewards and auditors."""
    section(
        session.say("Everybody's budgets"),
        help=session.say("The whole budget of each data set, and what its analysts have spent."),
    )
    balances = await run.io_bound(desk.service.curator.list_balances, session.caller) or []
    columns = [
        {"name": key, "label": session.say(ASK[key]), "field": key, "align": align, "sortable": True}
        for key, align in (
            ("dataset", "left"),
            ("analyst", "left"),
            ("measure", "left"),
            ("limit", "right"),
            ("spent", "right"),
            ("left", "right"),
            ("share", "right"),
            ("delta", "right"),
        )
    ]
    rows = [
        {
            "id": number,
            "dataset": one.dataset,
            "analyst": one.analyst or session.say("(all together)"),
            "measure": SYMBOLS[one.measure],
            "limit": amount(session, one.limit.amount / NANO),
            "spent": amount(session, one.spent.amount / NANO),
            "left": amount(session, one.left.amount / NANO),
            "share": session.say.percent(one.spent.amount / one.limit.amount if one.limit.amount else 1.0),
            "delta": small(session, one.left.delta / ATTO),
        }
        for number, one in enumerate(balances)
    ]
    ui.table(rows=rows, columns=columns, row_key="id", pagination=20).classes("w-full").props("dense flat bordered")


SHOWN = 60
"""Groups that a chart shows at most: more can be read in the table."""


@dataclass(frozen=True)
class AskedQuestion:
    """A question of this session with its answer, to be looked at again for nothing."""

    sql: str
    dataset: str
    answer: Answer
    at: float

    @property
    def keys(self) -> list[str]:
        """The columns that name a row: all but the figures."""
        return [name for name in self.answer.columns if name not in self.answer.intervals]

    def labels(self) -> list[str]:
        """What each row is called."""
        at = [self.answer.columns.index(name) for name in self.keys]
        return [" · ".join("∅" if row[one] is None else str(row[one]) for one in at) for row in self.answer.rows]

    def as_csv(self) -> bytes:
        """The rows with both ends of every interval beside their figure.

        A cell that a spreadsheet would take for a formula gets an apostrophe before it.
        """
        figures = self.answer.intervals
        header = [
            name for column in self.answer.columns for name in ((column, f"{column} low", f"{column} high")
            if column in figures else (column,))
        ]  # fmt: skip
        file = io.StringIO()
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow([_harmless(name) for name in header])
        for number, row in enumerate(self.answer.rows):
            cells: list[Any] = []
            for column, value in zip(self.answer.columns, row, strict=True):
                cells.append(_harmless(value))
                if column in figures:
                    cells += figures[column][number] or ("", "")
            writer.writerow(cells)
        return file.getvalue().encode()


def _harmless(value: Any) -> Any:
    return f"'{value}" if isinstance(value, str) and value[:1] in ("=", "+", "-", "@", "\t", "\r") else value


def show_answer(session: PageSession, asked: AskedQuestion, *, again: bool = False) -> None:
    """The answer, as large as a page is."""
    answer = asked.answer
    spent = format_loss(session, answer.spent)
    with ui.card().classes("w-full gap-2").props('data-answer="1"'):
        with ui.row().classes("items-center w-full"):
            ui.icon("history" if again else "check_circle").props("size=sm color=positive")
            ui.label(
                session.say(
                    tr("Shown again at no cost. It had cost {cost}.") if again else tr("Answered for {cost}"),
                    cost=spent,
                )
            ).classes("text-subtitle1")
            ui.space()
            ui.button(
                session.say("CSV"),
                icon="download",
                on_click=lambda: ui.download(asked.as_csv(), "answer.csv", "text/csv"),
            ).props("flat no-caps dense")
        if not answer.rows:
            ui.label(
                session.say("No group appears to have enough people to be shown. A larger ε lowers the threshold.")
            )
            return
        charted = [name for name, column in answer.intervals.items() if any(one is not None for one in column)]
        if len(answer.rows) == 1 and len(answer.columns) == len(answer.intervals):
            _figures(session, asked)
        else:
            with ui.row().classes("w-full no-wrap items-start gap-4 cobogo-beside"):
                with ui.column().classes("col-5" if charted and len(answer.rows) > 1 else "col-12"):
                    _table(session, asked)
                if charted and len(answer.rows) > 1:
                    with ui.column().classes("col gap-0"):
                        _charts(session, asked, charted)
        ui.label(
            session.say(
                tr("Each interval contains the exact figure of the bounded data with a probability of 95 %.")
                if charted
                else tr("A quantile has no interval: the distance to the next value depends on the data.")
            )
        ).classes("text-body2")
        if any(isinstance(value, int | float) and not isinstance(value, bool) and value < 0 for row in answer.rows
               for value in row):  # fmt: skip
            ui.label(
                session.say(
                    "Figures below zero are noise around a small value. They are not changed, so that sums "
                    "stay correct."
                )
            ).classes("text-body2 text-quiet")


def _figures(session: PageSession, asked: AskedQuestion) -> None:
    """An answer of one row without groups: each figure in large."""
    with ui.row().classes("w-full gap-3"):
        for name, value in zip(asked.answer.columns, asked.answer.rows[0], strict=True):
            interval = asked.answer.intervals[name][0]
            ends = (
                ""
                if interval is None
                else f"95 %: {session.say.number(interval[0])} … {session.say.number(interval[1])}"
            )
            metric(name, session.say.number(value), help=ends)


def _table(session: PageSession, asked: AskedQuestion) -> None:
    answer = asked.answer
    columns = []
    rows: list[dict[str, Any]] = [{"id": number} for number in range(len(answer.rows))]
    for at, name in enumerate(answer.columns):
        figure = name in answer.intervals
        columns.append({"name": f"c{at}", "label": name, "field": f"c{at}", "align": "right" if figure else "left"})
        for row, values in zip(rows, answer.rows, strict=True):
            value = values[at]
            plain = not figure or value is None
            row[f"c{at}"] = ("∅" if value is None else str(value)) if plain else session.say.number(value)
        if figure:
            columns.append({"name": f"i{at}", "label": "95 %", "field": f"i{at}", "align": "right"})
            for row, interval in zip(rows, answer.intervals[name], strict=True):
                row[f"i{at}"] = (
                    "–"
                    if interval is None
                    else f"{session.say.number(interval[0])} … {session.say.number(interval[1])}"
                )
    table = ui.table(rows=rows, columns=columns, row_key="id", pagination=12).classes("w-full")
    table.props("dense flat bordered" + (" hide-bottom" if len(rows) <= 12 else ""))


def _charts(session: PageSession, asked: AskedQuestion, charted: list[str]) -> None:
    place = ui.column().classes("w-full gap-0")

    def draw(name: str) -> None:
        place.clear()
        with place:
            _chart(session, asked, name)

    if len(charted) > 1:
        ui.toggle(charted, value=charted[0], on_change=lambda event: draw(event.value)).props(
            "dense no-caps unelevated"
        )
    draw(charted[0])


def _chart(session: PageSession, asked: AskedQuestion, name: str) -> None:
    answer, labels = asked.answer, asked.labels()
    at = answer.columns.index(name)
    values: list[Any] = [row[at] for row in answer.rows[:SHOWN]]
    intervals = list(answer.intervals[name][:SHOWN])
    plot(
        {
            "tooltip": {"trigger": "item"},
            "xAxis": axis("category", data=labels[:SHOWN], axisLabel={"interval": "auto", "hideOverlap": True}),
            "yAxis": axis(name=name, scale=False),
            "series": [whiskers("95 %", intervals), dots(name, values)],
        },
        session.say("{figure} with its interval of 95 % in {groups} groups", figure=name, groups=len(labels)),
        height="16rem",
    )
    if len(labels) > SHOWN:
        ui.label(
            session.say("The chart shows the first {shown} of {groups} groups.", shown=SHOWN, groups=len(labels))
        ).classes("text-caption text-quiet")
