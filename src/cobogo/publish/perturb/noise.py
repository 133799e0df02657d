"""Noise on numbers: additive, multiplicative, and correlated so that means and covariances stay what they were.

None of these gives a formal guarantee. Noise that is small compared with the common variance of the attributes can be
filtered out, and a record far from all others remains so.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from cobogo.floor.arrays import Floats

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
