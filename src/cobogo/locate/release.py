"""Points as a release: protected reports, anonymous trajectories and made-up trips."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from cobogo.data.engines.engine import connect
from cobogo.data.policy import Data, Role
from cobogo.data.table.read import Table, read
from cobogo.errors import VerificationFailed
from cobogo.floor.language import tr
from cobogo.locate.places.points import Points
from cobogo.promises.models.differential_privacy import DifferentialPrivacy
from cobogo.promises.models.promise import Promise, parameters
from cobogo.release.contract import OUR_FAULT, CheckResult, Json, Meaning, Origin, ReadBack, Release, Written
from cobogo.release.drawn import DrawnRows, Story

ROLES = {"user": Role.IDENTIFIER, "time": Role.SENSITIVE, "lon": Role.SENSITIVE, "lat": Role.SENSITIVE}
"""The roles of the columns of points."""


@dataclass(frozen=True, eq=False, repr=False)
class ReleasedPoints(DrawnRows):
    """Points to be released, and what the manifest, the dictionary and the report say of them. Each kind is a
    subclass."""

    points: Points  # user: a random number in place of a name
    texts: Mapping[str, str]  # what each column means
    promises: Sequence[Promise]
    manifest_entry: Mapping[str, Any]  # in the manifest: how it was made
    dictionary_text: str  # in the dictionary
    report: Mapping[str, Any]  # in the evidence: what it cost

    whose: ClassVar[str]  # what the column of numbers is called
    reporter: ClassVar[str] = "cobogo.locate.release:write_report"
    remedy: ClassVar[str] = OUR_FAULT
    new_columns: ClassVar[bool] = True

    def columns(self, kept: Sequence[str]) -> tuple[str, ...]:  # noqa: ARG002
        """The columns of person, time and place that are released."""
        return tuple(name for name in (self.whose, "time", "lon", "lat") if name in self.texts)

    def batches(self, table: Table, columns: Sequence[str]) -> Iterator[Any]:  # noqa: ARG002
        """All points in one batch."""
        import pyarrow as pa
        import pyarrow.compute as pc

        points = self.points
        found: dict[str, Any] = {"lon": pa.array(points.lon), "lat": pa.array(points.lat)}
        if points.user is not None:
            found[self.whose] = pa.array(points.user)
        if points.time is not None:
            seconds = pa.array(np.round(points.time).astype("datetime64[s]"))
            found["time"] = pc.strftime(seconds, "%Y-%m-%d %H:%M:%S")
        yield pa.RecordBatch.from_arrays([found[name] for name in columns], names=list(columns))

    @property
    def meanings(self) -> Mapping[str, Meaning]:
        """What each column means: no position is one that was collected."""
        return {name: Meaning(text) for name, text in self.texts.items()}

    def statement(self) -> Json:
        """How it was made."""
        return dict(self.manifest_entry)

    def explanation(self) -> str:
        """How it was made, in words."""
        return self.dictionary_text

    @property
    def model_entries(self) -> tuple[Json, ...]:
        """The promises."""
        return tuple(parameters(promise) for promise in self.promises)

    def story(self, before: Table, after: Table, say: Any) -> Story:  # noqa: ARG002
        """The report of what it cost; there is no page."""
        return Story(self.report, self.kind)


def release_of(made: ReleasedPoints, original: Points, source: str) -> Release:
    """A release, not yet written, of points that were made from an original at ``source``."""
    return Release(Origin(source, ROLES), original_table(original.to_arrow(), source), made)


def original_table(rows: Any, source: str) -> Table:
    """An Arrow table as the original of a release."""
    return replace(read(rows, Data(), connect()), name=source)


def write_report(release: Release, read_back: ReadBack, evidence: Path) -> None:  # noqa: ARG001
    """Write ``report.json``: what the release cost."""
    assert isinstance(release.transformation, ReleasedPoints)
    write_json(release.transformation.report, evidence / "report.json", indent=1)


def write_json(content: Mapping[str, Any], path: Path, *, indent: int | None = None) -> None:
    """Write a JSON file that anyone can read."""
    text = json.dumps(dict(content), indent=indent, ensure_ascii=False, allow_nan=False)
    path.write_text(text + "\n", encoding="utf-8", newline="\n")


def read_released(written: Written, whose: str) -> Points:
    """The released points, as a recipient reads them."""
    table = written.rows.engine.fetch(written.rows.expression)
    known = whose if whose in table.column_names else None
    return Points.from_arrow(table, where="release.csv", user=known, lon="lon", lat="lat")


def read_beside(written: Written, name: str) -> Any:
    """A JSON file that is published beside the rows."""
    if written.directory is None:
        raise VerificationFailed(
            tr("the file is not beside the released rows"), where=name, remedy=tr("Verify the whole release.")
        )
    try:
        return json.loads((written.directory / name).read_bytes())
    except (OSError, ValueError):
        raise VerificationFailed(
            tr("the file is damaged"), where=name, remedy=tr("Get the release again from the data holder.")
        ) from None


def judge_privacy(written: Written, spent: Fraction, problems: Sequence[str], trust: str) -> CheckResult:
    """The verdict on differential privacy that a manifest states, where its parts cost so much ε together; with the
    problems that were found before, and what must be trusted."""
    found, verdicts = list(problems), []
    for entry in written.model_entries:
        if entry.get("model") != DifferentialPrivacy.name:
            found.append(
                tr(
                    "the manifest states {model}, which differential privacy does not give",
                    model=str(entry.get("model")),
                )
            )
        else:
            wanted = DifferentialPrivacy(float(entry["epsilon"]), float(entry.get("delta", 0)))
            verdicts.append(wanted.verdict(float(spent), 0.0))
    if not verdicts:
        found.append(tr("the manifest states no guarantee"))
    return CheckResult(tuple(verdicts), tuple(found), (trust,))
