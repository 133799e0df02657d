"""The Portuguese pages: each translates an English one as it is today, with the same examples."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[1] / "docs"
TRANSLATED = [
    "index",
    "install",
    "quickstart",
    "policy",
    "hierarchies",
    "models",
    "attacks",
    "risk",
    "registry",
    "workbench",
    "errors",
    "threat-model",
    "law",
    "glossary",
    "tutorials/publish",
    "tutorials/answer",
    "tutorials/collect",
    "tutorials/locate",
]
"""Pages that a steward who reads only Portuguese needs, beside the how-tos and the concepts."""
PAGES = sorted((DOCS / "pt").rglob("*.md"))
OWN_EXAMPLES = ("tutorials/", "errors.md")
"""Pages whose examples are run in Portuguese, and so are not those of the original."""


def original(page: Path) -> tuple[Path, str]:
    found = re.match(r"---\n(?:.*\n)*?original: (\S+)\ndigest: ([0-9a-f]{12})\n(?:.*\n)*?---\n", page.read_text())
    assert found is not None, f"{page.name} does not say which page it translates"
    return DOCS / found[1], found[2]


def fences(text: str) -> list[str]:
    """The examples of a page, without the words of their comments."""
    blocks = re.findall(r"^```.*?^```", text, re.MULTILINE | re.DOTALL)
    return [re.sub(r"(?m)#(?!:).*$", "#", block) for block in blocks]


def test_what_a_steward_needs_is_translated() -> None:
    needed = {DOCS / f"{name}.md" for name in TRANSLATED} | {*DOCS.glob("howto/*.md"), *DOCS.glob("concepts/*.md")}
    missing = sorted(str(page.relative_to(DOCS)) for page in needed - {original(page)[0] for page in PAGES})
    assert not missing, f"no Portuguese page of {', '.join(missing)}"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(DOCS)))
def test_a_translation_is_as_new_as_its_original(page: Path) -> None:
    source, digest = original(page)
    now = hashlib.sha256(source.read_bytes()).hexdigest()[:12]
    assert page.relative_to(DOCS / "pt") == source.relative_to(DOCS)
    assert digest == now, f"{source.name} changed after its translation: translate the change, then write {now}"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(DOCS)))
def test_a_translation_has_the_examples_of_its_original(page: Path) -> None:
    if not str(page.relative_to(DOCS / "pt")).startswith(OWN_EXAMPLES):
        assert fences(page.read_text()) == fences(original(page)[0].read_text())
