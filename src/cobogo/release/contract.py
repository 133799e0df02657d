"""The contract of a transformation: a job that changes the values of columns otherwise than by a recoding.

To add a kind of release: one class that extends `Transformation`, a function `check` that verifies what it wrote, one
line in `cobogo.release.kinds.KINDS`, and a function that makes the transformation of a policy and a table, which its
command hands to `publish.transform.transform`. Writing, reading back, the manifest, the evidence and the report are
the same for all.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from cobogo.data.table.read import Table
from cobogo.promises.models.check import ModelVerdict
from cobogo.release.manifest import Manifest

if TYPE_CHECKING:
    from cobogo.tell.report.words import Words

Json = dict[str, Any]

ENTROPY, SEED = "operating system", "seed"
"""What a transformation whose privacy rests on chance states as its ``entropy``."""

SEEDED = "its noise was drawn from a seed: whoever knows or guesses the seed undoes it"
"""What verification says of the second."""


@dataclass(frozen=True)
class Meaning:
    """What a changed column's values mean to whoever receives them; ``truthful``: each is what was collected."""

    text: str
    truthful: bool = False


@dataclass(frozen=True)
class Findings:
    """What a check of the released rows found: measured guarantees, what is wrong, what could not be checked."""

    verdicts: tuple[ModelVerdict, ...] = ()
    problems: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


Row = list[str | float | None]
"""A row of a table of the report."""


@dataclass(frozen=True, repr=False)
class Section:
    """A part of the report: a table with a sentence above it. Numbers are given as they are; the report writes them."""

    title: str
    lead: str
    header: Sequence[str]
    rows: Sequence[Row]


@dataclass(frozen=True, repr=False)
class Bars:
    """A plot of the report: for each label one bar of each series (shares, at most 1)."""

    stem: str  # the file's name, without .png
    title: str
    what: str
    labels: Sequence[str]
    series: Mapping[str, Sequence[float]]


@dataclass(frozen=True, repr=False)
class Story:
    """What the report tells beside the verdict: it may compare with the original, and stays with the data holder.

    ``summary`` is what report.json holds of it.
    """

    summary: Mapping[str, Any]
    headline: str
    keys: Sequence[tuple[str, str, str]] = ()  # name, value, why
    sections: Sequence[Section] = ()
    plots: Sequence[Bars] = ()


class Transformation(ABC):
    """What is done to a table. Parameters are settled, nothing has been drawn yet."""

    kind: ClassVar[str]  # what the manifest calls this kind of release
    falling: ClassVar[str | None] = None  # the column that rows are sorted by, where they are not about single people

    def columns(self, kept: Sequence[str]) -> tuple[str, ...]:
        """The released columns, of those that are not identifiers."""
        return tuple(kept)

    @abstractmethod
    def batches(self, table: Table, columns: Sequence[str]) -> Iterator[Any]:
        """The released rows as Arrow record batches of one schema with exactly these columns, in any order.

        Called once for a release: two independent draws of one table would tell more than one.
        """

    @property
    @abstractmethod
    def meanings(self) -> Mapping[str, Meaning]:
        """What the values of each changed column mean; the others are as collected."""

    @abstractmethod
    def stated(self) -> Json:
        """What the public manifest says of it, as JSON: parameters, and nothing that tells of the original."""

    @abstractmethod
    def explained(self) -> str:
        """What whoever receives the release must know to use it, as Markdown; nothing that tells of the original."""

    def kept(self) -> Json:
        """What the evidence keeps beside the policy, as JSON."""
        return {}

    @property
    def asked(self) -> tuple[Json, ...]:
        """The guarantees that are promised, as the policy writes models: verification measures them."""
        return ()

    @property
    def warnings(self) -> tuple[str, ...]:
        """What the data holder should know before giving the release away."""
        return ()

    @abstractmethod
    def story(self, before: Table, after: Table, say: Words) -> Story:
        """What the report tells. ``after`` is the released table as it was read back."""


@dataclass(frozen=True, repr=False)
class Written:
    """A release as verification finds it: its manifest, its rows, the models asked of it, and what its evidence kept
    of the transformation (`Transformation.kept`), if the evidence is there; and the directory, where more lies in it
    than the rows."""

    manifest: Manifest
    rows: Table
    asked: Sequence[Json]
    kept: Json | None = None
    directory: Path | None = None

    @property
    def stated(self) -> Json:
        """What the transformation said of itself."""
        return dict(self.manifest.transformation or {})
