"""Estimates from randomized data: counts with their standard errors, densities, association rules and decision trees.

Counts come from codes and an operator, or from the public directory of a release, which is all that a recipient has.
Rules and trees are mined by counts that are corrected for the draws. The density is that of a numeric attribute under
additive noise, beside an attack that removes weak noise.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np

from cobogo.data.hierarchy import Label
from cobogo.data.table.frequency import FrequencyTable, frequency_table
from cobogo.data.table.read import Table, read
from cobogo.errors import OutputError
from cobogo.floor.arrays import Floats, Ints, Mask
from cobogo.floor.language import tr
from cobogo.floor.untrusted import fraction
from cobogo.promises.operators import Operator, Uniform, estimate_by_inversion, project_onto_simplex, read_operator
from cobogo.release import manifest as manifests


@dataclass(frozen=True)
class CountEstimate:
    """An estimated count, and its standard error over the draws."""

    count: float
    error: float

    @property
    def estimable(self) -> bool:
        """Whether the error is no larger than the count: below that a count says nothing."""
        return self.error <= self.count

    def interval(self, confidence: float = 0.95) -> tuple[float, float]:
        """A symmetric interval that holds the true count with about this probability.

        >>> [round(bound, 2) for bound in CountEstimate(100.0, 10.0).interval()]
        [80.4, 119.6]
        """
        half = self.error * quantile(0.5 + confidence / 2)
        return self.count - half, self.count + half

    def __add__(self, other: CountEstimate) -> CountEstimate:
        """The sum of two counts of independently drawn records."""
        return CountEstimate(self.count + other.count, math.hypot(self.error, other.error))


def quantile(share: float) -> float:
    """A quantile of the standard normal distribution."""
    from statistics import NormalDist

    return NormalDist().inv_cdf(share)


def count(operator: Operator, observed: Ints, wanted: Collection[int]) -> CountEstimate:
    """Estimate how many of some records have one of the ``wanted`` values; ``observed`` counts their released values.

    Any condition on columns that were released as they are may select the records. The variance is that of the draws,
    with the estimates in place of the true counts.
    """
    codes = sorted(set(wanted))
    if isinstance(operator, Uniform):
        return _count_uniform(operator, observed, codes)
    weights = np.zeros(operator.size)
    weights[codes] = 1
    matrix = operator.matrix()
    try:
        reader = np.linalg.solve(matrix.T, weights)  # what each released value adds to the estimate
    except np.linalg.LinAlgError:
        raise ValueError("two values are released alike: counts of one of them cannot be estimated") from None
    records = int(observed.sum())
    found = records * project_onto_simplex(estimate_by_inversion(operator, observed))
    mean, square = reader @ matrix, (reader**2) @ matrix
    return CountEstimate(float(reader @ observed), math.sqrt(max(float(found @ (square - mean**2)), 0.0)))


def _count_uniform(operator: Uniform, observed: Ints, codes: Sequence[int]) -> CountEstimate:
    """(o_S − n·|S|·q)/p; the variance [c·a(1 − a) + (n − c)·b(1 − b)]/p² with b = |S|·q and a = p + b."""
    p, b = float(operator.retention), len(codes) * float(operator.other)
    records = int(observed.sum())
    found = (int(observed[codes].sum()) - records * b) / p
    true = min(max(found, 0.0), float(records))
    return CountEstimate(found, math.sqrt(max(uniform_variance(operator, true, records, len(codes)), 0.0)))


def uniform_variance(operator: Uniform, true: float, records: int, values: int) -> float:
    """The variance of an estimated count, given the true count."""
    p, b = float(operator.retention), values * float(operator.other)
    a = p + b
    return (true * a * (1 - a) + (records - true) * b * (1 - b)) / (p * p)


def count_sampled(operator: Uniform, observed: Ints, sizes: Ints, wanted: Collection[int]) -> CountEstimate:
    """Estimate a count from a release of one record of each group: ``observed[g]`` is its value.

    Each record has the weight of its group's size; the variance includes the choice of one record in each group.
    """
    p, b = float(operator.retention), len(set(wanted)) * float(operator.other)
    hits = np.isin(observed, sorted(set(wanted)))
    each = sizes * (hits - b) / p
    return CountEstimate(float(each.sum()), float(np.sqrt((sizes**2 * _variance_each(hits, p, b)).sum())))


def _variance_each(hits: Mask, p: float, b: float) -> Floats:
    """The approximate variance of one record's estimate: that of a Bernoulli draw with the overall share, over p²."""
    share = float(np.clip(hits.mean(), 1e-12, 1 - 1e-12)) if len(hits) else 0.0
    return np.full(len(hits), max(share * (1 - share), b * (1 - b)) / (p * p))


Values = Mapping[str, Collection[Label]]


def estimate_count(public: str | Path, where: Values, sensitive: Values) -> CountEstimate:
    """Estimate how many original records have certain values, from the public directory of a release.

    ``where`` gives the values of attributes that were not randomized, ``sensitive`` those of one that was. In a release
    by alpha-beta no column is distinguished, and distinct records are counted.
    """
    directory = Path(public)
    manifest = manifests.load(directory)
    stated = manifest.transformation or {}
    if manifest.kind != "randomization" or manifest.data.file is None:
        raise OutputError(
            tr("is not a randomized release in files"), where=str(directory), remedy=tr("Count its rows instead.")
        )
    table = read(directory / manifest.data.file, manifest.data.reading)
    unknown = {*where, *sensitive} - set(table.columns)
    if unknown:
        raise OutputError(
            tr("does not have the columns {names}", names=", ".join(sorted(unknown))),
            where=str(directory),
            remedy=tr("The data have these columns: {known}.", known=", ".join(table.columns)),
        )
    if stated["method"] == "alpha-beta":
        return _count_in_set(table, stated, {**where, **sensitive})
    if len(sensitive) != 1:
        raise OutputError(tr("only one randomized attribute can be counted at a time"), where=str(directory))
    ((name, wanted),) = sensitive.items()
    for part in stated.get("drawn", ()):
        if set(where) & set(part["attributes"]):
            raise OutputError(
                tr(
                    "{where} was randomized too: joint counts of two randomized attributes cannot be estimated",
                    where=", ".join(where),
                )
            )
        if name in part["attributes"]:
            return _count_in_column(table, part, name, where, wanted)
    if stated.get("attribute") != name:
        raise OutputError(
            tr('the column "{name}" was not randomized', name=name),
            where=str(directory),
            remedy=tr("Count its rows instead."),
        )
    if stated["method"] == "small-domain":
        return _count_in_parts(table, stated, name, where, wanted)
    return _count_in_groups(table, stated, name, where, wanted)


def _count_in_column(
    table: Table, part: Mapping[str, Any], name: str, where: Values, wanted: Collection[Label]
) -> CountEstimate:
    """Estimate by the attribute's operator; where several were drawn together, by the operator of its marginal."""
    domain = part["domains"][part["attributes"].index(name)]
    operator = read_operator(part)
    if len(part["attributes"]) > 1:
        assert isinstance(operator, Uniform)
        operator = Uniform(len(domain), operator.retention)
    return count(operator, _count_released(table, name, domain, where), _codes(domain, wanted))


def _count_in_parts(
    table: Table, stated: Mapping[str, Any], name: str, where: Values, wanted: Collection[Label]
) -> CountEstimate:
    """Estimate part by part: each was drawn independently."""
    total = CountEstimate(0.0, 0.0)
    for number, part in enumerate(stated["parts"], 1):
        codes = _codes(part["domain"], wanted)
        if codes:
            operator = Uniform(len(part["domain"]), fraction(part["retention"]))
            observed = _count_released(table, name, part["domain"], {**where, stated["column"]: [str(number)]})
            total += count(operator, observed, codes)
    return total


def _count_in_groups(
    table: Table, stated: Mapping[str, Any], name: str, where: Values, wanted: Collection[Label]
) -> CountEstimate:
    """Weight each record by the size of its group; conditions are on generalized values, as released."""
    counted = frequency_table(table, [name, stated["size"], *where], [])
    inside = _matching(counted, where)
    codes = np.array([stated["domain"].index(label) for label in counted.values[name]], dtype=np.int64)
    sizes = np.array([int(label or 0) for label in counted.values[stated["size"]]], dtype=np.int64)
    shown = np.repeat(codes[counted.codes[inside, 0]], counted.counts[inside])
    weights = np.repeat(sizes[counted.codes[inside, 1]], counted.counts[inside])
    operator = Uniform(len(stated["domain"]), fraction(stated["retention"]))
    return count_sampled(operator, shown, weights, _codes(stated["domain"], wanted))


def _count_in_set(table: Table, stated: Mapping[str, Any], where: Values) -> CountEstimate:
    """Estimate (v − β·N)/α, with the variance of the draws."""
    alpha, beta = float(fraction(stated["alpha"])), float(fraction(stated["beta"]))
    names = list(stated["domains"])
    counted = frequency_table(table, names, [])
    released = int(counted.counts[_matching(counted, where)].sum())
    possible = math.prod(
        len(domain) if name not in where else len(_codes(domain, where[name]))
        for name, domain in stated["domains"].items()
    )
    found = (released - beta * possible) / alpha
    true = min(max(found, 0.0), float(possible))
    kept = alpha + beta
    spread = true * kept * (1 - kept) + (possible - true) * beta * (1 - beta)
    return CountEstimate(found, math.sqrt(spread) / alpha)


def _count_released(table: Table, name: str, domain: Sequence[Label], where: Values) -> Ints:
    """How often each value of a domain was released in the records that meet a condition."""
    counted = frequency_table(table, [name, *where], [])
    inside = _matching(counted, where)
    place = {label: code for code, label in enumerate(domain)}
    codes = np.array([place.get(label, -1) for label in counted.values[name]], dtype=np.int64)[counted.codes[:, 0]]
    inside &= codes >= 0
    return np.bincount(codes[inside], counted.counts[inside], len(domain)).astype(np.int64)


def _matching(counted: FrequencyTable, where: Values) -> Mask:
    found = np.ones(len(counted.counts), dtype=np.bool_)
    for name, wanted in where.items():
        column = counted.quasi_identifiers.index(name)
        chosen = [code for code, label in enumerate(counted.values[name]) if label in wanted]
        found &= np.isin(counted.codes[:, column], chosen)
    return found


def _codes(domain: Sequence[Label], wanted: Collection[Label]) -> list[int]:
    return [code for code, label in enumerate(domain) if label in wanted]


NOISES = ("gaussian", "laplace", "uniform")


def noise_density(kind: str, scale: float, distance: Floats) -> Floats:
    """The density of independent noise with mean 0 and the standard deviation ``scale``."""
    if kind == "uniform":
        half = scale * np.sqrt(3)
        return np.where(abs(distance) <= half, 1 / (2 * half), 0.0)
    if kind == "laplace":
        b = scale / np.sqrt(2)
        return np.asarray(np.exp(-abs(distance) / b) / (2 * b))
    if kind == "gaussian":
        return np.asarray(np.exp(-((distance / scale) ** 2) / 2) / (scale * np.sqrt(2 * np.pi)))
    raise ValueError(f"The 'kind' of noise must be one of {', '.join(NOISES)}. Got {kind!r} instead")


@dataclass(frozen=True)
class Density:
    """A distribution over intervals of equal width."""

    edges: Floats
    shares: Floats


def reconstruct(
    noisy: Floats, kind: str, scale: float, low: float, high: float, *, intervals: int = 50, rounds: int = 500
) -> Density:
    """Estimate the density of values between ``low`` and ``high`` from values with noise of a known distribution.

    Expectation maximization over intervals (Agrawal and Srikant 2000; Agrawal and Aggarwal 2001). Noisy values are
    first counted in intervals, so that the time of a round does not grow with their number.
    """
    edges = np.linspace(low, high, intervals + 1)
    width = edges[1] - edges[0]
    before = int(np.ceil(max(low - noisy.min(), 0) / width))
    after = int(np.ceil(max(noisy.max() - high, 0) / width))
    wide = low + width * np.arange(-before, intervals + after + 1)
    seen = np.histogram(np.clip(noisy, wide[0], wide[-1]), wide)[0] / len(noisy)
    middles = (wide[:-1] + wide[1:]) / 2
    kernel = noise_density(kind, scale, middles[:, None] - ((edges[:-1] + edges[1:]) / 2)[None, :]) * width
    kernel = np.maximum(kernel, 1e-300)
    kernel = kernel / kernel.sum(axis=0)
    guess = np.full(intervals, 1 / intervals)
    for _ in range(rounds):
        ratio = seen / (kernel @ guess)
        step = guess * (kernel.T @ ratio)
        if abs(step - guess).sum() < 1e-7:
            break
        guess = step
    return Density(edges, guess / guess.sum())


def filter_noise(noisy: Floats, scale: float) -> Floats:
    """Estimate the noise-free values by spectral filtering (Kargupta, Datta, Wang and Sivakumar 2003).

    Noise of equal variance in every column adds that variance to every eigenvalue of the covariance; correlated columns
    concentrate their own variance in a few. Projecting on the eigenvectors above what noise alone explains (the edge of
    the Marchenko–Pastur law) removes most of the noise and keeps most of the values.
    """
    records, columns = noisy.shape
    centre = noisy.mean(axis=0)
    values, vectors = np.linalg.eigh(np.cov(noisy - centre, rowvar=False))
    edge = scale**2 * (1 + np.sqrt(columns / records)) ** 2
    chosen = vectors[:, values > edge]
    shrink = (values[values > edge] - scale**2) / values[values > edge]
    return np.asarray(centre + ((noisy - centre) @ chosen * shrink) @ chosen.T)


Correction = Callable[[Ints], Floats]
"""Maps the released counts of the values of some records to the estimated original counts."""


def correction(operator: Operator) -> Correction:
    """Correct by the inverse of the operator; negative counts stay, because they are summed."""
    return lambda observed: operator.inverse(observed.astype(float))


def no_correction(observed: Ints) -> Floats:
    """The counts themselves, for values that were not randomized."""
    return observed.astype(float)


@dataclass(frozen=True)
class Rule:
    """Records with these values (column, code) tend to have a value of the randomized attribute."""

    condition: tuple[tuple[int, int], ...]
    value: int
    support: float  # share of all records that have both
    confidence: float  # share of those with the condition that have the value


def find_rules(
    columns: Ints,
    target: Ints,
    values: int,
    estimate: Correction,
    *,
    support: float,
    confidence: float,
    longest: int = 2,
) -> tuple[Rule, ...]:
    """Find association rules from conditions on columns released as they are to values of a randomized one.

    The records of a condition are known exactly; their values are estimated. A condition below the support has no
    extension above it, so its extensions are not tried (Agrawal and Srikant 1994).
    """
    records = len(target)
    least = support * records
    found: list[Rule] = []
    alone = [(c, v) for c in range(columns.shape[1]) for v in range(int(columns[:, c].max(initial=-1)) + 1)]
    masks: dict[tuple[tuple[int, int], ...], Mask] = {}
    for item in alone:
        mask = columns[:, item[0]] == item[1]
        if mask.sum() >= least:
            masks[item,] = mask
    frequent = [key[0] for key in masks]
    for length in range(2, longest + 1):
        for items in combinations(frequent, length):
            if len({c for c, _ in items}) == length and items[:-1] in masks:
                mask = masks[items[:-1]] & masks[items[-1],]
                if mask.sum() >= least:
                    masks[items] = mask
    for items, mask in masks.items():
        among = int(mask.sum())
        likely = estimate(np.bincount(target[mask], minlength=values))
        for value in np.flatnonzero((likely >= least) & (likely >= confidence * among)).tolist():
            found.append(Rule(items, value, float(likely[value]) / records, float(likely[value]) / among))
    return tuple(found)


@dataclass(frozen=True, eq=False, repr=False)
class DecisionTree:
    """A node of a decision tree: a column and a subtree for each of its values, or a leaf."""

    value: int
    column: int | None = None
    branches: dict[int, DecisionTree] = field(default_factory=dict)

    def predict(self, columns: Ints) -> Ints:
        """The likeliest value of each record."""
        found = np.full(len(columns), self.value, dtype=np.int64)
        for code, branch in self.branches.items():
            rows = np.flatnonzero(columns[:, self.column] == code)
            found[rows] = branch.predict(columns[rows])
        return found


def grow_tree(
    columns: Ints, target: Ints, values: int, estimate: Correction, *, deepest: int = 3, fewest: int = 200
) -> DecisionTree:
    """Grow a decision tree for a randomized attribute (Du and Zhan 2003).

    The records of a node are known exactly; the distribution of the attribute among them is estimated, and the gain of
    a split is computed from the estimates. Nodes of fewer than ``fewest`` records are leaves: estimates from fewer are
    mostly noise.
    """
    shares = _shares(target, values, estimate)
    leaf = DecisionTree(int(shares.argmax()))
    if deepest == 0 or len(target) < fewest:
        return leaf
    gains = [_gain(columns[:, c], target, values, estimate, shares, fewest) for c in range(columns.shape[1])]
    best = int(np.argmax(gains)) if gains else -1
    if best < 0 or gains[best] <= 1e-9:
        return leaf
    branches = {
        int(code): grow_tree(columns[rows], target[rows], values, estimate, deepest=deepest - 1, fewest=fewest)
        for code in np.unique(columns[:, best])
        if len(rows := np.flatnonzero(columns[:, best] == code)) >= fewest
    }
    return DecisionTree(leaf.value, best, branches)


def _shares(target: Ints, values: int, estimate: Correction) -> Floats:
    """The estimated distribution, with negative counts set to 0."""
    likely = np.clip(estimate(np.bincount(target, minlength=values)), 0, None)
    return np.asarray(likely / max(likely.sum(), 1e-12))


def _gain(column: Ints, target: Ints, values: int, estimate: Correction, shares: Floats, fewest: int) -> float:
    """The decrease of the Gini impurity."""
    inside = 0.0
    for code in np.unique(column):
        mine = target[column == code]
        part = _shares(mine, values, estimate) if len(mine) >= fewest else shares
        inside += len(mine) / len(target) * (1 - float((part**2).sum()))
    return 1 - float((shares**2).sum()) - inside


def accuracy(found: DecisionTree, columns: Ints, truth: Ints) -> float:
    """The share of records whose value is predicted right."""
    return float((found.predict(columns) == truth).mean())


def agreement(one: Sequence[Rule], other: Sequence[Rule]) -> tuple[float, float]:
    """Recall and precision of the second set of rules with respect to the first."""
    mine, theirs = ({(rule.condition, rule.value) for rule in some} for some in (one, other))
    both = len(mine & theirs)
    return both / max(len(mine), 1), both / max(len(theirs), 1)
