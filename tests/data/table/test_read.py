"""Reading: what a CSV file may look like, and what is said when it is wrong. No message shows a value."""

import gzip
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from cobogo.data.files.encodings import guess_separator
from cobogo.data.policy import Data
from cobogo.data.table.read import read
from cobogo.errors import DataError


def rows(source: Any, **options: Any) -> list[dict[str, Any]]:
    table = read(source, Data.model_validate(options))
    return list(table.expression.to_pyarrow().to_pylist())


def file(directory: Path, content: str | bytes, name: str = "a.csv") -> Path:
    path = directory / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


@pytest.mark.parametrize(
    ("content", "options"),
    [
        ("x;y\n1;é\n2;b\n", {"separator": ";"}),
        ("x,y\n1,é\n2,b", {}),
        ("x\ty\r\n1\té\r\n2\tb\r\n", {"separator": "\t"}),
        ("\ufeffx;y\n1;é\n2;b\n", {"separator": ";"}),
        ('"x";"y"\n"1";"é"\n"2";"b"\n', {"separator": ";"}),
        ("x;y\n1;é\n2;b\n".encode("latin-1"), {"separator": ";", "encoding": "latin-1"}),
        ("x|y\n1|é\n2|b\n", {"separator": "|"}),
    ],
)
def test_the_same_table_in_many_dresses(tmp_path: Path, content: str | bytes, options: dict[str, Any]) -> None:
    assert rows(file(tmp_path, content), **options) == [{"x": "1", "y": "é"}, {"x": "2", "y": "b"}]


def test_values_stay_text(tmp_path: Path) -> None:
    found = rows(file(tmp_path, "zip,n,d\n00123,1e5,2020-01-01\n"))
    assert found == [{"zip": "00123", "n": "1e5", "d": "2020-01-01"}]


def test_quotes_separators_and_line_breaks_inside_fields(tmp_path: Path) -> None:
    found = rows(file(tmp_path, 'x,y\n"a,b","say ""hi"""\n"two\nlines", spaced \n'))
    assert found == [{"x": "a,b", "y": 'say "hi"'}, {"x": "two\nlines", "y": " spaced "}]


def test_empty_quoted_and_missing_values_are_null(tmp_path: Path) -> None:
    found = rows(file(tmp_path, 'x,y\n,""\nNA,-\n'), missing=["", "NA"])
    assert found == [{"x": None, "y": None}, {"x": None, "y": "-"}]


def test_names_with_spaces_accents_and_quotes(tmp_path: Path) -> None:
    found = rows(file(tmp_path, 'raça cor,"d\'água","select"\n1,2,3\n'))
    assert found == [{"raça cor": "1", "d'água": "2", "select": "3"}]


def test_only_a_header_is_a_table_of_no_rows(tmp_path: Path) -> None:
    assert rows(file(tmp_path, "x,y\n")) == []


def test_compressed(tmp_path: Path) -> None:
    assert rows(file(tmp_path, gzip.compress(b"x,y\n1,2\n"), "a.csv.gz")) == [{"x": "1", "y": "2"}]


@pytest.mark.parametrize(
    ("content", "options", "words"),
    [
        ("", {}, "empty"),
        ("x,y,x\n1,2,3\n", {}, '"x" appears twice, in columns 1 and 3'),
        ("x,X\n1,2\n", {}, "appears twice"),
        ("x,,y\n1,2,3\n", {}, "column 2 of 3 has no name"),
        ("x,y\nsecret,2\nsecret\n", {}, "line 3"),
        ("x,y\nsecret,2,3\n", {}, "3 fields, and the header has 2"),
        ("x,y\nsecr\u00e9t,2\n".encode("latin-1"), {"encoding": "utf-8"}, 'encoding = "auto"'),
        ('x,y\nsecret,"open\n', {}, "quote"),
    ],
)
def test_wrong_files_are_named_and_no_value_is_shown(
    tmp_path: Path, content: str | bytes, options: dict[str, Any], words: str
) -> None:
    path = file(tmp_path, content)
    with pytest.raises(DataError) as error:
        rows(path, **options)
    assert words in str(error.value)
    assert str(path) in str(error.value)
    assert "secr" not in str(error.value).replace(str(path), "")


def test_no_such_file(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="no such file"):
        rows(tmp_path / "none.csv")
    with pytest.raises(DataError, match="no file matches"):
        rows(tmp_path / "*.csv")


def test_globs_and_directories(tmp_path: Path) -> None:
    file(tmp_path, "x,y\n1,2\n", "1.csv")
    file(tmp_path, "x,y\n3,4\n", "2.csv")
    assert len(rows(tmp_path / "*.csv")) == 2
    assert len(rows(tmp_path)) == 2
    file(tmp_path, "x,z\n3,4\n", "3.csv")
    with pytest.raises(DataError, match="other columns"):
        rows(tmp_path)


def test_parquet_keeps_types_and_its_empty_texts_are_null(tmp_path: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    pq.write_table(pa.table({"n": [1, None], "t": ["", "a"]}), tmp_path / "a.parquet")
    assert rows(tmp_path / "a.parquet") == [{"n": 1, "t": None}, {"n": None, "t": "a"}]


def test_a_file_that_only_says_it_is_parquet(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="Parquet"):
        rows(file(tmp_path, b"x\0y", "a.parquet"))
    assert rows(file(tmp_path, "x,y\n1,2\n", "a.parquet")) == [{"x": "1", "y": "2"}]


def test_frames_of_every_kind_give_the_same_rows() -> None:
    import ibis
    import pandas as pd
    import polars as pl
    import pyarrow as pa

    content = {"t": ["a", None, ""], "n": [1, 2, 3]}
    expected = [{"t": "a", "n": 1}, {"t": None, "n": 2}, {"t": None, "n": 3}]
    for frame in (
        pd.DataFrame(content),
        pl.DataFrame(content),
        pa.table(content),
        ibis.memtable(pd.DataFrame(content)),
    ):
        assert rows(frame) == expected


def test_columns_of_parquet_that_differ_in_case_alone_are_refused(tmp_path: Path) -> None:
    pq.write_table(pa.table({"x": ["1"], "X": ["2"]}), tmp_path / "a.parquet")
    with pytest.raises(DataError, match="appears twice"):
        rows(tmp_path / "a.parquet")


@pytest.mark.parametrize("wrapped", [lambda kind: kind, pa.list_])
def test_decimals_that_the_engine_would_take_for_other_numbers_are_refused(tmp_path: Path, wrapped: Any) -> None:
    pq.write_table(pa.table({"x": ["1"]}), tmp_path / "a.parquet")
    wide = pa.table({"x": ["1"], "sum": pa.array([None], wrapped(pa.decimal256(40, 2)))})
    pq.write_table(wide, tmp_path / "b.parquet")
    with pytest.raises(DataError, match='the column "sum" has decimals of more than 38 digits'):
        rows(tmp_path / "*.parquet")


def test_frames_with_unfit_names() -> None:
    import pandas as pd

    with pytest.raises(DataError, match="appears twice"):
        rows(pd.DataFrame([[1, 2]], columns=["a", "a"]))
    with pytest.raises(DataError, match="name that is a text"):
        rows(pd.DataFrame([[1, 2]]))
    with pytest.raises(DataError, match="object has no names of columns"):
        rows(object())


def test_the_first_row_of_a_value(tmp_path: Path) -> None:
    table = read(file(tmp_path, "x\na\nb\nb\n"), Data())
    assert table.first_row("x", "b") == 2


@pytest.mark.parametrize("separator", [",", ";", "\t", "|"])
def test_the_separator_is_guessed_from_the_header(tmp_path: Path, separator: str) -> None:
    assert guess_separator(str(file(tmp_path, f'a{separator}"b;,c"{separator}d\n')), "utf-8") == separator


@pytest.mark.parametrize(
    ("content", "name", "said"),
    [
        (b"PK\x03\x04" + bytes(50), "a.csv", "spreadsheet"),
        (gzip.compress(b"x,y\n1,2\n", mtime=0)[:-9], "a.csv", "compressed"),
        (b"PAR1....", "a.csv", "Parquet"),
        (b"x,y\n1,\x002\n", "a.csv", "NUL"),
        ("\n\nx,y\n1,2\n", "a.csv", "blank line"),
        ("", "a.csv", "is empty"),
        ("x,y\r\n1,2\n3,4\r\n", "a.csv", "some of its lines end in CR LF and some in LF"),
    ],
)
def test_what_is_no_csv_is_called_by_its_name(tmp_path: Path, content: str | bytes, name: str, said: str) -> None:
    with pytest.raises(DataError, match=said) as refused:
        rows(file(tmp_path, content, name))
    assert refused.value.remedy


def test_a_mark_of_utf8_in_a_file_said_to_be_latin(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="mark of UTF-8"):
        rows(file(tmp_path, "\ufeffx,y\n1,2\n"), encoding="latin-1")


@pytest.mark.parametrize(
    "value", ["111.444.777-35", "ana@example.org", "02/03/1981", "1981-02-03", "60110123", "3,75", "1981-02-03 10:00"]
)
def test_a_file_without_a_header_is_refused_and_its_first_row_not_shown(tmp_path: Path, value: str) -> None:
    with pytest.raises(DataError, match="looks like data") as refused:
        rows(file(tmp_path, f"Ana;{value}\nBia;x\n"), separator=";")
    assert value not in str(refused.value)
    assert "Ana" not in str(refused.value)


def test_years_may_be_names(tmp_path: Path) -> None:
    assert rows(file(tmp_path, "city,2020,2021\nSobral,1,2\n")) == [{"city": "Sobral", "2020": "1", "2021": "2"}]


@pytest.mark.parametrize("given", ["postgresql://ana:secret@db/health", Path("postgresql://ana:secret@db/health")])
def test_the_address_of_a_database_is_no_file_and_is_shown_without_its_password(given: str | Path) -> None:
    with pytest.raises(DataError, match="address of a database") as refused:
        read(given, Data())
    assert "postgresql://db/health" in str(refused.value)
    assert "secret" not in str(refused.value)
