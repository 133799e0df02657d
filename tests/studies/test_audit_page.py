"""The audit's page has words for every attack."""

from __future__ import annotations

from cobogo.tell.report.audit_words import ATTACKS_IN_PORTUGUESE
from cobogo.tell.report.words import words

from cobogo.examine.attacks import ATTACKS
from cobogo.studies.audit_page import describe_attack


def test_every_attack_speaks_portuguese() -> None:
    assert ATTACKS_IN_PORTUGUESE.keys() == ATTACKS.keys()
    for kind in ATTACKS.values():
        assert describe_attack(kind, words("en"))[1:] == (kind.knows, kind.defence)
        assert describe_attack(kind, words("pt-BR")) == ATTACKS_IN_PORTUGUESE[kind.name]
