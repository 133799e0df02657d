"""The roles of the guide: those of a policy, or suggestions that are sure enough."""

from __future__ import annotations

from pathlib import Path

import pytest

from cobogo.data.policy import Data, Policy
from cobogo.errors import PolicyError
from cobogo.examples import ceara
from cobogo.studies.guide.policies import LIMIT, case_policy, suggest_roles, take_roles
from cobogo.studies.guide.results import GuideCase


def test_the_guides_own_columns_have_the_guides_roles_and_hierarchies(tmp_path: Path) -> None:
    ceara.write(tmp_path / "people.csv", 300)
    roles = suggest_roles(tmp_path / "people.csv", Data())
    assert roles.policy.quasi_identifiers == ("localidade", "data_nascimento")
    assert roles.policy.sensitive == ("raca_cor",)
    assert not any(roles.policy.attributes[name].hierarchy.top for name in roles.policy.quasi_identifiers)


def test_a_guess_is_not_taken_for_a_role(tmp_path: Path) -> None:
    (tmp_path / "people.csv").write_text("sexo,sapato\n" + "F,38\nM,41\n" * 30)
    with pytest.raises(PolicyError) as error:
        suggest_roles(tmp_path / "people.csv", Data())
    assert "sapato" in error.value.what
    assert "--policy" in (error.value.remedy or "")


def test_a_policy_brings_its_limit_and_loses_its_registry_and_output() -> None:
    content = {
        "data": {"separator": ";"},
        "attributes": {"city": {"role": "quasi-identifier"}},
        "recoding": {"suppression-limit": 0.03, "algorithm": "local"},
        "registry": {"path": "book", "dataset": "people"},
        "output": {"format": "parquet"},
    }
    roles = take_roles(Policy.of(content), Data(encoding="latin-1"))
    rules = case_policy(roles.policy, GuideCase(4, 2), limit=roles.limit, language="en")
    assert (rules.data.separator, rules.data.encoding) == (";", "latin-1")
    assert (rules.recoding.suppression_limit, rules.recoding.algorithm) == (0.03, "optimal")
    assert rules.registry is None
    assert rules.output.format == "csv"
    assert take_roles(Policy.of({"attributes": content["attributes"]}), Data()).limit == LIMIT
