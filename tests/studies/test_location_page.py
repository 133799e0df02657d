"""The page of an evaluation: whole, in both languages, and marked as evidence."""

from __future__ import annotations

from pathlib import Path

import pytest

from cobogo.errors import CobogoError
from cobogo.floor.language import speech
from cobogo.floor.randomness import Seeded
from cobogo.locate.attacks import (
    ATTACKS,
    ShortObservation,
    Trilateration,
)
from cobogo.studies.location_page import write
from cobogo.studies.locations import evaluate
from support.stand_ins import Noise, walkers


def test_the_page_is_whole_in_both_languages_and_marked_as_evidence(tmp_path: Path) -> None:
    found = evaluate(
        walkers(4, 20, 1), {"noise": Noise(0.01)}, [ShortObservation(), Trilateration()], source=Seeded(1), name="x.csv"
    )
    for language, said in (("en", "for the data holder only"), ("pt-BR", "só para o gestor de dados")):
        write(found, tmp_path / "out", language=language)
        evidence = tmp_path / "out" / "evidence"
        assert {entry.name for entry in (tmp_path / "out").iterdir()} == {"evidence"}
        assert said in (evidence / "evaluation.html").read_text(encoding="utf-8")
        assert (evidence / "frontier.png").read_bytes()[:4] == b"\x89PNG"
        assert (evidence / "map.png").read_bytes()[:4] == b"\x89PNG"
        page = (evidence / "map.html").read_text(encoding="utf-8")
        assert "http://" not in page.replace("http://www.w3.org", "")
        assert evidence.stat().st_mode & 0o077 == 0
    (tmp_path / "out" / "mine.txt").write_text("")
    with pytest.raises(CobogoError, match="did not write"):
        write(found, tmp_path / "out", language="en")


def test_every_attack_has_words_in_both_languages() -> None:
    say = speech("pt-BR")
    for card in ATTACKS.cards().values():
        for text in (card.title, card.facts["knows"], card.facts["finds"]):
            assert say(text) != text, text
