"""The policies of the guide: roles and hierarchies that are given or suggested, and the models of each case."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from cobogo.data.files.settle import settle_policy
from cobogo.data.policy import Data, Output, Policy, Privacy, Recoding, ReportPolicy
from cobogo.data.schema import inspection
from cobogo.data.schema.profile import decimal_mark
from cobogo.errors import PolicyError
from cobogo.floor.language import Text, tr
from cobogo.floor.urls import is_url
from cobogo.studies.guide.results import GuideCase

LIMIT = 0.2
"""The share of the records that a release may suppress where nobody says otherwise. The guide suppresses none, and most
of its cases then have no release."""

LARGEST = 10
"""Classes in the histogram of a k, as many as the guide draws."""

GRID = ("k-anonymity", "l-diversity")
"""The models whose parameters the guide varies."""


@dataclass(frozen=True)
class GuideRoles:
    """The roles and hierarchies of the columns, why they were suggested, and the share that may be suppressed."""

    policy: Policy
    reasons: dict[str, Text]  # of suggestions
    limit: float = LIMIT

    def with_data(self, data: Path) -> GuideRoles:
        """The same for a table at a place: the evidence of a release names it, and an audit finds it there."""
        own = self.policy.data
        table = own.table if own.engine is None and not is_url(own.path or "") else None
        known = {"path": str(data.resolve()), "engine": None, "table": table}
        update = {"data": own.model_copy(update=known)}
        return replace(self, policy=settle_policy(self.policy.model_copy(update=update), data))


def take_roles(policy: Policy, options: Data) -> GuideRoles:
    """Those of a policy. Options that are given win over its own."""
    data = policy.data.settle((), **{key: getattr(options, key) for key in options.model_fields_set})
    own_limit = "suppression_limit" in policy.recoding.model_fields_set
    limit = policy.recoding.suppression_limit if own_limit else LIMIT
    return GuideRoles(policy.model_copy(update={"data": data}), {}, limit)


def suggest_roles(data: Path, options: Data) -> GuideRoles:
    """The roles and hierarchies that the columns suggest; a column that suggests none with confidence is an error."""
    inspected = inspection.inspect_as(data, options)
    profiles = inspected.columns
    found = dict(zip((column.name for column in profiles), inspected.suggestions, strict=True))
    # A table without records says nothing about its columns, and is refused for that.
    unsure = [column.name for column in profiles if column.records and not found[column.name].certain]
    if unsure:
        raise PolicyError(
            tr("the roles of these columns are only guesses: {names}", names=", ".join(unsure)),
            where=str(data),
            remedy=tr(
                "Run: cobogo inspect {data} --write policy.toml. Confirm the roles in it, then run: "
                "cobogo guide {data} --policy policy.toml",
                data=str(data),
            ),
            code="COBOGO-POLICY-ROLE",
        )
    attributes = {
        name: {"role": str(one.role)} | ({"hierarchy": _guide_hierarchy(one.hierarchy)} if one.hierarchy else {})
        for name, one in found.items()
    }
    placeholders = {value for column in profiles for value in column.placeholders}
    content = {
        "data": {
            **inspected.options.model_dump(exclude_unset=True, by_alias=True),
            "decimal": decimal_mark(profiles),
            "missing": ["", *sorted(placeholders)],
        },
        "attributes": attributes,
    }
    return GuideRoles(Policy.of(content, name=str(data)), {name: one.reason for name, one in found.items()})


def _guide_hierarchy(hierarchy: Mapping[str, Any]) -> dict[str, Any]:
    """A suggested hierarchy as the guide has it: it ends at the year or at the state and not at ``*``, and a place that
    is not written like the others stays as it is."""
    formats = (
        {"levels": [level for level in hierarchy.get("levels", ()) if "%" in level]} if "dates" in hierarchy else {}
    )
    return {**hierarchy, **formats, "top": False} | ({"lenient": True} if "path" in hierarchy else {})


def case_policy(base: Policy, case: GuideCase, *, limit: float, language: str) -> Policy:
    """The policy of one case: the roles and hierarchies of ``base``, the guide's models and metric."""
    others = [model for model in (base.privacy.models if base.privacy else ()) if model.get("model") not in GRID]
    update = {
        "privacy": Privacy.model_validate({"models": [*case.models, *others]}),
        "recoding": Recoding.model_validate({"metric": "precision", "suppression-limit": limit}),
        "report": ReportPolicy.model_validate({"language": language, "largest-classes": LARGEST}),
        "output": Output(),
    }
    return base.model_copy(update={**update, "registry": None, "utility": None})
