"""Writing a release's public part, and refusing it unless what was written is what was planned."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Protocol

from cobogo.data.classes import Classes
from cobogo.data.hierarchy import SUPPRESSED, Label
from cobogo.data.policy import MaskHierarchy, Policy, Role
from cobogo.data.table import formulas
from cobogo.data.table.engine import Engine, Expression
from cobogo.data.table.frequency import FrequencyTable
from cobogo.data.table.read import Table
from cobogo.errors import OutputError, VerificationFailed
from cobogo.promises.models.check import ModelVerdict
from cobogo.publish.recode.cells.recovery import recoverable
from cobogo.publish.recode.plan import BucketPlan, CondensedPlan, LocalPlan, MarginalPlan
from cobogo.publish.recode.withhold import follows, given_away
from cobogo.publish.result import ROWS, VALUES, Release
from cobogo.release import alone, dictionary, manifest
from cobogo.release.manifest import BucketEntry, Column, DataEntry, Manifest, MarginalEntry
from cobogo.release.reference import Reference, rows_of
from cobogo.release.shuffle import every_slice

OUR_FAULT = "Nothing was left in place. This is a fault of Cobogó: please report it."


class Writable(Protocol):
    """A release of any kind: the policy that asked for it, its rows, and the engine that they are in."""

    policy: Policy

    @property
    def engine(self) -> Engine:
        """What writes it."""

    def rows(self) -> Expression:
        """The released rows, in random order."""


@contextmanager
def written(release: Writable, public: Path, tables: Mapping[str, Expression] | None = None) -> Iterator[Path | Table]:
    """Write the released rows: a file, or a table that takes its name and place when the block ends well.

    ``tables`` are, by the names of their files, what is released if it is not the rows alone; the directory is given
    where these are not among them.
    """
    engine, output = release.engine, release.policy.output
    try:
        if output.table is not None:
            with engine.new_table(release.rows(), output.table) as table:
                yield Table(engine, table, output.table)
            return
        parts = {ROWS: release.rows()} if tables is None else tables
        for name, part in parts.items():
            target = public / f"{name}.{output.format}"
            if output.format == "parquet":
                engine.write_parquet(part, target)
            else:
                safe = formulas.neutralised(part) if output.formulas == "neutralised" else part
                engine.write_csv(safe, target, separator=release.policy.data.separator)
    except engine.failures as error:
        raise OutputError(
            f"{engine.name} cannot write the release: {type(error).__name__}",
            remedy="Is the disk full? May it write there?",
        ) from None
    yield public / f"{ROWS}.{output.format}" if ROWS in parts else public


def draft(release: Release, rows: Path | Table) -> Manifest:
    """The manifest, before anything was measured."""
    if isinstance(release.plan, MarginalPlan):
        return _draft_of_marginals(release, release.plan)
    columns = []
    buckets = None
    if isinstance(release.plan, BucketPlan):
        buckets, beside = _beside(release, release.plan)
        columns += beside
    if isinstance(release.plan, CondensedPlan):
        buckets = BucketEntry(group=release.plan.group, condensed=True)
        text = "the group: what the models are measured on"
        columns.append(Column(name=release.plan.group, role=Role.NON_SENSITIVE, meaning=text))
    for name in release.columns:
        if buckets is not None and name == buckets.group:
            continue
        attribute = release.policy.attributes[name]
        truthful = True
        if any(model.distorts and name in model.attributes for model in release.problem.promised):
            text, truthful = "distorted where a value was too frequent: not always what was collected", False
        elif name in release.plan.aggregated:
            text, truthful = dictionary.aggregated_meaning(release.plan.aggregated[name]), False
        elif name in release.plan.ranged:
            text = dictionary.RANGES
        elif release.plan.hides_identity and name in release.plan.attributes and name not in release.levels:
            whole = release.policy.recoding.kind == "value"
            text = dictionary.VALUES if whole else dictionary.local_meaning(attribute, alike=release.plan.alike)
        elif buckets is not None and buckets.slices:
            text, truthful = dictionary.sliced_meaning(buckets.beside(name)), False
        else:
            text = dictionary.meaning(attribute, release.levels.get(name, 0), top=_is_top(release, name))
        level, withheld = release.levels.get(name), name in release.plan.withheld
        text = dictionary.withheld_meaning(text) if withheld else text
        columns.append(
            Column(name=name, role=attribute.role, meaning=text, level=level, truthful=truthful, withheld=withheld)
        )
    return Manifest(
        format="cobogo-release/1",
        data=data_entry(release.policy, rows, release.plan.records, people=release.policy.data.unit is not None),
        columns=_in_order(release, columns),
        models=(),
        files={},
        buckets=buckets,
    )


def _draft_of_marginals(release: Release, plan: MarginalPlan) -> Manifest:
    policy, form, columns = release.policy, release.policy.output.format, []
    for number, marginal in enumerate(plan.margins.marginals, start=1):
        file = f"marginal-{number}.{form}"
        for name in marginal.attributes:
            attribute, level = policy.attributes[name], release.levels.get(name)
            text = dictionary.meaning(attribute, level or 0, top=_is_top(release, name))
            columns.append(Column(name=name, role=attribute.role, meaning=text, level=level, file=file))
        counted = "how many records have these values together"
        columns.append(Column(name=plan.count, role=Role.NON_SENSITIVE, meaning=counted, file=file))
    files = dict.fromkeys(column.file for column in columns if column.file is not None)
    return Manifest(
        format="cobogo-release/1",
        data=DataEntry(
            format=form,
            separator=policy.data.separator,
            records=plan.records,
            decimal=policy.data.decimal,
            formulas=policy.output.formulas,
        ),
        columns=tuple(columns),
        models=(),
        files={},
        marginals=tuple(MarginalEntry(file=file, count=plan.count) for file in files),
    )


def data_entry(policy: Policy, rows: Path | Table, records: int, *, people: bool = False) -> DataEntry:
    """What the manifest says of the written rows."""
    return DataEntry(
        file=rows.name if isinstance(rows, Path) else None,
        table=None if isinstance(rows, Path) else rows.name,
        sha256=None if isinstance(rows, Path) else rows.digest(policy.data.separator),
        format=policy.output.format,
        separator=policy.data.separator,
        records=records,
        people=people,
        decimal=policy.data.decimal,
        formulas=policy.output.formulas,
    )


def _beside(release: Release, plan: BucketPlan) -> tuple[BucketEntry, list[Column]]:
    """What the manifest says of buckets, and the columns that are there because of them."""
    if plan.slices:
        return _sliced(release, plan)
    file, attribute = f"{VALUES}.{release.policy.output.format}", plan.buckets.attribute
    other = Role.NON_SENSITIVE
    text = f"the bucket: it joins this table with {file}, which counts the sensitive values of each"
    meaning = dictionary.meaning(release.policy.attributes[attribute], 0, top=False)
    columns = [
        Column(name=plan.group, role=other, meaning=text),
        Column(name=plan.group, role=other, meaning="the bucket", file=file),
        Column(name=attribute, role=Role.SENSITIVE, meaning=meaning, file=file),
        Column(name=plan.count, role=other, meaning="how many records of the bucket have this value", file=file),
    ]
    return BucketEntry(file=file, group=plan.group, count=plan.count), columns


def _sliced(release: Release, plan: BucketPlan) -> tuple[BucketEntry, list[Column]]:
    """The same of slices."""
    slices = every_slice(release.columns, plan.group, plan.slices)
    text = "the bucket: within it each slice of columns was shuffled by itself"
    columns = [Column(name=plan.group, role=Role.NON_SENSITIVE, meaning=text)]
    return BucketEntry(group=plan.group, slices=tuple(map(tuple, slices))), columns


def _in_order(release: Release, columns: list[Column]) -> tuple[Column, ...]:
    """Those of the released table as it has them, then those of a file beside it."""
    place = {name: number for number, name in enumerate(release.columns)}
    own = sorted((column for column in columns if column.file is None), key=lambda column: place[column.name])
    return (*own, *(column for column in columns if column.file is not None))


def sign(
    unsigned: Manifest,
    release: Release,
    public: Path,
    released: FrequencyTable,
    reference: Reference,
    verdicts: tuple[ModelVerdict, ...],
) -> None:
    """Write the dictionary, and the manifest with what the released rows measure and the hashes of everything beside
    it."""
    explained = unsigned.model_copy(update={"trees": _trees(release, released)})
    measured = alone.stated(verdicts, released, explained, reference)
    star = release.policy.output.suppressed == "star"
    text = dictionary.render(unsigned.columns, measured, star=star)
    seal(explained.model_copy(update={"models": measured}), text, public)


def seal(unsigned: Manifest, explained: str, public: Path) -> None:
    """Write the dictionary of any release, and its manifest with the hashes of everything beside it."""
    if unsigned.data.formulas == "neutralised":
        explained += dictionary.NEUTRALISED
    (public / "dictionary.md").write_text(explained, encoding="utf-8", newline="\n")
    files = [public / name for name in manifest.contents(public)]
    unsigned.model_copy(update={"files": manifest.hashes(public, files)}).write(public)


def refuse_unless_as_planned(
    release: Release, released: FrequencyTable, classes: Classes, verdicts: tuple[ModelVerdict, ...]
) -> None:
    """The file must satisfy every model, and hold what the plan says: no row lost or merged on the way to disk."""
    for model in given_away(release.problem.models, classes) if release.plan.withheld else ():
        raise VerificationFailed(follows(model), remedy=OUR_FAULT)
    for verdict in verdicts:
        if not verdict.satisfied:
            raise VerificationFailed(
                f"the release does not satisfy {verdict.model}: measured {verdict.measured}", remedy=OUR_FAULT
            )
    found = (released.records, len(released.counts))
    planned = (release.plan.records, release.plan.classes)
    if found != planned:
        raise VerificationFailed(
            f"the file has {found[0]:,} records in {found[1]:,} classes; the plan, {planned[0]:,} in {planned[1]:,}",
            remedy=OUR_FAULT,
        )
    if isinstance(release.plan, MarginalPlan):
        expected = release.plan.margins.table(release.plan.records)
        if _as_counter(released) != _as_counter(expected):
            raise VerificationFailed("the files' cells are not those that were planned", remedy=OUR_FAULT)
    if isinstance(release.plan, LocalPlan):
        _refuse_unless_assigned(release.plan, released)
    if isinstance(release.plan, BucketPlan | CondensedPlan):
        if isinstance(release.plan, CondensedPlan):
            names, planned_sizes = release.plan.assignment.group_names, release.plan.assignment.sizes
        else:
            names, planned_sizes = release.plan.buckets.names, release.plan.buckets.sizes
        sizes = dict(zip(names.tolist(), planned_sizes.tolist(), strict=True))
        if {released.tuple_labels(n)[0]: count for n, count in enumerate(released.counts.tolist())} != sizes:
            raise VerificationFailed("the file's buckets are not those that were planned", remedy=OUR_FAULT)


def _as_counter(table: FrequencyTable) -> Counter[tuple[Label, ...]]:
    return Counter({table.tuple_labels(number): count for number, count in enumerate(table.counts.tolist())})


def _refuse_unless_assigned(plan: LocalPlan, released: FrequencyTable) -> None:
    """The file must hold the classes of the assignment, one by one; and every record's values must stand for its own.

    Rows carry nothing that tells whose they are. But the assignment gives every record of the original a class whose
    values are generalizations of its own, and the file has exactly those classes, of those sizes.
    """
    assignment = plan.assignment
    for fault in assignment.faults():
        raise VerificationFailed(fault, remedy=OUR_FAULT)
    if assignment.hides and recoverable(assignment):
        raise VerificationFailed("a suppressed cell can be told from the rest of the release", remedy=OUR_FAULT)
    expected = Counter({assignment.released(number): size for number, size in enumerate(assignment.sizes.tolist())})
    if plan.star:
        expected[(SUPPRESSED,) * len(plan.attributes)] += plan.suppressed_records
    found = {released.tuple_labels(number): count for number, count in enumerate(released.counts.tolist())}
    if found != dict(expected):
        raise VerificationFailed("the file's classes are not those that were planned", remedy=OUR_FAULT)


def _trees(release: Release, released: FrequencyTable) -> dict[str, list[list[Label]]]:
    """The hierarchies of sensitive attributes that a model looks at, for the released values alone."""
    trees = {}
    for name, domain in released.domains.items():
        tree = release.problem.table.domains[name].hierarchy
        if tree is not None and name in release.problem.histograms_needed:
            rows = rows_of(tree, domain.labels)
            masked = isinstance(release.policy.attributes[name].hierarchy, MaskHierarchy)
            trees[name] = _differing(rows) if masked else rows
    return trees


def _differing(levels: list[list[Label]]) -> list[list[Label]]:
    """Levels without those that are like the one below: the longest value, which may be suppressed, makes them."""
    return [level for number, level in enumerate(levels) if not number or level != levels[number - 1]]


def _is_top(release: Release, name: str) -> bool:
    """Whether a column's level is a single ``*``, by its hierarchy and whatever values the data have."""
    spec = release.policy.attributes[name].hierarchy
    if isinstance(spec, MaskHierarchy) and not spec.top:
        return False
    for hierarchy in release.problem.hierarchies:
        if hierarchy.attribute == name:
            return {*hierarchy.labels[release.levels.get(name, 0)], None} == {SUPPRESSED, None}
    return False
