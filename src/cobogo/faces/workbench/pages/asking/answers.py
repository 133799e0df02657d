"""An answer of the curator: its table, its intervals as a chart, what can be said of it, and a file of it."""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass
from typing import Any

from nicegui import ui

from cobogo.answer.result import Answer
from cobogo.faces.workbench.frame import metric
from cobogo.faces.workbench.pages.asking.budgets import priced
from cobogo.faces.workbench.plots import axis, dots, plotted, whiskers
from cobogo.faces.workbench.session import Session

SHOWN = 60
"""Groups that a chart shows at most: more can be read in the table."""


@dataclass(frozen=True)
class Asked:
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


def shown(session: Session, asked: Asked, *, again: bool = False) -> None:
    """The answer, as large as a page is."""
    answer = asked.answer
    spent = priced(session, answer.spent)
    with ui.card().classes("w-full gap-2").props('data-answer="1"'):
        with ui.row().classes("items-center w-full"):
            ui.icon("history" if again else "check_circle").props("size=sm color=positive")
            ui.label(session.say("ask.again" if again else "ask.answered", cost=spent)).classes("text-subtitle1")
            ui.space()
            ui.button(
                session.say("ask.csv"),
                icon="download",
                on_click=lambda: ui.download(asked.as_csv(), "answer.csv", "text/csv"),
            ).props("flat no-caps dense")
        if not answer.rows:
            ui.label(session.say("ask.no-groups"))
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
        ui.label(session.say("ask.confidence" if charted else "ask.no-interval")).classes("text-body2")
        if any(isinstance(value, int | float) and not isinstance(value, bool) and value < 0 for row in answer.rows
               for value in row):  # fmt: skip
            ui.label(session.say("ask.negative")).classes("text-body2 text-quiet")


def _figures(session: Session, asked: Asked) -> None:
    """An answer of one row without groups: each figure in large."""
    with ui.row().classes("w-full gap-3"):
        for name, value in zip(asked.answer.columns, asked.answer.rows[0], strict=True):
            interval = asked.answer.intervals[name][0]
            ends = "" if interval is None else f"95 %: {session.number(interval[0])} … {session.number(interval[1])}"
            metric(name, session.number(value), help=ends)


def _table(session: Session, asked: Asked) -> None:
    answer = asked.answer
    columns = []
    rows: list[dict[str, Any]] = [{"id": number} for number in range(len(answer.rows))]
    for at, name in enumerate(answer.columns):
        figure = name in answer.intervals
        columns.append({"name": f"c{at}", "label": name, "field": f"c{at}", "align": "right" if figure else "left"})
        for row, values in zip(rows, answer.rows, strict=True):
            value = values[at]
            plain = not figure or value is None
            row[f"c{at}"] = ("∅" if value is None else str(value)) if plain else session.number(value)
        if figure:
            columns.append({"name": f"i{at}", "label": "95 %", "field": f"i{at}", "align": "right"})
            for row, interval in zip(rows, answer.intervals[name], strict=True):
                row[f"i{at}"] = (
                    "–" if interval is None else f"{session.number(interval[0])} … {session.number(interval[1])}"
                )
    table = ui.table(rows=rows, columns=columns, row_key="id", pagination=12).classes("w-full")
    table.props("dense flat bordered" + (" hide-bottom" if len(rows) <= 12 else ""))


def _charts(session: Session, asked: Asked, charted: list[str]) -> None:
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


def _chart(session: Session, asked: Asked, name: str) -> None:
    answer, labels = asked.answer, asked.labels()
    at = answer.columns.index(name)
    values: list[Any] = [row[at] for row in answer.rows[:SHOWN]]
    intervals = list(answer.intervals[name][:SHOWN])
    plotted(
        {
            "tooltip": {"trigger": "item"},
            "xAxis": axis("category", data=labels[:SHOWN], axisLabel={"interval": "auto", "hideOverlap": True}),
            "yAxis": axis(name=name, scale=False),
            "series": [whiskers("95 %", intervals), dots(name, values)],
        },
        session.say("ask.chart", figure=name, groups=len(labels)),
        height="16rem",
    )
    if len(labels) > SHOWN:
        ui.label(session.say("ask.first", shown=SHOWN, groups=len(labels))).classes("text-caption text-quiet")
