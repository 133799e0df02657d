"""The command ``cobogo ldp associate``: do two answers go together?"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cobogo.errors import PolicyError, number_of
from cobogo.faces.cli import console

if TYPE_CHECKING:
    from cobogo.collect.association import Association

SHOWN = 20


def associate(
    first: Annotated[Path, typer.Argument(help="The collection of the first question.", show_default=False)],
    second: Annotated[Path, typer.Argument(help="The collection of the second.", show_default=False)],
    data: Annotated[
        str, typer.Argument(help="A CSV or Parquet file with a pair of reports a row.", show_default=False)
    ],
    columns: Annotated[
        str, typer.Option("--columns", help="The columns of the reports to the first and the second question.")
    ] = "first,second",
    level: Annotated[
        float, typer.Option("--level", help="The chance of seeing a relation where there is none.")
    ] = 0.05,
    as_json: Annotated[bool, typer.Option("--json", help="Print the result as JSON.")] = False,
) -> None:
    """Estimate how the answers to two questions go together, from reports that came in pairs.

    Exit 1 when they may have nothing to do with each other.
    """
    from cobogo.collect.association import associate as associated
    from cobogo.collect.collection import Collection
    from cobogo.collect.report_sources import column_reports
    from cobogo.data.policy import Data
    from cobogo.data.table.read import read

    names = [name.strip() for name in columns.split(",")]
    if len(names) != 2:
        raise PolicyError(f"must be two names with a comma between. Got {columns!r} instead", where="--columns")
    if not 0 < level < 1:
        raise PolicyError(f"must be above 0 and below 1. Got {level!r} instead", where="--level")
    table = read(data, Data())
    both = [Collection.load(path) for path in (first, second)]
    one, other = (column_reports(asked, table, name) for asked, name in zip(both, names, strict=True))
    found = associated(both[0], one, both[1], other)
    if as_json:
        console.say_json(found.as_dict())
    else:
        _say(found, both[0].question, both[1].question)
    if found.chance > level:
        raise typer.Exit(1)


def _say(found: Association, first: str, second: str) -> None:
    pairs = sorted(
        ((i, j) for i in range(len(found.rows)) for j in range(len(found.columns))), key=lambda at: -found.shares[at]
    )
    rows = [
        [
            found.rows[i], found.columns[j], f"{found.shares[i, j]:.2%}",
            "" if found.errors[i, j] != found.errors[i, j] else f"{found.errors[i, j]:.2%}",
            f"{found.shares[i].sum() * found.shares[:, j].sum():.2%}",
        ]
        for i, j in pairs[:SHOWN]
    ]  # fmt: skip
    console.say(console.table([first, second, "share", "± 1 s.e.", "if unrelated"], rows, numbers=[2, 3, 4]))
    left = len(pairs) - len(rows)
    console.say(
        (f"… and {number_of(left, 'pair')} more\n" if left > 0 else "")
        + f"\n{number_of(found.users, 'pair')} of reports. By chance alone, unrelated answers would seem as related "
        f"with probability {found.chance:.2g}."
    )
