"""Studies: long work whose findings are looked at and thrown away, in a process of its own that can be stopped.

A study is no job: it releases nothing, and does not wait in the queue behind those that do. The process is told what
to do on a line of JSON, and answers with lines of JSON: how far it is, what it found, one thing at a time, and how it
ended. When nobody listens any more, it ends.
"""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import threading
import traceback
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from cobogo.data.policy import Policy
from cobogo.errors import CobogoError
from cobogo.faces.server.sandbox import confined

Tell = Callable[[dict[str, Any]], None]


class Study:
    """A study that was begun: what it has found so far, and whether it is over."""

    def __init__(self, asked: Mapping[str, Any]) -> None:
        self.done, self.total = 0, 0
        self.found: list[dict[str, Any]] = []
        self.error: str | None = None
        self.over = self.stopped = False
        self._child = subprocess.Popen(
            [sys.executable, "-m", "cobogo.faces.workbench.study"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            start_new_session=True,
        )
        assert self._child.stdin is not None
        with contextlib.suppress(BrokenPipeError):
            self._child.stdin.write(json.dumps(asked).encode() + b"\n")
            self._child.stdin.flush()
        threading.Thread(target=self._listen, name="cobogo-study", daemon=True).start()

    def stop(self) -> None:
        """End it; what was found stays."""
        if not self.over:
            self.stopped = True
            self._child.kill()

    def _listen(self) -> None:
        ended = False
        with self._child as child:
            assert child.stdout is not None
            for line in child.stdout:
                told = json.loads(line)
                self.done, self.total = told.get("done", self.done), told.get("total", self.total)
                self.error = told.get("error", self.error)
                if "found" in told:
                    self.found.append(told["found"])
                ended = ended or told.get("ended", False)
        if not ended and not self.stopped and self.error is None:
            self.error = "The work was interrupted: out of memory, perhaps, or killed."
        self.over = True


def _compare(data: Path, policy: Policy, asked: Mapping[str, Any], tell: Tell) -> None:
    from cobogo.studies.comparison import compare

    compare(
        data,
        policy,
        algorithms=asked["algorithms"],
        progress=lambda _, done, total: tell({"done": done, "total": total}),
        each=lambda run: tell({"found": run.as_dict()}),
    )


def _frontier(data: Path, policy: Policy, asked: Mapping[str, Any], tell: Tell) -> None:
    from cobogo.studies.frontier import frontier

    frontier(
        data,
        policy,
        vary=asked["vary"],
        progress=lambda _, done, total: tell({"done": done, "total": total}),
        each=lambda point: tell({"found": point.as_dict()}),
    )


KINDS: Mapping[str, Callable[[Path, Policy, Mapping[str, Any], Tell], None]] = {
    "compare": _compare,
    "frontier": _frontier,
}


def _tell(told: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps(told) + "\n")
    sys.stdout.flush()


def _end_with_the_server() -> None:
    sys.stdin.read()
    os._exit(1)


def main() -> None:
    """``python -m cobogo.faces.workbench.study``: see above."""
    asked = json.loads(sys.stdin.readline())
    threading.Thread(target=_end_with_the_server, daemon=True).start()
    try:
        policy = confined(asked["policy"], Path(asked["home"]), owner=asked["owner"], registry=asked["registry"])
        KINDS[asked["kind"]](Path(asked["data"]), policy, asked, _tell)
    except CobogoError as error:
        _tell({"error": str(error)})
    except Exception as error:
        frame = traceback.extract_tb(error.__traceback__)[-1]
        print(f"study: {type(error).__name__} in {frame.name}, line {frame.lineno}", file=sys.stderr)
        _tell({"error": "Something went wrong here. It is in the server's log."})
    _tell({"ended": True})


if __name__ == "__main__":
    main()
