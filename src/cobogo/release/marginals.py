"""Releases of marginals: reading the tables back, and estimating counts from all of them."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from pathlib import Path

import numpy as np

from cobogo.data.hierarchy import Label
from cobogo.data.policy import Role
from cobogo.data.table.frequency import FrequencyTable, frequency_table, number_tuples
from cobogo.data.table.read import read
from cobogo.errors import DataError, PolicyError
from cobogo.floor.arrays import Floats, Ints
from cobogo.floor.language import tr
from cobogo.release.manifest import Manifest
from cobogo.release.margins import Marginal, Margins

LONGEST = 15
"""Digits of a count."""

NO_RECORDS = tr("marginals are counts, not records; the models are measured on their cells, one by one and together")
"""What a verification of marginals adds."""


def marginal_table(directory: Path, manifest: Manifest) -> FrequencyTable:
    """The cells of all marginals as classes, with what they tell together. They must be of one table: where two meet,
    they count the same; and they must not form a cycle."""
    margins = read_margins(directory, manifest)
    refuse_unless_agreeing(margins, manifest.data.records)
    return margins.table(manifest.data.records)


def read_margins(directory: Path, manifest: Manifest) -> Margins:
    """The marginals of a release, read from their files."""
    secret = next(iter(manifest.with_role(Role.SENSITIVE)), "")
    tables = []
    for entry in manifest.marginals:
        table = read(directory / entry.file, manifest.data.reading, once=True)
        if table.columns != manifest.columns_in(entry.file) or table.columns[-1] != entry.count:
            raise DataError(tr("does not have the columns that the manifest names"), where=entry.file)
        if len(table.columns) < 2:
            raise DataError(tr("has no column besides the counts"), where=entry.file)
        found = frequency_table(table, table.columns, [])
        if (found.counts != 1).any():
            raise DataError(tr("contains a row twice"), where=entry.file)
        numbers = [whole_count(label, entry.file) for label in found.values[entry.count]]
        counts = np.array(numbers, dtype=np.int64)[found.codes[:, -1]]
        tables.append((found, counts, entry.file))
    names = dict.fromkeys(name for found, _, _ in tables for name in found.quasi_identifiers[:-1])
    labels = {name: _union(name, [found for found, _, _ in tables]) for name in names}
    marginals = []
    for found, counts, file in tables:
        own = found.quasi_identifiers[:-1]
        codes = [_codes(found.values[name], labels[name])[found.codes[:, n]] for n, name in enumerate(own)]
        cells = Marginal(own, np.array(codes, dtype=np.int64).reshape(len(own), -1).T, counts)
        if len(cells.sum_over(own).counts) != len(counts):
            raise DataError(tr("counts one combination twice"), where=file)
        marginals.append(cells)
    return Margins(tuple(marginals), labels, secret)


def refuse_unless_agreeing(margins: Margins, records: int) -> None:
    """Marginals of one table count the same records, and the same of what they have in common."""
    try:
        links = margins.tree
    except PolicyError as error:
        raise DataError(error.what) from None
    for number, marginal in enumerate(margins.marginals, start=1):
        if int(marginal.counts.sum()) != records:
            raise DataError(tr("marginal {number} does not count as many records as the manifest says", number=number))
    for link in links:
        if link.parent is None:
            continue
        common = sorted(link.separator)
        one, other = (margins.marginals[n].sum_over(common) for n in (link.number, link.parent))
        if not (np.array_equal(one.codes, other.codes) and np.array_equal(one.counts, other.counts)):
            raise DataError(
                tr(
                    "marginals {number} and {parent} do not belong to the same table",
                    number=link.number + 1,
                    parent=link.parent + 1,
                )
            )


def count_from_marginals(margins: Margins, where: Mapping[str, Collection[Label]], records: int) -> float:
    """About how many records have one of some values of each attribute, if nothing goes together but what the
    marginals say: each marginal counts what matches in it, over what it has in common with those before it."""
    matching: list[Floats] = []
    for marginal in margins.marginals:
        chosen = np.ones(len(marginal.counts), dtype=np.bool_)
        for name in marginal.attributes:
            if name in where:
                chosen &= np.isin(marginal.column(name), _codes_of(margins.labels[name], where[name]))
        matching.append(np.where(chosen, marginal.counts, 0).astype(float))
    for link in reversed(margins.tree):
        if link.parent is None:
            return float(matching[link.number].sum())
        own, parent = margins.marginals[link.number], margins.marginals[link.parent]
        common = sorted(link.separator)
        keys, groups = _keys(own, parent, common)
        mine, theirs = keys[: len(own.counts)], keys[len(own.counts) :]
        meeting = np.bincount(mine, own.counts, groups) if common else np.array([float(records)])
        share = np.bincount(mine, matching[link.number], groups) / np.maximum(meeting, 1)
        matching[link.parent] = matching[link.parent] * share[theirs]
    return 0.0


def whole_count(label: Label, where: str) -> int:
    """A count as a released file writes it."""
    if label is None or not label.isascii() or not label.isdigit() or len(label) > LONGEST or not int(label):
        raise DataError(tr("a count is not a whole number above 0"), where=where)
    return int(label)


def _keys(own: Marginal, parent: Marginal, common: list[str]) -> tuple[Ints, int]:
    """The cells of two marginals, numbered by what they have in common."""
    columns = [np.concatenate([own.column(name), parent.column(name)]) for name in common]
    rows = len(own.counts) + len(parent.counts)
    ids, first = number_tuples(columns, [int(column.max(initial=0)) + 1 for column in columns], rows)
    return ids, len(first)


def _codes_of(labels: tuple[Label, ...], asked: Collection[Label]) -> list[int]:
    return [code for code, label in enumerate(labels) if label in asked]


def _union(name: str, tables: list[FrequencyTable]) -> tuple[Label, ...]:
    known = {label for table in tables for label in table.values.get(name, ())}
    return tuple(sorted(known, key=lambda label: (label is None, label or "")))


def _codes(labels: tuple[Label, ...], known: tuple[Label, ...]) -> Ints:
    index = {label: code for code, label in enumerate(known)}
    return np.array([index[label] for label in labels], dtype=np.int64)
