"""The contract of a release: whatever is done to a table, a recoding as well as noise, is a `Transformation`.

It says what tables are released, what each column means, what is promised, how that is checked from what was read back
and what its report tells. A `Release` carries it beside the table and how it is to be written;
`cobogo.release.write.write_release` writes any of them.

To add a kind of release: a class that extends `Transformation` (or `DrawnRows`, where rows are drawn once), a function
that checks what was written, one line in `cobogo.release.verify.CHECKS`, and a function that makes the transformation
of a policy and a table.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

from cobogo.data.engines.engine import Engine, Expression
from cobogo.data.policy import Data, Output, Policy, Role
from cobogo.data.table.frames import Categories, FrameKind, give_back, plain_pandas
from cobogo.data.table.read import Table
from cobogo.errors import CobogoError, OutputError
from cobogo.floor.language import Text, join, tr, trn
from cobogo.floor.progress import Progress, Stopwatch, show_in_notebook
from cobogo.floor.representation import brief, table
from cobogo.floor.urls import remote_url
from cobogo.promises.models.check import ModelVerdict
from cobogo.release.manifest import Manifest

Json = dict[str, Any]

ENTROPY, SEED = "operating system", "seed"
"""What a transformation whose privacy rests on chance states as its ``entropy``."""

SEEDED = tr("the noise was drawn from a seed: an attacker who knows or guesses the seed can remove it")
"""What verification says of a release whose noise was drawn from a seed."""

ROWS = "release"
"""What the file of the released rows is called."""

OUR_FAULT = tr("Nothing was written. This is an error in Cobogó: please report it.")
"""The remedy where what was written is not what was planned."""


@dataclass(frozen=True)
class Meaning:
    """What a changed column's values mean to whoever receives them; ``truthful``: each is what was collected."""

    text: str
    truthful: bool = False


def problem_of(error: CobogoError) -> Text:
    """An error as a problem of a release: what is wrong and where."""
    what = error.what if error.where is None else tr("{where}: {what}", where=error.where, what=error.what)
    return join([what if what.endswith(".") else tr("{sentence}.", sentence=what), error.remedy or ""])


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
        marks = [f"{one.model} {_mark(one)}" for one in self.models]
        wrong = trn("{n:,} problem", "{n:,} problems", n=len(self.problems)) if self.problems else None
        return brief(self, "holds" if self else "does not hold", *marks, wrong)

    def _repr_html_(self) -> str:
        """The models and what was measured, for a notebook."""
        rows = [[str(one.model), _mark(one), str(one.as_dict()["measured"])] for one in self.models]
        return table(repr(self), [tr("model"), tr("holds"), tr("measured")], rows, [*self.problems, *self.notes])

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


def _mark(verdict: ModelVerdict) -> str:
    return "?" if verdict.undecided else "✓" if verdict.satisfied else "✗"


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
    def group_columns(self) -> tuple[str, ...]:
        """The columns that name a record's class where equal quasi-identifiers do not make one."""
        return ()

    @property
    def stars(self) -> bool:
        """Whether suppressed records may be released with ``*`` in every quasi-identifier."""
        return False

    def categories(self) -> Mapping[str, Categories]:
        """The recoded columns of categories, for frames."""
        return {}

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
    def record(
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

    @abstractmethod
    def figures(self, release: Release) -> str:
        """The key figures, or what the columns mean, as HTML for a notebook."""


@dataclass(frozen=True, eq=False, repr=False)
class Origin:
    """Where the records of a release come from, the role of each of their columns, and how the release is written.

    A policy says all of it; a release that is made without a policy names its source and the roles.
    """

    source: str
    roles: Mapping[str, Role]
    data: Data = field(default_factory=Data)
    output: Output = field(default_factory=Output)
    language: str = "en"
    policy: Policy | None = None

    @classmethod
    def from_policy(cls, policy: Policy, source: str) -> Origin:
        """What a policy says."""
        roles = {name: attribute.role for name, attribute in policy.attributes.items()}
        return cls(source, roles, policy.data, policy.output, policy.report.language, policy)


class Destination(NamedTuple):
    """Where a release goes: a directory of this machine and, where its public part is uploaded, a URL."""

    directory: Path
    url: str | None = None

    @classmethod
    def of(cls, out: str | Path, evidence: str | Path | None = None) -> Destination:
        """What was given as ``--out`` and ``--evidence``; a release to be uploaded stays here under its last name.

        >>> Destination.of("s3://bucket/health/release")
        Destination(directory=PosixPath('release'), url='s3://bucket/health/release')
        """
        url = remote_url(out)
        if url is not None:
            return cls(Path(evidence or url.rpartition("/")[2]), url)
        if evidence is not None:
            raise OutputError(
                tr("a release on this machine has its evidence beside it"),
                where="--evidence",
                remedy=tr("Leave it out, or give an address of object storage as --out."),
            )
        return cls(Path(out))


@dataclass(eq=False, repr=False)
class Release:
    """What `cobogo.anonymize`, `perturb`, `mask`, `synthesize` and the like return. Nothing has been written; rows are
    computed, or drawn, when they are first asked for.

    What only some kinds have is their transformation's, such as ``release.transformation.levels``.
    """

    origin: Origin
    table: Table  # the original
    transformation: Transformation
    warnings: tuple[str, ...] = ()
    seconds: dict[str, float] = field(default_factory=dict)

    def __repr__(self) -> str:
        return brief(self, *self.transformation.summary(self))

    def __reduce__(self) -> tuple[Any, ...]:
        """A pickle holds what is released, and nothing of the original."""
        from cobogo.release.pickled import pickle_release

        return pickle_release(self)

    def _repr_html_(self) -> str:
        """The report's figures, for a notebook; no value of the data."""
        return self.transformation.figures(self)

    @property
    def policy(self) -> Policy:
        """The policy that asked for it."""
        assert self.origin.policy is not None, "this release was made without a policy"
        return self.origin.policy

    @property
    def columns(self) -> tuple[str, ...]:
        """The released columns, in the order of the input: all but the identifiers."""
        roles = self.origin.roles
        return self.transformation.columns(
            [name for name in self.table.columns if roles.get(name) is not Role.IDENTIFIER]
        )

    @property
    def engine(self) -> Engine:
        """What writes it."""
        return self.transformation.engine(self)

    @property
    def records(self) -> int:
        """The number of records that it has."""
        return self.transformation.record_count(self)

    @cached_property
    def drawn_table(self) -> Table:
        """The released rows, drawn once."""
        return self.transformation.draw(self)

    def rows(self) -> Expression:
        """The released rows as an expression, in random order; sorted, where they are not about single people."""
        drawn, column = self.drawn_table.expression, self.transformation.sorted_by
        return self.engine.shuffle(drawn) if column is None else drawn.order_by(drawn[column].desc())

    def tables(self) -> Mapping[str, Expression]:
        """What is released, by the names of the files: mostly one table of rows."""
        return self.transformation.tables(self)

    def to_frame(self) -> Any:
        """The released rows as a frame like the one that came, with categories for recoded columns and intervals for
        numbers; a pandas frame where the data were a file."""
        return give_back(self.to_arrow(), self.table.frame or FrameKind(), self.transformation.categories())

    def to_pandas(self) -> Any:
        """The released rows as a pandas frame."""
        return plain_pandas(self.to_arrow())

    def to_polars(self) -> Any:
        """The released rows as a polars frame (polars must be installed)."""
        return self.rows().to_polars()

    def to_arrow(self) -> Any:
        """The released rows as an Arrow table."""
        return self.rows().to_pyarrow()

    def write(self, directory: str | Path, *, evidence: str | Path | None = None) -> Verdict:
        """Write the release and its evidence, verify it from what was written, and put it in place at once.

        Where ``directory`` is in object storage, only the public part goes there. The whole release stays on this
        machine, in the directory ``evidence``. Returns the `Verdict`. Raises, leaving nothing behind, if the
        verification fails.
        """
        from cobogo.release.write import write_release

        return write_release(self, Destination.of(directory, evidence), progress=show_in_notebook)

    def time_stage(self, stage: str) -> Stopwatch:
        """Add what a block takes to the seconds of a stage."""
        return Stopwatch(self.seconds, stage)


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
