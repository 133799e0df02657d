"""Google's published test vectors, and its files there and back."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cobogo.collect import Aggregate, Client, Collection
from cobogo.collect.pilot import encode_shuffled
from cobogo.collect.rappor import google
from cobogo.collect.rappor.exchange import read_exchange, write_exchange
from cobogo.collect.rappor.filters import RapporParameters, bit_positions, google_java_positions, google_positions
from cobogo.collect.report_sources import aggregate_source, write_reports
from cobogo.collect.wire import parse_one
from cobogo.errors import MemoError, PolicyError, ReportError
from cobogo.floor.randomness import Seeded
from support.asked import asked

SMALL = {"bits": 16, "cohorts": 8, "f": 0.2, "p": 0.1, "q": 0.9, "candidates": ["v1", "v2", "v3"]}


def test_the_map_is_that_of_googles_hash_candidates():
    """From hash_candidates_test.py: k = 16, h = 2, m = 4."""
    parameters = RapporParameters(bits=16, hashes=2, cohorts=4, hashing="google")
    assert google.map_text(["apple", "banana", "carrot"], parameters) == (
        "apple,5,1,26,26,38,34,63,62\nbanana,12,14,28,24,37,34,62,49\ncarrot,4,12,25,21,48,38,61,54\n"
    )


@pytest.mark.parametrize(
    ("cohort", "value", "bloom"),
    [
        (1, "v16", "00000000000000000010000000000000"),
        (1, "v13", "00000000000000001000000000000000"),
        (1, "v19", "10000000000000000000000000000000"),
        (1, "v2", "00000000000000000000000000000001"),
        (1, "v31", "00010000000000000000000000000000"),
        (2, "v58", "00000000000010000000000000000000"),
        (2, "v26", "00000000000000000000000000001000"),
    ],
)
def test_the_filters_are_those_of_googles_description_of_its_files(cohort, value, bloom):
    """From its data-flow.md: k = 32, h = 1; the first character is the highest bit."""
    assert google_positions([value], cohort, 1, 32)[0].tolist() == [31 - bloom.index("1")]


@pytest.mark.parametrize(
    ("cohort", "value", "bloom"),
    [
        (0, "Whizbang", 0b000010000100),
        (3, "Whizbang", 0b000011000000),
        (0, "Xyzzy", 0b001001000000),
        (0, "Thud", 0b000000110000),
    ],
)
def test_the_filters_are_those_of_googles_java_client(cohort, value, bloom):
    """From its EncoderTest.java: 12 bits, 2 hash functions, no noise."""
    assert sum(1 << bit for bit in set(google_java_positions([value], cohort, 2, 12)[0].tolist())) == bloom


def test_reports_are_counted_as_googles_sum_bits_counts_them(tmp_path: Path):
    """From its sum_bits_test.py: k = 16, m = 2."""
    path = tmp_path / "reports.csv"
    path.write_text(
        "user_id,cohort,bloom,prr,rappor\n5,1,dummy,dummy,0000111100001111\n5,1,dummy,dummy,0000000000111100\n"
    )
    found = google.count_file(path, RapporParameters(bits=16, cohorts=2, hashing="google"))
    assert found is not None
    counts, seeded = found
    assert google.counts_text(counts) == ("0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0\n2,1,1,2,2,1,1,0,0,1,1,1,1,0,0,0,0\n")
    assert not seeded


def test_the_parameters_are_those_of_googles_file(tmp_path: Path):
    (tmp_path / "params.csv").write_text("k,h,m,p,q,f\n32,2,64,0.5,0.75,0.6\n")
    _, found = read_exchange(tmp_path / "params.csv", "page", "google")
    assert google.parameters_text(found.protocol.parameters) == "k,h,m,p,q,f\n32,2,64,0.5,0.75,0.6\n"


@pytest.mark.parametrize("hashing", ["google", "google-java"])
def test_a_collection_goes_to_google_and_comes_back(hashing, tmp_path: Path):
    here = asked("rappor", hashing=hashing, **SMALL)
    rows = encode_shuffled(here, ["v1"] * 300 + ["v2"] * 100, Seeded(1))
    write_reports(here, rows, tmp_path / "reports.csv", "google", seeded=True)
    total = aggregate_source(here, str(tmp_path / "reports.csv"))
    assert np.array_equal(total.counts, here.protocol.tally(rows))
    assert (total.users, total.seeded) == (400, True)
    assert write_exchange(here, total, tmp_path / "google") == ["params.csv", "map.csv", "counts.csv"]
    text, there = read_exchange(tmp_path / "google" / "params.csv", "page", hashing, tmp_path / "google" / "map.csv")
    (tmp_path / "there.toml").write_text(text)
    assert Collection.load(tmp_path / "there.toml").fingerprint == there.fingerprint
    back = aggregate_source(there, str(tmp_path / "google" / "counts.csv"))
    assert np.array_equal(back.counts, total.counts)
    assert there.protocol.candidates == here.protocol.candidates
    assert back.findings().labels == total.findings().labels == ("v1", "v2")


def test_reports_tell_neither_filter_nor_permanent_answer(tmp_path: Path):
    here = asked("rappor", hashing="google", **SMALL)
    write_reports(here, encode_shuffled(here, ["v1"] * 3, Seeded(1)), tmp_path / "r.csv", "google")
    head, *lines = (tmp_path / "r.csv").read_text().splitlines()
    assert head == "client,cohort,bloom,prr,irr"
    assert all(line.split(",")[0] == line.split(",")[2] == line.split(",")[3] == "" for line in lines)


def test_a_client_reports_with_googles_filter(tmp_path: Path):
    sharp = asked("rappor", hashing="google", **{**SMALL, "f": 0.0001, "p": 0, "q": 1})
    client = Client(sharp, tmp_path / "memo.db", limit=None)
    (cohorts,), bits = sharp.protocol.layout.unpack(parse_one(sharp, client.report("v1")).rows)
    wanted = set(google_positions(["v1"], int(cohorts[0]), 2, 16)[0].tolist())
    assert len(set(np.flatnonzero(np.unpackbits(bits[0]))) ^ wanted) <= 1


@pytest.mark.parametrize(
    ("client", "cohort", "value", "prr"),
    [
        ("c1", 1, "v16", "11011100100000000010000101100001"),
        ("c1", 1, "v13", "00011011010000101010010000010100"),
        ("c1", 1, "v2", "00100100000000000100001000000100"),
        ("c2", 2, "v58", "10011001001000110001000001000000"),
    ],
)
def test_permanent_answers_are_those_of_googles_description_of_its_files(client, cohort, value, prr):
    """From its data-flow.md: k = 32, h = 1, f = 0.5; the client's name is its secret there."""
    parameters = RapporParameters(bits=32, hashes=1, cohorts=64, hashing="google")
    answer = google.permanent_answer(value, cohort, client.encode(), parameters)
    assert answer[0] == cohort
    assert "".join(map(str, np.unpackbits(np.frombuffer(answer[1:], dtype=np.uint8))))[::-1] == prr


def test_a_whole_report_is_that_of_googles_python_client():
    """From its rappor_test.py: "abc", cohort 0, k = 16, h = 2, with draws of 0, 0.6, 0, … against p = 0.5, q = 0.75."""
    parameters = RapporParameters(bits=16, hashes=2, cohorts=64, hashing="google")
    answer = google.permanent_answer("abc", 0, b"secret", parameters)
    kept = np.unpackbits(np.frombuffer(answer[1:], dtype=np.uint8))
    draws = np.resize([0.0, 0.6, 0.0], 16)
    shown = np.where(kept == 1, draws < float(parameters.q), draws < float(parameters.p))
    assert sum(1 << int(place) for place in np.flatnonzero(shown)) == 64493


def test_a_device_that_moves_from_googles_client_goes_on_with_its_answer(tmp_path: Path):
    here = asked("rappor", hashing="google", **{**SMALL, "f": 0.5, "p": 0, "q": 1})
    answer = google.permanent_answer("v1", 5, b"secret", here.protocol.parameters)
    client = Client(here, tmp_path / "memo.db")
    client.adopt("v1", 5, answer)
    client.adopt("v1", 5, answer)  # a second time changes nothing
    assert client.spent == here.protocol.epsilon_forever
    assert parse_one(here, client.report("v1")).rows.tobytes() == answer  # p = 0 and q = 1 add no noise
    with pytest.raises(MemoError, match="otherwise"):
        client.adopt("v1", 6, answer)
    with pytest.raises(ReportError, match="not an answer"):
        client.adopt("v1", 5, bytes([9]) + answer[1:])
    with pytest.raises(PolicyError, match="32 bits"):
        google.permanent_answer("v1", 5, b"secret", RapporParameters(hashing="google"))


@given(value=st.text(max_size=20), cohort=st.integers(0, 65_535), bits=st.sampled_from([8, 128, 256, 512, 4096]))
def test_every_value_has_bits_of_the_filter(value, cohort, bits):
    value = value.encode("utf-8", "replace").decode()
    for hashing in ("cobogo", "google", "google-java"):
        parameters = RapporParameters(bits=bits, hashes=4, cohorts=65_536, hashing=hashing)
        found = bit_positions(value, cohort, parameters)
        assert len(found) == 4
        assert all(0 <= bit < bits for bit in found)


def test_the_hashing_enters_the_fingerprint_only_where_it_is_not_ours():
    assert asked("rappor", hashing="cobogo").fingerprint == asked("rappor").fingerprint
    assert len({asked("rappor", hashing=name).fingerprint for name in ("cobogo", "google", "google-java")}) == 3


WRONG = {
    "params.csv": ["", "k,h,m,p,q\n1,2,3,4,5\n", "k,h,m,p,q,f\n", "k,h,m,p,q,f\n32,2,64,0.5,0.75,0.6\nextra\n"],
    "counts.csv": ["1,2\n", "1,0,0,0,0,0,0,0,0\n", ("1" + ",0" * 15 + ",2\n") * 8, ("1" + ",0" * 15 + ",x\n") * 8],
    "reports.csv": [
        "c,cohort,irr\n,9,0000000000000000\n",
        "c,cohort,irr\n,x,0000000000000000\n",
        "c,cohort,irr\n,1,00000000\n",
        "c,cohort,irr\n,1,000000000000000x\n",
        "c,cohort,irr\n,1,000000000000000é\n",
        "c,cohort,irr\n,1,0000000000000000,extra\n",
        "c,cohort,a,irr\n,1,,0000000000000000\n",
    ],
    "map.csv": ["v1,1,2\n", "v1\n"],
}


@pytest.mark.parametrize(("name", "text"), [(name, text) for name, texts in WRONG.items() for text in texts])
def test_a_file_that_is_none_of_googles_is_refused_with_its_name(name, text, tmp_path: Path):
    path = tmp_path / name
    path.write_text(text)
    here = asked("rappor", hashing="google", **SMALL)
    with pytest.raises(ReportError) as error:
        if name == "params.csv":
            google.read_parameters(path)
        elif name == "map.csv":
            google.read_map(path, here.protocol.parameters)
        else:
            aggregate_source(here, str(path))
    assert str(path) in str(error.value)


def test_what_is_not_googles_is_not_exchanged(tmp_path: Path):
    ours = asked("rappor")
    with pytest.raises(PolicyError, match="hashing"):
        write_exchange(ours, None, tmp_path / "google")
    with pytest.raises(PolicyError, match="hashing"):
        write_reports(ours, np.zeros((0, ours.protocol.layout.width), dtype=np.uint8), tmp_path / "r.csv", "google")
    with pytest.raises(PolicyError, match="at most 8"):
        asked("rappor", hashing="google-java", hashes=9)
    with pytest.raises(PolicyError, match="permanent answer"):
        asked("rappor", f=0)


def test_counts_of_googles_file_are_a_part_of_an_aggregate(tmp_path: Path):
    here = asked("rappor", hashing="google", **SMALL)
    rows = encode_shuffled(here, ["v1"] * 50, Seeded(1))
    counts = here.protocol.tally(rows)
    (tmp_path / "counts.csv").write_text(google.counts_text(counts))
    one = aggregate_source(here, str(tmp_path / "counts.csv"))
    both = one + Aggregate.from_counts(here, counts, 50)
    assert both.users == 100
