"""The steps of a perturbation, carried out on a sheet."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction

import numpy as np

from cobogo.models.base import Mask
from cobogo.perturb.operators.base import Operator
from cobogo.perturb.perturbation import noise
from cobogo.perturb.perturbation.sheet import Coded, Sheet, written
from cobogo.perturb.perturbation.swap import Forbidden, Words, rank_swapped
from cobogo.policy import NoiseStep, SwapStep
from cobogo.randomness import Source, coins

Rules = Sequence[Mapping[str, str]]


def add_noise(sheet: Sheet, step: NoiseStep, places: Mapping[str, int], decimal: str, source: Source) -> None:
    """Numbers of the attributes, perturbed, within the bounds, and written with as many digits as asked for."""
    values = np.column_stack([sheet.coded[name].numbers(decimal) for name in step.attributes])

    def draw(count: int) -> noise.Floats:
        return ((source.words(count) >> np.uint64(11)).astype(np.float64) + 0.5) / 2**53

    if step.kind == "correlated":
        assert step.share is not None
        after = noise.correlated(values, step.share, draw)
    else:
        scale = noise.spread(values) * step.relative if step.relative is not None else np.array(step.deviation)
        change = noise.additive if step.kind == "additive" else noise.multiplicative
        after = change(values, np.broadcast_to(scale, values.shape[1:]).astype(np.float64), step.distribution, draw)
    for place, name in enumerate(step.attributes):
        inside = noise.within(after[:, place], *bounds(step, places[name]))
        sheet.coded[name] = _as_collected(values[:, place], inside, sheet.coded[name], places[name], decimal)


def bounds(step: NoiseStep, places: int) -> tuple[float | None, float | None]:
    """The bounds of a step as numbers that can be written with so many digits, so that rounding stays within."""
    unit = 10**places
    lower = None if step.lower is None else math.ceil(Fraction(str(step.lower)) * unit) / unit
    upper = None if step.upper is None else math.floor(Fraction(str(step.upper)) * unit) / unit
    return lower, upper


def _as_collected(before: noise.Floats, after: noise.Floats, column: Coded, places: int, decimal: str) -> Coded:
    """Perturbed numbers; what was NULL stays NULL."""
    assert (np.isnan(before) == np.isnan(after)).all()
    missing = np.array([label is None for label in column.labels] or [True], dtype=np.bool_)[column.codes]
    assert not (np.isnan(before) & ~missing).any()
    return written(after, places, decimal)


def swap(sheet: Sheet, step: SwapStep, rules: Rules, decimal: str, source: Source) -> float:
    """Exchange the attributes' values between partners; the share of the records that were swapped."""
    strata = np.zeros(sheet.rows, dtype=np.int64)
    for name in step.within:
        column = sheet.coded[name]
        strata = np.unique(strata * len(column.labels) + column.codes, return_inverse=True)[1].astype(np.int64)
    first = sheet.coded[step.attributes[0]]
    chance = source.words(sheet.rows)
    ranks = first.ranks(decimal) if step.window is not None else np.zeros(sheet.rows, dtype=np.int64)
    order = np.lexsort([chance, ranks, strata]).astype(np.int64)
    window = sheet.rows if step.window is None else max(1, int(step.window * sheet.rows))
    taking_part = coins(step.share, sheet.rows, source)
    forbidden = _forbidden(sheet, step.attributes, rules)
    partners = rank_swapped(order, strata, window, taking_part, source.words(sheet.rows), forbidden)
    for name in step.attributes:
        column = sheet.coded[name]
        sheet.coded[name] = Coded(column.codes[partners], column.labels)
    return float((partners != np.arange(sheet.rows)).mean()) if sheet.rows else 0.0


def randomize(sheet: Sheet, name: str, operator: Operator, rules: Rules, source: Source) -> None:
    """Exchange the values of an attribute by an operator; a record that would get what is forbidden keeps its own."""
    column = sheet.coded[name]
    drawn = operator.sample(column.codes.astype(np.int64), source).astype(np.int32)
    for rule in rules:
        if name in rule:
            rest = _holding(sheet, {key: value for key, value in rule.items() if key != name})
            wanted = np.array([label == rule[name] for label in column.labels], dtype=np.bool_)
            broken = rest & wanted[drawn] & ~wanted[column.codes]
            drawn[broken] = column.codes[broken]
    sheet.coded[name] = Coded(drawn, column.labels)


def _holding(sheet: Sheet, rule: Mapping[str, str]) -> Mask:
    """The records that hold all of a rule's values."""
    found = np.ones(sheet.rows, dtype=np.bool_)
    for name, value in rule.items():
        column = sheet.coded[name]
        found &= np.array([label == value for label in column.labels] or [False], dtype=np.bool_)[column.codes]
    return found


def _forbidden(sheet: Sheet, swapped: Sequence[str], rules: Rules) -> Forbidden:
    """The rules that a swap of some attributes could break, as bits of each record."""
    receives, gives = np.zeros(sheet.rows, dtype=np.uint64), np.zeros(sheet.rows, dtype=np.uint64)
    for number, rule in enumerate(rules):
        own = {name: value for name, value in rule.items() if name in swapped}
        if own and len(own) < len(rule):
            receives |= _bit(_holding(sheet, {name: rule[name] for name in rule if name not in own}), number)
            gives |= _bit(_holding(sheet, own), number)
    return Forbidden(receives, gives)


def _bit(holding: Mask, number: int) -> Words:
    return holding.astype(np.uint64) << np.uint64(number)
