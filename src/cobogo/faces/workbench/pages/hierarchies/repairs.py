"""What can be done about values that a hierarchy cannot place: the remedies of the message, as changes of a policy."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Any

from cobogo.data.hierarchy.build import similar_entries
from cobogo.data.schema.profile import guess_date_format
from cobogo.faces.workbench.draft import PolicyDraft
from cobogo.faces.workbench.pages.hierarchies.form import LARGE, kind_of
from cobogo.faces.workbench.pages.hierarchies.preview import HierarchyPreview
from cobogo.floor.language import tr

NEAR = 20
"""Values whose nearest entries are looked for: each is compared with all entries."""


@dataclass(frozen=True)
class Repair:
    """A change of a column's hierarchy, or of how the data are read."""

    label: str
    hierarchy: Mapping[str, Any] = field(default_factory=dict)
    data: Mapping[str, Any] = field(default_factory=dict)

    def apply(self, draft: PolicyDraft, name: str) -> None:
        """Make the change."""
        for key, value in self.data.items():
            draft.set("data", key, value)
        if self.hierarchy:
            now = draft.attributes[name].get("hierarchy") or {}
            draft.set_attribute(name, hierarchy={**now, **self.hierarchy})


def repairs(
    seen: HierarchyPreview, text: str, name: str, look: Callable[[str], HierarchyPreview]
) -> list[tuple[Repair, int]]:
    """The changes that help, each with how many values then still have no place. ``look`` tries a policy."""
    found = []
    for repair in _candidates(PolicyDraft(text).attributes[name].get("hierarchy") or {}, seen):
        draft = PolicyDraft(text)
        repair.apply(draft, name)
        then = look(draft.text)
        if then.hierarchy is not None and len(then.unfit) < len(seen.unfit):
            found.append((repair, len(then.unfit)))
    return found


def _candidates(spec: Mapping[str, Any], seen: HierarchyPreview) -> Iterator[Repair]:
    """What may help, by the kind of hierarchy. The bounds of numbers are not moved to where the data lie: a release
    would show how far they reach."""
    unfit = [value for value, _ in seen.unfit if value is not None]
    kind = kind_of(spec)
    if kind in ("intervals", "quantiles"):
        for mark in ".,":
            change = {"decimal": mark}
            label = tr('Read "{mark}" as the decimal mark', mark=mark)
            yield Repair(label, hierarchy=change) if kind == "intervals" else Repair(label, data=change)
    if kind == "intervals" and spec.keys() & {"lower", "upper"}:
        yield Repair(tr("Put numbers outside the bounds into open intervals"), {"open-ends": True})
    if kind == "quantiles":
        places = max((len(found[1]) for value in unfit if (found := re.search(r"[.,]([0-9]{1,9})$", value))), default=0)
        yield Repair(tr("Keep {places} decimals", places=places), {"decimals": places})
    if kind in ("dates", "age") and (form := guess_date_format(unfit)):
        yield Repair(tr('Read dates in the format "{form}"', form=form), {kind: form})
    if kind == "age":
        today = date.today().isoformat()
        yield Repair(tr("Count ages on {day}", day=today), {"at": today})
    if kind in ("codes", "path"):
        yield Repair(tr("Leave them as they are, without a group"), {"lenient": True})
    if kind == "mask":
        known = "".join([*unfit, *(leaf or "" for leaf in (seen.hierarchy.leaves if seen.hierarchy else ()))])
        yield from (
            Repair(tr('Mask with "{character}"', character=mark), {"character": mark})
            for mark in [mark for mark in "#?~_" if mark not in known][:1]
        )
    if kind == "labels" and len(unfit) <= LARGE:
        yield Repair(tr("Let each be its own label"), {"labels": {**spec["labels"], **{text: text for text in unfit}}})


def nearest_entries(seen: HierarchyPreview) -> dict[str, str]:
    """The entry of a hierarchy that is most like each of the most frequent values that have no place in it."""
    entries: Sequence[str] = [leaf for leaf in (seen.hierarchy.leaves if seen.hierarchy else ()) if leaf is not None]
    unfit = [value for value, _ in seen.unfit if value is not None][:NEAR]
    return {value: found[0] for value in unfit if (found := similar_entries(value, entries))}
