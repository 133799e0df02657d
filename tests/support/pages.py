"""Pages of the documentation, and their commands run."""

import re
from typing import Any

import pytest

from cobogo.errors import CobogoError
from cobogo.faces.cli import console
from cobogo.faces.cli.main import all_commands, app
from support.paths import ROOT

DOCS = ROOT / "docs"


HOSPITAL = ROOT / "src" / "cobogo" / "examples" / "data" / "hospital"


def page(name: str) -> str:
    return (DOCS / f"{name}.md").read_text(encoding="utf-8")


def section(text: str, title: str) -> str:
    """What stands under a heading, up to the next heading of any depth."""
    found = re.search(rf"^#+ {re.escape(title)}\n(.*?)(?=^#+ |\Z)", outside_blocks(text), re.MULTILINE | re.DOTALL)
    assert found, f'there is no heading "{title}"'
    return found[1]


def outside_blocks(text: str) -> str:
    """A page without its code blocks, whose comments look like headings."""
    return re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL)


def blocks(text: str, language: str) -> list[str]:
    return re.findall(rf"^```{language}(?: [^\n]*)?\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


def rows(text: str) -> dict[str, list[str]]:
    """The rows of the tables in a text whose first cell is a name in code, by that name."""
    cells = [
        [cell.strip() for cell in line.strip("| ").split(" | ")] for line in text.splitlines() if line[:3] == "| `"
    ]
    return {row[0].strip("`"): row for row in cells}


def run(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    """The command, as its entry point runs it, without touching this process's signals."""
    capsys.readouterr()
    code: Any = 0
    try:
        app(args=list(words))
    except CobogoError as error:
        console.complain(error)
        code = error.exit_code
    except SystemExit as stop:
        code = stop.code or 0
    said = capsys.readouterr()
    return code, said.out, said.err


COMMAND: Any = all_commands()


def follow(text: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Run the commands of a page's console blocks here, and compare what they say with what the page says.

    Times may differ. A line of the page that ends in "…" needs to be right up to there.
    """
    for block in blocks(text, "console"):
        for command, said in re.findall(r"^\$ cobogo (.*)\n((?:(?!\$ ).*\n)*)", block, re.MULTILINE):
            code, out, _ = run(capsys, *command.split())
            expected, found = said.rstrip().splitlines(), out.rstrip().splitlines()
            assert code == 0
            assert len(found) == len(expected), out
            for wanted, line in zip(map(_timeless, expected), map(_timeless, found), strict=True):
                assert line.startswith(wanted.rstrip("…").rstrip()) if wanted.endswith("…") else line == wanted


def _timeless(line: str) -> str:
    return re.sub(r" +[0-9]+\.[0-9] s$", "", line).rstrip()
