"""The contract of a release: whatever is done to a table, a recoding as well as noise, is a `Transformation`.

It says what tables are released, what each column means, what is promised, how that is checked from what was read back
and what its report tells. `Release` carries it, and `cobogo.release.write.write_release` writes any of them.

To add a kind of release: a class that extends `Transformation` (or `DrawnRows`, where rows are drawn once), a function
that checks what was written, one line in `cobogo.release.checks.CHECKS`, and a function that makes the transformation
of a policy and a table.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from cobogo.data.table.engine import Engine, Expression
from cobogo.data.table.read import Table
from cobogo.errors import number_of
from cobogo.floor.progress import Progress
from cobogo.floor.representation import brief
from cobogo.promises.models.check import ModelVerdict
from cobogo.release.manifest import Manifest

if TYPE_CHECKING:
    from cobogo.release.release import Release

Json = dict[str, Any]

ENTROPY, SEED = "operating system", "seed"
"""What a transformation whose privacy rests on chance states as its ``entropy``."""

SEEDED = "its noise was drawn from a seed: whoever knows or guesses the seed undoes it"
"""What verification says of a release whose noise was drawn from a seed."""

ROWS = "release"
"""What the file of the released rows is called."""

OUR_FAULT = "Nothing was left in place. This is a fault of Cobogó: please report it."
"""The remedy where what was written is not what was planned."""


@dataclass(frozen=True)
class Meaning:
    """What a changed column's values mean to whoever receives them; ``truthful``: each is what was collected."""

    text: str
    truthful: bool = False


@dataclass(frozen=True)
class CheckResult:
    """What a check of the released rows found: measured guarantees, what is wrong, what could not be checked."""

    verdicts: tuple[ModelVerdict, ...] = ()
    problems: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


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


@dataclass(frozen=True, eq=False, repr=False)
class ReadBack:
    """A release as it was read back from where it was written, and what the check of it found.

    ``manifest`` states no models and no hashes yet; ``models`` is how it will state them.
    """

    manifest: Manifest
    verdict: Verdict
    models: tuple[Json, ...]


class Transformation(ABC):
    """What is done to a table so that it may be released. Everything is settled; nothing has been drawn or written."""

    kind: ClassVar[str]  # what the manifest calls this kind of release
    reporter: ClassVar[str]  # "module:function" that writes the report: it is slow to import, and imported late
    sorted_by: ClassVar[str | None] = None  # the column that rows are sorted by, where they are not about single people
    remedy: ClassVar[str] = OUR_FAULT  # what to do where a promise does not hold of what was written

    def columns(self, kept: Sequence[str]) -> tuple[str, ...]:
        """The released columns, of those that are not identifiers."""
        return tuple(kept)

    @abstractmethod
    def draw(self, release: Release) -> Table:
        """The rows to be released, in any order.

        Called once for a release: two independent draws of one table would tell more than one.
        """

    @abstractmethod
    def engine(self, release: Release) -> Engine:
        """The engine that the released rows are in, and that writes them."""

    @abstractmethod
    def record_count(self, release: Release) -> int:
        """The number of records that are released."""

    def tables(self, release: Release) -> Mapping[str, Expression]:
        """The released tables, by the names of their files."""
        return {ROWS: release.rows()}

    def write_beside(self, public: Path) -> None:  # noqa: B027
        """Write the public files that are not tables; most kinds have none."""

    @abstractmethod
    def manifest(self, release: Release, rows: Path | Table) -> Manifest:
        """What is said of the release and of each column, before anything was measured."""

    def explanation(self) -> str:
        """What whoever receives the release must know to use it, as Markdown; nothing that tells of the original."""
        return ""

    @property
    def stars(self) -> bool:
        """Whether suppressed records may be released with ``*`` in every quasi-identifier."""
        return False

    @property
    def warnings(self) -> tuple[str, ...]:
        """What the data holder should know before giving the release away."""
        return ()

    @abstractmethod
    def read_back(self, release: Release, rows: Path | Table, public: Path) -> ReadBack:
        """Read what was written, and check it against what is promised and planned."""

    @abstractmethod
    def evidence(self, release: Release, read: ReadBack) -> Json:
        """What the evidence keeps for later verifications, as JSON."""

    @contextmanager
    def recorded(
        self,
        release: Release,  # noqa: ARG002
        read: ReadBack,  # noqa: ARG002
        public: Path,  # noqa: ARG002
        directory: Path,  # noqa: ARG002
        progress: Progress,  # noqa: ARG002
    ) -> Iterator[None]:
        """Record the release elsewhere before it is put in place; forget it where the block raises."""
        yield

    @abstractmethod
    def summary(self, release: Release) -> tuple[str, ...]:
        """The release in a few words each, for its representation."""

    def figures(self, release: Release) -> str | None:  # noqa: ARG002
        """The key figures as HTML, for a notebook; None where there are none."""
        return None


@dataclass(frozen=True, repr=False)
class Written:
    """A release as verification finds it.

    ``model_entries`` are the models asked of it; ``private_statement`` is what the evidence kept of the transformation
    (`DrawnRows.private_statement`), if it is there; ``directory`` is where files beside the rows lie."""

    manifest: Manifest
    rows: Table
    model_entries: Sequence[Json]
    private_statement: Json | None = None
    directory: Path | None = None

    @property
    def statement(self) -> Json:
        """What the transformation said of itself."""
        return dict(self.manifest.transformation or {})


def load(name: str) -> Any:
    """What "module:name" names, imported now."""
    module, _, attribute = name.partition(":")
    return getattr(import_module(module), attribute)
