"""The audit's page says in every language what an attack is, what its attacker knows, and what helps."""

from __future__ import annotations

import pytest

from cobogo.examine.attacks import ATTACKS
from cobogo.floor.language import Text, speech, tr
from cobogo.studies.audit_page import describe_attack, reason


@pytest.mark.parametrize("name", ATTACKS)
def test_every_attack_speaks_portuguese(name: str) -> None:
    kind, portuguese = ATTACKS[name], speech("pt-BR")
    assert describe_attack(kind, speech("en")) == (kind.card.title, kind.knows, kind.defence)
    for text in (kind.knows, kind.defence):
        assert isinstance(text, Text)
        assert portuguese.knows(text)
    title, knows, defence = describe_attack(kind, portuguese)
    assert title
    assert knows != kind.knows
    assert defence != kind.defence


def test_why_an_attack_was_not_tried_is_said_in_the_language() -> None:
    say = speech("pt-BR")
    assert reason("", ("knowledge",), say) == "precisa de uma tabela de pessoas (--knowledge)"
    why = tr("applies to {kinds}; this release is {kind}", kinds=tr("a synthetic table"), kind=tr("a recoded table"))
    assert reason(why, (), say) == ("aplica-se a uma tabela sintética; esta publicação é uma tabela recodificada")


def test_a_reason_of_an_audit_that_was_read_back_is_told_in_general() -> None:
    """audit.json holds English sentences; they are not mixed into a page in another language."""
    assert reason("x is odd", (), speech("en")) == "x is odd"
    assert "outro tipo de publicação" in reason("x is odd", (), speech("pt-BR"))
    assert "não pôde ser tentado" in reason("x is odd", (), speech("pt-BR"), fits=True)
