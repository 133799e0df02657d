"""Releases in the formats that people expect: what is verified is what is in the file, and nothing else is in it."""

from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyreadstat
import pytest

import cobogo as cb
from cobogo.data.policy import Data
from cobogo.data.table.read import read
from cobogo.errors import OutputError
from cobogo.release import manifest
from cobogo.release.write import write_release

SEXES = {1: "male", 2: "female", 3: "withheld sex"}
ILLS = {1: "flu", 2: "asthma", 3: "plague"}


def survey(path: Path, kind: str) -> Path:
    """Eighty people, and one who is suppressed: the only one with the plague."""
    people = [("1980-01-05", 30 + n % 4, 1 + n % 2, 1 + n // 2 % 2) for n in range(80)]
    frame = pd.DataFrame([*people, ("1931-12-31", 93, 3, 3)], columns=["visit", "age", "sex", "ill"])
    labels: Any = {"sex": SEXES, "ill": ILLS}
    options: Any = {"file_label": "ward seven", "variable_value_labels": labels}
    if kind == "sav":
        pyreadstat.write_sav(frame, path, note="by Dr. Souza", **options)
    else:
        pyreadstat.write_dta(frame, path, **options)
    return path


def policy(output: str, labels: str = "values") -> dict[str, Any]:
    quasi = {"role": "quasi-identifier"}
    return {
        "data": {"labels": labels},
        "attributes": {
            "visit": {**quasi, "hierarchy": {"dates": "%Y-%m-%d", "levels": ["%Y"]}},
            "age": {**quasi, "hierarchy": {"intervals": [2, 4]}},
            "sex": quasi,
            "ill": {"role": "sensitive"},
        },
        "privacy": {"models": [{"model": "k-anonymity", "k": 3}]},
        "recoding": {"suppression-limit": 0.05},
        "output": {"format": output},
    }


@pytest.mark.parametrize("kind", ["sav", "dta"])
@pytest.mark.parametrize("output", ["xlsx", "sav", "dta"])
@pytest.mark.parametrize("labels", ["values", "codes", "hierarchy"])
def test_the_file_has_the_released_table_and_nothing_else(tmp_path: Path, kind: str, output: str, labels: str) -> None:
    release = cb.anonymize(survey(tmp_path / f"people.{kind}", kind), policy(output, labels))
    assert release.write(tmp_path / "out")
    assert cb.verify(tmp_path / "out")
    file = tmp_path / "out" / "public" / f"release.{output}"
    released = read(file, manifest.load(file.parent).data.reading).expression.to_pyarrow()
    planned = release.to_arrow().to_pylist()
    assert sorted(map(str, released.to_pylist())) == sorted(map(str, planned))
    public = b"".join(path.read_bytes() for path in file.parent.iterdir())
    for secret in ("withheld sex", "plague", "ward seven", "Souza", "1931"):
        assert secret.encode() not in public


def test_labels_stay_labels_in_spss(tmp_path: Path) -> None:
    cb.anonymize(survey(tmp_path / "people.sav", "sav"), policy("sav")).write(tmp_path / "out")
    frame, about = pyreadstat.read_sav(tmp_path / "out" / "public" / "release.sav")
    assert about.variable_value_labels == {"sex": {1: "male", 2: "female"}, "ill": {1: "flu", 2: "asthma"}}
    assert set(frame["sex"]) == {1, 2}
    assert (about.file_label or "", about.notes) == ("", [])


def test_a_changed_file_is_not_the_release(tmp_path: Path) -> None:
    cb.anonymize(survey(tmp_path / "people.sav", "sav"), policy("xlsx")).write(tmp_path / "out")
    file = tmp_path / "out" / "public" / "release.xlsx"
    file.write_bytes(file.read_bytes() + b" ")
    assert not cb.verify(tmp_path / "out")


def test_what_a_format_would_change_is_not_written(tmp_path: Path) -> None:
    table = pa.table({"x": ["a "] * 6})  # SPSS drops blanks at the end of a text
    rules = {
        "attributes": {"x": {"role": "quasi-identifier"}},
        "privacy": {"models": [{"model": "k-anonymity", "k": 2}]},
        "output": {"format": "sav"},
    }
    with pytest.raises(OutputError, match='SPSS cannot hold the values of "x"'):
        write_release(cb.anonymize(table, rules), tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_a_release_of_csv_has_the_separator_that_was_detected(tmp_path: Path) -> None:
    (tmp_path / "people.csv").write_bytes(b"city;x\n" + "Maré;1,5\n".encode("latin-1") * 5)
    rules = {
        "attributes": {"city": {"role": "quasi-identifier"}, "x": {"role": "non-sensitive"}},
        "privacy": {"models": [{"model": "k-anonymity", "k": 2}]},
    }
    release = cb.anonymize(tmp_path / "people.csv", rules)
    release.write(tmp_path / "out")
    assert (tmp_path / "out" / "public" / "release.csv").read_bytes() == b"city;x\n" + "Maré;1,5\n".encode() * 5
    assert manifest.load(tmp_path / "out" / "public").data.decimal == ","
    assert release.table.notes == ('detected: encoding = "latin-1", separator = ";", decimal = ","',)
    assert read(tmp_path / "people.csv", Data()).notes == release.table.notes
