"""Spanners: few pairs of points through which all others can be reached on paths that are hardly longer."""

from __future__ import annotations

import numpy as np

from cobogo.floor.arrays import Floats, Ints

EQUAL = 1e-12


def spanner(distances: Floats, dilation: float) -> tuple[Ints, Ints]:
    """The greedy spanner (Althöfer et al. 1993): pairs, shortest first, that are not yet joined by a path of at most
    ``dilation`` times their distance. At dilation 1 it leaves out only what lies on straight lines.

    >>> line = np.abs(np.subtract.outer(np.arange(4.0), np.arange(4.0)))
    >>> [pair.tolist() for pair in spanner(line, 1.0)]
    [[0, 1, 2], [1, 2, 3]]
    """
    one, other = np.triu_indices(len(distances), k=1)
    order = np.argsort(distances[one, other], kind="stable")
    along = np.full_like(distances, np.inf)
    np.fill_diagonal(along, 0)
    kept = []
    for pair in order:
        i, j = one[pair], other[pair]
        apart = distances[i, j]
        if along[i, j] > dilation * apart * (1 + EQUAL):
            kept.append(pair)
            through = along[:, i, None] + apart + along[None, j, :]
            np.minimum(along, through, out=along)
            np.minimum(along, through.T, out=along)
    return one[kept], other[kept]


def dilation(distances: Floats, one: Ints, other: Ints) -> float:
    """How much longer than straight the longest way round by these pairs is: mostly less than was asked for.

    >>> square = np.array([[0, 1, 1, 2**0.5], [1, 0, 2**0.5, 1], [1, 2**0.5, 0, 1], [2**0.5, 1, 1, 0]])
    >>> round(dilation(square, *spanner(square, 1.9)), 4)
    1.4142
    """
    from scipy.sparse import coo_matrix
    from scipy.sparse.csgraph import dijkstra

    graph = coo_matrix((distances[one, other], (one, other)), shape=distances.shape).tocsr()
    along = np.asarray(dijkstra(graph, directed=False))
    apart = ~np.eye(len(distances), dtype=bool)
    return float((along[apart] / distances[apart]).max(initial=1.0))
