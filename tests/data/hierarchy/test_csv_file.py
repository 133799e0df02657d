"""Hierarchies from CSV files: what is read, and what each kind of broken file is told."""

import os
from pathlib import Path

import pytest

from cobogo.data.hierarchy import Hierarchy
from cobogo.data.hierarchy.csv_file import LARGEST, csv_hierarchy
from cobogo.errors import HierarchyError

PROFESSIONS = "Dentista;Saúde;Qualquer\nMédico;Saúde;Qualquer\nAnalista;TI;Qualquer\nGerente;TI;Qualquer\n"


def read(tmp_path: Path, content: str | bytes, *, separator=";", encoding="utf-8", missing=("",)) -> Hierarchy:
    path = tmp_path / "h.csv"
    path.write_bytes(content if isinstance(content, bytes) else content.encode(encoding))
    return csv_hierarchy("p", path, separator=separator, encoding=encoding, missing=missing, where="policy, h.csv")


def test_column_0_holds_the_leaves_and_each_other_column_a_level(tmp_path):
    h = read(tmp_path, PROFESSIONS)
    assert h.labels == (("Dentista", "Médico", "Analista", "Gerente"), ("Saúde", "TI"), ("Qualquer",))
    assert [h.generalize("Médico", level) for level in range(3)] == ["Médico", "Saúde", "Qualquer"]
    assert h.leaf_counts[1].tolist() == [2, 2]


@pytest.mark.parametrize(
    "content",
    [
        PROFESSIONS.rstrip("\n"),
        PROFESSIONS.replace("\n", "\r\n"),
        "\n" + PROFESSIONS.replace("\n", "\n\n") + "  \n",
        PROFESSIONS + "Médico;Saúde;Qualquer\n",
        "\ufeff" + PROFESSIONS,
        PROFESSIONS.replace("TI", '"TI"'),
    ],
    ids=["no newline at the end", "CRLF", "blank lines", "a row twice", "BOM", "quotes"],
)
def test_the_same_hierarchy_may_be_written_in_several_ways(tmp_path, content):
    assert read(tmp_path, content).labels == read(tmp_path, PROFESSIONS).labels


def test_leaves_and_labels_are_exact_text(tmp_path):
    h = read(tmp_path, ' a ;x\nA;x\n01;x\n1;x\n"b;c";"say ""x"""\n')
    assert h.leaves == (" a ", "A", "01", "1", "b;c")
    assert h.labels[1] == ("x", 'say "x"')


def test_latin_1_is_read_when_asked_for_and_a_bom_is_stronger(tmp_path):
    assert read(tmp_path, PROFESSIONS, encoding="latin-1").leaves[1] == "Médico"
    with_mark = b"\xef\xbb\xbf" + PROFESSIONS.encode()
    assert read(tmp_path, with_mark, encoding="latin-1").leaves[:2] == ("Dentista", "Médico")


def test_an_empty_or_missing_leaf_is_the_row_of_null(tmp_path):
    assert read(tmp_path, "a;x;*\n;unknown;*\n").generalize(None, 1) == "unknown"
    assert read(tmp_path, "a;x;*\nNA;unknown;*\n", missing=("", "NA")).generalize(None, 1) == "unknown"
    assert read(tmp_path, "a;x;*\nNA;unknown;*\n").leaves == ("a", "NA")


def test_in_the_row_of_null_labels_may_be_empty_and_stay_null(tmp_path):
    h = read(tmp_path, "a;x;*\n;;*\n")
    assert [h.generalize(None, level) for level in range(3)] == [None, None, "*"]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("a;x;*\nb;x\n", ["line 2", "2 columns", "the first line has 3"]),
        ("a;x;*\n\nb;x;*;*\n", ["line 3", "4 columns", "the first line has 3"]),
        ("a;x\nb\n", ["line 2", "1 column,", "the first line has 2"]),
        ("a;x;*\nb;;*\n", ["line 2", '"b"', "empty label at level 1"]),
        ("", ["empty"]),
        ("\n \n", ["empty"]),
        ("a,x\nb,x\n", ["single column", '";"', 'seems to be separated by ","']),
        ("a\nb\n", ["single column", "the separator of the file"]),
        ('a;x\n"b;x\n', ["line 2", "a quoted label is not closed"]),
        ('a;x\n"b"c;x\n', ["line 2", "a quoted label is not closed"]),
        (b"a;x\nM\xe9dico;x\n", ["line 2", "not utf-8", "latin-1"]),
        ("a;x\nb;x\na;y\n", ['"a"', "two parents", '"x"', '"y"']),
        (";x\nNA;y\n", ["NULL", "two parents"]),
        ("a;x;p\nb;x;q\n", ["do not nest", '"x"', '"p"', '"q"']),
    ],
)
def test_a_broken_file_is_named_with_place_and_reason(tmp_path, content, said):
    with pytest.raises(HierarchyError) as raised:
        read(tmp_path, content, missing=("", "NA"))
    for part in ["policy, h.csv", *said]:
        assert part in str(raised.value)


@pytest.mark.parametrize("separator", ["\n", '"'])
def test_a_separator_that_cannot_be_one_is_refused(tmp_path, separator):
    with pytest.raises(HierarchyError, match="cannot separate columns"):
        read(tmp_path, PROFESSIONS, separator=separator)


def test_a_file_that_cannot_be_opened_is_an_error_with_its_place(tmp_path):
    options = {"separator": ";", "encoding": "utf-8", "missing": (), "where": "policy"}
    with pytest.raises(HierarchyError, match=r"no such file[\s\S]*nowhere\.csv"):
        csv_hierarchy("p", tmp_path / "nowhere.csv", **options)
    with pytest.raises(HierarchyError, match="cannot be read"):
        csv_hierarchy("p", tmp_path, **options)


def test_what_may_never_end_is_not_read(tmp_path):
    os.mkfifo(tmp_path / "pipe.csv")
    with (tmp_path / "large.csv").open("wb") as file:
        file.truncate(LARGEST + 1)  # a hole: no bytes are stored
    options = {"separator": ";", "encoding": "utf-8", "missing": (), "where": "policy"}
    for path, words in [("/dev/zero", "regular"), (tmp_path / "pipe.csv", "regular"), (tmp_path / "large.csv", "MiB")]:
        with pytest.raises(HierarchyError, match=words):
            csv_hierarchy("p", Path(path), **options)
