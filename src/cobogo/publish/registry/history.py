"""The history of a data set: what each registered release added to those before it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from cobogo.data.policy import Policy
from cobogo.errors import CobogoError
from cobogo.promises import models
from cobogo.publish.registry.check import Breach, breaches
from cobogo.publish.registry.store import RegistryEntry, Transaction
from cobogo.publish.registry.structure import RecordedRelease


@dataclass(frozen=True, eq=False, repr=False)
class Chapter:
    """One release, compared with the one before it.

    ``stayed``, ``came`` and ``left`` count records, linked by person; None for the first release. ``new`` are columns
    that no earlier release had. ``breaches`` are the attacks that succeed on it together with the earlier ones (an
    adopted release may have some); None where its models can no longer be checked.
    """

    entry: RegistryEntry
    new: tuple[str, ...]
    base: str | None
    series: bool  # whether it is one of a series that m-invariance is asked of
    stayed: int | None = None
    came: int | None = None
    left: int | None = None
    breaches: tuple[Breach, ...] | None = ()

    def as_dict(self) -> dict[str, Any]:
        """The figures for ``--json``, without any value."""
        found = None if self.breaches is None else [one.as_dict() for one in self.breaches]
        return {
            **self.entry.as_dict(),
            "new columns": list(self.new),
            "base": self.base,
            "series": self.series,
            "stayed": self.stayed,
            "came": self.came,
            "left": self.left,
            "breaches": found,
        }


def history(book: Transaction, dataset: str) -> list[Chapter]:
    """The releases of a data set in their order. Each is checked again against those before it."""
    chapters: list[Chapter] = []
    earlier: dict[str, RecordedRelease] = {}
    for entry in book.entries(dataset):
        recorded = RecordedRelease.from_bytes(book.structure(entry.id))
        known = {name for one in earlier.values() for name in one.columns}
        asked = entry.summary["policy"].get("registry") or {}
        crossing = next(reversed(earlier.values())).cross(recorded) if earlier else None
        invented = [chapter.entry.summary.get("counterfeits", 0) for chapter in chapters[-1:]]
        chapters.append(
            Chapter(
                entry,
                tuple(name for name in recorded.columns if name not in known),
                asked.get("base"),
                recorded.series is not None,
                None if crossing is None else len(crossing.before),
                None if crossing is None else len(crossing.added) - entry.summary.get("counterfeits", 0),
                None if crossing is None else len(crossing.removed) - sum(invented),
                _check_again(entry, earlier, recorded, asked.get("base")),
            )
        )
        earlier[entry.id] = recorded
    return chapters


def _check_again(
    entry: RegistryEntry, earlier: dict[str, RecordedRelease], recorded: RecordedRelease, base: str | None
) -> tuple[Breach, ...] | None:
    if not earlier:
        return ()
    try:
        policy = Policy.of(entry.summary["policy"], home=entry.summary["home"], name=entry.id)
        return tuple(breaches(earlier, recorded, _models(policy), base))
    except CobogoError:
        return None


def _models(policy: Policy) -> Sequence[models.Model]:
    return models.build(policy.models, policy.sensitive)
