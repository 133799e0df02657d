"""The transformer of scikit-learn: what it returns satisfies the policy, row by row in its place, or it refuses."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

import cobogo as cb
from cobogo.errors import DataError, NoSolution, UnfitValues
from cobogo.faces.sklearn import Anonymizer

pytestmark = pytest.mark.slow

K = 4
POLICY = cb.Policy(
    {
        "name": cb.identifier(),
        "age": cb.quasi(cb.intervals(10, 30, lower=0, upper=90)),
        "city": cb.quasi(),
        "ill": cb.sensitive(),
    },
    [cb.KAnonymity(K)],
    recoding={"suppression-limit": 0.05},
)


def people(rows: int, seed: int) -> pd.DataFrame:
    draw = np.random.default_rng(seed)
    cities = draw.choice(["Crato", "Sobral", "Iguatu"], rows, p=[0.6, 0.39, 0.01])
    return pd.DataFrame(
        {
            "name": [f"person {row}" for row in range(rows)],
            "age": draw.integers(0, 90, rows),
            "city": cities,
            "ill": draw.choice(["a", "b"], rows),
        },
        index=draw.permutation(rows),
    )


def check(found: pd.DataFrame, original: pd.DataFrame) -> None:
    """Each row is in its place with values of its own, or has none; the others are in classes of k."""
    assert list(found.columns) == ["age", "city", "ill"]
    assert found.index.equals(original.index)
    rows = found.dropna()
    assert len(rows)
    assert found.drop(rows.index).isna().all(axis=None)
    assert (rows["ill"] == original["ill"][rows.index]).all()
    assert rows.groupby(["age", "city"]).size().min() >= K


def test_what_it_returns_satisfies_the_policy_and_rows_keep_their_places() -> None:
    fitted, new = people(300, 1), people(200, 2)
    anonymizer = Anonymizer(POLICY)
    check(anonymizer.fit_transform(fitted), fitted)
    check(anonymizer.transform(new), new)
    assert pickle.loads(pickle.dumps(anonymizer)).transform(new).equals(anonymizer.transform(new))


def test_rows_that_it_cannot_recode_are_refused() -> None:
    anonymizer = Anonymizer(POLICY)
    with pytest.raises(NotFittedError):
        anonymizer.transform(people(9, 1))
    anonymizer.fit(people(300, 1))
    cases: dict[type[Exception], Any] = {
        NoSolution: people(K - 1, 2),
        UnfitValues: people(50, 2).assign(age=95),
        DataError: people(50, 2).to_numpy(),
    }
    for error, rows in cases.items():
        with pytest.raises(error):
            anonymizer.transform(rows)


def test_it_is_an_estimator_as_others_are() -> None:
    anonymizer = clone(Anonymizer("policy.toml")).set_params(policy=POLICY)
    assert anonymizer.get_params() == {"policy": POLICY, "engine": None}
    rows = people(300, 3)
    pipeline = make_pipeline(anonymizer, OneHotEncoder(handle_unknown="ignore"), LogisticRegression())
    assert cross_val_score(pipeline, rows, rows["age"] > 45, cv=2).min() > 0.8
    assert isinstance(anonymizer.set_output(transform="polars").fit_transform(rows), pl.DataFrame)
    assert isinstance(clone(anonymizer).fit_transform(pl.from_pandas(rows)), pl.DataFrame)
    assert list(anonymizer.get_feature_names_out()) == ["age", "city", "ill"]
