"""Everything that can be done from a page. Whether somebody may do it is decided here, when it is done.

A page that was opened before may be about another person's things by now, or show another policy. An act is done for
whoever the page was opened for, if they are still logged in and may do it, and with the policy that the page shows; it
is in the server's log before it begins. Pages read, and call these functions: a test holds them to it.
"""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Mapping
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, TypeVar

from cobogo.errors import AnswerIsNo, CobogoError, InputError, Stale
from cobogo.faces.server import collecting, drafts, tables
from cobogo.faces.server.drafts import Version
from cobogo.faces.server.keys import Holder
from cobogo.faces.server.roles import Scope
from cobogo.faces.server.state import BEGUN, DATASETS, JOBS, POLICIES, RELEASES
from cobogo.faces.workbench import records
from cobogo.faces.workbench.checking import checked
from cobogo.faces.workbench.draft import Draft, unconfirmed
from cobogo.faces.workbench.session import Desk, Session
from cobogo.faces.workbench.study import Study
from cobogo.floor import scratch

if TYPE_CHECKING:
    from cobogo.answer.result import Answer
    from cobogo.publish.registry.check import Breach
    from cobogo.publish.registry.store import RegistryEntry
    from cobogo.release.verdict import Verdict

P = ParamSpec("P")
T = TypeVar("T")
Deed = Callable[Concatenate[Desk, Session, str, P], T]

STUDIES_AT_ONCE = 4
"""Studies of all people together; one more is refused until one of them is over."""

ACTS: dict[str, Callable[..., Any]] = {}
"""Every act, by what the log calls it."""


def act(name: str, scope: Scope, *, log: bool = True) -> Callable[[Deed[P, T]], Deed[P, T]]:
    """Make an act of a function of the desk, the page, the thing it is about and more.

    What comes into being by an act is noted by the identity that the function returns.
    """

    def made(do: Deed[P, T]) -> Deed[P, T]:
        @wraps(do)
        def done(desk: Desk, session: Session, about: str, /, *given: P.args, **options: P.kwargs) -> T:
            holder = _allowed(desk, session, name, scope, about)
            line = desk.note(holder, name, about, BEGUN) if log else None
            status, what = 500, about
            try:
                result = do(desk, session, about, *given, **options)
                status, what = 200, about or (result if isinstance(result, str) else "")
                return result
            except CobogoError as error:
                status = 409 if isinstance(error, AnswerIsNo) else 400
                raise
            finally:
                if line is not None:
                    desk.house.state.settle(line, what, status)

        ACTS[name] = done
        return done

    return made


def _allowed(desk: Desk, session: Session, name: str, scope: Scope, about: str) -> Holder:
    """Who acts; whoever may not is in the log, too."""
    status = 409
    try:
        holder = desk.check(session)
        if scope not in holder.scopes:
            status = 403
            raise Stale(f"your key lacks the scope {scope.value}", remedy="Nothing was done. Use another key.")
        return holder
    except Stale:
        whose = session.browser.holder or session.holder
        if whose is not None:
            desk.note(whose, name, about, status)
        raise


def _row(desk: Desk, session: Session, dataset: str) -> dict[str, Any]:
    """The data set of a page, if it is still there."""
    row = desk.house.state.get(DATASETS, dataset, session.owner)
    if row is None:
        raise Stale("the data set of this page is no longer there", remedy="Nothing was done. Choose another one.")
    return row


def _shown(desk: Desk, session: Session, dataset: str) -> str:
    """The policy that a page shows, if it is still the one that counts."""
    now = drafts.current(desk.house.state, session.owner, dataset)
    if dataset != session.dataset or now is None or now.number != session.version or now.toml != session.draft.text:
        raise Stale(
            "the policy was changed in another window since this page was opened",
            remedy="Nothing was done. Reload the page to see the policy as it is now.",
        )
    return now.toml


# Data sets


@act("receive", Scope.DATA)
def receive_table(desk: Desk, session: Session, about: str, name: str, file: Path, options: Mapping[str, Any]) -> str:  # noqa: ARG001
    """Take in a file; the identity of the data set."""
    with file.open("rb") as stream:
        identity = tables.receive(desk.house, session.owner, name, stream, **options)
    _begun(desk, session, identity)
    return identity


@act("receive example", Scope.DATA)
def receive_example(desk: Desk, session: Session, about: str, name: str, rows: int) -> str:  # noqa: ARG001
    """Take in made-up patients of Ceará."""
    from cobogo.examples import ceara

    stage = scratch.create(desk.house.files.root / "datasets", ".page-")
    try:
        ceara.write(stage / "ceara.csv", rows)
        with (stage / "ceara.csv").open("rb") as stream:
            identity = tables.receive(desk.house, session.owner, name, stream)
    finally:
        scratch.remove(stage)
    _begun(desk, session, identity)
    return identity


@act("copy table", Scope.DATA)
def copy_table(desk: Desk, session: Session, about: str, source: str, table: str) -> str:  # noqa: ARG001
    """Take in a table of a database; the identity of the data set."""
    identity = tables.fetch(desk.house, session.owner, source, table)
    _begun(desk, session, identity)
    return identity


@act("forget", Scope.DATA)
def forget_dataset(desk: Desk, session: Session, dataset: str) -> None:
    """Delete a data set, its policy with all versions, and what was worked out about it."""
    _row(desk, session, dataset)
    tables.forget(desk.house, session.owner, dataset)
    desk.shelf.forget(session.owner, dataset)
    if session.browser.dataset == dataset:
        session.browser.dataset = None


@act("attach", Scope.DATA)
def attach_file(desk: Desk, session: Session, dataset: str, name: str, content: bytes) -> str:
    """Keep a file that the policy may name; the name that it got. No file takes the place of another one: versions of
    the policy, and jobs that wait, name it."""
    _row(desk, session, dataset)
    return tables.attach(desk.house, dataset, _unused(desk, dataset, name, content), io.BytesIO(content))


def _unused(desk: Desk, dataset: str, name: str, content: bytes) -> str:
    folder, (stem, dot, ending) = desk.house.files.dataset(dataset) / "files", name.rpartition(".")
    stem = stem if dot else ending
    tried, number = name, 1
    while (folder / tried).is_file() and (folder / tried).read_bytes() != content:
        number += 1
        tried = f"{stem[:90]}-{number}.{ending}" if dot else f"{stem[:90]}-{number}"
    return tried


# The policy of a data set


@act("begin policy", Scope.DATA)
def begin_policy(desk: Desk, session: Session, dataset: str) -> Version:
    """The policy of a data set; where there is none yet, one of suggestions that nobody has confirmed."""
    return _begun(desk, session, dataset)


def _begun(desk: Desk, session: Session, dataset: str) -> Version:
    _, text = tables.suggestion(desk.house, _row(desk, session, dataset))
    return drafts.begin(desk.house.state, session.owner, dataset, unconfirmed(text))


@act("write policy", Scope.DATA, log=False)
def write_policy(desk: Desk, session: Session, dataset: str, text: str, what: str) -> Version:
    """Write a version after the one that the page shows. Versions are a log of their own."""
    return _turned(
        session, drafts.write(desk.house.state, session.owner, dataset, text, after=session.version, what=what)
    )


@act("undo policy", Scope.DATA, log=False)
def undo_policy(desk: Desk, session: Session, dataset: str) -> Version:
    """Go back to the version before."""
    return _turned(session, drafts.undo(desk.house.state, session.owner, dataset, after=session.version))


@act("redo policy", Scope.DATA, log=False)
def redo_policy(desk: Desk, session: Session, dataset: str) -> Version:
    """Go on again to the version that was undone."""
    return _turned(session, drafts.redo(desk.house.state, session.owner, dataset, after=session.version))


@act("save policy", Scope.DATA)
def save_policy(desk: Desk, session: Session, dataset: str, name: str) -> None:
    """Keep the policy that the page shows under a name, as the server's routes keep theirs."""
    _row(desk, session, dataset)
    text, known = _shown(desk, session, dataset), desk.house.state
    if not name.strip() or len(name) > 200:
        raise InputError("give it a name of up to 200 characters", where=session.say("frame.policy"))
    same = known.rows(POLICIES, session.owner, dataset=dataset, name=name.strip())
    if same:
        known.change(POLICIES, same[0]["id"], toml=text)
    else:
        known.add(POLICIES, owner=session.owner, dataset=dataset, name=name.strip(), toml=text)


@act("take policy", Scope.DATA)
def take_policy(desk: Desk, session: Session, release: str) -> str:
    """Make the policy that a release of one's own was made by the one that counts for its data set, as a version more;
    the identity of the data set."""
    dataset = str(_release(desk, session, release, own=True)["dataset"])
    job, state = desk.house.state.get(JOBS, release, session.owner), desk.house.state
    now = drafts.current(state, session.owner, dataset)
    if job is None or now is None:
        raise Stale("the data set of this page is no longer there", remedy="Nothing was done. Choose another one.")
    drafts.write(state, session.owner, dataset, json.loads(job["asked"])["policy"], after=now.number)
    return dataset


def _turned(session: Session, now: Version) -> Version:
    session.version, session.draft.text = now.number, now.toml
    return now


def draft_of(desk: Desk, session: Session) -> Draft:
    """The policy of a page, whose every change is an act."""
    dataset = session.dataset
    if dataset is None:
        return Draft()
    return Draft(session.draft.text, lambda text, what: write_policy(desk, session, dataset, text, what))


# Jobs, and what they release


@act("run", Scope.RUN)
def run_policy(desk: Desk, session: Session, about: str, dataset: str, kind: str) -> str:  # noqa: ARG001
    """Put a job in the queue: the data set of the page, under the policy that it shows."""
    row, text = _row(desk, session, dataset), _shown(desk, session, dataset)
    checked(desk, session, dataset)
    return desk.queue.submit(session.owner, kind, dataset, tables.about(row)["file"], text)


@act("run node", Scope.RUN)
def run_node(desk: Desk, session: Session, about: str, dataset: str, fixed: Callable[[str], str]) -> str:  # noqa: ARG001
    """Put a job in the queue whose policy is the one that the page shows with its levels fixed."""
    from cobogo.faces.server.confine import confined

    row, text = _row(desk, session, dataset), fixed(_shown(desk, session, dataset))
    home = desk.house.files.dataset(dataset) / "files"
    confined(text, home, owner=session.owner, registry=desk.house.settings.registry)
    return desk.queue.submit(session.owner, "anonymize", dataset, tables.about(row)["file"], text)


@act("cancel", Scope.RUN)
def cancel_job(desk: Desk, session: Session, job: str) -> None:
    """Stop a job of one's own."""
    if desk.house.state.get(JOBS, job, session.owner) is not None:
        desk.queue.cancel(job)


@act("audit", Scope.RUN)
def audit_release(desk: Desk, session: Session, release: str) -> None:
    """Put an audit in the queue."""
    desk.queue.audit(session.owner, _release(desk, session, release, own=True))


@act("verify", Scope.RELEASES)
def verify_release(desk: Desk, session: Session, release: str) -> Verdict:
    """Check a release now, from its bytes."""
    from cobogo.release.verify import verify

    _release(desk, session, release)
    return verify(desk.house.files.release(release))


@act("register", Scope.RUN)
def register_release(desk: Desk, session: Session, release: str, series: str) -> list[Breach]:
    """Record a release in a series; whom it exposes beside those that are there."""
    return records.record(desk.house, _release(desk, session, release, own=True), series)[1]


@act("delete release", Scope.RUN)
def delete_release(desk: Desk, session: Session, release: str, entry: RegistryEntry | None) -> None:
    """Remove a release, and, where ``entry`` is given, what is recorded of it."""
    _release(desk, session, release, own=True)
    if entry is not None:
        records.forget(desk.house, entry)
    desk.house.state.remove(RELEASES, release)
    desk.house.files.forget("releases", release)


def _release(desk: Desk, session: Session, release: str, *, own: bool = False) -> dict[str, Any]:
    assert session.holder is not None
    row = desk.house.state.get(RELEASES, release, session.owner if own else session.holder.sees)
    if row is None:
        raise Stale("the release of this page is no longer there", remedy="Nothing was done. Choose another one.")
    return row


@act("study", Scope.DATA)
def begin_study(desk: Desk, session: Session, dataset: str, asked: Mapping[str, Any], key: tuple[Any, ...]) -> None:
    """Begin a study of the data set of the page, under the policy that it shows."""
    _row(desk, session, dataset)
    _shown(desk, session, dataset)
    if sum(not one.over for one in desk.shelf.all(Study)) >= STUDIES_AT_ONCE:
        raise InputError(session.say("explore.busy"), where=session.say("step.exploring"))
    desk.shelf.put(Study(asked), *key)


@act("stop study", Scope.DATA)
def stop_study(desk: Desk, session: Session, dataset: str, key: tuple[Any, ...]) -> None:
    """End a study; what it found stays."""
    _row(desk, session, dataset)
    study = desk.shelf.get(*key)
    if study is not None and key[0] == session.owner:
        study.stop()


# The other doors


@act("ask", Scope.ASK)
def ask_curator(desk: Desk, session: Session, dataset: str, sql: str, offer: Mapping[str, Any]) -> Answer:  # noqa: ARG001
    """Ask the curator, on the budget of whoever the page was opened for."""
    curator = desk.house.curator
    assert curator is not None
    return curator.session(session.owner).sql(sql, **offer)


@act("open collection", Scope.COLLECT)
def open_collection(desk: Desk, session: Session, about: str, text: str) -> str:  # noqa: ARG001
    """Open a collection; its identity."""
    return collecting.begin(desk.house, session.owner, text)
