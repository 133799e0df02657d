"""The policy that the workbench writes."""

from __future__ import annotations

from cobogo.data.policy import Policy
from cobogo.faces.workbench.draft import PolicyDraft


def test_a_draft_stays_a_policy_through_every_change() -> None:
    draft = PolicyDraft(
        '[attributes]\n"idade é" = { role = "CONFIRM quasi-identifier" }\ncep = { role = "quasi-identifier" }\n'
    )
    draft.set_attribute("idade é", role="quasi-identifier", hierarchy={"intervals": [10, 20]})
    draft.set_attribute("cep", weight=2.0)
    draft.set_attribute("cep", role="sensitive")
    draft.set_models([{"model": "k-anonymity", "k": 5}, {"model": "l-diversity", "kind": "distinct", "l": 2}])
    draft.set("recoding", "suppression-limit", 0.1)
    draft.set("recoding", "metric", "precision")
    draft.set("recoding", "metric", None)
    policy = Policy.of(draft.content())
    assert policy.quasi_identifiers == ("idade é",)
    assert "weight" not in draft.attributes["cep"]
    assert policy.recoding.suppression_limit == 0.1
    assert policy.recoding.metric == "loss"
    assert list(PolicyDraft(draft.only("cep")).attributes) == ["cep"]
    draft.set_models([])
    assert draft.models == []


def test_what_is_read_of_a_draft_is_nobody_elses() -> None:
    draft = PolicyDraft('[attributes]\nage = { role = "quasi-identifier", hierarchy = { intervals = [5] } }')
    draft.attributes["age"]["hierarchy"]["intervals"].append(10)
    draft.content()["attributes"].clear()
    assert PolicyDraft(draft.text).attributes == {"age": {"role": "quasi-identifier", "hierarchy": {"intervals": [5]}}}
