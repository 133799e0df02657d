"""Codes of public classifications: what ships is whole, and what is not in it is refused or stays."""

import re
from itertools import pairwise

import pytest

from cobogo.data.hierarchy import Hierarchy
from cobogo.data.hierarchy.codes import LEVELS, codes_hierarchy, unknown_codes
from cobogo.data.policy import CodesHierarchy
from cobogo.errors import UnfitValues
from cobogo.floor.files import read_packaged

PACKAGE = "cobogo.data.hierarchy.classifications"
WRONG_CHECK_DIGITS = {2201919, 2201988, 2202251, 2611533, 3117836, 3152131, 4305871, 5203939, 5203962}
"""The municipalities whose code IBGE gave another last digit than its rule."""


def codes(classification: str, values: list[str], *, lenient: bool = False) -> Hierarchy:
    spec = CodesHierarchy.model_validate({"codes": classification, "lenient": lenient})
    return codes_hierarchy("place", spec, values, where="policy")


def ladder(h: Hierarchy, value: str) -> list[str | None]:
    return [h.generalize(value, level) for level in range(1, h.height + 1)]


def municipalities() -> list[str]:
    rows = read_packaged(PACKAGE, "municipalities")
    return [row["microregion"][:2] + rest for row in rows for rest in row["municipalities"].split()]


def check_digit(code: str) -> int:
    products = [int(digit) * (1 + place % 2) for place, digit in enumerate(code[:6])]
    return -sum(product - 9 * (product > 9) for product in products) % 10


def test_every_municipality_ships_with_the_check_digit_of_ibge() -> None:
    known = municipalities()
    assert len(set(known)) == 5_570
    assert len({code[:6] for code in known}) == 5_570
    assert {int(code) for code in known if check_digit(code) != int(code[6])} == WRONG_CHECK_DIGITS


def test_regions_of_brazil_are_as_many_as_they_are() -> None:
    h = codes("municipality", municipalities())
    assert [len(labels) for labels in h.labels] == [5_570, 558, 137, 27, 5]


@pytest.mark.parametrize(
    ("code", "groups"),
    [
        ("2304400", ["Fortaleza/CE", "Metropolitana de Fortaleza", "Ceará", "Nordeste"]),
        ("355030", ["São Paulo/SP", "Metropolitana de São Paulo", "São Paulo", "Sudeste"]),
        ("5300108", ["Brasília/DF", "Distrito Federal", "Distrito Federal", "Centro-Oeste"]),
    ],
)
def test_a_municipality_has_its_regions(code: str, groups: list[str]) -> None:
    assert ladder(codes("municipality", [code]), code) == groups


@pytest.mark.parametrize(
    ("cep", "state"),
    [
        ("01001-000", "São Paulo"), ("19999-999", "São Paulo"), ("20000000", "Rio de Janeiro"),
        ("60020-270", "Ceará"), ("68899-999", "Pará"), ("68900-000", "Amapá"), ("69299-999", "Amazonas"),
        ("69300-000", "Roraima"), ("69400-000", "Amazonas"), ("69900-000", "Acre"), ("72799-999", "Distrito Federal"),
        ("72800-000", "Goiás"), ("73000-000", "Distrito Federal"), ("73700-000", "Goiás"), ("76799-999", "Goiás"),
        ("76800-000", "Rondônia"), ("77000-000", "Tocantins"), ("78000-000", "Mato Grosso"),
        ("79000-000", "Mato Grosso do Sul"), ("88000-000", "Santa Catarina"), ("99.999-999", "Rio Grande do Sul"),
    ],
)  # fmt: skip
def test_a_postal_code_is_of_its_state(cep: str, state: str) -> None:
    assert ladder(codes("cep", [cep]), cep)[2] == state


def test_every_state_has_postal_codes_and_none_has_those_of_another() -> None:
    seen: dict[int, str] = {}
    for row in read_packaged(PACKAGE, "states"):
        for first, last in re.findall("([0-9]{3})-([0-9]{3})", row["postal"]):
            for prefix in range(int(first), int(last) + 1):
                assert seen.setdefault(prefix, row["state"]) == row["state"]
    assert len(set(seen.values())) == 27
    assert set(range(10, 1000)) - set(seen) == {789}  # once Rondônia's, given out no more


def test_the_blocks_of_icd_10_are_in_their_chapters_and_apart() -> None:
    rows = list(read_packaged(PACKAGE, "icd10"))
    assert len(rows) == 22
    spans = sorted(tuple(block.split("-")) for row in rows for block in row["blocks"].split())
    assert all(first <= last for first, last in spans)
    assert all(last < first for (_, last), (first, _) in pairwise(spans))
    for row in rows:
        low, high = row["codes"].split("-")
        assert all(low <= first and last <= high for first, last in (b.split("-") for b in row["blocks"].split()))


@pytest.mark.parametrize(
    ("code", "groups"),
    [
        ("A09.1", ["A09", "A00-A09", "I (A00-B99)"]),
        ("a091", ["A09", "A00-A09", "I (A00-B99)"]),
        ("I10X", ["I10", "I10-I15", "IX (I00-I99)"]),
        ("D48", ["D48", "D37-D48", "II (C00-D48)"]),
        ("D50.0", ["D50", "D50-D53", "III (D50-D89)"]),
        ("Y05", ["Y05", "X85-Y09", "XX (V01-Y98)"]),
        ("U07.1", ["U07", "U00-U49", "XXII (U00-U99)"]),
        ("M8405", ["M84", "M80-M85", "XIII (M00-M99)"]),
    ],
)
def test_a_diagnosis_has_its_chapter(code: str, groups: list[str]) -> None:
    assert ladder(codes("icd-10", [code]), code) == groups


@pytest.mark.parametrize(
    ("classification", "unknown"),
    [
        ("municipality", ["2304401", "23044", "Fortaleza", "9999999", ""]),
        ("cep", ["78900-000", "00100-000", "6002027", "60020_270"]),
        ("icd-10", ["A10", "C4A", "A0", "flu", "S72.001A"]),
    ],
)
def test_an_unknown_code_is_refused_or_stays_as_it_is(classification: str, unknown: list[str]) -> None:
    assert unknown_codes(classification, unknown) == unknown
    with pytest.raises(UnfitValues) as raised:
        codes(classification, unknown)
    assert raised.value.values == tuple(unknown)
    h = codes(classification, unknown, lenient=True)
    assert all(ladder(h, value) == [value] * len(LEVELS[classification]) for value in unknown)


def test_a_value_that_is_called_like_a_group_goes_on_with_it() -> None:
    h = codes("municipality", ["Ceará", "3550308"], lenient=True)
    assert ladder(h, "Ceará") == ["Ceará", "Ceará", "Ceará", "Nordeste"]
