"""What a name means, from Python: the same that the command says."""

from __future__ import annotations

import pytest

import cobogo as cb
from cobogo.errors import PolicyError
from cobogo.tell.reference.sections import names


def test_a_thing_a_word_and_a_word_that_is_a_thing() -> None:
    model, word, other = cb.explain("l-diversity"), cb.explain("hierarchy"), cb.explain("k-anonimato")
    assert (model.kind, word.kind, other.name) == ("models", "glossary", "k-anonymity")
    assert {"l", "kind", "c"} <= set(model.parameters)
    assert {"formula", "limits", "paper"} <= set(model.parts)
    assert repr(model) == "NameExplanation(l-diversity, models)"
    assert "\\ge" not in str(model)  # formulas are readable
    assert model._repr_markdown_().startswith("**l-diversity**")


def test_every_name_is_explained() -> None:
    for name, kinds in names().items():
        for kind in kinds:
            found = cb.explain(name, kind)
            assert found.definition
            assert found.as_dict()["kind"] == kind


def test_no_name() -> None:
    with pytest.raises(PolicyError, match='Did you mean "k-anonymity"'):
        cb.explain("k-anonimity")
