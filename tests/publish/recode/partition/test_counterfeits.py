"""Counterfeited generalization: m-invariance for tables in which people come and go, and values die out."""

from __future__ import annotations

import hashlib
import json
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random
from typing import Any

import pyarrow as pa
import pyarrow.csv as pc
import pyarrow.parquet as pq
import pytest

import cobogo as cb
from cobogo.errors import NoSolution, PolicyError, VerificationFailed

Row = tuple[int, str, int, str | None]
ILLS = ["flu", "cough", "fever", "gout", "pox", "ulcer"]


def table(rows: Sequence[Row]) -> pa.Table:
    """Who, from where, how old, with what."""
    return pa.table({name: [row[n] for row in rows] for n, name in enumerate(("who", "zip", "age", "ill"))})


def policy(previous: Path | None = None, m: int = 3, **tables: Any) -> dict[str, Any]:
    model = {"model": "m-invariance", "m": m} | ({} if previous is None else {"previous": str(previous)})
    return {
        "data": {"unit": "who"},
        "attributes": {
            "who": {"role": "identifier"},
            "zip": {"role": "quasi-identifier", "hierarchy": {"mask": "right"}},
            "age": {"role": "quasi-identifier", "hierarchy": {"intervals": [10, 20, 40], "top": True}},
            "ill": {"role": "sensitive"},
        },
        "privacy": {"models": [model]},
        "recoding": {"algorithm": "counterfeits"},
    } | tables


def hospital(seed: int, releases: int, people: int = 90) -> Iterator[list[Row]]:
    """A table again and again: a third of the people leaves each time, others come, and two illnesses die out."""
    chance, number = Random(seed), 0
    rows: list[Row] = []
    for turn in range(releases):
        ills = ILLS if turn < 2 else ILLS[:4]
        rows = [row for row in rows if chance.random() < 0.67 and (row[3] in ills or chance.random() < 0.4)]
        while len(rows) < people:
            rows.append((number, f"1{chance.randrange(100):02}", chance.randrange(20, 80), chance.choice(ills)))
            number += 1
        yield rows


def released(directory: Path) -> list[dict[str, str]]:
    return pc.read_csv(
        directory / "public/release.csv",
        convert_options=pc.ConvertOptions(column_types=dict.fromkeys(("group", "zip", "age", "ill"), pa.string())),
    ).to_pylist()


def counterfeits_in(directory: Path) -> dict[str, int]:
    found: dict[str, int] = json.loads((directory / "public/manifest.json").read_text())["counterfeits"]["groups"]
    return found


@pytest.fixture
def no_report(monkeypatch: pytest.MonkeyPatch) -> None:
    """Drawing the report takes longest."""
    monkeypatch.setattr("cobogo.tell.report.write.write", lambda *_, **__: None)


@pytest.mark.usefixtures("no_report")
def test_signatures_are_kept_over_ten_releases(tmp_path: Path) -> None:
    """From the released bytes and the original rows: every group has each value once, at least m of them, all its rows
    have equal quasi-identifiers, and a person's group has the same values whenever the person is there."""
    signature: dict[int, frozenset[str]] = {}
    previous, invented = None, 0
    for turn, rows in enumerate(hospital(7, 10, people=60)):
        release = cb.anonymize(table(rows), policy(previous))
        previous = tmp_path / str(turn)
        release.write(previous)
        assert cb.verify(previous)
        groups = defaultdict(list)
        for row in released(previous):
            groups[row["group"]].append(row)
        for group in groups.values():
            assert len({row["ill"] for row in group}) == len(group) >= 3
            assert len({(row["zip"], row["age"]) for row in group}) == 1
        members = people_of(release)
        assert len(members) == len(rows) - release.suppressed
        for who, group in members.items():
            values = frozenset(row["ill"] for row in groups[group])
            assert signature.setdefault(who, values) == values
        there, fakes = Counter(members.values()), counterfeits_in(previous)
        assert {name: len(group) for name, group in groups.items()} == {
            name: there[name] + fakes.get(name, 0) for name in groups
        }
        invented += sum(fakes.values())
        assert release.suppressed == 0
    assert invented > 0, "values died out, and the series went on"


def people_of(release: cb.Release) -> dict[int, str]:
    """The group of each person, from the plan applied to the original rows with the person beside them."""
    plan, source = release.plan, release.table
    rows = plan.apply(source, ("who", plan.group)).to_pyarrow().to_pylist()
    return {int(row["who"]): row[plan.group] for row in rows if row["who"].isdigit() and len(row["who"]) < 32}


@pytest.mark.usefixtures("no_report")
def test_intersection_finds_nobody_with_it_and_people_without_it(tmp_path: Path) -> None:
    """The attacker knows everybody's group of the ten releases with m-invariance; of the others, only the rows."""
    previous = None
    for turn, rows in enumerate(hospital(3, 10)):
        cb.anonymize(table(rows), policy(previous)).write(previous := tmp_path / f"with-{turn}")
        without = policy() | {
            "privacy": {"models": [{"model": "l-diversity", "l": 3}]},
            "recoding": {"algorithm": "mondrian"},
        }
        cb.anonymize(table(rows), without).write(tmp_path / f"without-{turn}")
    series = [tmp_path / f"with-{turn}" for turn in range(10)]
    found = cb.attack("intersection", *series, threshold=1 / 3)
    assert not found.untried
    assert found.highest == pytest.approx(1 / 3)
    assert not len(found.exposed)
    others = cb.attack("intersection", *(tmp_path / f"without-{turn}" for turn in range(10)), threshold=1 / 3)
    assert len(others.exposed) > 0
    assert others.highest > 1 / 2


def test_figures_count_counterfeits_apart(tmp_path: Path) -> None:
    first = [(1, "101", 30, "flu"), (2, "102", 31, "cough"), (3, "103", 32, "fever")]
    cb.anonymize(table(first), policy()).write(tmp_path / "1")
    release = cb.anonymize(table(first[:1]), policy(tmp_path / "1"))
    release.write(tmp_path / "2")
    assert (release.suppressed, release.records, release.plan.counterfeits) == (0, 3, 2)
    report = json.loads((tmp_path / "2/evidence/report.json").read_text())
    assert (report["records"], report["suppressed"], report["counterfeits"]) == (1, 0, 2)
    assert report["classes"] == {"count": 1, "min": 1, "average": 1.0, "max": 1}
    assert report["metrics"]["loss"] == 0, "the one person's values are as collected"
    assert report["risk"]["after"]["highest"] == 1.0, "an attacker knows how many counterfeits there are"
    assert report["inference"]["ill"]["after"] == pytest.approx(1 / 3)
    assert sorted(row["ill"] for row in released(tmp_path / "2")) == ["cough", "fever", "flu"]
    dictionary = (tmp_path / "2/public/dictionary.md").read_text()
    assert "2 of the records are counterfeits" in dictionary
    assert "| 2 | 1 |" in dictionary
    verdict = cb.verify(tmp_path / "2/public")
    assert verdict
    assert any("2 records of the release are counterfeits" in note for note in verdict.notes)
    assert cb.verify(tmp_path / "1/public").models[0].measured == 3, "a first release is decided from its rows"


def sign_again(directory: Path, **changes: Any) -> None:
    """The manifest changed, with the hashes of the files as they are now."""
    public = directory / "public"
    manifest = json.loads((public / "manifest.json").read_text()) | changes
    for name, entry in manifest["files"].items():
        content = (public / name).read_bytes()
        entry |= {"sha256": hashlib.sha256(content).hexdigest(), "bytes": len(content)}
    (public / "manifest.json").write_text(json.dumps(manifest))
    evidence = directory / "evidence" / "evidence.json"
    if evidence.exists():
        evidence.unlink()


def test_verification_finds_what_is_not_as_stated(tmp_path: Path) -> None:
    """From public/ alone: a value twice in a group, rows of a group that differ, and other numbers of counterfeits."""
    rows = [(n, f"10{n}", 20 + n, ILLS[n % 3]) for n in range(6)]
    cb.anonymize(table(rows), policy()).write(tmp_path / "r")
    file, text = tmp_path / "r/public/release.csv", (tmp_path / "r/public/release.csv").read_text()
    assert cb.verify(tmp_path / "r/public")
    cb.anonymize(table(rows), policy(tmp_path / "r")).write(tmp_path / "s")
    file.write_text(text.replace("cough", "flu", 1))
    sign_again(tmp_path / "r")
    assert not cb.verify(tmp_path / "r/public").models[0].satisfied
    later = tmp_path / "s/public/release.csv"
    assert cb.verify(tmp_path / "s/public").models[0].undecided, "only the evidence knows who was in which group"
    later.write_text(later.read_text().replace("cough", "flu", 1))
    sign_again(tmp_path / "s")
    assert cb.verify(tmp_path / "s/public").models[0].fails
    head, first, *rest = text.splitlines()
    group, _, *others = first.split(",")
    file.write_text("\n".join([head, ",".join([group, "999", *others]), *rest, ""]))
    sign_again(tmp_path / "r")
    assert any("equal quasi-identifiers" in problem for problem in cb.verify(tmp_path / "r/public").problems)
    file.write_text(text)
    sign_again(tmp_path / "r", counterfeits={"group": "group", "records": 3, "groups": {group: 3}})
    assert any("counterfeits" in problem for problem in cb.verify(tmp_path / "r/public").problems)
    sign_again(tmp_path / "r", counterfeits={"group": "group", "records": 2, "groups": {group: 1}})
    with pytest.raises(VerificationFailed, match=r"different numbers of counterfeits[^.]*\.\s+Copy the release again"):
        cb.verify(tmp_path / "r/public")


def test_the_evidence_must_know_everybody_but_the_counterfeits(tmp_path: Path) -> None:
    first = [(1, "101", 30, "flu"), (2, "102", 31, "cough"), (3, "103", 32, "fever")]
    cb.anonymize(table(first), policy()).write(tmp_path / "1")
    cb.anonymize(table(first[:2]), policy(tmp_path / "1")).write(tmp_path / "2")
    kept = json.loads((tmp_path / "2/evidence/evidence.json").read_text())
    kept["people"]["who"]["sets"] |= {"offsets": [0, 1], "values": kept["people"]["who"]["sets"]["values"][:1]}
    kept["people"]["sizes"] = [1]
    (tmp_path / "2/evidence/evidence.json").write_text(json.dumps(kept))
    assert any("are not the released records" in problem for problem in cb.verify(tmp_path / "2").problems)


def test_too_frequent_a_value_gets_counterfeits_from_the_start(tmp_path: Path) -> None:
    rows = [(n, "101", 30, "flu" if n < 6 else ILLS[n % 3]) for n in range(9)]
    release = cb.anonymize(table(rows), policy())
    release.write(tmp_path / "r")
    assert cb.verify(tmp_path / "r")
    assert (release.suppressed, release.plan.counterfeits) == (0, 12)


def test_people_who_cannot_keep_their_signature_are_left_out(tmp_path: Path) -> None:
    """A value that is missing, or that is not among those of the earlier group."""
    first = [(1, "101", 30, "flu"), (2, "102", 31, "cough"), (3, "103", 32, "fever")]
    cb.anonymize(table(first), policy()).write(tmp_path / "1")
    later: list[Row] = [(1, "101", 30, "gout"), *first[1:], (4, "104", 33, None)]
    with pytest.raises(NoSolution, match="2 people cannot be released"):
        cb.anonymize(table(later), policy(tmp_path / "1"))
    allowed = {"algorithm": "counterfeits", "suppression-limit": 0.5}
    release = cb.anonymize(table(later), policy(tmp_path / "1", recoding=allowed))
    release.write(tmp_path / "2")
    assert cb.verify(tmp_path / "2")
    assert (release.suppressed, release.plan.counterfeits) == (2, 1)
    with pytest.raises(NoSolution, match="lower m"):
        cb.anonymize(table(first), policy(m=4))


def test_what_it_cannot_serve_is_refused_in_words() -> None:
    rows = table([(n, "101", 30, ILLS[n]) for n in range(6)])
    two = {"models": [{"model": "m-invariance", "m": 2}, {"model": "k-anonymity", "k": 2}]}
    with pytest.raises(PolicyError, match="no other beside it"):
        cb.anonymize(rows, policy(privacy=two))
    with pytest.raises(PolicyError, match="a column that identifies them"):
        cb.anonymize(rows, policy(data={}))
    noted = policy()
    noted["attributes"] = noted["attributes"] | {"age": {"role": "non-sensitive"}}
    with pytest.raises(PolicyError, match='releases "age", too'):
        cb.anonymize(rows, noted)


def test_regions_that_may_not_be_joined_are_not(tmp_path: Path) -> None:
    rules = policy(m=2)
    rules["attributes"]["zip"]["max-level"] = 2
    rows = [(n, f"{1 + n % 2}0{n}", 30, ILLS[n // 2 % 3]) for n in range(12)]
    cb.anonymize(table(rows), rules).write(tmp_path / "r")
    assert {row["zip"][0] for row in released(tmp_path / "r")} == {"1", "2"}


def test_every_engine_and_format_adds_the_same_counterfeits(engine_url: str, tmp_path: Path) -> None:
    """A sensitive column of whole numbers stays one: no byte tells a counterfeit from the others."""

    def coded(rows: Sequence[Row]) -> pa.Table:
        frame = table(rows)
        return frame.set_column(3, "ill", pa.array([ILLS.index(str(row[3])) for row in rows], pa.int64()))

    first = [(1, "101", 30, "flu"), (2, "102", 31, "cough"), (3, "103", 32, "fever")]
    out = {"format": "parquet"}
    cb.anonymize(coded(first), policy(output=out), engine=engine_url).write(tmp_path / "1")
    cb.anonymize(coded(first[:1]), policy(tmp_path / "1", output=out), engine=engine_url).write(tmp_path / "2")
    assert cb.verify(tmp_path / "2")
    found = pq.read_table(tmp_path / "2/public/release.parquet")
    assert sorted(found["ill"].to_pylist()) == [0, 1, 2]
    assert len(set(zip(found["zip"].to_pylist(), found["age"].to_pylist(), strict=True))) == 1
