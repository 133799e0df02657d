"""A case: the releases that are attacked, and what the attacker has besides them, such as answers to queries."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from cobogo.data.classes import parse_number
from cobogo.data.engines.engine import Engine, connect
from cobogo.data.files.settle import reading_options
from cobogo.data.policy import Data, Policy, Role
from cobogo.data.table.read import read
from cobogo.errors import DataError, OutputError, PolicyError
from cobogo.examine.attacks.rows import Rows
from cobogo.floor.arrays import Ints, Mask, Texts
from cobogo.floor.language import tr
from cobogo.release import manifest as manifests
from cobogo.release.contract import Release
from cobogo.release.evidence import NAME as EVIDENCE
from cobogo.release.manifest import RECODING, Manifest

_WHOLE = re.compile(r"\s*(count|sum\s+(?P<column>.+?))\s*(\bwhere\b(?P<where>.*))?", re.IGNORECASE | re.DOTALL)
_TERM = re.compile(r"\s*(?P<column>.+?)\s*(?P<sign>!=|<=|>=|=|<|>)\s*(?P<value>.*?)\s*", re.DOTALL)


@dataclass(frozen=True)
class Term:
    """A condition on one column."""

    column: str
    sign: str
    value: str

    def holds(self, rows: Rows) -> Mask:
        """Which rows satisfy the condition; NULL satisfies only ``!=``."""
        codes, labels = rows.columns[self.column]
        if self.sign in ("=", "!="):
            fits = np.array([(label == self.value) == (self.sign == "=") for label in labels], dtype=np.bool_)
            return np.append(fits, False)[codes]
        known = np.array([parse_number(label, ".") for label in labels] + [np.nan])
        bound = parse_number(self.value, ".")
        compared: dict[str, NDArray[np.bool_]] = {
            "<": known < bound, "<=": known <= bound, ">": known > bound, ">=": known >= bound
        }  # fmt: skip
        return compared[self.sign][codes]


@dataclass(frozen=True)
class AnsweredQuery:
    """A count of rows, or a sum of a column over them: ``count where sex = F and age < 40``, ``sum salary``."""

    terms: tuple[Term, ...]
    column: str | None = None  # the column that is summed; None where rows are counted
    line: int = 0  # of the file

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that the query is about."""
        own = () if self.column is None else (self.column,)
        return (*(term.column for term in self.terms), *own)

    def selects(self, rows: Rows) -> Mask:
        """Which rows the query counts or sums."""
        chosen = np.ones(rows.count, dtype=np.bool_)
        for term in self.terms:
            chosen &= term.holds(rows)
        return chosen


FORM = tr("`count where COLUMN = VALUE and …` or `sum COLUMN where …`; the signs are = != < <= > >=")


def load_queries(source: str | Path | Sequence[str]) -> tuple[AnsweredQuery, ...]:
    """Parse queries, one a line, of a text file or of a list. Empty lines and comments (#) are skipped.

    >>> load_queries(["count where sex = F", "sum salary where sex = F and age >= 40"])[1].column
    'salary'
    """
    where = "queries"
    if isinstance(source, str | Path):
        where = str(source)
        try:
            source = Path(source).read_text(encoding="utf-8-sig").splitlines()
        except (OSError, UnicodeDecodeError):
            raise DataError(
                tr("cannot be read as a UTF-8 text file"),
                where=where,
                remedy=tr("Check the path and the encoding of the file."),
            ) from None
    found = [
        _parse_query(line, number, where)
        for number, line in enumerate(source, start=1)
        if line.strip() and not line.lstrip().startswith("#")
    ]
    if not found:
        raise DataError(tr("has no queries"), where=where, remedy=tr("Write one query a line: {form}.", form=FORM))
    return tuple(found)


def _parse_query(line: str, number: int, where: str) -> AnsweredQuery:
    whole = _WHOLE.fullmatch(line)
    terms = [] if whole is None or whole["where"] is None else re.split(r"\band\b", whole["where"], flags=re.IGNORECASE)
    parts = [_TERM.fullmatch(term) for term in terms]
    if whole is None or None in parts:
        raise DataError(
            tr("is not a query"),
            where=tr("{where}, line {number}", where=where, number=number),
            remedy=tr("Write one query a line: {form}.", form=FORM),
        )
    conditions = tuple(Term(part["column"], part["sign"], part["value"]) for part in parts if part is not None)
    return AnsweredQuery(conditions, whole["column"], number)


BUCKETS = "buckets"
AS_COLLECTED = "as collected"

AnyPolicy = str | Path | Policy | Mapping[str, Any]

T = TypeVar("T")


@dataclass(frozen=True, eq=False, repr=False)
class GroupMembers:
    """Who is in each group of a release of a series, by pseudonym: what only the evidence knows.

    Groups are numbered in the order of their names.
    """

    series: str
    owners: Ints  # the group of each of the people
    people: Texts


@dataclass(frozen=True, eq=False, repr=False)
class PublishedTable:
    """A released table and the roles of its columns.

    ``policy`` is the one that the release was made with, if it is known: its hierarchies say how values became coarser.
    """

    rows: Rows
    quasi_identifiers: tuple[str, ...]
    sensitive: tuple[str, ...]
    policy: Policy | None = None
    manifest: Manifest | None = None
    public: Path | None = None  # the directory of the manifest
    groups: tuple[str, ...] = ()  # columns that name a record's class, and say nothing about a person
    members: GroupMembers | None = None  # where the evidence of a release with groups is there
    _derived: dict[Hashable, Any] = field(default_factory=dict, init=False)  # a changed copy begins with none

    def derive(self, key: Hashable, compute: Callable[[], T]) -> T:
        """What several attacks need of this table, such as its links with a table of people: computed once, and
        remembered under a key as long as this table lives."""
        if key not in self._derived:
            self._derived[key] = compute()
        found: T = self._derived[key]
        return found

    @property
    def name(self) -> str:
        """What messages call it."""
        return self.rows.name

    @property
    def kind(self) -> str:
        """What was done to the table: "recoding" if nothing is known, "buckets", or one of `release.verify.CHECKS`."""
        if self.manifest is None:
            return RECODING
        return BUCKETS if self.manifest.buckets is not None else self.manifest.kind

    def is_as_collected(self, name: str) -> bool:
        """Whether the manifest says that a column holds the values that were collected."""
        columns = () if self.manifest is None else self.manifest.columns
        return any(
            column.name == name
            and column.truthful
            and (column.level == 0 or (column.level is None and column.meaning == AS_COLLECTED))
            for column in columns
        )


@dataclass(frozen=True, eq=False, repr=False)
class Case:
    """What an attack is run on. The parts that an attack does not need may be missing."""

    releases: tuple[PublishedTable, ...]
    knowledge: Rows | None = None  # about people that the attacker knows
    control: Rows | None = None  # about people who are not in the release
    queries: tuple[AnsweredQuery, ...] | None = None

    @property
    def release(self) -> PublishedTable:
        """The first release."""
        return self.releases[0]


def open_case(
    releases: Sequence[Any],
    *,
    knowledge: Any = None,
    control: Any = None,
    queries: str | Path | Sequence[str] | None = None,
    policy: AnyPolicy | None = None,
    separator: str | None = None,
    encoding: str | None = None,
) -> Case:
    """Open releases (directories, files, frames, `Release` objects), tables (files or frames) and queries.

    A policy gives the roles of the columns of plain files and the hierarchies; a release directory with its evidence
    holds both. ``separator`` and ``encoding`` are those of plain files; without a separator, the header is searched for
    one.
    """
    rules = None if policy is None else Policy.from_any(policy)
    read_as = _Reading(connect(), rules, separator, encoding)
    opened = tuple(_open_release(source, rules, read_as) for source in releases)
    known_by = next((one.policy for one in opened if one.policy is not None), None)
    table_as = replace(read_as, policy=rules or known_by)
    return Case(
        opened,
        None if knowledge is None else table_as.rows(knowledge),
        None if control is None else table_as.rows(control),
        None if queries is None else load_queries(queries),
    )


@dataclass(frozen=True)
class _Reading:
    """How plain files are read: in one engine, one after the other; no table stays in it."""

    engine: Engine
    policy: Policy | None
    separator: str | None
    encoding: str | None

    def rows(self, source: Any) -> Rows:
        options = reading_options(separator=self.separator, encoding=self.encoding)
        if self.policy is not None:
            own = self.policy.data
            if self._is_own(source):
                return self.all_rows(source, own)
            options = options.settle((), missing=own.missing, encoding=self.encoding or own.encoding, labels=own.labels)
        return self.all_rows(source, options)

    def _is_own(self, source: Any) -> bool:
        """Whether a table is the file that the policy is about: its sheet, range and so on are those of the policy."""
        if self.policy is None or not isinstance(source, str | Path):
            return False
        own = self.policy.data
        alike = self.separator in (None, own.separator) and self.encoding in (None, own.encoding)
        return alike and own.path is not None and Path(source).resolve() == self.policy.resolve(own.path).resolve()

    def all_rows(self, source: Any, data: Data) -> Rows:
        with self.engine.guard("reading"):
            rows = Rows.read(read(source, data, self.engine))
        if not rows.count:
            raise DataError(tr("has no rows"), where=rows.name, remedy=tr("Give a table that has rows."))
        return rows


def _open_release(source: Any, rules: Policy | None, read_as: _Reading) -> PublishedTable:
    if isinstance(source, Release) and source.transformation.kind == RECODING:
        rows = replace(read_as, policy=source.policy).rows(source.to_arrow())
        return replace(_assign_roles(rows, rules or source.policy), groups=source.transformation.group_columns)
    if isinstance(source, str | Path) and Path(source).is_dir():
        for public, evidence in ((Path(source) / "public", Path(source) / "evidence"), (Path(source), None)):
            if (public / manifests.NAME).is_file():
                return _open_signed_release(public, evidence, rules, read_as)
    rows = read_as.rows(source)
    if rules is None:
        return PublishedTable(rows, (), ())
    return _assign_roles(rows, rules)


def _assign_roles(rows: Rows, policy: Policy) -> PublishedTable:
    quasi = tuple(name for name in policy.quasi_identifiers if name in rows.columns)
    sensitive = tuple(name for name in policy.sensitive if name in rows.columns)
    if not quasi and not sensitive:
        raise DataError(
            tr("has none of the columns to which the policy gives a role"),
            where=rows.name,
            remedy=tr("The policy names: {attributes}.", attributes=", ".join(policy.attributes)),
        )
    return PublishedTable(rows, quasi, sensitive, policy)


def _open_signed_release(
    public: Path, evidence: Path | None, rules: Policy | None, read_as: _Reading
) -> PublishedTable:
    """Open a release directory whose files are those that the manifest signs; refuse any other."""
    manifest = manifests.load(public)
    problems = [manifest.contradiction] if manifest.contradiction else []
    problems += manifests.disagreements(public, manifest.files, also=[manifests.NAME])
    if problems:
        raise OutputError(
            tr("is not the release that was signed: {problem}", problem=problems[0]),
            where=str(public),
            remedy=tr("Check it with `cobogo verify`, or attack the file itself: give its path and --policy."),
        )
    if manifest.data.file is None:
        raise OutputError(
            tr("is a table of a database, whose rows are not numbered"),
            where=str(public),
            remedy=tr("Export the table to a file, and attack the file with --policy."),
        )
    rows = read_as.all_rows(public / manifest.data.file, manifest.data.reading)
    if rows.names != manifest.columns_in():
        raise OutputError(
            tr("has other columns than its manifest states"),
            where=rows.name,
            remedy=tr("Check the release with `cobogo verify`."),
        )
    policy = rules or (None if evidence is None else _load_policy(evidence))
    quasi, sensitive = manifest.with_role(Role.QUASI_IDENTIFIER), manifest.with_role(Role.SENSITIVE)
    groups = () if manifest.counterfeits is None else (manifest.counterfeits.group,)
    quasi = tuple(name for name in quasi if name not in groups)
    members = _load_members(evidence) if groups and evidence is not None else None
    return PublishedTable(rows, quasi, sensitive, policy, manifest, public, groups, members)


def _load_members(evidence: Path) -> GroupMembers | None:
    """The people of each class, as the evidence of a release of a series knows them; None where there is none."""
    try:
        kept = json.loads((evidence / EVIDENCE).read_bytes())
        known, key = kept["people"]["who"], str(kept["series"]["key"])
        names = np.array([*known["pseudonyms"], None], dtype=object)
        offsets: Ints = np.array(known["sets"]["offsets"], dtype=np.int64)
        owners = np.repeat(np.arange(len(offsets) - 1), offsets[1:] - offsets[:-1])
        return GroupMembers(key, owners, names[known["sets"]["values"]])
    except (OSError, ValueError, KeyError, TypeError, IndexError):
        return None


def _load_policy(evidence: Path) -> Policy | None:
    """The policy in the evidence; None where there is no evidence, or it was written without a policy."""
    file = evidence / EVIDENCE
    if not file.is_file():
        return None
    try:
        kept = json.loads(file.read_bytes())
        if "policy" not in kept and "roles" in kept:  # it was made without one
            return None
        return Policy.of(kept["policy"], home=kept["home"], name=f"evidence/{EVIDENCE}")
    except (OSError, ValueError, KeyError, TypeError, PolicyError):
        raise OutputError(tr("is damaged"), where=str(file), remedy=tr("Give the policy: --policy.")) from None
