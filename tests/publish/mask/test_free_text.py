"""Free text: what points at people is found in notes whose mentions are known, and what is left has no form of it."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest
from benchmarks.free_text import precision, recall

import cobogo as cb
from cobogo.data.schema.words import plain
from cobogo.errors import PolicyError
from cobogo.examples.notes import RARE, generate_notes
from cobogo.publish.mask.free_text import FINDERS, _given_names, _surnames, find_mentions, mask_text


def test_most_of_what_points_at_people_in_made_up_notes_is_found() -> None:
    notes = generate_notes(1_000)
    shares = recall(notes)
    assert precision(notes) >= 0.85
    assert min(shares[kind] for kind in ("name", "rare name", "cpf", "cns", "cep", "date")) >= 0.98
    assert shares["phone"] >= 0.9
    assert 0.5 <= shares["email"] < 1  # "arroba" is missed, and the documentation says so


@pytest.mark.parametrize("written", ["capitals", "lower"])
def test_rare_names_are_missed_where_capitals_say_nothing(written: str) -> None:
    shares = recall(generate_notes(1_000, written=written))
    assert shares["name"] >= 0.95
    assert shares["rare name"] <= 0.1


def test_rare_names_are_in_no_list() -> None:
    words = {word for name in RARE for word in plain(name).split()}
    assert not words & (_given_names() | _surnames())


def test_nothing_that_is_found_is_left() -> None:
    for note in generate_notes(300):
        assert not find_mentions(mask_text(note.text))


@pytest.mark.parametrize(
    ("text", "masked"),
    [
        ("PA 12/8, FC 78, 500 mg 2x ao dia, retorno em 15 dias", None),
        ("Sem queixas. Peso 72,5 kg, altura 1,68 m.", None),
        ("mancha rosa no Hospital Santa Maria", None),
        ("veio em 2019-2020 ao posto", None),
        ("", None),
        ("nasc. 3 de março de 1980", "nasc. [DATE]"),
        ("desde 12/03 com febre", "desde [DATE] com febre"),
        ("born on March 3rd, 1980", "born on [DATE]"),
        ("MARIA DA SILVA RELATA DOR", "[NAME] RELATA DOR"),
        ("falei com joana ontem", "falei com [NAME] ontem"),
        ("Dra. Kwame, CRM", "Dra. [NAME], CRM"),
        ("tel 85988887777 ou 3222-1234", "tel [PHONE] ou [PHONE]"),
        ("cpf 52998224725 e 111.222.333-44", "cpf [CPF] e [CPF]"),
        ("RG 2001010123456", "RG [NUMBER]"),
        ("a.b+c@x.org.br.", "[EMAIL]."),
        ("visita de [Maria Silva]", "visita de [[NAME]]"),  # brackets hide nothing
        ("x" * 200_000 + " Maria Silva", "x" * 200_000 + " [NAME]"),  # and long texts cost no more than short ones
    ],
)
def test_sentences(text: str, masked: str | None) -> None:
    assert mask_text(text) == (text if masked is None else masked)


def test_only_the_kinds_that_are_asked_for_are_replaced() -> None:
    text = "Maria da Silva, CPF 529.982.247-25"
    assert mask_text(text, ["cpf"]) == "Maria da Silva, CPF [CPF]"
    assert set(FINDERS) == {"name", "cpf", "cns", "phone", "email", "date", "cep", "number"}


NOTES = [note.text for note in generate_notes(120)]
ROLES = {"age": {"role": "quasi-identifier"}, "note": {"role": "sensitive"}}
MODELS = {"privacy": {"models": [{"model": "k-anonymity", "k": 2}]}}


def people() -> pa.Table:
    return pa.table({"age": ["30", "40"] * 60, "note": NOTES})


def test_a_masked_release_has_no_mention_and_a_forged_one_fails(tmp_path: Path) -> None:
    policy = {"attributes": ROLES, "masking": {"columns": {"note": {"text": True}}}}
    made = cb.mask(people(), policy)
    assert any("no formal guarantee" in warning for warning in made.warnings)
    assert made.write(tmp_path / "out")
    assert cb.verify(tmp_path / "out")
    file = next((tmp_path / "out" / "public").glob("*.csv"))
    file.write_text(file.read_text().replace("[NAME]", "Maria da Silva", 1))
    assert not cb.verify(tmp_path / "out")


def test_free_text_is_not_released_as_it_is() -> None:
    with pytest.raises(PolicyError, match='"note" reads like free text') as raised:
        cb.anonymize(people(), {"attributes": ROLES, **MODELS})
    assert "no guarantee" in str(raised.value)
    assert not any(note in str(raised.value) for note in NOTES)
    decided = ROLES | {"note": {"role": "sensitive", "publish-text": True}}
    assert cb.anonymize(people(), {"attributes": decided, **MODELS})


def test_categories_of_many_words_are_no_free_text() -> None:
    long = [f"teacher of the first years of primary school in district {n % 9}" for n in range(120)]
    cb.anonymize(pa.table({"age": ["30", "40"] * 60, "note": long}), {"attributes": ROLES, **MODELS})
