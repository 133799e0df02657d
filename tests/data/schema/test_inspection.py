"""Looking at a table from Python: roles with reasons, and a policy that runs."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

import cobogo as cb
from cobogo.errors import DataError, PolicyError

PEOPLE = pd.DataFrame(
    {
        "nome": [f"Ana {n}" for n in range(60)],
        "sexo": ["F", "M", "M"] * 20,
        "nascimento": [f"{1 + n % 28:02}/{1 + n % 12:02}/{1950 + n % 5}" for n in range(60)],
        "doenca": ["flu", "cold", "gout", "flu"] * 15,
        "shoe": ["a", "b"] * 30,
    }
)


def test_a_frame_is_inspected_and_its_policy_makes_a_release() -> None:
    found = cb.inspect(PEOPLE)
    assert found.guesses == {"shoe": "quasi-identifier"}
    policy = found.policy(k=4, l=2, roles={"shoe": "non-sensitive"})
    assert policy.quasi_identifiers == ("sexo", "nascimento")
    assert policy.sensitive == ("doenca",)
    release = cb.anonymize(PEOPLE, policy)
    assert release.to_pandas().groupby(["sexo", "nascimento"]).size().min() >= 4
    assert [str(model) for model in release.problem.promised] == ["k-anonymity (k = 4)", "l-diversity (doenca, l = 2)"]


def test_a_guess_that_nobody_decided_is_warned_of() -> None:
    found = cb.inspect(PEOPLE)
    with pytest.warns(UserWarning, match=r'roles=\{"shoe": "quasi-identifier"\}'):
        policy = found.policy()
    assert policy.attributes["shoe"].role == "quasi-identifier"


def test_what_improve_proposes_can_be_written_in_python() -> None:
    decided = {"roles": {"shoe": "non-sensitive"}, "recoding": {"algorithm": "local"}}
    policy = cb.inspect(PEOPLE).policy(k=4, l=2, **decided)
    assert policy.recoding.algorithm == "local"
    assert policy.recoding.suppression_limit == 0.05
    found = cb.improve(PEOPLE, policy)
    assert found.as_it_is.detail is not None
    assert all((one.detail or 0) > found.as_it_is.detail for one in found.better)
    assert "Ana" not in repr(found) + found._repr_html_()


def test_people_with_several_records_are_counted_once() -> None:
    visits = PEOPLE.assign(id_paciente=[f"P{n // 2:03}" for n in range(60)])
    found = cb.inspect(visits)
    assert any("30 values in 60 records" in note for note in found.notes)
    assert found.policy(roles={"shoe": "non-sensitive"}).data.unit == "id_paciente"


def test_a_file_gives_a_policy_that_names_it(tmp_path: Path) -> None:
    PEOPLE.drop(columns="shoe").to_csv(tmp_path / "people.csv", index=False, sep=";")
    policy = cb.inspect(tmp_path / "people.csv").policy(k=3, l=None)
    assert policy.data.separator == ";"
    assert cb.anonymize(policy).records > 50


def test_a_role_of_no_column_and_a_word_that_is_no_role_are_refused() -> None:
    found = cb.inspect(PEOPLE)
    with pytest.raises(PolicyError, match="sexo"):
        found.policy(roles={"sex": "quasi-identifier", "shoe": "identifier"})
    with pytest.raises(PolicyError, match=r"attributes\.shoe\.role"):
        found.policy(roles={"shoe": "secret"})
    with pytest.raises(DataError, match="no names of columns"):
        cb.inspect([1, 2, 3])
    with pytest.raises(PolicyError, match="encoding: must be one of"):
        cb.inspect("people.csv", encoding="utf-7")


def test_intervals_fit_all_of_a_column_with_more_values_than_are_looked_at() -> None:
    scores = pd.DataFrame({"score": [f"{n / 1000:.3f}" for n in range(5_000)]})
    hierarchy = cb.inspect(scores).suggestions[0].hierarchy
    assert hierarchy is not None
    assert hierarchy["intervals"] == [0.5, 1.0, 2.0]
