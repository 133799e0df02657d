"""What a device remembers over its restarts: what was spent, the last report, and one noisy value for each of its
owner's places. The file holds true places: it is readable by its owner alone, and is replaced whole or not at all."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from cobogo.errors import DataError
from cobogo.floor.files import exclusive, write_private
from cobogo.locate.device.reports import Area, Report


@dataclass
class Memory:
    """All of it, in memory or in a ``file``."""

    file: Path | None = None
    entries: list[tuple[float, float]] = field(default_factory=list)
    last: Report | None = None
    places: dict[str, Area] = field(default_factory=dict)
    memos: dict[str, Report] = field(default_factory=dict)

    @classmethod
    def open(cls, file: str | Path | None) -> Memory:
        """What was kept. A file that cannot be read is an error: forgetting it would spend its budget again."""
        if file is None:
            return cls()
        path = Path(file).expanduser()
        if not path.exists():
            return cls(path)
        try:
            content = json.loads(path.read_text(encoding="utf-8"))
            return cls(
                path,
                [(float(time), float(cost)) for time, cost in content["spent"]],
                None if content["last"] is None else Report.from_dict(content["last"]),
                {name: Area(*map(float, place)) for name, place in content["places"].items()},
                {name: Report.from_dict(memo) for name, memo in content["memos"].items()},
            )
        except (OSError, ValueError, TypeError, KeyError, AttributeError):
            raise DataError(
                "is not a device's memory, or a damaged one",
                where=str(path),
                remedy="Restore it: without it, what was spent is spent again, and home gets a second value.",
            ) from None

    @contextmanager
    def alone(self) -> Iterator[None]:
        """As the file says now, while no other process with the same file changes it: two would spend one budget twice,
        and give home two values."""
        if self.file is None:
            yield
            return
        with exclusive(self.file):
            if self.file.exists():
                now = Memory.open(self.file)
                self.entries, self.last, self.places, self.memos = now.entries, now.last, now.places, now.memos
            yield

    def save(self) -> None:
        """Write it all, so that it is there even if the machine stops now."""
        if self.file is None:
            return
        content: dict[str, Any] = {
            "spent": self.entries,
            "last": None if self.last is None else self.last.as_dict(),
            "places": {name: [place.lon, place.lat, place.radius] for name, place in self.places.items()},
            "memos": {name: memo.as_dict() for name, memo in self.memos.items()},
        }
        write_private(self.file, json.dumps(content))
