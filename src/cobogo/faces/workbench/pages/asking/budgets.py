"""Budgets: a bar of what is spent, what a question would cost and what is left; and the table of everybody's."""

from __future__ import annotations

from nicegui import run, ui

from cobogo.faces.workbench.frame import section
from cobogo.faces.workbench.plots import BLUE, FAINT
from cobogo.faces.workbench.session import Desk, Session
from cobogo.faces.workbench.style import BRICK, NEGATIVE
from cobogo.promises.accounting import PrivacyLoss
from cobogo.promises.ledger.balance import SYMBOLS, Balance
from cobogo.promises.units import ATTO, NANO

RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def amount(session: Session, units: float) -> str:
    """An amount of ε or ρ as the language writes it, to the last digit that counts."""
    return session.number(units, 6)


def small(session: Session, share: float) -> str:
    """An amount of δ, which is tiny or nothing, as a power of ten."""
    if not share:
        return "0"
    figure, _, power = f"{share:.2e}".partition("e")
    raised = "10" + str(int(power)).translate(RAISED)
    return raised if float(figure) == 1 else f"{session.number(float(figure), 3)} · {raised}"


def priced(session: Session, loss: PrivacyLoss) -> str:
    """What something costs."""
    text = f"{SYMBOLS[loss.measure]} = {amount(session, float(loss.amount))}"
    return f"{text}, δ = {small(session, float(loss.delta))}" if loss.delta else text


def bar(session: Session, mine: Balance, cost: float) -> None:
    """One budget as a bar. ``cost`` is what the question at hand would take, in ε or ρ."""
    symbol, limit = SYMBOLS[mine.measure], mine.limit.amount / NANO
    spent, left = mine.spent.amount / NANO, mine.left.amount / NANO
    fits = cost <= left
    parts = [("ask.spent", spent, BRICK), ("ask.this", min(cost, left), BLUE if fits else NEGATIVE)]
    parts.append(("ask.left", max(left - cost, 0.0) if fits else 0.0, FAINT))
    said = "; ".join(
        f"{session.say(key)} {symbol} = {amount(session, value)}"
        for key, value in (("ask.spent", spent), ("ask.this", cost), ("ask.left", left))
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
            ("ask.spent", spent, BRICK),
            ("ask.this", cost, BLUE if fits else NEGATIVE),
            ("ask.left", left, FAINT),
        ):
            with ui.row().classes("items-center gap-1 no-wrap"):
                ui.element("div").style(f"width: 12px; height: 12px; border-radius: 3px; background: {colour}")
                ui.label(f"{session.say(key)} {amount(session, value)}")
    if mine.limit.delta:
        ui.label(
            session.say(
                "ask.delta-left",
                left=small(session, mine.left.delta / ATTO),
                limit=small(session, mine.limit.delta / ATTO),
            )
        ).classes("text-caption text-quiet")


async def everybody(desk: Desk, session: Session) -> None:
    """What every analyst has spent: for stewards and auditors."""
    section(session.say("ask.budgets"), help=session.say("ask.budgets-what"))
    balances = await run.io_bound(desk.service.curator.list_balances, session.caller) or []
    columns = [
        {"name": key, "label": session.say(f"ask.{key}"), "field": key, "align": align, "sortable": True}
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
            "analyst": one.analyst or session.say("ask.all"),
            "measure": SYMBOLS[one.measure],
            "limit": amount(session, one.limit.amount / NANO),
            "spent": amount(session, one.spent.amount / NANO),
            "left": amount(session, one.left.amount / NANO),
            "share": session.percent(one.spent.amount / one.limit.amount if one.limit.amount else 1.0),
            "delta": small(session, one.left.delta / ATTO),
        }
        for number, one in enumerate(balances)
    ]
    ui.table(rows=rows, columns=columns, row_key="id", pagination=20).classes("w-full").props("dense flat bordered")
