"""Queries and classifiers on a release of any kind."""

from __future__ import annotations

from importlib.util import find_spec

import numpy as np
import pytest

import cobogo as cb
from cobogo.data.policy import Policy
from cobogo.examine.utility.pairs.use import learn_label, workload
from support.release_pairs import pair, people, recoded

pytestmark = pytest.mark.slow

learns = pytest.mark.skipif(find_spec("sklearn") is None, reason="scikit-learn is not installed (cobogo[utility])")


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
    assert learn_label(this, "illness") == expected["accuracy"]


@learns
def test_rows_of_another_kind_can_be_learnt_from(tmp_path) -> None:
    steps = [{"method": "swap", "attributes": ["age"]}]
    this = pair(tmp_path, perturbation={"steps": steps})
    assert workload(this, queries=40).min() >= 0
    found = learn_label(this, "illness")
    best = max(one["release"] for one in found["models"].values())
    assert best > found["baseline"] - 0.3  # of 149 records, after swaps at random
    assert set(found["models"]) == {"logistic-regression", "decision-tree", "naive-bayes"}
