"""Counts from a randomized release as whoever receives it has it: the public directory and nothing else."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from cobogo.data.hierarchy import Label
from cobogo.data.table.frequency import FrequencyTable, frequency_table
from cobogo.data.table.read import Table, read
from cobogo.errors import OutputError
from cobogo.floor.arrays import Ints, Mask
from cobogo.floor.untrusted import fraction
from cobogo.promises.operators.matrix import read_operator
from cobogo.promises.operators.uniform import Uniform
from cobogo.publish.randomize.estimate.counts import CountEstimate, count, sampled
from cobogo.release import manifest as manifests

Values = Mapping[str, Collection[Label]]


def estimated_count(public: str | Path, where: Values, sensitive: Values) -> CountEstimate:
    """About how many records of the original have one of some values of each attribute of ``where``, which were not
    randomized, and of the one attribute of ``sensitive``, which was.

    Of a release by alpha-beta, all columns are alike, and distinct records are counted.
    """
    directory = Path(public)
    manifest = manifests.load(directory)
    stated = manifest.transformation or {}
    if manifest.kind != "randomization" or manifest.data.file is None:
        raise OutputError("is not a randomized release in files", where=str(directory), remedy="Count its rows.")
    table = read(directory / manifest.data.file, manifest.data.reading)
    unknown = {*where, *sensitive} - set(table.columns)
    if unknown:
        raise OutputError(
            f"has no column {', '.join(sorted(unknown))}",
            where=str(directory),
            remedy=f"It has: {', '.join(table.columns)}.",
        )
    if stated["method"] == "alpha-beta":
        return _count_in_set(table, stated, {**where, **sensitive})
    if len(sensitive) != 1:
        raise OutputError("one randomized attribute can be asked for at a time", where=str(directory))
    ((name, wanted),) = sensitive.items()
    for part in stated.get("drawn", ()):
        if set(where) & set(part["attributes"]):
            raise OutputError(f"{', '.join(where)} was randomized, too: counts of both are not estimated here")
        if name in part["attributes"]:
            return _count_in_column(table, part, name, where, wanted)
    if stated.get("attribute") != name:
        raise OutputError(f'the column "{name}" was not randomized', where=str(directory), remedy="Count its rows.")
    if stated["method"] == "small-domain":
        return _count_in_parts(table, stated, name, where, wanted)
    return _count_in_groups(table, stated, name, where, wanted)


def _count_in_column(
    table: Table, part: Mapping[str, Any], name: str, where: Values, wanted: Collection[Label]
) -> CountEstimate:
    """By the attribute's operator; of several that were drawn together, by that of its marginal."""
    domain = part["domains"][part["attributes"].index(name)]
    operator = read_operator(part)
    if len(part["attributes"]) > 1:
        assert isinstance(operator, Uniform)
        operator = Uniform(len(domain), operator.retention)
    return count(operator, _observed(table, name, domain, where), _codes(domain, wanted))


def _count_in_parts(
    table: Table, stated: Mapping[str, Any], name: str, where: Values, wanted: Collection[Label]
) -> CountEstimate:
    """Part by part: each is drawn apart from the others."""
    total = CountEstimate(0.0, 0.0)
    for number, part in enumerate(stated["parts"], 1):
        codes = _codes(part["domain"], wanted)
        if codes:
            operator = Uniform(len(part["domain"]), fraction(part["retention"]))
            observed = _observed(table, name, part["domain"], {**where, stated["column"]: [str(number)]})
            total += count(operator, observed, codes)
    return total


def _count_in_groups(
    table: Table, stated: Mapping[str, Any], name: str, where: Values, wanted: Collection[Label]
) -> CountEstimate:
    """Each record with the weight of its group; conditions are on generalized values, as released."""
    counted = frequency_table(table, [name, stated["size"], *where], [])
    inside = _matching(counted, where)
    codes = np.array([stated["domain"].index(label) for label in counted.values[name]], dtype=np.int64)
    sizes = np.array([int(label or 0) for label in counted.values[stated["size"]]], dtype=np.int64)
    shown = np.repeat(codes[counted.codes[inside, 0]], counted.counts[inside])
    weights = np.repeat(sizes[counted.codes[inside, 1]], counted.counts[inside])
    operator = Uniform(len(stated["domain"]), fraction(stated["retention"]))
    return sampled(operator, shown, weights, _codes(stated["domain"], wanted))


def _count_in_set(table: Table, stated: Mapping[str, Any], where: Values) -> CountEstimate:
    """(v − β·N)/α, with the variance of the draws."""
    alpha, beta = float(fraction(stated["alpha"])), float(fraction(stated["beta"]))
    names = list(stated["domains"])
    counted = frequency_table(table, names, [])
    released = int(counted.counts[_matching(counted, where)].sum())
    possible = math.prod(
        len(domain) if name not in where else len(_codes(domain, where[name]))
        for name, domain in stated["domains"].items()
    )
    found = (released - beta * possible) / alpha
    true = min(max(found, 0.0), float(possible))
    kept = alpha + beta
    spread = true * kept * (1 - kept) + (possible - true) * beta * (1 - beta)
    return CountEstimate(found, math.sqrt(spread) / alpha)


def _observed(table: Table, name: str, domain: Sequence[Label], where: Values) -> Ints:
    """How often each value of a domain was released in the records that meet a condition."""
    counted = frequency_table(table, [name, *where], [])
    inside = _matching(counted, where)
    place = {label: code for code, label in enumerate(domain)}
    codes = np.array([place.get(label, -1) for label in counted.values[name]], dtype=np.int64)[counted.codes[:, 0]]
    inside &= codes >= 0
    return np.bincount(codes[inside], counted.counts[inside], len(domain)).astype(np.int64)


def _matching(counted: FrequencyTable, where: Values) -> Mask:
    found = np.ones(len(counted.counts), dtype=np.bool_)
    for name, wanted in where.items():
        column = counted.quasi_identifiers.index(name)
        chosen = [code for code, label in enumerate(counted.values[name]) if label in wanted]
        found &= np.isin(counted.codes[:, column], chosen)
    return found


def _codes(domain: Sequence[Label], wanted: Collection[Label]) -> list[int]:
    return [code for code, label in enumerate(domain) if label in wanted]
