"""Estimation by `mbi` (private-PGM; McKenna, Sheldon & Miklau 2019): the graphical model that fits noisy counts best.

It sees noisy figures only, so that it costs nobody anything: estimation is post-processing. It draws no chance.
"""

from __future__ import annotations

import functools
import warnings
from collections.abc import Sequence
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType
from typing import Any

import numpy as np

from cobogo.errors import PolicyError
from cobogo.publish.synthesize.belief import JunctionTree, calibrate, root_forest
from cobogo.publish.synthesize.private import Attributes, MarginalMeasurement, nonnegative

LONG, SHORT = 3000, 500
"""Steps of mirror descent: for the model that records are drawn from, and for those on the way to it."""

CONVERGED = 1e-5
"""The improvement in 50 steps, relative to the loss, that is not worth going on for."""


FLOOR = 0.05
"""Records that every cell is taken to have at the beginning: from none at all no step leads away."""


def require(where: str) -> None:
    """Say what to install, where mbi is not."""
    if find_spec("mbi") is None:
        raise PolicyError(
            "synthetic data with differential privacy is estimated with mbi, which is not installed",
            where=where,
            remedy="Install it: pip install 'cobogo[synth]'.",
        )


def require_scipy(where: str) -> None:
    """The same of SciPy, which is all that baselines need."""
    if find_spec("scipy") is None:
        raise PolicyError("needs SciPy, which is not installed", where=where, remedy="pip install 'cobogo[synth]'.")


@functools.cache
def mbi() -> ModuleType:
    """The library, on the processor and with floats of 64 bits; it and JAX are loaded when first needed."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import jax

        jax.config.update("jax_platforms", "cpu")
        jax.config.update("jax_enable_x64", True)
        jax.config.update("jax_enable_compilation_cache", False)
        return import_module("mbi")


def domain(sizes: Sequence[int]) -> Any:
    """A domain of mbi's, whose attributes are named by their places."""
    return mbi().Domain([str(place) for place in range(len(sizes))], list(sizes))


def clique_names(attributes: Attributes) -> tuple[str, ...]:
    """Attributes as mbi names them."""
    return tuple(str(place) for place in attributes)


def megabytes(sizes: Sequence[int], cliques: Sequence[Attributes]) -> float:
    """How large a model over these marginals would be."""
    return float(mbi().junction_tree.hypothetical_model_size(domain(sizes), [clique_names(c) for c in cliques]))


class EstimatedModel:
    """A model that was fitted, and the one to start from when more is known."""

    def __init__(self, sizes: tuple[int, ...], model: Any) -> None:
        self.sizes, self.model = sizes, model

    @functools.cached_property
    def tree(self) -> JunctionTree:
        """The same, as a tree that draws records."""
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
    """The model of a domain that fits measurements best, each by how little noise it has."""
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
    """Where the descent begins: the product of what was measured, each marginal given what it shares with the one above
    it in the junction tree. That is close where the tree's cliques are the marginals; None where they are not.
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
    """A measurement as mbi has it; a count that is a sum of several has their noise together."""
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
    """Measurements of the same attributes as one, each by how little noise it has."""
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
