"""The graphical model that fits noisy counts best, and the junction tree that draws records from it.

It is estimated by `mbi` (private-PGM; McKenna, Sheldon & Miklau 2019) and kept as a calibrated junction tree, which
computes any marginal. It uses noisy figures only, so all of it is post-processing, and rounding of floats costs no
privacy.
"""

from __future__ import annotations

import functools
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from types import ModuleType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cobogo.floor.arrays import Floats, Ints
from cobogo.floor.extras import require
from cobogo.floor.language import tr
from cobogo.floor.randomness import Source
from cobogo.publish.synthesize.private import Attributes, MarginalMeasurement, nonnegative

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False, repr=False)
class JunctionClique:
    """A node of the tree: some attributes, their joint distribution, and the attributes shared with its parent."""

    attributes: Attributes
    shares: Array
    above: int  # the parent's index in the list; −1 for a root
    shared: Attributes  # with the parent


@dataclass(frozen=True, eq=False, repr=False)
class JunctionTree:
    """Nodes, each after its parent; every attribute is in some node."""

    sizes: tuple[int, ...]
    cliques: tuple[JunctionClique, ...]

    def marginal(self, attributes: Attributes) -> Array:
        """The joint distribution of any attributes, in the order given."""
        import opt_einsum

        operands: list[Any] = []
        needed = self._nodes_holding(attributes)
        for place in needed:
            clique = self.cliques[place]
            above = clique.above in needed
            operands += [_conditional(clique) if above else clique.shares, list(clique.attributes)]
        return np.asarray(opt_einsum.contract(*operands, list(attributes)), dtype=np.float64)

    def _nodes_holding(self, attributes: Attributes) -> list[int]:
        """The nodes of the smallest subtrees that contain the attributes: leaves that add none are pruned in turn."""
        beside, wanted = [set(around) for around in self._neighbours], set(attributes)
        gone: set[int] = set()
        waiting = [place for place, around in enumerate(beside) if len(around) <= 1]
        while waiting:
            place = waiting.pop()
            if place in gone or len(beside[place]) > 1 or len(gone) == len(beside) - 1:
                continue
            held: set[int] = set().union(*(self.cliques[n].attributes for n in beside[place]))
            if wanted.intersection(self.cliques[place].attributes) <= held:
                gone.add(place)
                for other in beside[place]:
                    beside[other].discard(place)
                    waiting.append(other)
        return [place for place in range(len(beside)) if place not in gone]

    @cached_property
    def _neighbours(self) -> list[set[int]]:
        found: list[set[int]] = [set() for _ in self.cliques]
        for place, clique in enumerate(self.cliques):
            if clique.above >= 0:
                found[place].add(clique.above)
                found[clique.above].add(place)
        return found

    def draw(self, records: int, source: Source) -> list[Ints]:
        """Draw records from the model: one column of codes for each attribute."""
        columns: dict[int, Ints] = {}
        for clique in self.cliques:
            fresh = tuple(a for a in clique.attributes if a not in clique.shared)
            order = [clique.attributes.index(a) for a in (*clique.shared, *fresh)]
            table = np.transpose(clique.shares, order)
            seen = int(np.prod([self.sizes[a] for a in clique.shared], dtype=np.int64))
            table = table.reshape(seen, -1)
            group = np.zeros(records, dtype=np.int64)
            for attribute in clique.shared:
                group = group * self.sizes[attribute] + columns[attribute]
            drawn = draw_systematic(table, group, source)
            for attribute in reversed(fresh):
                drawn, columns[attribute] = np.divmod(drawn, self.sizes[attribute])
        return [columns[place] for place in range(len(self.sizes))]


def calibrate(
    sizes: tuple[int, ...],
    nodes: Sequence[Attributes],
    edges: Sequence[tuple[int, int]],
    logs: Mapping[Attributes, Array],
) -> JunctionTree:
    """Calibrate the tree of a model given the logarithms of its factors: messages go up to the roots and down again."""
    order, above = root_forest(len(nodes), edges)
    place = {node: number for number, node in enumerate(order)}
    attributes = [nodes[node] for node in order]
    parents = [place[above[node]] if above[node] >= 0 else -1 for node in order]
    beliefs = [np.zeros([sizes[a] for a in own]) for own in attributes]
    for factor, values in logs.items():
        home = next(n for n, own in enumerate(attributes) if set(factor) <= set(own))
        beliefs[home] = beliefs[home] + _spread(values, factor, attributes[home])
    shared = [
        tuple(a for a in own if parents[n] >= 0 and a in attributes[parents[n]]) for n, own in enumerate(attributes)
    ]
    upward: dict[int, Array] = {}
    for n in reversed(range(len(attributes))):
        if parents[n] >= 0:
            upward[n] = _log_sum(beliefs[n], attributes[n], shared[n])
            beliefs[parents[n]] = beliefs[parents[n]] + _spread(upward[n], shared[n], attributes[parents[n]])
    for n, up in enumerate(parents):
        if up >= 0:
            down = _log_sum(beliefs[up], attributes[up], shared[n]) - upward[n]
            beliefs[n] = beliefs[n] + _spread(down, shared[n], attributes[n])
    found = [np.exp(b - b.max()) for b in beliefs]
    return JunctionTree(
        sizes,
        tuple(
            JunctionClique(own, shares / shares.sum(), up, common)
            for own, shares, up, common in zip(attributes, found, parents, shared, strict=True)
        ),
    )


def draw_systematic(shares: Floats, group: Ints, source: Source) -> Ints:
    """Draw for each row a column of its group's row of ``shares``, by systematic sampling.

    In each group every column occurs as often as its share says, to within one, in random order. A group whose shares
    are all 0 is drawn uniformly.
    """
    rows = len(group)
    keys = source.words(rows)
    order = np.lexsort((keys, group))
    present, starts, counts = np.unique(group[order], return_index=True, return_counts=True)
    table = np.maximum(shares[present], 0.0)
    sums = table.sum(axis=1, keepdims=True)
    table = np.where(sums > 0, table / np.where(sums > 0, sums, 1.0), 1 / table.shape[1])
    ends = np.cumsum(table, axis=1)
    ends /= ends[:, -1:]
    rank = np.arange(rows) - np.repeat(starts, counts)
    offset = np.repeat(source.words(len(present)) / 2.0**64, counts)
    points = (rank + offset) / np.repeat(counts, counts)
    which = np.repeat(np.arange(len(present)), counts)
    flat = (ends + np.arange(len(present))[:, None]).ravel()
    found = np.searchsorted(flat, points + which, side="right") - which * table.shape[1]
    drawn = np.empty(rows, dtype=np.int64)
    drawn[order] = np.clip(found, 0, table.shape[1] - 1)
    return drawn


def root_forest(nodes: int, edges: Sequence[tuple[int, int]]) -> tuple[list[int], list[int]]:
    """Order the nodes of a forest so that each follows its parent; return the order and the parents."""
    beside: list[list[int]] = [[] for _ in range(nodes)]
    for one, other in edges:
        beside[one].append(other)
        beside[other].append(one)
    above, order = [-1] * nodes, []
    seen: set[int] = set()
    for root in range(nodes):
        waiting = [] if root in seen else [root]
        seen.add(root)
        while waiting:
            node = waiting.pop()
            order.append(node)
            for next_node in beside[node]:
                if next_node not in seen:
                    seen.add(next_node)
                    above[next_node] = node
                    waiting.append(next_node)
    return order, above


def _conditional(clique: JunctionClique) -> Array:
    """The distribution of a clique given the attributes that it shares with its parent."""
    axes = tuple(n for n, a in enumerate(clique.attributes) if a not in clique.shared)
    below = clique.shares.sum(axis=axes, keepdims=True)
    found: Array = np.divide(clique.shares, below, out=np.zeros_like(clique.shares), where=below > 0)
    return found


def _spread(values: Array, attributes: Attributes, into: Attributes) -> Array:
    """Reshape a factor so that it can be added to a factor over more attributes."""
    order = [attributes.index(a) for a in into if a in attributes]
    moved = np.transpose(values, order)
    sizes = iter(moved.shape)
    found: Array = moved.reshape([next(sizes) if a in attributes else 1 for a in into])
    return found


def _log_sum(values: Array, attributes: Attributes, kept: Attributes) -> Array:
    """The logarithm of the sum of exponentials over the attributes that are not kept."""
    axes = tuple(n for n, a in enumerate(attributes) if a not in kept)
    top = values.max(axis=axes, keepdims=True)
    summed = np.log(np.exp(values - top).sum(axis=axes, keepdims=True)) + top
    found: Array = summed.reshape([n for n, a in zip(values.shape, attributes, strict=True) if a in kept])
    return found


LONG, SHORT = 3000, 500
"""The largest number of steps of mirror descent, for the final model and for intermediate ones of AIM, which only rank
marginals."""

CONVERGED = 1e-5
"""Descent stops when 50 steps improve the loss by less than this share of it: further steps change counts by far less
than the noise."""


FLOOR = 0.05
"""Records added to every cell of the starting model: mirror descent multiplies, so a cell that starts at 0 stays 0."""


def require_mbi(where: str) -> None:
    """Refuse to go on without mbi."""
    missing = tr("synthetic data with differential privacy need mbi, which is not installed")
    require("mbi", "synth", missing, where=where)


def require_scipy(where: str) -> None:
    """Refuse to go on without SciPy, which baselines need."""
    require("scipy", "synth", tr("the method needs SciPy, which is not installed"), where=where)


@functools.cache
def mbi() -> ModuleType:
    """Load mbi and JAX, on the CPU and with 64-bit floats, when they are first needed."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import jax

        jax.config.update("jax_platforms", "cpu")
        jax.config.update("jax_enable_x64", True)
        jax.config.update("jax_enable_compilation_cache", False)
        return import_module("mbi")


def domain(sizes: Sequence[int]) -> Any:
    """A domain of mbi, whose attributes are named by their indices."""
    return mbi().Domain([str(place) for place in range(len(sizes))], list(sizes))


def clique_names(attributes: Attributes) -> tuple[str, ...]:
    """The names of attributes in mbi."""
    return tuple(str(place) for place in attributes)


def megabytes(sizes: Sequence[int], cliques: Sequence[Attributes]) -> float:
    """The size of a model over these marginals."""
    return float(mbi().junction_tree.hypothetical_model_size(domain(sizes), [clique_names(c) for c in cliques]))


class EstimatedModel:
    """A fitted model of mbi, from which a later fit can start."""

    def __init__(self, sizes: tuple[int, ...], model: Any) -> None:
        self.sizes, self.model = sizes, model

    @functools.cached_property
    def tree(self) -> JunctionTree:
        """The model as a tree that draws records."""
        potentials = self.model.potentials
        cliques = [tuple(clique) for clique in potentials.cliques]
        tree, _ = mbi().junction_tree.make_junction_tree(domain(self.sizes), cliques)
        nodes = list(tree.nodes)
        place = {node: number for number, node in enumerate(nodes)}
        logs = {
            tuple(int(a) for a in clique): np.asarray(potentials[clique].datavector(flatten=False), dtype=np.float64)
            for clique in potentials.cliques
        }
        edges = [(place[one], place[other]) for one, other in tree.edges]
        return calibrate(self.sizes, [tuple(int(a) for a in node) for node in nodes], edges, logs)


def estimate(
    sizes: tuple[int, ...],
    measured: Sequence[MarginalMeasurement],
    records: float,
    *,
    steps: int = LONG,
    start: EstimatedModel | None = None,
) -> EstimatedModel:
    """Fit a model to measurements, each weighted by its precision."""
    library = mbi()
    found = [_linear(one) for one in combine(measured)]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        # Of mbi's ways to compute marginals the one that compiles fastest where many attributes hang on one.
        oracle = library.marginal_oracles.message_passing_shafer_shenoy
        fitted = library.estimation.MirrorDescent(marginal_oracle=oracle).estimate(
            domain(sizes),
            found,
            known_total=float(records),
            iters=steps,
            tol=CONVERGED,
            warm_start=starting_model(sizes, combine(measured), records) if start is None else start.model,
        )
    return EstimatedModel(sizes, fitted)


def starting_model(sizes: tuple[int, ...], measured: Sequence[MarginalMeasurement], records: float) -> Any:
    """The model that descent starts from, or None where a clique of the junction tree was not measured.

    It is the product of the measured marginals, each conditioned on the attributes that it shares with its parent in
    the tree: close to the solution.
    """
    library, space = mbi(), domain(sizes)
    known = {clique_names(one.attributes): nonnegative(one.counts, records) for one in measured}
    tree, _ = library.junction_tree.make_junction_tree(space, list(known))
    nodes = [tuple(node) for node in tree.nodes]
    if not set(nodes) <= set(known):
        return None
    place = {node: number for number, node in enumerate(nodes)}
    order, above = root_forest(len(nodes), [(place[one], place[other]) for one, other in tree.edges])
    factors = {}
    for number in order:
        node = nodes[number]
        shape = [sizes[int(a)] for a in node]
        shares = known[node].reshape(shape) + FLOOR
        shared = set(nodes[above[number]]) if above[number] >= 0 else set()
        apart = tuple(axis for axis, a in enumerate(node) if a not in shared)
        logs = np.log(shares) - (np.log(shares.sum(axis=apart, keepdims=True)) if len(apart) < len(node) else 0)
        factors[node] = library.Factor(space.project(node), logs)
    return library.CliqueVector(space, nodes, factors)


def _linear(measured: MarginalMeasurement) -> Any:
    """A measurement in mbi's form; a count that is a sum of several has the noise of all of them."""
    library = mbi()
    counts = np.asarray(measured.counts, dtype=np.float64)
    if measured.summed is None:
        return library.LinearMeasurement(counts, clique_names(measured.attributes), stddev=float(measured.deviation))
    weights = 1 / np.sqrt(measured.summed)
    return library.LinearMeasurement(
        counts * weights,
        clique_names(measured.attributes),
        stddev=measured.deviation,
        query=library.WeightedQuery(weights),
    )


def combine(measured: Sequence[MarginalMeasurement]) -> list[MarginalMeasurement]:
    """Combine measurements of the same attributes to their mean, weighted by precision."""
    by_name: dict[Attributes, list[MarginalMeasurement]] = {}
    for one in measured:
        by_name.setdefault(one.attributes, []).append(one)
    found = []
    for attributes, several in sorted(by_name.items()):
        if len(several) == 1:
            found.append(several[0])
            continue
        weights = np.array([1 / m.deviation**2 for m in several])
        mean = sum(w * m.counts for w, m in zip(weights, several, strict=True)) / weights.sum()
        found.append(MarginalMeasurement(attributes, np.asarray(mean, dtype=np.float64), float(weights.sum() ** -0.5)))
    return found
