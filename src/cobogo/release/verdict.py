"""What a verification found."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from cobogo.models.check import ModelVerdict


@dataclass(frozen=True, eq=False)
class Verdict:
    """Whether a release holds what it promises. Truthy when it does."""

    models: tuple[ModelVerdict, ...]
    problems: tuple[str, ...]
    records: int
    classes: int | None  # None of a release that is not a recoding
    notes: tuple[str, ...] = ()  # what could only be measured in part

    def __bool__(self) -> bool:
        return not self.problems and all(verdict.satisfied for verdict in self.models)

    def as_dict(self) -> dict[str, Any]:
        """For ``--json``."""
        return {
            "holds": bool(self),
            "models": [verdict.as_dict() for verdict in self.models],
            "problems": list(self.problems),
            "notes": list(self.notes),
            "records": self.records,
            "classes": self.classes,
        }
