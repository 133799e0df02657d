"""An original and its release side by side: against plain counting with pandas, and against the plan's own metrics."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import cobogo as cb
from cobogo.data.hierarchy import Hierarchy
from cobogo.data.policy import Policy
from cobogo.errors import InputError
from cobogo.examine.utility.pairs.compared import contingency, distribution, summaries
from cobogo.examine.utility.pairs.pair import Facts, TablePair, open_pair
from cobogo.examine.utility.pairs.scale import leaves_under, nice_bins
from cobogo.examine.utility.pairs.use import labels, learnt, unfit, workload
from cobogo.examine.utility.statistics import cramers_v

learns = pytest.mark.skipif(find_spec("sklearn") is None, reason="scikit-learn is not installed (cobogo[utility])")
ATTRIBUTES: dict[str, Any] = {
    "age": {"role": "quasi-identifier", "hierarchy": {"intervals": [10, 30], "top": True}},
    "town": {"role": "quasi-identifier"},
    "illness": {"role": "sensitive"},
    "paid": {"role": "non-sensitive"},
}


def people(rows: int = 400) -> pd.DataFrame:
    random = np.random.default_rng(5)
    town = random.choice(["Sobral", "Fortaleza", "Crato"], rows, p=[0.2, 0.7, 0.1])
    ill = np.where(random.random(rows) < 0.5, "flu", np.where(town == "Sobral", "dengue", "cold"))
    ages = random.integers(18, 80, rows).astype(str).astype(object)
    ages[:7] = None
    return pd.DataFrame(
        {"age": ages, "town": town, "illness": ill, "paid": (random.integers(1, 60, rows) * 50).astype(str)}
    )


def pair(home: Path, *, original: bool = True, frame: pd.DataFrame | None = None, **content: Any) -> TablePair:
    frame = people() if frame is None else frame
    rules = Policy.of({"attributes": ATTRIBUTES, **content})
    if "masking" in content:
        from cobogo.publish.transform import mask as make
    elif "perturbation" in content:
        from cobogo.publish.transform import perturb as make
    else:
        make = cb.anonymize  # type: ignore[assignment]
    make(frame, rules).write(home / "release")
    return open_pair(home / "release", rules, frame if original else None)


def recoded(level: dict[str, int], **more: Any) -> dict[str, Any]:
    """A policy's recoding at the levels given."""
    attributes = {
        name: part | ({"min-level": level[name], "max-level": level[name]} if name in level else {})
        for name, part in ATTRIBUTES.items()
    }
    return {"attributes": attributes, "privacy": {"models": [{"model": "k-anonymity", "k": 1}]}, **more}


def shares(found: Any) -> dict[str, tuple[float, float]]:
    return {
        one.text or one.kind: (float(a), float(b))
        for one, a, b in zip(found.shown, found.before, found.after, strict=True)
    }


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
    assert unfit(this) == "buckets"
    with pytest.raises(InputError):
        workload(this)


def test_counts_without_rows_tell_the_pairs_that_were_counted(tmp_path) -> None:
    told = {
        "attributes": {**ATTRIBUTES, "paid": {"role": "identifier"}},
        "privacy": {"models": [{"model": "k-anonymity", "k": 2}]},
        "recoding": {"algorithm": "marginals", "marginals": [["age", "town"], ["town", "illness"]]},
    }
    this = pair(tmp_path, **told)
    assert unfit(this) == "marginals"
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
    assert "town" not in labels(hidden)


def test_a_release_alone_has_one_side(tmp_path) -> None:
    this = pair(tmp_path, original=False, **recoded({"age": 1, "town": 0}))
    found = distribution(this, "town")
    assert found.before is None
    assert found.apart is None
    assert found.after.sum() == pytest.approx(1)
    assert unfit(this) == "original"
    assert labels(this) == ()


@learns
def test_uses_are_those_that_the_plan_measures(tmp_path) -> None:
    told = recoded({"age": 1, "town": 0})
    told["attributes"]["paid"] = {"role": "identifier"}
    this = pair(tmp_path, **told)
    release = cb.anonymize(people(), Policy.of(told))
    expected = release.utility(label="illness", queries=60)
    lower, median, upper = np.quantile(workload(this, queries=60), [0.25, 0.5, 0.75])
    assert expected["query-error"]["median"] == pytest.approx(median)
    assert expected["query-error"]["quartiles"] == pytest.approx([lower, upper])
    assert learnt(this, "illness") == expected["accuracy"]


@learns
def test_rows_of_another_kind_can_be_learnt_from(tmp_path) -> None:
    steps = [{"method": "swap", "attributes": ["age"]}]
    this = pair(tmp_path, perturbation={"steps": steps})
    assert workload(this, queries=40).min() >= 0
    found = learnt(this, "illness")
    best = max(one["release"] for one in found["models"].values())
    assert best > found["baseline"] - 0.1
    assert set(found["models"]) == {"logistic-regression", "decision-tree", "naive-bayes"}


def test_leaves_of_ranges_and_bins_of_hard_numbers() -> None:
    tree = Hierarchy.from_columns("x", [["-5", "0", "7", None]])
    assert leaves_under(tree, "[-5 to 0]", ".").tolist() == [0, 1]
    assert leaves_under(tree, None, ".").tolist() == [3]
    for low, high in ((0.0, 0.0), (-1e9, 1e9), (1e-9, 2e-9), (99.5, 100.5), (3.0, 3.0)):
        bins = nice_bins(Facts(5, 0, 5, 5, low, high), 12)
        assert 1 <= bins.number <= 12
        assert bins.low <= low
        assert high < bins.low + bins.width * bins.number + 1e-9 * max(abs(high), bins.width)
