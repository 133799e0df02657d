"""Audits that run beside the pages: one at a time for each release, with progress, and a way to stop."""

from __future__ import annotations

import json
import threading
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from cobogo.errors import AnswerIsNo, CobogoError
from cobogo.workbench.looked import Looked

FILE = "audit.json"


@dataclass
class Going:
    """An audit: which attack is tried, how many were, and of how many; and what went wrong."""

    attack: str = ""
    done: int = 0
    total: int = 0
    trouble: str = ""
    stop: bool = False
    thread: threading.Thread | None = field(default=None, repr=False)

    @property
    def over(self) -> bool:
        """Whether it has ended."""
        return self.thread is None or not self.thread.is_alive()


class Stopped(AnswerIsNo):
    """Somebody stopped an audit."""


_GOING: dict[str, Going] = {}
_LOCK = threading.Lock()


def going(looked: Looked) -> Going | None:
    """The audit of a release that runs, or that ran last since the workbench was started."""
    return _GOING.get(str(looked.directory))


def start(looked: Looked, language: str) -> Going:
    """Begin an audit, unless one of this release runs already. Its figures go into the evidence."""
    key = str(looked.directory)
    with _LOCK:
        known = _GOING.get(key)
        if known is not None and not known.over:
            return known
        new = _GOING[key] = Going()
        new.thread = threading.Thread(target=_run, args=(looked, language, new), name="cobogo-audit", daemon=True)
        new.thread.start()
    return new


def results(looked: Looked) -> dict[str, Any] | None:
    """The audit that the evidence holds, if there is one."""
    file = looked.directory / "evidence" / FILE
    found: dict[str, Any] | None = json.loads(file.read_bytes()) if file.is_file() else None
    return found


def _run(looked: Looked, language: str, state: Going) -> None:
    from cobogo.audit import audit, write

    def progress(attack: str, done: int, total: int) -> None:
        if state.stop:
            raise Stopped("was stopped", where="audit")
        state.attack, state.done, state.total = attack, done, total

    try:
        found = audit(looked.directory, policy=_with_data(looked), progress=progress)
        progress("", state.total, state.total)
        write(found, looked.directory, language=language)
    except Stopped:
        return
    except CobogoError as error:
        state.trouble = str(error)
    except OSError as error:
        state.trouble = f"{type(error).__name__}: {error.strerror}"


def _with_data(looked: Looked) -> Any:
    """The policy as the audit needs it: it says where the original lies, which attackers are taken to know."""
    policy = looked.policy
    if looked.data is None:
        return policy
    data = policy.data.model_copy(update={"path": str(Path(looked.data).absolute())})
    told = policy.model_copy(update={"data": data})
    told._home, told._name, told._trusted = policy.home, policy.name, None
    return told
