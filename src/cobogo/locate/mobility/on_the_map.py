"""OnTheMap's synthetic commuters: for each destination, origins drawn from a Dirichlet posterior. For comparison.

A draw from a Dirichlet posterior is a draw from Pólya's urn, which needs whole numbers only: a ball is drawn, and put
back with another one of its kind.
"""

from __future__ import annotations

from math import ceil, expm1

import numpy as np

from cobogo.floor.arrays import Ints
from cobogo.floor.catalogue import card
from cobogo.floor.randomness import Entropy, Source
from cobogo.locate.mobility.areas import Journeys
from cobogo.promises.accounting import Amount, loss_of


@card("on-the-map", title="OnTheMap’s synthetic commuters", guide="flows")
def draw_commuters(journeys: Journeys, epsilon: Amount, source: Source | None = None) -> Journeys:
    r"""Invented commuters: as many for each destination as go there, with origins from a Dirichlet posterior.

    To the people of a destination α invented ones are added in every origin. The more people go to a destination, the
    more invented ones it needs. Of a person with several journeys one counts, chosen at random.

    Formula: $p \sim \mathrm{Dirichlet}(n + \alpha)$ and $m$ draws from $p$ for the $m$ people of a destination, with
        $\alpha \ge \frac{m}{e^{\varepsilon} - 1}$
    Example: Every destination keeps its number of people.
        >>> from cobogo.studies import fortaleza
        >>> true = fortaleza.people(500, days=1).commutes()
        >>> made = draw_commuters(true, epsilon=2)
        >>> bool((np.bincount(made.destination) == np.bincount(true.destination)).all())
        True

    Guarantee: ε-differential privacy for the origin of each person, between tables in which one person has another
        origin. How many people go to each destination is published exactly.
    Limits: For comparison: with enough invented people for ε, the true ones hardly show. The paper therefore promises
        less, (ε, δ)-probabilistic differential privacy, with fewer invented people, and leaves out origins that are far
        away; neither is built here, because such a promise is lost when the release is processed further. `flows`
        promises more, and errs less unless there is little but noise.
    Cost: $O(n \log n)$ for n people.
    Paper: A. Machanavajjhala, D. Kifer, J. Abowd, J. Gehrke and L. Vilhuber, Privacy: theory meets practice on the map,
        ICDE 2008.
    """
    source = source or Entropy()
    one = journeys.bound(1, source)
    order = np.argsort(one.destination, kind="stable")
    people = np.bincount(one.destination, minlength=len(one.tree.places))
    made_up = np.array([pseudo_people(int(number), float(loss_of(epsilon).amount)) for number in people])
    destination = one.destination[order]
    first = (np.cumsum(people) - people)[destination]
    place, balls = np.arange(len(order)) - first, people + made_up * len(one.tree.places)
    drawn = below_each(balls[destination] + place, source)
    drawn = _follow_copies(drawn, balls[destination], first)
    true = drawn < people[destination]
    origin = one.origin[order][np.where(true, first + drawn, 0)]
    origin = np.where(true, origin, (drawn - people[destination]) // np.maximum(made_up[destination], 1))
    return Journeys(np.arange(len(order)), origin, destination, one.tree)


def pseudo_people(drawn: int, epsilon: float) -> int:
    """α: the least whole number of invented people in every origin with which so many draws reveal no more than ε about
    one person, m/(e^ε − 1).

    >>> pseudo_people(1000, 1.0)
    582
    """
    return ceil(drawn / expm1(epsilon) * (1 + 1e-12))


def below_each(bounds: Ints, source: Source) -> Ints:
    """Independent whole numbers, each below a bound of its own, all exactly equally likely."""
    limit = bounds.astype(np.uint64)
    words = np.array(source.words(len(limit)))
    last = np.uint64(2**64 - 1) - (np.uint64(2**64 - 1) % limit + np.uint64(1)) % limit
    while (beyond := np.flatnonzero(words > last)).size:
        words[beyond] = source.words(beyond.size)
    return (words % limit).astype(np.int64)


def _follow_copies(drawn: Ints, balls: Ints, first: Ints) -> Ints:
    """The ball of each draw. The number of a draw that is not below ``balls`` is a copy: of an earlier draw of the same
    urn, which begins at ``first``."""
    while (copies := np.flatnonzero(drawn >= balls)).size:
        drawn[copies] = drawn[first[copies] + drawn[copies] - balls[copies]]
    return drawn
