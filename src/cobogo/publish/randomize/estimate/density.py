"""A numeric attribute under additive noise: its density estimated, and the attack that undoes weak noise."""

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

    @property
    def middles(self) -> Floats:
        """The middle of each interval."""
        return np.asarray((self.edges[:-1] + self.edges[1:]) / 2)


def reconstruct(
    noisy: Floats, kind: str, scale: float, low: float, high: float, *, intervals: int = 50, rounds: int = 500
) -> Density:
    """The density of values between ``low`` and ``high`` from values with additive noise of a known distribution.

    Expectation maximization over intervals (Agrawal and Srikant 2000; Agrawal and Aggarwal 2001): noisy values are
    counted in intervals of the same width first, so that time does not grow with them.
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
    """Spectral filtering (Kargupta, Datta, Wang and Sivakumar 2003): the noise-free values, estimated.

    Noise of equal strength in every column adds its variance to every eigenvalue of the covariance; columns that
    belong together put their own variance into a few. Projected on those that rise above what noise alone makes
    (the edge of the law of Marchenko and Pastur), most of the noise is gone and most of the values remain.
    """
    records, columns = noisy.shape
    centre = noisy.mean(axis=0)
    values, vectors = np.linalg.eigh(np.cov(noisy - centre, rowvar=False))
    edge = scale**2 * (1 + np.sqrt(columns / records)) ** 2
    chosen = vectors[:, values > edge]
    shrink = (values[values > edge] - scale**2) / values[values > edge]
    return np.asarray(centre + ((noisy - centre) @ chosen * shrink) @ chosen.T)
