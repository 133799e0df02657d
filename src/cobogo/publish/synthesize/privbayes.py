"""PrivBayes: a network in which each attribute depends on few others (Zhang et al. 2014).

Parents are taken from one earlier family, so that the network is decomposable: its families are the cliques of a
junction tree, and the estimate from all of them together is exact. Families are measured with Gaussian noise and the
network is chosen by the exponential mechanism with the score R, the distance from independence.
"""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import combinations

import numpy as np

from cobogo.floor.catalogue import card
from cobogo.floor.randomness import keys
from cobogo.publish.synthesize import model
from cobogo.publish.synthesize.mst import MOST_CELLS
from cobogo.publish.synthesize.private import Attributes, Fitted, PrivateTable, total

COUNTING, CHOOSING = Fraction(1, 20), Fraction(1, 4)
"""The shares of the cost that count the records and choose the network; the rest measures its families. The paper gives
0.3 to choosing; a count of records needs little, since its noise is small beside any table's size."""

USEFUL = 4
"""θ, the paper's 4: a family is small enough if its mean count is this many times the deviation of the noise."""

FINE = 16
"""Steps of a score for each record: scores are integers, and a finer step loses less to rounding."""

CHANGE = 4 * FINE + 1
"""The largest change of a score by one record more or less: see `dependence`."""

LOOKED_AT = 200
"""Families that a round chooses from, drawn uniformly where there are more: each score costs a pass over the data."""


@card("privbayes", title="PrivBayes", private=True, change=lambda width, degree: 65)  # noqa: ARG005
def fit(private: PrivateTable, degree: int) -> Fitted:
    r"""A network in which each attribute depends on a few others (PrivBayes).

    It counts the records, chooses a network of up to ``degree`` parents, and measures its families. The parents are
    taken from one earlier family, so that the families of the network are the cliques of a junction tree. Here the
    noise is Gaussian, and the model is fitted to all families together.

    Formula: $\Pr[x] = \prod_i \Pr[x_i \mid \pi_i]$ with the parents $\pi_i$ chosen by the exponential mechanism with
        the score $R = \sum \lvert C(x, \pi) - C(x)\,C(\pi) / n\rvert$
    Example: The score of two equal attributes, in steps of 1/16.
        >>> import numpy as np
        >>> codes = np.arange(1000) % 2
        >>> dependence(PrivateTable((2, 2), (codes, codes), Fraction(1)), (0, 1))
        16000

    Guarantee: (ε, δ)-differential privacy for a person with up to ``max-rows`` records, for everything that is given
        away.
    Limits: The order in which attributes are taken matters, and is chosen greedily. The domains must be declared.
    Cost: $O(a\,m\,n)$ for a attributes, m candidate families in each round and n records.
    Paper: J. Zhang, G. Cormode, C. M. Procopiuc, D. Srivastava and X. Xiao, PrivBayes: private data release via
        Bayesian networks, SIGMOD 2014.
    """
    width = len(private.sizes)
    counted = private.measure((), COUNTING * private.rho)
    records = total([counted])
    each = (1 - COUNTING - (CHOOSING if width > 1 else 0)) * private.rho / width
    room = min(records * math.sqrt(2 * each) / (USEFUL * private.max_rows), MOST_CELLS)
    families = _network(private, degree, room, CHOOSING * private.rho / max(width - 1, 1))
    measured = [private.measure(family, each) for family in families]
    records = total([counted, *measured])
    fitted = model.estimate(private.sizes, measured, records)
    return Fitted(records, fitted.tree.draw)


def _network(private: PrivateTable, degree: int, room: float, rho: Fraction) -> list[Attributes]:
    """Choose a family for each attribute: it and its parents, which are of one earlier family. The first attribute is
    the one with the fewest values."""
    first = min(private.every, key=lambda place: private.sizes[place])
    families: list[Attributes] = [(first,)]
    left = [place for place in private.every if place != first]
    while left:
        parents = {
            some
            for family in families
            for many in range(1, degree + 1)
            for some in combinations(family, min(many, len(family)))
        }
        moves = [
            (child, some)
            for child in left
            for some in sorted(parents)
            if private.cells((child, *some)) <= room
        ] or [(child, ()) for child in left]  # fmt: skip
        if len(moves) > LOOKED_AT:
            moves = [moves[place] for place in np.argsort(keys(len(moves)))[:LOOKED_AT]]
        child, *some = private.choose(
            [(child, *some) for child, some in moves], lambda move, rows: dependence(rows, move), CHANGE, rho
        )
        families.append(tuple(sorted((child, *some))))
        left.remove(child)
    return families


def dependence(private: PrivateTable, move: Attributes) -> int:
    """The distance of a child from independence of its parents: Σ |C(x, π) − C(x)·C(π)/n|, in steps of 1/`FINE`.

    Let p and q be the shares of the child's and the parents' values. A record more, of a value e of the one and f of
    the other, adds (e − p)(f − q)·n/(n + 1) to the table of differences, whose L1 norm is below 4. Rounding down to
    whole steps adds one at most.
    """
    child, *parents = move
    family = tuple(sorted(move))
    counts = private.counts(family).reshape([private.sizes[place] for place in family])
    joint = np.moveaxis(counts, family.index(child), 0).reshape(private.sizes[child], -1)
    records = int(joint.sum())
    if not records or not parents:
        return 0
    apart = np.abs(records * joint - np.outer(joint.sum(axis=1), joint.sum(axis=0)))
    return FINE * int(apart.sum()) // records
