"""Withheld sensitive values: classes that fail for them keep their records, and nothing withheld can be told."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings

import cobogo as cb
from cobogo.errors import CobogoError, DataError, NoSolution, PolicyError
from cobogo.release import manifest as manifests
from support.effort import examples
from support.partition_tables import K, arrow, policy, tables

pytestmark = pytest.mark.slow

some = settings(deadline=None, max_examples=examples(15), suppress_health_check=list(HealthCheck))

L = {"model": "l-diversity", "kind": "distinct", "l": 2}
ENTROPY = {"model": "l-diversity", "kind": "entropy", "l": 1.8}
T = {"model": "t-closeness", "distance": "equal", "t": 0.35}
P = {"model": "p-sensitive-k-anonymity", "p": 2, "k": 3}


@pytest.fixture(autouse=True)
def no_report(monkeypatch: pytest.MonkeyPatch) -> None:
    """Reports take longest; one test below looks at what they say."""
    monkeypatch.setattr("cobogo.tell.report.write.write", lambda *_, **__: None)


def withholding(models: list[Any], limit: float, algorithm: str = "optimal", **recoding: Any) -> dict[str, Any]:
    asked = policy(algorithm, models, limit)
    asked["recoding"] = {**asked["recoding"], "suppress": "sensitive", **recoding}
    return asked


def classes(rows: list[Any]) -> dict[Any, list[Any]]:
    found = defaultdict(list)
    for row in rows:
        found[row["place"], row["age"], row["sex"]].append(row)
    return found


def holds(model: dict[str, Any], values: Counter[Any], whole: Counter[Any]) -> bool:
    """A model of one bag of values, in plain Python; who has none does not count."""
    values, whole = (Counter({value: many for value, many in bag.items() if value}) for bag in (values, whole))
    size = sum(values.values())
    if not size:
        return model is T
    if model in (L, P):
        return len(values) >= 2
    if model is ENTROPY:
        effective = 1.0
        for count in values.values():
            effective *= (size / count) ** (count / size)
        return effective >= 1.8 - 1e-6
    return sum(abs(values[d] / size - whole[d] / sum(whole.values())) for d in whole) / 2 <= 0.35 + 1e-9


@pytest.mark.parametrize("model", [L, ENTROPY, T, P], ids=["distinct", "entropy", "t", "p"])
@some
@given(rows=tables(least=6))
def test_what_is_shown_holds_and_so_does_what_is_not(model: dict[str, Any], rows: list[Any]) -> None:
    """Each class shows all of its values, which satisfy the model, or none; and those not shown satisfy it as one."""
    try:
        release = cb.anonymize(arrow(rows), withholding([K, model], 0.5))
    except NoSolution:
        return
    released = release.to_arrow().to_pylist()
    originals = {row["number"]: row for row in rows}
    whole = Counter(row["disease"] for row in rows)
    seen: Counter[Any] = Counter()
    starred = 0
    for members in classes(released).values():
        assert len(members) >= 3
        values = Counter(row["disease"] for row in members)
        if "*" in values:
            assert len(values) == 1
            starred += len(members)
        else:
            assert all(row["disease"] == originals[row["number"]]["disease"] for row in members)
            assert holds(model, values, whole)
            seen += values
    assert seen, "something is left"
    assert len(rows) - len(released) + starred <= len(rows) // 2
    if starred:
        rest = Counter({value: whole[value] - seen[value] for value in whole if whole[value] > seen[value]})
        assert holds(model, rest, whole)


@pytest.mark.parametrize("model", [L, ENTROPY, T], ids=["distinct", "entropy", "t"])
@some
@given(rows=tables(least=6, most=20))
def test_the_search_finds_what_going_through_every_node_finds(model: dict[str, Any], rows: list[Any]) -> None:
    """Pruning and bounds are those of classes that keep their records: no node left out is better."""
    from itertools import product

    from cobogo.publish.anonymize import prepare
    from cobogo.publish.recode.lattice.evaluate import Evaluator
    from cobogo.publish.recode.lattice.search import optimal

    problem = prepare(arrow(rows), withholding([K, model], 0.4)).problem
    evaluator = Evaluator(problem)
    nodes = product(*(range(low, high + 1) for low, high in zip(problem.lowest, problem.highest, strict=True)))
    values = [found.value for node in nodes if (found := evaluator.check(node)).satisfied]
    try:
        best = optimal(problem)
    except NoSolution:
        assert not values
        return
    assert best.value == pytest.approx(min(values), abs=1e-12)


def guide() -> list[dict[str, Any]]:
    """Of three places one is all "flu"."""
    rows = [("Pina", d) for d in ("flu", "cold", "asthma", "cold")] * 3 + [("Junco", "flu")] * 4
    rows += [("Centro", d) for d in ("flu", "cold", "asthma")]
    return [{"number": str(n), "place": p, "age": "20", "sex": "f", "disease": d} for n, (p, d) in enumerate(rows)]


def test_records_stay_where_only_their_values_fail(tmp_path: Path) -> None:
    """Were only the four of Junco withheld, the totals would tell all: so the three of Centro are, too."""
    release = cb.anonymize(arrow(guide()), withholding([K, {**L, "l": 3}], 0.4))
    assert release.levels == {"place": 0, "age": 0, "sex": 0}
    assert release.suppressed == 0
    assert release.write(tmp_path / "out")
    assert cb.verify(tmp_path / "out")
    assert cb.verify(tmp_path / "out/public")
    found = Counter((row["place"], row["disease"]) for row in release.to_arrow().to_pylist())
    assert found["Junco", "*"] == 4
    assert found["Centro", "*"] == 3
    assert found["Pina", "cold"] == 6
    dropped = cb.anonymize(arrow(guide()), policy("optimal", [K, {**L, "l": 3}], 0.4))
    assert dropped.suppressed == 4
    assert release.metrics["loss"] < dropped.metrics["loss"]


def test_without_a_limit_nothing_is_withheld() -> None:
    asked = [K, {**L, "l": 3}]
    release = cb.anonymize(arrow(guide()), withholding(asked, 0.0))
    assert release.levels == cb.anonymize(arrow(guide()), policy("optimal", asked)).levels
    assert not release.plan.withheld


def test_values_that_the_totals_give_away_do_not_verify(tmp_path: Path) -> None:
    """Whoever shows the values of Centro after all, and corrects every hash, leaves only Junco's: all flu."""
    cb.anonymize(arrow(guide()), withholding([K, {**L, "l": 3}], 0.4)).write(tmp_path / "out")
    file, evidence = tmp_path / "out/public/release.csv", tmp_path / "out/evidence/evidence.json"
    lines = file.read_text(encoding="utf-8").splitlines()
    values = iter(["flu", "cold", "asthma"])
    shown = [line.replace("*", next(values)) if ",Centro," in line else line for line in lines]
    _rewrite(tmp_path / "out", "\n".join(shown) + "\n", evidence)
    assert any("follow from the column's totals" in problem for problem in cb.verify(tmp_path / "out").problems)
    first = next(n for n, line in enumerate(lines) if ",Centro," in line)
    mixed = [line.replace("*", "flu") if n == first else line for n, line in enumerate(lines)]
    _rewrite(tmp_path / "out", "\n".join(mixed) + "\n", evidence)
    assert any("withholds others" in problem for problem in cb.verify(tmp_path / "out/public").problems)


def _rewrite(directory: Path, text: str, evidence: Path) -> None:
    """A release with other rows, whose hashes fit."""
    (directory / "public/release.csv").write_text(text, encoding="utf-8", newline="\n")
    path = directory / "public/manifest.json"
    content = json.loads(path.read_text(encoding="utf-8"))
    entry = content["files"]["release.csv"]
    entry.update(sha256=manifests.sha256(directory / "public/release.csv"), bytes=len(text.encode()))
    path.write_text(json.dumps(content), encoding="utf-8")
    kept = json.loads(evidence.read_text(encoding="utf-8"))
    kept["manifest-sha256"] = manifests.sha256(path)
    evidence.write_text(json.dumps(kept), encoding="utf-8")


def test_starred_records_do_not_help_to_tell_what_is_withheld(tmp_path: Path) -> None:
    rows = [*guide(), {"number": "x", "place": "Olinda", "age": "20", "sex": "f", "disease": "cold"}]
    asked = withholding([K, {**L, "l": 2}], 0.9) | {"output": {"suppressed": "star"}}
    release = cb.anonymize(arrow(rows), asked)
    assert release.write(tmp_path / "out")
    assert cb.verify(tmp_path / "out")


def test_the_report_tells_what_was_withheld() -> None:
    from cobogo.publish.recode.story import planned_summary

    release = cb.anonymize(arrow(guide()), withholding([K, {**L, "l": 3}], 0.4))
    told = planned_summary(release)["withheld"]
    assert told == {"disease": {"classes": 2, "records": 7, "inference": pytest.approx(5 / 7)}}
    assert any("withheld" in warning for warning in release.warnings)


@pytest.mark.parametrize("algorithm", ["datafly", "samarati", "incognito", "ola", "genetic"])
def test_every_search_of_the_lattice_can_withhold(algorithm: str, tmp_path: Path) -> None:
    release = cb.anonymize(arrow(guide()), withholding([K, {**L, "l": 3}], 0.4, algorithm))
    assert release.write(tmp_path / "out")
    assert cb.verify(tmp_path / "out")


def test_what_cannot_be_asked_is_refused() -> None:
    rows = guide()
    safety = {"model": "c-k-safety", "c": 0.9, "k": 1}
    for models, recoding, words in (
        ([K], {}, "no values to withhold"),
        ([K, safety], {}, "more than one attribute of one class"),
        ([K, {**L, "distort": True}], {}, "more than one attribute of one class"),
        ([K, L], {"label": "disease", "metric": "classification"}, "recoding.label"),
        ([K, L], {"suppress": "values"}, "records"),
    ):
        with pytest.raises(PolicyError, match=words):
            cb.anonymize(arrow(rows), withholding(models, 0.4, **recoding))
    with pytest.raises(PolicyError, match="mondrian cannot withhold"):
        cb.anonymize(arrow(rows), withholding([K, L], 0.4, "mondrian"))
    rows[0] = {**rows[0], "disease": "*"}
    with pytest.raises(DataError, match="uses for withheld values"):
        cb.anonymize(arrow(rows), withholding([K, L], 0.4))


def test_few_records_or_one_value_are_refused_clearly() -> None:
    rows = guide()
    with pytest.raises(CobogoError, match="satisf"):
        cb.anonymize(arrow(rows[:2]), withholding([K, L], 0.5))
    same = [{**row, "disease": None} for row in rows]
    with pytest.raises(NoSolution):
        cb.anonymize(arrow(same), withholding([K, L], 1.0))


def test_numbers_are_withheld_as_text(tmp_path: Path) -> None:
    table = pa.table({"age": ["1"] * 4 + ["2"] * 4 + ["3"] * 8, "pay": [5, 5, 5, 5, 1, 2, 3, 4, *range(1, 9)]})
    asked = {
        "attributes": {"age": {"role": "quasi-identifier"}, "pay": {"role": "sensitive"}},
        "privacy": {"models": [{"model": "k-anonymity", "k": 4}, {**L, "l": 4}]},
        "recoding": {"suppress": "sensitive", "suppression-limit": 0.5},
    }
    release = cb.anonymize(table, asked)
    assert release.write(tmp_path / "out")
    assert cb.verify(tmp_path / "out")
    found = Counter((row["age"], row["pay"] == "*") for row in release.to_arrow().to_pylist())
    assert found == {("1", True): 4, ("2", True): 4, ("3", False): 8}
