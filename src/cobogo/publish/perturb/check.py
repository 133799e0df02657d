"""Verifying a perturbed release: its values must be such as the steps leave."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from cobogo.data.classes import written_number
from cobogo.data.hierarchy import Label
from cobogo.promises.operators.inference import unexpectedly_frequent, unexpectedly_rare
from cobogo.promises.operators.matrix import read_operator
from cobogo.publish.perturb.coded_table import decimal_places
from cobogo.publish.perturb.make import NO_GUARANTEE, digest, violations
from cobogo.release.columns import counted
from cobogo.release.contract import CheckResult, Written


def check(written: Written) -> CheckResult:
    """What can be seen in the rows: bounds and digits of noise, domains and frequencies of what was exchanged by
    chance; and with the evidence, that swapping changed no column and no rule was broken."""
    stated, kept = written.statement, written.private_statement
    problems: list[str] = []
    last = {name: step for step in stated["steps"] for name in step["attributes"]}
    for name, step in last.items():
        labels, records = counted(written.rows, name)
        if step["method"] == "noise":
            problems += _misfit_numbers(name, step, labels, written.manifest.data.decimal)
        elif step["method"] == "pram":
            known = {} if kept is None else kept["operators"][name]
            told = {**step["operators"][name], **known}
            problems += _misfit_values(name, told, labels, records, ruled=bool(stated["forbid"]))
        if kept is not None and name in kept["swapped"] and digest(labels, records) != kept["swapped"][name]:
            problems.append(f'"{name}" does not hold the values that were swapped')
    if kept is not None:
        found = violations(written.rows, stated["forbid"])
        if any(now > before for now, before in zip(found, kept["violations"], strict=True)):
            problems.append("more records than before hold a combination that is forbidden")
    return CheckResult(problems=tuple(problems), notes=(NO_GUARANTEE,))


def _misfit_numbers(name: str, step: dict[str, Any], labels: Sequence[Label], decimal: str) -> Iterator[str]:
    numbers = np.array([written_number(label, decimal) for label in labels if label is not None])
    lower, upper = float(step.get("lower", -np.inf)), float(step.get("upper", np.inf))
    places = int(step["decimals"][name])
    if np.isnan(numbers).any():
        yield f'"{name}" holds values that are no numbers'
        return
    if (numbers < lower).any() or (numbers > upper).any():
        yield f'"{name}" holds values beyond its bounds'
    if decimal_places(labels, decimal) > places:
        yield f'"{name}" holds values with more digits than stated'


def _misfit_values(
    name: str, stated: dict[str, Any], labels: Sequence[Label], records: np.ndarray[Any, Any], *, ruled: bool
) -> Iterator[str]:
    place = {label: number for number, label in enumerate(stated["values"])}
    if set(labels) - set(place):
        yield f'"{name}" holds values that are not among those stated'
        return
    if ruled or not stated.keys() - {"values", "invariant"}:
        return  # a record that would break a rule keeps its value; an invariant matrix only the evidence tells
    observed = np.zeros(len(place), dtype=np.int64)
    observed[[place[label] for label in labels]] = records
    least, most = read_operator(stated).bounds()
    total = int(observed.sum())
    if len(unexpectedly_rare(observed, total, least)) or len(unexpectedly_frequent(observed, total, most)):
        yield f'the values of "{name}" are not such as its matrix leads to'
