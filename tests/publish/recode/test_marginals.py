"""Marginals: each is true and safe, and so is what follows from all of them together, by counting every table."""

from __future__ import annotations

import csv
import itertools
import json
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

import cobogo as cb
from cobogo.errors import NoSolution, OutputError, PolicyError, SearchTooLarge
from cobogo.release import manifest as manifests
from cobogo.release import margins as module
from cobogo.release.buckets import estimated_count
from cobogo.release.margins import Marginal, Margins, join_tree
from support.effort import examples
from support.partition_tables import LADDERS, K, arrow, policy, tables

pytestmark = pytest.mark.slow

some = settings(deadline=None, max_examples=examples(15), suppress_health_check=list(HealthCheck))

L = {"model": "l-diversity", "kind": "distinct", "l": 2}
ENTROPY = {"model": "l-diversity", "kind": "entropy", "l": 1.8}
T = {"model": "t-closeness", "distance": "equal", "t": 0.35}


@pytest.fixture(autouse=True)
def no_report(monkeypatch: pytest.MonkeyPatch) -> None:
    """Reports take longest; one test below draws one."""
    monkeypatch.setattr("cobogo.tell.report.write.write", lambda *_, **__: None)


def asking(models: list[Any], *wanted: list[str]) -> dict[str, Any]:
    asked = policy("marginals", models)
    asked["attributes"] = {**asked["attributes"], "number": {"role": "identifier"}}
    asked["recoding"] = {**asked["recoding"], **({"marginals": list(wanted)} if wanted else {})}
    return asked


def read(directory: Path) -> list[tuple[tuple[str, ...], dict[tuple[str | None, ...], int]]]:
    """The columns and the cells of each marginal."""
    found = []
    for file in sorted((directory / "public").glob("marginal-*.csv")):
        with file.open(encoding="utf-8", newline="") as stream:
            head, *rows = csv.reader(stream)
        found.append((tuple(head[:-1]), {tuple(v or None for v in row[:-1]): int(row[-1]) for row in rows}))
    return found


def acyclic(sets: list[frozenset[str]]) -> bool:
    """Graham's reduction: leave out attributes of one set alone, and sets inside others, until nothing is left."""
    left = [set(one) for one in sets]
    while True:
        lonely = {name for name, many in Counter(n for one in left for n in one).items() if many == 1}
        after = [one - lonely for one in left]
        after = [one for n, one in enumerate(after) if not any(one <= o for m, o in enumerate(after) if m != n and
                                                                (one != o or m < n))]  # fmt: skip
        if after == left:
            return len(left) <= 1
        left = after


@some
@given(st.lists(st.frozensets(st.sampled_from("abcde"), min_size=1), min_size=1, max_size=6, unique=True))
def test_sets_without_a_cycle_are_told_from_others(sets: list[frozenset[str]]) -> None:
    links = join_tree(sets)
    assert (links is not None) == acyclic(sets)
    for position, link in enumerate(links or ()):
        before = frozenset().union(*(sets[other.number] for other in (links or ())[:position]))
        assert sets[link.number] & before == link.separator
        assert link.parent is None or link.separator <= sets[link.parent]


def matchings(rows: list[tuple[str, str, str]]) -> list[Counter[tuple[str, str, str]]]:
    """Every table with the same counts of (a, s) and (b, s), once for each way to match the records."""
    by_value = defaultdict(list)
    for a, b, s in rows:
        by_value[s].append((a, b))
    ways = []
    for s, pairs in by_value.items():
        ways.append([
            [(a, b, s) for (a, _), b in zip(pairs, order, strict=True)]
            for order in itertools.permutations([b for _, b in pairs])
        ])  # fmt: skip
    return [Counter(itertools.chain(*chosen)) for chosen in itertools.product(*ways)]


def of(rows: list[tuple[str, str, str]]) -> Margins:
    labels = {name: tuple(sorted({row[n] for row in rows})) for n, name in enumerate("abs")}
    codes = np.array([[labels[name].index(row[n]) for n, name in enumerate("abs")] for row in rows], dtype=np.int64)
    whole = Marginal(("a", "b", "s"), codes, np.ones(len(rows), dtype=np.int64))
    return Margins((whole.sum_over(["a", "s"]), whole.sum_over(["b", "s"])), labels, "s")


@some
@given(
    st.lists(st.tuples(st.sampled_from("xy"), st.sampled_from("pq"), st.sampled_from("mno")), min_size=2, max_size=7)
)
def test_what_two_marginals_tell_together_is_what_all_tables_tell(rows: list[tuple[str, str, str]]) -> None:
    """The most people with a combination, the values possible for one, and how likely each is."""
    worlds = matchings(rows)
    assume(len(worlds) <= 2000)
    table = of(rows).table(len(rows))
    found = {}
    for number in range(len(table.counts)):
        where, words = table.tuple_labels(number)
        found[where, words] = number
    histogram = table.histograms["s"]
    for a, b in itertools.product({row[0] for row in rows}, {row[1] for row in rows}):
        most = max(sum(n for (i, j, _), n in world.items() if (i, j) == (a, b)) for world in worlds)
        words = f"a = {a}, b = {b}"
        if not most:
            assert (module.TOGETHER, words) not in found
            continue
        assert table.counts[found[module.TOGETHER, words]] == most
        expected = Counter({s: sum(world[a, b, s] for world in worlds) for s in "mno"})
        number = found[f"{module.TOGETHER}, likelihood", words]
        inside = slice(int(histogram.offsets[number]), int(histogram.offsets[number + 1]))
        shares = histogram.counts[inside] / histogram.counts[inside].sum()
        labels = [histogram.domain.labels[code] for code in histogram.values[inside]]
        told = dict(zip(labels, shares.tolist(), strict=True))
        assert set(told) == {s for s in expected if expected[s]}, "a value is told of as possible where it is"
        assert all(told[s] == pytest.approx(expected[s] / expected.total(), abs=1e-9) for s in told)


@pytest.mark.parametrize("model", [L, ENTROPY, T], ids=["distinct", "entropy", "t"])
@some
@given(rows=tables(least=3))
def test_every_marginal_is_true_and_safe(
    model: dict[str, Any], rows: list[Any], tmp_path_factory: pytest.TempPathFactory
) -> None:
    directory = tmp_path_factory.mktemp("out")
    try:
        release = cb.anonymize(arrow(rows), asking([K, model]))
    except NoSolution:
        assert len({row["disease"] for row in rows} - {None}) < 2 or model is ENTROPY
        return
    assert release.write(directory)
    assert cb.verify(directory)
    assert cb.verify(directory / "public")
    whole = Counter(row["disease"] for row in rows if row["disease"])
    for columns, cells in read(directory):
        true: Counter[Any] = Counter(
            tuple(row[n] if n == "disease" else LADDERS[n][row[n]][release.levels[n]] for n in columns) for row in rows
        )
        assert cells == true
        people: dict[Any, Counter[Any]] = defaultdict(Counter)
        for values, count in cells.items():
            quasi = tuple(v for n, v in zip(columns, values, strict=True) if n != "disease")
            people[quasi][values[-1]] += count
        for values in people.values():
            size = sum(values.values())
            assert size >= 3
            if "disease" not in columns:
                continue
            known = Counter({disease: count for disease, count in values.items() if disease})
            if model is L:
                assert len(known) >= 2
            elif model is T and known:
                apart = sum(abs(known[d] / known.total() - whole[d] / whole.total()) for d in whole) / 2
                assert apart <= 0.35 + 1e-9
    assert join_tree([frozenset(columns) for columns, _ in read(directory)]) is not None


def trap(times: int = 1) -> list[dict[str, Any]]:
    """There are five in each place, and five of each sex; in Pina one is a man."""
    kinds = {("Pina", "m", "flu"): 1, ("Pina", "f", "cold"): 4, ("Junco", "m", "flu"): 4, ("Junco", "f", "cold"): 1}
    rows = list(Counter(kinds).elements())
    return [
        {"number": str(n), "place": p, "age": "20", "sex": s, "disease": d} for n, (p, s, d) in enumerate(rows * times)
    ]


def test_marginals_that_are_safe_one_by_one_and_not_together(tmp_path: Path) -> None:
    """Who is in Pina and a man has the flu; no more than one person can be. Either marginal alone shows neither."""
    pairs = (["place", "disease"], ["sex", "disease"])
    for pair in pairs:
        alone = cb.anonymize(arrow(trap()), asking([K], pair))
        assert alone.levels == dict.fromkeys(pair[:1], 0)
    release = cb.anonymize(arrow(trap()), asking([K], *pairs))
    assert release.levels != {"place": 0, "sex": 0}
    assert any("not against an attacker who knows the values of everybody" in warning for warning in release.warnings)
    assert release.write(tmp_path / "out")
    assert cb.verify(tmp_path / "out/public")


def test_a_file_beside_that_gives_people_away_does_not_verify(tmp_path: Path) -> None:
    """Two releases that hold by themselves, put together as one whose hashes fit, do not."""
    out = tmp_path / "out"
    cb.anonymize(arrow(trap()), asking([K], ["place", "disease"])).write(out)
    cb.anonymize(arrow(trap()), asking([K], ["sex", "disease"])).write(tmp_path / "other")
    text = (tmp_path / "other/public/marginal-1.csv").read_text(encoding="utf-8")
    content = json.loads((out / "public/manifest.json").read_text(encoding="utf-8"))
    other = json.loads((tmp_path / "other/public/manifest.json").read_text(encoding="utf-8"))
    content["columns"] += [{**column, "file": "marginal-2.csv"} for column in other["columns"]]
    content["marginals"].append({"file": "marginal-2.csv", "count": "count"})
    _rewrite(out, content, {"marginal-2.csv": text})
    verdict = cb.verify(out / "public")
    assert not verdict
    assert [(found.model.name, found.measured) for found in verdict.models] == [("k-anonymity", 1)]


def _rewrite(directory: Path, content: Any, files: dict[str, str]) -> None:
    for name, text in files.items():
        (directory / "public" / name).write_text(text, encoding="utf-8", newline="\n")
        file = directory / "public" / name
        content["files"][name] = {"sha256": manifests.sha256(file), "bytes": file.stat().st_size}
    (directory / "public/manifest.json").write_text(json.dumps(content), encoding="utf-8")


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda text: text.replace(",5\n", ",4\n", 1), "does not count as many records"),
        (lambda text: text + "Pina,cold,0\n", "not a whole number above 0"),
        (lambda text: text.replace(",5\n", ",99999999999999999999999\n", 1), "not a whole number above 0"),
        (lambda text: text.replace("flu", "cold"), "twice"),
        (lambda text: text.replace("place", "plaza"), "does not have the columns"),
        (lambda _: "place,disease,count\n", "does not count as many records"),
    ],
    ids=["fewer", "none", "huge", "twice", "columns", "empty"],
)
def test_changed_counts_do_not_verify(change: Any, words: str, tmp_path: Path) -> None:
    cb.anonymize(arrow(trap(2)), asking([K], ["place", "disease"], ["place", "sex"])).write(tmp_path / "out")
    file = tmp_path / "out/public/marginal-1.csv"
    before = file.read_text(encoding="utf-8")
    text = change(before.replace(",10\n", ",5\n").replace(",8\n", ",5\n").replace(",2\n", ",5\n"))
    content = json.loads((tmp_path / "out/public/manifest.json").read_text(encoding="utf-8"))
    _rewrite(tmp_path / "out", content, {"marginal-1.csv": text})
    verdict = cb.verify(tmp_path / "out/public")
    assert not verdict
    assert any(words in problem for problem in verdict.problems)


def test_marginals_that_do_not_agree_or_form_a_cycle_do_not_verify(tmp_path: Path) -> None:
    cb.anonymize(arrow(trap(2)), asking([K], ["place", "disease"], ["place", "sex"])).write(tmp_path / "out")
    content = json.loads((tmp_path / "out/public/manifest.json").read_text(encoding="utf-8"))
    columns = [column for column in content["columns"] if column["file"] == "marginal-2.csv"]
    _rewrite(tmp_path / "out", content, {"marginal-2.csv": "place,sex,count\nPina,f,8\nPina,m,4\nJunco,m,8\n"})
    assert any("same table" in problem for problem in cb.verify(tmp_path / "out/public").problems)
    content["columns"] += [
        {**column, "name": "disease" if column["name"] == "place" else column["name"], "file": "marginal-3.csv",
         "role": "sensitive" if column["name"] == "place" else column["role"]}
        for column in columns
    ]  # fmt: skip
    content["marginals"].append({"file": "marginal-3.csv", "count": "count"})
    _rewrite(tmp_path / "out", content, {"marginal-3.csv": "disease,sex,count\nflu,m,10\ncold,f,10\n"})
    assert any("cycle" in problem for problem in cb.verify(tmp_path / "out/public").problems)


def test_counts_are_estimated_from_all_marginals(tmp_path: Path) -> None:
    """By hand: of ten in each place half are men, and by place nine diseases in ten are one."""
    cb.anonymize(arrow(trap(2)), asking([K], ["place", "disease"], ["sex"])).write(tmp_path / "out")
    public = tmp_path / "out/public"
    counts = Counter((row["place"], row["disease"]) for row in trap(2))
    assert estimated_count(public, {"place": ["Pina"]}, ["cold"]) == pytest.approx(counts["Pina", "cold"])
    assert estimated_count(public, {"place": ["Pina"], "sex": ["m"]}, ["cold"]) == pytest.approx(
        counts["Pina", "cold"] / 2
    )
    assert estimated_count(public, {}, ["cold", "flu"]) == pytest.approx(20)
    with pytest.raises(OutputError, match="does not have the columns shoe"):
        estimated_count(public, {"shoe": ["40"]}, ["cold"])


def test_what_cannot_be_asked_is_refused() -> None:
    rows = arrow(trap(2))
    ring = (["place", "sex"], ["sex", "age"], ["age", "place"])
    several = (["place", "disease"], ["sex", "disease"])
    for asked, words in (
        (asking([K], *ring), "cycle"),
        (asking([K], ["place", "shoe"]), "shoe"),
        (asking([K], ["place", "place"]), "twice"),
        (asking([K], ["number"]), "neither a quasi-identifier nor a sensitive attribute"),
        (asking([K], ["place"]), "no marginal has"),
        (asking([{"model": "c-k-safety", "c": 0.9, "k": 1}]), "no records"),
        (asking([{"model": "p-sensitive-k-anonymity", "p": 2, "k": 3}], *several), "no records"),
        (policy("optimal", [K]) | {"recoding": {"marginals": [["place"]]}}, "does not make marginals"),
    ):
        with pytest.raises(PolicyError, match=words):
            cb.anonymize(rows, asked)
    with pytest.raises(NoSolution, match="by itself"):
        cb.anonymize(arrow(trap()[:2]), asking([K]))
    same = [{**row, "disease": None} for row in trap(2)]
    with pytest.raises(NoSolution):
        cb.anonymize(arrow(same), asking([K, L]))


def test_too_many_combinations_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "COMBINATIONS_AT_MOST", 1)
    with pytest.raises(SearchTooLarge, match="combinations"):
        cb.anonymize(arrow(trap(2)), asking([K], ["place", "disease"], ["sex", "disease"]))


def test_the_tables_are_there_and_the_report_is_drawn(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    release = cb.anonymize(arrow(trap(2)), asking([K], ["place", "disease"], ["place", "sex"]))
    assert set(release.tables()) == {"marginal-1", "marginal-2"}
    with pytest.raises(OutputError, match="no rows"):
        release.to_arrow()
    assert release.write(tmp_path / "out")
    told = json.loads((tmp_path / "out/evidence/report.json").read_text(encoding="utf-8"))
    assert told["metrics"]["marginal_divergence"] == pytest.approx(release.solution.value)
    assert told["risk"]["after"]["highest"] <= 1 / 3
    assert "marginal divergence" in (tmp_path / "out/evidence/report.html").read_text(encoding="utf-8")
