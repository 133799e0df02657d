"""The command ``cobogo dp frequency-list``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from cobogo.faces.cli import console, speaking


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
    encoding: Annotated[str, typer.Option("--encoding", help="utf-8 or latin-1.")] = "utf-8",
    ledger: Annotated[
        str | None, typer.Option("--ledger", help="The ledger to pay from: a file, or a database's URL.")
    ] = None,
    dataset: Annotated[str | None, typer.Option("--dataset", help="Whose book of the ledger is charged.")] = None,
    analyst: Annotated[str | None, typer.Option("--analyst", help="Who is charged.")] = None,
    engine: Annotated[
        str | None, typer.Option("--engine", help="The engine's URL; DuckDB in memory if not given.")
    ] = None,
    seed: Annotated[
        int | None, typer.Option("--seed", help="For examples only: the release then fails verification.")
    ] = None,
    quiet: Annotated[bool, typer.Option("--quiet", help="No progress and no summary.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the result as JSON.")] = False,
) -> None:
    """Release how often items (passwords, say) occur, as a sorted list of counts, without the items.

    Exit 1 when the budget does not allow for it, or when it would not hold: noise from a seed never does.
    """
    from pydantic import ValidationError

    from cobogo.data.policy import Data
    from cobogo.data.policy.readable import readable
    from cobogo.faces.cli.transformed import finish
    from cobogo.promises.payer import payer_of_options
    from cobogo.publish.frequency_list.job import frequency_list, settled

    settled(epsilon, delta)
    paying = payer_of_options(ledger, dataset, analyst)
    try:
        options = Data.model_validate({"separator": separator, "encoding": encoding})
    except ValidationError as error:
        raise readable(error, "cobogo dp frequency-list", Data) from None
    with (
        console.progress(quiet=quiet or as_json) as show,
        frequency_list(
            data, column, epsilon=epsilon, delta=delta, counts=counts, options=options, engine=engine, payer=paying,
            seed=seed, language=speaking.written(None),
        ) as found,
    ):  # fmt: skip
        finish(found, out, show, quiet, as_json)
