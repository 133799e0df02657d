"""The console: a question in SQL, what it would cost, its answer, and what is left."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Mapping
from typing import TYPE_CHECKING, Any

from nicegui import run, ui

from cobogo.answer.examples import Example, examples
from cobogo.errors import BudgetSpent, CobogoError, NoAnswer, Stale
from cobogo.faces.server.services.curator import AnalystBudget
from cobogo.faces.workbench import actions
from cobogo.faces.workbench.frame import complain, section
from cobogo.faces.workbench.pages.asking.answers import AskedQuestion, amount, bar, format_loss, show_answer, small
from cobogo.faces.workbench.session import Desk, PageSession
from cobogo.faces.workbench.widgets import editor
from cobogo.floor.language import tr
from cobogo.promises.accounting import ATTO, NANO
from cobogo.promises.ledger.balance import SYMBOLS

if TYPE_CHECKING:
    from cobogo.answer.explain import Explanation
    from cobogo.promises.curator_file import DeclaredDataset

ASK_EXAMPLE = {
    "count": tr("How many are there?"),
    "groups": tr("How many in each group?"),
    "cross": tr("How many in each pair of groups?"),
    "histogram": tr("A histogram"),
    "mean": tr("A mean"),
    "median": tr("A median"),
    "hidden": tr("Groups whose names are not public"),
}

ASK_TYPE = {
    "integer": tr("whole number"),
    "number": tr("number"),
    "text": tr("text"),
    "boolean": tr("yes or no"),
    "date": tr("date"),
}

ASK_STEP = {
    "what": tr("Measured"),
    "sensitivity": tr("One person changes it by"),
    "mechanism": tr("Noise"),
    "scale": tr("Scale"),
    "error": tr("95 % within ±"),
}

ASK_MEASURED = {
    "people": tr("people"),
    "rows": tr("rows"),
    "rows-with-a-value": tr("rows with a value"),
    "sum": tr("sum"),
    "sum-of-squares": tr("sum of squares"),
    "distinct-values": tr("distinct values"),
    "choice-by-rank": tr("choice by rank"),
}

KEPT = 100
"""Questions of a session that are remembered."""

USUAL_DELTA = 1e-7


class Console:
    """One analyst's place to ask from."""

    def __init__(
        self,
        desk: Desk,
        session: PageSession,
        datasets: Mapping[str, DeclaredDataset],
        spent: Callable[[], Awaitable[None]],
    ) -> None:
        self.desk, self.session, self.datasets, self.spent = desk, session, datasets, spent
        self.say = session.say
        self.memory: dict[str, Any] = session.memory.setdefault("asking", {"asked": [], "sql": None, "dataset": None})
        known = self.memory["dataset"]
        self.dataset = known if known in datasets else next(iter(datasets))
        self.books: AnalystBudget | None = None
        self.busy = False
        self.listed: list[AskedQuestion] | None = None

    @property
    def measure(self) -> str:
        """What the book at hand counts in: epsilon or rho."""
        return self.desk.service.curator.measure(self.session.caller, self.dataset)

    async def build(self) -> None:
        with ui.row().classes("w-full no-wrap items-start gap-4 cobogo-beside"):
            with ui.column().classes("col-8 gap-3"):
                self._editor()
                self.result = ui.column().classes("w-full gap-3").props('aria-live="polite"')
                self.history = ui.column().classes("w-full gap-1")
            with ui.column().classes("col gap-3"):
                self.budget = ui.card().classes("w-full gap-2")
                self.helps = ui.column().classes("w-full gap-3")
        await self._switch_dataset()

    def _editor(self) -> None:
        with ui.card().classes("w-full gap-2"):
            with ui.row().classes("w-full items-center"):
                ui.label(self.say("Your question")).classes("text-h6").props('role="heading" aria-level="2"')
                ui.space()
                if len(self.datasets) > 1:
                    ui.select(
                        list(self.datasets), value=self.dataset, label=self.say("Data set"), on_change=self._choose
                    ).props("dense outlined").style("min-width: 12rem")
            first = self.memory["sql"] or examples(self.dataset, self.datasets[self.dataset])[0].sql
            self.sql = editor(first, "SQL", self.say("Your question"), height="8.5rem")
            self.sql.on("keydown.ctrl.enter.capture.prevent.stop", self._ask)
            with ui.row().classes("w-full items-center gap-3"):
                self.price = ui.number(
                    SYMBOLS["epsilon" if self.measure == "epsilon" else "rho"],
                    value=0.1, min=0, step=0.05, on_change=self._update_prices,
                ).props("dense outlined").style("width: 7.5rem")  # fmt: skip
                self.price.tooltip(self.say("What the answer may cost: a higher cost gives less noise."))
                self.delta = ui.number("δ", value=0, min=0, format="%.3g", on_change=self._update_prices)
                self.delta.props("dense outlined step=any").style("width: 8rem").tooltip(
                    self.say("A small probability, needed only if the groups are not public.")
                )
                ui.space()
                ui.button(self.say("Explain"), icon="lightbulb", on_click=self._explain).props("outline no-caps")
                self.button = ui.button(self.say("Ask"), icon="send", on_click=self._ask).props("no-caps")
                self.button.tooltip(self.say("Ctrl-Enter. Asking spends budget."))

    async def _choose(self, event: Any) -> None:
        self.dataset = self.memory["dataset"] = event.value
        self.price.props(f'label="{SYMBOLS["epsilon" if self.measure == "epsilon" else "rho"]}"')
        await self._switch_dataset()

    async def _switch_dataset(self) -> None:
        """What depends on the data set: its budget, columns and examples."""
        self.books = await run.io_bound(self.desk.service.curator.budget, self.session.caller, self.dataset)
        self._budget()
        self.helps.clear()
        with self.helps:
            self._examples()
            self._columns()
        self._history()

    def _budget(self) -> None:
        assert self.books is not None
        self.budget.clear()
        with self.budget:
            ui.label(self.say("Your budget on {dataset}", dataset=self.dataset)).classes(
                "text-subtitle1 text-weight-medium"
            )
            bar(self.session, self.books.mine, self._cost())
            if self.books.shared:
                ui.label(
                    self.say("All analysts share the budget of the data set, and less of it is left than of yours.")
                ).classes("text-caption text-warning")
            if not self.books.mine.left.amount:
                ui.label(self.say("The budget is spent.")).classes("text-body2 text-negative text-weight-medium")

    def _cost(self) -> float:
        return max(float(self.price.value or 0), 0.0)

    async def _update_prices(self) -> None:
        if self.books is not None:
            self._budget()
        if self.memory.get("explained"):
            await self._explain()

    def _examples(self) -> None:
        with ui.card().classes("w-full gap-1"):
            ui.label(self.say("Examples")).classes("text-subtitle1 text-weight-medium")
            for one in examples(self.dataset, self.datasets[self.dataset]):
                button = ui.button(self.say(ASK_EXAMPLE[one.kind]), on_click=lambda this=one: self._take(this))
                button.props("flat dense no-caps align=left").classes("w-full").tooltip(one.sql)

    def _take(self, one: Example) -> None:
        self.sql.value = one.sql
        self.delta.value = USUAL_DELTA if one.hidden else 0
        self.memory["explained"] = False
        self.result.clear()

    def _columns(self) -> None:
        with (
            ui.expansion(self.say("Columns of {dataset}", dataset=self.dataset), value=True)
            .classes("w-full")
            .props("dense")
        ):
            for name, column in self.datasets[self.dataset].columns.items():
                parts = [self.say(ASK_TYPE[column.type])]
                if column.bounds:
                    parts.append(" … ".join(self.session.say.number(bound) for bound in column.bounds))
                if column.keys:
                    parts.append(
                        ", ".join(str(key) for key in column.keys[:6]) + (" …" if len(column.keys) > 6 else "")
                    )
                if column.edges:
                    parts.append(self.say("{count} intervals", count=len(column.edges) - 1))
                if column.type == "text" and not column.keys:
                    parts.append(self.say("names are not public"))
                with ui.column().classes("gap-0 q-py-xs"):
                    ui.label(name).classes("text-weight-medium")
                    ui.label(" · ".join(parts)).classes("text-caption text-quiet")

    def _history(self) -> None:
        asked: list[AskedQuestion] = self.memory["asked"]
        if asked is self.listed:  # a button that was drawn anew for nothing could not be clicked
            return
        self.listed = asked
        self.history.clear()
        if not asked:
            return
        with self.history:
            section(self.say("Asked in this session"), help=self.say("Looking at an answer again costs nothing."))
            for one in reversed(asked):
                spent = format_loss(self.session, one.answer.spent)
                button = ui.button(on_click=lambda this=one: self._again(this)).props("flat no-caps align=left dense")
                with button.classes("w-full").tooltip(one.sql), ui.column().classes("gap-0 w-full items-start"):
                    ui.label(" ".join(one.sql.split())).classes("ellipsis").style("max-width: min(40rem, 75vw)")
                    ui.label(f"{time.strftime('%H:%M', time.localtime(one.at))} · {spent}").classes(
                        "text-caption text-quiet"
                    )

    def _again(self, one: AskedQuestion) -> None:
        self.sql.value = one.sql
        self.memory["explained"] = False
        self.result.clear()
        with self.result:
            show_answer(self.session, one, again=True)

    def _offer(self) -> dict[str, Any]:
        delta = float(self.delta.value or 0)
        return {self.measure: str(self.price.value or 0), "delta": f"{delta:.18f}".rstrip("0").rstrip(".") or "0"}

    async def _explain(self) -> None:
        self.memory["sql"] = self.sql.value
        try:
            found = await run.io_bound(
                self.desk.service.curator.explain, self.session.caller, self.sql.value, **self._offer()
            )
        except CobogoError as error:
            self._show_refusal(error)
            return
        assert found is not None
        self.memory["explained"] = True
        self.result.clear()
        with self.result:
            self._show_explanation(found)

    def _show_explanation(self, found: Explanation) -> None:
        told = found.as_dict()
        assert self.books is not None
        with ui.card().classes("w-full gap-2").props('data-explained="1"'):
            with ui.row().classes("items-center"):
                ui.icon("lightbulb").props("size=sm color=primary")
                ui.label(
                    self.say(
                        "It would cost {cost}. Nothing was spent or read.", cost=format_loss(self.session, found.loss)
                    )
                ).classes("text-subtitle1")
            for name, error in told["errors"].items():
                key = (
                    tr("{figure}: the error depends on the data, and is shown with the answer")
                    if error is None
                    else tr("{figure}: the error is at most ± {error} with a probability of 95 %")
                )
                text = self.say(key, figure=name, error="" if error is None else self.session.say.number(error))
                ui.label(text).classes("text-body1")
            groups = told["groups"]
            text = self.say(
                tr("Groups in the answer: {groups}.")
                if groups is not None
                else tr("The number of groups is not public."),
                groups=groups or 0,
            )
            person = self.say(
                "A person counts in at most {groups} of them. Rows of a person in each: at most {rows}.",
                groups=told["groups_of_a_person"],
                rows=told["rows_of_a_person"],
            )
            ui.label(f"{text} {person}").classes("text-body2 text-quiet")
            if told["threshold"] is not None:
                ui.label(
                    self.say(
                        "Only groups that appear to have at least {people} people are shown.", people=told["threshold"]
                    )
                ).classes("text-body2 text-quiet")
            columns = [
                {"name": key, "label": self.say(ASK_STEP[key]), "field": key, "align": align}
                for key, align in (("what", "left"), ("sensitivity", "right"), ("mechanism", "left"),
                                   ("scale", "right"), ("error", "right"))
            ]  # fmt: skip
            rows = [
                {
                    "id": number,
                    "what": self.say(ASK_MEASURED[step.what.replace(" ", "-")])
                    + (f" ({step.column})" if step.column else ""),
                    "sensitivity": self.session.say.number(step.sensitivity),
                    "mechanism": step.mechanism,
                    "scale": self.session.say.number(step.scale),
                    "error": self.session.say.number(step.error),
                }
                for number, step in enumerate(found.steps)
            ]
            ui.table(rows=rows, columns=columns, row_key="id").classes("w-full").props(
                "dense flat bordered hide-bottom"
            )
            if self._cost() > self.books.mine.left.amount / NANO:
                ui.label(self.say("That is more than is left. The question would be refused at no cost.")).classes(
                    "text-negative"
                )

    async def _ask(self) -> None:
        if self.busy:
            return
        self.busy = True
        self.button.props("loading")
        self.memory["sql"], self.memory["explained"] = self.sql.value, False
        sql, session = str(self.sql.value), self.session
        try:
            answer = await run.io_bound(actions.ask_curator, self.desk, session, self.dataset, sql, self._offer())
            assert answer is not None
            one = AskedQuestion(sql, answer.left.dataset, answer, time.time())
            self.memory["asked"] = [*self.memory["asked"], one][-KEPT:]
            self.result.clear()
            with self.result:
                show_answer(self.session, one)
        except CobogoError as error:
            await self._too_dear(error) if isinstance(error, BudgetSpent) else self._show_refusal(error)
        finally:
            self.busy = False
            self.button.props(remove="loading")
        self.books = await run.io_bound(self.desk.service.curator.budget, self.session.caller, self.dataset)
        self._budget()
        self._history()
        await self.spent()

    def _show_refusal(self, error: CobogoError) -> None:
        """A question that is not answered, in words; it cost nothing unless the words say so."""
        self.memory["explained"] = False
        self.result.clear()
        paid = isinstance(error, NoAnswer)
        if isinstance(error, Stale):
            complain(error, self.session.language)
            return
        with self.result, ui.card().classes("w-full gap-1").props('role="alert"'):
            with ui.row().classes("items-center"):
                ui.icon("block").props("size=sm color=negative")
                ui.label(
                    self.say(
                        tr("The question was paid for, but could not be answered.")
                        if paid
                        else tr("The curator does not answer this question. It cost nothing.")
                    )
                ).classes("text-subtitle1 text-weight-medium")
            ui.label(self.say.error(CobogoError(error.what, where=error.where)))
            if error.remedy:
                ui.label(self.say(error.remedy)).classes("text-quiet")

    async def _too_dear(self, error: BudgetSpent) -> None:
        """The budget does not allow for it: what is left, and what that would still buy."""
        self.books = await run.io_bound(self.desk.service.curator.budget, self.session.caller, self.dataset)
        assert self.books is not None
        if self.books.shared:
            self._show_refusal(error)
            return
        symbol, left = SYMBOLS[self.books.mine.measure], self.books.mine.left
        room, chance = left.amount / NANO, left.delta / ATTO
        asked = float(self.delta.value or 0)
        cost = f"{symbol} = {amount(self.session, self._cost())}"
        have = f"{symbol} = {amount(self.session, room)}"
        if asked or chance:
            cost, have = f"{cost}, δ = {small(self.session, asked)}", f"{have}, δ = {small(self.session, chance)}"
        price, share = min(self._cost(), room), min(asked, chance)
        errors = await self._still(price, share) if room and (share or not asked) else {}
        self.result.clear()
        with self.result, ui.card().classes("w-full gap-2").props('role="alert" data-refused="1"'):
            with ui.row().classes("items-center"):
                ui.icon("account_balance_wallet").props("size=sm color=negative")
                ui.label(self.say("The budget is too small for this question. It cost nothing.")).classes(
                    "text-subtitle1 text-weight-medium"
                )
            ui.label(self.say("It would cost {cost}; {left} is left.", cost=cost, left=have))
            if not errors:
                ui.label(
                    self.say(
                        tr(
                            "No budget is left for a question. You can look at your earlier answers again "
                            "below. If you need more, ask the data holder."
                        )
                        if not room
                        else tr(
                            "Too little δ is left for groups that are not public. Questions with public "
                            "groups are still possible."
                        )
                    )
                ).classes("text-weight-medium")
                return
            fits = f"{symbol} = {amount(self.session, price)}" + (f", δ = {small(self.session, share)}" * bool(share))
            told = ", ".join(
                f"{name} ± {self.session.say.number(off)}" for name, off in errors.items() if off is not None
            )
            ui.label(
                self.say("Still possible: the same question at {price}", price=fits) + (f" ({told})" if told else "")
            )

            def use() -> None:
                self.price.value, self.delta.value = price, share

            ui.button(self.say("Set {price}", price=fits), on_click=use).props("outline no-caps")

    async def _still(self, price: float, share: float) -> Mapping[str, float | None]:
        """How far off the same question would be for what is left."""
        offer: dict[str, Any] = {self.measure: f"{price:.9f}", "delta": f"{share:.18f}"}
        try:
            found = await run.io_bound(
                self.desk.service.curator.explain, self.session.caller, str(self.sql.value), **offer
            )
        except CobogoError:
            return {}
        return {} if found is None else found.errors
