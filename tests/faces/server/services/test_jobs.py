"""Studies wait in the queue of jobs: they tell what they find meanwhile, can be stopped, and go with their data."""

from __future__ import annotations

import io
import json
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from cobogo.data.policy import Policy
from cobogo.errors import InputError
from cobogo.faces.server.context import ServerContext
from cobogo.faces.server.queue import Queue
from cobogo.faces.server.roles import KeyScope
from cobogo.faces.server.services import Services
from cobogo.faces.server.services.operation import ScopeMissing
from cobogo.faces.server.settings import ServerSettings
from cobogo.faces.server.state import JOBS
from cobogo.faces.server.worker import FINDINGS
from cobogo.studies.comparison import compare
from cobogo.studies.improvement import improve
from support.services import person

pytestmark = pytest.mark.slow

POLICY = """
[attributes]
age = { role = "quasi-identifier", hierarchy = { intervals = [10, 20], top = true } }
zip = { role = "quasi-identifier", hierarchy = { mask = "right" } }
illness = { role = "sensitive" }

[privacy]
models = [{ model = "k-anonymity", k = 4 }]

[recoding]
suppression-limit = 0.1
"""
ROWS = [
    {"age": 20 + n * n % 37, "zip": f"{60 + n % 3}{n * 7 % 4}", "illness": "flu" if n % 3 else "cold"}
    for n in range(160)
]
ANA, BIA = person("ana"), person("bia")
EACH_WITHOUT = ['age = { role = "identifier" }', 'zip = { role = "identifier" }']
OPTIONS = {"algorithms": ["optimal", "anatomy", "mondrian"]}
CSV = pd.DataFrame(ROWS).to_csv(index=False).encode()


@pytest.fixture
def service(tmp_path: Path) -> Iterator[Services]:
    context = ServerContext(ServerSettings(state=str(tmp_path / "server")))
    queue = Queue(context)
    made = Services(context, queue)
    made.test_queue = queue  # type: ignore[attr-defined]
    yield made
    queue.stop_workers()
    context.close()


def _until(done: Callable[[], bool]) -> None:
    for _ in range(600):
        if done():
            return
        time.sleep(0.1)
    raise AssertionError("it did not happen within a minute")


def _untimed(runs: list[dict[str, Any]]) -> list[dict[str, Any]]:
    for run in runs:
        if run["solution"] is not None:
            del run["solution"]["seconds"]
    return runs


def test_a_study_runs_in_the_queue_and_tells_what_the_comparison_says(service, tmp_path) -> None:
    dataset = service.datasets.receive(ANA, "people.csv", io.BytesIO(CSV))
    question, another = ("compare", dataset, POLICY, OPTIONS), ("improve", dataset, POLICY, {})
    assert service.jobs.find_study(ANA, *question) is None
    identity = service.jobs.begin_study(ANA, *question)
    service.jobs.begin_study(ANA, *another)
    service.test_queue.start()
    try:
        _until(lambda: service.jobs.find_study(ANA, *question).over and service.jobs.find_study(ANA, *another).over)
    finally:
        service.test_queue.stop()
    job, study = service.jobs.get(ANA, identity), service.jobs.find_study(ANA, *question)
    assert (job["state"], job["kind"], study.error) == ("done", "compare", None)
    (tmp_path / "people.csv").write_bytes(CSV)
    (tmp_path / "policy.toml").write_text(POLICY)
    expected = compare(tmp_path / "people.csv", Policy.load(tmp_path / "policy.toml"), algorithms=OPTIONS["algorithms"])
    assert _untimed(study.found) == _untimed(json.loads(json.dumps(expected.as_dict()["runs"])))
    improved = improve(tmp_path / "people.csv", Policy.load(tmp_path / "policy.toml"))
    tried = (improved.as_it_is, *improved.changes)
    found = service.jobs.find_study(ANA, *another).found
    assert [one["change"] for one in found] == ["", 'algorithm = "local"', "suppression-limit = 0.2", *EACH_WITHOUT]
    assert {one["change"]: one["suppressed"] for one in found} == {one.change.key: one.suppressed for one in tried}
    assert service.releases.list_all(ANA) == []


def test_a_study_has_a_place_beside_jobs_and_can_be_stopped(service) -> None:
    dataset = service.datasets.receive(ANA, "people.csv", io.BytesIO(CSV))
    job = service.jobs.submit(ANA, "anonymize", dataset, POLICY)["id"]
    later = service.jobs.submit(ANA, "anonymize", dataset, POLICY)["id"]
    study = service.jobs.begin_study(ANA, "frontier", dataset, POLICY, {"vary": {"k-anonymity.k": [2, 3]}})
    service.test_queue._beat()
    assert [service.jobs.get(ANA, one)["state"] for one in (job, later, study)] == ["running", "queued", "running"]
    assert {row["id"] for row in service.jobs.list_queue(BIA)} == {job, later, study}
    service.jobs.stop_study(ANA, "frontier", dataset, POLICY, {"vary": {"k-anonymity.k": [2, 3]}})
    service.test_queue.watch()
    assert service.jobs.get(ANA, study)["state"] == "cancelled"
    assert service.jobs.find_study(ANA, "frontier", dataset, POLICY, {"vary": {"k-anonymity.k": [2, 3]}}).over


def test_a_study_is_found_by_its_question_and_goes_with_its_data_set(service) -> None:
    dataset = service.datasets.receive(ANA, "people.csv", io.BytesIO(CSV))
    identity = service.jobs.begin_study(ANA, "compare", dataset, POLICY, OPTIONS)
    assert service.jobs.find_study(ANA, "compare", dataset, POLICY, {"algorithms": ["optimal"]}) is None
    service.datasets.attach(ANA, dataset, "h.csv", io.BytesIO(b"1,*\n"))
    assert service.jobs.find_study(ANA, "compare", dataset, POLICY, OPTIONS) is None  # a policy may name the file
    findings = service.jobs._context.files.job(identity) / FINDINGS
    findings.parent.mkdir()
    findings.write_text("{}\n")
    service.datasets.forget(ANA, dataset)
    assert service.jobs._context.state.get(JOBS, identity)["state"] == "cancelled"
    assert not findings.exists()


def test_what_is_no_study_and_who_may_not_are_refused(service) -> None:
    dataset = service.datasets.receive(ANA, "people.csv", io.BytesIO(CSV))
    with pytest.raises(InputError, match="no study"):
        service.jobs.begin_study(ANA, "anonymize", dataset, POLICY, {})
    analyst = person("ana", scopes=frozenset({KeyScope.ASK}))
    with pytest.raises(ScopeMissing, match='"data"'):
        service.jobs.begin_study(analyst, "compare", dataset, POLICY, OPTIONS)
    with pytest.raises(ScopeMissing, match='"run"'):
        service.jobs.submit(analyst, "anonymize", dataset, POLICY)


SAMPLING = """
[attributes]
age = { role = "quasi-identifier", hierarchy = { tree = { old = ["a", "b"], young = ["c", "d"] } } }
ill = { role = "sensitive" }
[privacy]
models = [{ model = "differential-privacy", epsilon = 1.0, delta = 1e-3 }]
[sampling]
levels = { age = 1 }
"""


def test_a_private_sample_is_a_job(service) -> None:
    rows = "".join(f"{'abcd'[n % 4]},{'xy'[n % 3 > 0]}\n" for n in range(3000))
    dataset = service.datasets.receive(ANA, "people.csv", io.BytesIO(f"age,ill\n{rows}".encode()))
    job = service.jobs.submit(ANA, "sample", dataset, SAMPLING)["id"]
    service.test_queue.start()
    try:
        _until(lambda: service.jobs.get(ANA, job)["finished"] is not None)
    finally:
        service.test_queue.stop()
    assert (service.jobs.get(ANA, job)["state"], service.jobs.get(ANA, job)["message"]) == ("done", "")
    assert service.releases.get(ANA, job)["kind"] == "sample"
    assert service.releases.verify(ANA, job)
