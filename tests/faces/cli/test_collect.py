"""``cobogo collect`` as a steward would type it: what it says, writes, refuses, and its exit codes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from cobogo.collect import Aggregate, Client, Collection
from support.pages import run

pytestmark = pytest.mark.slow

PETS = """
[collection]
name = "pets"
question = "household.pet"
mechanism = "{mechanism}"
{parameters}
"""
LISTED = 'epsilon = 8\nvalues = ["cat", "dog", "none"]'


@pytest.fixture
def pets(workplace: Path) -> Path:
    Path("pets.toml").write_text(PETS.format(mechanism="oue", parameters=LISTED))
    Path("homes.csv").write_text("home;pet\n" + "".join(f"{n};{'cat' if n % 4 else 'dog'}\n" for n in range(2000)))
    return workplace


def test_from_a_column_to_estimates(pets, capsys):
    for out in ("a.bin", "b.parquet", "c.txt"):
        words = ("collect", "encode", "pets.toml", "homes.csv", "--column", "pet", "--separator", ";", "--out", out)
        code, said, _ = run(capsys, *words)
        assert code == 0
        assert "2,000 reports of 1 byte" in said
    code, said, _ = run(capsys, "collect", "aggregate", "pets.toml", "a.bin", "b.parquet", "--out", "ab", "--json")
    assert code == 0
    assert json.loads(said)["reports"] == 4000
    assert run(capsys, "collect", "aggregate", "pets.toml", "c.txt", "ab", "--out", "all")[0] == 0
    code, said, _ = run(capsys, "collect", "decode", "pets.toml", "all", "--json", "--plot", "all.png")
    found = {entry["value"]: entry for entry in json.loads(said)["found"]}
    assert code == 0
    assert abs(found["cat"]["share"] - 0.75) < 6 * found["cat"]["share_error"] < 0.1
    assert found["dog"]["significant"]
    assert Path("all.png").read_bytes()[:4] == b"\x89PNG"
    code, said, _ = run(capsys, "collect", "decode", "pets.toml", "all")
    assert said.splitlines()[3].split()[:1] == ["cat"]


def test_what_a_client_sends_is_what_the_server_counts(pets, capsys):
    lines = [Client("pets.toml", f"memo-{n}.db").text("cat") for n in range(3)]
    Path("sent.txt").write_text("".join(f"{line}\n" for line in lines))
    Path("sent.jsonl").write_text(Client("pets.toml", "memo-3.db").json("dog") + "\n")
    assert run(capsys, "collect", "aggregate", "pets.toml", "sent.txt", "sent.jsonl", "--out", "sent")[0] == 0
    assert Aggregate.load(Collection.load("pets.toml"), "sent").users == 4


def test_nothing_to_be_seen_is_a_no(pets, capsys):
    Aggregate.empty(Collection.load("pets.toml")).save("nothing")
    code, said, _ = run(capsys, "collect", "decode", "pets.toml", "nothing")
    assert code == 1
    assert "Too few reports to say anything" in said
    Path("r.toml").write_text(PETS.format(mechanism="rappor", parameters='candidates = ["cat"]'))
    Aggregate.empty(Collection.load("r.toml")).save("nothing")
    assert run(capsys, "collect", "decode", "r.toml", "nothing", "--json")[0] == 1
    assert run(capsys, "collect", "decode", "r.toml", "nothing", "--plot", "x.png")[0] == 2
    Path("m.toml").write_text(PETS.format(mechanism="duchi", parameters="epsilon = 1\nlow = 0\nhigh = 1"))
    Aggregate.empty(Collection.load("m.toml")).save("nothing")
    assert run(capsys, "collect", "decode", "m.toml", "nothing")[0] == 1


def test_candidates_can_be_given_later(workplace, capsys):
    Path("r.toml").write_text(
        PETS.format(mechanism="rappor", parameters="bits = 16\ncohorts = 4\nf = 0.1\np = 0.1\nq = 0.9")
    )
    Path("homes.csv").write_text("pet\n" + "cat\n" * 1500 + "dog\n" * 500)
    Path("animals").write_text("cat\ndog\nfish\n")
    assert (
        run(capsys, "collect", "encode", "r.toml", "homes.csv", "--column", "pet", "--out", "a", "--seed", "1")[0] == 0
    )
    assert "drawn from a seed" in run(capsys, "collect", "aggregate", "r.toml", "a", "--out", "counts")[2]
    code, _, said = run(capsys, "collect", "decode", "r.toml", "counts")
    assert code == 2
    assert said.startswith("cobogo: r.toml, collection.candidates: there is nothing to look for")
    code, said, _ = run(capsys, "collect", "decode", "r.toml", "counts", "--candidates", "animals", "--json")
    assert code == 0
    assert json.loads(said)["seeded"]
    assert [entry["value"] for entry in json.loads(said)["found"]] == ["cat", "dog"]


REFUSED = [
    (["encode", "pets.toml", "homes.csv", "--column", "bird", "--out", "o"], 'homes.csv: there is no column "bird"'),
    (
        ["encode", "pets.toml", "h.csv", "--column", "pet", "--out", "o"],
        "h.csv, column pet, row 2: the collection has no answer",
    ),
    (
        ["encode", "pets.toml", "h.csv", "--column", "pet", "--out", "o", "--encoding", "x"],
        "--encoding: must be one of auto, utf-8",
    ),
    (["encode", "pets.toml", "ok.csv", "--column", "pet", "--out", "ok.csv"], "ok.csv: already exists"),
    (
        ["encode", "pets.toml", "ok.csv", "--column", "pet", "--out", "o", "--form", "x"],
        "--form: must be one of binary",
    ),
    (["encode", "nowhere.toml", "ok.csv", "--column", "pet", "--out", "o"], "nowhere.toml: no such"),
    (["aggregate", "pets.toml", "h.csv", "--out", "o"], 'h.csv: there is no column "report"'),
    (["aggregate", "pets.toml", "nowhere", "--out", "o"], "nowhere: cannot be read"),
    (["aggregate", "pets.toml", "a", "a", "--out", "o"], "a: is named twice"),
    (["aggregate", "pets.toml", "pets.toml", "--out", "o"], "pets.toml: of 7 messages"),
    (
        ["aggregate", "pets.toml", "postgresql://db/x", "--out", "o"],
        "postgresql://db/x: the name of a table is missing",
    ),
    (["decode", "pets.toml", "ok.csv"], "ok.csv: is not an aggregate"),
    (["decode", "pets.toml", "ok.csv", "--candidates", "ok.csv"], "--candidates: oue asks about listed values"),
    (["decode", "pets.toml", "ok.csv", "--level", "2"], "--level: must be above 0 and below 1"),
    (["plan"], "--frequency: must be above 0"),
    (["plan", "--frequency", "0.1"], "--values, --epsilon: the number of values and ε are not known"),
    (["plan", "pets.toml", "--frequency", "0.1", "--power", "0.2"], "--power: must be above 0.5"),
    (["plan", "pets.toml", "--frequency", "0.1", "--users", "0"], "--users: must be 1 or more"),
]


@pytest.mark.parametrize(("words", "said"), REFUSED)
def test_what_is_refused_names_the_place(words, said, pets, capsys):
    Path("h.csv").write_text("pet\ncat\na secret\n\n")
    Path("ok.csv").write_text("pet\ncat\n")
    before = sorted(pets.iterdir())
    code, _, complaint = run(capsys, "collect", *words)
    assert code == 2
    assert complaint.startswith(f"cobogo: {said}")
    assert "a secret" not in complaint
    assert sorted(pets.iterdir()) == before


def test_a_plan(pets, capsys):
    code, said, _ = run(
        capsys, "collect", "plan", "--values", "1000", "--epsilon", "1", "--frequency", "0.01", "--json"
    )
    assert code == 0
    found = json.loads(said)
    users = {offer["mechanism"]: offer["users"] for offer in found["mechanisms"] if offer["users"]}
    assert found["cheapest"] == "olh"  # as few clients as the best, in five bytes instead of 125
    assert users["oue"] <= users["olh"] < users["hadamard"] < users["grr"]
    assert list(users.values()) == sorted(users.values())
    assert json.loads(run(capsys, "collect", "plan", "pets.toml", "--frequency", "0.01", "--json")[1])["epsilon"] == 8
    few = ("collect", "plan", "pets.toml", "--epsilon", "0.1", "--frequency", "0.01", "--users", "100")
    assert run(capsys, *few, "--plot", "plan.png")[0] == 1
    assert Path("plan.png").read_bytes()[:4] == b"\x89PNG"


def test_a_plan_for_a_mean(pets, capsys):
    Path("m.toml").write_text(PETS.format(mechanism="duchi", parameters="epsilon = 1\nlow = 0\nhigh = 100"))
    code, said, _ = run(capsys, "collect", "plan", "m.toml", "--error", "1", "--json")
    assert code == 0
    assert {entry["mechanism"]: entry["users"] for entry in json.loads(said)["mechanisms"]}["piecewise"] == 13060
    assert run(capsys, "collect", "plan", "m.toml", "--frequency", "0.1")[0] == 2


def test_two_questions_together(pets, capsys):
    from cobogo.collect.pilot import encode_pairs
    from cobogo.collect.report_sources import texts
    from cobogo.floor.randomness import Seeded

    Path("yard.toml").write_text(PETS.format(mechanism="grr", parameters='epsilon = 3\nvalues = ["yard", "flat"]'))
    first, second = Collection.load("pets.toml"), Collection.load("yard.toml")
    homes = [("dog", "yard")] * 1200 + [("cat", "flat")] * 1200 + [("dog", "flat")] * 300
    for name, told in (("related", [b for _, b in homes]), ("not", ["flat", "yard"] * 1350)):
        pairs = encode_pairs(first, [a for a, _ in homes], second, told, Seeded(1))
        lines = zip(texts(first, pairs[0], True), texts(second, pairs[1], True), strict=True)
        Path(f"{name}.csv").write_text("first,second\n" + "".join(f"{one},{other}\n" for one, other in lines))
    code, said, _ = run(capsys, "collect", "associate", "pets.toml", "yard.toml", "related.csv")
    assert code == 0
    assert {tuple(line.split()[:2]) for line in said.splitlines()[1:3]} == {("dog", "yard"), ("cat", "flat")}
    code, said, _ = run(
        capsys, "collect", "associate", "pets.toml", "yard.toml", "not.csv", "--json", "--level", "1e-6"
    )
    assert code == 1
    assert json.loads(said)["reports"] == 2700
    for words, complaint in [
        (("--columns", "a"), "--columns: must be two names"),
        (("--columns", "second,first"), "related.csv, column second: of 2,700 messages, 2,700 belong to"),
        (("--level", "0"), "--level: must be above 0"),
    ]:
        code, _, said = run(capsys, "collect", "associate", "pets.toml", "yard.toml", "related.csv", *words)
        assert code == 2
        assert said.startswith(f"cobogo: {complaint}")


def test_a_collection_goes_to_googles_files_and_back(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    Path("pages.toml").write_text(
        '[collection]\nname = "pages"\nquestion = "page"\nmechanism = "rappor"\nhashing = "google"\nbits = 16\n'
        'cohorts = 8\nf = 0.2\np = 0.1\nq = 0.9\ncandidates = ["a", "b", "c, d"]\n'
    )
    Path("pages.csv").write_text("page\n" + "a\n" * 300 + "b\n" * 100)
    words = "collect encode pages.toml pages.csv --column page --out reports.csv --form google --seed 1"
    assert run(capsys, *words.split())[0] == 0
    assert run(capsys, *["collect", "aggregate", "pages.toml", "reports.csv", "--out", "here.counts"])[0] == 0
    code, out, warning = run(capsys, *["collect", "export", "pages.toml", "here.counts", "--out", "google"])
    assert (code, out.split()[-3:]) == (0, ["params.csv,", "map.csv,", "counts.csv"])
    assert "seed" in warning
    words = "collect import google/params.csv --map google/map.csv --question page --out there.toml"
    assert run(capsys, *words.split())[0] == 0
    assert run(capsys, *words.split())[0] == 2  # it is there already
    assert run(capsys, *["collect", "aggregate", "there.toml", "google/counts.csv", "--out", "there.counts"])[0] == 0
    strict, loose = (
        json.loads(run(capsys, *f"collect decode there.toml there.counts --rule {rule} --json".split())[1])
        for rule in ("bonferroni", "fdr")
    )
    assert [entry["value"] for entry in strict["found"]] == ["a", "b"]
    assert (strict["rule"], loose["rule"]) == ("bonferroni", "fdr")
    code, _, complaint = run(capsys, *["collect", "decode", "there.toml", "there.counts", "--rule", "none"])
    assert (code, complaint.startswith("cobogo: rule: rappor decides by bonferroni, fdr")) == (2, True)
