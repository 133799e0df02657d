"""What was worked out for somebody, kept while there is room: to come back to a page is not to work it out again."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Hashable
from typing import Any, TypeVar

MOST = 12
T = TypeVar("T")


class Shelf:
    """A few things by their keys; the one not asked for longest makes room.

    A key begins with its owner: nobody can ask for what is somebody else's.
    """

    def __init__(self, most: int = MOST) -> None:
        self._most = most
        self._things: OrderedDict[tuple[Hashable, ...], Any] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, *key: Hashable) -> Any:
        """What is kept under a key; None where there is nothing."""
        with self._lock:
            if key in self._things:
                self._things.move_to_end(key)
            return self._things.get(key)

    def all(self, kind: type[T]) -> list[T]:
        """Everything of a kind, whoever's it is: to count."""
        with self._lock:
            return [thing for thing in self._things.values() if isinstance(thing, kind)]

    def forget(self, *begin: Hashable) -> None:
        """Keep nothing any more whose key begins like this: of somebody's, or of one of their data sets."""
        with self._lock:
            names = [key for key in self._things if key[: len(begin)] == begin]
            gone = [self._things.pop(key) for key in names]
        _stop(gone)

    def put(self, thing: Any, *key: Hashable) -> None:
        """Keep something; what has to go is told to stop, if it can be."""
        with self._lock:
            gone = [self._things.pop(key, None)]
            self._things[key] = thing
            while len(self._things) > self._most:
                gone.append(self._things.popitem(last=False)[1])
        _stop(gone)


def _stop(gone: list[Any]) -> None:
    for one in gone:
        if hasattr(one, "stop"):
            one.stop()
