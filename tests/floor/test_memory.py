"""The bound on memory: what a process may take, and who gets which share of it."""

from __future__ import annotations

from pathlib import Path

import pytest

import cobogo
from cobogo.data.table.engine import connect
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
    taken = float(number) * {"MiB": 2**20, "GiB": 2**30}[unit] + 48 * engine.room_for_counts + memory.OURS
    assert taken <= 2.01 * 10**9


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
