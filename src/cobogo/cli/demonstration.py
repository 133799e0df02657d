"""The demo's results on the terminal."""

from __future__ import annotations

from pathlib import Path

from cobogo.cli import console
from cobogo.demo.run import Result


def lines(results: list[Result], directory: Path) -> str:
    """A table of what each release cost, and where everything is."""
    header = ["k", "l", "localidade", "data_nascimento", "precision", "average class", "classes", "suppressed", "file"]
    rows = [
        [
            str(result.case.k),
            "" if result.case.l is None else str(result.case.l),
            f"level {result.report['levels']['localidade']}",
            f"level {result.report['levels']['data_nascimento']}",
            f"{result.report['metrics']['precision']:.4f}",
            f"{result.report['classes']['average']:,.1f}",
            f"{result.report['classes']['count']:,}",
            f"{result.report['suppressed']:,}",
            result.case.file,
        ]
        for result in results
    ]
    table = console.table(header, rows, numbers=(0, 1, 4, 5, 6, 7))
    return f"{table}\n\nEach of the {len(results)} releases was read back and verified. Open {directory}/index.html"
