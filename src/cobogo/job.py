"""The main job: a policy in, a verified release out. Reads as the list of its stages."""

from __future__ import annotations

import hashlib
import hmac
import json
import secrets
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from cobogo import metrics, models
from cobogo.errors import DataError, OutputError, PolicyError, UnfitValues, VerificationFailed
from cobogo.hierarchy import SUPPRESSED, Hierarchy
from cobogo.models.base import parameters
from cobogo.models.check import check
from cobogo.policy import Policy, Role
from cobogo.recode.plan import plan
from cobogo.recode.problem import Problem, level_range, records_allowed
from cobogo.recode.search import optimal
from cobogo.release import dictionary, manifest, place
from cobogo.release.manifest import Column, DataEntry, Manifest
from cobogo.release.release import Release
from cobogo.release.verify import EVIDENCE, Verdict, released_table
from cobogo.table.engine import Engine
from cobogo.table.frequency import FrequencyTable, frequency_table
from cobogo.table.read import Table, read

ALGORITHMS = {"optimal": optimal}

Progress = Callable[[str, int, int], None]
"""Told of a stage, how much of it is done and how much there is (0 where that is unknown)."""


def _silent(stage: str, done: int, total: int) -> None:
    """Progress for nobody."""


def anonymize(
    data: Any,
    policy: str | Path | Policy | Mapping[str, Any] | None = None,
    *,
    engine: str | None = None,
    progress: Progress = _silent,
) -> Release:
    """Find the best release that satisfies a policy. Writes nothing.

    ``anonymize(policy)`` reads the policy's own data; ``anonymize(data, policy)`` protects the data given: a path, or
    a frame of pandas, polars, Arrow or Ibis.
    """
    if policy is None:
        data, policy = None, data
    rules = policy if isinstance(policy, Policy) else _load(policy)
    wanted = models.build(rules.privacy.models, rules.sensitive, where=rules.name)
    metric = metrics.named(rules.recoding.metric, where=rules.name)
    algorithm = _algorithm(rules)
    seconds: dict[str, float] = {}

    start = time.perf_counter()
    progress("read", 0, 0)
    table = _open(data, rules, engine)
    _check_roles(rules, table)
    counted = frequency_table(table, rules.quasi_identifiers, rules.sensitive)
    if not counted.records:
        raise DataError("has no records", where=table.name, remedy="There is nothing to release.")
    warnings = _check_unique(rules, table, counted.records)
    hierarchies = tuple(_hierarchy(name, rules, table, counted) for name in rules.quasi_identifiers)
    seconds["read"] = time.perf_counter() - start

    start = time.perf_counter()
    attributes = [rules.attributes[name] for name in rules.quasi_identifiers]
    lowest, highest = level_range(hierarchies, [a.min_level for a in attributes], [a.max_level for a in attributes])
    problem = Problem(
        table=counted,
        hierarchies=hierarchies,
        models=wanted,
        metric=metric,
        limit=records_allowed(rules.recoding.suppression_limit, counted.records),
        lowest=lowest,
        highest=highest,
        weights=tuple(a.weight for a in attributes),
    )
    solution = algorithm(
        problem,
        time_limit=rules.recoding.time_limit,
        progress=lambda done, total: progress("search", done, total),
    )
    planned = plan(problem, solution, star=rules.output.suppressed == "star")
    seconds["search"] = time.perf_counter() - start
    return Release(rules, table, problem, solution, planned, (*warnings, *planned.warnings), seconds)


def write(release: Release, directory: Path, *, progress: Progress = _silent) -> Verdict:
    """Write a release under a temporary name, read it back, verify it, add the report, put it in place at once."""
    from cobogo.report.story import tell
    from cobogo.report.write import write as write_report

    with place.staged(directory, replaceable=is_output) as stage:
        public, evidence = stage / "public", stage / "evidence"
        public.mkdir()
        evidence.mkdir()
        progress("write", 0, 0)
        with release.timed("write"):
            file = _write_rows(release, public)
        progress("verify", 0, 0)
        with release.timed("verify"):
            draft = _manifest(release, file)
            released = released_table(file, draft, release.problem.table.quasi_identifiers, release.policy.sensitive)
            verdicts = check(release.problem.models, released.classes())
            _refuse_unless_as_planned(release, released, verdicts)
        settled = [verdict.as_dict() for verdict in verdicts]
        text = dictionary.render(draft.columns, settled, star=release.plan.star)
        (public / "dictionary.md").write_text(text, encoding="utf-8", newline="\n")
        signed = draft.model_copy(
            update={"models": tuple(settled), "files": manifest.hashes(public, [file, public / "dictionary.md"])}
        )
        signed.write(public)
        progress("report", 0, 0)
        write_report(tell(release, released, verdicts), evidence, language=release.policy.report.language)
        _write_evidence(release, public, evidence)
        verdict = Verdict(verdicts, (), released.records, len(released.counts))
    return verdict


def is_output(directory: Path) -> bool:
    """Whether a directory is an earlier output, which a new one may replace."""
    names = {entry.name for entry in directory.iterdir()}
    return names <= {"public", "evidence"} and (directory / "public" / manifest.NAME).is_file()


def _load(policy: str | Path | Mapping[str, Any]) -> Policy:
    return Policy.of(policy) if isinstance(policy, Mapping) else Policy.load(policy)


def _algorithm(policy: Policy) -> Any:
    name = policy.recoding.algorithm
    if name not in ALGORITHMS:
        raise PolicyError(
            f"there is no algorithm {name!r}",
            where=f"{policy.name}, recoding.algorithm",
            remedy=f"Known: {', '.join(ALGORITHMS)}.",
        )
    return ALGORITHMS[name]


def _open(data: Any, policy: Policy, engine: str | None) -> Table:
    if data is not None:
        return read(data, policy.data, Engine.connect(engine))
    if policy.data.path is None:
        raise PolicyError("names no data", where=f"{policy.name}, data.path", remedy="Give a path, or pass the data.")
    return read(policy.resolve(policy.data.path), policy.data, Engine.connect(engine))


def _check_roles(policy: Policy, table: Table) -> None:
    """Every column has a role and every role a column."""
    without = [name for name in table.columns if name not in policy.attributes]
    if without:
        hint = ""
        if len(table.columns) == 1 and len(policy.attributes) > 1:
            hint = f' The file seems to have one column only: is the separator really "{policy.data.separator}"?'
        raise PolicyError(
            f"the column {_quoted(without)} of the data has no role" if len(without) == 1
            else f"the columns {_quoted(without)} of the data have no role",
            where=f"{policy.name}, attributes",
            remedy=f"Give each one of: {', '.join(Role)}." + hint,
        )  # fmt: skip
    absent = [name for name in policy.attributes if name not in table.columns]
    if absent:
        raise PolicyError(
            f"{_quoted(absent)} {'is' if len(absent) == 1 else 'are'} not in the data",
            where=f"{policy.name}, attributes",
            remedy=f"The columns of {table.name} are: {_quoted(table.columns)}.",
        )
    if not policy.quasi_identifiers:
        raise PolicyError(
            "there is no quasi-identifier, so there is nothing to recode",
            where=f"{policy.name}, attributes",
            remedy='Give the columns that others may know about a person the role "quasi-identifier".',
        )


def _quoted(names: Any) -> str:
    shown = [f'"{name}"' for name in names]
    return ", ".join(shown[:10]) + (f" and {len(shown) - 10} more" if len(shown) > 10 else "")


def _check_unique(policy: Policy, table: Table, records: int) -> tuple[str, ...]:
    """Refuse non-sensitive columns that single out most records: they are identifiers by another name."""
    warnings = []
    for name in policy.with_role(Role.NON_SENSITIVE):
        if policy.attributes[name].publish_unique:
            continue
        unique = table.values_that_occur_once(name)
        if 2 * unique <= records:
            continue
        what = f'the non-sensitive column "{name}" is unique in {unique:,} of {records:,} records'
        if records >= 100:
            raise PolicyError(
                what + ": it singles people out",
                where=f"{policy.name}, attributes.{name}",
                remedy='Make it an identifier (it is then left out) or a quasi-identifier, or say "publish-unique = true".',
            )
        warnings.append(what)
    return tuple(warnings)


def _hierarchy(name: str, policy: Policy, table: Table, counted: FrequencyTable) -> Hierarchy:
    """Build an attribute's hierarchy; where values do not fit, say how many records hold them and the first row."""
    from cobogo.hierarchy.build import build

    attribute = policy.attributes[name]
    where = f'{policy.name}, attribute "{name}"'
    try:
        hierarchy = build(name, attribute.hierarchy, counted.values[name], policy=policy)
    except UnfitValues as error:
        raise _located(error, name, where, table, counted) from None
    if attribute.min_level > hierarchy.height:
        raise PolicyError(
            f"min-level is {attribute.min_level}, and the hierarchy's highest level is {hierarchy.height}", where=where
        )
    return hierarchy


def _located(error: UnfitValues, name: str, where: str, table: Table, counted: FrequencyTable) -> UnfitValues:
    index = {label: code for code, label in enumerate(counted.values[name])}
    marginal = counted.marginal(counted.quasi_identifiers.index(name))
    records = sum(int(marginal[index[value]]) for value in error.values)
    first = next(value for value in error.values if value is not None)
    row, _ = table.first_row(name, first)
    noun = "record" if records == 1 else "records"
    return UnfitValues(
        f'{error.what.rstrip(".")} ({records:,} {noun}; first "{first}" in row {row:,} of {table.name})',
        error.values,
        where=where,
        remedy=error.remedy,
    )


def _write_rows(release: Release, public: Path) -> Path:
    import duckdb

    engine, rows = release.table.engine, release.rows()
    file = public / f"release.{release.policy.output.format}"
    try:
        if release.policy.output.format == "parquet":
            engine.write_parquet(rows, file)
        else:
            engine.write_csv(rows, file, separator=release.policy.data.separator)
    except (duckdb.IOException, duckdb.OutOfMemoryException) as error:
        raise OutputError(
            f"cannot be written: {str(error).splitlines()[0]}", where="the release", remedy="Is the disk full?"
        ) from None
    return file


def _manifest(release: Release, file: Path) -> Manifest:
    tops = {h.attribute: h.labels[level] == (SUPPRESSED,) for h, level in zip(release.problem.hierarchies, release.solution.levels, strict=True)}
    columns = []
    for name in release.columns:
        attribute = release.policy.attributes[name]
        text = dictionary.meaning(attribute, release.levels.get(name, 0), top=tops.get(name, False))
        columns.append(Column(name=name, role=attribute.role, meaning=text))
    return Manifest(
        format="cobogo-release/1",
        data=DataEntry(
            file=file.name,
            format=release.policy.output.format,
            separator=release.policy.data.separator,
            records=release.plan.records,
        ),
        columns=tuple(columns),
        models=(),
        files={},
    )


def _refuse_unless_as_planned(release: Release, released: FrequencyTable, verdicts: tuple[Any, ...]) -> None:
    """The file must satisfy every model, and hold what the plan says: no row lost or merged on the way to disk."""
    failed = [verdict for verdict in verdicts if not verdict.satisfied]
    if failed:
        first = failed[0]
        raise VerificationFailed(
            f"the release does not satisfy {first.model}: measured {first.measured:g}",
            remedy="Nothing was left in place. This is a fault of Cobogó: please report it.",
        )
    if (released.records, len(released.counts)) != (release.plan.records, release.plan.classes):
        raise VerificationFailed(
            f"the file holds {released.records:,} records in {len(released.counts):,} classes; the plan has "
            f"{release.plan.records:,} in {release.plan.classes:,}",
            remedy="Nothing was left in place. This is a fault of Cobogó: please report it.",
        )


def _write_evidence(release: Release, public: Path, evidence: Path) -> None:
    """What only the data holder may see, with the hashes of everything that was written."""
    key = secrets.token_bytes(32)
    files = [file for file in evidence.rglob("*") if file.is_file()]
    content = {
        "note": "Stays with the data holder: with the report beside it, it tells what the original data looked like.",
        "manifest-sha256": manifest.sha256(public / manifest.NAME),
        "input": {"key": key.hex(), "digest": _digest(key, release.problem.table), "records": release.problem.scale.records},
        "policy": release.policy.model_dump(mode="json", by_alias=True, exclude_none=True),
        "models": [parameters(model) for model in release.problem.models],
        "levels": release.levels,
        "files": {name: entry.model_dump() for name, entry in manifest.hashes(evidence, files).items()},
    }
    text = json.dumps(content, ensure_ascii=False, indent=1, allow_nan=False)
    (evidence / EVIDENCE).write_text(text + "\n", encoding="utf-8", newline="\n")


def _digest(key: bytes, table: FrequencyTable) -> str:
    """A keyed digest of the input's counts: the same for the same data in any row order, useless without the key."""
    digest = hmac.new(key, digestmod=hashlib.sha256)
    digest.update(json.dumps([list(table.quasi_identifiers), {k: list(v) for k, v in table.values.items()}]).encode())
    digest.update(table.codes.tobytes())
    digest.update(table.counts.tobytes())
    for histogram in table.histograms.values():
        for array in (histogram.offsets, histogram.values, histogram.counts):
            digest.update(array.tobytes())
    return digest.hexdigest()
