"""Files of every kind give the table that is in them, and say what is wrong with them. No message shows a value."""

import datetime as dt
import gzip
import sqlite3
import sys
import zipfile
from pathlib import Path
from typing import Any, get_args

import openpyxl
import pandas as pd
import pyarrow as pa
import pyarrow.feather
import pyreadstat
import pytest

import cobogo as cb
from cobogo.data.files.encodings import line_below_title
from cobogo.data.files.formats import FORMATS
from cobogo.data.files.settle import detect
from cobogo.data.files.spreadsheets import check_archive, write_xlsx
from cobogo.data.policy import TABLES, Data
from cobogo.data.policy.tables import DataFormat, OutputFormat
from cobogo.data.table.read import read
from cobogo.errors import CobogoError, DataError, InputError, OutputError, PolicyError

TABLE = [{"id": "007", "n": "1", "x": "1.5", "day": "2020-01-31"}, {"id": "8", "n": None, "x": "2", "day": None}]


def rows(source: Any, **options: Any) -> list[dict[str, Any]]:
    table = read(source, Data.model_validate(options))
    return list(table.expression.to_pyarrow().to_pylist())


def workbook(path: Path, *lines: list[Any], sheet: str = "people") -> Path:
    book = openpyxl.Workbook()
    page = book.active
    page.title = sheet
    for line in lines:
        page.append(line)
    book.save(path)
    return path


CELLS = (["id", "n", "x", "day"], ["007", 1.0, 1.5, dt.date(2020, 1, 31)], ["8", None, 2, None])


def write_table(kind: str, path: Path) -> None:
    """The same table in a file of some kind."""
    day = [dt.date(2020, 1, 31), None]
    frame = pd.DataFrame({"id": ["007", "8"], "n": [1.0, None], "x": [1.5, 2.0], "day": day})
    match kind:
        case "xlsx":
            workbook(path, *CELLS)
        case "sav":
            pyreadstat.write_sav(frame, path)
        case "dta":
            pyreadstat.write_dta(frame, path)
        case "xpt":
            pyreadstat.write_xport(frame, path)
        case "jsonl":
            path.write_text('{"id":"007","n":1,"x":1.5,"day":"2020-01-31"}\n{"id":"8","n":null,"x":2,"day":null}\n')
        case "sqlite":
            with sqlite3.connect(path) as base:
                base.execute("CREATE TABLE people (id TEXT, n INTEGER, x REAL, day TEXT)")
                base.execute("INSERT INTO people VALUES ('007', 1, 1.5, '2020-01-31'), ('8', NULL, 2.0, NULL)")
            base.close()


@pytest.mark.parametrize("kind", ["xlsx", "sav", "dta", "xpt", "jsonl", "sqlite"])
@pytest.mark.parametrize("ending", ["own", "csv"])
def test_a_table_is_the_same_in_every_kind_of_file_whatever_its_name(tmp_path: Path, kind: str, ending: str) -> None:
    path = tmp_path / f"people.{kind if ending == 'own' else ending}"
    write_table(kind, path)
    assert rows(path) == TABLE


def test_the_policys_names_are_those_of_the_formats() -> None:
    assert set(get_args(DataFormat)) == FORMATS.keys()
    assert {kind.name for kind in FORMATS.values() if kind.write} | {"csv", "parquet", *TABLES} == {
        *get_args(OutputFormat)
    }


def test_arrow_files_keep_their_types(tmp_path: Path) -> None:
    table = pa.table({"n": [1, None], "c": pa.array(["a", "b"]).dictionary_encode(), "none": pa.nulls(2)})
    pyarrow.feather.write_feather(table, tmp_path / "a.feather")
    with pa.ipc.new_stream(tmp_path / "b.arrow", table.schema) as stream:
        stream.write_table(table)
    expected = [{"n": 1, "c": "a", "none": None}, {"n": None, "c": "b", "none": None}]
    assert rows(tmp_path / "a.feather") == rows(tmp_path / "b.arrow") == expected


@pytest.mark.parametrize(
    ("encoding", "text"),
    [("utf-8", "é—ü"), ("utf-8-sig", "é"), ("utf-16", "é"), ("utf-16-le", "é"), ("utf-16-be", "é"), ("cp1252", "“é”"),
     ("latin-1", "é")],
)  # fmt: skip
@pytest.mark.parametrize("pack", ["", ".gz", ".zst"])
def test_encodings_and_compression_are_detected_and_encodings_said(
    tmp_path: Path, encoding: str, text: str, pack: str
) -> None:
    content = f"name;x\n{text};1,5\n".encode(encoding)
    path = tmp_path / f"a.csv{pack}"
    if pack == ".zst":
        with pa.CompressedOutputStream(str(path), "zstd") as stream:
            stream.write(content)
    else:
        path.write_bytes(gzip.compress(content) if pack else content)
    table = read(path, Data())
    assert table.expression.to_pyarrow().to_pylist() == [{"name": text, "x": "1,5"}]
    said = " ".join(table.notes)
    assert 'separator = ";"' in said
    assert 'decimal = ","' in said
    name = encoding.removesuffix("-sig").removesuffix("-le").removesuffix("-be")
    assert (f'encoding = "{name}"' in said) == (name != "utf-8")


def test_a_compressed_file_may_have_any_name(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_bytes(gzip.compress(b"x,y\n1,2\n"))
    assert rows(tmp_path / "a.csv") == [{"x": "1", "y": "2"}]


def test_a_title_above_the_header_of_a_csv_file_is_noticed(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("Patients\n\nname;age\nAna;31\n")
    (tmp_path / "b.csv").write_text('note\n"a; b"\n"c; d"\n')
    notes = [detect([str(tmp_path / name)], Data()).notes for name in ("a.csv", "b.csv")]
    assert "the header may be line 3" in notes[0][0]
    assert not notes[1]
    (tmp_path / "d.csv").write_text('"Patients, 2025";;\n;;\nname;age;sex\nAna;31,5;F\nEva;30,5;F\n')  # a spreadsheet's
    assert line_below_title(str(tmp_path / "d.csv"), "utf-8") == 3
    with pytest.raises(DataError, match="If the first line is a title"):
        rows(tmp_path / "d.csv")
    (tmp_path / "c.csv").write_text("Patients\nname,age\nAna,31\n")
    with pytest.raises(DataError, match="If the first line is a title"):
        rows(tmp_path / "c.csv")
    for title in ("Patients, 2021", "Patients;;;", "Patients"):  # a spreadsheet writes the empty cells beside it
        body = "name;weight;height;city\n" + "Ana;71,5;1,70;Recife, PE\nDavi;80,5;1,80;Sobral\n" * 2
        (tmp_path / "d.csv").write_text(f"{title}\n{body}")
        with pytest.raises(DataError, match="header seems to be line 2"):
            rows(tmp_path / "d.csv")
        (tmp_path / "e.csv").write_text(body)
        assert "header" not in str(detect([str(tmp_path / "e.csv")], Data()).notes)


def test_what_the_policy_says_is_not_detected(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("x;y\n1;2\n")
    assert rows(tmp_path / "a.csv", separator=",") == [{"x;y": "1;2"}]


def test_files_of_two_encodings_are_not_read_together(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_bytes("x\né\n".encode())
    (tmp_path / "b.csv").write_bytes("x\né\n".encode("latin-1"))
    (tmp_path / "c.csv").write_bytes(b"x\ne\n")
    with pytest.raises(DataError, match=r"is latin-1, and .*a\.csv is utf-8"):
        rows(tmp_path)
    (tmp_path / "b.csv").unlink()
    assert len(rows(tmp_path)) == 2


@pytest.mark.parametrize(("kind", "module"), [("xlsx", "python_calamine"), ("sav", "pyreadstat")])
def test_a_library_that_is_missing_is_named_with_its_extra(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str, module: str
) -> None:
    write_table(kind, tmp_path / "a")
    monkeypatch.setitem(sys.modules, module, None)  # type: ignore[arg-type]
    with pytest.raises(InputError, match=module) as refused:
        rows(tmp_path / "a")
    assert "pip install 'cobogo[files]'" in str(refused.value)


# Spreadsheets


def test_a_range_of_a_named_sheet(tmp_path: Path) -> None:
    path = workbook(tmp_path / "a.xlsx", ["A title"], [], [None, "x", "y"], [None, 1, True], [None, 2, False], ["end"])
    assert rows(path, range="B3:C5") == [{"x": "1", "y": "true"}, {"x": "2", "y": "false"}]
    with pytest.raises(PolicyError, match="not a range"):
        rows(path, range="B3")


ODS = """<office:document-content xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0"
 xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0"
 xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0">
<office:body><office:spreadsheet><table:table table:name="one"><table:table-row>
<table:table-cell office:value-type="string"><text:p>x</text:p></table:table-cell>
<table:table-cell office:value-type="string"><text:p>day</text:p></table:table-cell></table:table-row><table:table-row>
<table:table-cell office:value-type="float" office:value="2" table:formula="of:=1+1"><text:p>2</text:p>
</table:table-cell>
<table:table-cell office:value-type="date" office:date-value="2020-01-31"><text:p>31/01/20</text:p></table:table-cell>
</table:table-row></table:table></office:spreadsheet></office:body></office:document-content>"""


def test_opendocument(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "a.ods", "w") as archive:
        archive.writestr("mimetype", "application/vnd.oasis.opendocument.spreadsheet")
        archive.writestr("content.xml", ODS.replace("\n", ""))
        archive.writestr("META-INF/manifest.xml", "<manifest/>")
    assert rows(tmp_path / "a.ods") == [{"x": "2", "day": "2020-01-31"}]


def test_several_sheets_are_named_and_asked_for(tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    book.active.title = "first"
    book.active.append(["x"])
    book.create_sheet("second").append(["y"])
    book.create_sheet("empty")
    book.save(tmp_path / "a.xlsx")
    with pytest.raises(DataError, match='"first", "second"'):
        rows(tmp_path / "a.xlsx")
    assert read(tmp_path / "a.xlsx", Data(sheet="second")).columns == ("y",)
    with pytest.raises(DataError, match='sheet = "second"'):
        rows(tmp_path / "a.xlsx", sheet="secnd")


@pytest.mark.parametrize("together", [False, True])
def test_a_title_above_the_header_is_told_from_a_header_that_lacks_a_name(tmp_path: Path, together: bool) -> None:
    table = [["name", "class", "mark"], ["secret", "6 B", 7.5]]
    book = openpyxl.load_workbook(workbook(tmp_path / "a.xlsx", ["Students"], [], *table))
    if together:
        book.active.merge_cells("A1:C1")
    book.save(tmp_path / "a.xlsx")
    with pytest.raises(DataError, match='range = "A3:C4"'):
        rows(tmp_path / "a.xlsx")
    assert rows(tmp_path / "a.xlsx", range="A3:C4")[0]["class"] == "6 B"
    with pytest.raises(DataError, match="column 2 of 3 has no name") as refused:
        rows(workbook(tmp_path / "b.xlsx", ["name", None, "mark"], table[1]))
    assert "range" not in str(refused.value)


def test_a_total_below_the_table_is_pointed_at(tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    for line in (["name", "class", "mark"], ["Ana", "6 B", 7.5], ["Davi", None, 8], [], ["Total", None, None]):
        book.active.append(line)
    book.save(tmp_path / "a.xlsx")
    table = cb.inspect(tmp_path / "a.xlsx")
    assert any('range = "A1:C3"' in note for note in table.notes)
    assert cb.inspect(tmp_path / "a.xlsx", range="A1:C3").notes == ()


def test_times_in_a_column_of_days_are_all_written_as_times(tmp_path: Path) -> None:
    cells = [["t"], [dt.datetime(2020, 1, 31, 9, 5)], [dt.datetime(2020, 2, 1)]]
    found = rows(workbook(tmp_path / "a.xlsx", *cells))
    assert [row["t"] for row in found] == ["2020-01-31 09:05:00", "2020-02-01 00:00:00"]


def test_error_cells_are_missing_and_counted_and_empty_rows_left_out(tmp_path: Path) -> None:
    book = openpyxl.load_workbook(workbook(tmp_path / "a.xlsx", ["x", "y"], ["a", 1], [], ["b", 2]))
    book.active["B4"] = "#N/A"
    book.active["B4"].data_type = "e"
    book.save(tmp_path / "a.xlsx")
    table = read(tmp_path / "a.xlsx", Data())
    assert table.expression.to_pyarrow().to_pylist() == [{"x": "a", "y": "1"}, {"x": "b", "y": None}]
    assert [note for note in table.notes if "1 cell of the workbook has an error" in note]
    assert [note for note in table.notes if "1 empty row" in note]


def merged(path: Path) -> None:
    book = openpyxl.load_workbook(workbook(path, ["x", "y"], ["secret", 1], [None, 2]))
    book.active.merge_cells("A2:A3")
    book.save(path)


def uncomputed(path: Path) -> None:
    workbook(path, ["x"], ["=1+1"])


def cut(path: Path) -> None:
    path.write_bytes(workbook(path, ["x"], ["secret"]).read_bytes()[:-100])


def bomb(path: Path) -> None:
    """An archive that says that it is small."""
    workbook(path, ["x"], ["y"])
    with zipfile.ZipFile(path, "a", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("xl/large.xml", bytes(1 << 20))
    content = path.read_bytes()
    path.write_bytes(content.replace((1 << 20).to_bytes(4, "little"), (1 << 10).to_bytes(4, "little")))


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (workbook, "is empty"),
        (lambda path: workbook(path, ["x", "x"], [1, 2]), "appears twice"),
        (lambda path: workbook(path, ["x", None], ["secret", 2]), "column 2 of 2 has no name"),
        (merged, "A2:A3 are merged"),
        (uncomputed, "formulas without their values"),
        (cut, "damaged or incomplete"),
        (bomb, "damaged or incomplete"),
        (
            lambda path: path.write_bytes(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + "EncryptedPackage".encode("utf-16-le")),
            "protected by a password",
        ),
        (lambda path: path.write_bytes(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600)), "damaged or incomplete"),
        (lambda path: path.write_bytes(b""), "damaged or incomplete, or is not Excel"),
        (lambda path: path.write_bytes(b"HEADER RECORD*******LIBsecret"), "damaged or incomplete, or is not SAS tran"),
        (lambda path: path.write_text("{}\n"), "has no objects whose keys name the columns"),
        (lambda path: path.write_bytes(b"secret\0" + bytes(600)), "damaged or incomplete, or is not Excel"),
        (lambda path: path.write_bytes(b"$FL2 secret"), "damaged or incomplete, or is not SPSS"),
        (lambda path: path.write_bytes(b"<stata_dta>secret"), "damaged or incomplete, or is not Stata"),
        (lambda path: path.write_bytes(b"ARROW1secret"), "damaged or incomplete, or is not Arrow"),
        (lambda path: path.write_bytes(b"SQLite format 3\0secret"), "damaged or incomplete, or is not SQLite"),
        (lambda path: path.write_text('{"a": "secret"}\n["secret"]\n'), "lines that are not objects"),
        (lambda path: path.write_text('{"a": "secret"}\n{"a": secr\n'), "damaged or incomplete, or is not JSON"),
        (lambda path: path.write_text('{"type": "FeatureCollection", "features": []}'), "JSON"),
    ],
)
def test_wrong_files_are_named_without_a_value(tmp_path: Path, make: Any, words: str) -> None:
    path = tmp_path / "a.xlsx"
    make(path)
    with pytest.raises(CobogoError) as error:
        rows(path)
    assert words in str(error.value)
    assert error.value.remedy
    assert "secr" not in str(error.value)


def test_utf_32_is_no_text_that_is_read(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("a,b\n1,2\n", encoding="utf-32")
    with pytest.raises(DataError, match="NUL bytes"):
        rows(tmp_path / "a.csv")


def test_a_workbook_that_unpacks_to_more_than_there_is_room_for(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="larger than 0 MB"):
        check_archive(str(workbook(tmp_path / "a.xlsx", ["x"])), most=100)


def test_only_a_header_is_a_table_of_no_rows(tmp_path: Path) -> None:
    table = read(workbook(tmp_path / "a.xlsx", ["x", "y"]), Data())
    assert (table.columns, table.rows()) == (("x", "y"), 0)


@pytest.mark.parametrize("name", ["a*[1].jsonl", "b.jsonl.gz", "c.jsonl"])
def test_json_lines_may_be_compressed_and_called_anything(tmp_path: Path, name: str) -> None:
    content = b'{"x": 1}\n{"y": [1, 2]}\n'
    (tmp_path / name).write_bytes(content if name.startswith("a") else gzip.compress(content))
    assert rows(tmp_path / name) == [{"x": "1", "y": None}, {"x": None, "y": "[1,2]"}]


def test_a_key_for_another_kind_of_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("x\n1\n")
    with pytest.raises(DataError, match=r"is CSV, and data\.sheet is for Excel"):
        rows(tmp_path / "a.csv", sheet="people")


@pytest.mark.parametrize("text", ["=1+1", "+1", "@SUM(A1)", "<b>&amp;", " spaced ", "two\nlines", "007", "1.50", "1e5"])
def test_a_cell_is_text_and_never_a_formula(tmp_path: Path, text: str) -> None:
    write_xlsx(pa.table({"x": [text, None], "n": ["7", "-1.5"]}), tmp_path / "a.xlsx", {}, Data())
    sheet = openpyxl.load_workbook(tmp_path / "a.xlsx").active
    assert [(cell.value, cell.data_type) for cell in sheet[2]] == [(text, "s"), (7, "n")]
    assert rows(tmp_path / "a.xlsx") == [{"x": text, "n": "7"}, {"x": None, "n": "-1.5"}]


def test_a_workbook_says_nothing_of_when_and_by_whom_it_was_made(tmp_path: Path) -> None:
    table = pa.table({"x": ["a"]})
    write_xlsx(table, tmp_path / "a.xlsx", {}, Data())
    write_xlsx(table, tmp_path / "b.xlsx", {}, Data())
    assert (tmp_path / "a.xlsx").read_bytes() == (tmp_path / "b.xlsx").read_bytes()
    with zipfile.ZipFile(tmp_path / "a.xlsx") as archive:
        assert {part.date_time[0] for part in archive.infolist()} == {1980}
        assert not [name for name in archive.namelist() if name.startswith("docProps")]


@pytest.mark.parametrize("content", [["a\x01b"], ["x" * 32768], ["_x0041_"]])
def test_what_a_cell_cannot_hold_is_refused(tmp_path: Path, content: list[str]) -> None:
    with pytest.raises(OutputError, match="cannot hold"):
        write_xlsx(pa.table({"x": content}), tmp_path / "a.xlsx", {}, Data())


def test_more_rows_than_a_sheet_has_are_refused(tmp_path: Path) -> None:
    with pytest.raises(OutputError, match="1,048,575 rows"):
        write_xlsx(pa.table({"x": pa.nulls(1_048_576, pa.string())}), tmp_path / "a.xlsx", {}, Data())
    assert not (tmp_path / "a.xlsx").exists()


# Labels


def labelled(path: Path, kind: str = "sav") -> Path:
    frame = pd.DataFrame({"sex": [1.0, 2.0, 9.0, None, 7.0]})
    labels = {"sex": {1.0: "male", 2.0: "female", 9.0: "refused"}}
    if kind == "sav":
        pyreadstat.write_sav(frame, path, variable_value_labels=labels, missing_ranges={"sex": [9]})
    return path


@pytest.mark.parametrize(
    ("how", "expected"),
    [("values", ["male", "female", None, None, "7"]), ("codes", ["1", "2", None, None, "7"])],
)
def test_labels_or_codes_and_values_declared_missing(tmp_path: Path, how: str, expected: list[str | None]) -> None:
    assert [row["sex"] for row in rows(labelled(tmp_path / "a.sav"), labels=how)] == expected


def test_tagged_missing_values_of_stata_are_missing(tmp_path: Path) -> None:
    frame = pd.DataFrame({"x": [1, "a", 2]})
    pyreadstat.write_dta(frame, tmp_path / "a.dta", missing_user_values={"x": ["a"]})
    assert [row["x"] for row in rows(tmp_path / "a.dta")] == ["1", None, "2"]


@pytest.mark.parametrize("kind", ["sav", "dta"])
def test_only_labels_that_occur_are_written_and_nothing_of_when(tmp_path: Path, kind: str) -> None:
    table = pa.table({"sex": ["male", "*", None], "n": ["1", "2.5", None], "t": ["007", None, "a b"]})
    known = {"sex": {"1": "male", "2": "female", "9": "refused"}}
    for name in ("one", "two"):
        FORMATS[kind].save(table, tmp_path / name, known, Data())
    assert rows(tmp_path / "one") == table.to_pylist()
    content = (tmp_path / "one").read_bytes()
    assert content == (tmp_path / "two").read_bytes()
    assert b"female" not in content
    assert b"refused" not in content
    assert str(dt.date.today().year).encode() not in content[:300]


@pytest.mark.parametrize(
    ("kind", "names"), [("sav", ["a b", "1x", "x" * 65, "with", "x."]), ("dta", ["a b", "x" * 33, "if", "a.b"])]
)
def test_names_that_a_format_cannot_hold_are_named(tmp_path: Path, kind: str, names: list[str]) -> None:
    table = pa.table({name: ["1"] for name in ("age", *names)})
    with pytest.raises(OutputError) as refused:
        FORMATS[kind].save(table, tmp_path / "a", {}, Data())
    assert all(f'"{name}"' in str(refused.value) for name in names)
    assert '"age"' not in str(refused.value)


def test_a_database_with_several_tables_is_asked_about(tmp_path: Path) -> None:
    with sqlite3.connect(tmp_path / "a.db") as base:
        base.execute("CREATE TABLE one (x)")
        base.execute("CREATE TABLE two (y)")
    base.close()
    with pytest.raises(DataError, match='"one", "two"'):
        rows(tmp_path / "a.db")
    assert read(tmp_path / "a.db", Data(table="two")).columns == ("y",)
