"""The commands ``cobogo answer …``: ask the curator, see the budget, see what a question would cost."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cobogo.errors import PolicyError
from cobogo.faces.cli import console, language
from cobogo.faces.cli.commands import CommandLine
from cobogo.faces.cli.options import (
    Encoding,
    Engine,
    GuessedSeparator,
    Json,
    Ledger,
    PayingAnalyst,
    PayingDataset,
    Quiet,
)
from cobogo.floor.language import tr, trn

if TYPE_CHECKING:
    from cobogo.answer.explain import Explanation
    from cobogo.answer.result import Answer

app = CommandLine(name="answer", help="Answer questions with differential privacy, and keep the budget.")

Question = Annotated[str, typer.Argument(help="The question, in SQL.", show_default=False)]
Config = Annotated[Path, typer.Option("--config", help="The curator's file: data sets, budgets, analysts.")]
Analyst = Annotated[str | None, typer.Option("--analyst", help="The analyst who asks; the only one if there is one.")]
Epsilon = Annotated[str | None, typer.Option("--epsilon", help="How much ε to spend.")]
Rho = Annotated[str | None, typer.Option("--rho", help="How much ρ to spend, where the budget is in ρ.")]
Delta = Annotated[str, typer.Option("--delta", help="How much δ to spend, where keys are not public.")]

CURATOR = Path("curator.toml")


@app.command()
def sql(
    question: Question,
    config: Config = CURATOR,
    analyst: Analyst = None,
    epsilon: Epsilon = None,
    rho: Rho = None,
    delta: Delta = "0",
    as_json: Json = False,
) -> None:
    """Answer a question. Exit 1 when the budget is not enough."""
    from cobogo.answer.curator import Curator
    from cobogo.promises.curator_file import CuratorPolicy

    rules = CuratorPolicy.load(config)
    who = _analyst_of(rules, analyst)
    found = Curator.load(rules).session(who).sql(question, epsilon=epsilon, rho=rho, delta=delta)
    if as_json:
        console.say_json(found.as_dict())
    else:
        _say_answer(found)


@app.command()
def explain(
    question: Question,
    config: Config = CURATOR,
    analyst: Annotated[
        str | None,
        typer.Option("--analyst", help="The analyst who would ask: only what they may ask about is explained."),
    ] = None,
    epsilon: Epsilon = None,
    rho: Rho = None,
    delta: Delta = "0",
    error: Annotated[
        str | None, typer.Option("--error", help="Say instead what an answer with at most this error costs.")
    ] = None,
    rows: Annotated[
        int | None, typer.Option("--rows", help="How many rows a group may have: the error of a mean depends on it.")
    ] = None,
    curve: Annotated[
        Path | None, typer.Option("--curve", help="Draw the error of the answer against its cost: a PNG file.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Show what would be computed, with which noise, error and cost. Reads no data and spends nothing."""
    from cobogo.answer.curator import public_tables
    from cobogo.answer.explain import compute_curves, draw_curves, find_price
    from cobogo.answer.explain import explain as explain_plan
    from cobogo.answer.plan import plan
    from cobogo.answer.sql.parse import parse
    from cobogo.promises.accounting import exact_amount, loss_of
    from cobogo.promises.curator_file import CuratorPolicy

    rules = CuratorPolicy.load(config)
    known = rules.datasets if analyst is None else rules.datasets_for(analyst)
    query = parse(question, known, public_tables(rules))
    dataset = known[query.dataset]
    measure = dataset.budget.loss().measure
    found = plan(query, dataset)
    if error is not None:
        share = exact_amount(delta, "--delta", zero=True)
        loss = find_price(found, error, measure=measure, delta=share, confidence=0.95, rows=rows)
    else:
        loss = loss_of(epsilon, rho, delta, measure=measure)
    explanation = explain_plan(found, loss, rows=rows)
    if curve is not None:
        draw_curves(
            compute_curves(found, measure, delta=loss.delta, rows=rows),
            measure,
            curve,
            question,
            language=language.terminal_language(),
        )
    if as_json:
        console.say_json(explanation.as_dict())
    else:
        _say_explanation(explanation)
    if curve is not None and not as_json:
        console.say_written(str(curve))


@app.command()
def budget(config: Config = CURATOR, as_json: Json = False) -> None:
    """Show what every data set and analyst may spend, has spent and has left."""
    from cobogo.answer.curator import Curator
    from cobogo.promises.ledger.balance import amount_text

    curator = Curator.load(config)
    balances = [balance for name in curator.datasets for balance in curator.ledger.balances(name)]
    if as_json:
        console.say_json([balance.as_dict() for balance in balances])
        return
    everyone = language.terminal_speech()(tr("(all)"))
    rows = [
        [b.dataset, b.analyst or everyone, *(amount_text(units, b.measure) for units in (b.limit, b.spent, b.left))]
        for b in balances
    ]
    header: list[str] = [tr("data set"), tr("analyst"), tr("budget"), tr("spent"), tr("left")]
    console.say(console.table(header, rows))


@app.command()
def check(config: Config = CURATOR) -> None:
    """Open every data set as a question would, and say what is wrong with it. For the data holder."""
    from cobogo.answer.curator import Curator

    curator = Curator.load(config)
    curator.check()
    fine = language.terminal_speech()(tr("can be asked about"))
    console.say(console.table([tr("data set"), tr("rows")], [[name, fine] for name in curator.datasets]))


@app.command(name="frequency-list")
def frequency_list(
    data: Annotated[
        Path, typer.Argument(help="A CSV or Parquet file, or a .txt file with one item per line.", show_default=False)
    ],
    out: Annotated[Path, typer.Option("--out", help="The directory of the release.", show_default=False)],
    epsilon: Annotated[str, typer.Option("--epsilon", help="ε: how much to spend.", show_default=False)],
    delta: Annotated[str, typer.Option("--delta", help="δ: the probability with which ε may be exceeded.")] = "1e-9",
    column: Annotated[
        str | None, typer.Option("--column", help="The column of items; the only column if there is one.")
    ] = None,
    counts: Annotated[bool, typer.Option("--counts", help="The column has the count of one item in each row.")] = False,
    separator: GuessedSeparator = None,
    encoding: Encoding = None,
    ledger: Ledger = None,
    dataset: PayingDataset = None,
    analyst: PayingAnalyst = None,
    engine: Engine = None,
    seed: Annotated[
        int | None, typer.Option("--seed", help="For examples only: a release with a seed fails verification.")
    ] = None,
    quiet: Quiet = False,
    as_json: Json = False,
) -> None:
    """Release how often items (passwords, say) occur, as a sorted list of counts, without the items.

    Exit 1 when the budget is not enough, or when the release does not hold: noise from a seed never holds.
    """
    from cobogo.data.files.settle import reading_options
    from cobogo.faces.cli.summary import write_and_say
    from cobogo.promises.payer import payer_of_options
    from cobogo.publish.frequency_list import choose_mechanism, frequency_list
    from cobogo.release.contract import Destination

    choose_mechanism(epsilon, delta)
    paying = payer_of_options(ledger, dataset, analyst)
    options = reading_options(separator=separator, encoding=encoding)
    with (
        console.progress(quiet=quiet or as_json) as show,
        frequency_list(
            data, column, epsilon=epsilon, delta=delta, counts=counts, options=options, engine=engine, payer=paying,
            seed=seed, language=language.report_language(None),
        ) as found,
    ):  # fmt: skip
        write_and_say(found, Destination.of(out), show, quiet, as_json)


def _analyst_of(rules: Any, analyst: str | None) -> str:
    if analyst is not None:
        return analyst
    known: set[str] = {name for dataset in rules.datasets.values() for name in dataset.analysts}
    if len(known) != 1:
        raise PolicyError(
            tr("the name of the analyst is missing"),
            where="--analyst",
            remedy=(
                tr("Name one of: {analysts}.", analysts=", ".join(sorted(known)))
                if known
                else tr("Declare an analyst in the curator's file first.")
            ),
        )
    return known.pop()


def _say_answer(found: Answer) -> None:
    from cobogo.promises.ledger.balance import Units, amount_text

    header: list[str] = []
    for name in found.columns:
        header += [name, "95 %"] if name in found.intervals else [name]
    rows = []
    for at, row in enumerate(found.rows):
        cells: list[str] = []
        for name, value in zip(found.columns, row, strict=True):
            cells.append(_number_text(value))
            if name in found.intervals:
                interval = found.intervals[name][at]
                cells.append("" if interval is None else f"{_number_text(interval[0])} … {_number_text(interval[1])}")
        rows.append(cells)
    console.say(console.table(header, rows))
    spent = Units.from_cost(found.spent)
    measure = found.spent.measure
    console.say()
    console.say(
        tr(
            "Spent {spent}; left {left}.",
            spent=amount_text(spent, measure),
            left=amount_text(found.left.left, measure),
        )
    )


def _say_explanation(found: Explanation) -> None:
    say, public = language.terminal_speech(), found.plan.public
    console.say_line("cost", found.cost())
    console.say_line(
        "groups",
        tr(
            "{groups}; a person counts in at most {most:,}, with at most {rows} in each",
            groups=tr("those with enough people") if public is None else tr("{n:,}", n=len(public)),
            most=found.plan.groups_of_a_person,
            rows=trn("{n:,} row", "{n:,} rows", n=found.plan.rows_of_a_person),
        ),
    )
    if found.threshold is not None:
        told = tr("only groups that have {people} people or more after noise are shown", people=found.threshold)
        console.say_line("", told)
    header: list[str] = [
        tr("measured"), tr("column"), tr("one person"), tr("noise"), tr("scale"), tr("95 % within"),
    ]  # fmt: skip
    rows = [
        [
            say(s.what), s.column or "", _number_text(s.sensitivity), say(s.mechanism), say.fixed(s.scale),
            _number_text(s.error),
        ]
        for s in found.steps
    ]  # fmt: skip
    console.say("\n" + console.table(header, rows))
    unknown = say("depends on the data")
    errors = [[name, unknown if e is None else f"± {_number_text(e)}"] for name, e in found.errors.items()]
    console.say("\n" + console.table([tr("figure"), tr("95 % within")], errors))


def _number_text(value: object) -> str:
    if value is None:
        return ""
    return language.terminal_speech().fixed(value) if isinstance(value, float) else str(value)
