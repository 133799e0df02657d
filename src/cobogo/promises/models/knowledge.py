"""Background knowledge: the attacker knows the whole original table, and who is in which class."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from cobogo.data.classes import Classes, Domain, Histogram, Members
from cobogo.data.hierarchy import Hierarchy
from cobogo.errors import PolicyError, SearchTooLarge
from cobogo.floor.arrays import Floats, Mask
from cobogo.floor.language import tr
from cobogo.promises.models.base import Model

CELLS_AT_MOST = 25_000_000
"""Distinct tuples times sensitive values: 200 MB as a dense table of floats."""


@dataclass(frozen=True, repr=False)
class WholeTable:
    """The whole original table. Tables of equal content are equal, so that a cache learns from each only once, and not
    again at every node of a search.
    """

    seal: bytes
    hierarchies: tuple[Hierarchy, ...]
    decimal: str
    codes: NDArray[np.int32] = field(compare=False)
    histogram: Histogram = field(compare=False)
    domain: Domain = field(compare=False)


def original_members(model: Model, attribute: str, classes: Classes) -> Members:
    """The distinct original tuples, each with the class that it belongs to; −1 for suppressed ones, if they are known.

    Missing values of the attribute are left out, unless the model counts them.
    """
    members = classes.members
    assert members is not None, "needs_members was not heeded"
    domain = members.histograms[attribute].domain
    if len(domain) and not domain.labels:
        raise PolicyError(
            tr("{name} needs one record for each person, and by data.unit some people have several", name=model.name),
            where="privacy.models",
            remedy=tr("Merge each person's records into one, or remove the model."),
        )
    if model.counts_missing:
        return members
    known = {
        name: histogram.known if name == attribute else histogram for name, histogram in members.histograms.items()
    }
    return replace(members, histograms=known)


def whole_table(members: Members, released: Domain) -> WholeTable:
    """The table that all members form; an error where it is too large to learn from."""
    histogram = members.histograms[released.attribute]
    if len(members.counts) * len(histogram.domain) > CELLS_AT_MOST:
        raise SearchTooLarge(
            tr(
                "there are {tuples:,} distinct combinations of quasi-identifiers and {values:,} "
                "sensitive values, too many to learn which go together",
                tuples=len(members.counts),
                values=len(histogram.domain),
            ),
            where="privacy.models",
            remedy=tr(
                "Make the data coarser first (years instead of dates, shorter codes), or group the sensitive values."
            ),
        )
    own = histogram.domain
    domain = Domain(own.attribute, own.labels, own.total, own.hierarchy or released.hierarchy, released.decimal)
    seal = hashlib.blake2b(repr((members.codes.shape, len(domain))).encode())
    for array in (members.codes, histogram.offsets, histogram.values, histogram.counts):
        seal.update(np.ascontiguousarray(array).tobytes())
    return WholeTable(seal.digest(), members.hierarchies, released.decimal, members.codes, histogram, domain)


def complete_classes(held: Histogram, members: Members, attribute: str) -> Mask:
    """Which classes release exactly the values of their members: none was added, removed or changed."""
    behind = members.histograms[attribute]
    index = {label: code for code, label in enumerate(behind.domain.labels)}
    codes = np.array([index.get(label, len(index)) for label in held.domain.labels], dtype=np.int64)
    width = len(index) + 1
    owners = members.owners[behind.owners]
    inside = owners >= 0
    keys = np.concatenate([held.owners * width + codes[held.values], (owners * width + behind.values)[inside]])
    pairs, inverse = np.unique(keys, return_inverse=True)
    left = np.bincount(inverse, weights=np.concatenate([held.counts, -behind.counts[inside]]), minlength=len(pairs))
    complete = np.ones(len(held.offsets) - 1, dtype=np.bool_)
    complete[pairs[left != 0] // width] = False
    return complete


def dense(histogram: Histogram) -> Floats:
    """Counts as a table: a row for each class or tuple, a column for each value."""
    table = np.zeros((len(histogram.offsets) - 1, len(histogram.domain)))
    table[histogram.owners, histogram.values] = histogram.counts
    return table
