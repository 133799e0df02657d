"""From an upload to a release, and what must not happen on the way."""

from __future__ import annotations

import hashlib
import io
import time
import zipfile
from pathlib import Path

import pandas as pd
import pytest

from cobogo import verify
from support.http_server import CSV

pytestmark = pytest.mark.slow


def test_a_table_becomes_a_release(served, tmp_path) -> None:
    uploaded = served.upload(content=CSV.replace("flu", "=cmd|' /C calc'!A0"))
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
    assert "people.csv" in served("steward", "GET", f"/releases/{job['id']}/report").text
    assert any(table["illness"].str.startswith("="))
    safe = served("steward", "GET", f"/releases/{job['id']}/public.zip?formulas=neutralised")
    zipfile.ZipFile(io.BytesIO(safe.content)).extractall(tmp_path)
    assert not any(pd.read_csv(tmp_path / "public" / "release.csv")["illness"].str.startswith("="))
    assert verify(tmp_path / "public")
    assert served("steward", "GET", f"/releases/{job['id']}/public.zip?formulas=run").status_code == 422


def test_a_release_is_audited_for_its_steward_and_auditors(served) -> None:
    dataset = served.upload().json()["id"]
    asked = {"kind": "anonymize", "dataset": dataset, "toml": served.policy}
    release = served.finished(served("steward", "POST", "/jobs", json=asked).json()["id"])["id"]
    assert served("steward", "GET", f"/releases/{release}/findings").status_code == 404
    wanted = {"kind": "audit", "release": release}
    assert served("other", "POST", "/jobs", json=wanted).status_code == 404
    assert served("steward", "POST", "/jobs", json=wanted | {"dataset": dataset}).status_code == 422
    job = served("steward", "POST", "/jobs", json=wanted).json()
    assert (job["kind"], job["dataset"], job["release"]) == ("audit", dataset, release)
    ended = served.finished(job["id"])
    assert (ended["state"], ended["message"], ended["release"]) == ("done", "", release)
    assert [one["id"] for one in served("steward", "GET", "/releases").json()] == [release]
    for who in ("steward", "auditor"):
        found = served(who, "GET", f"/releases/{release}/findings").json()
        tried = {one["attack"] for one in found["attacks"] if one["tried"]}
        assert "record-linkage" in tried, found  # which needs the original table
        assert found["release"] == release
        assert str(served.context.files.root) not in str(found)
        assert "<html" in served(who, "GET", f"/releases/{release}/audit").text
        for page, words in (("statement", "Declaração sobre uma publicação"), ("impact", "Relatório de impacto")):
            signed = served(who, "GET", f"/releases/{release}/statement?page={page}&language=pt-BR").text
            assert words in signed
            assert f"people.csv · 40 registros · SHA-256 {hashlib.sha256(CSV.encode()).hexdigest()}" in signed
            assert str(served.context.files.root) not in signed
    for part in ("findings", "statement"):
        assert served("other", "GET", f"/releases/{release}/{part}").status_code == 404
    assert served("admin", "GET", f"/releases/{release}/audit").status_code == 403
    assert served("steward", "POST", f"/releases/{release}/verify").json()["holds"] is True
    public = served("steward", "GET", f"/releases/{release}/public.zip").content
    assert not [name for name in zipfile.ZipFile(io.BytesIO(public)).namelist() if "audit" in name]


def _defunct() -> list[str]:
    """Processes of ours that have ended and were not waited for."""
    tasks = Path("/proc/self/task").glob("*/children")
    children = [child for task in tasks for child in task.read_text().split()]
    return [child for child in children if "\nState:\tZ" in Path(f"/proc/{child}/status").read_text()]


def test_a_job_that_takes_too_much_time_or_memory_ends_and_leaves_no_process(served) -> None:
    dataset = served.upload().json()["id"]
    asked = {"kind": "anonymize", "dataset": dataset, "toml": served.policy}

    def ended(**limits: float) -> str:
        narrow = served.context.settings.limits.model_copy(update=limits)
        served.context.settings = served.context.settings.model_copy(update={"limits": narrow})
        job = served.finished(served("steward", "POST", "/jobs", json=asked).json()["id"])
        assert job["state"] == "failed"
        return str(job["message"])

    assert "longer than 1e-09 minutes" in ended(job_minutes=1e-9)
    assert "out of memory" in ended(job_minutes=60, job_megabytes=1)
    assert served("steward", "GET", "/releases").json() == []
    for _ in range(600):  # the queue looks after them now and then
        if not _defunct():
            return
        time.sleep(0.1)
    pytest.fail("processes of jobs that are over stay in the system's table")


def test_whoever_keeps_the_server_running_sees_jobs_and_ends_them(served) -> None:
    limits = served.context.settings.limits.model_copy(update={"jobs_at_once": 0})
    served.context.settings = served.context.settings.model_copy(update={"limits": limits})
    dataset = served.upload().json()["id"]
    asked = {"kind": "anonymize", "dataset": dataset, "toml": served.policy}
    identity = served("steward", "POST", "/jobs", json=asked).json()["id"]
    seen = {one["id"]: one for one in served("admin", "GET", "/queue").json()}[identity]
    assert (seen["owner"], seen["state"]) == (f"steward-{served.test}", "queued")
    assert dataset not in str(seen)
    assert served("steward", "GET", "/queue").status_code == 403
    assert served("admin", "POST", f"/queue/{identity}/cancel").status_code == 202
    assert served.finished(identity)["state"] == "cancelled"
    assert served("admin", "POST", "/queue/0123456789abcdef/cancel").status_code == 404


def test_a_job_that_runs_tells_how_far_it_is_and_can_be_cancelled(served) -> None:
    columns = 14
    content = ",".join(f"c{n}" for n in range(columns)) + "\n"
    content += "".join(",".join(str(1000 + row * (n + 3) % 97) for n in range(columns)) + "\n" for row in range(2000))
    role = "{ role = 'quasi-identifier', hierarchy = { mask = 'right' } }"
    slow = "[attributes]\n" + "".join(f"c{n} = {role}\n" for n in range(columns))
    slow += "[privacy]\nmodels = [{ model = 'k-anonymity', k = 50 }]\n[recoding]\ntime-limit = 60\n"
    dataset = served.upload(content=content).json()["id"]
    asked = {"kind": "anonymize", "dataset": dataset, "toml": slow}
    running, waiting = (served("steward", "POST", "/jobs", json=asked).json()["id"] for _ in range(2))
    told = []
    while not told or told[-1]["state"] != "running" or not told[-1]["done"]:
        told.append(served("steward", "GET", f"/jobs/{running}").json())
        assert told[-1]["finished"] is None, told[-1]
        time.sleep(0.05)
    assert told[-1]["stage"]
    assert 0 < told[-1]["done"] <= told[-1]["total"]
    assert served("steward", "GET", f"/jobs/{waiting}").json()["state"] == "queued"
    assert served("other", "POST", f"/jobs/{running}/cancel").status_code == 404
    assert served("steward", "DELETE", f"/datasets/{dataset}").status_code == 400
    assert served("steward", "POST", f"/jobs/{waiting}/cancel").json()["state"] == "cancelled"
    assert served("steward", "POST", f"/jobs/{running}/cancel").json()["state"] in ("cancelling", "cancelled")
    assert served.finished(running)["state"] == "cancelled"
    assert served("steward", "POST", f"/jobs/{running}/cancel").json()["state"] == "cancelled"
    assert served("steward", "GET", "/releases").json() == []
    assert not served.context.files.release(running).exists()
    assert served("steward", "DELETE", f"/datasets/{dataset}").status_code == 204
