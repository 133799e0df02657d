"""Original records beside the released rows that they can have become: against plain comparison of the two files."""

from __future__ import annotations

from typing import Any

import pandas as pd
import pytest

from cobogo.examine.utility.pairs.beside import side_by_side
from support.release_pairs import pair, people

K5 = {"models": [{"model": "k-anonymity", "k": 5}]}


def may_become(before: Any, after: Any) -> bool:
    """Whether a released row has a record's values, or what stands for them."""
    age, town, *rest = before
    shown, place, *kept = after
    low, dash, high = (shown or "").partition("-")
    fits = shown in (age, "*") or (bool(dash) and age is not None and int(low) <= int(age) <= int(high))
    return fits and place in (town, "*") and rest == kept


@pytest.mark.parametrize(
    "recoding",
    [{"suppression-limit": 0.5}, {"algorithm": "mondrian"}, {"suppression-limit": 0.5, "algorithm": "local"}],
    ids=["full-domain", "mondrian", "local"],
)
def test_each_record_is_beside_a_row_that_it_can_have_become(recoding, tmp_path) -> None:
    frame = people(200)
    frame["paid"] = "50"
    found = side_by_side(pair(tmp_path, frame=frame, privacy=K5, recoding=recoding), 40)
    assert found is not None
    released = pd.read_csv(tmp_path / "release/public/release.csv", dtype=str, keep_default_na=False)
    rows = [[cell or None for cell in row] for row in released.itertuples(index=False)]
    read = frame.astype(object).where(frame.notna(), None).head(40).values.tolist()
    assert [list(one.before) for one in found] == read
    for one in found:
        fitting = [row for row in rows if may_become(one.before, row)]
        assert one.fitting == len(fitting)
        assert (one.after is None) == (not fitting)
        assert one.after is None or list(one.after) in fitting


def test_nothing_is_beside_an_original_that_may_not_be_read_or_that_was_replaced(tmp_path) -> None:
    assert side_by_side(pair(tmp_path / "a", original=False, privacy=K5), 5) is None
    steps = [{"method": "swap", "attributes": ["age"]}]
    assert side_by_side(pair(tmp_path / "b", perturbation={"steps": steps}), 5) is None
