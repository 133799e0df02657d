"""``cobogo apply``: a registered solution, used again on new rows of the same shape."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from cobogo.data.hierarchy import Label
from cobogo.data.hierarchy.build import build
from cobogo.data.policy import Policy, Role
from cobogo.data.table.connect import connect
from cobogo.data.table.frequency import frequency_table
from cobogo.data.table.lookup import unused_names
from cobogo.data.table.read import Table, read
from cobogo.errors import NoSolution, UnfitValues, number_of
from cobogo.floor.urls import is_url
from cobogo.publish import anonymize as job
from cobogo.publish.recoded import telling
from cobogo.publish.registry.plans import Reuse
from cobogo.publish.registry.store import ReleaseRegistry
from cobogo.release.release import Release

ROUNDS = 20


def apply(
    registry: ReleaseRegistry, location: str, key: Path | None, identity: str, data: Any, *, engine: str | None = None
) -> Release:
    """The release that a registered solution makes of new rows; not written yet.

    What does not fit is left out: records with values that the hierarchies do not have, classes that fail a model, and
    records that would expose somebody together with an earlier release.
    """
    with registry.transaction() as book:
        entry = book.entry(identity)
    policy = _policy(entry.summary, location, key, identity, data)
    reuse = Reuse(entry.summary["plan"], identity)
    table = read(data, policy.data, connect(engine))
    with table.engine.guarded("reading and counting"):
        table, unfit = _drop_unfit_records(table, policy)
    warnings = []
    if unfit:
        warnings.append(f"{number_of(unfit, 'record')} hold values that the hierarchies do not have, and were left out")
    held = 0
    for _ in range(ROUNDS):
        release = job.solve(job.prepare(table, policy), algorithm=reuse)
        assert release.book is not None
        exposing = release.book.exposing(release)
        if not exposing:
            if held:
                warnings.append(f"{number_of(held, 'record')} held back, or earlier releases would expose people")
            release.warnings = (*release.warnings, *warnings)
            return release
        before = table.rows()
        table = _drop_records(table, telling(table, policy.data.unit), exposing)
        held += before - table.rows()
    raise NoSolution(
        f"what was done for {identity} exposes people together with earlier releases, whatever is held back",
        remedy="Anonymize the new rows with a policy of their own.",
    )


def _policy(summary: dict[str, Any], location: str, key: Path | None, identity: str, data: Any) -> Policy:
    """The recorded policy, with the registry where it was found and the data that it is applied to."""
    content = {name: part for name, part in summary["policy"].items() if name != "output"}
    content["registry"] = {
        **content["registry"],
        "path": location if is_url(location) else str(Path(location).absolute()),
    }
    if key is not None:
        content["registry"]["key"] = str(key.absolute())
    content["data"] = {k: v for k, v in content.get("data", {}).items() if k not in ("path", "table", "engine")}
    if isinstance(data, str | Path):
        content["data"]["path"] = str(Path(data).absolute())
    output = {k: v for k, v in summary["policy"].get("output", {}).items() if k in ("format", "suppressed")}
    content["output"] = output if output.get("format") != "table" else {**output, "format": "csv"}
    return Policy.of(content, home=summary["home"], name=f"the policy of {identity}")


def _drop_unfit_records(table: Table, policy: Policy) -> tuple[Table, int]:
    """The records whose values the hierarchies can place, and how many others there are."""
    before = table.rows()
    for name, attribute in policy.attributes.items():
        if name not in table.columns or attribute.hierarchy is None:
            continue
        if attribute.role in (Role.QUASI_IDENTIFIER, Role.SENSITIVE):
            values = list(frequency_table(table, [name], []).values[name])
            unfit = _unfit_values(name, values, policy)
            if unfit:
                table = _drop_records(table, table.text(name), unfit)
    return table, before - table.rows()


def _unfit_values(name: str, values: list[Label], policy: Policy) -> list[Label]:
    unfit: list[Label] = []
    while values:
        try:
            build(name, policy.attributes[name].hierarchy, values, policy=policy)
            break
        except UnfitValues as error:
            unfit += error.values
            values = [value for value in values if value not in set(error.values)]
    return unfit


def _drop_records(table: Table, text: Any, values: list[Label]) -> Table:
    import pyarrow as pa

    mark, key = unused_names(table.columns, 2)
    rows = table.expression.mutate(**{key: text})
    doomed = table.engine.lookup(pa.table({mark: pa.array(values, pa.string())}))
    kept = rows.anti_join(doomed, [table.engine.same(rows[key], doomed[mark])]).select(list(table.columns))
    return replace(table, expression=table.engine.kept(kept))
