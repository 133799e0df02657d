"""The job behind `cobogo kinds`: one table, several kinds of release, the same measures, one chart."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from cobogo.data.hierarchy import Label
from cobogo.data.hierarchy.build import build
from cobogo.data.policy import AttributePolicy, CsvHierarchy, Policy, Role
from cobogo.data.table.connect import connect
from cobogo.data.table.read import open_source, read
from cobogo.errors import DataError, InputError, PolicyError
from cobogo.floor.arrays import Ints
from cobogo.floor.files import holds_only, staged_directory
from cobogo.floor.progress import Progress, silent
from cobogo.studies.families.attacked import NAMES, TARGETS, attacked
from cobogo.studies.families.releases import MAKERS, untouched
from cobogo.studies.families.use import used
from cobogo.studies.families.view import Original, View, texts_of

FILES = ("kinds.json", "kinds.png", "kinds.html")
LEAST_RECORDS = 200
MOST_RECORDS = 20_000
MOST_VALUES = 2000
MISSING = "(missing)"
"""A sensitive value that is not there: one more of those that may be guessed."""


@dataclass(frozen=True)
class Measured:
    """One release: what it is good for and what attackers find, or why there is none."""

    kind: str
    given: Mapping[str, float]
    records: int
    use: Mapping[str, float]
    attacks: Mapping[str, Mapping[str, float]]
    note: str = ""

    @property
    def lost(self) -> float:
        """The chart's first axis: the mean total variation of two-way frequencies."""
        return self.use["two-way"]

    @property
    def exposed(self) -> float:
        """Its second: the most by which an attack finds more of people in the data than of others."""
        return max(self.attacks[name]["excess"] for name in NAMES)


@dataclass(frozen=True)
class Kinds:
    """All releases, the table itself first."""

    source: str
    created: str
    attributes: tuple[str, ...]
    members: int
    others: int
    measured: tuple[Measured, ...]
    skipped: Mapping[str, str]

    @property
    def chance(self) -> float:
        """What an attack finds more of members than of others by chance alone at most, 99 times in 100: the bound of
        Kolmogorov and Smirnov for the best distance, which is beyond those of the other two."""
        return 1.628 * math.sqrt(2 / min(TARGETS, self.members, self.others))

    def as_dict(self) -> dict[str, Any]:
        """What ``kinds.json`` holds."""
        return {
            "source": self.source,
            "created": self.created,
            "attributes": list(self.attributes),
            "members": self.members,
            "others": self.others,
            "chance": self.chance,
            "releases": [
                {
                    "kind": one.kind,
                    "given": dict(one.given),
                    "records": one.records,
                    "use": dict(one.use),
                    "attacks": {name: dict(found) for name, found in one.attacks.items()},
                    "lost": one.lost,
                    "exposed": one.exposed,
                    "note": one.note,
                }
                for one in self.measured
            ],
            "skipped": dict(self.skipped),
        }


def kinds(
    data: Any,
    policy: str | Path | Policy | Mapping[str, Any] | None = None,
    *,
    of: Mapping[str, Sequence[float] | None] | None = None,
    records: int = MOST_RECORDS,
    seed: int = 0,
    engine: str | None = None,
    progress: Progress = silent,
) -> Kinds:
    """Release one table in several ways and measure all alike.

    ``of`` names kinds, each with the values of its parameter or None for the usual ones; all kinds if not given. Half
    of the records, drawn by the ``seed``, are released; the other half are people who are not in the data. What this
    returns is measured on the true table, and stays with the data holder.
    """
    if policy is None:
        data, policy = None, data
    rules = Policy.given(policy)
    asked = dict.fromkeys(MAKERS) if of is None else dict(of)
    for name in asked:
        if name not in MAKERS:
            raise PolicyError(f"there is no kind {name!r}", where="--kind", remedy=f"Say some of: {', '.join(MAKERS)}.")
    skipped = {}
    if "synthesis" in asked and find_spec("mbi") is None:
        del asked["synthesis"]
        skipped["synthesis"] = "mbi is not installed: pip install 'cobogo[synth]'"
    progress("read", 0, 0)
    source, original, table, own = _opened(data, rules, records, seed, engine)
    plan = [(name, value) for name, values in asked.items() for value in (values or MAKERS[name][2])]
    found = [_measured(original, untouched(original), seed)]
    for number, (name, value) in enumerate(plan):
        progress("release", number, len(plan))
        try:
            found.append(_measured(original, MAKERS[name][1](original, own, table, value), seed))
        except InputError as error:
            if of is not None:
                raise
            skipped[name] = error.what  # nobody asked for this kind, and the policy does not allow for it
    return Kinds(
        source,
        datetime.now().astimezone().isoformat(timespec="seconds"),
        original.names,
        len(original.members[0]),
        len(original.others[0]),
        tuple(found),
        skipped,
    )


def write(found: Kinds, directory: str | Path, *, language: str = "en") -> None:
    """Write ``kinds.json``, ``kinds.png`` and ``kinds.html``, in place of an earlier one, at once."""
    from cobogo.tell.report.kinds import write as write_report

    with staged_directory(Path(directory), replaceable=holds_only(FILES)) as stage:
        write_report(found, stage, language=language)


def _measured(original: Original, view: View, seed: int) -> Measured:
    use, attacks = used(original, view, seed), attacked(original, view, seed)
    return Measured(view.kind, view.given, view.records, use, attacks, view.note)


def _opened(
    data: Any, policy: Policy, records: int, seed: int, engine: str | None
) -> tuple[str, Original, Any, Policy]:
    """The table in codes, the records to be released as a frame, and the policy of the columns that are looked at."""
    if not policy.sensitive or not policy.quasi_identifiers:
        raise PolicyError(
            "needs quasi-identifiers, which attackers know, and a sensitive attribute, which they want to know",
            where=f"{policy.name}, attributes",
        )
    table = open_source(policy, engine) if data is None else read(data, policy.data, connect(engine))
    names = (*policy.quasi_identifiers, policy.sensitive[0])
    absent = [name for name in names if name not in table.columns]
    if absent:
        raise DataError(f'has no column "{absent[0]}"', where=table.name)
    texts = {name: table.text(name) for name in names}
    texts[names[-1]] = texts[names[-1]].fill_null(MISSING)
    rows = table.engine.fetch(table.expression.select(**texts))
    if rows.num_rows < LEAST_RECORDS:
        raise DataError(f"has fewer than {LEAST_RECORDS} records", where=table.name, remedy="Kinds cannot be compared.")
    order = np.random.default_rng(seed).permutation(rows.num_rows)[: 2 * records]
    half = len(order) // 2
    released, others = rows.take(order[:half]), rows.take(order[half:])
    leaves: list[tuple[Label, ...]] = []
    members: list[Ints] = []
    beside: list[Ints] = []
    for name in names:
        known = sorted({*texts_of(rows.column(name))}, key=lambda text: (text is None, text))
        if len(known) > MOST_VALUES:
            raise DataError(f'"{name}" has more than {MOST_VALUES:,} values', where=table.name, remedy="Group them.")
        index = {text: code for code, text in enumerate(known)}
        leaves.append(tuple(known))
        for part, into in ((released, members), (others, beside)):
            into.append(np.array([index[text] for text in texts_of(part.column(name))], dtype=np.int64))
    hierarchies = {
        name: build(name, policy.attributes[name].hierarchy, known, policy=policy)
        for name, known in zip(names[:-1], leaves, strict=False)
    }
    original = Original(names, tuple(leaves), tuple(members), tuple(beside), hierarchies)
    return Path(table.name).name, original, released, _own(policy, names)


def _own(policy: Policy, names: Sequence[str]) -> Policy:
    """The policy of these columns alone; files that it names are found wherever the program runs."""
    attributes = {name: policy.attributes[name] for name in names}
    for name in names[:-1]:
        spec = attributes[name].hierarchy
        if isinstance(spec, CsvHierarchy):
            separator = spec.separator or policy.data.separator
            placed = spec.model_copy(update={"csv": str(policy.resolve(spec.csv).absolute()), "separator": separator})
            attributes[name] = attributes[name].model_copy(update={"hierarchy": placed})
    attributes[names[-1]] = AttributePolicy(role=Role.SENSITIVE)
    return policy.model_copy(update={"attributes": attributes})
