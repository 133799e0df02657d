"""Curator, vault and registry over HTTP: budgets end in words, tokens come back, and releases are recorded."""

from __future__ import annotations

import json

import pytest

pytestmark = pytest.mark.slow

ASKED = {"sql": "SELECT city, COUNT(*) AS n FROM people GROUP BY city", "epsilon": "0.6"}


@pytest.fixture
def context(served, tmp_path):
    served.furnish(tmp_path)
    return served


def test_an_analyst_out_of_budget_is_told_so_and_pays_nothing(context) -> None:
    assert [one["name"] for one in context("analyst", "GET", "/curator/datasets").json()] == ["people"]
    explained = context("analyst", "POST", "/curator/explain", json=ASKED)
    assert explained.status_code == 200, explained.text
    answer = context("analyst", "POST", "/curator/ask", json=ASKED).json()
    assert answer["columns"] == ["city", "n"]
    assert sorted(row[0] for row in answer["rows"]) == ["Fortaleza", "Sobral"]
    assert answer["spent"]["epsilon"] == 0.6
    refused = context("analyst", "POST", "/curator/ask", json=ASKED)
    assert refused.status_code == 409
    assert "budget" in refused.json()["detail"]
    balances = {one["analyst"]: one for one in context("auditor", "GET", "/curator/budgets").json()}
    mine = balances[f"analyst-{context.test}"]
    assert mine["spent"]["amount"] == 0.6
    smaller = context("analyst", "POST", "/curator/ask", json=ASKED | {"epsilon": "0.4"})
    assert smaller.status_code == 200, smaller.text


def test_who_is_no_analyst_of_a_data_set_gets_no_answer_about_it(context) -> None:
    made = context("admin", "POST", "/keys", json={"owner": "stranger", "role": "analyst"}).json()
    context.keys["stranger"] = made["key"]
    assert context("stranger", "GET", "/curator/datasets").json() == []
    refused = context("stranger", "POST", "/curator/ask", json=ASKED)
    assert refused.status_code in (400, 409), refused.text
    wrong = {"sql": "SELECT name FROM people", "epsilon": "0.1"}
    assert context("analyst", "POST", "/curator/ask", json=wrong).status_code == 400


def test_data_sets_of_others_do_not_exist_for_an_analyst(context, tmp_path) -> None:
    """Neither their columns nor a price, and nobody is told where the curator's files are."""
    context("analyst", "POST", "/curator/ask", json=ASKED | {"epsilon": "0.1"})
    made = context("admin", "POST", "/keys", json={"owner": "stranger", "role": "analyst"}).json()
    context.keys["stranger"] = made["key"]
    for door in ("explain", "ask"):
        refused = context("stranger", "POST", f"/curator/{door}", json=ASKED)
        assert refused.status_code == 400
        assert "no data set" in refused.json()["detail"]
        assert not [word for word in ("age", "city,", "Fortaleza") if word in refused.text]
    for amount in ("1e20000000", "1e-20000000", "9" * 50, "nan", "١"):
        for body in ({"epsilon": amount}, {"epsilon": "0.1", "delta": amount}, {"rho": amount}):
            assert context("analyst", "POST", "/curator/explain", json={"sql": ASKED["sql"], **body}).status_code == 400
    odd = context("analyst", "POST", "/curator/ask", content=b'{"sql": "SELECT \\ud800", "epsilon": "1"}')
    assert odd.status_code in (400, 422), odd.text
    here = tmp_path / "elsewhere"
    here.mkdir()
    text = (tmp_path / "curator.toml").read_text()
    (here / "curator.toml").write_text(text)  # and no people.csv beside it
    context.context.settings = context.context.settings.model_copy(update={"curator": str(here / "curator.toml")})
    away = context("analyst", "POST", "/curator/ask", json=ASKED)
    (here / "broken.toml").write_text(text.replace("integer", "whole"))
    context.context.settings = context.context.settings.model_copy(update={"curator": str(here / "broken.toml")})
    broken = context("analyst", "GET", "/curator/datasets")
    assert (away.status_code, broken.status_code) == (400, 503)
    for answer in (away, broken):
        assert not [word for word in (str(tmp_path), "people.csv", "toml", "columns") if word in answer.text]


def test_tokens_come_back_as_values(context) -> None:
    values = ["ana", None, "rui", "ana"]
    tokens = context("steward", "POST", "/vault/tokens", json={"domain": "people", "texts": values}).json()["texts"]
    assert tokens[0] == tokens[3] != tokens[2]
    assert tokens[1] is None
    assert not {"ana", "rui"} & set(tokens)
    back = context("steward", "POST", "/vault/values", json={"domain": "people", "texts": tokens})
    assert back.json()["texts"] == values
    for body in ({"domain": "people", "texts": ["no-token"]}, {"domain": "nowhere", "texts": tokens}):
        answer = context("steward", "POST", "/vault/values", json=body)
        assert answer.status_code == 400, answer.text
        assert "vault.db" not in answer.text


def test_a_registered_release_is_seen_by_its_steward_and_by_auditors(context) -> None:
    assert context("steward", "GET", "/registry").json() == []
    toml = context.policy + '[registry]\ndataset = "clinic"\n'
    asked = {"kind": "anonymize", "dataset": context.upload().json()["id"], "toml": toml}
    job = context.finished(context("steward", "POST", "/jobs", json=asked).json()["id"])
    assert job["state"] == "done", job
    for who in ("steward", "auditor"):
        (entry,) = context(who, "GET", "/registry").json()
        assert entry["dataset"] == f"steward-{context.test} clinic"
        assert str(context.context.files.root) not in json.dumps(entry)
    assert context("other", "GET", "/registry").json() == []


def test_a_server_without_books_says_that_it_has_none(served) -> None:
    body = {"domain": "people", "texts": []}
    assert served("analyst", "GET", "/curator/datasets").status_code == 404
    assert served("steward", "GET", "/registry").status_code == 404
    assert served("steward", "POST", "/vault/tokens", json=body).status_code == 404
