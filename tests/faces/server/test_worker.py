"""What a worker leaves of a job that was cancelled meanwhile."""

from __future__ import annotations

import pytest

from cobogo.faces.server.context import ServerContext
from cobogo.faces.server.state import JOBS
from cobogo.faces.server.worker import JobRun

pytestmark = pytest.mark.slow


def test_a_job_that_was_cancelled_at_the_last_moment_releases_nothing(place) -> None:
    context = ServerContext(place.settings)
    row = {"owner": "ana", "kind": "anonymize", "asked": "{}", "stage": "", "done": 0, "total": 0, "message": ""}
    identity = context.state.add(JOBS, state="cancelling", tries=1, **row)
    context.files.job(identity).mkdir()
    JobRun(context.settings, identity).run()
    assert context.state.get(JOBS, identity)["state"] == "cancelling"
    context.close()
