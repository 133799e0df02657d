"""A perturbed release: from a policy's ``[perturbation]`` to its steps, their execution, and their verification."""

from __future__ import annotations

import difflib
import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from cobogo.data.classes import parse_number
from cobogo.data.hierarchy import Label
from cobogo.data.policy import NoiseStep, Perturbation, Policy, PramStep, Role, SwapStep
from cobogo.data.table.columns import count_values
from cobogo.data.table.read import Table
from cobogo.errors import DataError, PolicyError
from cobogo.floor.arrays import Floats, Ints
from cobogo.floor.language import Text, join, tr, trn
from cobogo.floor.randomness import source
from cobogo.promises.operators import (
    Matrix,
    operator_from_matrix,
    read_operator,
    unexpectedly_frequent,
    unexpectedly_rare,
)
from cobogo.publish.perturb import steps
from cobogo.publish.perturb.coded_table import CodedTable, decimal_places
from cobogo.release.contract import ENTROPY, SEED, CheckResult, Json, Meaning, Written
from cobogo.release.drawn import DrawnRows, Story

if TYPE_CHECKING:
    from cobogo.floor.language import Speech


NO_GUARANTEE = tr("perturbation gives no formal guarantee: attack the release before you give it away")

MEANINGS = {
    "noise": tr("perturbed by noise: not what was collected"),
    "swap": tr("exchanged between records: not always what was collected for this one"),
    "pram": tr("exchanged at random: not always what was collected"),
}


@dataclass(frozen=True, eq=False, repr=False)
class Perturbed(DrawnRows):
    """Some attributes perturbed, step by step; the others are released as they are."""

    wanted: Perturbation
    decimal: str
    places: Mapping[str, int]  # digits after the mark, of attributes that get noise
    operators: Mapping[str, tuple[tuple[Label, ...], Matrix]]  # of attributes that are post-randomized
    counts: Mapping[str, str]  # digests of the swapped columns
    violations: tuple[int, ...]  # for each rule, the original records that break it
    records: int
    swapped: dict[int, float] = field(default_factory=dict)  # by step, the share of records that found a partner

    kind = "perturbation"

    def batches(self, table: Table, columns: Sequence[str]) -> Iterator[Any]:
        """Perturb the whole table in memory: two records that are swapped may be anywhere in it."""
        random = source(self.wanted.seed)
        rules = self.wanted.forbid
        needed = _needed_attributes(self.wanted)
        sheet = CodedTable.read(table, columns, [name for name in columns if name in needed])
        for number, step in enumerate(self.wanted.steps):
            if isinstance(step, NoiseStep):
                steps.add_noise(sheet, step, self.places, self.decimal, random)
            elif isinstance(step, SwapStep):
                self.swapped[number] = steps.swap(sheet, step, rules, self.decimal, random)
            else:
                for name in step.attributes:
                    steps.randomize(sheet, name, self.operators[name][1], rules, random)
        yield from sheet.batches(columns)

    @property
    def meanings(self) -> Mapping[str, Meaning]:
        """The meaning of each perturbed attribute, by the last step that changed it."""
        return {name: Meaning(MEANINGS[step.method]) for step in self.wanted.steps for name in step.attributes}

    def statement(self) -> Json:
        """What was done to which attributes, with all that is needed to correct for it."""
        return {
            "entropy": ENTROPY if self.wanted.seed is None else SEED,
            "steps": [self._state_step(step) for step in self.wanted.steps],
            "forbid": [dict(rule) for rule in self.wanted.forbid],
        }

    def _state_step(self, step: NoiseStep | SwapStep | PramStep) -> Json:
        said: Json = {"method": step.method, "attributes": list(step.attributes)}
        if isinstance(step, NoiseStep):
            keys = ("kind", "distribution", "deviation", "relative", "share", "lower", "upper")
            said |= {key: value for key in keys if (value := getattr(step, key)) is not None}
            said["decimals"] = {name: self.places[name] for name in step.attributes}
        elif isinstance(step, PramStep):
            # An invariant matrix is computed from the original's frequencies, and would reveal them exactly.
            own = {name: found for name, found in self.operators.items() if name in step.attributes}
            said["operators"] = {
                name: {"values": list(labels), **({"invariant": True} if step.invariant else operator.as_dict())}
                for name, (labels, operator) in own.items()
            }
        return said

    def explanation(self) -> str:
        head = tr("There is no formal guarantee. These steps were taken, in this order:")
        lines: list[str] = []
        for step in self.wanted.steps:
            names = ", ".join(step.attributes)
            lines.append(tr("- {names}: {step}", names=names, step=_describe_step(step)))
        if self.wanted.forbid:
            what = tr(
                "A change that would lead to a combination that the manifest forbids was not made, or was undone."
            )
            return join([head, join(lines, by="\n"), what], by="\n\n")
        return join([head, join(lines, by="\n")], by="\n\n")

    def private_statement(self) -> Json:
        """Digests of the swapped columns, the matrices, and the seed if there is one."""
        return {
            "swapped": dict(self.counts),
            "violations": list(self.violations),
            "operators": {name: operator.as_dict() for name, (_, operator) in self.operators.items()},
            "seed": self.wanted.seed,
            "records": self.records,
        }

    @property
    def warnings(self) -> tuple[str, ...]:
        sure = [name for name, (_, operator) in self.operators.items() if not np.isfinite(operator.amplification)]
        certain = [
            tr('the matrix of "{name}" has zeros: some released values rule out some original values', name=name)
            for name in sure
        ]
        return (NO_GUARANTEE, *certain)

    def story(self, before: Table, after: Table, say: Speech) -> Story:
        from cobogo.publish.perturb.story import story

        return story(self, before, after, say)


def make(policy: Policy, table: Table) -> Perturbed:
    """Prepare a perturbation: check everything, draw nothing."""
    wanted = policy.perturbation
    assert wanted is not None
    where = f"{policy.name}, perturbation"
    if policy.privacy is not None:
        raise PolicyError(
            tr("the policy asks for models, and a perturbation cannot promise any"),
            where=f"{policy.name}, privacy",
            remedy=tr("Leave out [privacy], or randomize with a guarantee: [randomization]."),
        )
    _refuse_unreleased(policy, wanted, where)
    found = {name: count_values(table, name) for step in wanted.steps for name in step.attributes}
    places: dict[str, int] = {}
    operators: dict[str, tuple[tuple[Label, ...], Matrix]] = {}
    for number, step in enumerate(wanted.steps):
        place = f"{where}.steps.{number}"
        for name in step.attributes:
            labels, records = found[name]
            if isinstance(step, NoiseStep):
                _refuse_unless_numbers(name, labels, records, policy.data.decimal, place)
                places[name] = decimal_places(labels, policy.data.decimal) if step.decimals is None else step.decimals
                lower, upper = steps.bounds(step, places[name])
                if lower is not None and upper is not None and lower > upper:
                    raise PolicyError(
                        trn(
                            "no number with {n:,} decimal lies within the bounds",
                            "no number with {n:,} decimals lies within the bounds",
                            n=places[name],
                        ),
                        where=place,
                        remedy=tr("Widen lower and upper, or raise decimals."),
                    )
            elif isinstance(step, PramStep):
                if name in places:
                    raise PolicyError(
                        tr('an earlier step adds noise to "{name}", so it has no categories any more', name=name),
                        where=place,
                        remedy=tr("Leave out one of the two steps for this attribute."),
                    )
                operators[name] = labels, _build_matrix(step, labels, records / records.sum(), place)
    changed = {name for step in wanted.steps if not isinstance(step, SwapStep) for name in step.attributes}
    counts = {
        name: digest_column(*found[name])
        for step in wanted.steps
        if isinstance(step, SwapStep)
        for name in step.attributes
        if name not in changed
    }
    return Perturbed(
        wanted,
        policy.data.decimal,
        places,
        operators,
        counts,
        tuple(count_violations(table, wanted.forbid)),
        table.rows(),
    )


def digest_column(labels: Sequence[Label], records: Ints) -> str:
    """A digest of a column's values and counts, whatever the order of its rows."""
    lines = (
        f"{int(count)} {'' if label is None else 'x' + label}" for label, count in zip(labels, records, strict=True)
    )
    return hashlib.sha256("\0".join(sorted(lines)).encode()).hexdigest()


def _build_matrix(step: PramStep, labels: Sequence[Label], shares: Floats, where: str) -> Matrix:
    """Build the matrix of an attribute's values, NULL among them where it occurs."""
    if step.matrix is None:
        assert step.retention is not None
        square = steps.retention_matrix(len(labels), step.retention)
    else:
        place = {label: number for number, label in enumerate(labels)}
        square = np.zeros((len(labels), len(labels)))
        for value, row in step.matrix.items():
            for name in (value, *row):
                if name not in place:
                    raise PolicyError(
                        tr("a value of the matrix is not in the data"),
                        where=f"{where}.matrix",
                        remedy=_similar_value(name, labels),
                    )
            for other, share in row.items():
                square[place[other], place[value]] = share
        left = 1 - square.sum(axis=0)
        if (left < -1e-9).any():
            raise PolicyError(
                tr("the probabilities of a value add up to more than 1"),
                where=f"{where}.matrix",
                remedy=tr("Lower them: each row may add up to 1 at most."),
            )
        square[np.diag_indices(len(labels))] += np.maximum(left, 0)
    return operator_from_matrix(steps.invariant_matrix(square, shares) if step.invariant else square)


def _similar_value(name: str, labels: Sequence[Label]) -> Text:
    near = difflib.get_close_matches(name, [label for label in labels if label is not None], n=1)
    meant = [tr('Did you mean "{name}"?', name=near[0])] if near else []
    return join([*meant, tr("Use only values that the column has, with the same spelling.")])


def _needed_attributes(wanted: Perturbation) -> set[str]:
    """The attributes that steps or rules use."""
    names = {name for step in wanted.steps for name in step.attributes}
    names |= {name for step in wanted.steps if isinstance(step, SwapStep) for name in step.within}
    return names | {name for rule in wanted.forbid for name in rule}


def _refuse_unreleased(policy: Policy, wanted: Perturbation, where: str) -> None:
    released = [name for name in policy.attributes if policy.attributes[name].role is not Role.IDENTIFIER]
    for name in sorted(_needed_attributes(wanted)):
        if name not in policy.attributes or policy.attributes[name].role is Role.IDENTIFIER:
            raise PolicyError(
                tr('"{name}" is an identifier, which is not released', name=name)
                if name in policy.attributes
                else tr('"{name}" is not an attribute of the policy', name=name),
                where=where,
                remedy=tr("Released attributes: {known}.", known=", ".join(released)),
            )


def _refuse_unless_numbers(name: str, labels: Sequence[Label], records: Ints, decimal: str, where: str) -> None:
    numbers = np.array([parse_number(label, decimal) for label in labels] or [np.nan])
    strange = np.array([label is not None for label in labels], dtype=np.bool_) & np.isnan(numbers)
    if strange.any():
        raise DataError(
            trn(
                '{n:,} value of "{name}" ({records:,} records) is not a number',
                '{n:,} values of "{name}" ({records:,} records) are not numbers',
                n=int(strange.sum()),
                name=name,
                records=int(records[strange].sum()),
            ),
            where=where,
            remedy=tr(
                "Noise needs numbers: list the texts that mean a missing value in data.missing, or check data.decimal."
            ),
        )


NOISE = {
    "additive": tr("additive"),
    "multiplicative": tr("multiplicative"),
    "gaussian": tr("Gaussian"),
    "laplace": tr("Laplace"),
    "uniform": tr("uniform"),
}


def _describe_step(step: NoiseStep | SwapStep | PramStep) -> Text:
    if isinstance(step, NoiseStep):
        if step.kind == "correlated":
            return tr("noise of the same covariance, with a share of {share:g} of the variance", share=step.share)
        if step.deviation is not None:
            return tr(
                "{kind} {distribution} noise with a standard deviation of {deviation:g}",
                kind=NOISE[step.kind],
                distribution=NOISE[step.distribution],
                deviation=step.deviation,
            )
        return tr(
            "{kind} {distribution} noise with a standard deviation of {relative:g} times the attribute's own",
            kind=NOISE[step.kind],
            distribution=NOISE[step.distribution],
            relative=step.relative,
        )
    if isinstance(step, SwapStep):
        if step.within:
            return tr("values exchanged between records with equal {columns}", columns=", ".join(step.within))
        return tr("values exchanged between records")
    return tr("each value exchanged at random, with the probabilities in the manifest")


def count_violations(table: Table, rules: Sequence[Mapping[str, str]]) -> list[int]:
    """How many records match each rule."""
    found = []
    for rule in rules:
        rows = table.expression
        for name, value in rule.items():
            rows = rows.filter(table.text(name) == value)
        count_values = rows.aggregate(found=rows.count())
        found.append(int(table.engine.fetch(count_values)["found"][0].as_py()))
    return found


def check(written: Written) -> CheckResult:
    """Check what the rows show: bounds and digits of noisy numbers, domains and frequencies of post-randomized values.

    With the evidence, check also that swapping changed no column and that no rule was broken.
    """
    stated, kept = written.statement, written.private_statement
    problems: list[str] = []
    last = {name: step for step in stated["steps"] for name in step["attributes"]}
    for name, step in last.items():
        labels, records = count_values(written.rows, name)
        if step["method"] == "noise":
            problems += _misfit_numbers(name, step, labels, written.manifest.data.decimal)
        elif step["method"] == "pram":
            known = {} if kept is None else kept["operators"][name]
            matrix_stated = {**step["operators"][name], **known}
            problems += _misfit_values(name, matrix_stated, labels, records, ruled=bool(stated["forbid"]))
        if kept is not None and name in kept["swapped"] and digest_column(labels, records) != kept["swapped"][name]:
            problems.append(tr('"{name}" does not have the values that were swapped', name=name))
    if kept is not None:
        found = count_violations(written.rows, stated["forbid"])
        if any(now > before for now, before in zip(found, kept["violations"], strict=True)):
            problems.append(tr("more records than before have a forbidden combination"))
    return CheckResult(problems=tuple(problems), notes=(NO_GUARANTEE,))


def _misfit_numbers(name: str, step: dict[str, Any], labels: Sequence[Label], decimal: str) -> Iterator[str]:
    numbers = np.array([parse_number(label, decimal) for label in labels if label is not None])
    lower, upper = float(step.get("lower", -np.inf)), float(step.get("upper", np.inf))
    places = int(step["decimals"][name])
    if np.isnan(numbers).any():
        yield tr('"{name}" has values that are not numbers', name=name)
        return
    if (numbers < lower).any() or (numbers > upper).any():
        yield tr('"{name}" has values beyond its bounds', name=name)
    if decimal_places(labels, decimal) > places:
        yield tr('"{name}" has values with more decimals than the manifest states', name=name)


def _misfit_values(
    name: str, stated: dict[str, Any], labels: Sequence[Label], records: np.ndarray[Any, Any], *, ruled: bool
) -> Iterator[str]:
    place = {label: number for number, label in enumerate(stated["values"])}
    if set(labels) - set(place):
        yield tr('"{name}" has values that the manifest does not list', name=name)
        return
    if ruled or not stated.keys() - {"values", "invariant"}:
        return  # a record that would break a rule keeps its value; an invariant matrix only the evidence tells
    observed = np.zeros(len(place), dtype=np.int64)
    observed[[place[label] for label in labels]] = records
    least, most = read_operator(stated).bounds()
    total = int(observed.sum())
    if len(unexpectedly_rare(observed, total, least)) or len(unexpectedly_frequent(observed, total, most)):
        yield tr('the frequencies of "{name}" cannot result from its matrix', name=name)
