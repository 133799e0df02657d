"""An improvement: one table released under a policy and under changes of it, side by side.

Each change is one line of the policy. What they keep is measured in the detail of the quasi-identifiers of the policy
as it is (`publish.recode.cost`), so that a release without a column counts that column as lost.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from cobogo.data.policy import Policy, Role
from cobogo.data.policy.tables import AttributePolicy
from cobogo.data.policy.toml_file import toml_key
from cobogo.data.table.read import Table
from cobogo.data.table.spelling import normalize
from cobogo.errors import NoSolution, PolicyError
from cobogo.floor.language import Text, tr
from cobogo.floor.progress import Progress, silent
from cobogo.publish import anonymize as job
from cobogo.publish.admission import open_data
from cobogo.publish.recode import story


@dataclass(frozen=True)
class Change:
    """A change of a policy: what it means, the line to write and the table of the policy that it belongs in."""

    what: Text
    key: str
    table: str
    policy: Policy = field(repr=False)


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


def improve(
    policy: Policy,
    *,
    data: Any = None,
    engine: str | None = None,
    progress: Progress = silent,
    each: Callable[[TriedChange], None] = lambda _: None,
) -> tuple[TriedChange, ...]:
    """Release a table under a policy and under changes of it, and write nothing: the policy as it is first, then the
    changes, those that keep most first.

    ``data``: the table, where it is not the policy's. ``each`` is called with every change when it was tried.
    """
    table = normalize(open_data(data, policy, engine), policy)
    changes = list(changes_of(policy))
    tried = []
    for number, change in enumerate(changes):
        progress("search", number, len(changes))
        tried.append(_try(change, policy, table))
        each(tried[-1])
    progress("search", len(changes), len(changes))
    first, *rest = tried
    return (first, *sorted(rest, key=lambda one: -1.0 if one.detail is None else -one.detail))


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
            yield Change(what, key, "attributes", policy.model_copy(update={"attributes": without}))


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
    )
