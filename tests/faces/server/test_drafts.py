"""Policies while they are written, in SQLite and in PostgreSQL: nobody overwrites what they have not seen."""

from __future__ import annotations

import contextlib
import io
import threading

import pytest

from cobogo.errors import Stale
from cobogo.faces.server import drafts
from cobogo.faces.server.context import ServerContext
from support.http_server import CSV
from support.services import person, service_of

pytestmark = pytest.mark.slow

ANA = person("ana")


def test_a_policy_is_written_after_the_version_that_its_writer_sees(place) -> None:
    context = ServerContext(place.settings)
    dataset = service_of(context).datasets.receive(ANA, "x.csv", io.BytesIO(CSV.encode()))
    state = context.state
    first = drafts.begin(state, "ana", dataset, "# 1")
    assert drafts.begin(state, "ana", dataset, "# other") == first
    second = drafts.write(state, "ana", dataset, "# 2", after=first.number)
    for late in (lambda: drafts.write(state, "ana", dataset, "# 3", after=first.number), lambda: drafts.undo(
        state, "ana", dataset, after=first.number)):  # fmt: skip
        with pytest.raises(Stale, match="changed in another window"):
            late()
    with pytest.raises(Stale, match="no longer exists"):
        drafts.write(state, "bea", dataset, "# 3", after=second.number)
    done: list[str] = []

    def write(text: str) -> None:
        with contextlib.suppress(Stale):
            done.append(drafts.write(state, "ana", dataset, text, after=second.number).toml)

    writers = [threading.Thread(target=write, args=(f"# by {n}",)) for n in range(6)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    assert done == [drafts.current(state, "ana", dataset).toml]
    context.close()
