"""The outcome of a node: the sums that metrics are made of."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np

from cobogo.examine.metrics import Outcome
from cobogo.floor.arrays import Floats, Ints, Mask
from cobogo.publish.recode.contract.problem import Problem
from cobogo.publish.recode.lattice import kernels
from cobogo.publish.recode.lattice.rolled import Rolled


@dataclass(frozen=True, eq=False, repr=False)
class Sums:
    """What the failing classes of a node add up to, and what must fail below it whatever happens."""

    suppressed: int
    classes: int  # kept
    squares: int  # of the kept classes' sizes
    lost_leaves: Ints  # per attribute: the leaves under the suppressed records' values
    doomed: int  # records that fail at every node below
    doomed_leaves: Ints  # per attribute: the leaves under their values here


def sums(rolled: Rolled, failed: Mask, least: Ints | None = None) -> Sums:
    """Over a node's classes; ``least`` says how many records of each fail in whatever parts it has."""
    packing = rolled.packing
    lost, doomed = np.zeros((2, packing.values), dtype=np.int64)
    least = np.zeros(len(rolled), dtype=np.int64) if least is None else least
    suppressed, below, kept, squares = kernels.sums_where(
        failed, least, rolled.records, rolled.digits, packing.starts, lost, doomed
    )
    node = np.array(rolled.levels, dtype=np.int64)
    lost_leaves = packing.leaf_sums(lost, node)
    doomed_leaves = packing.leaf_sums(doomed, node) if below else np.zeros_like(node)
    return Sums(int(suppressed), int(kept), int(squares), lost_leaves, int(below), doomed_leaves)


def outcome(problem: Problem, rolled: Rolled, failed: Mask, found: Sums, needs: Collection[str]) -> Outcome:
    """Of a node whose failing classes are suppressed: the sums of the whole table less those of the failing classes.

    ``needs`` are the fields to fill beside those that are always there.
    """
    levels = rolled.levels
    whole = np.array([t[lv] for t, lv in zip(problem.leaf_totals, levels, strict=True)], dtype=np.int64)
    kept = ~failed & (rolled.records > 0) if needs else failed
    return Outcome(
        suppressed=found.suppressed,
        classes=found.classes,
        squares=found.squares,
        leaf_sums=whole - found.lost_leaves,
        level_sums=np.array(levels, dtype=np.int64) * (problem.scale.records - found.suppressed),
        majority=rolled.label.majority(kept) if "majority" in needs and rolled.label is not None else None,
        products=_products(problem, rolled, kept) if "products" in needs else None,
        bits=_bits(problem, rolled, failed) if "bits" in needs else None,
        cross_nats=_cross_nats(problem, rolled, kept, found.suppressed) if "cross_nats" in needs else None,
    )


def _products(problem: Problem, rolled: Rolled, kept: Mask) -> float:
    """Over the kept records, how many original tuples each one's released tuple may stand for."""
    tuples = rolled.records[kept].astype(float)
    with np.errstate(over="ignore"):
        for column, (h, level) in enumerate(zip(problem.hierarchies, rolled.levels, strict=True)):
            tuples *= h.leaf_counts[level][rolled.codes[kept, column]]
        return float(tuples.sum())


def _bits(problem: Problem, rolled: Rolled, failed: Mask) -> Floats:
    """Per attribute, over all records. What suppression costs is added, so no rounding brings it below the ideal."""
    records = problem.scale.records
    found = []
    for column, level in enumerate(rolled.levels):
        sharing = problem.sharing[column][level][rolled.codes[failed, column]]
        more = rolled.records[failed] * np.log2(records / np.maximum(sharing, 1))
        found.append(problem.bit_totals[column][level] + more.sum())
    return np.array(found, dtype=float)


def _cross_nats(problem: Problem, rolled: Rolled, kept: Mask, suppressed: int) -> float:
    """Over all records, −ln of the share that the release gives the original tuple: its class's, spread evenly over
    the tuples it may stand for, and that of the suppressed records, spread over all tuples there are."""
    there = rolled.records > 0
    sizes = rolled.records[there]
    spread = np.zeros(len(sizes))
    for column, (h, level) in enumerate(zip(problem.hierarchies, rolled.levels, strict=True)):
        spread += np.log(h.leaf_counts[level])[rolled.codes[there, column]]
    total = np.log(problem.scale.records)
    with np.errstate(divide="ignore"):
        own = np.where(kept[there], np.log(sizes) - total - spread, -np.inf)
        starred = np.log(suppressed) - total - np.log(problem.scale.leaves).sum()
    return float(-(sizes * np.logaddexp(own, starred)).sum())
