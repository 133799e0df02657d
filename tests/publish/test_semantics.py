"""What a release holds: the rows, the values, the bytes."""

from __future__ import annotations

import csv
import datetime
import io
import json
from collections import Counter
from decimal import Decimal
from itertools import pairwise
from pathlib import Path
from typing import Any, ClassVar
from unittest.mock import Mock

import ibis
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import cobogo as cb
from cobogo.errors import DataError, HierarchyError
from support.effort import examples

pytestmark = pytest.mark.slow

few = settings(deadline=None, max_examples=examples(15), suppress_health_check=list(HealthCheck))

Row = tuple[Any, ...]


def k(least: int) -> dict[str, Any]:
    return {"model": "k-anonymity", "k": least}


def policy(attributes: dict[str, Any], *models: dict[str, Any], limit: float = 0.0, **more: Any) -> dict[str, Any]:
    return {
        "attributes": {name: {"role": a} if isinstance(a, str) else a for name, a in attributes.items()},
        "privacy": {"models": list(models) or [k(1)]},
        "recoding": {"suppression-limit": limit},
        **more,
    }


def fixed(level: int, **hierarchy: Any) -> dict[str, Any]:
    """A quasi-identifier that is released at one level."""
    spec = {"hierarchy": hierarchy} if hierarchy else {}
    return {"role": "quasi-identifier", "min-level": level, "max-level": level, **spec}


def released(release: cb.Release) -> Counter[Row]:
    return Counter(tuple(row.values()) for row in release.to_arrow().to_pylist())


@pytest.fixture
def no_report(monkeypatch: pytest.MonkeyPatch) -> None:
    """Write releases without drawing their reports: they are not looked at here, and take longest."""
    monkeypatch.setattr("cobogo.tell.report.write.write", Mock())


def parsed(file: Path, separator: str = ",") -> list[list[str]]:
    text = file.read_bytes().decode("utf-8")
    return list(csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True))


def written(release: cb.Release, directory: Path, separator: str = ",") -> Counter[Row]:
    """The rows of a written release as another program reads them, NULL as None; it must verify, too."""
    assert release.write(directory)
    assert cb.verify(directory)
    header, *rows = parsed(directory / "public" / "release.csv", separator)
    assert header == list(release.columns)
    return Counter(tuple(value or None for value in row) for row in rows)


class TestSuppression:
    """Of six people, the two from other cities are alone in their classes."""

    data = pa.table(
        {
            "city": ["Sobral"] * 4 + ["Crato", "Icó"],
            "disease": ["flu", "cold", "flu", "cold", "asthma", "measles"],
        }
    )

    def release(self, suppressed: str, *models: dict[str, Any], **disease: Any) -> cb.Release:
        data = self.data.set_column(1, "disease", [disease["disease"]]) if disease else self.data
        wanted = policy(
            {"city": fixed(0), "disease": "sensitive"}, *models, limit=0.34, output={"suppressed": suppressed}
        )
        return cb.anonymize(data, wanted)

    def test_dropped_records_are_gone(self, tmp_path: Path) -> None:
        release = self.release("drop", k(2))
        assert release.suppressed == 2
        assert released(release) == {("Sobral", "flu"): 2, ("Sobral", "cold"): 2}
        assert written(release, tmp_path / "out") == released(release)

    def test_starred_records_keep_everything_but_their_quasi_identifiers(self, tmp_path: Path) -> None:
        release = self.release("star", k(2))
        assert release.warnings == ()
        assert release.suppressed == 2, "starred is suppressed"
        assert released(release) == {
            ("Sobral", "flu"): 2, ("Sobral", "cold"): 2, ("*", "asthma"): 1, ("*", "measles"): 1,
        }  # fmt: skip
        assert written(release, tmp_path / "out") == released(release)
        report = json.loads((tmp_path / "out/evidence/report.json").read_text(encoding="utf-8"))
        assert report["suppressed"] == 2
        assert report["classes"] == {"count": 1, "min": 4, "average": 4.0, "max": 4}, "the classes kept"
        assert cb.verify(tmp_path / "out").classes == 2

    def test_both_cost_the_same(self) -> None:
        assert self.release("star", k(2)).metrics == self.release("drop", k(2)).metrics

    def test_stars_too_few_to_hide_among_each_other_are_dropped_with_a_warning(self, tmp_path: Path) -> None:
        release = self.release("star", k(3))
        assert released(release) == {("Sobral", "flu"): 2, ("Sobral", "cold"): 2}
        assert len(release.warnings) == 1
        assert "2 suppressed records" in release.warnings[0]
        assert "dropped" in release.warnings[0]
        assert written(release, tmp_path / "out") == released(release)
        report = json.loads((tmp_path / "out/evidence/report.json").read_text(encoding="utf-8"))
        assert report["warnings"] == list(release.warnings)

    def test_stars_too_alike_are_dropped_with_a_warning(self) -> None:
        diverse = {"model": "l-diversity", "l": 2}
        assert self.release("star", k(2), diverse).warnings == ()
        same = ["flu", "cold", "flu", "cold", "measles", "measles"]
        release = self.release("star", k(2), diverse, disease=same)
        assert len(release.warnings) == 1
        assert sum(released(release).values()) == 4

    @pytest.mark.parametrize("rare", [1, 2])
    def test_stars_join_the_rows_that_are_released_as_stars_anyway(self, tmp_path: Path, rare: int) -> None:
        """A single suppressed record hides among those whose hierarchy says ``*`` already."""
        (tmp_path / "city.csv").write_text("Sobral;*\nCrato;Cariri\nIcó;Centro-Sul\n", encoding="utf-8")
        hierarchy = {"csv": str(tmp_path / "city.csv"), "separator": ";"}
        data = self.data.slice(0, 4 + rare)
        wanted = policy(
            {"city": fixed(1, **hierarchy), "disease": "sensitive"}, k(3), limit=0.34, output={"suppressed": "star"}
        )
        release = cb.anonymize(data, wanted)
        assert release.warnings == ()
        assert release.suppressed == rare
        cities = Counter(row[0] for row in released(release).elements())
        assert cities == {"*": 4 + rare}
        assert written(release, tmp_path / "out") == released(release)
        assert cb.verify(tmp_path / "out").classes == 1

    def test_a_class_is_suppressed_whole_and_no_other_with_it(self) -> None:
        """Tuples that share one value with a suppressed one stay."""
        data = pa.table({"a": ["x", "x", "x", "y", "y", "y"], "b": ["1", "1", "2", "2", "2", "1"], "s": list("abcdef")})
        wanted = policy({"a": fixed(0), "b": fixed(0), "s": "sensitive"}, k(2), limit=0.4)
        release = cb.anonymize(data, wanted)
        assert released(release) == Counter([("x", "1", "a"), ("x", "1", "b"), ("y", "2", "d"), ("y", "2", "e")])


@pytest.mark.usefixtures("no_report")
class TestNull:
    """NULL is a value: counted, kept, matched with itself and with nothing else."""

    data = pa.table(
        {"a": [None, None, "x", "x", "y", None], "b": ["1", "1", None, None, "2", "2"], "s": list("abcdef")}
    )

    def test_it_makes_a_class_and_is_released_as_it_is(self, tmp_path: Path) -> None:
        wanted = policy({"a": fixed(0), "b": fixed(0), "s": "sensitive"}, k(2), limit=0.34)
        release = cb.anonymize(self.data, wanted)
        assert release.suppressed == 2
        assert released(release) == Counter([(None, "1", "a"), (None, "1", "b"), ("x", None, "c"), ("x", None, "d")])
        assert written(release, tmp_path / "out") == released(release)

    def test_it_is_suppressed_by_the_same_rule(self, tmp_path: Path) -> None:
        data = pa.table({"a": [None, "x", "x", "y", "y"], "b": [None, None, None, "2", "2"], "s": list("abcde")})
        wanted = {"a": fixed(0), "b": fixed(0), "s": "sensitive"}
        release = cb.anonymize(data, policy(wanted, k(2), limit=0.2))
        assert released(release) == Counter([("x", None, "b"), ("x", None, "c"), ("y", "2", "d"), ("y", "2", "e")])
        assert written(release, tmp_path / "out") == released(release)

    def test_starred_it_is_a_star(self) -> None:
        wanted = policy(
            {"a": fixed(0), "b": fixed(0), "s": "sensitive"}, k(2), limit=0.34, output={"suppressed": "star"}
        )
        release = cb.anonymize(self.data, wanted)
        assert release.warnings == ()
        assert Counter({("*", "*", "e"): 1, ("*", "*", "f"): 1}) <= released(release)

    def test_below_the_top_it_stays_and_on_top_it_is_a_star(self) -> None:
        data = pa.table({"zip": ["601", "602", None, "711"]})
        spec = {"mask": "right", "top": True}
        expected = [{"601", "602", "711", None}, {"60*", "71*", None}, {"6**", "7**", None}, {"***", None}, {"*"}]
        for level, values in enumerate(expected):
            release = cb.anonymize(data, policy({"zip": fixed(level, **spec)}))
            assert {value for (value,) in released(release)} == values

    def test_without_a_top_the_highest_level_makes_it_a_star(self) -> None:
        data = pa.table({"zip": ["601", None]})
        release = cb.anonymize(data, policy({"zip": fixed(3, mask="right")}))
        assert {value for (value,) in released(release)} == {"***", "*"}

    def test_it_counts_as_one_more_leaf(self) -> None:
        data = pa.table({"a": ["x", "y", None, None]})
        release = cb.anonymize(data, policy({"a": fixed(1)}))
        assert release.metrics["iloss"] == pytest.approx(2 / 3)
        assert release.metrics["loss"] == pytest.approx(1.0)

    def test_a_row_of_its_own_says_what_it_becomes(self, tmp_path: Path) -> None:
        (tmp_path / "a.csv").write_text("x,known,*\ny,known,*\n,unknown,*\n")
        data = pa.table({"a": ["x", "y", None, ""]})
        release = cb.anonymize(data, policy({"a": fixed(1, csv=str(tmp_path / "a.csv"))}))
        assert released(release) == {("known",): 2, ("unknown",): 2}

    def test_as_a_sensitive_value_it_is_none_unless_the_policy_says_so(self) -> None:
        data = pa.table({"a": ["x", "x"], "s": [None, "flu"]})
        diverse = {"model": "l-diversity", "l": 2}
        with pytest.raises(cb.CobogoError, match="fail"):
            cb.anonymize(data, policy({"a": fixed(0), "s": "sensitive"}, diverse))
        diverse["missing"] = "value"
        release = cb.anonymize(data, policy({"a": fixed(0), "s": "sensitive"}, diverse))
        assert released(release) == Counter([("x", None), ("x", "flu")])

    def test_missing_values_of_a_file_are_null(self, tmp_path: Path) -> None:
        (tmp_path / "data.csv").write_text('a,s\nNA,1\n,2\n"",3\n?,4\nx,NA\n')
        wanted = policy({"a": fixed(0), "s": "sensitive"}, data={"missing": ["", "NA", "?"]})
        release = cb.anonymize(tmp_path / "data.csv", wanted)
        assert released(release) == Counter([(None, "1"), (None, "2"), (None, "3"), (None, "4"), ("x", None)])
        assert written(release, tmp_path / "out") == released(release)


NAMES = (
    "select", "from", "records", "count", "__from", "__to", "__doomed", "__s0", "__s1", "__to_right", "value",
    "row", "c0", "rowid", "a b", "Data de Nascimento", "ação", 'the "name"', "it's", "a,b", "a;b", "a|b", "a\nb",
    "*", "%s", "{x}", "a.b", "a\\b", "1", "null", "cobogo_source", "cobogo_0", "Ünïcödé ✓", "first", "__",
    "$1", "?", "#x",
)  # fmt: skip


@pytest.mark.usefixtures("no_report")
class TestColumns:
    def test_identifiers_are_nowhere_in_public_and_the_order_is_that_of_the_data(self, tmp_path: Path) -> None:
        header = "cpf;note;disease;name;city"
        lines = [f"{number:011d};n;{'flu' if number % 2 else 'cold'};Secret{number};Sobral" for number in range(8)]
        (tmp_path / "Source.csv").write_text("\n".join([header, *lines]) + "\n")
        roles = {"city": fixed(0), "name": "identifier", "disease": "sensitive", "cpf": "identifier"}
        wanted = policy(roles | {"note": "non-sensitive"}, k(2), data={"separator": ";"})
        release = cb.anonymize(tmp_path / "Source.csv", wanted)
        assert release.columns == ("note", "disease", "city")
        assert written(release, tmp_path / "out", ";") == {("n", "flu", "Sobral"): 4, ("n", "cold", "Sobral"): 4}
        public = b"".join(file.read_bytes() for file in (tmp_path / "out/public").iterdir())
        for secret in (b"Secret", b"00000000003", b"cpf", b"Source", bytes(tmp_path)):
            assert secret not in public

    def test_what_was_suppressed_shows_nowhere_in_public(self, tmp_path: Path) -> None:
        data = pa.table({"city": ["Sobral"] * 7 + ["Crato"] * 3, "disease": ["flu", "cold"] * 5})
        wanted = policy({"city": fixed(0), "disease": "sensitive"}, k(4), limit=0.3)
        cb.anonymize(data, wanted).write(tmp_path / "out")
        public = b"".join(file.read_bytes() for file in (tmp_path / "out/public").iterdir())
        assert b"Crato" not in public
        assert b"0.3" not in public
        assert b'"records": 7' in public

    @pytest.mark.parametrize("separator", [",", ";", "\t", "|", ":", "^"])
    def test_the_separator_is_kept(self, tmp_path: Path, separator: str) -> None:
        text = separator.join(["a", "s"]) + "\n" + f'"x{separator}y"{separator}1\n' * 2
        (tmp_path / "data.csv").write_text(text)
        wanted = policy({"a": fixed(0), "s": "sensitive"}, k(2), data={"separator": separator})
        release = cb.anonymize(tmp_path / "data.csv", wanted)
        release.write(tmp_path / "out")
        assert (tmp_path / "out/public/release.csv").read_text() == text

    def test_only_a_carriage_return_is_refused(self) -> None:
        with pytest.raises(DataError, match="carriage return"):
            cb.anonymize(
                pa.table({"a\rb": ["x"]}),
                {
                    "attributes": {"a\rb": {"role": "quasi-identifier"}},
                    "privacy": {"models": [{"model": "k-anonymity", "k": 1}]},
                },
            )

    @pytest.mark.parametrize("suppressed", ["drop", "star"])
    @pytest.mark.parametrize("names", [NAMES[place::4] for place in range(4)])
    def test_a_quasi_identifier_may_have_any_name(
        self, tmp_path: Path, names: tuple[str, ...], suppressed: str
    ) -> None:
        """Generalized beside those that are released as they are, then the other way round."""
        data = pa.table({**{name: list("xxxxyz") for name in names}, "other": list("112234"), "s": list("abcdef")})
        stars = [("*",) * (len(names) + 1) + (s,) for s in "ef"] if suppressed == "star" else []
        for turn in (0, 1):
            levels = {name: (place + turn) % 2 for place, name in enumerate(names)} | {"other": 1 - turn}
            roles = {name: fixed(level) for name, level in levels.items()} | {"s": "sensitive"}
            release = cb.anonymize(data, policy(roles, k(2), limit=0.34, output={"suppressed": suppressed}))
            assert release.levels == levels
            shown = ["*" if levels[name] else "x" for name in names]
            kept = [(*shown, "*" if levels["other"] else o, s) for o, s in zip("1122", "abcd", strict=True)]
            assert released(release) == Counter(kept + stars)
        assert written(release, tmp_path / "out") == Counter(kept + stars)

    @pytest.mark.parametrize("names", [NAMES[place::3] for place in range(3)])
    def test_so_may_any_other_column(self, tmp_path: Path, names: tuple[str, ...]) -> None:
        """Each in each of the three roles, among others in theirs."""
        data = pa.table({"q": list("xxxxyz"), **{name: list("aabbcc") for name in names}, "r": list("111122")})
        others = ("identifier", "non-sensitive", "sensitive")
        for turn in range(3):
            roles = {name: others[(place + turn) % 3] for place, name in enumerate(names)}
            wanted = policy(
                {"q": fixed(0), **roles, "r": fixed(1)},
                *({"model": "l-diversity", "attribute": n, "l": 1} for n, r in roles.items() if r == "sensitive"),
                k(2),
                limit=0.34,
                output={"suppressed": "star"},
            )
            release = cb.anonymize(data, wanted)
            shown = [name for name in names if roles[name] != "identifier"]
            assert release.columns == ("q", *shown, "r")
            rows = Counter((q, *[n] * len(shown), "*") for q, n in zip("xxxx**", "aabbcc", strict=True))
            assert released(release) == rows
        assert written(release, tmp_path / "out") == rows


@pytest.mark.usefixtures("no_report")
class TestBytes:
    """UTF-8 without BOM, LF, quotes only where needed, NULL empty."""

    def content(self, data: pa.Table, directory: Path) -> bytes:
        roles = dict.fromkeys(data.column_names, "sensitive") | {data.column_names[0]: fixed(0)}
        cb.anonymize(data, policy(roles)).write(directory)
        return (directory / "public/release.csv").read_bytes()

    def test_the_plainest_file(self, tmp_path: Path) -> None:
        data = pa.table({"cidade": ["Icó"], "doença": ["gripe"], "nota": pa.array([None], pa.string())})
        assert self.content(data, tmp_path / "out") == "cidade,doença,nota\nIcó,gripe,\n".encode()

    def test_quotes_only_where_needed(self, tmp_path: Path) -> None:
        data = pa.table({"a,b": ["plain text"], "c": ['say "yes"'], "d": ["x,y"], "e": [" x "], "f": ["l1\nl2"]})
        expected = '"a,b",c,d,e,f\nplain text,"say ""yes""","x,y", x ,"l1\nl2"\n'
        assert self.content(data, tmp_path / "out") == expected.encode()

    def test_a_latin_1_file_with_crlf_becomes_utf_8_with_lf(self, tmp_path: Path) -> None:
        (tmp_path / "data.csv").write_bytes("cidade;s\r\nIcó;1\r\nIcó;1\r\n".encode("latin-1"))
        wanted = policy({"cidade": fixed(0), "s": "sensitive"}, k(2), data={"separator": ";", "encoding": "latin-1"})
        cb.anonymize(tmp_path / "data.csv", wanted).write(tmp_path / "out")
        assert (tmp_path / "out/public/release.csv").read_bytes() == "cidade;s\nIcó;1\nIcó;1\n".encode()

    def test_a_bom_is_not_passed_on(self, tmp_path: Path) -> None:
        (tmp_path / "data.csv").write_bytes(b"\xef\xbb\xbfa,s\nx,1\nx,1\n")
        cb.anonymize(tmp_path / "data.csv", policy({"a": fixed(0), "s": "sensitive"}, k(2))).write(tmp_path / "out")
        assert (tmp_path / "out/public/release.csv").read_bytes() == b"a,s\nx,1\nx,1\n"

    def test_a_single_column_loses_no_null(self, tmp_path: Path) -> None:
        """An empty line would be no row, so there NULL is two quotes."""
        data = pa.table({"a": [None, "x", None, "x", None]})
        release = cb.anonymize(data, policy({"a": fixed(0)}, k(2)))
        assert written(release, tmp_path / "out") == {(None,): 3, ("x",): 2}
        content = (tmp_path / "out/public/release.csv").read_bytes()
        assert sorted(content.split(b"\n")) == [b"", b'""', b'""', b'""', b"a", b"x", b"x"]

    def test_a_single_column_without_nulls(self, tmp_path: Path) -> None:
        release = cb.anonymize(pa.table({"a": ["x", 'y"', "x", 'y"']}), policy({"a": fixed(0)}, k(2)))
        assert written(release, tmp_path / "out") == {("x",): 2, ('y"',): 2}

    def test_nothing_but_nulls(self, tmp_path: Path) -> None:
        data = pa.table({"a": pa.array([None, None], pa.string()), "s": pa.array([None, None], pa.string())})
        assert self.content(data, tmp_path / "out") == b"a,s\n,\n,\n"

    texts = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1, max_size=8)
    awkward = st.sampled_from(
        [
            '"',
            '""',
            "\n",
            "\r",
            "\r\n",
            ",",
            ";",
            " ",
            "NULL",
            "\\N",
            "\\",
            "'",
            "#",
            "\ufeff",
            "*",
            "a\rb",
            "\t",
            '","',
        ]
    )

    @few
    @given(rows=st.lists(st.tuples(*[st.none() | texts | awkward] * 3), min_size=12, max_size=40))
    def test_any_text_survives(self, rows: list[Row], tmp_path_factory: pytest.TempPathFactory) -> None:
        data = pa.table({name: pa.array([row[n] for row in rows], pa.string()) for n, name in enumerate("qst")})
        release = cb.anonymize(data, policy({"q": fixed(0), "s": "sensitive", "t": "sensitive"}))
        assert released(release) == Counter(rows)
        directory = tmp_path_factory.mktemp("text") / "out"
        assert written(release, directory) == Counter(rows)
        content = (directory / "public/release.csv").read_bytes()
        assert not content.startswith(b"\xef\xbb\xbf")
        assert content.endswith(b"\n")

    @few
    @given(values=st.lists(st.none() | texts | awkward, min_size=12, max_size=40))
    def test_any_text_survives_alone(self, values: list[str | None], tmp_path_factory: pytest.TempPathFactory) -> None:
        release = cb.anonymize(pa.table({"q": pa.array(values, pa.string())}), policy({"q": fixed(0)}))
        directory = tmp_path_factory.mktemp("text") / "out"
        assert written(release, directory) == Counter((value,) for value in values)

    def test_parquet(self, tmp_path: Path) -> None:
        data = pa.table({"a": [None, "x", "x", None], "s": ["", 'q"', "\n", None]})
        wanted = policy({"a": fixed(0), "s": "sensitive"}, k(2), output={"format": "parquet"})
        release = cb.anonymize(data, wanted)
        assert release.write(tmp_path / "out")
        assert cb.verify(tmp_path / "out")
        assert {file.name for file in (tmp_path / "out/public").iterdir()} == {
            "release.parquet", "manifest.json", "dictionary.md",
        }  # fmt: skip
        table = pq.read_table(tmp_path / "out/public/release.parquet")
        assert table.column_names == ["a", "s"]
        found = Counter(tuple(row.values()) for row in table.to_pylist())
        assert found == Counter([(None, None), ("x", 'q"'), ("x", "\n"), (None, None)])


@pytest.mark.usefixtures("no_report")
class TestOrder:
    """The order of the rows says nothing: it is drawn anew at each release (chance of a false alarm < 1e-9)."""

    @staticmethod
    def order(table: Any) -> list[int]:
        return [int(value) for value in table.column("s").to_pylist()]

    @staticmethod
    def data(size: int, first: Any = "x") -> pa.Table:
        return pa.table({"q": [first] * size, "s": [str(number) for number in range(size)]})

    @pytest.mark.parametrize("form", ["csv", "parquet"])
    def test_two_writes_differ(self, tmp_path: Path, form: str) -> None:
        wanted = policy({"q": fixed(0), "s": "sensitive"}, k(2), output={"format": form})
        orders = []
        for number in range(2):
            cb.anonymize(self.data(200), wanted).write(tmp_path / str(number))
            file = tmp_path / str(number) / "public" / f"release.{form}"
            if form == "csv":
                orders.append([int(row[1]) for row in parsed(file)[1:]])
            else:
                orders.append(self.order(pq.read_table(file)))
        same = cb.anonymize(self.data(200), wanted)
        same.write(tmp_path / "2")
        orders += [self.order(same.to_arrow()), self.order(same.to_arrow()), list(range(200)), list(range(199, -1, -1))]
        for number, one in enumerate(orders):
            assert sorted(one) == list(range(200))
            assert one not in orders[number + 1 :]

    def test_a_single_column_has_no_order_either(self, tmp_path: Path) -> None:
        values = [f"{number:03d}" for number in range(200)]
        orders = [values]
        for number in range(2):
            cb.anonymize(pa.table({"q": values}), policy({"q": fixed(0)})).write(tmp_path / str(number))
            orders.append([row[0] for row in parsed(tmp_path / str(number) / "public/release.csv")[1:]])
        assert all(sorted(order) == values for order in orders)
        assert orders[0] != orders[1] != orders[2] != orders[0]

    @pytest.mark.parametrize("first", ["x", None], ids=["no NULL", "all NULL"])
    @pytest.mark.parametrize("size", [200, 5_000, 50_000])
    def test_nothing_of_the_old_order_is_left(self, size: int, first: str | None) -> None:
        """Old and new places are uncorrelated, within and between the blocks that an engine works in."""
        release = cb.anonymize(self.data(size, first), policy({"q": fixed(0), "s": "sensitive"}, k(2)))
        order = self.order(release.to_arrow())
        middle = (size - 1) / 2
        covariance = sum((new - middle) * (old - middle) for new, old in enumerate(order))
        assert abs(covariance / (size * (size * size - 1) / 12)) < 6.2 / size**0.5
        kept_neighbours = sum(1 for one, other in pairwise(order) if other == one + 1)
        assert kept_neighbours <= 20, "one on average"

    def test_recoding_and_suppression_leave_no_order_either(self) -> None:
        size = 4_000
        data = pa.table(
            {
                "q": [f"{number % 7}" for number in range(size)],
                "r": ["a"] * (size - 1) + ["b"],
                "s": map(str, range(size)),
            }
        )
        wanted = policy({"q": fixed(1), "r": fixed(0), "s": "sensitive"}, k(2), limit=0.1)
        order = self.order(cb.anonymize(data, wanted).to_arrow())
        assert sorted(order) == list(range(size - 1))
        assert sum(1 for one, other in pairwise(order) if other == one + 1) <= 20


@pytest.mark.usefixtures("no_report")
class TestFrames:
    """However the table comes, the release is the same; what is not recoded keeps its type."""

    columns: ClassVar = {
        "name": ["Ana", "Bia", "Caio", "Davi", "Edu", "Fábio"],
        "age": ["31", "38", "34", "52", "55", None],
        "city": ["Sobral", "Sobral", "Sobral", None, None, "Icó"],
        "disease": ["flu", "", "flu", None, "cold", "cold"],
    }
    wanted: ClassVar = {
        "attributes": {
            "name": {"role": "identifier"},
            "age": {"role": "quasi-identifier", "hierarchy": {"intervals": [10, 20], "top": True}},
            "city": {"role": "quasi-identifier"},
            "disease": {"role": "sensitive"},
        },
        "privacy": {"models": [{"model": "k-anonymity", "k": 2}]},
        "recoding": {"suppression-limit": 0.2},
    }
    rows = (
        ("30-39", "Sobral", "flu"), ("30-39", "Sobral", None), ("30-39", "Sobral", "flu"),
        ("50-59", None, None), ("50-59", None, "cold"),
    )  # fmt: skip

    written: ClassVar = {"path", "parquet", "pandas categories", "polars lazy", "ibis in a database"}
    """Of each library one: from there on, writing is the same."""

    def sources(self, directory: Path) -> dict[str, Any]:
        file = directory / "data.csv"
        with file.open("w", encoding="utf-8", newline="") as stream:
            csv.writer(stream).writerows([self.columns, *zip(*self.columns.values(), strict=True)])
        arrow = pa.table(self.columns)
        pq.write_table(arrow, directory / "data.parquet")
        connection = ibis.duckdb.connect()
        return {
            "path": file,
            "text": str(file),
            "parquet": directory / "data.parquet",
            "pandas": pd.DataFrame(self.columns),
            "pandas objects": pd.DataFrame(self.columns, dtype=object),
            "pandas categories": pd.DataFrame(self.columns).astype("category"),
            "pandas with an index": pd.DataFrame(self.columns).set_index(pd.Index([7, 7, 3, 2, 1, 0])),
            "polars": pl.DataFrame(self.columns),
            "polars lazy": pl.LazyFrame(self.columns),
            "arrow": arrow,
            "arrow large strings": arrow.cast(pa.schema([(name, pa.large_string()) for name in self.columns])),
            "arrow chunks": pa.concat_tables([arrow.slice(0, 2), arrow.slice(2)]),
            "ibis in memory": ibis.memtable(arrow),
            "ibis in a database": connection.create_table("people", arrow),
            "ibis expression": connection.create_table("others", arrow).filter(lambda t: t["name"] != "nobody"),
        }

    def test_every_source_gives_the_same_release(self, tmp_path: Path) -> None:
        for kind, source in self.sources(tmp_path).items():
            release = cb.anonymize(source, self.wanted)
            assert release.levels == {"age": 1, "city": 0}, kind
            assert release.suppressed == 1, kind
            assert released(release) == Counter(self.rows), kind
            if kind in self.written:
                assert written(release, tmp_path / kind) == Counter(self.rows), kind

    def test_every_frame_holds_the_same_rows(self) -> None:
        release = cb.anonymize(pa.table(self.columns), self.wanted)
        assert Counter(release.to_polars().rows()) == Counter(self.rows)
        frame = release.to_pandas()
        assert list(frame.columns) == ["age", "city", "disease"]
        assert Counter(frame.astype(object).where(frame.notna(), None).itertuples(index=False, name=None)) == Counter(
            self.rows
        )

    typed = pa.table(
        {
            "age": pa.array([31, 31, 52, 52, 70], pa.int16()),
            "born": pa.array([datetime.date(1990, 1, 1)] * 2 + [datetime.date(1970, 1, 1)] * 2 + [None], pa.date32()),
            "score": pa.array([1.5, 2.0, None, 1e300, -0.0], pa.float64()),
            "seen": pa.array([datetime.datetime(2020, 1, 1, 12, 30)] * 5, pa.timestamp("us")),
            "paid": pa.array([True, False, None, True, False]),
            "price": pa.array(
                [Decimal("1.10"), Decimal("2.00"), None, Decimal("0.05"), Decimal(7)], pa.decimal128(9, 2)
            ),
        }
    )

    @pytest.mark.parametrize("suppressed", ["drop", "star"])
    def test_types_are_kept_where_nothing_is_recoded(self, tmp_path: Path, suppressed: str) -> None:
        roles = {"age": fixed(0), "born": fixed(0)} | dict.fromkeys(("score", "seen", "paid", "price"), "sensitive")
        wanted = policy(roles, k(2), limit=0.2, output={"format": "parquet", "suppressed": suppressed})
        release = cb.anonymize(self.typed, wanted)
        assert release.suppressed == 1
        assert release.write(tmp_path / "out")
        assert cb.verify(tmp_path / "out")
        for table in (release.to_arrow(), pq.read_table(tmp_path / "out/public/release.parquet")):
            assert table.schema.field("age").type == pa.int16()
            assert table.schema.field("born").type == pa.date32()
            assert table.schema.field("score").type == pa.float64()
            assert pa.types.is_timestamp(table.schema.field("seen").type)
            assert table.schema.field("paid").type == pa.bool_()
            assert table.schema.field("price").type == pa.decimal128(9, 2)
            found = Counter(tuple(row.values()) for row in table.to_pylist())
            assert found == Counter(tuple(row.values()) for row in self.typed.slice(0, 4).to_pylist())

    def test_numbers_and_dates_are_generalized_by_their_text(self) -> None:
        roles = {
            "age": fixed(1, intervals=[10]),
            "born": fixed(2, dates="%Y-%m-%d", levels=["%Y-%m", "%Y"]),
        } | dict.fromkeys(("score", "seen", "paid", "price"), "sensitive")
        release = cb.anonymize(self.typed, policy(roles))
        assert Counter(row[:2] for row in released(release).elements()) == {
            ("30-39", "1990"): 2, ("50-59", "1970"): 2, ("70-79", "*"): 1,
        }  # fmt: skip

    def test_starred_numbers_are_text(self, tmp_path: Path) -> None:
        data = pa.table({"age": [31, 31, 52, 70], "s": list("abcd")})
        wanted = policy({"age": fixed(0), "s": "sensitive"}, k(2), limit=0.5, output={"suppressed": "star"})
        release = cb.anonymize(data, wanted)
        expected = Counter([("31", "a"), ("31", "b"), ("*", "c"), ("*", "d")])
        assert released(release) == expected
        assert written(release, tmp_path / "out") == expected


def test_values_of_a_lenient_path_are_counted_in_a_warning() -> None:
    """The guide keeps a locality that is not written as bairro/município/UF."""
    places = ["Centro/Fortaleza/CE"] * 4 + ["Messejana/Fortaleza/CE"] * 4 + ["Fortaleza/CE"] * 3
    place = {"role": "quasi-identifier", "hierarchy": {"path": "/", "lenient": True}}
    rules = {"attributes": {"place": place}, "privacy": {"models": [{"model": "k-anonymity", "k": 5}]}}
    release = cb.anonymize(pa.table({"place": places}), rules)
    assert release.levels == {"place": 1}
    assert set(release.to_arrow()["place"].to_pylist()) == {"Fortaleza/CE"}
    assert any('1 value of "place"' in str(one) and "3 records" in str(one) for one in release.warnings)


def test_values_that_are_no_dates_are_counted_in_a_warning(tmp_path: Path) -> None:
    births = [f"{1 + n:02}/03/1984" for n in range(20)] + ["31/02/1984"] * 2
    dates = {"dates": "%d/%m/%Y", "levels": ["%Y"]}
    rules: dict[str, Any] = {
        "attributes": {"birth": {"role": "quasi-identifier", "hierarchy": dates | {"lenient": True}}},
        "privacy": {"models": [{"model": "k-anonymity", "k": 5}]},
        "recoding": {"suppression-limit": 0.1},
    }
    release = cb.anonymize(pa.table({"birth": births}), rules)
    assert (release.levels, release.suppressed) == ({"birth": 1}, 2)
    assert any('1 value of "birth"' in str(one) and "2 records" in str(one) for one in release.warnings)
    assert release.write(tmp_path / "out")
    assert cb.verify(tmp_path / "out")
    rules["attributes"]["birth"]["hierarchy"] = dates
    with pytest.raises(HierarchyError, match="lenient = true"):
        cb.anonymize(pa.table({"birth": births}), rules)


def test_codes_that_a_classification_does_not_have_are_counted_in_a_warning() -> None:
    table = pa.table({"city": ["2304400"] * 5 + ["2303709"] * 5 + ["9999999"] * 5, "cid": ["A09", "J18", "??"] * 5})
    rules: dict[str, Any] = {
        "attributes": {
            "city": {"role": "quasi-identifier", "hierarchy": {"codes": "municipality", "lenient": True}},
            "cid": {"role": "sensitive", "hierarchy": {"codes": "icd-10", "lenient": True}},
        },
        "privacy": {"models": [{"model": "k-anonymity", "k": 5}]},
    }
    release = cb.anonymize(table, rules)
    assert set(release.to_arrow()["city"].to_pylist()) == {"2304400", "2303709", "9999999"}
    found = [str(one) for one in release.warnings if "stays as it is" in str(one)]
    assert [('"city"' in one, '"cid"' in one, "5 records" in one) for one in found] == [
        (True, False, True),
        (False, True, True),
    ]
    assert "??" not in " ".join(found)
    cid = {"role": "sensitive", "hierarchy": {"codes": "icd-10"}}
    strict = rules | {"attributes": rules["attributes"] | {"cid": cid}}
    with pytest.raises(HierarchyError, match="not a code of ICD-10") as raised:
        cb.anonymize(table, strict)
    assert "??" not in str(raised.value)  # a sensitive value is never shown


def test_births_become_ages_that_the_dictionary_dates(tmp_path: Path) -> None:
    births = [f"{1 + n % 28:02d}/{1 + n % 12:02d}/{1950 + n % 50}" for n in range(300)]
    age = {"age": "%d/%m/%Y", "at": "2024-12-31", "widths": [5, 10, 20], "top": True}
    rules = {
        "attributes": {"birth": {"role": "quasi-identifier", "hierarchy": age}},
        "privacy": {"models": [{"model": "k-anonymity", "k": 20}]},
    }
    release = cb.anonymize(pa.table({"birth": births}), rules)
    assert release.levels == {"birth": 2}
    assert release.write(tmp_path / "out")
    assert cb.verify(tmp_path / "out")
    dictionary = (tmp_path / "out" / "public" / "dictionary.md").read_text(encoding="utf-8")
    assert "the age on 2024-12-31, in bands of 5 years" in dictionary
