"""Which sets of attributes hang together without a cycle, and in what order they can be put together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

Attributes = frozenset[str]


@dataclass(frozen=True)
class Link:
    """A set of attributes joins those before it at its ``parent``, by what the two have in common."""

    number: int
    parent: int | None  # none of the first
    separator: Attributes


def join_tree(sets: Sequence[Attributes]) -> tuple[Link, ...] | None:
    """The order in which sets can be joined so that each meets all those before it in one of them; None where there is
    no such order: the sets are not decomposable.

    The heaviest spanning tree of the intersections is such an order if there is any, and then its weight is the sum of
    the sizes less the number of attributes (Bernstein and Goodman 1981).

    >>> [link.parent for link in join_tree([frozenset("ab"), frozenset("bc"), frozenset("cd")])]
    [None, 0, 1]
    >>> join_tree([frozenset("ab"), frozenset("bc"), frozenset("ca")]) is None
    True
    """
    if not sets:
        return ()
    links = [Link(0, None, frozenset())]
    left = list(range(1, len(sets)))
    while left:
        pairs = [(len(sets[new] & sets[old.number]), -new, -old.number) for new in left for old in links]
        _, new, old = max(pairs)
        links.append(Link(-new, -old, sets[-new] & sets[-old]))
        left.remove(-new)
    weight = sum(len(link.separator) for link in links)
    return tuple(links) if weight == sum(map(len, sets)) - len(frozenset().union(*sets)) else None


def without_parts(sets: Sequence[Attributes]) -> list[Attributes]:
    """The sets that are not part of another: the others follow from them."""
    distinct = list(dict.fromkeys(sets))
    return [one for one in distinct if not any(one < other for other in distinct)]
