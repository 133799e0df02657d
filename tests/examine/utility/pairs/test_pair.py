"""An original and its release side by side: against plain counting with pandas, and against the plan's own metrics.

Original records beside the released rows that they can have become: against plain comparison of the two files.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

from cobogo.errors import InputError
from cobogo.examine.utility.pairs.comparison import contingency, distribution, summaries
from cobogo.examine.utility.pairs.pair import side_by_side
from cobogo.examine.utility.pairs.use import predictable_columns, unfit_reason, workload
from support.release_pairs import ATTRIBUTES, pair, people, recoded, shares

pytestmark = pytest.mark.slow


def test_records_with_levels_of_their_own_are_spread_and_none_is_lost(tmp_path) -> None:
    told = {"privacy": {"models": [{"model": "k-anonymity", "k": 10}]}, "recoding": {"algorithm": "mondrian"}}
    this = pair(tmp_path, **told)
    found = distribution(this, "age")
    assert found.before is not None
    assert (found.how, found.after.sum(), found.before.sum()) == ("spread", pytest.approx(1), pytest.approx(1))
    assert found.apart is not None
    assert 0 < found.apart < 0.5
    released = pd.read_csv(tmp_path / "release/public/release.csv", dtype=str)["age"]

    def ages(label: str) -> list[int]:
        low, _, high = "18-79".partition("-") if label == "*" else label.partition("-")
        return [age for age in range(int(low), int(high or low) + 1) if age <= 79]

    # NULL is one more leaf under *, and is no number
    sums = [np.sum(ages(label)) / (len(ages(label)) + (label == "*")) for label in released]
    known = [len(ages(label)) / (len(ages(label)) + (label == "*")) for label in released]
    estimated = summaries(this)["age"][1]
    assert estimated is not None
    assert estimated.mean == pytest.approx(sum(sums) / sum(known))


def test_buckets_tell_each_column_and_hide_how_they_go_together(tmp_path) -> None:
    told = {
        "privacy": {"models": [{"model": "l-diversity", "attribute": "illness", "kind": "distinct", "l": 2}]},
        "recoding": {"algorithm": "anatomy"},
    }
    this = pair(tmp_path, **told)
    alone = distribution(this, "illness")
    assert alone.apart == pytest.approx(0)
    both = contingency(this, "town", "illness")
    assert both is not None
    assert both.after.sum(axis=0) == pytest.approx(alone.after[[alone.shown.index(one) for one in both.across]])
    assert both.association[1] < (both.association[0] or 0)
    assert unfit_reason(this) == "buckets"
    with pytest.raises(InputError):
        workload(this)


def test_counts_without_rows_tell_the_pairs_that_were_counted(tmp_path) -> None:
    told = {
        "attributes": {**ATTRIBUTES, "paid": {"role": "identifier"}},
        "privacy": {"models": [{"model": "k-anonymity", "k": 2}]},
        "recoding": {"algorithm": "marginals", "marginals": [["age", "town"], ["town", "illness"]]},
    }
    this = pair(tmp_path, **told)
    assert unfit_reason(this) == "marginals"
    assert contingency(this, "town", "illness") is not None
    assert contingency(this, "age", "illness") is None


def test_replaced_values_are_said_to_be_so_and_noise_is_compared_in_intervals(tmp_path) -> None:
    this = pair(tmp_path, masking={"columns": {"town": {"fake": "city"}, "paid": {"blur": 0.1}}})
    found = distribution(this, "town")
    assert found.apart is None or found.how == "values"
    noise = distribution(this, "paid")
    assert noise.how == "bins"
    assert noise.before is not None
    assert noise.before.sum() == pytest.approx(1)
    hidden = pair(tmp_path / "again", masking={"columns": {"town": {"truncate": 1}, "illness": {"null": True}}})
    assert distribution(hidden, "town").how == "replaced"
    assert shares(distribution(hidden, "illness"))["missing"] == (0, pytest.approx(1))
    assert "town" not in predictable_columns(hidden)


def test_a_release_alone_has_one_side(tmp_path) -> None:
    this = pair(tmp_path, original=False, **recoded({"age": 1, "town": 0}))
    found = distribution(this, "town")
    assert found.before is None
    assert found.apart is None
    assert found.after.sum() == pytest.approx(1)
    assert unfit_reason(this) == "original"
    assert predictable_columns(this) == ()


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
