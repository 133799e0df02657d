"""A release in a pickle: what is released and what is said of it, and nothing of the original.

A pickle is copied and kept as a file is. So it holds the released rows, drawn once and for all, the manifest, and the
figures that the release shows of itself; what needs the original, above all writing and its evidence, is refused.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, ClassVar, NoReturn

from cobogo.data.engines.engine import Engine, Expression, connect
from cobogo.data.table.frames import Categories, FrameKind
from cobogo.data.table.read import Table
from cobogo.errors import OutputError
from cobogo.floor.language import tr
from cobogo.release.contract import ROWS, Json, Origin, ReadBack, Release, Transformation, Verdict
from cobogo.release.manifest import Manifest

FIGURES = ("levels", "suppressed", "metrics")
"""What a recoding says of itself, and a pickle keeps."""


@dataclass(frozen=True, eq=False, repr=False)
class Unpickled(Transformation):
    """The tables of a release as they were pickled."""

    original_kind: str
    arrow: Mapping[str, Any]  # the released tables, by the names of their files
    described: Manifest
    labels: Mapping[str, Categories]
    words: tuple[str, ...]
    html: str
    groups: tuple[str, ...]
    facts: Mapping[str, Any] = field(default_factory=dict)

    reporter: ClassVar[str] = ""

    @property
    def kind(self) -> str:  # type: ignore[override]
        """That of the release."""
        return self.original_kind

    @property
    def group_columns(self) -> tuple[str, ...]:
        """Those of the release."""
        return self.groups

    def columns(self, kept: Any) -> tuple[str, ...]:  # noqa: ARG002
        """Those of the rows."""
        return tuple(self.arrow[ROWS].column_names) if ROWS in self.arrow else ()

    def categories(self) -> Mapping[str, Categories]:
        """Those of the release."""
        return self.labels

    def draw(self, release: Release) -> Table:
        """The rows, in an engine of their own."""
        engine = connect()
        return replace(release.table, engine=engine, expression=engine.load_arrow(self.arrow[ROWS]))

    def engine(self, release: Release) -> Engine:
        """That of the rows."""
        return release.drawn_table.engine

    def record_count(self, release: Release) -> int:  # noqa: ARG002
        """The number of rows."""
        return self.described.data.records

    def tables(self, release: Release) -> Mapping[str, Expression]:
        """All of them."""
        return {name: release.engine.load_arrow(table) for name, table in self.arrow.items()}

    def manifest(self, release: Release, rows: Path | Table) -> Manifest:  # noqa: ARG002
        """What was said of the release."""
        return self.described

    def summary(self, release: Release) -> tuple[str, ...]:  # noqa: ARG002
        """What the release said of itself."""
        return self.words

    def figures(self, release: Release) -> str:  # noqa: ARG002
        """What the release showed of itself."""
        return self.html

    def read_back(self, release: Release, rows: Path | Table, public: Path) -> ReadBack:  # noqa: ARG002
        """Refused."""
        _refuse_writing()

    def evidence(self, release: Release, read: ReadBack) -> Json:  # noqa: ARG002
        """Refused."""
        _refuse_writing()


class UnpickledRelease(Release):
    """A release that was in a pickle: its rows and its figures. It cannot be written."""

    transformation: Unpickled

    @property
    def columns(self) -> tuple[str, ...]:
        """Those of the rows."""
        return self.transformation.columns(())

    def write(self, directory: str | Path, *, evidence: str | Path | None = None) -> Verdict:  # noqa: ARG002
        """Refused: the evidence needs the original."""
        _refuse_writing()


def _refuse_writing() -> NoReturn:
    raise OutputError(
        tr("this release was in a pickle, which holds nothing of the original, and its evidence needs it"),
        where="release.write",
        remedy=tr("Write the release before it is pickled: release.write(directory)."),
    )


def pickle_release(release: Release) -> tuple[Any, ...]:
    """How a release is pickled: the function that makes it again, and what it takes."""
    made = release.transformation
    if isinstance(made, Unpickled):
        kept = made
    else:
        arrow = {name: table.to_pyarrow() for name, table in release.tables().items()}
        kept = Unpickled(
            original_kind=made.kind,
            arrow=arrow,
            described=made.manifest(release, Path(ROWS)).model_copy(update={"trees": {}}),
            labels={name: _occurring(known, arrow, name) for name, known in made.categories().items()},
            words=tuple(map(str, made.summary(release))),
            html=made.figures(release),
            groups=made.group_columns,
            facts={name: getattr(release, name) for name in FIGURES if hasattr(release, name)},
        )
    table = release.table
    return _unpickle, (kept, release.origin, table.name, table.frame, release.warnings, release.seconds)


def _occurring(known: Categories, arrow: Mapping[str, Any], name: str) -> Categories:
    """The categories that occur in the rows: others would tell of records that were left out."""
    rows = arrow.get(ROWS)
    there = set(rows[name].to_pylist()) if rows is not None and name in rows.column_names else set()
    bounds = {label: ends for label, ends in known.bounds.items() if label in there}
    return Categories([label for label in known.order if label in there], bounds)


def _unpickle(
    kept: Unpickled,
    origin: Origin,
    name: str,
    frame: FrameKind | None,
    warnings: tuple[str, ...],
    seconds: dict[str, float],
) -> UnpickledRelease:
    none: Any = None  # there is no original
    release = UnpickledRelease(origin, Table(none, none, name, frame=frame), kept, warnings, seconds)
    vars(release).update(kept.facts)
    return release
