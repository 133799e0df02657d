"""The budget of a device, and what outlasts a restart."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cobogo.errors import BudgetSpent, DataError, OutputError
from cobogo.locate.device import WindowLedger
from support.effort import examples
from support.location_device import HOME, client


@settings(max_examples=examples(60), deadline=None)
@given(st.lists(st.tuples(st.floats(0, 300), st.sampled_from([0.1, 0.05, 0.2])), max_size=30))
def test_no_window_of_time_costs_more_than_the_budget(tries: list[tuple[float, float]]) -> None:
    ledger, paid = WindowLedger(0.3, window=60), []
    for time, cost in sorted(tries):
        if ledger.allows(cost, time):
            ledger.spend(cost, time)
            paid.append((time, cost))
        else:
            with pytest.raises(BudgetSpent, match="is left for this window"):
                ledger.spend(cost, time)
    for end, _ in paid:
        within = sum(round(cost * 100) for time, cost in paid if end - 60 < time <= end)
        assert within <= 30


def test_a_clock_that_goes_back_frees_nothing() -> None:
    ledger = WindowLedger(0.1, window=60)
    ledger.spend(0.1, 1000.0)
    assert ledger.amount_left(10.0) == 0
    assert ledger.amount_left(1061.0) == 0.1


def test_what_was_spent_outlives_the_process_and_is_its_owner_s_alone(tmp_path: Path) -> None:
    file = tmp_path / "device.json"
    for second in range(3):
        client(file=file).report(*HOME, float(second))
    with pytest.raises(BudgetSpent):
        client(file=file).report(*HOME, 5.0)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert {entry.name for entry in tmp_path.iterdir()} == {"device.json", ".device.json.lock"}


def test_two_programs_on_one_device_share_its_budget_and_its_home(tmp_path: Path) -> None:
    one, other = (client(file=tmp_path / "device.json", source=None) for _ in range(2))
    for device, second in ((one, 0.0), (other, 1.0), (one, 2.0)):
        device.report(-38.4, -3.7, second)
    for device in (one, other):
        with pytest.raises(BudgetSpent):
            device.report(-38.4, -3.7, 3.0)
    one.remember("home", *HOME)
    assert len({device.report(*HOME, 9000.0).positions for device in (one, other)}) == 1


@pytest.mark.parametrize(
    "damage", ["", "{}", "[]", '{"spent": 3, "last": null, "places": {}, "memos": {}}'], ids=range(4)
)
def test_a_damaged_memory_is_not_taken_for_an_empty_one(damage: str, tmp_path: Path) -> None:
    file = tmp_path / "device.json"
    file.write_text(damage)
    with pytest.raises(DataError, match="damaged"):
        client(file=file)


def test_nothing_goes_out_that_could_not_be_written_down(tmp_path: Path) -> None:
    device = client(file=tmp_path / "gone" / "device.json")
    with pytest.raises(OutputError, match="cannot be written"):
        device.report(*HOME, 0.0)
