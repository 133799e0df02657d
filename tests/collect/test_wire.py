"""What goes over the wire is read back as it was, or refused in one way, whatever the bytes."""

from __future__ import annotations

import contextlib
import json

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cobogo.collect import Aggregate, wire
from cobogo.collect.mechanisms import MECHANISMS
from cobogo.collect.report_sources import messages, read_reports, texts
from cobogo.errors import ReportError
from support.asked import asked, some_reports
from support.effort import examples

each = pytest.mark.parametrize("mechanism", sorted(MECHANISMS))
some = settings(max_examples=examples(25), deadline=None)


@each
@some
@given(count=st.integers(0, 40), seed=st.integers(0, 99), seeded=st.booleans())
def test_reports_come_back_as_they_went(mechanism, count, seed, seeded):
    collection = asked(mechanism)
    rows = some_reports(collection, count, seed)
    content = b"".join(wire.batch_messages(collection, rows, seeded=seeded))
    (batch,) = wire.parse(collection, content)
    assert (batch.rows == rows).all()
    assert batch.seeded is seeded
    assert len(content) == 20 + count * collection.protocol.layout.width
    several = wire.parse(collection, content + content)
    assert [len(part) for part in several] == [count, count]
    for row in rows[:3]:
        message = wire.single_message(collection, row.tobytes())
        assert len(message) == 16 + collection.protocol.layout.width
        assert wire.from_text(wire.to_text(message)) == message
        assert wire.json_report(wire.json_line(collection, message)) == wire.to_text(message)
        assert wire.parse_one(collection, message).rows.tobytes() == row.tobytes()


@each
@some
@given(data=st.data())
def test_hostile_bytes_are_refused_in_one_way(mechanism, data):
    """A message with bytes changed, cut out, put in or cut off is read or refused; nothing else ever happens."""
    collection = asked(mechanism)
    content = bytearray(next(wire.batch_messages(collection, some_reports(collection, 5))))
    for _ in range(data.draw(st.integers(0, 4))):
        at = data.draw(st.integers(0, len(content)))
        content[at : at + data.draw(st.integers(0, 3))] = data.draw(st.binary(max_size=3))
    for hostile in (bytes(content), bytes(content[: data.draw(st.integers(0, len(content)))])):
        with contextlib.suppress(ReportError):
            found = wire.parse(collection, hostile)
            assert not any(collection.protocol.layout.faults(batch.rows).size for batch in found)
            assert Aggregate.of(collection, *found).users == sum(map(len, found))
        read = read_reports(collection, pa.array([hostile, None, b""], pa.binary()))
        assert read.faults[0] == (3 if not hostile else 2)


@each
@some
@given(hostile=st.binary(max_size=60), text=st.text(max_size=60))
def test_anything_at_all(mechanism, hostile, text):
    collection = asked(mechanism)
    for call in (
        lambda: wire.parse(collection, hostile),
        lambda: wire.parse_one(collection, wire.MAGIC + hostile),
        lambda: wire.from_text(text),
        lambda: wire.parse_one(collection, wire.header(collection, batch=True) + hostile),
    ):
        with contextlib.suppress(ReportError):
            call()
    assert isinstance(wire.json_report(text), str)
    read = read_reports(collection, pa.array([text, wire.to_text(hostile)], pa.string()))
    assert len(read.rows) + read.faults.sum() == 2


@each
def test_every_prefix_and_every_longer_message_is_refused(mechanism):
    collection = asked(mechanism)
    message = wire.single_message(collection, some_reports(collection, 1).tobytes())
    for end in range(len(message)):
        with pytest.raises(ReportError):
            wire.parse_one(collection, message[:end])
    with pytest.raises(ReportError, match="1 byte after the end of the message"):
        wire.parse_one(collection, message + b"\0")


@each
def test_foreign_reports_are_refused(mechanism):
    collection = asked(mechanism)
    (row,) = some_reports(collection, 1)
    message = bytearray(wire.single_message(collection, row.tobytes()))
    for at, what in [(0, "not a report"), (4, "version 2"), (5, "kind"), (6, "mechanism"), (8, "another collection")]:
        changed = bytearray(message)
        changed[at] += 1 if at != 5 else 7
        with pytest.raises(ReportError, match=what):
            wire.parse_one(collection, bytes(changed))
    with pytest.raises(ReportError, match="another collection"):
        wire.parse_one(asked(mechanism, version=2), bytes(message))


OUT_OF_DOMAIN = {
    "grr": [11],
    "hadamard": [16],
    "oue": [0, 0b0001_0000],
    "sue": [255, 255],
    "olh": [0, 0, 0, 0, 5],
    "rappor": [5, 0, 0, 0, 0],
}


@pytest.mark.parametrize("mechanism", OUT_OF_DOMAIN)
def test_answers_that_no_client_could_give_are_refused(mechanism):
    collection = asked(mechanism)
    rows = np.concatenate([some_reports(collection, 2), np.array([OUT_OF_DOMAIN[mechanism]], dtype=np.uint8)])
    with pytest.raises(ReportError, match="1 of 3 reports is not an answer that a client can give: report 3"):
        wire.parse(collection, next(wire.batch_messages(collection, rows)))


def test_a_batch_that_promises_too_much_is_refused():
    collection = asked("grr")
    for count, what in [(2**32 - 1, "a batch has at most"), (1000, "middle of a message")]:
        with pytest.raises(ReportError, match=what):
            wire.parse(collection, wire.header(collection, batch=True) + wire.NUMBER.pack(count) + b"\1\2")


def test_a_report_says_nothing_of_who_and_when():
    """Two clients who answer alike send the same bytes."""
    collection = asked("grr")
    assert wire.single_message(collection, b"\3") == wire.single_message(collection, b"\3")
    assert set(json.loads(wire.json_line(collection, b"x"))) == {"question", "version", "report"}


@each
def test_a_column_of_messages_is_read_like_the_messages(mechanism):
    collection = asked(mechanism)
    rows = some_reports(collection, 50)
    whole = pa.array([row.tobytes() for row in messages(collection, rows, False)], pa.binary())
    text = pa.array(texts(collection, rows, True), pa.string())
    batch = pa.array([wire.to_text(next(wire.batch_messages(collection, rows)))], pa.string())
    for column, seeded in ((whole, 0), (text, 50), (batch, 0), (text.slice(3).cast(pa.large_string()), 47)):
        read = read_reports(collection, column)
        assert (read.rows == rows[50 - len(read.rows) :]).all()
        assert read.seeded == seeded
        assert not read.faults.any()


def test_faults_of_a_column_are_counted_by_kind():
    collection = asked("grr")
    good = wire.to_text(wire.single_message(collection, b"\3"))
    other = wire.to_text(wire.single_message(asked("grr", version=2), b"\3"))
    outside = wire.to_text(wire.single_message(collection, b"\xff"))
    wrong_end = good[:-1] + "_"  # bits after the last byte must be 0: there is one way to write a message
    read = read_reports(collection, pa.array([good, None, "", "!" * len(good), wrong_end, "abc", other, outside]))
    assert read.faults.tolist() == [2, 3, 1, 1]
    assert len(read.rows) == 1
