"""Tables as points, so that distances between their records can be measured."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cobogo.data.classes import Domain
from cobogo.errors import DataError
from cobogo.examine.attacks.rows import Rows, code_alike
from cobogo.floor.arrays import Floats, Ints, Mask
from cobogo.floor.language import tr

FEW = 10
"""Distinct numbers up to which a column counts as categories: codes such as 1 and 2 have no distance."""

BINS = 50
"""Quantile intervals within which numbers are alike."""

SURE = 2.576
"""Standard deviations of a two-sided 99 % interval."""


@dataclass(frozen=True, eq=False, repr=False)
class TablePoints:
    """Tables with the same columns as numbers: numeric columns scaled to 0 … 1, other columns as codes."""

    columns: tuple[str, ...]
    tables: tuple[Floats, ...]  # rows × columns
    codes: tuple[Ints, ...]  # the same as codes of all columns
    categorical: Mask
    labels: dict[str, int]  # how many distinct values each column has

    def places(self, names: Sequence[str]) -> Ints:
        """The places of some columns."""
        return np.array([self.columns.index(name) for name in names], dtype=np.int64)


def points(tables: Sequence[Rows], asked: Sequence[str] | None = None) -> TablePoints:
    """Code the columns that all tables have, or those asked for."""
    shared = [name for name in tables[0].names if all(name in table.columns for table in tables)]
    for name in asked or ():
        if name not in shared:
            lacking = next(table for table in tables if name not in table.columns)
            raise DataError(
                tr('has no column "{name}"', name=name),
                where=lacking.name,
                remedy=tr("Its columns: {names}.", names=", ".join(lacking.names)),
            )
    names = tuple(asked or shared)
    if not names:
        raise DataError(
            tr("has no column in common with the release"),
            where=tables[-1].name,
            remedy=tr("Give the columns the same names as in the release."),
        )
    whole: list[list[Floats]] = [[] for _ in tables]
    coded: list[list[Ints]] = [[] for _ in tables]
    categorical, labels = [], {}
    for name in names:
        codes, known = code_alike([table.columns[name] for table in tables])
        domain = Domain(name, known, np.zeros(len(known), dtype=np.int64))
        numeric = domain.is_numeric and len(known) > FEW
        numbers = domain.numbers
        if numeric:
            low, high = np.nanmin(numbers), np.nanmax(numbers)
            numbers = (numbers - low) / max(high - low, 1e-300)
        categorical.append(not numeric)
        labels[name] = len(known)
        for place, own in enumerate(codes):
            coded[place].append(own)
            whole[place].append(numbers[own] if numeric else own.astype(np.float64))
    return TablePoints(
        names,
        tuple(np.ascontiguousarray(np.array(part).T) for part in whole),
        tuple(np.ascontiguousarray(np.array(part).T) for part in coded),
        np.array(categorical, dtype=np.bool_),
        labels,
    )


def sample_rows(rows: int, most: int, random: np.random.Generator) -> Ints:
    """At most so many row numbers at random, sorted."""
    if rows <= most:
        return np.arange(rows)
    return np.sort(random.choice(rows, most, replace=False))


def wilson_bounds(hits: float, tries: int) -> tuple[float, float]:
    """The interval of the true rate that some hits allow (Wilson 1927).

    >>> [round(bound, 3) for bound in wilson_bounds(90, 100)]
    [0.796, 0.954]
    """
    if not tries:
        return 0.0, 1.0
    middle, reach = wilson_interval(np.float64(hits / tries), np.float64(tries))
    return float(max(middle - reach, 0.0)), float(min(middle + reach, 1.0))


def wilson_interval(rate: Any, tries: Any) -> tuple[Any, Any]:
    """The middle and half the width of the interval of the true rate, for arrays of observed rates."""
    square = SURE * SURE
    middle = (rate + square / (2 * tries)) / (1 + square / tries)
    reach = SURE * np.sqrt(rate * (1 - rate) / tries + square / (4 * tries * tries)) / (1 + square / tries)
    return middle, reach


def compare_rates(hits: float, tries: int, control_hits: float, control_tries: int) -> dict[str, Any]:
    """Compare the rates at which an attack succeeds against people in the data and against control people.

    ``risk`` is the gain of the first rate over the second, as a share of the largest possible gain. ``certain`` says
    that the intervals of the two rates do not overlap.
    """
    rate, control = hits / max(tries, 1), control_hits / max(control_tries, 1)
    return {
        "rate": rate,
        "control": control,
        "risk": max((rate - control) / (1 - control), 0.0) if control < 1 else 0.0,
        "certain": wilson_bounds(hits, tries)[0] > wilson_bounds(control_hits, control_tries)[1],
    }


def number_alike_rows(points_: TablePoints, columns: NDArray[Any]) -> tuple[Ints, ...]:
    """Number the rows of all tables so that rows have one number if they are alike in some columns. Numbers are alike
    in one of `BINS` quantile intervals of the first table."""
    parts = []
    for column in columns:
        if points_.categorical[column]:
            parts.append([codes[:, column] for codes in points_.codes])
            continue
        edges = np.unique(np.nanquantile(points_.tables[0][:, column], np.linspace(0, 1, BINS + 1)[1:-1]))
        parts.append(
            [
                np.where(np.isnan(table[:, column]), len(edges) + 1, np.searchsorted(edges, table[:, column]))
                for table in points_.tables
            ]
        )
    stacked = [np.concatenate(part) for part in parts]
    _, ids = np.unique(np.array(stacked), axis=1, return_inverse=True)
    ends = np.cumsum([len(table) for table in points_.tables])
    return tuple(np.split(ids.reshape(-1).astype(np.int64), ends[:-1]))
