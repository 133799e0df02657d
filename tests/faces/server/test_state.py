"""What the server remembers, in SQLite and in PostgreSQL: jobs survive, migrations run once, nothing is half-done."""

from __future__ import annotations

import threading

import pytest

from cobogo.errors import InputError
from cobogo.faces.server import drafts
from cobogo.faces.server.context import ServerContext
from cobogo.faces.server.state import DATASETS, DRAFTS, MIGRATIONS, POLICIES, ServerState, StateError

pytestmark = pytest.mark.slow


def test_a_database_whose_files_are_elsewhere_is_refused(place) -> None:
    ServerContext(place.settings).close()
    ServerContext(place.settings).close()
    other = place.settings.model_copy(update={"state": f"{place.directory}-2", "database": str(place.state)})
    with pytest.raises(StateError, match="another state directory"):
        ServerContext(other)


def test_state_is_brought_up_to_date_once_and_a_later_one_refused(place) -> None:
    done: list[str] = []
    ServerState(place.state).close()
    newer = (*MIGRATIONS, lambda _: done.append("step"))
    ServerState(place.state, migrations=newer).close()
    ServerState(place.state, migrations=newer).close()
    assert len(done) == 1
    with pytest.raises(StateError, match="later version"):
        ServerState(place.state)


def test_servers_that_open_one_database_at_once_make_it_once(place) -> None:
    states: list[ServerState] = []
    threads = [threading.Thread(target=lambda: states.append(ServerState(place.state))) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(states) == 6
    first = states[0].add(POLICIES, owner="ana", dataset="d", name="é", toml="t")
    assert [state.get(POLICIES, first, "ana") is not None for state in states] == [True] * 6
    assert states[1].get(POLICIES, first, "eva") is None
    assert states[2].rows(POLICIES, "eva") == []
    states[3].note(owner="ana", role="steward", key="k", action="GET /x", what="", status=200)
    assert [line["action"] for line in states[4].log()] == ["GET /x"]
    for state in states:
        state.close()


def test_what_the_database_does_not_take_is_the_senders_fault(place) -> None:
    state = ServerState(place.state)
    try:
        state.add(DATASETS, owner="ana", name="a\0b", about="")
    except InputError as error:
        assert not isinstance(error, StateError)  # noqa: PT017
    assert all("\0" in row["name"] for row in state.rows(DATASETS))
    state.close()


def test_a_database_that_is_away_is_said_without_its_password(tmp_path) -> None:
    with pytest.raises(StateError) as told:
        ServerState("postgresql://login:hidden@127.0.0.1:9/none")
    assert "hidden" not in str(told.value)


def test_a_state_from_before_policies_had_versions_gets_them(place) -> None:
    state = ServerState(place.state, migrations=MIGRATIONS[:1])
    with state.transaction() as connection:
        DRAFTS.drop(connection)
    state.close()
    state = ServerState(place.state)
    assert drafts.versions(state, "ana", "x") == []
    state.close()
