"""Compiled forms of the class checks that the search makes most often. The plain forms, in `promises.models`, are what
verification uses; the conformance suite holds the two equal.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

import numpy as np

from cobogo.floor.arrays import Ints, Mask
from cobogo.promises.models import Classes, Domain, Model
from cobogo.promises.models.k_anonymity import KAnonymity
from cobogo.promises.models.l_diversity import TOLERANCE, LDiversity
from cobogo.promises.models.t_closeness import SLACK, TCloseness
from cobogo.publish.recode import checks

Form = Callable[[Classes, Mask, Ints], None]
"""Adds to the mask the classes that fail, and raises the least number of records that fail in whatever parts they
have. A class without records does not fail."""


def form(model: Model, domains: Mapping[str, Domain]) -> Form | None:
    """A model's compiled form; None where it has none, or where some have no value, which the plain form knows of."""
    if not model.counts_missing and any(domains[name].missing is not None for name in model.attributes):
        return None
    match model:
        case KAnonymity():
            return lambda classes, failed, least: checks.fewer_than(classes.sizes, model.k, failed, least)
        case LDiversity():
            return _l_diversity(model, domains[model.attribute])
        case TCloseness():
            return _t_closeness(model, domains[model.attribute])
    return None


def _l_diversity(model: LDiversity, domain: Domain) -> Form:
    name = model.attribute
    if model.kind == "distinct":

        def distinct(classes: Classes, failed: Mask, least: Ints) -> None:
            checks.fewer_values_than(classes.sizes, classes.histograms[name].offsets, model.l, failed, least)

        return distinct
    if model.kind == "entropy":
        bound = math.log(model.l) - TOLERANCE

        def entropy(classes: Classes, failed: Mask, least: Ints) -> None:
            found = classes.histograms[name]
            checks.less_entropy_than(classes.sizes, found.offsets, found.counts, bound, failed, least)

        return entropy
    c, l, scratch = float(model.c or 0), int(model.l), np.zeros(len(domain), dtype=np.int64)

    def recursive(classes: Classes, failed: Mask, least: Ints) -> None:
        found = classes.histograms[name]
        checks.less_diverse_than(classes.sizes, found.offsets, found.counts, c, l, scratch, failed, least)

    return recursive


def _t_closeness(model: TCloseness, domain: Domain) -> Form:
    name, bound = model.attribute, model.t + SLACK
    farthest = model.farthest(domain)
    if model.distance == "equal":
        shares = domain.distribution

        def equal(classes: Classes, failed: Mask, least: Ints) -> None:
            found = classes.histograms[name]
            checks.farther_than(
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
        checks.earth_moved_beyond(
            classes.sizes, found.offsets, found.values, found.counts, groups, wholes, weight, cumulative, scratch,
            bound, farthest, failed, least,
        )  # fmt: skip

    return moved
