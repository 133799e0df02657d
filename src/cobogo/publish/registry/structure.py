"""What the registry keeps of a release: its class structure, with a keyed digest in place of each record."""

from __future__ import annotations

import csv
import io
import json
import re
import unicodedata
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import blake2b
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cobogo.data.classes import Domain
from cobogo.data.hierarchy import Hierarchy, Label
from cobogo.data.table.columns import Coder, Column
from cobogo.data.table.frequency import number_tuples
from cobogo.examine.attacks.crossing import ClassStructure, Crossing, link_by_key
from cobogo.floor.arrays import Ints
from cobogo.publish.recoding import AnonymizedRelease
from cobogo.release.reference import domain_from_json, domain_to_json

Digests = NDArray[np.uint64]
Traced = dict[str, Column]
"""The rows of a release, column by column."""

SPREAD = np.uint64(0x9E3779B97F4A7C15)
"""The odd number nearest to 2⁶⁴ divided by the golden ratio: its multiples modulo 2⁶⁴ are far apart (Knuth's
multiplicative hashing), so that the digests of one person's rows differ in many bits."""


@dataclass(frozen=True, eq=False, repr=False)
class RecordedRelease:
    """A release's classes, and for each row a digest by which its record is recognized in another release.

    ``columns`` are the released columns with their roles; ``series`` is the state of the series that the release
    belongs to, if any. ``cells`` are digests, by column, of what identifies records: the unit, or every column that was
    read. Two releases are compared by the columns that both have, in any order and any spelling of values.
    """

    classes: ClassStructure
    records: Digests
    columns: Mapping[str, str]
    series: Mapping[str, Any] | None = None
    cells: Mapping[str, Digests] = field(default_factory=dict)

    def shares_series(self, later: RecordedRelease) -> bool:
        """Whether a later release continues the series of this one."""
        one, other = self.series, later.series
        return one is not None and other is not None and bool(one["key"] == other["key"])

    def cross(self, later: RecordedRelease) -> Crossing:
        """Cross this release with a later one, their rows linked by person."""
        one, other = (part.records for part in (self, later))
        if self.cells.keys() != later.cells.keys():
            one, other = (
                _number_records(who, part.classes.owners, list(part.classes.values.values()))
                for who, part in zip(self._person_digests(later), (self, later), strict=True)
            )
        return link_by_key(self.classes, later.classes, one, other)

    def cross_unchanged(self, later: RecordedRelease) -> Crossing:
        """Cross with a later release, but do not link rows whose sensitive values changed in between."""
        both = [name for name in self.classes.values if name in later.classes.values]
        return self._link(later, [np.concatenate(self._person_digests(later)), *_codes_in_both(self, later, both)])

    def tells_apart(self, later: RecordedRelease) -> float:
        """The share of this release's rows that are distinct by the columns that both releases have."""
        who, _ = self._person_digests(later)
        _, many = np.unique(who, return_counts=True)
        return float((many == 1).sum()) / max(len(who), 1)

    def _person_digests(self, later: RecordedRelease) -> tuple[Digests, Digests]:
        """A digest of each row's person, by the columns that both releases have."""
        common = sorted(self.cells.keys() & later.cells.keys())
        if common:
            one, other = (_combine_cells({name: part.cells[name] for name in common}) for part in (self, later))
            return one, other
        parts = (self, later)
        if all(len(part.cells) == 1 for part in parts):  # two units by different names
            one, other = (next(iter(part.cells.values())) for part in parts)
            return one, other
        one, other = (part.records if part.classes.people is None else part.classes.people for part in parts)
        return one, other

    def _link(self, later: RecordedRelease, columns: Sequence[NDArray[Any]]) -> Crossing:
        """Link rows that are equal in some columns, one to one. A column has this release's rows, then the later's."""
        codes = [np.unique(column, return_inverse=True)[1] for column in columns]
        ours = len(self.classes)
        groups = number_tuples(codes, [int(code.max(initial=0)) + 1 for code in codes], ours + len(later.classes))[0]
        turns = [_turns(part) for part in (groups[:ours], groups[ours:])]
        most = max(int(part.max(initial=0)) for part in turns) + 1
        keys = [part * most + turn for part, turn in zip((groups[:ours], groups[ours:]), turns, strict=True)]
        return link_by_key(self.classes, later.classes, keys[0], keys[1])

    def cross_by_values(self, later: RecordedRelease) -> Crossing:
        """Cross with a later release, rows linked by released values: rows with equal values are interchangeable."""
        names = (*self.classes.quasi_identifiers, *later.classes.quasi_identifiers)
        names += (*self.classes.values, *later.classes.values)
        return self._link(later, _codes_in_both(self, later, list(dict.fromkeys(names))))

    def sort_rows(self) -> RecordedRelease:
        """Sort the rows by their digests, so that their original order is lost."""
        order, c = np.argsort(self.records), self.classes
        values = {name: codes[order] for name, codes in c.values.items()}
        people = None if c.people is None else c.people[order]
        return replace(
            self,
            classes=replace(c, owners=c.owners[order], values=values, people=people),
            records=self.records[order],
            cells={name: digests[order] for name, digests in self.cells.items()},
        )

    def to_bytes(self) -> bytes:
        """The content to be sealed."""
        c = self.classes
        header = {
            "quasi-identifiers": list(c.quasi_identifiers),
            "labels": {name: list(known) for name, known in c.labels.items()},
            "domains": {name: domain_to_json(domain) for name, domain in c.domains.items()},
            "trees": {name: list(map(list, tree.labels)) for name, tree in c.trees.items()},
            "columns": dict(self.columns),
            "series": self.series,
            "cells": list(self.cells),
        }
        arrays: dict[str, NDArray[Any]] = {"codes": c.codes, "owners": c.owners, "records": self.records}
        arrays |= {f"value {place}": values for place, values in enumerate(c.values.values())}
        for place, tree in enumerate(c.trees.values()):
            arrays |= {f"tree {place} {level}": parents for level, parents in enumerate(tree.parents)}
        if c.people is not None:
            arrays["people"] = c.people
        for place, digests in enumerate(self.cells.values()):  # most columns have few distinct values
            distinct, codes = np.unique(digests, return_inverse=True)
            arrays |= {f"cell {place}": distinct, f"cells {place}": codes.astype(np.int32)}
        stream = io.BytesIO()
        text = np.frombuffer(json.dumps(header, ensure_ascii=False, allow_nan=False).encode(), dtype=np.uint8)
        np.savez(stream, allow_pickle=False, header=text, **arrays)
        return zlib.compress(stream.getvalue(), 6)

    @classmethod
    def from_bytes(cls, content: bytes) -> RecordedRelease:
        """Read what `to_bytes` wrote."""
        with np.load(io.BytesIO(zlib.decompress(content)), allow_pickle=False) as found:
            header = json.loads(found["header"].tobytes())
            trees = {}
            for place, (name, labels) in enumerate(header["trees"].items()):
                parents = tuple(found[f"tree {place} {level}"] for level in range(len(labels) - 1))
                trees[name] = Hierarchy(name, tuple(map(tuple, labels)), parents)
            classes = ClassStructure(
                tuple(header["quasi-identifiers"]),
                {name: tuple(known) for name, known in header["labels"].items()},
                found["codes"],
                found["owners"],
                {name: found[f"value {place}"] for place, name in enumerate(header["domains"])},
                {name: domain_from_json(name, domain) for name, domain in header["domains"].items()},
                trees,
                found.get("people"),
            )
            cells = {
                name: found[f"cell {place}"][found[f"cells {place}"]]
                for place, name in enumerate(header.get("cells", ()))
            }
            return cls(classes, found["records"], header["columns"], header["series"], cells)


def trace_rows(release: AnonymizedRelease) -> Traced:
    """Encode the rows of a release that is about to be written, with the mark that identifies their records."""
    engine, rows = release.table.engine, release.transformation.traced
    wanted = [*release.plan.class_columns, *release.policy.sensitive, release.transformation.mark]
    texts = rows.select(**{f"c{place}": engine.text(rows[name]) for place, name in enumerate(wanted)})
    coders = [Coder() for _ in wanted]
    for batch in engine.batches(texts):
        for place, coder in enumerate(coders):
            coder.add(batch.column(f"c{place}"))
    return {name: coder.column() for name, coder in zip(wanted, coders, strict=True)}


def build_structure(release: AnonymizedRelease, columns: Traced, key: bytes) -> RecordedRelease:
    """Build the structure of a release from its traced rows."""
    plan, policy = release.plan, release.policy
    class_columns = plan.class_columns
    quasi = [columns[name] for name in class_columns]
    ids, first = number_tuples([codes for codes, _ in quasi], [len(known) for _, known in quasi], len(quasi[0][0]))
    codes = np.array([column[first] for column, _ in quasi], dtype=np.int32).reshape(len(quasi), len(first)).T
    domains = {name: release.problem.table.domains[name] for name in policy.sensitive}
    values = {name: _encode_in_domain(domains[name], *columns[name]) for name in policy.sensitive}
    cells = _cells(release, columns[release.transformation.mark], key)
    who = _combine_cells(cells)
    several = policy.data.unit is not None and len(np.unique(who)) < len(who)
    return RecordedRelease(
        ClassStructure(
            tuple(class_columns),
            {name: columns[name][1] for name in class_columns},
            np.ascontiguousarray(codes),
            ids,
            values,
            domains,
            {tree.attribute: tree for tree in release.problem.hierarchies} if plan.hides_identity else {},
            who if several else None,
        ),
        _number_records(who, ids, list(values.values())),
        {name: str(policy.attributes[name].role) for name in release.columns if name in policy.attributes},
        cells=cells,
    )


def _encode_in_domain(domain: Domain, codes: NDArray[np.int32], labels: Sequence[Label]) -> NDArray[np.int32]:
    index = {label: code for code, label in enumerate(domain.labels)}
    return np.array([index[label] for label in labels], dtype=np.int32)[codes]


def _cells(release: AnonymizedRelease, column: Column, key: bytes) -> dict[str, Digests]:
    """Digests of what identifies each row's record: the unit, or all columns that were read, by name."""
    codes, labels = column
    unit, names = release.policy.data.unit, list(release.table.columns)
    if unit is not None or len(names) == 1:
        return {canonical(unit or names[0]): _digests(labels, key)[codes]}
    found = [next(csv.reader([label or ""]), [""]) for label in labels]
    parts = zip(*found, strict=True) if found else [()] * len(names)
    return {
        canonical(name): _digests([value or None for value in part], key)[codes]
        for name, part in sorted(zip(names, parts, strict=True))
    }


def canonical(text: str) -> str:
    """A value in one spelling: without surrounding spaces, in lower case, numbers without superfluous zeros.

    >>> [canonical(text) for text in ("HIV ", "hiv", "1.0", "+1", "1.50", "007", "São  Paulo")]
    ['hiv', 'hiv', '1', '1', '1.5', '007', 'são paulo']
    """
    plain = " ".join(unicodedata.normalize("NFKC", text).casefold().split())
    number = _NUMBER.fullmatch(plain)
    if number is None:
        return plain
    sign, whole, fraction = number.groups()
    fraction = (fraction or "").rstrip("0")
    return ("-" if sign == "-" else "") + whole + (f".{fraction}" if fraction else "")


_NUMBER = re.compile(r"([+-]?)([0-9]+)(?:\.([0-9]+))?")


def _digests(labels: Sequence[Label], key: bytes) -> Digests:
    """A keyed digest of each text, the same for all its spellings; NULL has a digest of its own."""
    known: dict[Label, bytes] = {None: blake2b(b"", key=key, digest_size=8).digest()}
    for label in labels:
        if label not in known:
            known[label] = blake2b(b"=" + canonical(label or "").encode(), key=key, digest_size=8).digest()
    return np.frombuffer(b"".join(known[label] for label in labels), dtype="<u8").astype(np.uint64)


def _combine_cells(cells: Mapping[str, Digests]) -> Digests:
    """Combine the digests of each row's cells and their columns' names to one, in any order of the columns."""
    if len(cells) == 1:
        return next(iter(cells.values()))
    found = np.zeros(len(next(iter(cells.values()))), dtype=np.uint64)
    for name, digests in cells.items():
        odd = int.from_bytes(blake2b(name.encode(), digest_size=8).digest(), "little") | 1
        found += digests * np.uint64(odd)
    return found


def _number_records(who: Digests, owners: Ints, values: Sequence[NDArray[np.int32]]) -> Digests:
    """A digest for each row: that of its person, made distinct by the row's number among that person's rows."""
    keys: list[NDArray[Any]] = [*values, owners, who]
    order = np.lexsort(keys)
    sorted_who = who[order]
    turn = np.empty(len(who), dtype=np.uint64)
    turn[order] = np.arange(len(who)) - np.searchsorted(sorted_who, sorted_who)
    return who ^ (turn * SPREAD)


def _codes_in_both(one: RecordedRelease, other: RecordedRelease, names: Sequence[str]) -> list[Ints]:
    """Columns of two releases, one after the other, in common codes: equal values have equal codes."""
    columns = []
    for name in names:
        parts = [_coded_column(side.classes, name) for side in (one, other)]
        labels = dict.fromkeys(label for _, known in parts for label in known)
        known = {label: code for code, label in enumerate(labels)}
        translated = [np.array([known[label] for label in labels], dtype=np.int64)[codes] for codes, labels in parts]
        columns.append(np.concatenate(translated))
    return columns


def _coded_column(side: ClassStructure, name: str) -> tuple[NDArray[np.int32], tuple[Label, ...]]:
    if name in side.values:
        return side.values[name], side.domains[name].labels
    if name not in side.quasi_identifiers:
        return np.zeros(len(side), dtype=np.int32), (None,)
    return side.codes[side.owners, side.quasi_identifiers.index(name)], side.labels[name]


def _turns(groups: Ints) -> Ints:
    """Number the rows of each group."""
    order = np.argsort(groups, kind="stable")
    turn = np.empty(len(groups), dtype=np.int64)
    turn[order] = np.arange(len(groups)) - np.searchsorted(groups[order], groups[order])
    return turn
