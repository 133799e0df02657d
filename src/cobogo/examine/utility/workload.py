"""Counting queries: how wrong are the answers that the release gives?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from cobogo.data.classes import Domain, Histogram
from cobogo.data.table.frequency import FrequencyTable
from cobogo.examine.utility.sides import Sides, recode_values
from cobogo.floor.arrays import Floats, Ints, Mask
from cobogo.floor.catalogue import card


@card("query-error", title="query error")
def query_error(sides: Sides, *, queries: int, selectivity: float, seed: int) -> dict[str, Any]:
    r"""The median relative error of random counting queries, answered from the release.

    A query counts the records whose values lie in a range of neighbouring values, for each of some quasi-identifiers
    and for one sensitive attribute, if there are any. The seed determines which attributes, how many and which ranges.
    The ranges are so wide that a query selects a share ``selectivity`` of the records if the attributes are
    independent. They include the values of a record drawn at random, so that no true answer is 0. The release answers
    as if each released value were spread evenly over the leaves that it covers; a suppressed record is not counted.

    Formula: $\frac{\lvert \hat{c} - c\rvert}{c}$ with $c$ the true count and $\hat{c}$ the release's; the median and
        the quartiles over all queries
    Example:
        >>> from cobogo.examine.utility.sides import sides
        >>> from cobogo.studies.worked_examples import anonymize_patients
        >>> found = query_error(sides(anonymize_patients("optimal")), queries=100, selectivity=0.2, seed=1)
        >>> 0 < found["median"] < 1
        True

    Guarantee: None: it measures usefulness. It is computed on the original data, so it stays in the evidence.
    Limits: It measures counting queries only. Your queries are not random: a range of neighbouring values may not
        interest anybody.
    Cost: $O(q\,n)$ for q queries and n distinct tuples.
    Paper: K. LeFevre, D. J. DeWitt and R. Ramakrishnan, Mondrian multidimensional k-anonymity, ICDE 2006; X. Xiao and
        Y. Tao, Anatomy: simple and effective privacy preservation, VLDB 2006.
    """
    errors = query_errors(sides, queries=queries, selectivity=selectivity, seed=seed)
    lower, median, upper = np.quantile(errors, [0.25, 0.5, 0.75]).tolist()
    return {
        "queries": queries,
        "selectivity": selectivity,
        "seed": seed,
        "median": median,
        "quartiles": [lower, upper],
    }


def query_errors(sides: Sides, *, queries: int, selectivity: float, seed: int) -> Floats:
    """The relative error of each query of `query_error`."""
    random = np.random.default_rng(seed)
    quasi = [_quasi_line(sides, column) for column in range(len(sides.hierarchies))]
    sensitive = {name: _sensitive_line(histogram.domain) for name, histogram in sides.before.histograms.items()}
    released = {
        name: recode_values(h, sides.before.histograms[name].domain) for name, h in sides.after.histograms.items()
    }
    errors = np.empty(queries)
    for number in range(queries):
        name = str(random.choice(list(sensitive))) if sensitive else None
        some = random.choice(len(quasi), size=int(random.integers(1, len(quasi) + 1)), replace=False).tolist()
        width = selectivity ** (1 / (len(some) + (name is not None)))
        anchor, value = _record(sides, name, random)
        chosen = {column: quasi[column].run(int(sides.originals[column][anchor]), width, random) for column in some}
        masks = {column: leaves[sides.originals[column]] for column, leaves in chosen.items()}
        shares = {column: sides.share(column, leaves)[sides.released[column]] for column, leaves in chosen.items()}
        if name is None:
            true, answer = _count(sides.before, masks), _count(sides.after, shares)
        else:
            values = sensitive[name].run(value, width, random)
            before, after = sides.before.histograms[name], sides.after.histograms[name]
            true = _count(sides.before, masks, before, values[before.values])
            answer = _count(sides.after, shares, after, values[released[name]])
        errors[number] = abs(answer - true) / true
    return errors


def _record(sides: Sides, name: str | None, random: np.random.Generator) -> tuple[int, int]:
    """Draw a record: its tuple, and its code of a sensitive attribute."""
    if name is None:
        return _draw_entry(sides.before.counts, random), 0
    histogram = sides.before.histograms[name]
    entry = _draw_entry(histogram.counts, random)
    return int(histogram.owners[entry]), int(histogram.values[entry])


def _draw_entry(counts: Ints, random: np.random.Generator) -> int:
    ends = np.cumsum(counts)
    return int(np.searchsorted(ends, random.integers(ends[-1]), side="right"))


@dataclass(frozen=True, eq=False, repr=False)
class Line:
    """The values of an attribute in an order, and the cumulative counts of their records."""

    order: Ints
    counts: Floats  # by value
    ends: Floats  # by place

    @classmethod
    def from_counts(cls, order: Ints, counts: Floats) -> Line:
        """A line of values in an order, from the count of each."""
        return cls(order, counts, np.cumsum(counts[order]))

    def run(self, anchor: int, width: float, random: np.random.Generator) -> Mask:
        """A run of values that includes the anchor and holds a share ``width`` of the records."""
        wanted = width * self.ends[-1]
        place = int(np.flatnonzero(self.order == anchor)[0])
        point = self.ends[place] - random.random() * self.counts[anchor]  # somewhere among the anchor's own records
        start = min(max(point - random.random() * wanted, 0.0), self.ends[-1] - wanted)
        first = min(int(np.searchsorted(self.ends, start, side="right")), place)
        last = max(int(np.searchsorted(self.ends, start + wanted, side="left")), place)
        chosen = np.zeros(len(self.order), dtype=np.bool_)
        chosen[self.order[first : last + 1]] = True
        return chosen


def _quasi_line(sides: Sides, column: int) -> Line:
    """The leaves of an attribute, ordered so that siblings are neighbours."""
    order = np.lexsort(sides.hierarchies[column].maps)  # the highest level, which is last, goes first
    return Line.from_counts(order, np.bincount(sides.originals[column], sides.before.counts, len(order)).astype(float))


def _sensitive_line(domain: Domain) -> Line:
    """The values of a sensitive attribute in numeric or else alphabetic order."""
    order = np.argsort(domain.ranks) if domain.is_numeric else np.arange(len(domain))
    return Line.from_counts(order, domain.total.astype(float))


def _count(
    table: FrequencyTable, shares: Mapping[int, Any], histogram: Histogram | None = None, values: Any = None
) -> float:
    """Count the records of a table, weighted by the product of a tuple's shares and, if given, by sensitive value."""
    inside = np.ones(len(table.counts))
    for share in shares.values():
        inside *= share
    if histogram is None:
        return float((inside * table.counts).sum())
    return float((inside[histogram.owners] * values * histogram.counts).sum())
