"""The command ``cobogo kinds``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cobogo.errors import PolicyError
from cobogo.faces.cli import console, speaking

if TYPE_CHECKING:
    from cobogo.studies.families.study import Families


def kinds(
    policy: Annotated[Path, typer.Argument(help="The policy: a TOML file.", show_default=False)],
    kind: Annotated[
        list[str] | None,
        typer.Option(
            "--kind", help="A kind, or one with values, as in recoding=2,5,10; may be given again.", show_default=False
        ),
    ] = None,
    out: Annotated[
        Path | None, typer.Option("--out", help="Also draw it, as a picture and a page, here.", show_default=False)
    ] = None,
    records: Annotated[int, typer.Option("--records", help="Records that are released, at most.")] = 20_000,
    seed: Annotated[int, typer.Option("--seed", help="Draws who is released, the queries and the targets.")] = 0,
    engine: Annotated[
        str | None, typer.Option("--engine", help="The engine's URL; DuckDB in memory if not given.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the result as JSON.")] = False,
) -> None:
    """Release one table in several ways and compare: the same measures of use, the same attacks, one chart."""
    from cobogo.data.policy import Policy
    from cobogo.studies.families.study import compare_families

    if records < 100 or seed < 0:
        raise PolicyError("must be 100 or more, and the seed 0 or more", where="--records")
    rules = Policy.load(policy)
    with console.progress(quiet=as_json) as show:
        of = parsed(kind) if kind else None
        found = compare_families(rules, of=of, records=records, seed=seed, engine=engine, progress=show)
        if out is not None:
            found.write(out, language=speaking.written(rules))
    if as_json:
        console.say_json(found.as_dict())
        return
    console.say(lines(found))
    for name, why in found.skipped.items():
        console.warn(f"{name} is left out: {why}")
    if out is not None:
        console.say(f"\nWritten   {out}/kinds.html   {out}/kinds.png   {out}/kinds.json   (keep)")


def parsed(texts: list[str]) -> dict[str, list[float] | None]:
    """Kinds with the values of their parameter, as the command line writes them.

    >>> parsed(["recoding=2,5", "local"])
    {'recoding': [2.0, 5.0], 'local': None}
    """
    found: dict[str, list[float] | None] = {}
    for text in texts:
        name, mark, values = text.partition("=")
        try:
            found[name.strip()] = [float(value) for value in values.split(",")] if mark else None
        except ValueError:
            raise PolicyError(
                f"{text!r} is no kind with numbers", where="--kind", remedy="Write it as in: --kind recoding=2,5,10."
            ) from None
    return found


def lines(found: Families) -> str:
    """A table of every release."""
    header = ["kind", "asked", "records", "two-way", "queries", "accuracy", "re-identified", "membership", "inference"]
    rows = []
    for one in found.trials:
        given = ", ".join(f"{name} = {value:g}" for name, value in one.given.items())
        cells = [one.name, given, f"{one.records:,}"]
        cells += [f"{100 * one.use[name]:.1f} %" for name in ("two-way", "query-error", "accuracy")]
        for name in ("re-identification", "membership", "inference"):
            cells.append(f"{100 * one.attacks[name]['excess']:+.1f} %")
        rows.append(cells)
    return console.table(header, rows, numbers=range(2, len(header)))
