"""The glossary of the documentation says what the program says, in both languages."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from cobogo.floor.language import speech
from cobogo.tell.reference.glossary import TERMS, find_term
from support.paths import ROOT


def words(page: Path) -> dict[str, str]:
    """The headings of a page with the text below each, up to the line that names the other language's word."""
    found = {}
    for part in re.split(r"^### ", page.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]:
        heading, _, below = part.partition("\n")
        text = re.split(r"^(?:Portuguese|Em inglês): ", below, flags=re.MULTILINE)[0]
        plain = re.sub(r"\[([^\]]+)\]\([^)]*\)", r"\1", " ".join(text.split()))
        found[re.sub(r" \{ #.*", "", heading).strip()] = plain
    return found


@pytest.mark.parametrize(("language", "page"), [("en", "glossary.md"), ("pt-BR", "pt/glossary.md")])
def test_the_page_and_the_program_say_the_same(language: str, page: str) -> None:
    say = speech(language)
    several = {"prosecutor", "promotor"}  # one heading for the three attackers
    told = {
        ", ".join([term.title(say), *term.others(say)]) if term.title(say) in several else term.title(say): say(
            term.definition
        )
        for term in TERMS
    }
    assert told == words(ROOT / "docs" / page)


@pytest.mark.parametrize("language", ["en", "pt-BR"])
def test_every_word_is_found_by_its_names(language: str) -> None:
    say = speech(language)
    for term in TERMS:
        assert find_term(term.title(say)) is not None
        assert find_term(term.title(say).upper()) is not None


def test_pages_that_words_refer_to_exist() -> None:
    assert [term.guide for term in TERMS if not (ROOT / "docs" / f"{term.guide}.md").exists()] == []
