"""The report of a table's risk: sources, edges, the risk of each record, the page, and what it must not show."""

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import cobogo
from cobogo.data.policy import Policy
from cobogo.errors import DataError, OutputError, PolicyError
from support.paths import ROOT

pytestmark = pytest.mark.slow

HOSPITAL = ROOT / "src" / "cobogo" / "examples" / "data" / "hospital"
ROLES: dict[str, Any] = {"a": {"role": "quasi-identifier"}, "b": {"role": "quasi-identifier"}}
TABLE = pa.table({"a": ["x", "x", "y", None, None], "b": ["1", "1", "2", "2", "2"]})


def test_a_small_table_by_hand() -> None:
    found = cobogo.risk(TABLE, {"attributes": ROLES}, threshold=0.4)
    assert found.sizes.tolist() == [2, 1, 2]
    assert found.attackers.prosecutor.highest == 1
    assert found.attackers.prosecutor.average == pytest.approx(3 / 5)
    assert found.attackers.prosecutor.over == 5
    assert (found.attackers.journalist, found.population) == (None, None)
    assert found.attackers.marketer == found.attackers.prosecutor.average
    assert (found.uniques, found.unique_share) == (1, pytest.approx(1 / 5))
    assert found.records_at_risk().people.tolist() == [2, 2, 1, 2, 2]
    assert found.telling()[0].attributes == ("a",)


@pytest.mark.parametrize(
    ("columns", "classes", "average"),
    [
        ({"a": ["x"], "b": ["1"]}, 1, 1.0),
        ({"a": ["x"] * 6, "b": ["1"] * 6}, 1, 1 / 6),
        ({"a": list("uvwxyz"), "b": ["1"] * 6}, 6, 1.0),
        ({"a": pa.array([None] * 3, pa.string()), "b": pa.array([None] * 3, pa.string())}, 1, 1 / 3),
    ],
    ids=["one", "equal", "unique", "null"],
)
def test_edges(columns: dict[str, Any], classes: int, average: float, tmp_path: Path) -> None:
    found = cobogo.risk(pa.table(columns), {"attributes": ROLES}, fraction=0.1)
    assert len(found.sizes) == classes
    assert found.attackers.prosecutor.average == pytest.approx(average)
    assert found.population is not None
    assert found.population.estimates["dankar"].uniques is not None
    assert len(found.records_at_risk()) == found.records
    json.dumps(found.as_dict(), allow_nan=False)
    found.write(tmp_path / "page")
    assert sorted(file.name for file in (tmp_path / "page").iterdir()) == ["risk.html", "risk.json", "risk.png"]


def test_no_records(tmp_path: Path) -> None:
    (tmp_path / "empty.csv").write_text("a,b\n")
    with pytest.raises(DataError, match="no records"):
        cobogo.risk(tmp_path / "empty.csv", {"attributes": ROLES})


def test_a_population_is_counted(tmp_path: Path) -> None:
    population = pa.table({"a": ["x"] * 4 + ["y", "y", "z"] + [None] * 4, "b": list("1111") + list("223") + ["2"] * 4})
    pq.write_table(population, tmp_path / "population.parquet")
    found = cobogo.risk(TABLE, {"attributes": ROLES}, population=tmp_path / "population.parquet")
    assert found.population is not None
    assert (found.population.size, found.population.counted, found.population.counted_here) == (11, 1, 0)
    assert found.attackers.journalist is not None
    assert not found.attackers.estimated
    assert found.attackers.journalist.highest == 1 / 2
    assert found.attackers.marketer == pytest.approx((2 / 4 + 1 / 2 + 2 / 4) / 5)
    assert found.records_at_risk().journalist.tolist() == [1 / 4, 1 / 4, 1 / 2, 1 / 4, 1 / 4]


def test_a_population_that_lacks_somebody(tmp_path: Path) -> None:
    pq.write_table(TABLE.slice(1), tmp_path / "population.parquet")
    with pytest.raises(DataError, match="does not have 1 record of the data"):
        cobogo.risk(TABLE, {"attributes": ROLES}, population=tmp_path / "population.parquet")


def test_the_policy_tells_what_the_call_does_not() -> None:
    rules = Policy.of({"attributes": ROLES, "risk": {"threshold": 0.5, "population-size": 50}})
    assert cobogo.risk(TABLE, rules).population.size == 50
    assert cobogo.risk(TABLE, rules).threshold == 0.5
    told = cobogo.risk(TABLE, rules, fraction=0.5)
    assert (told.population.size, told.threshold) == (10, 0.5)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"population_size": 4}, "4 people, and 5 in the data"),
        ({"fraction": 0.0}, "must be above 0"),
        ({"fraction": 1.5}, "must be at most 1"),
        ({"threshold": 0.0}, "must be above 0"),
        ({"population_size": 9, "fraction": 0.5}, "three ways to say the same"),
        ({"combinations": 0}, "1 or more"),
    ],
    ids=["small", "none", "more", "threshold", "both", "combinations"],
)
def test_what_cannot_be(options: dict[str, Any], said: str) -> None:
    with pytest.raises(PolicyError, match=said):
        cobogo.risk(TABLE, {"attributes": ROLES}, **options)


def test_somebody_in_several_classes_is_not_estimated() -> None:
    table = TABLE.append_column("who", pa.array(["p", "p", "p", "q", "r"]))
    roles = {"attributes": ROLES | {"who": {"role": "identifier"}}, "data": {"unit": "who"}}
    found = cobogo.risk(table, roles, population_size=30)
    assert found.sizes.tolist() == [1, 1, 2]
    assert (found.people, found.records, found.unit) == (3, 5, True)
    assert found.population.estimates["dankar"].uniques is None
    assert "several classes" in str(found.population.estimates["dankar"].why)


def test_data_without_the_identifiers_and_a_release(tmp_path: Path) -> None:
    release = cobogo.anonymize(HOSPITAL / "improved.toml")
    release.write(tmp_path / "release")
    whole = cobogo.risk(tmp_path / "release")
    for place in (tmp_path / "release" / "public", tmp_path / "release"):
        assert cobogo.risk(place, HOSPITAL / "improved.toml").sizes.tolist() == whole.sizes.tolist()
    file = cobogo.risk(tmp_path / "release" / "public" / "release.csv", HOSPITAL / "improved.toml")
    assert sorted(file.sizes.tolist()) == sorted(whole.sizes.tolist())
    assert int(whole.sizes.min()) >= 4
    assert whole.records == len(release.to_arrow())
    with pytest.raises(PolicyError, match="only with the policy"):
        cobogo.risk(tmp_path / "release", population=HOSPITAL / "patients.csv")
    beside = cobogo.risk(tmp_path / "release", HOSPITAL / "improved.toml", population=HOSPITAL / "patients.csv")
    assert beside.population.size == 204
    assert beside.attackers.journalist.highest <= whole.attackers.prosecutor.highest


def test_the_risk_of_each_record_as_a_file(tmp_path: Path) -> None:
    found = cobogo.risk(TABLE, {"attributes": ROLES}, fraction=0.5)
    found.write_records(tmp_path / "records.csv")
    header, *lines = (tmp_path / "records.csv").read_text().splitlines()
    assert header == "row,people,prosecutor,journalist,suda,dis_suda"
    assert [line.split(",")[:3] for line in lines] == [
        ["1", "2", "0.5"], ["2", "2", "0.5"], ["3", "1", "1"], ["4", "2", "0.5"], ["5", "2", "0.5"],
    ]  # fmt: skip
    with pytest.raises(OutputError, match="already exists"):
        found.write_records(tmp_path / "records.csv")
    with pytest.raises(OutputError, match="cannot be written"):
        found.write_records(tmp_path / "nowhere" / "records.csv")
    assert [file.name for file in tmp_path.iterdir()] == ["records.csv"]


@pytest.mark.parametrize("language", ["en", "pt-BR"])
def test_the_page_shows_no_value(language: str, tmp_path: Path) -> None:
    table = pa.table({"nome": ["Iracema Alencar", "José Martiniano"], "cpf": ["529.982.247-25", "111.444.777-35"],
                      "bairro": ["Benfica<script>", "Aldeota"], "idade": ["91", "33"]})  # fmt: skip
    roles = {name: {"role": "quasi-identifier"} for name in table.column_names}
    found = cobogo.risk(table, {"attributes": roles}, population_size=1000)
    found.write(tmp_path, language=language)
    page = (tmp_path / "risk.html").read_text(encoding="utf-8")
    text = page + (tmp_path / "risk.json").read_text(encoding="utf-8") + json.dumps(found.as_dict(), ensure_ascii=False)
    for column in table.columns:
        assert not any(value in text for value in column.to_pylist() if not value.isdigit())
    assert f'<html lang="{language}">' in page
    assert "<script" not in page
