"""Releases in buckets: shuffling slices within them, reading their tables back, and estimating counts from them."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

import numpy as np

from cobogo.data.classes import Domain, Histogram
from cobogo.data.engines.engine import Engine, Expression
from cobogo.data.hierarchy import Label
from cobogo.data.policy import Role
from cobogo.data.table.columns import unused_names
from cobogo.data.table.frequency import FrequencyTable, frequency_table
from cobogo.data.table.read import Table, read
from cobogo.errors import DataError, OutputError
from cobogo.floor.arrays import Floats
from cobogo.floor.language import tr
from cobogo.release import manifest as manifests
from cobogo.release.manifest import BucketEntry, Manifest
from cobogo.release.margins import count_from_marginals, read_margins, refuse_unless_agreeing, whole_count

NO_IDENTITY = tr("quasi-identifiers are released unchanged; the models are measured on the buckets")
"""What a verification of buckets adds."""

IN_GROUPS = tr("records were drawn from the statistics of groups; the models are measured on these groups")
"""What a verification of condensed groups adds."""


def bucket_table(table: Table, directory: Path, manifest: Manifest, sensitive: Sequence[str]) -> FrequencyTable:
    """The buckets as classes, each with its sensitive values; both tables must have the same buckets and sizes.

    Where a sensitive attribute is in a slice with others, each of their values makes a class of its own in a bucket.
    """
    entry = manifest.buckets
    assert entry is not None
    if entry.file is None:
        beside = dict.fromkeys(name for attribute in sensitive for name in entry.slice_mates(attribute))
        return frequency_table(table, [entry.group, *beside], sensitive)
    assert entry.count is not None
    counts = frequency_table(table, [entry.group], [])
    values = read(directory / entry.file, manifest.data.reading, once=True)
    if values.columns != manifest.columns_in(entry.file):
        raise DataError(tr("does not have the columns that the manifest names"), where=entry.file)
    own = [name for name in manifest.with_role(Role.SENSITIVE) if name in values.columns]
    listed = frequency_table(values, [entry.group, *own, entry.count], [])
    if listed.values[entry.group] != counts.values[entry.group]:
        raise DataError(tr("does not have the buckets of the released table"), where=entry.file)
    numbers = np.array([whole_count(label, entry.file) for label in listed.values[entry.count]], dtype=np.int64)
    many = numbers[listed.codes[:, -1]] * listed.counts
    sizes = np.bincount(listed.codes[:, 0], many, len(counts.counts)).astype(np.int64)
    if (sizes != counts.counts).any():
        raise DataError(tr("its counts do not match the numbers of records in the buckets"), where=entry.file)
    found = {}
    for column, name in enumerate(own, start=1):
        labels = listed.values[name]
        pairs, inverse = np.unique(listed.codes[:, 0].astype(np.int64) * len(labels) + listed.codes[:, column],
                                   return_inverse=True)  # fmt: skip
        total = np.bincount(inverse, many).astype(np.int64)
        domain = Domain(name, labels, np.bincount(pairs % len(labels), total, len(labels)).astype(np.int64))
        offsets = np.searchsorted(pairs // len(labels), np.arange(len(sizes) + 1)).astype(np.int64)
        found[name] = Histogram(offsets, (pairs % len(labels)).astype(np.int32), total, domain)
    if set(sensitive) - set(found):
        raise DataError(tr("does not have a sensitive attribute that a model needs"), where=entry.file)
    return FrequencyTable((entry.group,), counts.values, counts.codes, counts.counts, found)


def estimated_count(public: str | Path, where: Mapping[str, Collection[Label]], sensitive: Collection[Label]) -> float:
    """About how many records have one of some values of each attribute of ``where``, and one of the ``sensitive``
    values: from each bucket the share of its records that match, by those that have such a value. Of slices, the share
    that matches each of them. Of marginals, what follows if nothing goes together but what they say.

    The estimate is right on average where a bucket was drawn regardless of the quasi-identifiers; what joins the two
    within a bucket is lost, which is the point.
    """
    directory = Path(public)
    manifest = manifests.load(directory)
    if manifest.marginals:
        margins = read_margins(directory, manifest)
        refuse_unless_agreeing(margins, manifest.data.records)
        asked = {**where, margins.sensitive: sensitive}
        _refuse_unknown(set(asked) - set(margins.labels), directory)
        return count_from_marginals(margins, asked, manifest.data.records)
    if manifest.buckets is None or manifest.data.file is None or manifest.buckets.condensed:
        what = tr("is not a release in buckets or marginals")
        raise OutputError(what, where=str(directory), remedy=tr("Count its rows instead."))
    table = read(directory / manifest.data.file, manifest.data.reading)
    _refuse_unknown(set(where) - set(table.columns), directory)
    (name,) = manifest.with_role(Role.SENSITIVE)
    entry = manifest.buckets
    if entry.slices:
        return _count_in_slices(table, entry, {**where, name: sensitive})
    buckets = bucket_table(table, directory, manifest, [name])
    histogram = buckets.histograms[name]
    wanted = np.isin(histogram.values, [n for n, label in enumerate(histogram.domain.labels) if label in sensitive])
    having = np.bincount(histogram.owners[wanted], histogram.counts[wanted], len(buckets.counts))
    matching = _count_matching(table, entry.group, where, len(buckets.counts))
    return float((matching * having / buckets.counts).sum())


def _count_in_slices(table: Table, entry: BucketEntry, where: Mapping[str, Collection[Label]]) -> float:
    """Over the buckets, the records times the shares of them that match each slice's part of the question."""
    parts = every_slice(table.columns, entry.group, entry.slices)
    sizes = frequency_table(table, [entry.group], []).counts
    product = sizes.astype(float)
    for part in parts:
        asked = [name for name in part if name in where]
        if asked:
            product *= _count_matching(table, entry.group, {name: where[name] for name in asked}, len(sizes)) / sizes
    return float(product.sum())


def _count_matching(table: Table, group: str, where: Mapping[str, Collection[Label]], buckets: int) -> Floats:
    """How many records of each bucket have one of some values of each attribute."""
    counted = frequency_table(table, [group, *where], [])
    chosen = np.ones(len(counted.counts), dtype=np.bool_)
    for column, attribute in enumerate(where, start=1):
        codes = [n for n, label in enumerate(counted.values[attribute]) if label in where[attribute]]
        chosen &= np.isin(counted.codes[:, column], codes)
    return np.bincount(counted.codes[chosen, 0], counted.counts[chosen], buckets).astype(np.float64)


def _refuse_unknown(names: set[str], directory: Path) -> None:
    if names:
        raise OutputError(tr("does not have the columns {names}", names=", ".join(sorted(names))), where=str(directory))


def every_slice(columns: Sequence[str], group: str, slices: Sequence[Sequence[str]]) -> list[list[str]]:
    """The slices, cut to the columns that are there; a column that is in none of them is one by itself."""
    known = [[name for name in part if name in columns] for part in slices]
    sliced = {name for part in known for name in part}
    return [part for part in known if part] + [[name] for name in columns if name not in sliced and name != group]


def shuffle_slices(engine: Engine, table: Expression, group: str, slices: Sequence[Sequence[str]]) -> Expression:
    """The same rows with each slice's values in a random order of its own within the bucket.

    A bucket's rows are known by their turn in each order, and put together by it. The table must be the same whenever
    it is computed, for each slice is taken from it anew.
    """
    columns = list(table.columns)
    parts = every_slice(columns, group, slices)
    names = unused_names(columns, 3 * len(parts))
    joined = None
    for number, part in enumerate(parts):
        key, turn, bucket = names[3 * number : 3 * number + 3]
        drawn = table.select(**{bucket: table[group], **{name: table[name] for name in part}})
        drawn = drawn.mutate(**{key: engine.random_key(drawn)})
        drawn = drawn.mutate(**{turn: engine.row_number(group_by=drawn[bucket], order_by=drawn[key])}).drop(key)
        if joined is None:
            joined = drawn
        else:
            joined = joined.inner_join(drawn, [joined[names[2]] == drawn[bucket], joined[names[1]] == drawn[turn]])
    assert joined is not None
    return joined.select(**{name: joined[names[2]] if name == group else joined[name] for name in columns})
