"""From a policy's ``[perturbation]`` to what will be done, and the doing of it."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from cobogo.data.classes import written_number
from cobogo.data.hierarchy import Label
from cobogo.data.policy import NoiseStep, Perturbation, Policy, PramStep, Role, SwapStep
from cobogo.data.table.read import Table
from cobogo.errors import DataError, PolicyError, nearest, number_of
from cobogo.floor.arrays import Floats, Ints
from cobogo.floor.randomness import source
from cobogo.promises.operators import matrix
from cobogo.promises.operators.matrix import Matrix
from cobogo.publish.perturb import steps
from cobogo.publish.perturb.coded_table import CodedTable, decimal_places
from cobogo.release.columns import counted
from cobogo.release.contract import ENTROPY, SEED, Json, Meaning, Story
from cobogo.release.drawn import DrawnRows

if TYPE_CHECKING:
    from cobogo.tell.report.words import Words

NO_GUARANTEE = "perturbation gives no formal guarantee: attack the release before giving it away"

MEANINGS = {
    "noise": "perturbed by noise: not what was collected",
    "swap": "exchanged between records: not always what was collected of this one",
    "pram": "exchanged by chance: not always what was collected",
}


@dataclass(frozen=True, eq=False, repr=False)
class Perturbed(DrawnRows):
    """Some attributes perturbed, step by step; the rest is released as it is."""

    wanted: Perturbation
    decimal: str
    places: Mapping[str, int]  # digits after the mark, of attributes that get noise
    operators: Mapping[str, tuple[tuple[Label, ...], Matrix]]  # of attributes that are post-randomized
    counts: Mapping[str, str]  # digests of what swapped attributes hold
    violations: tuple[int, ...]  # records that hold what is forbidden, before
    records: int
    swapped: dict[int, float] = field(default_factory=dict)  # by step, the share of records that found a partner

    kind = "perturbation"

    def batches(self, table: Table, columns: Sequence[str]) -> Iterator[Any]:
        """The whole table in memory: partners may stand anywhere in it."""
        random = source(self.wanted.seed)
        rules = self.wanted.forbid
        looked_at = _looked_at(self.wanted)
        sheet = CodedTable.of(table, columns, [name for name in columns if name in looked_at])
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
        """Of the attributes perturbed, by the last step that changed each."""
        return {name: Meaning(MEANINGS[step.method]) for step in self.wanted.steps for name in step.attributes}

    def statement(self) -> Json:
        """What was done to which attributes, with what whoever uses them needs to correct for it."""
        return {
            "entropy": ENTROPY if self.wanted.seed is None else SEED,
            "steps": [self._stated(step) for step in self.wanted.steps],
            "forbid": [dict(rule) for rule in self.wanted.forbid],
        }

    def _stated(self, step: NoiseStep | SwapStep | PramStep) -> Json:
        said: Json = {"method": step.method, "attributes": list(step.attributes)}
        if isinstance(step, NoiseStep):
            keys = ("kind", "distribution", "deviation", "relative", "share", "lower", "upper")
            said |= {key: value for key in keys if (value := getattr(step, key)) is not None}
            said["decimals"] = {name: self.places[name] for name in step.attributes}
        elif isinstance(step, PramStep):
            # An invariant matrix is made of the original's frequencies, and would tell them to the last record.
            own = {name: found for name, found in self.operators.items() if name in step.attributes}
            said["operators"] = {
                name: {"values": list(labels), **({"invariant": True} if step.invariant else operator.as_dict())}
                for name, (labels, operator) in own.items()
            }
        return said

    def explanation(self) -> str:
        """What whoever receives it must know."""
        lines = ["No formal guarantee is given. What was done, in this order:", ""]
        for step in self.wanted.steps:
            lines.append(f"- {', '.join(step.attributes)}: {_in_words(step)}")
        if self.wanted.forbid:
            lines += ["", "What would have made a combination that the manifest forbids was not done, or undone."]
        return "\n".join(lines)

    def private_statement(self) -> Json:
        """How swapped columns looked, and the seed if there is one."""
        return {
            "swapped": dict(self.counts),
            "violations": list(self.violations),
            "operators": {name: operator.as_dict() for name, (_, operator) in self.operators.items()},
            "seed": self.wanted.seed,
            "records": self.records,
        }

    @property
    def warnings(self) -> tuple[str, ...]:
        """That there is no guarantee; and where an exchange by chance tells values for certain."""
        sure = [name for name, (_, operator) in self.operators.items() if not np.isfinite(operator.amplification)]
        told = [f'the matrix of "{name}" has zeros: some released values rule originals out' for name in sure]
        return (NO_GUARANTEE, *told)

    def story(self, before: Table, after: Table, say: Words) -> Story:
        """What was preserved."""
        from cobogo.publish.perturb.story import story

        return story(self, before, after, say)


def make(policy: Policy, table: Table) -> Perturbed:
    """Settle a perturbation: everything is checked, nothing is drawn."""
    wanted = policy.perturbation
    assert wanted is not None
    where = f"{policy.name}, perturbation"
    if policy.privacy is not None:
        raise PolicyError(
            "promises models, and a perturbation can promise none",
            where=f"{policy.name}, privacy",
            remedy="Leave out [privacy], or randomize with a guarantee: [randomization].",
        )
    _refuse_unreleased(policy, wanted, where)
    found = {name: counted(table, name) for step in wanted.steps for name in step.attributes}
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
                        f"no number with {number_of(places[name], 'digit')} after the mark lies within the bounds",
                        where=place,
                    )
            elif isinstance(step, PramStep):
                if name in places:
                    raise PolicyError(f'"{name}" has got noise before: it has no categories any more', where=place)
                operators[name] = labels, _operator(step, labels, records / records.sum(), place)
    changed = {name for step in wanted.steps if not isinstance(step, SwapStep) for name in step.attributes}
    counts = {
        name: digest(*found[name])
        for step in wanted.steps
        if isinstance(step, SwapStep)
        for name in step.attributes
        if name not in changed
    }
    return Perturbed(
        wanted, policy.data.decimal, places, operators, counts, tuple(violations(table, wanted.forbid)), table.rows()
    )


def digest(labels: Sequence[Label], records: Ints) -> str:
    """What a column holds, whatever the order of its rows."""
    lines = (
        f"{int(count)} {'' if label is None else 'x' + label}" for label, count in zip(labels, records, strict=True)
    )
    return hashlib.sha256("\0".join(sorted(lines)).encode()).hexdigest()


def _operator(step: PramStep, labels: Sequence[Label], shares: Floats, where: str) -> Matrix:
    """The matrix of an attribute's values. NULL, where there is one, is a value like any other."""
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
                        "a value is not among those of the data",
                        where=f"{where}.matrix",
                        remedy=nearest(name, [label for label in labels if label is not None], "the column"),
                    )
            for other, share in row.items():
                square[place[other], place[value]] = share
        left = 1 - square.sum(axis=0)
        if (left < -1e-9).any():
            raise PolicyError("the probabilities of a value sum to more than 1", where=f"{where}.matrix")
        square[np.diag_indices(len(labels))] += np.maximum(left, 0)
    return matrix.operator_from_matrix(steps.invariant_matrix(square, shares) if step.invariant else square)


def _looked_at(wanted: Perturbation) -> set[str]:
    """The attributes that steps or rules look at."""
    names = {name for step in wanted.steps for name in step.attributes}
    names |= {name for step in wanted.steps if isinstance(step, SwapStep) for name in step.within}
    return names | {name for rule in wanted.forbid for name in rule}


def _refuse_unreleased(policy: Policy, wanted: Perturbation, where: str) -> None:
    for name in sorted(_looked_at(wanted)):
        if name not in policy.attributes or policy.attributes[name].role is Role.IDENTIFIER:
            what = "is an identifier, which is not released" if name in policy.attributes else "is no attribute"
            raise PolicyError(
                f'"{name}" {what}', where=where, remedy=nearest(name, policy.attributes, "the attributes above")
            )


def _refuse_unless_numbers(name: str, labels: Sequence[Label], records: Ints, decimal: str, where: str) -> None:
    numbers = np.array([written_number(label, decimal) for label in labels] or [np.nan])
    strange = np.array([label is not None for label in labels], dtype=np.bool_) & np.isnan(numbers)
    if strange.any():
        raise DataError(
            f'{number_of(int(strange.sum()), "value")} of "{name}" '
            f"({number_of(int(records[strange].sum()), 'record')}) {'is' if strange.sum() == 1 else 'are'} no number",
            where=where,
            remedy="Noise is for numbers: list what stands for none in data.missing, or see data.decimal.",
        )


def _in_words(step: NoiseStep | SwapStep | PramStep) -> str:
    if isinstance(step, NoiseStep):
        if step.kind == "correlated":
            return f"noise of the same covariance, a share of {step.share:g} of the variance"
        scale = f"{step.deviation:g}" if step.deviation is not None else f"{step.relative:g} times the attribute's own"
        return f"{step.kind} {step.distribution} noise of standard deviation {scale}"
    if isinstance(step, SwapStep):
        together = " together" if len(step.attributes) > 1 else ""
        return f"values exchanged{together} between records" + (
            f" equal in {', '.join(step.within)}" if step.within else ""
        )
    return "each value exchanged by chance, with the probabilities of the manifest"


def violations(table: Table, rules: Sequence[Mapping[str, str]]) -> list[int]:
    """How many records hold each combination."""
    found = []
    for rule in rules:
        rows = table.expression
        for name, value in rule.items():
            rows = rows.filter(table.text(name) == value)
        counted = rows.aggregate(found=rows.count())
        found.append(int(table.engine.fetch(counted)["found"][0].as_py()))
    return found
