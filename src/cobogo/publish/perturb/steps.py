"""The steps of a perturbation, carried out on a table of codes: noise, swapping, post-randomization.

None of them gives a formal guarantee. Noise is additive, multiplicative, or correlated so that means and covariances
stay what they were. Where it is small compared with the common variance of the attributes it can be filtered out, and a
record far from all others remains so.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from cobogo.data.policy import NoiseStep, SwapStep
from cobogo.floor.arrays import Floats, Ints, Mask, Words
from cobogo.floor.catalogue import card
from cobogo.floor.kernels import kernel
from cobogo.floor.randomness import Source, coins
from cobogo.promises.operators import Operator
from cobogo.publish.perturb.coded_table import CodedColumn, CodedTable, write_numbers

Uniforms = Callable[[int], Floats]
"""Independent draws from the open interval (0, 1)."""

SMALLEST = np.finfo(np.float64).tiny


def gaussian(count: int, draw: Uniforms) -> Floats:
    """Standard normal draws (Box and Muller 1958)."""
    half = (count + 1) // 2
    radius = np.sqrt(-2 * np.log(draw(half)))
    angle = 2 * np.pi * draw(half)
    return np.concatenate([radius * np.cos(angle), radius * np.sin(angle)])[:count]


def laplace(count: int, draw: Uniforms) -> Floats:
    """Laplace draws of mean 0 and standard deviation 1."""
    centred = draw(count) - 0.5
    tails = np.log(np.maximum(1 - 2 * np.abs(centred), SMALLEST))
    return np.asarray(-np.sign(centred) * tails / np.sqrt(2))


def uniform(count: int, draw: Uniforms) -> Floats:
    """Uniform draws of mean 0 and standard deviation 1."""
    return np.asarray((draw(count) - 0.5) * np.sqrt(12))


DISTRIBUTIONS: dict[str, Callable[[int, Uniforms], Floats]] = {
    "gaussian": gaussian,
    "laplace": laplace,
    "uniform": uniform,
}
"""Each with mean 0 and standard deviation 1."""


def spread(values: Floats) -> Floats:
    """The standard deviation of each column; 0 where it has fewer than two values."""
    return np.array([np.std(column[~np.isnan(column)]) if (~np.isnan(column)).any() else 0.0 for column in values.T])


def add_independent(values: Floats, deviations: Floats, distribution: str, draw: Uniforms) -> Floats:
    """Add independent noise of the given standard deviations to each cell. Missing values (NaN) stay missing."""
    noise = DISTRIBUTIONS[distribution](values.size, draw).reshape(values.shape)
    return values + noise * deviations


def multiply(values: Floats, deviations: Floats, distribution: str, draw: Uniforms) -> Floats:
    """Multiply each cell by noise of mean 1 and the given standard deviations: large numbers change more."""
    noise = DISTRIBUTIONS[distribution](values.size, draw).reshape(values.shape)
    return values * (1 + noise * deviations)


def add_correlated(values: Floats, share: float, draw: Uniforms) -> Floats:
    """Mix columns with Gaussian noise of the same covariance, so that means and covariances stay the same.

    A record x becomes m + √(1−d)·(x−m) + e, with m the means, d the share of the variance that is noise and e of
    covariance d·Σ (Kim 1986). The noise is adjusted to have mean 0 and exactly that covariance in the table, and no
    correlation with it: where no value is missing, reflected or rounded, means and covariances are preserved exactly.
    A record with a missing value is changed in the values that it has.
    """
    known = ~np.isnan(values)
    complete = known.all(axis=1)
    table = values[complete]
    if len(table) < 2:
        return values.copy()
    mean = table.mean(axis=0)
    covariance = np.atleast_2d(np.cov(table, rowvar=False, bias=True))
    root = _root(covariance)
    noise = gaussian(values.size, draw).reshape(values.shape)
    noise[complete] = _fit_noise(noise[complete], table - mean)
    mixed = mean + np.sqrt(1 - share) * (np.where(known, values, mean) - mean) + np.sqrt(share) * noise @ root.T
    return np.where(known, mixed, np.nan)


def _root(covariance: Floats) -> Floats:
    """A matrix R with R·Rᵀ = Σ, for singular covariances as well."""
    weights, directions = np.linalg.eigh(covariance)
    root: Floats = directions * np.sqrt(np.maximum(weights, 0))
    return root


def _fit_noise(noise: Floats, table: Floats) -> Floats:
    """Adjust noise to mean 0, identity covariance and no correlation with a table, if the table has enough rows."""
    records, width = noise.shape
    if records <= 2 * width + 1:
        return noise
    basis, _ = np.linalg.qr(np.column_stack([np.ones(records), _column_basis(table)]))
    left = noise - basis @ (basis.T @ noise)
    directions, _, turn = np.linalg.svd(left, full_matrices=False)
    fitted: Floats = np.sqrt(records) * directions @ turn
    return fitted


def _column_basis(table: Floats) -> Floats:
    """An orthonormal basis of the space of a table's columns."""
    directions, weights, _ = np.linalg.svd(table, full_matrices=False)
    basis: Floats = directions[:, weights > weights.max(initial=0) * 1e-10]
    return basis


def reflect(values: Floats, lower: float | None, upper: float | None) -> Floats:
    """Reflect values at the bounds; a value that then exceeds the other bound is clipped to it.

    Clipping alone would pile records up on the bounds.
    """
    found = values.copy()
    if lower is not None:
        found = np.where(found < lower, 2 * lower - found, found)
    if upper is not None:
        found = np.where(found > upper, 2 * upper - found, found)
    limits = (-np.inf if lower is None else lower, np.inf if upper is None else upper)
    return np.where(np.isnan(found), np.nan, np.clip(found, *limits))


Rules = Sequence[Mapping[str, str]]


@card("noise")
def add_noise(sheet: CodedTable, step: NoiseStep, places: Mapping[str, int], decimal: str, source: Source) -> None:
    r"""Noise on numbers: added, multiplied, or mixed in with the covariance of the numbers.

    ``additive`` and ``multiplicative`` take a standard deviation. ``correlated`` takes the share of the variance that
    becomes noise; the means and all covariances of the attributes then stay the same, exactly except for rounding.
    Values beyond ``lower`` or ``upper`` are reflected at the bound, and numbers are written with as many digits as in
    the data. Missing values stay missing.

    Formula: additive $y = x + \sigma z$; multiplicative $y = x\,(1 + \sigma z)$; correlated $y = \mu + \sqrt{1 - d}\,(x
        - \mu) + \sqrt{d}\,\Sigma^{1/2} z$, with $z$ of mean 0 and variance 1
    Example: Correlated noise does not change the means.
        >>> random = np.random.default_rng(1)
        >>> before = random.normal([40, 3000], [10, 500], (100, 2))
        >>> after = add_correlated(before, 0.3, lambda count: random.random(count))
        >>> bool(np.allclose(before.mean(axis=0), after.mean(axis=0)) and not np.allclose(before, after))
        True

    Guarantee: None: there is no proof of how uncertain it makes an attacker.
    Limits: If the noise is small compared with the correlation of the attributes, an attacker can filter it out. A
        record that was far from all others is still far from them: see the attack `distance-linkage`.
    Cost: $O(n\,a)$ for n records and a attributes, $O(n\,a^2)$ for ``correlated``.
    Paper: J. J. Kim, A method for limiting disclosure in microdata based on random noise and transformation, 1986
        (correlated noise).
    """
    values = np.column_stack([sheet.coded[name].numbers(decimal) for name in step.attributes])

    def draw(count: int) -> Floats:
        return ((source.words(count) >> np.uint64(11)).astype(np.float64) + 0.5) / 2**53

    if step.kind == "correlated":
        assert step.share is not None
        after = add_correlated(values, step.share, draw)
    else:
        scale = spread(values) * step.relative if step.relative is not None else np.array(step.deviation)
        change = add_independent if step.kind == "additive" else multiply
        after = change(values, np.broadcast_to(scale, values.shape[1:]).astype(np.float64), step.distribution, draw)
    for place, name in enumerate(step.attributes):
        inside = reflect(after[:, place], *bounds(step, places[name]))
        sheet.coded[name] = _write_perturbed(values[:, place], inside, sheet.coded[name], places[name], decimal)


def bounds(step: NoiseStep, places: int) -> tuple[float | None, float | None]:
    """The bounds of a step, moved inward to numbers with ``places`` digits, so that rounding stays within them."""
    unit = 10**places
    lower = None if step.lower is None else math.ceil(Fraction(str(step.lower)) * unit) / unit
    upper = None if step.upper is None else math.floor(Fraction(str(step.upper)) * unit) / unit
    return lower, upper


def _write_perturbed(before: Floats, after: Floats, column: CodedColumn, places: int, decimal: str) -> CodedColumn:
    """Write perturbed numbers; NULL stays NULL."""
    assert (np.isnan(before) == np.isnan(after)).all()
    missing = np.array([label is None for label in column.labels] or [True], dtype=np.bool_)[column.codes]
    assert not (np.isnan(before) & ~missing).any()
    return write_numbers(after, places, decimal)


@card("swap", title="data swapping")
def swap(sheet: CodedTable, step: SwapStep, rules: Rules, decimal: str, source: Source) -> float:
    r"""Records exchange the values of the attributes, all of them together, so that each column still has the same
    values.

    Partners have equal values in the attributes of ``within``. With ``window`` they are also near each other in the
    order of the first attribute (rank swapping). ``share`` is the share of the records that take part. A swap that
    would create a forbidden combination is not made.

    Formula: $x_i \leftrightarrow x_j$ with $\lvert \mathrm{rank}(i) - \mathrm{rank}(j)\rvert \le w\,n$ and $s_i = s_j$,
        the values of ``within``
    Example: Who receives whose value: each record receives one, and no value is received twice.
        >>> order, strata = np.arange(6), np.zeros(6, dtype=np.int64)
        >>> keys = np.arange(6, dtype=np.uint64)
        >>> partners = choose_partners(order, strata, 2, np.ones(6, dtype=bool), keys, Forbidden.none(6))
        >>> sorted(partners.tolist())
        [0, 1, 2, 3, 4, 5]

    Guarantee: None: a record that finds no partner is released unchanged.
    Limits: An attacker who knows the window knows approximately where a value came from. The relation of the attribute
        with attributes outside of ``within`` becomes weaker.
    Cost: $O(n \log n)$ for n records.
    Paper: R. A. Moore, Controlled data-swapping techniques for masking public use microdata sets, 1996 (rank swapping).
    """
    strata = np.zeros(sheet.rows, dtype=np.int64)
    for name in step.within:
        column = sheet.coded[name]
        strata = np.unique(strata * len(column.labels) + column.codes, return_inverse=True)[1].astype(np.int64)
    first = sheet.coded[step.attributes[0]]
    chance = source.words(sheet.rows)
    ranks = first.ranks(decimal) if step.window is not None else np.zeros(sheet.rows, dtype=np.int64)
    order = np.lexsort([chance, ranks, strata]).astype(np.int64)
    window = sheet.rows if step.window is None else max(1, int(step.window * sheet.rows))
    taking_part = coins(step.share, sheet.rows, source)
    forbidden = _forbidden(sheet, step.attributes, rules)
    partners = choose_partners(order, strata, window, taking_part, source.words(sheet.rows), forbidden)
    for name in step.attributes:
        column = sheet.coded[name]
        sheet.coded[name] = CodedColumn(column.codes[partners], column.labels)
    return float((partners != np.arange(sheet.rows)).mean()) if sheet.rows else 0.0


@card("pram", title="PRAM")
def randomize(sheet: CodedTable, name: str, operator: Operator, rules: Rules, source: Source) -> None:
    r"""Post-randomization (PRAM): each category is exchanged at random, with probabilities that are published.

    A ``matrix`` gives the probabilities with which each value becomes another. Without one, a value is kept with
    probability ``retention`` and otherwise drawn uniformly from all values. ``invariant`` adapts the matrix so that the
    expected frequencies are those of the table. A record that would get a forbidden combination keeps its own value.

    Formula: $\Pr[y \mid x] = P_{yx}$; invariant $R = B P$ with $B_{xy} = \frac{P_{yx} f_x}{(P f)_y}$, so that $R f = f$
    Example:
        >>> from cobogo.publish.perturb.steps import invariant_matrix, retention_matrix
        >>> shares = np.array([0.7, 0.2, 0.1])
        >>> bool(np.allclose(invariant_matrix(retention_matrix(3, 0.5), shares) @ shares, shares))
        True

    Guarantee: None is required; the amplification of the matrix is reported. If a guarantee is needed, use
        randomization.
    Limits: A matrix with zeros rules out some original values for certain: the program warns of it. Analyses of the
        attribute together with others must be corrected with the matrix.
    Cost: $O(n + m^2)$ for n records and m categories; $O(m^3)$ to adapt a matrix.
    Paper: P. Kooiman, L. Willenborg and J. Gouweleeuw, PRAM: a method for disclosure limitation of microdata, 1997.
    """
    column = sheet.coded[name]
    drawn = operator.sample(column.codes.astype(np.int64), source).astype(np.int32)
    for rule in rules:
        if name in rule:
            rest = _matching(sheet, {key: value for key, value in rule.items() if key != name})
            wanted = np.array([label == rule[name] for label in column.labels], dtype=np.bool_)
            broken = rest & wanted[drawn] & ~wanted[column.codes]
            drawn[broken] = column.codes[broken]
    sheet.coded[name] = CodedColumn(drawn, column.labels)


def _matching(sheet: CodedTable, rule: Mapping[str, str]) -> Mask:
    """The records that have all values of a rule."""
    found = np.ones(sheet.rows, dtype=np.bool_)
    for name, value in rule.items():
        column = sheet.coded[name]
        found &= np.array([label == value for label in column.labels] or [False], dtype=np.bool_)[column.codes]
    return found


def _forbidden(sheet: CodedTable, swapped: Sequence[str], rules: Rules) -> Forbidden:
    """The rules that a swap of some attributes could break, as one bit of each record."""
    receives, gives = np.zeros(sheet.rows, dtype=np.uint64), np.zeros(sheet.rows, dtype=np.uint64)
    for number, rule in enumerate(rules):
        own = {name: value for name, value in rule.items() if name in swapped}
        if own and len(own) < len(rule):
            receives |= _bits(_matching(sheet, {name: rule[name] for name in rule if name not in own}), number)
            gives |= _bits(_matching(sheet, own), number)
    return Forbidden(receives, gives)


def _bits(holding: Mask, number: int) -> Words:
    return holding.astype(np.uint64) << np.uint64(number)


def retention_matrix(categories: int, retention: float) -> Floats:
    """The matrix that keeps a category with a probability, and otherwise draws one uniformly from all of them."""
    return retention * np.eye(categories) + (1 - retention) / categories


def invariant_matrix(matrix: Floats, frequencies: Floats) -> Floats:
    """Adapt a matrix so that the expected frequencies are those of the table.

    Applies the matrix and then its Bayes inverse for these frequencies: R = B·P with B[x, y] = P[y, x]·f(x) / (P·f)(y).
    So statistics of this attribute alone need no correction; those of its relation to others do.

    >>> shares = np.array([0.7, 0.2, 0.1])
    >>> bool(np.allclose(invariant_matrix(retention_matrix(3, 0.5), shares) @ shares, shares))
    True
    """
    observed = matrix @ frequencies
    back = np.divide(
        matrix.T * frequencies[:, None],
        observed[None, :],
        where=observed[None, :] > 0,
        out=np.tile(frequencies[:, None], (1, len(observed))),
    )
    found: Floats = back @ matrix
    return found


TRIES = 64
"""Partners tried before a record stays as it is. In a stratum where half of the records are free, all 64 tries fail
with probability 2⁻⁶⁴; towards the end of a stratum more tries would find few more partners."""


@dataclass(frozen=True, eq=False, repr=False)
class Forbidden:
    """Combinations that no swap may create, as one bit for each rule.

    Bit r of ``receives``: a record has the values of rule r in the attributes that stay. Bit r of ``gives``: it has
    them in the attributes that are swapped.
    """

    receives: Words
    gives: Words

    @classmethod
    def none(cls, records: int) -> Forbidden:
        """No rules."""
        return cls(np.zeros(records, dtype=np.uint64), np.zeros(records, dtype=np.uint64))


def choose_partners(
    order: Ints, strata: Ints, window: int, taking_part: NDArray[np.bool_], keys: Words, forbidden: Forbidden
) -> Ints:
    """For each record, the record whose values it receives: itself, or its partner.

    ``order``: the records sorted by stratum and, within a stratum, by rank. ``window``: how far apart two partners may
    be in that order (Moore 1996). ``keys``: 64 random bits for each record. Partners are of one stratum, and neither
    receives a forbidden combination unless it had that before.
    """
    found: Ints = _partners(order, strata, window, taking_part, keys, forbidden.receives, forbidden.gives)
    return found


@kernel()
def _partners(order, strata, window, taking_part, keys, receives, gives):  # type: ignore[no-untyped-def]
    source = np.arange(len(order))
    free = taking_part.copy()
    end = 0
    for place in range(len(order)):
        record = order[place]
        if end <= place:
            end = place + 1
            while end < len(order) and strata[order[end]] == strata[record]:
                end += 1
        if not free[record]:
            continue
        reach = min(window, end - 1 - place)
        if reach <= 0:
            continue
        state = keys[record]
        for _ in range(TRIES):
            state = state + np.uint64(0x9E3779B97F4A7C15)
            mixed = state
            mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
            mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
            mixed = mixed ^ (mixed >> np.uint64(31))
            partner = order[place + 1 + np.int64(mixed % np.uint64(reach))]
            if not free[partner]:
                continue
            if (
                receives[record] & gives[partner] & ~gives[record]
                or receives[partner] & gives[record] & ~gives[partner]
            ):
                continue
            source[record], source[partner] = partner, record
            free[record] = free[partner] = False
            break
    return source
