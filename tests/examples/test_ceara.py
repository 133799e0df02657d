"""The example cases look like Ceará's, are the same wherever they are made, and belong to nobody."""

from __future__ import annotations

import csv
import math
import re
from collections import Counter
from datetime import date, datetime
from functools import partial
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cobogo.examples import ceara, places
from cobogo.examples import words as names
from support.effort import examples

pytestmark = pytest.mark.slow

ROWS = 50_000
COLUMNS = ["nome", "cpf", "localidade", "data_nascimento", "raca_cor"]


def tolerance(samples: int, comparisons: int) -> float:
    """How far shares may lie from their expectations, all of them, but for a chance of 1e-6 (Hoeffding)."""
    return math.sqrt(math.log(2 * comparisons / 1e-6) / (2 * samples))


@pytest.fixture(scope="module")
def cases() -> dict[str, list[str]]:
    return ceara.generate(ROWS).to_pydict()


def right_check_digits(first_nine: np.ndarray) -> np.ndarray:
    """The rule of the Receita Federal, digit by digit: a row of digits for each CPF."""
    digits = first_nine
    for _ in range(2):
        weights = np.arange(digits.shape[1] + 1, 1, -1)
        rest = (weights * digits).sum(axis=1) % 11
        digits = np.column_stack([digits, np.where(rest < 2, 0, 11 - rest)])
    return digits[:, 9:]


# --- the table ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("rows", [0, 1, 7])
def test_the_table_has_the_rows_asked_for_and_five_columns_of_text(rows: int) -> None:
    table = ceara.generate(rows)
    assert table.num_rows == rows
    assert table.schema == pa.schema([(column, pa.string()) for column in COLUMNS])


def test_twenty_thousand_rows_by_default() -> None:
    assert ceara.generate().num_rows == 20_000


def test_nothing_is_missing_or_empty(cases: dict[str, list[str]]) -> None:
    assert all(value for column in cases.values() for value in column)


@pytest.mark.parametrize("rows", [-1, 10**8 + 1])
def test_a_wrong_number_of_rows_is_named(rows: int, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"The 'rows' parameter of generate must be .* Got .* instead\."):
        ceara.generate(rows)
    with pytest.raises(ValueError, match=r"The 'rows' parameter of write must be .* Got .* instead\."):
        ceara.write(tmp_path / "cases.csv", rows)
    assert list(tmp_path.iterdir()) == []


def test_a_wrong_seed_or_size_is_named() -> None:
    with pytest.raises(ValueError, match="The 'seed' parameter of generate must not be negative"):
        ceara.generate(1, seed=-1)
    with pytest.raises(ValueError, match="The 'size' parameter of batches must be at least 1"):
        ceara.batches(1, size=0)


# --- the same everywhere -----------------------------------------------------------------------------------------


def test_a_seed_gives_these_rows_on_every_machine() -> None:
    rows = [";".join(row.values()) for row in ceara.generate(3, seed=7).to_pylist()]
    assert rows == [
        "Edmundo Siqueira;464.641.253-41;Peixe Gordo/Tabuleiro do Norte/CE;28/01/1954;BRANCA",
        "Lidiane Oliveira Carvalho;261.390.403-16;Zona Rural/São João do Jaguaribe/CE;17/08/1961;PARDA",
        "André Gonçalves Nogueira Neto;570.990.873-59;Jari/Maracanaú/CE;22/12/1982;PARDA",
    ]


def test_the_same_seed_gives_the_same_table_and_another_seed_another() -> None:
    assert ceara.generate(500, seed=3).equals(ceara.generate(500, seed=3))
    one, other = ceara.generate(500, seed=3).to_pydict(), ceara.generate(500, seed=4).to_pydict()
    assert all(one[column] != other[column] for column in COLUMNS)


@settings(max_examples=examples(40), deadline=None)
@given(rows=st.integers(0, 300), size=st.integers(1, 400), seed=st.integers(0, 2**70))
def test_the_size_of_the_batches_does_not_change_the_rows(rows: int, size: int, seed: int) -> None:
    batches = list(ceara.batches(rows, seed=seed, size=size))
    assert all(batch.num_rows == size for batch in batches[:-1])
    assert pa.Table.from_batches(batches, ceara.SCHEMA).equals(ceara.generate(rows, seed=seed))


@settings(max_examples=examples(20), deadline=None)
@given(rows=st.integers(0, 200), more=st.integers(0, 200), seed=st.integers(0, 2**64))
def test_a_shorter_table_is_the_beginning_of_a_longer_one(rows: int, more: int, seed: int) -> None:
    assert ceara.generate(rows + more, seed=seed).slice(0, rows).equals(ceara.generate(rows, seed=seed))


def test_a_table_of_several_default_batches_is_whole() -> None:
    rows = ceara.BATCH_ROWS + 10
    table = ceara.generate(rows)
    assert table.num_rows == rows
    assert table.equals(pa.Table.from_batches(ceara.batches(rows, size=4_099), ceara.SCHEMA))


# --- CPFs that belong to nobody ----------------------------------------------------------------------------------


def test_cpfs_are_well_formed_and_distinct(cases: dict[str, list[str]]) -> None:
    assert all(re.fullmatch(r"\d{3}\.\d{3}\.\d{3}-\d{2}", cpf) for cpf in cases["cpf"])
    assert len(set(cases["cpf"])) == ROWS


def test_the_check_digits_of_every_cpf_are_wrong(cases: dict[str, list[str]]) -> None:
    digits = np.array([[int(digit) for digit in cpf if digit.isdigit()] for cpf in cases["cpf"]])
    assert (digits[:, 9:] != right_check_digits(digits[:, :9])).any(axis=1).all()


def test_wrong_check_digits_are_spread_over_all_pairs(cases: dict[str, list[str]]) -> None:
    assert len({cpf[-2:] for cpf in cases["cpf"]}) == 100


@settings(max_examples=examples(100), deadline=None)
@given(st.lists(st.integers(0, 999_999_999), min_size=1, max_size=20))
def test_check_digits_follow_the_rule_of_the_receita_federal(numbers: list[int]) -> None:
    found = ceara.check_digits(np.array(numbers, dtype=np.int64))
    right = right_check_digits(np.array([[int(digit) for digit in f"{number:09d}"] for number in numbers]))
    assert [f"{pair:02d}" for pair in found] == [f"{first}{second}" for first, second in right]


def test_cpfs_are_distinct_up_to_the_last_row_there_may_be() -> None:
    first_eight = ceara._permute(np.arange(99_700_000, 100_000_000), 2020)
    assert first_eight.min() >= 0
    assert first_eight.max() < 10**8
    assert len(np.unique(first_eight)) == 300_000


# --- people ------------------------------------------------------------------------------------------------------


def test_names_are_in_title_case_with_one_or_two_surnames(cases: dict[str, list[str]]) -> None:
    given_names = set(names.given_names())
    words = {word for name in set(cases["nome"]) for word in name.split(" ")}
    assert all(word in names.PARTICLES or re.fullmatch(r"[^\W\d_a-z]\w+", word) for word in words)
    for name in cases["nome"][:3_000]:
        parts = [part for part in name.split(" ") if part not in names.PARTICLES]
        assert 2 <= len(parts) <= 6
        assert any(name.startswith(f"{one} ") for one in given_names)


def test_names_follow_the_fashion_of_their_time(cases: dict[str, list[str]]) -> None:
    born: dict[str, list[int]] = {"Raimunda": [], "Jéssica": [], "Maria Eduarda": []}
    for name, birth in zip(cases["nome"], cases["data_nascimento"], strict=True):
        for given_name, years in born.items():
            if name.startswith(f"{given_name} "):
                years.append(int(birth[-4:]))
    assert max(born["Raimunda"]) < 1990
    assert min(born["Jéssica"]) >= 1960
    assert min(born["Maria Eduarda"]) >= 1980


def test_dates_of_birth_exist_and_nobody_is_older_than_a_hundred_or_not_yet_born(cases: dict[str, list[str]]) -> None:
    assert all(re.fullmatch(r"\d{2}/\d{2}/\d{4}", birth) for birth in cases["data_nascimento"])
    born = [datetime.strptime(birth, "%d/%m/%Y").date() for birth in set(cases["data_nascimento"])]
    assert date(1920, 7, 1) <= min(born) <= date(1930, 1, 1)
    assert date(2020, 1, 1) <= max(born) <= date(2020, 6, 30)
    assert any((day.month, day.day) == (2, 29) for day in born)


def test_ages_are_those_of_an_epidemic_among_working_adults(cases: dict[str, list[str]]) -> None:
    counts = Counter(_age(birth) for birth in cases["data_nascimento"])

    def share(low: int, high: int) -> float:
        return sum(counts[age] for age in range(low, high)) / ROWS

    slack = tolerance(ROWS, 5)
    assert 0.03 - slack < share(0, 15) < 0.07 + slack
    assert 0.50 - slack < share(25, 50) < 0.58 + slack
    assert 0.14 - slack < share(60, 101) < 0.20 + slack
    assert 0.02 - slack < share(80, 101) < 0.04 + slack
    assert max(counts) < 101


def _age(birth: str) -> int:
    day, month, year = (int(part) for part in birth.split("/"))
    return 2020 - year - ((month, day) > (6, 30))


def test_all_days_of_the_year_are_birthdays(cases: dict[str, list[str]]) -> None:
    months = Counter(birth[3:5] for birth in cases["data_nascimento"])
    lengths = {
        month: (date(2021 + month // 12, month % 12 + 1, 1) - date(2021, month, 1)).days for month in range(1, 13)
    }
    for month, days in lengths.items():
        assert abs(months[f"{month:02d}"] / ROWS - days / 365.25) < tolerance(ROWS, 12) + 0.001


# --- places and races --------------------------------------------------------------------------------------------


def test_localities_are_known_and_weighted_by_residents(cases: dict[str, list[str]]) -> None:
    residents = places.localities()
    assert set(cases["localidade"]) <= set(residents)
    cities, expected = Counter(locality.split("/")[1] for locality in cases["localidade"]), Counter[str]()
    for locality, count in residents.items():
        expected[locality.split("/")[1]] += count
    for city in places.municipalities():
        assert abs(cities[city] / ROWS - expected[city] / expected.total()) < tolerance(ROWS, 184)
    assert set(cities) == set(places.municipalities())


def test_races_have_their_shares(cases: dict[str, list[str]]) -> None:
    counts = Counter(cases["raca_cor"])
    assert set(counts) == {"PARDA", "AMARELA", "BRANCA", "PRETA", "INDÍGENA"}
    residents = places.localities()
    shares = sum(np.array(places.race_shares(one)) * count for one, count in residents.items())
    shares = dict(zip(places.RACES, shares / shares.sum(), strict=True))
    rough = {"PARDA": 0.66, "BRANCA": 0.24, "PRETA": 0.06, "AMARELA": 0.03, "INDÍGENA": 0.01}
    for race, share in shares.items():
        assert share == pytest.approx(rough[race], abs=0.005)
        assert abs(counts[race] / ROWS - share) < tolerance(ROWS, 5)


def test_indigenous_people_live_where_their_lands_are(cases: dict[str, list[str]]) -> None:
    share = {city: places.race_shares(f"Centro/{city}/CE")[4] / 1000 for city in places.municipalities()}
    assert {city for city, value in share.items() if value > 0.1} == {"Itarema", "Monsenhor Tabosa", "Poranga"}
    assert share["Caucaia"] > 5 * share["Fortaleza"]
    found = Counter(
        place.split("/")[1]
        for place, race in zip(cases["localidade"], cases["raca_cor"], strict=True)
        if race == "INDÍGENA"
    )
    assert found["Caucaia"] > found["Juazeiro do Norte"]


# --- the file ----------------------------------------------------------------------------------------------------


def test_the_file_is_plain_utf_8_with_semicolons_line_feeds_and_a_header(tmp_path: Path) -> None:
    path = tmp_path / "dados_covid-ce.csv"
    ceara.write(path, 2_000, seed=5)
    written = path.read_bytes()
    assert written.startswith(b"nome;cpf;localidade;data_nascimento;raca_cor\n")  # and so no BOM
    assert written.endswith(b"\n")
    assert b"\r" not in written
    assert b'"' not in written
    assert written.count(b"\n") == 2_001
    with path.open(encoding="utf-8", newline="") as file:
        assert list(csv.DictReader(file, delimiter=";")) == ceara.generate(2_000, seed=5).to_pylist()


def test_no_value_would_need_quotes() -> None:
    texts = [*places.localities(), *names.given_names(), *(borne for borne, _, _ in names.surnames())]
    assert not any(character in text for text in texts for character in ';"\n\r')


@pytest.mark.parametrize("rows", [0, 1])
def test_a_small_file_has_its_header_and_its_rows(rows: int, tmp_path: Path) -> None:
    ceara.write(tmp_path / "cases.csv", rows)
    assert (tmp_path / "cases.csv").read_bytes().count(b"\n") == 1 + rows


def test_a_file_of_several_batches_is_the_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ceara.write(tmp_path / "one.csv", 1_000)
    monkeypatch.setattr(ceara, "batches", partial(ceara.batches, size=33))
    ceara.write(tmp_path / "many.csv", 1_000)
    assert (tmp_path / "one.csv").read_bytes() == (tmp_path / "many.csv").read_bytes()


def test_a_file_that_could_not_be_finished_leaves_the_earlier_one_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "cases.csv"
    ceara.write(path, 3)
    before = path.read_bytes()

    def fail(start: int, stop: int, seed: int) -> pa.RecordBatch:
        raise OSError("no space left")

    monkeypatch.setattr(ceara, "_batch", fail)
    with pytest.raises(OSError, match="no space left"):
        ceara.write(path, 5)
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]
