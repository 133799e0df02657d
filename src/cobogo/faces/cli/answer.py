"""The commands ``cobogo answer …``: ask the curator, see the budget, see what a question would cost."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cobogo.errors import PolicyError, number_of
from cobogo.faces.cli import console, language
from cobogo.faces.cli.options import Encoding, Engine, Json, Ledger, PayingAnalyst, PayingDataset, Quiet
from cobogo.floor.language import tr

if TYPE_CHECKING:
    from cobogo.answer.explain import Explanation
    from cobogo.answer.result import Answer

app = typer.Typer(
    name="answer", help="Answer questions with differential privacy, and keep the budget.", no_args_is_help=True
)

Question = Annotated[str, typer.Argument(help="The question, in SQL.", show_default=False)]
Config = Annotated[Path, typer.Option("--config", help="The curator's file: data sets, budgets, analysts.")]
Analyst = Annotated[str | None, typer.Option("--analyst", help="Who asks; the only analyst, if there is one.")]
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
    """Answer a question. Exit 1 when the budget does not allow for it."""
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
        str | None, typer.Option("--analyst", help="Who would ask: only what they may ask about is explained.")
    ] = None,
    epsilon: Epsilon = None,
    rho: Rho = None,
    delta: Delta = "0",
    error: Annotated[
        str | None, typer.Option("--error", help="Say instead what it costs to be no farther off than this.")
    ] = None,
    rows: Annotated[int | None, typer.Option("--rows", help="Rows that a group may have, to judge means by.")] = None,
    curve: Annotated[
        Path | None, typer.Option("--curve", help="Draw how far off the answer would be for every price: a PNG.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Show what would be computed, with what noise, how far off, at what cost. Reads and spends nothing."""
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
        console.say(f"\nWritten   {curve}")


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
    rows = [
        [b.dataset, b.analyst or "(all)", *(amount_text(units, b.measure) for units in (b.limit, b.spent, b.left))]
        for b in balances
    ]
    console.say(console.table(["data set", "analyst", "budget", "spent", "left"], rows))


@app.command()
def check(config: Config = CURATOR) -> None:
    """Open every data set as a question would, and say what is wrong with it. For the data holder."""
    from cobogo.answer.curator import Curator

    curator = Curator.load(config)
    curator.check()
    console.say(console.table(["data set", "rows"], [[name, "can be asked about"] for name in curator.datasets]))


@app.command(name="frequency-list")
def frequency_list(
    data: Annotated[
        Path, typer.Argument(help="A CSV or Parquet file, or a .txt file of one item a line.", show_default=False)
    ],
    out: Annotated[Path, typer.Option("--out", help="Where the release goes.", show_default=False)],
    epsilon: Annotated[str, typer.Option("--epsilon", help="ε: how much to spend.", show_default=False)],
    delta: Annotated[str, typer.Option("--delta", help="δ: the chance of what the draw leaves out.")] = "1e-9",
    column: Annotated[
        str | None, typer.Option("--column", help="The column of items; the only one, if there is one.")
    ] = None,
    counts: Annotated[bool, typer.Option("--counts", help="The column has the count of one item in each row.")] = False,
    separator: Annotated[str, typer.Option("--separator", help="Of a CSV file.")] = ",",
    encoding: Encoding = "utf-8",
    ledger: Ledger = None,
    dataset: PayingDataset = None,
    analyst: PayingAnalyst = None,
    engine: Engine = None,
    seed: Annotated[
        int | None, typer.Option("--seed", help="For examples only: the release then fails verification.")
    ] = None,
    quiet: Quiet = False,
    as_json: Json = False,
) -> None:
    """Release how often items (passwords, say) occur, as a sorted list of counts, without the items.

    Exit 1 when the budget does not allow for it, or when it would not hold: noise from a seed never does.
    """
    from pydantic import ValidationError

    from cobogo.data.policy import Data
    from cobogo.data.policy.toml_file import explain_error
    from cobogo.faces.cli.summary import write_and_say
    from cobogo.promises.payer import payer_of_options
    from cobogo.publish.frequency_list.job import choose_mechanism, frequency_list

    choose_mechanism(epsilon, delta)
    paying = payer_of_options(ledger, dataset, analyst)
    try:
        options = Data.model_validate({"separator": separator, "encoding": encoding})
    except ValidationError as error:
        raise explain_error(error, "cobogo answer frequency-list", Data) from None
    with (
        console.progress(quiet=quiet or as_json) as show,
        frequency_list(
            data, column, epsilon=epsilon, delta=delta, counts=counts, options=options, engine=engine, payer=paying,
            seed=seed, language=language.report_language(None),
        ) as found,
    ):  # fmt: skip
        write_and_say(found, out, show, quiet, as_json)


def _analyst_of(rules: Any, analyst: str | None) -> str:
    if analyst is not None:
        return analyst
    known: set[str] = {name for dataset in rules.datasets.values() for name in dataset.analysts}
    if len(known) != 1:
        raise PolicyError(
            tr("who asks?"),
            where="--analyst",
            remedy="Name one of: " + (", ".join(sorted(known)) or "nobody yet") + ".",
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
    console.say(f"\nSpent {amount_text(spent, measure)}; left {amount_text(found.left.left, measure)}.")


def _say_explanation(found: Explanation) -> None:
    public = found.plan.public
    groups = "those with enough people" if public is None else str(len(public))
    console.say(
        f"Cost      {found.cost()}\n"
        f"Groups    {groups}; a person counts in {found.plan.groups_of_a_person}, "
        f"with {number_of(found.plan.rows_of_a_person, 'row')} in each, at most"
    )
    if found.threshold is not None:
        console.say(f"Told of   groups that seem to have {found.threshold} people or more, after noise")
    header = ["measured", "column", "one person", "noise", "scale", "95 % within"]
    rows = [
        [s.what, s.column or "", _number_text(s.sensitivity), s.mechanism, f"{s.scale:.6g}", _number_text(s.error)]
        for s in found.steps
    ]
    console.say("\n" + console.table(header, rows))
    errors = [
        [name, "depends on the data" if e is None else f"± {_number_text(e)}"] for name, e in found.errors.items()
    ]
    console.say("\n" + console.table(["figure", "95 % within"], errors))


def _number_text(value: object) -> str:
    if value is None:
        return ""
    return f"{value:.6g}" if isinstance(value, float) else str(value)
