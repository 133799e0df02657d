"""Counts of parts add up in any order, survive their file, and are the same wherever they are made."""

from __future__ import annotations

import contextlib
import hashlib
import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cobogo.collect import Aggregate
from cobogo.collect.mechanisms import MECHANISMS
from cobogo.collect.report_sources import FORMS, aggregate_source, texts, write_reports
from cobogo.collect.wire import Batch
from cobogo.errors import OutputError, ReportError
from support.asked import VALUES, asked, some_reports
from support.effort import examples

pytestmark = pytest.mark.slow

each = pytest.mark.parametrize("mechanism", sorted(MECHANISMS))


def same(one: Aggregate, other: Aggregate) -> bool:
    return (one.counts == other.counts).all() and (one.users, one.seeded) == (other.users, other.seeded)


@each
@settings(max_examples=10, deadline=None)
@given(cuts=st.lists(st.integers(0, 60), max_size=4), order=st.randoms(use_true_random=False))
def test_parts_add_up_in_any_order(mechanism, cuts, order):
    collection = asked(mechanism)
    rows = some_reports(collection, 60)
    parts = [Aggregate.of(collection, Batch(part)) for part in np.split(rows, sorted(cuts))]
    order.shuffle(parts)
    left = Aggregate.empty(collection)
    for part in parts:
        left = left + part
    right = Aggregate.empty(collection)
    for part in reversed(parts):
        right = part + right
    assert same(left, right)
    assert left.parts == right.parts
    assert same(left, Aggregate.of(collection, Batch(rows)))


@each
def test_an_aggregate_survives_its_file(mechanism, tmp_path: Path):
    collection = asked(mechanism)
    whole = Aggregate.of(collection, Batch(some_reports(collection, 300), seeded=True))
    whole.save(tmp_path / "a")
    read = Aggregate.load(collection, tmp_path / "a")
    assert same(read, whole)
    assert read.findings().counts.tolist() == whole.findings().counts.tolist()
    with pytest.raises(ReportError, match="contain the same reports"):
        read + whole
    with pytest.raises(ReportError, match="another collection"):
        Aggregate.load(asked(mechanism, version=2), tmp_path / "a")
    Aggregate.empty(collection).save(tmp_path / "a")
    assert Aggregate.load(collection, tmp_path / "a").users == 0
    assert [file.name for file in tmp_path.iterdir()] == ["a"]


@settings(max_examples=examples(60), deadline=None)
@given(data=st.data())
def test_a_file_that_was_changed_is_refused(tmp_path_factory, data):
    place = tmp_path_factory.mktemp("a") / "a"
    collection = asked("grr")
    whole = Aggregate.of(collection, Batch(some_reports(collection, 30)))
    whole.save(place)
    content = bytearray(place.read_bytes())
    at = data.draw(st.integers(0, len(content) - 1))
    content[at : at + data.draw(st.integers(0, 3))] = data.draw(st.binary(max_size=3))
    place.write_bytes(content)
    with contextlib.suppress(ReportError):
        found = Aggregate.load(collection, place)
        assert same(found, whole)
        assert (found.parts, found.seeded) == (whole.parts, whole.seeded)


def test_a_header_that_was_changed_and_counts_below_zero_are_refused(tmp_path: Path):
    collection = asked("grr")
    whole = Aggregate.of(collection, Batch(some_reports(collection, 30)))
    whole.save(tmp_path / "a")
    content = (tmp_path / "a").read_bytes()
    for old, new in (
        (b'"reports":30', b'"reports":90'),
        (b'"seeded":false', b'"seeded":true'),
        (b'"parts":["', b'"parts":["0'),
    ):
        assert old in content
        (tmp_path / "a").write_bytes(content.replace(old, new))
        with pytest.raises(ReportError, match="changed or is incomplete"):
            Aggregate.load(collection, tmp_path / "a")
    for counts, users in ((whole.counts - 30, 30), (whole.counts, 1)):
        Aggregate(collection, counts, users, whole.parts).save(tmp_path / "a")
        with pytest.raises(ReportError, match="changed or is incomplete"):
            Aggregate.load(collection, tmp_path / "a")


def test_an_aggregate_of_an_earlier_version_is_read(tmp_path: Path):
    collection = asked("grr")
    whole = Aggregate.of(collection, Batch(some_reports(collection, 30)))
    whole.save(tmp_path / "a")
    line, _, body = (tmp_path / "a").read_bytes().partition(b"\n")
    about = {**json.loads(line), "cobogo-aggregate": 1, "sha256": hashlib.sha256(body).hexdigest()}
    (tmp_path / "a").write_bytes(json.dumps(about, separators=(",", ":")).encode() + b"\n" + body)
    assert same(Aggregate.load(collection, tmp_path / "a"), whole)


@each
@pytest.mark.parametrize("reports", [0, 1])
def test_of_one_report_nothing_is_said(mechanism, reports):
    collection = asked(mechanism)
    if collection.protocol.detectable is None:
        return
    for seed in range(5):
        found = Aggregate.of(collection, Batch(some_reports(collection, reports, seed))).findings()
        assert found.too_few
        assert found.as_dict()["too_few"]
        assert not found.significant.any()


def test_another_file_is_not_overwritten(tmp_path: Path):
    (tmp_path / "thesis").write_text("precious")
    with pytest.raises(OutputError, match="is not an aggregate"):
        Aggregate.empty(asked("grr")).save(tmp_path / "thesis")
    assert (tmp_path / "thesis").read_text() == "precious"


@each
@pytest.mark.parametrize("form", [form for form in FORMS if form != "google"])  # that one is rappor's alone
def test_every_form_of_a_file_is_counted_alike(mechanism, form, tmp_path: Path):
    collection = asked(mechanism)
    rows = some_reports(collection, 200)
    place = tmp_path / f"reports.{form}"
    assert write_reports(collection, rows, place, form) == form
    assert same(aggregate_source(collection, str(place)), Aggregate.of(collection, Batch(rows)))
    with pytest.raises(OutputError, match="already"):
        write_reports(collection, rows, place, form)


@pytest.mark.parametrize("form", ["text", "json", "csv", "parquet"])
def test_what_is_no_report_is_counted_out_or_refused(form, tmp_path: Path):
    mine, other = asked("oue"), asked("oue", version=2)
    rows = some_reports(mine, 10)
    for number, collection in enumerate((mine, other)):
        write_reports(collection, rows, tmp_path / f"part-{number}.{form}", form)
    if form in ("text", "json"):
        whole = tmp_path / f"whole.{form}"
        whole.write_text("".join((tmp_path / f"part-{number}.{form}").read_text() for number in (0, 1)) + "nonsense\n")
        source, faulty = str(whole), 11
    else:
        source, faulty = str(tmp_path / f"part-*.{form}"), 10
    with pytest.raises(ReportError, match=f"of {10 + faulty} messages, .*10 belong to another collection"):
        aggregate_source(mine, source)
    assert same(aggregate_source(mine, source, skip=True), Aggregate.of(mine, Batch(rows)))


@pytest.mark.parametrize("mechanism", ["olh", "rappor", "hadamard"])
def test_an_engine_counts_as_memory_does(mechanism, engine_url, tmp_path: Path):
    """The reports are a table of text in the engine; what comes back are counts."""
    from cobogo.collect.report_sources import aggregate_column
    from cobogo.data.engines.engine import connect
    from cobogo.data.policy import Data
    from cobogo.data.table.read import read

    collection = asked(mechanism)
    rows = some_reports(collection, 3_000)
    for form in ("parquet", "csv"):
        place = tmp_path / f"reports.{form}"
        write_reports(collection, rows, place, form)
        table = read(place, Data(), connect(engine_url))
        found = aggregate_column(collection, table)
        assert same(found, Aggregate.of(collection, Batch(rows)))
    with pytest.raises(ReportError, match="of 3,000 messages, 3,000 belong to another collection"):
        aggregate_column(asked(mechanism, version=2), table)


def test_a_table_of_a_database_is_counted_where_it_is(postgresql):
    import psycopg

    collection = asked("oue")
    rows = some_reports(collection, 500)
    name = "ldp_reports_of_a_test"
    with psycopg.connect(postgresql, autocommit=True) as server:
        server.execute(f"CREATE TABLE {name} (sent text)")
        try:
            with server.cursor().copy(f"COPY {name} FROM STDIN") as copy:
                copy.write("".join(f"{line}\n" for line in texts(collection, rows, False)))
            found = aggregate_source(collection, f"{postgresql}#{name}", column="sent")
        finally:
            server.execute(f"DROP TABLE {name}")
    assert same(found, Aggregate.of(collection, Batch(rows)))


def test_findings_tell_what_is_there():
    """Seven of the eleven values are held, four of these more than others; a level for all together."""
    collection = asked("oue", epsilon=3.0)
    rows = some_reports(collection, 40_000)
    found = Aggregate.of(collection, Batch(rows)).findings(level=1e-6)
    held = {VALUES[number] for number in np.arange(7) ** 2 % 7}
    assert {label for label, there in zip(found.labels, found.significant, strict=True) if there} == held
    shares = dict(zip(found.labels, found.shares, strict=True))
    assert abs(shares[VALUES[0]] - 1 / 7) < 6 * found.errors[0] / found.users
    assert found.as_dict()["found"][0]["share"] == shares[VALUES[0]]
