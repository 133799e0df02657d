"""The job of any transformation: a policy in, a verified release out. Reads as the list of its stages."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from cobogo.data.policy import Policy, Role
from cobogo.data.schema.roles import check_roles
from cobogo.data.table.connect import connect
from cobogo.data.table.read import Table, open_source, read
from cobogo.data.table.spelling import normalized
from cobogo.errors import DataError, PolicyError, VerificationFailed
from cobogo.floor import place
from cobogo.floor.progress import Progress, silent
from cobogo.promises.models.check import ModelVerdict
from cobogo.publish.admission import check_unique
from cobogo.release import dictionary, kinds
from cobogo.release.contract import SEEDED, Transformation, Written
from cobogo.release.evidence import is_output, seal
from cobogo.release.manifest import Column, Manifest
from cobogo.release.readback import opened
from cobogo.release.transformed import Transformed
from cobogo.release.verdict import Verdict
from cobogo.release.write import OUR_FAULT, data_entry, written
from cobogo.release.write import seal as seal_public

Maker = Callable[[Policy, Table], Transformation]
"""Settles what is to be done to a table, by a policy: checks what can be checked, and draws nothing."""


def transform(
    data: Any,
    policy: Policy,
    make: Maker,
    *,
    engine: str | None = None,
    progress: Progress = silent,
    blind: bool = False,
) -> Transformed:
    """Read the data of a policy (or the ``data`` given, where that is not None) and settle its transformation.

    Draws nothing and writes nothing. ``blind``: no row is looked at, not even whether there are any, because what that
    tells is paid for when the rows are drawn.
    """
    if policy.registry is not None:
        raise PolicyError(
            "a registry keeps releases that are recodings, and this is none",
            where=f"{policy.name}, registry",
            remedy="Leave out [registry]: this release will not be checked against others.",
        )
    start = time.perf_counter()
    progress("read", 0, 0)
    if data is None:
        table = open_source(policy, engine)
    else:
        url = engine or (None if policy.data.engine is None else policy.located(policy.data.engine))
        table = read(data, policy.data, connect(url, writable=policy.output.format == "table"))
    with table.engine.guarded("reading and counting"):
        if blind or policy.sampling is not None:
            _refuse_normalizing(policy)
        table = normalized(table, policy)
        check_roles(policy, table, recoded=False)
        if policy.output.table is not None:
            table.engine.check_new_table(policy.output.table)
        warnings = () if blind else _seen(policy, table)
        made = make(policy, table)
    return Transformed(policy, table, made, (*warnings, *made.warnings), {"read": time.perf_counter() - start})


def _refuse_normalizing(policy: Policy) -> None:
    """The writing of most records is chosen by a look at them, which differential privacy does not account for."""
    for name, attribute in policy.attributes.items():
        if attribute.normalize:
            raise PolicyError(
                "normalize looks at how often each value occurs, which differential privacy would have to pay for",
                where=f"{policy.name}, attributes.{name}",
                remedy="Write its values alike before, and leave out normalize.",
            )


def _seen(policy: Policy, table: Table) -> tuple[str, ...]:
    """Refuse what cannot be released whatever is done to it; what the data holder should know of the rest."""
    records = table.rows()
    if not records:
        raise DataError("has no records", where=table.name, remedy="There is nothing to release.")
    return check_unique(policy, table, records)


def write(release: Transformed, directory: Path, *, progress: Progress = silent) -> Verdict:
    """Write a release under a temporary name, read it back, verify it, add the report, put it in place at once."""
    made = release.transformation
    with place.staged(directory, replaceable=is_output) as stage, ExitStack() as ending:
        public, evidence = stage / "public", stage / "evidence"
        public.mkdir()
        evidence.mkdir(mode=0o700)
        progress("write", 0, 0)
        records = release.records
        with release.timed("write"):
            rows = ending.enter_context(written(release, public))
        progress("verify", 0, 0)
        with release.timed("verify"):
            unsigned = draft(release, rows, records)
            after = opened(rows, unsigned)
            found = kinds.check(Written(unsigned, after, made.asked, made.kept()))
            if after.rows() != records:
                raise VerificationFailed(f"the file does not have the {records:,} records drawn", remedy=OUR_FAULT)
            for problem in found.problems:
                if problem != SEEDED:
                    raise VerificationFailed(problem, remedy=OUR_FAULT)
            for verdict in found.verdicts:
                if verdict.fails:
                    raise VerificationFailed(
                        f"the release does not satisfy {verdict.model}: measured {verdict.measured}",
                        remedy="Nothing was left in place. Ask for less, or let the retention be found.",
                    )
        measured = tuple(_stated(verdict) for verdict in found.verdicts if not verdict.undecided)
        order = "The order of the rows is random." if made.falling is None else f"Rows are sorted by `{made.falling}`."
        text = dictionary.render(unsigned.columns, measured, star=False, explained=made.explained(), order=order,
                                 drawn=dictionary.about_drawing(found.verdicts))  # fmt: skip
        seal_public(unsigned.model_copy(update={"models": measured}), text, public)
        progress("report", 0, 0)
        from cobogo.tell.report.transformed import write_report

        with release.timed("report"):
            write_report(release, after, found, evidence)
        content = {"transformation": made.kept(), "input": {"records": release.table.rows()}}
        seal(content, release.policy, release.table.engine.url, public, evidence)
    return Verdict(found.verdicts, found.problems, records, None, found.notes)


def _stated(verdict: ModelVerdict) -> dict[str, Any]:
    """A promise as the manifest states it: without its figure, where that tells of the original's distribution."""
    entry = verdict.as_dict()
    return entry if verdict.model.follows_from_release else {k: v for k, v in entry.items() if k != "measured"}


def draft(release: Transformed, rows: Path | Table, records: int) -> Manifest:
    """The manifest, before anything was measured."""
    made = release.transformation
    columns = []
    for name in release.columns:
        known = release.policy.attributes.get(name)
        added = known is None or known.role is Role.IDENTIFIER  # nothing of an identifier is left but its name
        role = Role.NON_SENSITIVE if known is None or added else known.role
        changed = made.meanings.get(name)
        text, truthful = ("as collected", True) if changed is None else (changed.text, changed.truthful)
        columns.append(Column(name=name, role=role, meaning=text, truthful=truthful, added=added))
    return Manifest(
        format="cobogo-release/1",
        kind=made.kind,
        data=data_entry(release.policy, rows, records),
        columns=tuple(columns),
        models=(),
        files={},
        transformation=made.stated(),
    )
