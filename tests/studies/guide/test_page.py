"""The guide's page tells the story in each language, and shows neither a name nor a sensitive value."""

from __future__ import annotations

from typing import Any

import pandas as pd
import pytest

from cobogo.floor.language import speech
from cobogo.studies.guide.page import render

pytestmark = pytest.mark.slow

STORY = {
    "en": ["Give away only this one", "alternatives", "works on two releases together", "Could not achieve 4-anonymity",
           "The guide suppresses none", "of at most 20%", "What to do next", "Keep this page"],
    "pt-BR": ["Entregue só esta", "alternativas", "duas publicações juntas", "Não foi possível alcançar 4-anonimato",
              "O guia não suprime nenhum", "de no máximo 20%", "O que fazer agora", "Guarde esta página"],
}  # fmt: skip


@pytest.mark.parametrize("language", STORY)
def test_the_page_tells_the_story(language: str, demo: Any) -> None:
    page = render(demo.found, speech(language))
    assert [sentence for sentence in STORY[language] if sentence not in page] == []
    say = speech(language)
    for case, report in demo.found.achieved:
        assert say.fixed(report["metrics"]["precision"], ".4f") in page
        assert say.fixed(report["classes"]["average"], ",.2f") in page
        assert say.number(report["suppressed"]) in page
        assert case.histogram in page


@pytest.mark.parametrize("language", STORY)
def test_the_page_names_nobody_and_shows_no_sensitive_value(language: str, demo: Any) -> None:
    page = render(demo.found, speech(language))
    people = pd.read_csv(demo.place / "dados_covid-ce.csv", sep=";", dtype=str)
    for column in ("nome", "cpf", "raca_cor"):
        assert [value for value in people[column].unique() if value in page] == []


def test_one_release_is_marked_to_be_given_away(demo: Any) -> None:
    page = render(demo.found, speech("en"))
    assert page.count("<strong>the one to give away</strong>") == 1
    assert page.count("alternative ·") == 9
