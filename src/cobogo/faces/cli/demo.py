"""The command ``cobogo demo``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cobogo.faces.cli import console, language
from cobogo.faces.cli.compare import H

if TYPE_CHECKING:
    from cobogo.studies.demo import Demo


def demo(
    out: Annotated[Path, typer.Option("--out", help="The directory of all results.")] = Path("demo"),
    rows: Annotated[int, typer.Option("--rows", help="How many invented people.")] = 20_000,
) -> None:
    """Anonymize invented COVID-19 cases of Ceará with k = 2, 4, 8 and l = 2, 3, 4, and show the results."""
    from cobogo.studies.demo import run as run_demo

    with console.progress() as show:
        made = run_demo(out, rows=rows, language=language.report_language(None), progress=show)
    console.say(demo_lines(made, out))


def demo_lines(demo: Demo, directory: Path) -> str:
    """A table of what each release cost, what two of them expose together, and which one to give away."""
    from cobogo.studies.demo import CHOSEN, TOGETHER

    say, results = language.terminal_speech(), demo.results
    measured = [say(H[key]) for key in ("precision", "average", "classes", "suppressed", "file")]
    header = ["k", "l", "localidade", "data_nascimento", *measured]
    rows = [
        [
            str(result.case.k),
            "" if result.case.l is None else str(result.case.l),
            say("level {n}", n=result.report["levels"]["localidade"]),
            say("level {n}", n=result.report["levels"]["data_nascimento"]),
            say.fixed(result.report["metrics"]["precision"], ".4f"),
            say.fixed(result.report["classes"]["average"], ",.1f"),
            say.number(result.report["classes"]["count"]),
            say.number(result.report["suppressed"]),
            result.case.file,
        ]
        for result in results
    ]
    table = console.table(header, rows, numbers=(0, 1, 4, 5, 6, 7))
    one, other = (f"{directory}/releases/{case.name}" for case in TOGETHER)
    told = [
        say(
            "Each of the {n} releases was read back and verified. Open {directory}/index.html",
            n=len(results),
            directory=directory,
        ),
        say(
            "Each may suppress up to {share} of the records.",
            share=say.percent(max(result.limit for result in results)),
        ),
        say(
            "They are alternatives: two of them together expose people whom neither exposes alone. People found: {n}. "
            "Try it: cobogo attack differencing {one} {other}",
            n=demo.exposed,
            one=one,
            other=other,
        ),
        say(
            "Give away only one. This one satisfies the promises of all ten: {directory}",
            directory=f"{directory}/releases/{CHOSEN.name}/public",
        ),
    ]
    return "\n".join([table, "", *told])
