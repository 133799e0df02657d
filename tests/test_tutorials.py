"""Every example of the README, the tutorials, the how-to pages and the concepts is run, and says what the page says."""

import re
from pathlib import Path

import pytest
from press.blocks import ROOT, blocks, run

pytestmark = pytest.mark.slow

DOCS = ROOT / "docs"
PAGES = [
    ROOT / "README.md",
    ROOT / "CONTRIBUTING.md",
    DOCS / "index.md",
    DOCS / "lakes.md",
    *(file for room in ("tutorials", "howto", "concepts") for file in sorted((DOCS / room).glob("*.md"))),
    DOCS / "pt" / "tutorials" / "publish.md",
]
PORTUGUESE = ["publish", "answer", "collect", "locate"]
INSTALLED = "the package is installed already where these pages are tested"
LEFT_OUT = {
    "README.md": [
        "installs, and works on your file",
        "the first takes minutes, and the second is what runs these examples",
    ],
    "docs/index.md": ["works on your file"],
    "CONTRIBUTING.md": ["this is what sets the tests up"],
    "docs/tutorials/answer.md": [INSTALLED],
    "docs/tutorials/collect.md": [INSTALLED],
    "docs/tutorials/locate.md": [INSTALLED],
    "docs/tutorials/publish.md": [INSTALLED],
    "docs/howto/run-the-server.md": [
        "it serves until it is ended; the tests of the server run it with real requests",
        "it needs the server of the step before",
    ],
    "docs/pt/tutorials/publish.md": ["o pacote já está instalado onde estas páginas são testadas"],
    "docs/lakes.md": ["there is no such bucket"],
    "docs/howto/spark.md": [INSTALLED, "it needs a cluster"],
    "docs/howto/use-the-workbench.md": ["it opens a browser and serves until it is ended"],
}
"""The examples that are not run, with the reason that stands beside them."""


def name(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


@pytest.mark.parametrize("page", [page for page in PAGES if page.stem != "spark"], ids=name)
def test_the_examples_of_a_page(page: Path, tmp_path: Path) -> None:
    run(page.read_text(encoding="utf-8"), name(page), tmp_path)


def test_the_examples_about_spark(spark: str, tmp_path: Path) -> None:
    page = DOCS / "howto" / "spark.md"
    run(page.read_text(encoding="utf-8"), name(page), tmp_path)


def test_what_is_not_run_says_why() -> None:
    found = {
        name(page): reasons
        for page in PAGES
        if (reasons := [block.reason for block in blocks(page.read_text(encoding="utf-8")) if block.left_out])
    }
    assert found == LEFT_OUT


def examples(page: Path) -> list[tuple[str, str, str]]:
    """What a page has its reader do, whatever the language that is spoken while it is done."""
    found = []
    for block in blocks(page.read_text(encoding="utf-8")):
        commands = [line for line in block.body.splitlines() if line.startswith("$ ")]
        body = "\n".join(commands) if block.language == "console" else block.body
        found.append((block.language, block.title, body.replace(" --lang pt-BR", "")))
    return found


@pytest.mark.parametrize("tutorial", PORTUGUESE)
def test_a_portuguese_tutorial_does_what_the_english_one_does(tutorial: str) -> None:
    here, there = DOCS / "pt" / "tutorials" / f"{tutorial}.md", DOCS / "tutorials" / f"{tutorial}.md"
    assert examples(here) == examples(there)
    headings = [len(re.findall(r"^#+ ", page.read_text(encoding="utf-8"), re.MULTILINE)) for page in (here, there)]
    assert headings[0] == headings[1]


WRONG = {
    "says something else": "```python\nprint(2)\n```\n\n```text\n3\n```\n",
    "says less": "```python\nprint(2)\nprint(3)\n```\n\n```text\n2\n```\n",
    "ends otherwise": "```sh\ncobogo verify nowhere\n```\n",
    "cannot be run": "```sh\ncurl somewhere\n```\n",
    "means a pipe": "```sh\ncobogo list models|metrics\n```\n",
    "fails": "```python\nassert False\n```\n",
}


@pytest.mark.parametrize("text", WRONG.values(), ids=WRONG.keys())
def test_a_wrong_example_is_noticed(text: str, tmp_path: Path) -> None:
    with pytest.raises(AssertionError):
        run(text, "page", tmp_path)


def test_a_page_is_run_in_order_with_its_files(tmp_path: Path) -> None:
    text = """```csv title="a.csv"\nx\n1\n```\n
```python\nfrom pathlib import Path\nprint(Path("a.csv").read_text())\n```\n
```text\nx\n1\n```\n\n<!-- not run: it would fail -->\n```sh\nfalse\n```\n
<!-- varies: chance -->\n```console\n$ cobogo verify nowhere # exit 2\nsomething\n```\n"""
    run(text, "page", tmp_path)
    assert (tmp_path / "a.csv").read_text() == "x\n1\n"
