"""The workbench's words, and the policy that it writes."""

from __future__ import annotations

import re

from cobogo.data.policy import Policy
from cobogo.faces.workbench.draft import PolicyDraft
from cobogo.faces.workbench.words import ROOMS, TEXTS
from support.paths import ROOT

SOURCES = ROOT / "src" / "cobogo" / "faces" / "workbench"


def test_both_languages_say_the_same_things_with_the_same_figures() -> None:
    english, portuguese = TEXTS["en"], TEXTS["pt-BR"]
    assert english.keys() == portuguese.keys()
    for key in english:
        assert set(re.findall(r"{\w+}", english[key])) == set(re.findall(r"{\w+}", portuguese[key]))


def test_no_page_says_what_another_has_a_word_for() -> None:
    keys = [key for room in ROOMS for key in room.ENGLISH]
    assert [key for key in set(keys) if keys.count(key) > 1] == []


def test_every_word_is_used_and_every_word_asked_for_is_there() -> None:
    sources = [path for path in SOURCES.rglob("*.py") if path.parent.name != "words"]
    code = "\n".join(path.read_text(encoding="utf-8") for path in sources)
    asked = set(re.findall(r'say\(\s*"([^"]+)"', code))
    assert asked <= TEXTS["en"].keys()
    built = tuple(re.findall(r'"((?:[\w-]+\.)+)\{', code))
    assert [key for key in TEXTS["en"] if f'"{key}"' not in code and not key.startswith(built)] == []


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
