"""What can be learnt from a release."""

from __future__ import annotations

import pytest

from cobogo.errors import PolicyError
from cobogo.floor import extras
from support.utility_tables import learns, population, release


def test_without_scikit_learn_the_policy_is_refused_before_the_search(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(extras, "find_spec", lambda _: None)
    with pytest.raises(PolicyError, match=r"cobogo\[utility\]") as refused:
        release(population(20), {"sex": 1, "town": 1}, utility={"label": "label"})
    assert "utility.label" in str(refused.value)
    made = release(population(20), {"sex": 1, "town": 1}, utility={"queries": 5})
    with pytest.raises(PolicyError, match="scikit-learn"):
        made.utility(label="label")


@learns
def test_what_the_release_lost_can_no_longer_be_learnt() -> None:
    columns = population(600)
    whole = release(columns, {"sex": 0, "town": 0}).utility(label="label", queries=1)["accuracy"]
    blind = release(columns, {"sex": 1, "town": 1}).utility(label="label", queries=1)["accuracy"]
    assert whole["label"] == "label"
    assert 100 < whole["held_out"] == blind["held_out"] < 300
    for model in ("logistic-regression", "decision-tree", "naive-bayes"):
        assert whole["models"][model]["release"] == 1
        assert blind["models"][model]["original"] == 1
        assert blind["models"][model]["release"] == pytest.approx(blind["baseline"])
    town = release(columns, {"sex": 1, "town": 0}).utility(label="label", queries=1)["accuracy"]
    # Town b is shared by both, a and c are not: three quarters right.
    assert town["models"]["decision-tree"]["release"] == pytest.approx(0.75, abs=0.1)


@learns
def test_a_label_that_never_varies_is_always_right() -> None:
    columns = {"sex": list("FM") * 20, "label": ["yes"] * 40}
    found = release(columns, {"sex": 0}).utility(label="label", queries=1)["accuracy"]
    assert found["baseline"] == 1
    assert found["models"]["naive-bayes"] == {"original": 1, "release": 1}


@learns
def test_too_few_records_to_learn_from() -> None:
    found = release({"sex": ["F"], "label": ["yes"]}, {"sex": 0}).utility(label="label", queries=1)["accuracy"]
    assert found["models"] == {}
