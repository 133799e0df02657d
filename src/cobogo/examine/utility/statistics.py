"""Distances between the original and the release: of distributions, and of associations."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cobogo.data.table.frequency import FrequencyTable, number_tuples
from cobogo.examine.utility.sides import Sides, recode_values
from cobogo.floor.catalogue import card


@card("marginal-distance", title="marginal distance")
def marginal_distances(sides: Sides) -> dict[str, float]:
    r"""The distance between the distribution of each attribute in the release and in the original, at the released
    level.

    It measures the effect of suppression, because recoding alone changes no count. Where each record has its own
    levels, the released values are spread evenly over the original values that they may stand for, and the original
    values are compared.

    Formula: $\frac{1}{2} \sum_x \lvert p_x - q_x\rvert$, the total variation between the release's shares $p$ and the
        original's $q$
    Example: No record was suppressed, so no distribution changed.
        >>> from cobogo.examine.utility.sides import sides
        >>> from cobogo.studies.worked_examples import anonymize_patients
        >>> marginal_distances(sides(anonymize_patients("optimal")))
        {'age': 0.0, 'sex': 0.0, 'disease': 0.0}

    Guarantee: None: it measures usefulness. It is computed on the original data, so it stays in the evidence.
    Limits: It compares one attribute at a time; association-distance compares pairs.
    Cost: $O(n\,a)$ for n distinct tuples and a attributes.
    Paper: None: the total variation distance.
    """
    found = {}
    for column, h in enumerate(sides.hierarchies):
        found[h.attribute] = _marginal_distance(sides, column)
    for name, histogram in sides.before.histograms.items():
        other = sides.after.histograms[name]
        after = np.bincount(
            recode_values(other, histogram.domain), weights=other.counts, minlength=len(histogram.domain)
        )
        found[name] = total_variation(histogram.domain.total, after)
    return found


def _marginal_distance(sides: Sides, column: int) -> float:
    counts = sides.before.counts
    if sides.levels is None:
        leaves = len(sides.hierarchies[column].leaves)
        originals = np.bincount(sides.originals[column], weights=counts, minlength=leaves)
        return total_variation(originals, sides.spread(column))
    width = sides.widths[column]
    before = np.bincount(sides.recoded[column], weights=counts, minlength=width)
    after = np.bincount(sides.released[column], weights=sides.after.counts, minlength=width)
    return total_variation(before, after)


@card("association-distance", title="association distance")
def association_distances(sides: Sides) -> dict[str, Any]:
    r"""How much the association between two attributes changed, over all pairs of attributes.

    It compares Cramér's V in the original and in the release, for each pair of quasi-identifiers, and for each pair of
    a quasi-identifier and a sensitive attribute. The estimate is corrected for its bias; otherwise all columns with
    many values would seem associated.

    Formula: $\lvert V_{\text{release}} - V_{\text{original}}\rvert$ with $V = \sqrt{\frac{\max(0,\, \chi^2/N -
        (r-1)(c-1)/(N-1))}{\min(\tilde{r} - 1, \tilde{c} - 1)}}$ and $\tilde{r} = r - \frac{(r-1)^2}{N-1}$, of a table
        of $r$ rows and $c$ columns
    Example:
        >>> from cobogo.examine.utility.sides import sides
        >>> from cobogo.studies.worked_examples import anonymize_patients
        >>> association_distances(sides(anonymize_patients("optimal")))["pairs"][-1]
        {'attributes': ['sex', 'disease'], 'before': 0.5, 'after': 0.5}

    Guarantee: None: it measures usefulness. It is computed on the original data, so it stays in the evidence.
    Limits: Cramér's V ignores order and sign: it is weak for numbers.
    Cost: $O(a^2 n)$ for a attributes and n distinct tuples.
    Paper: W. Bergsma, A bias-correction for Cramér's V and Tschuprow's T, Journal of the Korean Statistical Society,
        2013.
    """
    before, after = _associations(sides.before), _associations(sides.after)
    pairs = [
        {"attributes": list(pair), "before": before[pair], "after": after[pair]}
        for pair in sorted(before, key=lambda pair: -abs(before[pair] - after[pair]))
    ]
    differences = [abs(before[pair] - after[pair]) for pair in before]
    return {
        "mean": float(np.mean(differences)) if pairs else None,
        "largest": max(differences, default=None),
        "pairs": pairs,
    }


def _associations(table: FrequencyTable) -> dict[tuple[str, str], float]:
    """Cramér's V of all pairs of quasi-identifiers, and of a quasi-identifier and a sensitive attribute."""
    names = table.quasi_identifiers
    columns = {name: table.codes[:, column] for column, name in enumerate(names)}
    found = {
        (one, other): cramers_v(columns[one], columns[other], table.counts) for one, other in combinations(names, 2)
    }
    for sensitive, histogram in table.histograms.items():
        for name in names:
            found[name, sensitive] = cramers_v(columns[name][histogram.owners], histogram.values, histogram.counts)
    return found


def cramers_v(one: Any, other: Any, counts: Any) -> float:
    """The association of two coded columns, 0 to 1; row i stands for ``counts[i]`` records.

    >>> cramers_v([0, 1], [0, 1], [50, 50]), cramers_v([0, 0, 1, 1], [0, 1, 0, 1], [5, 5, 5, 5])
    (1.0, 0.0)
    """
    one, other = np.asarray(one, dtype=np.int64), np.asarray(other, dtype=np.int64)
    counts = np.asarray(counts, dtype=float)
    records = counts.sum()
    ids, first = number_tuples([one, other], [one.max(initial=0) + 1, other.max(initial=0) + 1], len(one))
    cells = np.bincount(ids, weights=counts)
    rows, columns = np.bincount(one, weights=counts), np.bincount(other, weights=counts)
    tall, wide = np.count_nonzero(rows), np.count_nonzero(columns)
    if min(tall, wide) < 2 or records < 2:
        return 0.0
    expected = rows[one[first]] * columns[other[first]]
    present = cells > 0
    square = float((cells[present] ** 2 / expected[present]).sum()) - 1  # χ² over the records
    square = max(square - (tall - 1) * (wide - 1) / (records - 1), 0.0)
    room = min(size - 1 - (size - 1) ** 2 / (records - 1) for size in (tall, wide))
    return min(float(np.sqrt(square / room)), 1.0) if room > 1e-9 else 0.0


def total_variation(before: NDArray[Any], after: NDArray[Any]) -> float:
    """The total variation distance of two distributions, given as counts; 1 where one side is empty.

    >>> total_variation(np.array([2.0, 2.0]), np.array([1.0, 3.0]))
    0.25
    """
    if not before.sum() or not after.sum():
        return 1.0
    return float(np.abs(before / before.sum() - after / after.sum()).sum() / 2)
