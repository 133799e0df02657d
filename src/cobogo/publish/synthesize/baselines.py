"""Baselines that give NO guarantee: what a model learns from a table when privacy is not protected.

They are for comparison, and for data that are not about people. Their records may reveal single people.
"""

from __future__ import annotations

import numpy as np

from cobogo.floor.arrays import Floats, Ints
from cobogo.floor.catalogue import card
from cobogo.floor.randomness import Source
from cobogo.publish.synthesize.model import draw_systematic
from cobogo.publish.synthesize.private import Fitted, PrivateTable


@card("independent-without-guarantee", title="independent columns, without guarantee", private=False)
def independent(private: PrivateTable, degree: int) -> Fitted:  # noqa: ARG001
    r"""NO GUARANTEE: each attribute is drawn with its own exact frequencies, independently of the others.

    A baseline: a method that is better than this has learned something about the relations between columns.

    Formula: $\Pr[x] = \prod_i \frac{c_i(x_i)}{n}$
    Example:
        >>> from fractions import Fraction
        >>> rows = PrivateTable((2,), (np.array([0, 1, 1, 1], dtype=np.int32),), Fraction(1))
        >>> independent(rows, 1).records
        4

    Guarantee: None: a count of one stays a count of one.
    Limits: All relations between columns are lost.
    Cost: $O(a\,n)$ for a attributes and n records.
    Paper: None.
    """
    counts = [private.counts((place,)) for place in private.every]

    def draw(records: int, source: Source) -> list[Ints]:
        alike = np.zeros(records, dtype=np.int64)
        return [draw_systematic(own[None, :].astype(np.float64), alike, source) for own in counts]

    return Fitted(max(1, int(counts[0].sum())), draw)


@card("copula-without-guarantee", title="copula, without guarantee", private=False)
def copula(private: PrivateTable, degree: int) -> Fitted:  # noqa: ARG001
    r"""NO GUARANTEE: exact frequencies, connected by the correlations of normal scores (a Gaussian copula).

    The values are in the order of the domain, NULL last. Many generators of synthetic data do this.

    Formula: $x_i = F_i^{-1}(\Phi(z_i))$ with $z \sim N(0, R)$ and $R$ the correlations of the normal scores
    Example: Two equal attributes are equal in the synthetic records, too.
        >>> from fractions import Fraction
        >>> from cobogo.floor.randomness import Entropy
        >>> codes = np.array([0, 1] * 50, dtype=np.int32)
        >>> one, other = copula(PrivateTable((2, 2), (codes, codes), Fraction(1)), 1).draw(100, Entropy())
        >>> bool((one == other).all())
        True

    Guarantee: None: a count of one stays a count of one.
    Limits: Only correlations in the order of values are preserved.
    Cost: $O(a^2 n)$ for a attributes and n records.
    Paper: N. Patki, R. Wedge and K. Veeramachaneni, The synthetic data vault, DSAA 2016, for the use of Gaussian
        copulas.
    """
    from scipy.special import ndtr, ndtri

    counts = [private.counts((place,)) for place in private.every]
    records = int(counts[0].sum())
    ends = [np.cumsum(own) / max(records, 1) for own in counts]
    scores = np.zeros((len(counts), records))
    for place, own in enumerate(counts):
        middle = ends[place] - own / (2 * max(records, 1))
        scores[place] = ndtri(np.clip(middle, 1e-12, 1 - 1e-12))[private.codes[place]]
    root = _root(_correlations(scores))

    def draw(number: int, source: Source) -> list[Ints]:
        chance = (source.words(len(counts) * number) + 0.5) / 2.0**64
        latent = root @ ndtri(np.clip(chance, 1e-15, 1 - 1e-15)).reshape(len(counts), number)
        shares = ndtr(latent)
        last = [int(np.flatnonzero(own)[-1]) if own.any() else len(own) - 1 for own in counts]
        return [
            np.minimum(np.searchsorted(ends[place], shares[place], side="right"), last[place])
            for place in private.every
        ]

    return Fitted(max(1, records), draw)


def _correlations(scores: Floats) -> Floats:
    """The correlations of the scores of attributes; an attribute of one value is uncorrelated with all."""
    centred = scores - scores.mean(axis=1, keepdims=True) if scores.shape[1] else scores
    deviation = np.sqrt((centred**2).sum(axis=1))
    moving = deviation > 0
    scaled = np.divide(centred, deviation[:, None], out=np.zeros_like(centred), where=moving[:, None])
    found: Floats = np.clip(scaled @ scaled.T, -1, 1)
    np.fill_diagonal(found, 1.0)
    return found


def _root(correlations: Floats) -> Floats:
    """A matrix whose rows have these correlations and length 1."""
    values, vectors = np.linalg.eigh(correlations)
    root = vectors * np.sqrt(np.maximum(values, 0))
    found: Floats = root / np.sqrt((root**2).sum(axis=1, keepdims=True))
    return found
