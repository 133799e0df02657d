"""What points at a person is found; what does not is not."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cobogo.data.schema import Clue, detect
from cobogo.data.schema import forms as form
from support.schema_columns import GUIDE, PEOPLE, column, cpf, luhn


def found(name: str, cells: list[str | None]) -> dict[Clue, float]:
    """What was found, with its confidence."""
    return {finding.kind: finding.confidence for finding in detect(column(name, cells))}


NINES = [100_000_000 + 7_654_321 * i for i in range(60)]
ELEVEN_DIGITS = [str(random.Random(7).randrange(10**10, 10**11) + 997 * i) for i in range(500)]

POSITIVES = {
    "CPFs under another name": (Clue.CPF, "x", [cpf(n) for n in NINES]),
    "CPFs without their dots": (Clue.CPF, "x", [cpf(n, written=False) for n in NINES]),
    "CPFs with wrong check digits, well written": (Clue.CPF, "x", [cpf(n, valid=False) for n in NINES]),
    "CPFs with wrong check digits, by name": (Clue.CPF, "nr_cpf", [cpf(n, valid=False, written=False) for n in NINES]),
    "CPFs that lost their zeros": (Clue.CPF, "x", [str(int(cpf(n // 100, written=False))) for n in NINES]),
    "CPFs among much that is none": (Clue.CPF, "x", ["não informado"] * 500 + [cpf(n) for n in NINES]),
    "CNPJs": (Clue.CNPJ, "x", ["11.222.333/0001-81", "12.ABC.345/01DE-35", "00.000.000/0001-91"]),
    "e-mail addresses": (Clue.EMAIL, "x", ["ana@ufc.br", "j.silva@example.org"]),
    "mobile numbers": (Clue.PHONE, "x", ["(85) 98888-7777", "85 3231-1234", "+55 11 91234-5678"]),
    "international numbers": (Clue.PHONE, "x", ["+44 20 7946 0000", "+1 (212) 555-0100"]),
    "bare mobile numbers": (Clue.PHONE, "contato", [f"8598888{i:04d}" for i in range(20)]),
    "payment cards": (Clue.CARD, "x", [luhn(4_000_000_000_000_00 + 37 * i) for i in range(20)]),
    "names": (Clue.PERSON, "nome", list(PEOPLE)),
    "names in capitals under another name": (Clue.PERSON, "x", [name.upper() for name in PEOPLE]),
    "given names": (Clue.PERSON, "first name", ["Ana", "James", "Luzia"]),
    "names of mothers": (Clue.PERSON, "nome_mae", ["-"]),
    "dates": (Clue.DATE, "x", ["31/12/1999"]),
    "CEPs": (Clue.POSTAL_CODE, "x", ["60160-230", "60020-270"]),
    "CEPs without hyphen, by name": (Clue.POSTAL_CODE, "CEP", ["60160230", "60020270"]),
    "IP addresses": (Clue.IP, "x", ["10.0.0.1", "2001:db8::1"]),
    "web addresses": (Clue.URL, "x", ["https://example.org/ana", "www.example.org"]),
    "UUIDs": (Clue.UUID, "x", ["123e4567-e89b-12d3-a456-426614174000"]),
    "passports": (Clue.DOCUMENT, "Nº Passaporte", ["FX123456"]),
    "RGs": (Clue.DOCUMENT, "rg", ["2001010203040"]),
    "health cards": (Clue.CNS, "cartao_sus", ["898000000043208"]),
    "addresses": (Clue.ADDRESS, "x", ["Rua das Flores, 12", "Av. Beira Mar 300", "12 Main Street"]),
    "addresses by name": (Clue.ADDRESS, "Endereço", ["Sítio Novo s/n"]),
    "row numbers": (Clue.KEY, "x", [str(i) for i in range(1, 101)]),
    "registrations": (Clue.KEY, "Matrícula", ["A1", "A1", "B2"]),
    "records of a hospital": (Clue.KEY, "prontuario", ["77", "78", "77"]),
    "ids of people in another table": (Clue.KEY, "id_paciente", ["1", "1", "2"] * 10),
    "notes of which half repeat": (
        Clue.FREE_TEXT, "evolucao", ["the patient is well and goes home today with her family"] * 60
        + [f"the patient of bed {i} says that she slept well" for i in range(40)]),
    "answers with a phone number": (Clue.FREE_TEXT, "x", ["I do not know"] * 90 + ["my aunt, 85 98888-7777, knows"]),
    "sentences": (Clue.FREE_TEXT, "x", [f"the patient of bed {i} says that she slept well" for i in range(40)]),
}  # fmt: skip


@pytest.mark.parametrize("case", POSITIVES)
def test_found(case: str) -> None:
    clue, name, cells = POSITIVES[case]
    assert found(name, cells).get(clue, 0) >= 0.6


@pytest.mark.parametrize(
    ("clue", "name", "cells"),
    [
        (Clue.CPF, "protocol", ELEVEN_DIGITS),
        (Clue.PHONE, "protocol", ELEVEN_DIGITS),
        (Clue.CARD, "age", [str(i) for i in range(100)]),
        (Clue.CPF, "age", [str(i) for i in range(100)]),
        (Clue.CARD, "barcode", [str(7_891_000_000_000 + 13 * i) for i in range(200)]),
        (Clue.CARD, "id", [str(4_000_000_000_000_000 + i) for i in range(200)]),
        (Clue.PERSON, "city", ["São Paulo", "Rio de Janeiro", "Belo Horizonte", "Porto Alegre", "Campo Grande"]),
        (Clue.PERSON, "occupation", ["Tech-support", "Craft repair", "Sales"]),
        (Clue.KEY, "age", [str(i % 80) for i in range(500)]),
        (Clue.KEY, "income", [str(900 + 13 * i * i) for i in range(500)]),
        (Clue.KEY, "id_municipio", ["2304400", "2312908"] * 50),
        (Clue.DATE, "x", ["12/1999"]),
        (Clue.IP, "version", ["1.5", "2.10"]),
        (Clue.EMAIL, "x", ["@home", "a@b", "ana at ufc.br"]),
        (Clue.UUID, "x", ["123e4567"]),
        (Clue.FREE_TEXT, "x", ["I agree with most of what was said there"] * 9 + ["I do not agree with it at all"] * 9),
        (Clue.FREE_TEXT, "x", ["(85) 98888-7777", "to be seen 2 or 3 times"]),
        (Clue.ADDRESS, "bairro", ["Aldeota", "Vila Velha", "Praia de Iracema"]),
    ],
)
def test_not_found(clue: Clue, name: str, cells: list[str | None]) -> None:
    assert clue not in found(name, cells)


def test_a_single_number_that_passes_a_check_by_chance_is_no_certainty() -> None:
    assert found("x", [luhn(400_000_000_000_000)])[Clue.CARD] < 0.6
    assert found("x", [cpf(123_456_789, written=False)])[Clue.CPF] < 0.6
    assert found("cpf", [cpf(123_456_789, written=False)])[Clue.CPF] > 0.9


def test_valid_check_digits_weigh_more_than_the_name() -> None:
    valid = found("cpf", [cpf(n) for n in NINES])[Clue.CPF]
    invalid = found("cpf", [cpf(n, valid=False) for n in NINES])[Clue.CPF]
    named = found("cpf", ["cancelled", "pending"])[Clue.CPF]
    assert valid > invalid > named >= 0.6


def test_the_surest_finding_comes_first_and_each_kind_once() -> None:
    findings = detect(column("cpf", GUIDE["cpf"]))
    assert findings[0].kind is Clue.CPF
    assert len({finding.kind for finding in findings}) == len(findings)
    assert list(findings) == sorted(findings, key=lambda finding: -finding.confidence)


@pytest.mark.parametrize("name", ["Data de Nascimento", "dataNascimento", "DT_NASC", "date-of-birth", "DOB"])
def test_names_are_read_without_accents_case_and_separators(name: str) -> None:
    assert "birth date" in detect(column(name, ["31/12/1999"]))[0].reason


@settings(deadline=None)
@given(st.integers(0, 10**9 - 1), st.integers(9, 10), st.integers(1, 9))
def test_a_wrong_check_digit_breaks_a_cpf(number: int, place: int, shift: int) -> None:
    right = cpf(number, written=False)
    wrong = right[:place] + str((int(right[place]) + shift) % 10) + right[place + 1 :]
    assert form.cpf(right) == (len(set(right)) > 1)
    assert not form.cpf(wrong)


@settings(deadline=None)
@given(st.integers(3 * 10**14, 7 * 10**14 - 1), st.integers(0, 15), st.integers(1, 9))
def test_a_wrong_digit_breaks_a_card(number: int, place: int, shift: int) -> None:
    right = luhn(number)
    wrong = right[:place] + str((int(right[place]) + shift) % 10) + right[place + 1 :]
    assert form.card(right) == (len(set(right)) > 1)
    assert not form.card(wrong)


@settings(deadline=None)
@given(st.text(max_size=40), st.lists(st.none() | st.text(min_size=1, max_size=40), max_size=25))
def test_every_finding_has_a_confidence_between_0_and_1(name: str, cells: list[str | None]) -> None:
    assert all(0 < finding.confidence <= 1 for finding in detect(column(name, cells)))


@pytest.mark.parametrize("cells", [[], [None], [None] * 50])
def test_an_empty_column_is_judged_by_its_name_alone(cells: list[str | None]) -> None:
    assert found("x", cells) == {}
    assert found("email", cells)[Clue.EMAIL] >= 0.6
