"""Estimation by `mbi` (private-PGM; McKenna, Sheldon & Miklau 2019): the graphical model that fits noisy counts best.

It uses noisy figures only and draws nothing at random: estimation is post-processing, which costs no privacy.
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
from cobogo.floor.language import tr
from cobogo.publish.synthesize.belief import JunctionTree, calibrate, root_forest
from cobogo.publish.synthesize.private import Attributes, MarginalMeasurement, nonnegative

LONG, SHORT = 3000, 500
"""The largest number of steps of mirror descent, for the final model and for intermediate ones of AIM, which only rank
marginals."""

CONVERGED = 1e-5
"""Descent stops when 50 steps improve the loss by less than this share of it: further steps change counts by far less
than the noise."""


FLOOR = 0.05
"""Records added to every cell of the starting model: mirror descent multiplies, so a cell that starts at 0 stays 0."""


def require(where: str) -> None:
    """Raise an error that says what to install, if mbi is not."""
    if find_spec("mbi") is None:
        raise PolicyError(
            tr("synthetic data with differential privacy need mbi, which is not installed"),
            where=where,
            remedy=tr("Install it: pip install 'cobogo[synth]'."),
        )


def require_scipy(where: str) -> None:
    """Raise an error if SciPy, which baselines need, is not installed."""
    if find_spec("scipy") is None:
        raise PolicyError(
            tr("the method needs SciPy, which is not installed"),
            where=where,
            remedy=tr("Install it: pip install 'cobogo[synth]'."),
        )


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
