"""Columns that HIPAA's safe harbour lists or the LGPD protects: what is found, why, and what is left alone."""

from datetime import datetime
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import cobogo

pytestmark = pytest.mark.slow

YEAR = datetime.now().astimezone().year


def checked(columns: dict[str, list[str]], roles: dict[str, str] | None = None, **options: Any) -> dict[str, set[str]]:
    given = {name: {"role": (roles or {}).get(name, "quasi-identifier")} for name in columns}
    report = cobogo.risk(pa.table(columns), {"attributes": given}, **options)
    found: dict[str, set[str]] = {}
    for one in report.columns:
        assert 0.5 <= one.confidence <= 1
        assert one.reason
        assert one.rules
        assert one.released == (one.role != "identifier")
        assert not any(value in one.reason for value in columns[one.column] if len(value) > 3)
        found.setdefault(one.column, set()).add(one.what)
    return found


@pytest.mark.parametrize(
    ("column", "values", "expected"),
    [
        ("paciente", ["Iracema de Alencar", "José Martiniano", "Maria Moura"], "name"),
        ("doc", ["529.982.247-25", "111.444.777-35", "123.456.789-09"], "CPF"),
        ("contato", ["ana@exemplo.br", "rui@exemplo.br"], "e-mail address"),
        ("telefone", ["(85) 98888-7777", "(88) 97777-6666"], "phone number"),
        ("pagamento", ["4111 1111 1111 1111", "5500 0000 0000 0004"] * 3, "payment card"),
        ("logradouro", ["Rua das Flores, 12", "Av. Beira Mar, 300"], "address"),
        ("cns", ["898 0000 0004 3208", "898 0000 0004 3208"], "health card number"),
        ("ip", ["10.0.0.1", "10.0.0.2"], "IP address"),
        ("nascimento", ["17/04/2012", "22/03/2013"], "full date"),
        ("alta", ["04/2012", "03/2013"], "month of a year"),
        ("cep", ["60160-230", "62030-325"], "small area"),
        ("bairro", ["Benfica", "Aldeota"], "small area"),
        ("latitude", ["-3.7319", "-3.7172"], "coordinates"),
        ("idade", ["90", "31"], "age over 89"),
        ("age", ["[90, 95)", "[30, 35)"], "age over 89"),
        ("religiao", ["a", "b"], "sensitive personal data"),
    ],
)
def test_what_is_found(column: str, values: list[str], expected: str) -> None:
    assert expected in checked({column: values, "other": ["1"] * len(values)})[column]


@pytest.mark.parametrize(
    ("column", "values"),
    [
        ("idade", ["89", "31"]),
        ("idade", ["90+", "30-39"]),
        ("uf", ["CE", "PI"]),
        ("ano_nascimento", [str(YEAR - 50), str(YEAR - 20)]),
        ("sexo", ["M", "F"]),
    ],
    ids=["89", "top-coded", "state", "year", "sex"],
)
def test_what_is_left_alone(column: str, values: list[str]) -> None:
    assert checked({column: values}) == {}


def test_the_very_old_among_many_dates_are_counted_all() -> None:
    """More dates than a profile holds, the old ones among the least frequent."""
    days = [
        f"{day:02d}/{month:02d}/{year}" for year in range(2000, 2009) for month in range(1, 13) for day in range(1, 29)
    ]
    columns = {"nascimento": days * 2 + ["01/01/1901", "02/01/1901", f"31/12/{YEAR - 89}"]}
    report = cobogo.risk(pa.table(columns), {"attributes": {"nascimento": {"role": "quasi-identifier"}}})
    reasons = [one.reason for one in report.columns if one.what == "age over 89"]
    assert reasons == ["2 records of people over 89, who should be one group"]


def test_places_of_many_people_are_left_alone(tmp_path: Path) -> None:
    """A population of two towns: one of 20,000, one of one fewer."""
    population = pa.table({"cidade": ["Sobral"] * 20_000 + ["Jati"] * 19_999})
    pq.write_table(population, tmp_path / "p.parquet")
    pq.write_table(population.slice(0, 20_000), tmp_path / "large.parquet")
    large, both = {"cidade": ["Sobral"] * 4}, {"cidade": ["Sobral", "Sobral", "Jati", "Jati"]}
    assert checked(large, population=tmp_path / "large.parquet") == {}
    assert checked(both, population=tmp_path / "p.parquet") == {"cidade": {"small area"}}
    assert checked(large, population_size=80_000) == {"cidade": {"small area"}}, "four people are no census"
    for size, few in ((40_000, 0), (39_999, 2)):
        found = cobogo.risk(
            pa.table(both), {"attributes": {"cidade": {"role": "quasi-identifier"}}}, population_size=size
        )
        assert f"{few} of its 2 values have fewer than 20,000 people (estimated)" in found.columns[0].reason


def test_what_would_be_released_comes_first() -> None:
    columns = {"cpf": ["529.982.247-25", "111.444.777-35"], "nome": ["Ana Lima", "Rui Melo"], "sexo": ["M", "F"]}
    roles = {"cpf": {"role": "identifier"}, "nome": {"role": "non-sensitive"}, "sexo": {"role": "quasi-identifier"}}
    found = cobogo.risk(pa.table(columns), {"attributes": roles}).columns
    assert [(one.column, one.released) for one in found] == [("nome", True), ("cpf", False)]
