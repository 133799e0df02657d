"""The demo's results on the terminal."""

from __future__ import annotations

from pathlib import Path

from cobogo.faces.cli import console, speaking
from cobogo.studies.demo.run import CHOSEN, TOGETHER, Demo


def lines(demo: Demo, directory: Path) -> str:
    """A table of what each release cost, what two of them expose together, and which one to give away."""
    say, results = speaking.words(), demo.results
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
    one, other = (f"{directory}/releases/{case.name}" for case in TOGETHER)
    told = [
        say("demo", n=len(results), directory=directory),
        say("demo.limit", share=say.percent(max(result.limit for result in results))),
        say("demo.together", n=demo.exposed, one=one, other=other),
        say("demo.give", directory=f"{directory}/releases/{CHOSEN.name}/public"),
    ]
    return "\n".join([table, "", *told])
