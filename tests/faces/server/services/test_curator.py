"""The curator's operations: what an analyst learns of budgets, and nobody else's."""

from __future__ import annotations

from types import SimpleNamespace

import pandas as pd

from cobogo.answer import Curator
from cobogo.faces.server.services.curator import CuratorService
from support.services import person


def test_analysts_see_their_own_budget_and_whether_the_shared_one_allows_for_less(tmp_path) -> None:
    curator = Curator(ledger=tmp_path / "ledger.db")
    rows = pd.DataFrame({"sex": ["F", "M"] * 50})
    columns = {"sex": {"type": "text", "keys": ["F", "M"]}}
    curator.register("people", rows, columns=columns, budget={"epsilon": 1})
    for who in ("ana", "bia"):
        curator.grant("people", who, epsilon="0.7")
    service = CuratorService(SimpleNamespace(curator=curator))  # type: ignore[arg-type]
    before = service.budget(person("ana"), "people")
    assert (before.mine.left.amount, before.shared) == (700_000_000, False)
    curator.session("bia").sql("SELECT COUNT(*) FROM people", epsilon="0.6")
    after = service.budget(person("ana"), "people")
    assert after.mine.left.amount == 700_000_000
    assert after.shared  # by how much is not told: it says what others spent
    assert [one.analyst for one in service.list_balances(person("ana"))] == [None, "ana", "bia"]
