"""The demo's results on the terminal."""

from __future__ import annotations

from pathlib import Path

from cobogo.cli import console, speaking
from cobogo.demo.run import Result


def lines(results: list[Result], directory: Path) -> str:
    """A table of what each release cost, and where everything is."""
    say = speaking.words()
    measured = [say(f"h.{key}") for key in ("precision", "average", "classes", "suppressed", "file")]
    header = ["k", "l", "localidade", "data_nascimento", *measured]
    rows = [
        [
            str(result.case.k),
            "" if result.case.l is None else str(result.case.l),
            say("h.level", n=result.report["levels"]["localidade"]),
            say("h.level", n=result.report["levels"]["data_nascimento"]),
            say.fixed(result.report["metrics"]["precision"], ".4f"),
            say.fixed(result.report["classes"]["average"], ",.1f"),
            say.number(result.report["classes"]["count"]),
            say.number(result.report["suppressed"]),
            result.case.file,
        ]
        for result in results
    ]
    table = console.table(header, rows, numbers=(0, 1, 4, 5, 6, 7))
    return f"{table}\n\n{say('demo', n=len(results), directory=directory)}"
