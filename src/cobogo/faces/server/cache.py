"""What was worked out once and is kept while there is room: read reports, measurements of releases, explorations."""

from __future__ import annotations

import json
import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable, Mapping
from pathlib import Path
from typing import Any, TypeVar

T = TypeVar("T")
Key = tuple[Hashable, ...]

ROOM: Mapping[str, int] = {
    "file": 256,  # a report or a manifest as data: kilobytes each, and a list of releases reads them all
    "measure": 400,  # figures of a release: kilobytes each; a page asks for a dozen
    "risk": 256,  # the risk of a table before anything is done: a few numbers each
    "pair": 3,  # a release beside its original, in memory: as large as the two tables
    "exploration": 12,  # a lattice with its counts, in memory: some megabytes each, more for large ones
}
"""How many things of each kind are kept. The bounds keep a server of a few stewards below some gigabytes; beyond them
the one not asked for longest goes, and is worked out again when it is wanted."""


class Cache:
    """Things by kind and key. A key begins with an owner and a data set where they decide who may see the thing."""

    def __init__(self, room: Mapping[str, int] = ROOM) -> None:
        self._room = room
        self._things: dict[str, OrderedDict[Key, Any]] = {kind: OrderedDict() for kind in room}
        self._making: dict[tuple[str, Key], threading.Lock] = {}
        self._lock = threading.Lock()

    def get(self, kind: str, key: Key, make: Callable[[], T]) -> T:
        """The thing under a key, made if it is missing. A second caller waits while the first makes it."""
        things = self._things[kind]
        with self._lock:
            if key in things:
                things.move_to_end(key)
                return things[key]  # type: ignore[no-any-return]
            making = self._making.setdefault((kind, key), threading.Lock())
        with making:
            with self._lock:
                if key in things:
                    return things[key]  # type: ignore[no-any-return]
            try:
                found = make()
            finally:
                with self._lock:
                    self._making.pop((kind, key), None)
            with self._lock:
                things[key] = found
                while len(things) > self._room[kind]:
                    things.popitem(last=False)
            return found

    def read_json(self, file: Path) -> dict[str, Any]:
        """The content of a JSON file; empty if there is no such file. A changed file is read again."""
        try:
            changed = file.stat().st_mtime_ns
            return self.get("file", (str(file), changed), lambda: dict(json.loads(file.read_bytes())))
        except (OSError, ValueError):
            return {}

    def forget(self, *begin: Hashable) -> None:
        """Drop everything whose key begins with these parts: an owner, or an owner and a data set."""
        with self._lock:
            for things in self._things.values():
                for key in [key for key in things if key[: len(begin)] == begin]:
                    del things[key]
