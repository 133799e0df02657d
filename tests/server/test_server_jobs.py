"""From an upload to a release, and what must not happen on the way."""

from __future__ import annotations

import io
import zipfile

import pandas as pd


def test_a_table_becomes_a_release(served) -> None:
    uploaded = served.upload()
    assert uploaded.status_code == 201, uploaded.text
    dataset = uploaded.json()
    assert dataset["rows"] == 40
    page = served("steward", "GET", f"/datasets/{dataset['id']}/rows?offset=38&limit=5").json()
    assert [row[0] for row in page["rows"]] == ["person 38", "person 39"]
    suggestion = served("steward", "GET", f"/datasets/{dataset['id']}/suggestion").json()
    assert {column["column"]: column["role"] for column in suggestion["columns"]}["name"] == "identifier"
    kept = served(
        "steward", "POST", "/policies", json={"dataset": dataset["id"], "name": "mine", "toml": served.policy}
    )
    assert kept.status_code == 201, kept.text
    asked = {"kind": "anonymize", "dataset": dataset["id"], "policy": kept.json()["id"]}
    job = served.finished(served("steward", "POST", "/jobs", json=asked).json()["id"])
    assert (job["state"], job["message"]) == ("done", "")
    assert served("steward", "POST", f"/releases/{job['id']}/verify").json()["holds"] is True
    with zipfile.ZipFile(io.BytesIO(served("steward", "GET", f"/releases/{job['id']}/public.zip").content)) as archive:
        assert all(name.startswith("public/") for name in archive.namelist())
        table = pd.read_csv(archive.open("public/release.csv"))
    assert "name" not in table.columns
    assert table.groupby(["age", "city"]).size().min() >= 2
    assert "<html" in served("steward", "GET", f"/releases/{job['id']}/report").text
