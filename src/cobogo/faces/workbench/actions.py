"""Everything that can be done from a page: on behalf of its reader, with the policy that it shows, in the log.

A page that was opened before may be about another person's things by now, or show another policy. An action is done
for the reader that the page was opened for, if they are still logged in, and with the policy that the page shows; it
is in the server's log before it begins. Whether the reader may do it is checked by the service.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, TypeVar

from cobogo.errors import AnswerIsNo, CobogoError, Stale
from cobogo.faces.server.keys import Holder
from cobogo.faces.server.roles import KeyRole
from cobogo.faces.server.services.keys import BEGUN
from cobogo.faces.server.services.operation import NotFound, ScopeMissing
from cobogo.faces.server.services.policies import Version
from cobogo.faces.workbench.draft import PolicyDraft, check_draft, mark_unconfirmed
from cobogo.faces.workbench.session import Desk, PageSession
from cobogo.floor.language import tr

if TYPE_CHECKING:
    from cobogo.answer.result import Answer
    from cobogo.publish.registry.check import Breach
    from cobogo.publish.registry.store import RegistryEntry
    from cobogo.release.contract import Verdict

P = ParamSpec("P")
T = TypeVar("T")
Deed = Callable[Concatenate[Desk, PageSession, str, P], T]

ACTIONS: dict[str, Callable[..., Any]] = {}
"""Every action, by what the log calls it."""


def action(name: str, *, log: bool = True) -> Callable[[Deed[P, T]], Deed[P, T]]:
    """Make an action of a function of the desk, the page, the thing it is about and more.

    What comes into being by an action is noted by the identity that the function returns, alone or first of all.
    """

    def make(do: Deed[P, T]) -> Deed[P, T]:
        @wraps(do)
        def run(desk: Desk, session: PageSession, about: str, /, *given: P.args, **options: P.kwargs) -> T:
            holder = _reader(desk, session, name, about)
            line = desk.note(holder, name, about, BEGUN) if log else None
            status, what = 500, about
            try:
                result = do(desk, session, about, *given, **options)
                made = result[0] if isinstance(result, tuple) else result
                status, what = 200, about or (made if isinstance(made, str) else "")
                return result
            except ScopeMissing as error:
                status = 403
                if line is None:
                    desk.note(holder, name, about, status)
                remedy = tr("Nothing was changed. Use another key.")
                raise Stale(
                    tr("your key does not have the scope {value}", value=error.scope.value), remedy=remedy
                ) from None
            except NotFound as error:
                status = 409
                raise _missing(error.thing) from None
            except CobogoError as error:
                status = 409 if isinstance(error, AnswerIsNo) else 400
                raise
            finally:
                if line is not None:
                    desk.service.keys.settle(line, what, status)

        ACTIONS[name] = run
        return run

    return make


def _reader(desk: Desk, session: PageSession, name: str, about: str) -> Holder:
    """The holder who acts. An attempt without a valid login is written in the log as well."""
    try:
        return desk.check(session)
    except Stale:
        whose = session.browser.holder or session.holder
        if whose is not None:
            desk.note(whose, name, about, 409)
        raise


GONE = {
    "data set": tr("the data set of this page no longer exists"),
    "release": tr("the release of this page no longer exists"),
    "job": tr("there is no such job any more"),
    "key": tr("there is no such key, or it was revoked before"),
}


def _missing(thing: str) -> Stale:
    remedy = tr("Nothing was changed. Choose another one.")
    return Stale(GONE.get(thing, GONE["data set"]), remedy=remedy)


def _current(desk: Desk, session: PageSession, dataset: str) -> str:
    """The policy that a page shows, if it is still the current version."""
    desk.service.datasets.get(session.caller, dataset)
    now = desk.service.policies.draft(session.caller, dataset)
    if dataset != session.dataset or now is None or now.number != session.version or now.toml != session.draft.text:
        raise Stale(
            tr("the policy was changed in another window since this page was opened"),
            remedy=tr("Nothing was changed. Reload the page to see the current policy."),
        )
    return now.toml


# Data sets


@action("receive")
def receive_table(
    desk: Desk,
    session: PageSession,
    about: str,  # noqa: ARG001
    name: str,
    file: Path,
    options: Mapping[str, Any],
) -> str:
    """Take in a file; the identity of the data set."""
    with file.open("rb") as stream:
        dialect = {key: options.get(key) for key in ("separator", "encoding", "decimal")}
        header = options.get("header")
        places = {key: value for key, value in options.items() if key not in (*dialect, "header")}
        identity = desk.service.datasets.receive(
            session.caller, name, stream, **dialect, header=int(header) if header else None, places=places
        )
    _begin_draft(desk, session, identity)
    return identity


@action("receive example")
def receive_example(desk: Desk, session: PageSession, about: str, name: str, rows: int) -> str:  # noqa: ARG001
    """Take in made-up patients of Ceará."""
    identity = desk.service.datasets.receive_example(session.caller, name, rows)
    _begin_draft(desk, session, identity)
    return identity


@action("copy table")
def copy_table(desk: Desk, session: PageSession, about: str, source: str, table: str) -> str:  # noqa: ARG001
    """Take in a table of a database; the identity of the data set."""
    identity = desk.service.datasets.copy_table(session.caller, source, table)
    _begin_draft(desk, session, identity)
    return identity


@action("forget")
def forget_dataset(desk: Desk, session: PageSession, dataset: str) -> None:
    """Delete a data set, its policy with all versions, and what was worked out about it."""
    desk.service.datasets.forget(session.caller, dataset)
    if session.browser.dataset == dataset:
        session.browser.dataset = None


@action("attach")
def attach_file(desk: Desk, session: PageSession, dataset: str, name: str, content: bytes) -> str:
    """Keep a file that the policy may name; returns its name. It never replaces another file, which versions of the
    policy and waiting jobs may name."""
    return desk.service.datasets.attach_beside(session.caller, dataset, name, content)


# The policy of a data set


@action("begin policy")
def begin_policy(desk: Desk, session: PageSession, dataset: str) -> Version:
    """The policy of a data set; if it has none, begin one of unconfirmed suggestions."""
    return _begin_draft(desk, session, dataset)


def _begin_draft(desk: Desk, session: PageSession, dataset: str) -> Version:
    _, text = desk.service.datasets.suggest(session.caller, dataset)
    draft = PolicyDraft(mark_unconfirmed(text))
    if session.language != "en":  # the report is in the language of whoever begins the policy
        draft.set("report", "language", session.language)
    return desk.service.policies.begin_draft(session.caller, dataset, draft.text)


@action("write policy", log=False)
def write_policy(desk: Desk, session: PageSession, dataset: str, text: str, what: str) -> Version:
    """Write a version after the one that the page shows. Versions are a log of their own."""
    write = desk.service.policies.write_draft
    return _adopt_version(session, write(session.caller, dataset, text, after=session.version, what=what))


@action("undo policy", log=False)
def undo_policy(desk: Desk, session: PageSession, dataset: str) -> Version:
    """Go back to the version before."""
    return _adopt_version(session, desk.service.policies.undo_draft(session.caller, dataset, after=session.version))


@action("redo policy", log=False)
def redo_policy(desk: Desk, session: PageSession, dataset: str) -> Version:
    """Go on again to the version that was undone."""
    return _adopt_version(session, desk.service.policies.redo_draft(session.caller, dataset, after=session.version))


@action("save policy")
def save_policy(desk: Desk, session: PageSession, dataset: str, name: str) -> None:
    """Keep the policy that the page shows under a name, as the server's routes keep theirs."""
    desk.service.policies.keep_as(session.caller, dataset, name, _current(desk, session, dataset))


@action("take policy")
def take_policy(desk: Desk, session: PageSession, release: str) -> str:
    """Make the policy of one's release the current version for its data set; returns the data set's identity."""
    dataset, text = desk.service.releases.policy_text(session.caller, release)
    desk.service.policies.take_from(session.caller, dataset, text)
    return dataset


def _adopt_version(session: PageSession, now: Version) -> Version:
    session.version, session.draft.text = now.number, now.toml
    return now


def draft_of(desk: Desk, session: PageSession) -> PolicyDraft:
    """The policy of a page, whose every change is an act."""
    dataset = session.dataset
    if dataset is None:
        return PolicyDraft()
    return PolicyDraft(session.draft.text, lambda text, what: write_policy(desk, session, dataset, text, what))


# Jobs, and what they release


@action("run")
def run_policy(desk: Desk, session: PageSession, about: str, dataset: str, kind: str) -> str:  # noqa: ARG001
    """Put a job in the queue: the data set of the page, under the policy that it shows."""
    text = _current(desk, session, dataset)
    check_draft(desk, session, dataset)
    return str(desk.service.jobs.submit(session.caller, kind, dataset, text)["id"])


@action("run node")
def run_node(desk: Desk, session: PageSession, about: str, dataset: str, fixed: Callable[[str], str]) -> str:  # noqa: ARG001
    """Put a job in the queue whose policy is the one that the page shows with its levels fixed."""
    text = fixed(_current(desk, session, dataset))
    return str(desk.service.jobs.submit(session.caller, "anonymize", dataset, text)["id"])


@action("cancel")
def cancel_job(desk: Desk, session: PageSession, job: str) -> None:
    """Stop a job of one's own."""
    with suppress(NotFound):
        desk.service.jobs.cancel(session.caller, job)


@action("audit")
def audit_release(desk: Desk, session: PageSession, release: str) -> None:
    """Put an audit in the queue."""
    desk.service.jobs.audit(session.caller, release)


@action("verify")
def verify_release(desk: Desk, session: PageSession, release: str) -> Verdict:
    """Check a release now, from its bytes."""
    return desk.service.releases.verify(session.caller, release)


@action("state release")
def state_release(desk: Desk, session: PageSession, release: str) -> None:
    """Put the pages to sign into the evidence, in the language of the page."""
    desk.service.releases.write_statement(session.caller, release, session.language)


@action("register")
def register_release(desk: Desk, session: PageSession, release: str, series: str) -> list[Breach]:
    """Record a release in a series; returns whom it exposes together with the recorded ones."""
    return desk.service.registry.record(session.caller, release, series)


@action("delete release")
def delete_release(desk: Desk, session: PageSession, release: str, entry: RegistryEntry | None) -> None:
    """Remove a release, and, where ``entry`` is given, what is recorded of it."""
    desk.service.releases.delete(session.caller, release, entry)


@action("study")
def begin_study(
    desk: Desk, session: PageSession, dataset: str, kind: str, text: str, options: Mapping[str, Any]
) -> None:
    """Put a study of the data set of the page in the queue, under the policy that it shows as far as that matters."""
    _current(desk, session, dataset)
    desk.service.jobs.begin_study(session.caller, kind, dataset, text, options)


@action("stop study")
def stop_study(
    desk: Desk, session: PageSession, dataset: str, kind: str, text: str, options: Mapping[str, Any]
) -> None:
    """End a study; what it found stays."""
    desk.service.jobs.stop_study(session.caller, kind, dataset, text, options)


# The other doors


@action("ask")
def ask_curator(desk: Desk, session: PageSession, dataset: str, sql: str, offer: Mapping[str, Any]) -> Answer:  # noqa: ARG001
    """Ask the curator, on the budget of whoever the page was opened for."""
    return desk.service.curator.ask(session.caller, sql, **offer)


@action("open collection")
def open_collection(desk: Desk, session: PageSession, about: str, text: str) -> str:  # noqa: ARG001
    """Open a collection; its identity."""
    return desk.service.collections.begin(session.caller, text)


# The server itself


@action("make key")
def make_key(
    desk: Desk,
    session: PageSession,
    about: str,  # noqa: ARG001
    owner: str,
    role: str,
    days: float | None,
) -> tuple[str, str]:
    """Make a key; its identity, and its text, which is shown only now."""
    return desk.service.keys.create(session.caller, owner, KeyRole(role), days=days)


@action("revoke key")
def revoke_key(desk: Desk, session: PageSession, key: str) -> None:
    """End a key now."""
    desk.service.keys.revoke(session.caller, key)


@action("stop job")
def stop_job(desk: Desk, session: PageSession, job: str) -> None:
    """Stop a job of anybody."""
    desk.service.jobs.stop(session.caller, job)
