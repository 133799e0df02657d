"""Distributions, contingencies and summaries of both sides.

What released values stand for, and bins of hard numbers.
"""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from cobogo.data.hierarchy import Hierarchy
from cobogo.examine.utility.pairs.comparison import contingency, distribution, leaves_under, nice_bins, summaries
from cobogo.examine.utility.pairs.pair import Facts
from cobogo.examine.utility.statistics import cramers_v
from support.release_pairs import pair, people, recoded, shares

pytestmark = pytest.mark.slow


def test_a_level_is_compared_with_the_original_at_that_level(tmp_path) -> None:
    told = recoded({"age": 1, "town": 0}, recoding={"suppression-limit": 0.3})
    told["privacy"] = {"models": [{"model": "k-anonymity", "k": 9}]}
    this = pair(tmp_path, **told)
    found = distribution(this, "age")
    released = pd.read_csv(tmp_path / "release/public/release.csv", dtype=str)
    tree = this.tree("age")
    assert tree is not None
    before = people()["age"].map(lambda age: tree.generalize(None if pd.isna(age) else age, 1)).fillna("missing")
    after = released["age"].fillna("missing")
    assert (found.how, found.level, found.height) == ("level", 1, tree.height)
    expected = {
        label: (share, after.value_counts(normalize=True).get(label, 0.0))
        for label, share in before.value_counts(normalize=True).items()
    }
    assert shares(found) == {label: pytest.approx(both) for label, both in expected.items()}
    assert found.apart == pytest.approx(sum(abs(a - b) for a, b in expected.values()) / 2)
    assert found.distinct == (people()["age"].nunique(), released["age"].nunique())


def test_many_years_are_compared_in_intervals(tmp_path) -> None:
    years = np.random.default_rng(1).integers(1930, 2010, 300)
    frame = pd.DataFrame({"born": [f"01/02/{year}" for year in years], "illness": ["flu"] * 300})
    born = {"role": "quasi-identifier", "hierarchy": {"dates": "%d/%m/%Y", "levels": ["%Y"]}, "min-level": 1}
    told = {"attributes": {"born": {**born, "max-level": 1}, "illness": {"role": "sensitive"}}}
    this = pair(tmp_path, frame=frame, privacy={"models": [{"model": "k-anonymity", "k": 1}]}, **told)
    found = distribution(this, "born")
    expected = np.bincount((years - 1930) // 10) / 300
    assert [one.low for one in found.shown] == [None, *range(1940, 2010, 10)]
    assert found.before == pytest.approx(expected)
    assert found.after == pytest.approx(expected)


def test_two_columns_are_counted_together_as_pandas_does(tmp_path) -> None:
    found = contingency(pair(tmp_path, **recoded({"age": 1, "town": 0})), "town", "illness")
    assert found is not None
    assert found.before is not None
    table = pd.crosstab(people()["town"], people()["illness"], normalize=True)
    for row, one in enumerate(found.rows):
        for place, other in enumerate(found.across):
            assert found.before[row, place] == pytest.approx(table.loc[one.text, other.text])
    codes = people().apply(lambda column: pd.factorize(column)[0])
    assert found.association[0] == pytest.approx(cramers_v(codes["town"], codes["illness"], np.ones(len(codes))))
    assert found.apart == pytest.approx(0)


def test_numbers_are_summed_up_and_a_level_is_spread_over_what_it_stands_for(tmp_path) -> None:
    found = summaries(pair(tmp_path, **recoded({"age": 1, "town": 1})))
    ages = people()["age"].dropna().astype(float)
    before, after = found["age"]
    assert before is not None
    assert (before.mean, before.deviation) == (pytest.approx(ages.mean()), pytest.approx(ages.std(ddof=0)))
    assert before.quartiles == pytest.approx(tuple(ages.quantile([0.25, 0.5, 0.75])))
    assert (before.present, before.missing, before.least, before.most) == (393, 7, 18, 79)
    assert after is not None
    assert after.estimated
    assert after.mean == pytest.approx(ages.mean(), rel=0.02)
    paid = found["paid"]
    assert paid[0] is not None
    assert paid[1] is not None
    assert (paid[0].mean, paid[0].quartiles) == (pytest.approx(paid[1].mean), pytest.approx(paid[1].quartiles))


def test_leaves_of_ranges_and_bins_of_hard_numbers() -> None:
    tree = Hierarchy.from_columns("x", [["-5", "0", "7", None]])
    assert leaves_under(tree, "[-5 to 0]", ".").tolist() == [0, 1]
    assert leaves_under(tree, None, ".").tolist() == [3]
    for low, high in ((0.0, 0.0), (-1e9, 1e9), (1e-9, 2e-9), (99.5, 100.5), (3.0, 3.0)):
        bins = nice_bins(Facts(5, 0, 5, 5, low, high), 12)
        assert 1 <= bins.number <= 12
        assert bins.low <= low
        assert high < bins.low + bins.width * bins.number + 1e-9 * max(abs(high), bins.width)
