"""What a recoding cost: figures that agree with the metric and with a count by hand, and proposals that come true."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binom

import cobogo
from cobogo.data.policy import Policy
from cobogo.publish.recode.cost import lost_records, propose, tail_bound
from cobogo.studies.improvement import improve
from support.effort import examples

AGES = {"intervals": [10, 20], "top": True}


def people(rows: int, seed: int) -> pd.DataFrame:
    random = np.random.default_rng(seed)
    sex = random.choice(["F", "M", None], rows, p=[0.5, 0.4, 0.1])
    return pd.DataFrame(
        {
            "age": random.integers(0, 40, rows).astype(str),
            "sex": sex,
            "city": random.choice(list("abcdef"), rows, p=[0.4, 0.3, 0.15, 0.1, 0.04, 0.01]),
        }
    )


def policy(**recoding: Any) -> dict[str, Any]:
    return {
        "attributes": {
            "age": {"role": "quasi-identifier", "hierarchy": AGES},
            "sex": {"role": "quasi-identifier"},
            "city": {"role": "quasi-identifier"},
        },
        "privacy": {"models": [{"model": "k-anonymity", "k": 4}]},
        "recoding": {"suppression-limit": 0.3, **recoding},
    }


@settings(max_examples=examples(15), deadline=None)
@given(seed=st.integers(0, 10_000), algorithm=st.sampled_from(["optimal", "mondrian-relaxed", "top-down", "mu-argus"]))
def test_columns_make_up_the_loss_and_tuples_the_suppressed_records(seed: int, algorithm: str) -> None:
    release = cobogo.anonymize(people(60, seed), policy(algorithm=algorithm))
    cost = release.transformation.cost
    assert cost is not None
    product = np.prod([2 - one.kept for one in cost.details]) ** (1 / len(cost.details)) - 1
    assert product == pytest.approx(release.metrics["loss"])
    lost = lost_records(release.problem, release.plan)
    assert lost is not None
    assert int(lost.sum()) == release.suppressed
    assert (lost <= release.problem.table.counts).all()
    left = Counter(release.to_pandas()["city"].fillna(""))
    if release.levels.get("city") == 0:
        codes = release.problem.table.codes[:, 2]
        for code, label in enumerate(release.problem.table.values["city"]):
            kept = release.problem.table.counts[codes == code].sum() - lost[codes == code].sum()
            assert left[label or ""] == kept


def test_a_group_that_is_gone_is_named_and_chance_is_not() -> None:
    frame = people(4_000, 1).fillna({"sex": "F"})
    frame.loc[:51, "sex"] = None
    frame["city"] = [f"{number % 37}" if missing else "a" for number, missing in enumerate(frame["sex"].isna())]
    rules = policy() | {"recoding": {"suppression-limit": 0.05}}
    rules["attributes"]["city"]["max-level"] = 0
    cost = cobogo.anonymize(frame, rules).transformation.cost
    assert cost is not None
    assert [(one.attribute, one.value, one.records, one.whole) for one in cost.groups if one.value is None] == [
        ("sex", None, 52, True)
    ]


@settings(max_examples=examples(50), deadline=None)
@given(tries=st.integers(1, 500), share=st.floats(0.001, 0.9), data=st.data())
def test_the_bound_on_chance_holds(tries: int, share: float, data: st.DataObject) -> None:
    hits = data.draw(st.integers(1, tries))
    assert tail_bound(hits, tries, share) >= binom.sf(hits - 1, tries, share) * (1 - 1e-9)


def test_what_is_proposed_comes_true() -> None:
    """Each figure is that of the release under the changed policy; of local, no more than it."""
    frame = people(400, 3)
    release = cobogo.anonymize(frame, policy())
    ways = {way.key: way for way in propose(release.problem, release.solution)}
    assert ways
    for way in ways.values():
        changed = policy()
        if way.key.startswith("algorithm"):
            changed["recoding"]["algorithm"] = "local"
        elif way.key.startswith("suppression"):
            changed["recoding"]["suppression-limit"] = float(way.key.partition("= ")[2])
        else:
            changed["attributes"][way.key.partition(" =")[0]] = {"role": "identifier"}
        cost = cobogo.anonymize(frame, changed).transformation.cost
        assert cost is not None
        kept = sum(one.kept for one in cost.details) / 3
        assert way.kept is not None
        assert kept == pytest.approx(way.kept) if way.exact else kept >= way.kept - 1e-9


def test_an_improvement_tries_every_change_and_keeps_the_policy_first(tmp_path: Any) -> None:
    people(200, 5).to_csv(tmp_path / "people.csv", index=False)
    rules = Policy.model_validate(policy() | {"data": {"path": str(tmp_path / "people.csv")}})
    found = improve(rules)
    first, rest = found.as_it_is, found.changes
    assert first.change.key == ""
    assert len(rest) == 5
    kept = [one.detail for one in rest if one.detail is not None]
    assert kept == sorted(kept, reverse=True)


def test_a_column_that_is_withheld_already_is_not_searched_without(tmp_path: Any) -> None:
    """What is left out of the search would have given the same release, less that column."""
    frame = people(300, 7).assign(job=[f"job {n % 60}" for n in range(300)])
    rules = policy(**{"suppression-limit": 0.05})
    rules["attributes"]["job"] = {"role": "quasi-identifier"}
    found = improve(frame, rules)
    assert "job" in found.idle
    assert {one.change.without for one in found.changes if one.change.without} == {"age", "sex", "city", "job"} - {
        *found.idle
    }
    for name in found.idle:
        without = {**rules["attributes"], name: {"role": "identifier"}}
        release = cobogo.anonymize(frame, rules | {"attributes": without})
        cost = release.transformation.cost
        assert cost is not None
        assert found.as_it_is.detail == pytest.approx(sum(one.kept for one in cost.details) / 4)


def test_a_column_that_a_local_recoding_withholds_comes_back_as_proposed() -> None:
    frame = people(400, 3).assign(job=[f"job {n % 40}" for n in range(400)])
    rules = policy(algorithm="local")
    rules["attributes"]["job"] = {"role": "quasi-identifier"}
    ways = {way.column: way for way in cobogo.anonymize(frame, rules).transformation.ways}
    assert ways["job"].column_now < 0.05
    rules["attributes"]["job"]["weight"] = 5.0
    cost = cobogo.anonymize(frame, rules).transformation.cost
    assert cost is not None
    kept = {one.name: one.kept for one in cost.details}
    assert kept["job"] == pytest.approx(ways["job"].column_kept, abs=0.2)
