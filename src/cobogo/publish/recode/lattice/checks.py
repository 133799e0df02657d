"""Compiled forms of the class checks that the search makes most often. Each marks the classes that fail (``failed``)
and raises the number of their records that fail however the class is divided (``least``; see `Model.least_failing`).

Verification uses the plain forms in `promises.models`; the conformance suite holds the two equal.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

import numpy as np

from cobogo.floor.arrays import Floats, Ints, Mask
from cobogo.floor.kernels import kernel
from cobogo.promises.models import Classes, Domain, Model
from cobogo.promises.models.k_anonymity import KAnonymity
from cobogo.promises.models.l_diversity import TOLERANCE, LDiversity
from cobogo.promises.models.t_closeness import SLACK, TCloseness


@kernel(small_in_python=True)
def _round_up(number):  # type: ignore[no-untyped-def]
    """Like `cobogo.promises.models.base.at_least`, with its slack: a bound rounded too high would be wrong."""
    return np.int64(math.ceil(max(number * (1 - 1e-9) - 1e-6, 0.0)))


@kernel(small_in_python=True)
def mark_few_records(sizes, k, failed, least):  # type: ignore[no-untyped-def]
    """Mark classes of fewer than k records; every part has fewer as well."""
    for group in range(len(sizes)):
        if 0 < sizes[group] < k:
            failed[group] = True
            least[group] = sizes[group]


@kernel(small_in_python=True)
def mark_few_values(sizes, offsets, l, failed, least):  # type: ignore[no-untyped-def]
    """Mark classes of fewer than l distinct values; every part has fewer as well."""
    for group in range(len(sizes)):
        if sizes[group] > 0 and offsets[group + 1] - offsets[group] < l:
            failed[group] = True
            least[group] = sizes[group]


@kernel(small_in_python=True)
def mark_low_entropy(sizes, offsets, counts, bound, failed, least):  # type: ignore[no-untyped-def]
    """Mark classes whose entropy is below the bound."""
    for group in range(len(sizes)):
        size = sizes[group]
        entropy = 0.0
        for entry in range(offsets[group], offsets[group + 1]):
            share = counts[entry] / size
            entropy -= share * math.log(share)
        if size > 0 and entropy < bound:
            failed[group] = True
            least[group] = max(least[group], 1, _round_up(size * (1 - max(entropy, 0.0) / bound)))


@kernel(small_in_python=True)
def mark_low_diversity(sizes, offsets, counts, c, l, scratch, failed, least):  # type: ignore[no-untyped-def]
    """Mark classes whose most frequent value is not below c times the l-th most frequent and all rarer ones
    together."""
    for group in range(len(sizes)):
        begin, end = offsets[group], offsets[group + 1]
        distinct = end - begin
        first = 0
        tail = 0
        if distinct >= l:
            scratch[:distinct] = counts[begin:end]
            ordered = np.sort(scratch[:distinct])
            first = ordered[distinct - 1]
            for place in range(distinct - l + 1):
                tail += ordered[place]
        else:
            for entry in range(begin, end):
                first = max(first, counts[entry])
        if sizes[group] > 0 and not (tail > 0 and first / tail < c):
            failed[group] = True
            least[group] = max(least[group], 1, _round_up(first - c * tail))


@kernel(small_in_python=True)
def mark_far(sizes, offsets, values, counts, shares, bound, farthest, failed, least):  # type: ignore[no-untyped-def]
    """Mark classes farther from the whole than the bound, all values being equally far from each other."""
    for group in range(len(sizes)):
        size = sizes[group]
        distance = 0.0
        for entry in range(offsets[group], offsets[group + 1]):
            gain = counts[entry] / size - shares[values[entry]]
            if gain > 0:
                distance += gain
        if size > 0 and distance > bound:
            failed[group] = True
            least[group] = max(least[group], _records_beyond(size, distance, bound, farthest))


@kernel(small_in_python=True)
def mark_far_by_earth_mover(  # type: ignore[no-untyped-def]
    sizes, offsets, values, counts, groups, wholes, weight, cumulative, scratch, bound, farthest, failed, least
):
    """Mark classes farther from the whole than the bound by the earth mover's distance.

    A row of ``groups`` maps values to places. The distance sums, over rows and places, the differences between the
    class's share of the place and that of the whole table (``wholes``); with ``cumulative``, shares up to the place.
    """
    places = wholes.shape[1]
    for group in range(len(sizes)):
        size = sizes[group]
        if size <= 0:
            continue
        distance = 0.0
        for row in range(len(groups)):
            scratch[:] = 0.0
            for entry in range(offsets[group], offsets[group + 1]):
                scratch[groups[row, values[entry]]] += counts[entry]
            inside = 0.0
            for place in range(places):
                inside = inside + scratch[place] if cumulative else scratch[place]
                distance += abs(inside / size - wholes[row, place])
        distance *= weight
        if distance > bound:
            failed[group] = True
            least[group] = max(least[group], _records_beyond(size, distance, bound, farthest))


@kernel(small_in_python=True)
def _records_beyond(size, distance, bound, farthest):  # type: ignore[no-untyped-def]
    """The least number of records in parts that are too far, where no part is farther than ``farthest``."""
    room = farthest - bound
    return max(1, _round_up(size * (distance - bound) / room)) if room > 1e-12 else 1


Form = Callable[[Classes, Mask, Ints], None]
"""Marks the classes that fail in the mask, and raises the least number of their records that fail in any division. A
class without records does not fail."""


def compiled_form(model: Model, domains: Mapping[str, Domain]) -> Form | None:
    """A model's compiled form; None where it has none, or where NULL needs the care that only the plain form takes."""
    if not model.counts_missing and any(domains[name].missing is not None for name in model.attributes):
        return None
    match model:
        case KAnonymity():
            return lambda classes, failed, least: mark_few_records(classes.sizes, model.k, failed, least)
        case LDiversity():
            return _l_diversity(model, domains[model.attribute])
        case TCloseness():
            return _t_closeness(model, domains[model.attribute])
    return None


def _l_diversity(model: LDiversity, domain: Domain) -> Form:
    name = model.attribute
    if model.kind == "distinct":

        def distinct(classes: Classes, failed: Mask, least: Ints) -> None:
            mark_few_values(classes.sizes, classes.histograms[name].offsets, model.l, failed, least)

        return distinct
    if model.kind == "entropy":
        bound = math.log(model.l) - TOLERANCE

        def entropy(classes: Classes, failed: Mask, least: Ints) -> None:
            found = classes.histograms[name]
            mark_low_entropy(classes.sizes, found.offsets, found.counts, bound, failed, least)

        return entropy
    c, l, scratch = float(model.c or 0), int(model.l), np.zeros(len(domain), dtype=np.int64)

    def recursive(classes: Classes, failed: Mask, least: Ints) -> None:
        found = classes.histograms[name]
        mark_low_diversity(classes.sizes, found.offsets, found.counts, c, l, scratch, failed, least)

    return recursive


def _t_closeness(model: TCloseness, domain: Domain) -> Form:
    name, bound = model.attribute, model.t + SLACK
    farthest = model.farthest(domain)
    if model.distance == "equal":
        shares = domain.distribution

        def equal(classes: Classes, failed: Mask, least: Ints) -> None:
            found = classes.histograms[name]
            mark_far(classes.sizes, found.offsets, found.values, found.counts, shares, bound, farthest, failed, least)

        return equal
    groups, wholes, weight = earth_mover_tables(model, domain)
    scratch = np.zeros(wholes.shape[1])
    cumulative = model.distance == "ordered"

    def earth_mover(classes: Classes, failed: Mask, least: Ints) -> None:
        found = classes.histograms[name]
        mark_far_by_earth_mover(
            classes.sizes, found.offsets, found.values, found.counts, groups, wholes, weight, cumulative, scratch,
            bound, farthest, failed, least,
        )  # fmt: skip

    return earth_mover


def earth_mover_tables(model: TCloseness, domain: Domain) -> tuple[Ints, Floats, float]:
    """What `mark_far_by_earth_mover` sums over: the place of each value in each row, the whole table's share of each
    place (up to it, where values are ordered), and the weight of a difference."""
    if model.distance == "ordered":
        return domain.ranks[None, :], domain.up_to[None, :], 1.0 / max(len(domain.up_to) - 1, 1)
    if model.distance == "equal":
        return np.arange(len(domain), dtype=np.int64)[None, :], domain.distribution[None, :], 0.5
    tree = domain.tree
    groups = np.array([tree.maps[level][domain.leaf_codes] for level in range(tree.height)], dtype=np.int64)
    groups = groups.reshape(tree.height, len(domain))
    wholes = np.zeros((tree.height, max(map(len, tree.labels))))
    for level in range(tree.height):
        np.add.at(wholes[level], groups[level], domain.distribution)
    return groups, wholes, 0.5 / max(tree.height, 1)
