"""What a verification found."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from cobogo.errors import number_of
from cobogo.floor.representation import brief
from cobogo.promises.models.check import ModelVerdict


@dataclass(frozen=True, eq=False, repr=False)
class Verdict:
    """Whether a release holds what it promises. Truthy when nothing speaks against it.

    What cannot be decided from what is at hand, as from ``public/`` alone, is among ``undecided``.
    """

    models: tuple[ModelVerdict, ...]
    problems: tuple[str, ...]
    records: int
    classes: int | None  # None of a release that is not a recoding
    notes: tuple[str, ...] = ()  # what could only be measured in part

    def __repr__(self) -> str:
        marks = [f"{one.model} {'?' if one.undecided else '✓' if one.satisfied else '✗'}" for one in self.models]
        wrong = number_of(len(self.problems), "problem") if self.problems else None
        return brief(self, "holds" if self else "does not hold", *marks, wrong)

    def __bool__(self) -> bool:
        return not self.problems and not any(verdict.fails for verdict in self.models)

    @property
    def undecided(self) -> tuple[ModelVerdict, ...]:
        """The models of which it cannot be told whether they hold."""
        return tuple(verdict for verdict in self.models if verdict.undecided)

    def as_dict(self) -> dict[str, Any]:
        """For ``--json``."""
        return {
            "holds": bool(self),
            "undecided": len(self.undecided),
            "models": [verdict.as_dict() for verdict in self.models],
            "problems": list(self.problems),
            "notes": list(self.notes),
            "records": self.records,
            "classes": self.classes,
        }
