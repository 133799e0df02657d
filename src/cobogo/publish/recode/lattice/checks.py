"""Compiled forms of the class checks that the search makes most often: which classes fail, and how many of their
records fail at least in whatever parts they have (for the reasons see `Model.least_failing`).

The plain forms, in `promises.models`, are what verification uses; the conformance suite holds the two equal.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

import numpy as np
from numba import njit

from cobogo.floor.arrays import Ints, Mask
from cobogo.promises.models import Classes, Domain, Model
from cobogo.promises.models.k_anonymity import KAnonymity
from cobogo.promises.models.l_diversity import TOLERANCE, LDiversity
from cobogo.promises.models.t_closeness import SLACK, TCloseness


@njit(cache=True, nogil=True)
def _rounded_up(number):  # type: ignore[no-untyped-def]
    """As `cobogo.promises.models.base.at_least`, with its slack: a bound that is rounded too high would be wrong."""
    return np.int64(math.ceil(max(number * (1 - 1e-9) - 1e-6, 0.0)))


@njit(cache=True, nogil=True)
def fewer_than(sizes, k, failed, least):  # type: ignore[no-untyped-def]
    """Fewer than k records: so has every part."""
    for group in range(len(sizes)):
        if 0 < sizes[group] < k:
            failed[group] = True
            least[group] = sizes[group]


@njit(cache=True, nogil=True)
def fewer_values_than(sizes, offsets, l, failed, least):  # type: ignore[no-untyped-def]
    """Fewer than l distinct values: so has every part."""
    for group in range(len(sizes)):
        if sizes[group] > 0 and offsets[group + 1] - offsets[group] < l:
            failed[group] = True
            least[group] = sizes[group]


@njit(cache=True, nogil=True)
def less_entropy_than(sizes, offsets, counts, bound, failed, least):  # type: ignore[no-untyped-def]
    """An entropy below the bound."""
    for group in range(len(sizes)):
        size = sizes[group]
        entropy = 0.0
        for entry in range(offsets[group], offsets[group + 1]):
            share = counts[entry] / size
            entropy -= share * math.log(share)
        if size > 0 and entropy < bound:
            failed[group] = True
            least[group] = max(least[group], 1, _rounded_up(size * (1 - max(entropy, 0.0) / bound)))


@njit(cache=True, nogil=True)
def less_diverse_than(sizes, offsets, counts, c, l, scratch, failed, least):  # type: ignore[no-untyped-def]
    """A most frequent value that is not below c times the l-th most frequent and all rarer ones together."""
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
            least[group] = max(least[group], 1, _rounded_up(first - c * tail))


@njit(cache=True, nogil=True)
def farther_than(sizes, offsets, values, counts, shares, bound, farthest, failed, least):  # type: ignore[no-untyped-def]
    """A distance beyond the bound, all values being equally far from each other."""
    for group in range(len(sizes)):
        size = sizes[group]
        distance = 0.0
        for entry in range(offsets[group], offsets[group + 1]):
            gain = counts[entry] / size - shares[values[entry]]
            if gain > 0:
                distance += gain
        if size > 0 and distance > bound:
            failed[group] = True
            least[group] = max(least[group], _beyond(size, distance, bound, farthest))


@njit(cache=True, nogil=True)
def earth_moved_beyond(  # type: ignore[no-untyped-def]
    sizes, offsets, values, counts, groups, wholes, weight, cumulative, scratch, bound, farthest, failed, least
):
    """A distance beyond the bound: over the rows of ``groups``, in which values fall into places, the differences
    between the class's shares of the places and ``wholes``; of the shares up to each place if ``cumulative``."""
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
            least[group] = max(least[group], _beyond(size, distance, bound, farthest))


@njit(cache=True, nogil=True)
def _beyond(size, distance, bound, farthest):  # type: ignore[no-untyped-def]
    """How many records lie at least in parts that are too far, none being farther than the farthest."""
    room = farthest - bound
    return max(1, _rounded_up(size * (distance - bound) / room)) if room > 1e-12 else 1


Form = Callable[[Classes, Mask, Ints], None]
"""Adds to the mask the classes that fail, and raises the least number of records that fail in whatever parts they
have. A class without records does not fail."""


def form(model: Model, domains: Mapping[str, Domain]) -> Form | None:
    """A model's compiled form; None where it has none, or where some have no value, which the plain form knows of."""
    if not model.counts_missing and any(domains[name].missing is not None for name in model.attributes):
        return None
    match model:
        case KAnonymity():
            return lambda classes, failed, least: fewer_than(classes.sizes, model.k, failed, least)
        case LDiversity():
            return _l_diversity(model, domains[model.attribute])
        case TCloseness():
            return _t_closeness(model, domains[model.attribute])
    return None


def _l_diversity(model: LDiversity, domain: Domain) -> Form:
    name = model.attribute
    if model.kind == "distinct":

        def distinct(classes: Classes, failed: Mask, least: Ints) -> None:
            fewer_values_than(classes.sizes, classes.histograms[name].offsets, model.l, failed, least)

        return distinct
    if model.kind == "entropy":
        bound = math.log(model.l) - TOLERANCE

        def entropy(classes: Classes, failed: Mask, least: Ints) -> None:
            found = classes.histograms[name]
            less_entropy_than(classes.sizes, found.offsets, found.counts, bound, failed, least)

        return entropy
    c, l, scratch = float(model.c or 0), int(model.l), np.zeros(len(domain), dtype=np.int64)

    def recursive(classes: Classes, failed: Mask, least: Ints) -> None:
        found = classes.histograms[name]
        less_diverse_than(classes.sizes, found.offsets, found.counts, c, l, scratch, failed, least)

    return recursive


def _t_closeness(model: TCloseness, domain: Domain) -> Form:
    name, bound = model.attribute, model.t + SLACK
    farthest = model.farthest(domain)
    if model.distance == "equal":
        shares = domain.distribution

        def equal(classes: Classes, failed: Mask, least: Ints) -> None:
            found = classes.histograms[name]
            farther_than(
                classes.sizes, found.offsets, found.values, found.counts, shares, bound, farthest, failed, least
            )

        return equal
    if model.distance == "ordered":
        whole = domain.up_to
        groups, wholes, weight = domain.ranks[None, :], whole[None, :], 1.0 / max(len(whole) - 1, 1)
    else:
        tree = domain.tree
        groups = np.array([tree.maps[level][domain.leaf_codes] for level in range(tree.height)], dtype=np.int64)
        groups = groups.reshape(tree.height, len(domain))
        wholes = np.zeros((tree.height, max(map(len, tree.labels))))
        for level in range(tree.height):
            np.add.at(wholes[level], groups[level], domain.distribution)
        weight = 0.5 / max(tree.height, 1)
    scratch = np.zeros(wholes.shape[1])
    cumulative = model.distance == "ordered"

    def moved(classes: Classes, failed: Mask, least: Ints) -> None:
        found = classes.histograms[name]
        earth_moved_beyond(
            classes.sizes, found.offsets, found.values, found.counts, groups, wholes, weight, cumulative, scratch,
            bound, farthest, failed, least,
        )  # fmt: skip

    return moved
