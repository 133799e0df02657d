"""An improvement: one table released under a policy and under changes of it, side by side.

Each change is one line of the policy. What they keep is measured in the detail of the quasi-identifiers of the policy
as it is (`publish.recode.cost`), so that a release without a column counts that column as lost.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from cobogo.data.policy import Policy, Role
from cobogo.data.policy.tables import AttributePolicy
from cobogo.data.policy.toml_file import toml_key
from cobogo.data.table.read import Table
from cobogo.data.table.spelling import normalize
from cobogo.errors import NoSolution, PolicyError
from cobogo.floor.language import Text, speech, tr
from cobogo.floor.progress import Progress, show_in_notebook
from cobogo.floor.representation import brief
from cobogo.floor.representation import table as table_html
from cobogo.publish import anonymize as job
from cobogo.publish.admission import open_data, split_arguments
from cobogo.publish.recode import story


@dataclass(frozen=True)
class Change:
    """A change of a policy: what it means, the line to write and the table of the policy that it belongs in; of one
    that leaves a column out, which."""

    what: Text
    key: str
    table: str
    policy: Policy = field(repr=False)
    without: str | None = None


@dataclass(frozen=True)
class TriedChange:
    """The release under a change; ``why`` says why there is none. ``detail`` is the share that columns keep."""

    change: Change
    detail: float | None = None
    value: float | None = None
    suppressed: int = 0
    smallest: int = 0
    inference: float | None = None
    risk: float | None = None
    withheld: tuple[str, ...] = ()
    why: str | None = None
    proven: bool = False  # whether it is the best full-domain recoding

    def as_dict(self) -> dict[str, Any]:
        """What programs get."""
        return {
            "what": self.change.what,
            "change": self.change.key,
            "table": self.change.table,
            "detail": self.detail,
            "value": self.value,
            "suppressed": self.suppressed,
            "smallest_class": self.smallest,
            "worst_inference": self.inference,
            "highest_risk": self.risk,
            "withheld": list(self.withheld),
            "why": self.why,
        }


@dataclass(frozen=True, eq=False, repr=False)
class Improvement:
    """What was tried: the policy ``as_it_is``, and the ``changes``, those that keep most first.

    Without one of the columns in ``idle`` nothing else would change: where a column has one value in the best
    full-domain recoding, that is also the best one without the column.
    """

    as_it_is: TriedChange
    changes: tuple[TriedChange, ...]
    idle: tuple[str, ...] = ()

    @property
    def better(self) -> tuple[TriedChange, ...]:
        """The changes that keep more detail than the policy as it is."""
        now = self.as_it_is.detail or 0.0
        return tuple(one for one in self.changes if one.detail is not None and one.detail > now)

    @property
    def solved(self) -> bool:
        """Whether the policy or a change of it has a solution."""
        return any(one.why is None for one in (self.as_it_is, *self.changes))

    def __repr__(self) -> str:
        kept = [
            f"{one.change.key or 'as it is'} keeps {one.detail or 0.0:.1%}" for one in (self.as_it_is, *self.better)
        ]
        return brief(self, *kept[:4])

    def _repr_html_(self) -> str:
        """A row for each change that keeps more, for a notebook."""
        header = [tr("in the policy"), tr("what it means"), tr("detail kept"), tr("suppressed"), tr("inference"),
                  tr("risk"), tr("withheld")]  # fmt: skip
        say = speech("en")
        rows = [
            [one.change.key, one.change.what, say.percent(one.detail), say.number(one.suppressed),
             say.percent(one.inference), say.percent(one.risk), ", ".join(one.withheld)]
            for one in (self.as_it_is, *self.better)
        ]  # fmt: skip
        return table_html(
            brief(self, f"{len(self.changes)} changes tried", f"{len(self.better)} keep more"), header, rows
        )


def improve(
    data: Any,
    policy: str | Path | Policy | Mapping[str, Any] | None = None,
    *,
    engine: str | None = None,
    progress: Progress = show_in_notebook,
    each: Callable[[TriedChange], None] = lambda _: None,
) -> Improvement:
    """Release a table under a policy and under changes of it that protect no less, and write nothing.

    ``improve(policy)`` reads the policy's own data; ``improve(data, policy)`` tries it on the data given. ``each`` is
    called with every change when it was tried.
    """
    data, rules = split_arguments(data, policy)
    table = normalize(open_data(data, rules, engine), rules)
    as_it_is, *changes = changes_of(rules)
    progress("search", 0, 1 + len(changes))
    first = _try(as_it_is, rules, table)
    each(first)
    idle = first.withheld if first.proven else ()
    changes = [change for change in changes if change.without not in idle]
    tried = []
    for number, change in enumerate(changes, start=1):
        progress("search", number, 1 + len(changes))
        tried.append(_try(change, rules, table))
        each(tried[-1])
    progress("search", 1 + len(changes), 1 + len(changes))
    return Improvement(first, tuple(sorted(tried, key=lambda one: -1.0 if one.detail is None else -one.detail)), idle)


def changes_of(policy: Policy) -> Iterator[Change]:
    """The policy as it is, and what can be changed without less protection: how each record is treated, how many may
    be left out, and which columns are released."""
    yield Change(tr("as it is"), "", "", policy)
    recoding, limit = policy.recoding, policy.recoding.suppression_limit
    if recoding.algorithm != "local":
        local = recoding.model_copy(update={"algorithm": "local"})
        what = tr("each record at its own levels")
        yield Change(what, 'algorithm = "local"', "recoding", policy.model_copy(update={"recoding": local}))
    if limit < 1:
        more = min(max(2 * limit, 0.01), 1.0)
        raised = recoding.model_copy(update={"suppression_limit": more})
        what = tr("more records left out")
        yield Change(what, f"suppression-limit = {more:g}", "recoding", policy.model_copy(update={"recoding": raised}))
    if len(policy.quasi_identifiers) > 1:
        for name in policy.quasi_identifiers:
            without = {**policy.attributes, name: AttributePolicy(role=Role.IDENTIFIER)}
            what = tr("without {name}", name=name)
            key = f'{toml_key(name)} = {{ role = "identifier" }}'
            yield Change(what, key, "attributes", policy.model_copy(update={"attributes": without}), name)


def _try(change: Change, original: Policy, table: Table) -> TriedChange:
    try:
        release = job.anonymize(table, change.policy)
    except (NoSolution, PolicyError) as error:
        return TriedChange(change, why=error.what)
    cost, summary = release.transformation.cost, story.planned_summary(release)
    kept = {} if cost is None else {one.name: one.kept for one in cost.details}
    names = original.quasi_identifiers
    return TriedChange(
        change,
        detail=None if cost is None else sum(kept.get(name, 0.0) for name in names) / len(names),
        value=release.solution.value,
        suppressed=release.suppressed,
        smallest=summary["classes"]["min"],
        inference=max((found["after"] for found in summary["inference"].values()), default=None),
        risk=summary["risk"]["after"]["highest"],
        withheld=() if cost is None else tuple(one.name for one in cost.details if one.withheld),
        proven=release.solution.algorithm == "optimal" and release.solution.optimal,
    )
