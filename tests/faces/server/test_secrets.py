"""What the server writes about itself: no key, no password, no value of anybody's, whatever happens."""

from __future__ import annotations

import logging

import pytest

from cobogo.faces.cli.serve import server_config
from cobogo.faces.server.settings import ServerSettings

pytestmark = pytest.mark.slow

PASSWORD = "open-sesame-4711"
VALUE = "Maria do Couto"


CLIENT = ("httpx", "httpcore", "uvicorn.access")
"""Loggers of the client, and the one that the server runs without: pytest listens to it all the same."""


def _said(caplog) -> str:
    assert server_config(None, ServerSettings()).access_log is False
    return "\n".join(
        f"{record.name} {record.getMessage()} {record.exc_text}"
        for record in caplog.records
        if not record.name.startswith(CLIENT)
    )


def test_no_secret_is_written_anywhere(served, tmp_path, caplog, capfd) -> None:
    caplog.set_level(logging.DEBUG)
    served.furnish(tmp_path)
    far = {"url": f"postgresql://ana:{PASSWORD}@127.0.0.1:9/none", "stewards": ["*"]}
    sources = ServerSettings.from_content({"sources": {"far": far}}).sources
    served.context.settings = served.context.settings.model_copy(update={"sources": sources})
    content = f"name,age,city,illness\n{VALUE},30,Sobral,flu\n{VALUE},31,Sobral,flu\n"
    dataset = served.upload(content=content).json()["id"]
    key = served.keys["steward"]
    for query in (f"?key={key}", f"?api_key={key}&x={VALUE}"):
        assert served.client.get(f"/api/v1/datasets{query}").status_code == 401
        assert served("steward", "GET", f"/datasets{query}").status_code == 200
        assert served("steward", "GET", f"/nowhere/{VALUE}{query}").status_code == 404
    served("steward", "GET", "/sources/far/tables")
    served("steward", "POST", "/vault/tokens", json={"domain": "people", "texts": [VALUE]})
    served("steward", "POST", "/vault/tokens", json={"domain": VALUE, "texts": [VALUE]})
    served("steward", "POST", "/policies", json={"dataset": dataset, "name": VALUE, "toml": f"[{VALUE}"})
    served("analyst", "POST", "/curator/ask", json={"sql": f"SELECT '{VALUE}' FROM people", "epsilon": "1"})
    bad = {"kind": "anonymize", "dataset": dataset, "toml": served.policy.replace("k = 2", "k = 50")}
    served.finished(served("steward", "POST", "/jobs", json=bad).json()["id"])
    served("admin", "POST", "/keys", json={"owner": "ana", "role": "analyst"})
    said = _said(caplog) + "".join(capfd.readouterr())
    said += served("auditor", "GET", "/log?limit=10000").text
    said += served.client.get("/metrics", headers={"Authorization": f"Bearer {served.keys['admin']}"}).text
    secrets = [text.split("_", 2)[2] for text in served.keys.values()]
    assert len(secrets) >= 4
    for secret in (*secrets, PASSWORD, VALUE, "$argon2"):
        assert secret not in said


@pytest.mark.parametrize("fault", [RuntimeError(VALUE), ValueError(PASSWORD)], ids=["runtime", "value"])
def test_a_fault_of_ours_is_told_without_its_words(served, monkeypatch, caplog, fault) -> None:
    def broken(*given: object, **options: object) -> None:
        raise fault

    caplog.set_level(logging.DEBUG)
    monkeypatch.setattr(served.context.state, "rows", broken)
    answer = served("steward", "GET", "/datasets")
    assert answer.status_code == 500
    assert answer.json()["detail"]
    assert str(fault) not in answer.text + _said(caplog)
    assert type(fault).__name__ in _said(caplog)
