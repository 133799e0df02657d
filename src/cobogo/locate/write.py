"""Points as a release: ``public/`` may leave the house, ``evidence/`` stays. Read back and verified, all or nothing."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from cobogo.data.policy import Policy, Role
from cobogo.errors import VerificationFailed
from cobogo.floor.files import staged_directory
from cobogo.floor.randomness import keys
from cobogo.locate.places.points import Points
from cobogo.promises.models.promise import Promise, parameters
from cobogo.release import dictionary, kinds
from cobogo.release.contract import Written
from cobogo.release.evidence import is_output, seal
from cobogo.release.manifest import Column, DataEntry, Manifest
from cobogo.release.readback import opened
from cobogo.release.verdict import Verdict
from cobogo.release.write import OUR_FAULT
from cobogo.release.write import seal as seal_public

ROWS = "release.csv"


@dataclass(frozen=True, eq=False, repr=False)
class Package:
    """What goes into a release of points, and what stays."""

    kind: str  # who verifies it: `cobogo.release.kinds`
    points: Points  # user: a number that is nobody's name
    whose: str  # what the column of numbers is called
    meanings: Mapping[str, str]
    promises: Sequence[Promise]
    stated: Mapping[str, Any]  # in the manifest: how it was made
    explained: str  # in the dictionary
    report: Mapping[str, Any]  # in the evidence: what it cost
    kept: Mapping[str, Any] = field(default_factory=dict)
    truthful: bool = False


def write(package: Package, directory: Path, *, source: str, records: int) -> Verdict:
    """Write under a temporary name, read it back, verify it, and put it in place at once."""
    with staged_directory(directory, replaceable=is_output) as stage:
        public, evidence = stage / "public", stage / "evidence"
        public.mkdir()
        evidence.mkdir(mode=0o700)
        _write_rows(package, public / ROWS)
        unsigned = _draft(package)
        after = opened(public / ROWS, unsigned)
        asked = [parameters(promise) for promise in package.promises]
        found = kinds.check(Written(unsigned, after, asked, dict(package.kept), public))
        if found.problems or after.rows() != len(package.points):
            raise VerificationFailed("; ".join(found.problems) or "rows were lost in writing", remedy=OUR_FAULT)
        for verdict in found.verdicts:
            if not verdict.satisfied:
                raise VerificationFailed(f"{verdict.model} does not hold", remedy=OUR_FAULT)
        measured = tuple(verdict.as_dict() for verdict in found.verdicts)
        text = dictionary.render(
            unsigned.columns,
            measured,
            star=False,
            drawn=dictionary.about_drawing(found.verdicts),
            explained=package.explained,
        )
        seal_public(unsigned.model_copy(update={"models": measured}), text, public)
        report = json.dumps(dict(package.report), indent=1, ensure_ascii=False, allow_nan=False)
        (evidence / "report.json").write_text(report + "\n", encoding="utf-8", newline="\n")
        content = {"transformation": dict(package.kept), "input": {"records": records}}
        seal(content, _policy(source), "", public, evidence)
    return Verdict(found.verdicts, found.problems, len(package.points), None, found.notes)


def read_released(written: Written, whose: str) -> Points:
    """The released points, as whoever receives them would read them."""
    table = written.rows.engine.fetch(written.rows.expression)
    known = whose if whose in table.column_names else None
    return Points.from_arrow(table, where=ROWS, user=known, lon="lon", lat="lat")


def _write_rows(package: Package, path: Path) -> None:
    """Rows in a random order: their order is no information of a release."""
    import pyarrow as pa
    import pyarrow.compute as pc
    import pyarrow.csv

    points = package.points.take(np.argsort(keys(len(package.points))))
    columns: dict[str, Any] = {} if points.user is None else {package.whose: pa.array(points.user)}
    if points.time is not None:
        seconds = pa.array(np.round(points.time).astype("datetime64[s]"))
        columns["time"] = pc.strftime(seconds, "%Y-%m-%d %H:%M:%S")
    table = pa.table({**columns, "lon": pa.array(points.lon), "lat": pa.array(points.lat)})
    pyarrow.csv.write_csv(table, path, pyarrow.csv.WriteOptions(quoting_style="none", quoting_header="none"))


def _draft(package: Package) -> Manifest:
    names = [name for name in (package.whose, "time", "lon", "lat") if name in package.meanings]
    columns = tuple(
        Column(
            name=name, role=Role.NON_SENSITIVE, meaning=package.meanings[name], truthful=package.truthful, added=True
        )
        for name in names
    )
    data = DataEntry(file=ROWS, format="csv", separator=",", records=len(package.points))
    return Manifest(
        format="cobogo-release/1",
        kind=package.kind,
        data=data,
        columns=columns,
        models=(),
        files={},
        transformation=dict(package.stated),
    )


def _policy(source: str) -> Policy:
    """What the evidence keeps of where the points came from."""
    roles = {"user": "identifier", "time": "sensitive", "lon": "sensitive", "lat": "sensitive"}
    attributes = {name: {"role": role} for name, role in roles.items()}
    return Policy.of({"data": {"path": source}, "attributes": attributes})
