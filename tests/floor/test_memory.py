"""The bound on memory: what a process may take, and who gets which share of it."""

from __future__ import annotations

from pathlib import Path

import pytest
from benchmarks import large
from benchmarks.measure import PYTHON, of_process

import cobogo
from cobogo.data.engines.engine import COUNT_BYTES, connect
from cobogo.errors import PolicyError
from cobogo.floor import memory


@pytest.fixture(autouse=True)
def unbounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "_bounds", [])


def test_of_several_bounds_the_lowest_holds() -> None:
    memory.bound_memory(4 * 10**9)
    lower = memory.memory_share(1.0)
    memory.bound_memory(8 * 10**9)
    assert memory.memory_share(1.0) == lower < 4 * 10**9


def test_what_engine_and_counts_may_take_is_less_than_the_bound() -> None:
    memory.bound_memory(2 * 10**9)
    engine = connect()
    (limit,) = engine.rows("SELECT value FROM duckdb_settings() WHERE name = 'memory_limit'")[0]
    number, unit = limit.split()
    taken = float(number) * {"MiB": 2**20, "GiB": 2**30}[unit] + COUNT_BYTES * engine.room_for_counts + memory.OURS
    assert taken <= 2.01 * 10**9


def test_an_engine_gives_memory_back_and_loses_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cobogo.data.engines.duck.memory_share", lambda share: 128 * 2**20)  # noqa: ARG005
    engine = connect()
    engine.rows("CREATE TEMP TABLE numbers AS SELECT hash(range) AS number FROM range(4_000_000)")
    used = "SELECT sum(memory_usage_bytes) FROM duckdb_memory()"
    before, total = engine.rows(used)[0][0], engine.rows("SELECT sum(number) FROM numbers")
    engine.free_memory()
    assert engine.rows(used)[0][0] <= 16 * 2**20 < before
    assert engine.rows("SELECT sum(number) FROM numbers") == total


@pytest.mark.evidence
def test_a_release_of_three_million_rows_takes_no_more_than_its_bound(tmp_path: Path) -> None:
    """Without a bound it takes 1.3 GiB. Its 2.2 million combinations fit; what DuckDB reads and sorts does not."""
    large.generate(tmp_path / "people", 3_000_000)
    (tmp_path / "policy.toml").write_text(large.POLICY + '[engine]\nmemory = "1GiB"\n')
    code = "from cobogo.faces.cli.main import run; run()"
    spent = of_process([PYTHON, "-c", code, "anonymize", str(tmp_path / "policy.toml"), "--out", str(tmp_path / "out")])
    assert spent.megabytes < 1024
    assert cobogo.verify(tmp_path / "out")


def test_a_container_s_limit_is_the_machine_s(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "memory.max").write_text("3000000000\n")
    monkeypatch.setattr(memory, "CONTAINER", tmp_path / "memory.max")
    assert memory.memory_share(1.0) < 0.8 * 3 * 10**9
    (tmp_path / "memory.max").write_text("max\n")
    assert memory.memory_share(1.0) > 0


@pytest.mark.parametrize("amount", ["", 4, True, "4", "GB", "-4GB", "4 XB", "1e9GB", "512MB", "4GB of it"])
def test_what_is_no_amount_is_refused(amount: object) -> None:
    policy = {"attributes": {"age": {"role": "quasi-identifier"}}, "engine": {"memory": amount}}
    with pytest.raises(PolicyError, match=r"engine\.memory"):
        cobogo.Policy.of(policy)
