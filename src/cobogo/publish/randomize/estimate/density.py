"""Numeric attributes under additive noise: an estimate of their density, and an attack that removes weak noise."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from cobogo.floor.arrays import Floats

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
