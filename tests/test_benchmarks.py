"""The benchmarks' own parts, on tables small enough not to be benchmarks."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from benchmarks import __main__ as bench
from benchmarks import (
    adaptive,
    cloaks,
    collecting,
    commands,
    curator,
    decoding,
    engines,
    flows,
    frequency_lists,
    ingesting,
    location_attacks,
    noise,
    peer_tasks,
    searches,
    synthetic,
    tables,
    vault,
)
from benchmarks.measure import PYTHON, Result, Spent, of_process

import cobogo as cb

pytestmark = pytest.mark.slow


def test_a_made_up_table_can_be_anonymized_and_is_the_same_every_time(tmp_path: Path) -> None:
    data = tables.write(tmp_path, 400, 3)
    first = data.read_bytes()
    assert tables.write(tmp_path, 400, 3).read_bytes() == first
    release = cb.anonymize(tables.policy(data, 3))
    assert release.problem.scale.records == 400
    assert release.solution.optimal


def test_its_policy_is_also_written_as_toml(tmp_path: Path) -> None:
    policy = tables.policy(tables.write(tmp_path, 300, 2), 2)
    file = tmp_path / "policy.toml"
    file.write_text(commands._toml(policy), encoding="utf-8")
    assert cb.Policy.load(file).quasi_identifiers == ("q0", "q1")
    commands.engine_alone(policy["data"]["path"], commands._quasi(policy))


@pytest.mark.parametrize("name", ["postgresql", "spark"])
def test_the_least_that_an_engine_does_leaves_nothing_behind(
    name: str, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    policy = tables.policy(tables.write(tmp_path, 300, 2), 2)
    before = {*tmp_path.iterdir()}
    alone = engines.postgresql_alone if name == "postgresql" else engines.spark_alone
    alone(policy["data"]["path"], request.getfixturevalue(name), commands._quasi(policy))
    assert {*tmp_path.iterdir()} == before


def test_the_time_of_a_child_that_ended_counts() -> None:
    before = engines._of_family(os.getpid())
    of_process([PYTHON, "-c", "sum(range(20_000_000))"])
    assert engines._of_family(os.getpid()) > before + 0.1


def test_a_process_is_measured_or_its_failure_told() -> None:
    spent = of_process([PYTHON, "-c", "x = bytearray(50_000_000)"])
    assert spent.megabytes > 50
    with pytest.raises(RuntimeError, match="no such thing"):
        of_process([PYTHON, "-c", "raise SystemExit('no such thing')"])


def test_a_line_of_the_table_tells_the_ratios() -> None:
    said = bench.line(Result("what", Spent(1.0, 3.0), "other", Spent(2.0, 4.0), "note"))
    assert said.split() == ["what", "1.000", "other", "2.00", "0.5", "0.75", "note"]
    assert bench.line(Result("alone", Spent(1.0, 3.0))).split() == ["alone", "1.000"]


def test_what_a_search_found_is_told(tmp_path: Path) -> None:
    problem = searches._wide(tmp_path, 2)
    *_, note = searches._once(problem, None)
    assert note.endswith("proven")


def test_a_small_vault_is_measured_beside_a_bare_table(tmp_path: Path) -> None:
    found = list(vault.vault(tmp_path, 500))
    assert [result.what for result in found] == ["vault: new tokens", "vault: known tokens", "vault: values back"]
    assert all(result.ratio and result.cpu_ratio is not None for result in found)


def test_questions_to_the_curator_are_measured(tmp_path: Path) -> None:
    results = list(curator.answers(tmp_path, many=[500], numbers=[10]))
    assert [result.note for result in results] == 2 * [
        "warm; plain GROUP BY person, place",
        "warm; plain GROUP BY place",
    ]
    (found,) = curator.medians(tmp_path, rows=500)
    assert found.against == "DuckDB"


def test_frequency_lists_are_measured_beside_counting(tmp_path: Path) -> None:
    results = list(frequency_lists.lists(tmp_path, 3000))
    assert all("L1 error" in result.note and result.against == "counting" for result in results)
    true = frequency_lists.passwords(3000)
    assert frequency_lists.with_laplace(true, 1.0) > 0


def test_a_peer_is_measured_by_its_own_process_or_left_out(capsys: pytest.CaptureFixture[str]) -> None:
    ours = Spent(1.0, 1.0)
    said = "print('loading'); print('{\"wall\": 2.0, \"cpu\": 4.0}')"
    (result,) = peer_tasks.beside([PYTHON, "-c", said], "peer", "what", ours, "note")
    assert (result.ratio, result.cpu_ratio) == (0.5, 0.25)
    assert list(peer_tasks.beside([PYTHON, "-c", "import no_such_peer"], "peer", "what", ours, "note")) == []
    assert "peer left out: ModuleNotFoundError" in capsys.readouterr().out


def test_peers_that_are_not_installed_are_left_out_with_a_word(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(peer_tasks, "ENVIRONMENT", tmp_path / "peers")
    assert list(curator.beside_peers(tmp_path, rows=500)) == []
    assert [line.split(" left out")[0] for line in capsys.readouterr().out.splitlines()] == ["smartnoise", "opendp"]


def test_reports_are_handed_in_over_http(tmp_path: Path) -> None:
    found = list(ingesting.ingesting(tmp_path, reports=10, kinds=["grr"]))
    assert len(found) == 2
    assert all("reports a second" in result.note for result in found)


def test_local_reports_are_measured_beside_numpy_that_counts_the_same(tmp_path: Path) -> None:
    results = list(collecting.collecting(tmp_path, users=300))
    assert {result.what.partition(",")[0] for result in results} > {"grr", "hadamard", "olh", "oue", "RAPPOR"}
    assert [result.ratio is not None for result in results] == [True] * 5 + [False] * 5
    held = np.arange(20_000) % collecting.VALUES
    for plain, p, q in ((collecting.oue, 1 / 2, 69 / 256), (collecting.olh, 0.475, 1 / 4)):
        expected = 200 * p + 19_800 * q
        assert abs(plain(held).mean() - expected) < 0.05 * expected


def test_noise_is_measured_beside_plain_noise(tmp_path: Path) -> None:
    found = list(noise.noise(tmp_path, 2000))
    assert [result.what for result in found] == [
        "location: planar-laplace", "location: predictive", "location: adaptive", "location: dummies",
    ]  # fmt: skip
    assert all(result.ratio for result in found)


def test_adaptive_noise_is_compared_on_any_trips(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    steps = np.cumsum(rng.normal(0, 1e-4, (2, 150, 2)), axis=1)
    when = pd.date_range("2026-01-01", periods=150, freq="10s")
    trips = [
        pd.DataFrame({"lat": 40 + way[:, 0], "lng": 116 + way[:, 1], "datetime": when, "uid": f"00{number}"})
        for number, way in enumerate(steps)
    ]
    pd.concat(trips).to_csv(tmp_path / "sample.csv", index=False)
    found = {row.rule: row for row in adaptive.table((10.0,), tmp_path / "sample.csv", seeds=1)}
    assert found.keys() == adaptive.RULES.keys()
    assert found["plain"].spent == pytest.approx(1)
    assert found["predictive"].spent < 1
    assert all(row.attacked < row.loss for row in found.values())


def test_cloaks_are_measured_beside_a_sort(tmp_path: Path) -> None:
    found = list(cloaks.cloaks(tmp_path, 1000))
    assert len(found) == 7
    assert all(result.against == "np.sort" and result.ratio for result in found)


def test_synthetic_records_are_measured_beside_those_of_a_copula(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("benchmarks.adult.is_there", lambda: False)
    (found,) = synthetic.synthetic(tmp_path, 300, ("independent-without-guarantee",))
    assert found.what == "synthetic: independent-without-guarantee, made-up census"
    assert found.note.startswith("pairs 0.")


def test_location_attacks_are_measured_beside_bare_numbers(tmp_path: Path) -> None:
    found = list(location_attacks.attacks(tmp_path, 40))
    assert [result.what.split(":")[0] for result in found] == ["attack"] * 5 + ["trajectories"] * 3
    assert all(result.ratio for result in found)


def test_rappor_is_decoded_by_all_rules_from_the_same_counts(tmp_path: Path) -> None:
    found = list(decoding.decoding(tmp_path, clients=2000, names=["typical, 8 bits"]))
    assert len(found) == 1
    assert all("bonferroni" in result.note and "google" in result.note for result in found)
    (many,) = decoding.many_candidates(tmp_path, clients=2000, candidates=300)
    assert "found/invented" in many.note


def test_flows_are_compared_with_simpler_ways(capsys: pytest.CaptureFixture[str]) -> None:
    flows.main(sizes=[300], runs=1)
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 2 + 4
    assert all(line.count("%") == len(flows.WAYS) for line in lines[2:])
