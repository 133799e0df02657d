"""Synthetic releases from policy to verification, the books they are paid from, and what makes them fail."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import cobogo as cb
from cobogo.data.table.read import read
from cobogo.errors import BudgetSpent, PolicyError
from cobogo.promises.ledger import Ledger
from cobogo.publish.synthesize.domains import declared_domains, encode_rows
from cobogo.publish.synthesize.release import NO_GUARANTEE
from cobogo.release import manifest
from support.paths import ROOT
from support.synth_tables import BASELINES, PRIVATE, people, policy

pytestmark = pytest.mark.slow

pytest.importorskip("mbi")
pytest.importorskip("opendp")


def distances(release: Any, original: Any, rules: dict[str, Any]) -> list[float]:
    """Total variation of each pair of attributes, counted by a plain loop."""
    domains = declared_domains(cb.Policy.of(rules), ["age", "city", "ill"])
    tables = [encode_rows(read(table, cb.Policy.of(rules).data), domains, ".").codes for table in (release, original)]
    found = []
    for pair in combinations(range(3), 2):
        shares = []
        for table in tables:
            counts: dict[Any, float] = {}
            for cell in zip(*(table[a].tolist() for a in pair), strict=True):
                counts[cell] = counts.get(cell, 0) + 1 / len(table[0])
            shares.append(counts)
        cells = set(shares[0]) | set(shares[1])
        found.append(sum(abs(shares[0].get(c, 0) - shares[1].get(c, 0)) for c in cells) / 2)
    return found


@pytest.fixture(scope="module", params=[*PRIVATE, *BASELINES])
def written(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[str, Path]:
    out = tmp_path_factory.mktemp("synth") / "out"
    rules = policy(request.param) | {"utility": {"label": "ill", "queries": 50}, "report": {"language": "pt-BR"}}
    assert cb.synthesize(people(), rules).write(out)
    return request.param, out


def test_a_release_is_an_ordinary_one_and_verifies(written: tuple[str, Path]) -> None:
    method, out = written
    assert {p.name for p in out.iterdir()} == {"public", "evidence"}
    found = manifest.load(out / "public")
    assert found.kind == "synthesis"
    assert [(column.name, column.truthful) for column in found.columns] == [
        ("age", False),
        ("city", False),
        ("ill", False),
    ]
    for place in (out, out / "public"):
        verdict = cb.verify(place)
        assert verdict
        assert [str(v.model) for v in verdict.models] == (
            ["differential-privacy (epsilon = 4.0, delta = 1e-06)"] if method in PRIVATE else []
        )
        assert (NO_GUARANTEE in verdict.notes) == (method in BASELINES)
    assert abs(found.data.records - 2000) < 200


def test_a_known_joint_is_recovered_where_the_budget_is_large(written: tuple[str, Path]) -> None:
    method, out = written
    found = distances(out / "public" / "release.csv", people(), policy(method))
    assert max(found) < (0.1 if method in PRIVATE else 0.6)
    if method == "independent-without-guarantee":
        assert max(found) > 0.3


def test_the_report_measures_on_the_true_data_and_stays(written: tuple[str, Path]) -> None:
    method, out = written
    report = json.loads((out / "evidence/report.json").read_text())
    assert report["fidelity"]["two-way"]["mean"] == pytest.approx(
        np.mean(distances(out / "public" / "release.csv", people(), policy(method)))
    )
    assert set(report["fidelity"]["accuracy"]["models"]) == {"logistic-regression", "decision-tree", "naive-bayes"}
    page = (out / "evidence/report.html").read_text()
    assert ("NENHUMA GARANTIA" in page) == (method in BASELINES)
    assert "fidelity" not in (out / "public/manifest.json").read_text()
    stated = json.loads((out / "public/manifest.json").read_text())["transformation"]
    assert stated["guarantee"] == ("differential-privacy" if method in PRIVATE else "NONE")
    assert (NO_GUARANTEE in json.dumps(stated)) == (method in BASELINES)
    assert ("Não há garantia" in (out / "public/dictionary.md").read_text()) == (method in BASELINES)


def tampered(out: Path, change: Any) -> Path:
    """A copy of a release whose manifest was changed, and signed again."""
    public = out / "public"
    found = manifest.load(public)
    stated = json.loads(json.dumps(found.transformation))
    change(stated)
    copy = out.parent / "tampered"
    copy.mkdir(exist_ok=True)
    for file in public.iterdir():
        (copy / file.name).write_bytes(file.read_bytes())
    found.model_copy(update={"transformation": stated}).write(copy)
    return copy


def test_the_guarantee_follows_from_the_steps_stated(written: tuple[str, Path]) -> None:
    method, out = written
    if method in BASELINES:
        assert cb.verify(tampered(out, dict.copy))
        return

    def halve(stated: dict[str, Any]) -> None:
        for step in stated["steps"]:
            if "scale" in step:
                step["scale"] /= 2

    def understate(stated: dict[str, Any]) -> None:
        stated["max-rows"] = 2

    def forget(stated: dict[str, Any]) -> None:
        stated["steps"] = []

    for change in (halve, understate, forget, lambda stated: stated.pop("rho")):
        assert not cb.verify(tampered(out, change))


def test_values_that_nobody_declared_are_told(written: tuple[str, Path]) -> None:
    _, out = written
    copy = tampered(out, lambda stated: stated["domains"]["city"]["values"].remove("Crato"))
    assert any("city" in problem for problem in cb.verify(copy).problems)


def test_a_small_budget_is_far_off_and_another_run_is_another_draw() -> None:
    rules = policy("privbayes", epsilon=0.05)
    first, second = (cb.synthesize(people(), rules).to_arrow() for _ in range(2))
    assert max(distances(first, people(), rules)) > 0.1
    assert first.num_rows != second.num_rows or first.sort_by("age") != second.sort_by("age")


@pytest.mark.parametrize(
    ("method", "rows"), [("mst", 0), ("privbayes", 0), ("privbayes", 1), *((name, 0) for name in BASELINES)]
)
def test_nothing_is_refused_for_how_many_rows_there_are(method: str, rows: int, tmp_path: Path) -> None:
    """Whether a table is empty is somebody's secret: it gives a release like any other."""
    release = cb.synthesize(people(rows), policy(method, records=20))
    assert release.write(tmp_path / "out")
    assert release.records == 20
    assert cb.verify(tmp_path / "out")


def plain(columns: dict[str, list[str]], method: str, **changes: Any) -> tuple[Any, dict[str, Any]]:
    rules = policy(method, **changes)
    rules["attributes"] = {name: {"role": "quasi-identifier"} for name in columns}
    rules["synthesis"]["domains"] = {name: ["a", "b"] for name in columns}
    return pa.table(columns), rules


@pytest.mark.parametrize("method", [*PRIVATE, *BASELINES])
def test_one_column_whose_values_are_all_equal(method: str) -> None:
    table, rules = plain({"x": ["a"] * 500}, method)
    found = cb.synthesize(table, rules).to_pandas()["x"]
    assert (found == "a").mean() > 0.9


@pytest.mark.parametrize("method", ["mst", *BASELINES])
def test_more_columns_than_a_table_of_all_their_values_could_have(method: str) -> None:
    random = np.random.default_rng(1)
    chain = np.cumsum(random.random((36, 400)) < 0.1, axis=0) % 2  # each is like the one before it
    columns = {f"c{n}": np.where(own == 1, "a", "b").tolist() for n, own in enumerate(chain)}
    table, rules = plain(columns, method, **({"epsilon": 500.0} if method == "mst" else {}))
    found = cb.synthesize(table, rules).to_pandas()
    assert found.shape[1] == 36
    if method == "mst":
        assert 0.8 < (found["c3"] == found["c4"]).mean() < 1


def test_typed_columns_stay_typed_and_nulls_are_values() -> None:
    table = pa.table({"n": pa.array([1, 5, 9, None] * 200, pa.int64()), "t": pa.array(["a", None] * 400)})
    rules = policy("independent-without-guarantee")
    rules["attributes"] = {"n": {"role": "quasi-identifier"}, "t": {"role": "sensitive"}}
    rules["synthesis"]["domains"] = {"n": {"edges": [0, 4, 8, 10]}, "t": ["a"]}
    found = cb.synthesize(table, rules).to_arrow()
    assert found.schema.field("n").type == pa.int64()
    assert found["n"].null_count == 200
    assert found["t"].null_count == 400


@pytest.mark.parametrize(
    ("changes", "word"),
    [
        ({"method": "mts"}, "mst"),
        ({"domains": {"age": {"bounds": [0, 80], "bins": 4}, "city": ["Crato"]}}, "ill"),
        ({"domains": {"age": {"bounds": [0, 2], "bins": 9}}}, "a bin does not contain a number with"),
        ({"epsilon": None, "delta": None}, "cost"),
        ({"max-rows": 3}, "data.unit"),
        ({"method": "copula-without-guarantee"}, "no guarantee"),
    ],
)
def test_what_cannot_be_done_is_refused_and_says_how_to_do_it(changes: dict[str, Any], word: str) -> None:
    rules = policy()
    rules["synthesis"] = {k: v for k, v in (rules["synthesis"] | changes).items() if v is not None}
    with pytest.raises(PolicyError, match=word):
        cb.synthesize(people(10), rules)


def test_people_with_several_rows_need_a_bound() -> None:
    rules = policy() | {"data": {"unit": "name"}}
    with pytest.raises(PolicyError, match="max-rows"):
        cb.synthesize(people(10), rules)
    rules = policy("privbayes", **{"max-rows": 2}) | {"data": {"unit": "name"}}
    many = pa.concat_tables([people(200)] * 5)
    release = cb.synthesize(many, rules)
    assert 300 < release.records < 500
    assert release.transformation.statement()["steps"][0]["sensitivity"] == 4


# The books


def curator(tmp_path: Path, epsilon: float = 6.0) -> Path:
    file = tmp_path / "curator.toml"
    file.write_text(
        f"""
ledger = "ledger.db"
[datasets.people]
path = "people.csv"
columns = {{ age = {{ type = "integer", bounds = [0, 80] }} }}
budget = {{ epsilon = {epsilon}, delta = 1e-5 }}
analysts = {{ ana = {{ epsilon = {epsilon}, delta = 1e-5 }} }}
"""
    )
    return file


def paid(tmp_path: Path, **changes: Any) -> dict[str, Any]:
    return policy("privbayes", curator=str(curator(tmp_path)), dataset="people", analyst="ana", **changes)


def test_the_budget_is_debited_and_looked_up_and_an_exhausted_one_refuses(tmp_path: Path) -> None:
    assert cb.synthesize(people(50), paid(tmp_path)).write(tmp_path / "out")
    (entry,) = Ledger(tmp_path / "ledger.db").entries("people")
    assert (entry.cost.amount, entry.cost.delta) == (4 * 10**9, 10**12)
    assert cb.verify(tmp_path / "out")
    second = cb.synthesize(people(50), paid(tmp_path))
    with pytest.raises(BudgetSpent):
        second.write(tmp_path / "again")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["curator.toml", "ledger.db", "ledger.db.seal", "out"]
    assert second.transformation.outcome.rows is None  # no row was looked at
    (tmp_path / "ledger.db").unlink()
    assert "the curator's ledger has no debit for this release" in cb.verify(tmp_path / "out").problems


def test_a_book_in_rho_is_debited_in_rho(tmp_path: Path) -> None:
    rules = paid(tmp_path)
    text = (tmp_path / "curator.toml").read_text().replace("epsilon", "rho").replace(", delta = 1e-5", "")
    (tmp_path / "curator.toml").write_text(text)
    release = cb.synthesize(people(50), rules)
    assert release.records
    (entry,) = Ledger(tmp_path / "ledger.db").entries("people")
    assert 0 < entry.cost.amount < 10**9
    assert entry.cost.delta == 0


def test_a_curator_of_other_people_is_refused(tmp_path: Path) -> None:
    rules = paid(tmp_path) | {"data": {"unit": "name"}}
    rules["synthesis"]["max-rows"] = 1
    with pytest.raises(PolicyError, match="unit"):
        cb.synthesize(people(10), rules)


KILLED = """
import os, signal, sys
sys.path[:0] = sys.argv[1:3]
from support.synth_tables import people
import cobogo as cb
import cobogo.publish.synthesize.release as synthetic, json
synthetic.encode_rows = lambda *a, **k: os.kill(os.getpid(), signal.SIGKILL)
cb.synthesize(people(50), json.loads(sys.argv[3])).write(sys.argv[4])
"""


def test_a_run_that_is_killed_has_spent_and_left_nothing(tmp_path: Path) -> None:
    rules, out = paid(tmp_path), tmp_path / "out"
    places = [str(Path(cb.__file__).parents[1]), str(ROOT / "tests")]
    ended = subprocess.run([sys.executable, "-c", KILLED, *places, json.dumps(rules), str(out)], capture_output=True)
    assert ended.returncode == -signal.SIGKILL
    assert not out.exists()
    assert len(Ledger(tmp_path / "ledger.db").entries("people")) == 1
    rules["synthesis"]["epsilon"] = 2.0
    assert cb.synthesize(people(50), rules).write(out)
    assert cb.synthesize(people(50), policy("independent-without-guarantee")).write(
        out
    )  # an earlier release is replaced
    assert {p.name for p in tmp_path.iterdir()} <= {"curator.toml", "ledger.db", "ledger.db.seal", "out"}
