"""Fakes: forms by independent validators, never an original, the same for the same, one for each."""

import string

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cobogo.data.schema import forms
from cobogo.errors import DataError
from cobogo.publish.mask import digits
from cobogo.publish.mask import operators as texts
from cobogo.publish.mask.fakes import MAIL, ListedFake, draw_for_each, fake, substitutes
from cobogo.publish.mask.secret import Secret, decrypt_values, encrypt_values, pseudonyms
from support.effort import examples

SECRET = Secret(bytes(range(32)))
VALID = {
    "cpf": forms.cpf,
    "cnpj": forms.cnpj,
    "card": forms.card,
    "email": forms.email,
    "phone": lambda value: forms.phone_written(value) or forms.phone_digits(value),
    "cep": lambda value: forms.postal_written(value) or forms.postal_form(value),
}
WRITTEN = {
    "cpf": ["529.982.247-25", "52998224725", "111.444.77735"],
    "cnpj": ["11.222.333/0001-81", "11222333000181"],
    "card": ["4111 1111 1111 1111", "4111-1111-1111-1111", "378282246310005"],
    "phone": ["(85) 98888-7777", "85988887777", "+55 85 98888-7777", "(85) 3222-3333", "8532223333"],
    "cep": ["60160-230", "60160230", "60.160-230"],
    "email": ["ana@hospital.org.br"],
}
STRANGE = ["", "abc", "CPF 12", "529.982.247-2X", "ç" * 300, "1" * 50]


def of(values: list[str], kind: str, **options: bool) -> list[str]:
    return substitutes(values, fake(kind, "br"), SECRET, kind, where="here", **{"unique": False, **options}).tolist()


@pytest.mark.parametrize("kind", sorted(VALID))
def test_fakes_are_valid_whatever_the_value(kind: str) -> None:
    values = WRITTEN[kind] + STRANGE + [f"{number:011d}" for number in range(300)]
    found = of(values, kind)
    assert [value for value in found if not VALID[kind](value)] == []
    assert not set(found) & set(values)
    assert fake(kind, "br").count_misfits(found) == 0


@pytest.mark.parametrize("kind", sorted(digits.DOCUMENTS))
def test_a_fake_number_is_written_as_the_value_is(kind: str) -> None:
    for value, found in zip(WRITTEN[kind], of(WRITTEN[kind], kind), strict=True):
        assert [c if not c.isdigit() else "0" for c in value] == [c if not c.isdigit() else "0" for c in found]


def test_one_number_written_in_two_ways_stays_one_number() -> None:
    dotted, bare = of(["529.982.247-25", "52998224725"], "cpf")
    assert dotted.replace(".", "").replace("-", "") == bare


@settings(max_examples=examples(30), deadline=None)
@given(st.sets(st.from_regex(r"[0-9]{3}\.[0-9]{3}\.[0-9]{3}-[0-9]{2}", fullmatch=True), min_size=1, max_size=40))
def test_check_digits_against_the_textbook(values: set[str]) -> None:
    found = of(sorted(values), "cpf")
    assert len(set(found)) == len(values)
    for value in found:
        d = [int(c) for c in value if c.isdigit()]
        for n in (9, 10):
            rest = sum(d[i] * (n + 1 - i) for i in range(n)) % 11
            assert d[n] == (0 if rest < 2 else 11 - rest)


def test_a_damaged_number_is_found() -> None:
    good = of([f"{number:011d}" for number in range(50)], "cpf")
    wrong = [value[:-1] + str((int(value[-1]) + 1) % 10) for value in good[:7]]
    assert fake("cpf", "br").count_misfits(good + wrong + ["x"]) == 8


@pytest.mark.parametrize("kind", ["name", "given-name", "surname", "city", "street", "email", "cpf"])
@pytest.mark.parametrize("place", ["br", "generic"])
def test_the_same_value_has_the_same_fake_and_another_secret_another(kind: str, place: str) -> None:
    values = [f"value {n}" for n in range(200)]
    made = fake(kind, place)
    one = substitutes(values, made, SECRET, "g", unique=False, where="").tolist()
    again = substitutes(values[::-1], made, SECRET, "g", unique=False, where="").tolist()[::-1]
    other = substitutes(values, made, Secret(bytes(32)), "g", unique=False, where="").tolist()
    assert one == again
    assert sum(a == b for a, b in zip(one, other, strict=True)) < 30


def test_no_word_of_a_list_stands_for_itself() -> None:
    words = ["Ana", "Rui", "Eva"]
    found = substitutes(words, ListedFake(words), SECRET, "g", unique=False, where="")
    assert all(new != old for new, old in zip(found, words, strict=True))
    each = draw_for_each(np.array(words * 50, dtype=object), ListedFake(words))
    assert all(new != old for new, old in zip(each, words * 50, strict=True))
    assert len(set(each[:3]) | set(each[3:])) == 3


def test_a_list_that_is_too_short() -> None:
    values = [f"v{n}" for n in range(5)]
    assert set(substitutes(values, ListedFake(["a", "b"]), SECRET, "g", unique=False, where="")) == {"a", "b"}
    with pytest.raises(DataError, match=r"too few substitutes for 5 distinct values"):
        substitutes(values, ListedFake(["a", "b", "c"]), SECRET, "g", unique=True, where="here")
    wide = [f"w{n}" for n in range(26)]
    found = substitutes(wide, ListedFake(list(string.ascii_lowercase * 1)), SECRET, "g", unique=False, where="")
    assert set(found) <= set(string.ascii_lowercase)


def test_names_in_capitals_stay_so_and_mail_goes_nowhere() -> None:
    assert all(value.isupper() for value in of(["MARIA DA SILVA", "JOÃO"], "name"))
    assert all(value.rpartition("@")[2] in MAIL for value in of(["a@b.c"], "email"))


@pytest.mark.parametrize("most", [1, 2, 30])
def test_dates_are_never_moved_by_no_day(most: int) -> None:
    moved = texts.shifts(np.arange(10_000, dtype=np.uint64) * np.uint64(7919), most)
    assert set(moved.tolist()) == set(range(-most, most + 1)) - {0}


def test_pseudonyms_and_encryption() -> None:
    values = ["Ana", "José Conceição", "Ana", None, ""]
    shut = encrypt_values(values, SECRET, "name")
    assert decrypt_values(shut, SECRET, "name") == values
    assert shut[0] != shut[2], "equal values look different"
    for secret, column in ((Secret(bytes(32)), "name"), (SECRET, "other")):
        with pytest.raises(DataError, match="4 values of 5 cannot be decrypted"):
            decrypt_values(shut, secret, column)
    one, two = pseudonyms(["Ana", "Rui"], SECRET, "people", 32)
    assert one != two
    assert [one] == pseudonyms(["Ana"], SECRET, "people", 32) != pseudonyms(["Ana"], SECRET, "staff", 32)
