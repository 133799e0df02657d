"""Cobogó: share the use of data about people without exposing anyone."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from cobogo import answer as answer
    from cobogo import collect as collect
    from cobogo import locate as locate
    from cobogo.data.hierarchy import Hierarchy as Hierarchy
    from cobogo.data.policy import Policy as Policy
    from cobogo.data.policy.construct import csv as csv
    from cobogo.data.policy.construct import dates as dates
    from cobogo.data.policy.construct import hierarchy as hierarchy
    from cobogo.data.policy.construct import identifier as identifier
    from cobogo.data.policy.construct import intervals as intervals
    from cobogo.data.policy.construct import masked as masked
    from cobogo.data.policy.construct import non_sensitive as non_sensitive
    from cobogo.data.policy.construct import ordering as ordering
    from cobogo.data.policy.construct import path as path
    from cobogo.data.policy.construct import quasi as quasi
    from cobogo.data.policy.construct import sensitive as sensitive
    from cobogo.data.policy.construct import tree as tree
    from cobogo.data.schema.inspection import inspect as inspect
    from cobogo.errors import CobogoError as CobogoError
    from cobogo.examine.attacks import attack as attack
    from cobogo.examine.attacks.base import Findings as Findings
    from cobogo.promises.models.k_anonymity import KAnonymity as KAnonymity
    from cobogo.promises.models.l_diversity import LDiversity as LDiversity
    from cobogo.promises.models.t_closeness import TCloseness as TCloseness
    from cobogo.publish.anonymize import anonymize as anonymize
    from cobogo.publish.mask.vault import Vault as Vault
    from cobogo.publish.transform import mask as mask
    from cobogo.publish.transform import perturb as perturb
    from cobogo.publish.transform import sample as sample
    from cobogo.publish.transform import synthesize as synthesize
    from cobogo.release.contract import Release as Release
    from cobogo.release.contract import Verdict as Verdict
    from cobogo.release.verify import verify as verify
    from cobogo.studies.audit import audit as audit
    from cobogo.studies.comparison import compare as compare
    from cobogo.studies.exploration import explore as explore
    from cobogo.studies.families.study import families as families
    from cobogo.studies.frontier import frontier as frontier
    from cobogo.studies.improvement import improve as improve
    from cobogo.studies.risk import RiskReport as RiskReport
    from cobogo.studies.risk import risk as risk
    from cobogo.studies.statement import statement as statement
    from cobogo.tell.reference.explain import explain as explain

_HOMES = {
    "CobogoError": "cobogo.errors",
    "Findings": "cobogo.examine.attacks.base",
    "Hierarchy": "cobogo.data.hierarchy",
    "KAnonymity": "cobogo.promises.models.k_anonymity",
    "LDiversity": "cobogo.promises.models.l_diversity",
    "Policy": "cobogo.data.policy",
    "Release": "cobogo.release.contract",
    "RiskReport": "cobogo.studies.risk",
    "TCloseness": "cobogo.promises.models.t_closeness",
    "Vault": "cobogo.publish.mask.vault",
    "Verdict": "cobogo.release.contract",
    "anonymize": "cobogo.publish.anonymize",
    "attack": "cobogo.examine.attacks",
    "audit": "cobogo.studies.audit",
    "compare": "cobogo.studies.comparison",
    "csv": "cobogo.data.policy.construct",
    "dates": "cobogo.data.policy.construct",
    "explain": "cobogo.tell.reference.explain",
    "explore": "cobogo.studies.exploration",
    "families": "cobogo.studies.families.study",
    "frontier": "cobogo.studies.frontier",
    "hierarchy": "cobogo.data.policy.construct",
    "identifier": "cobogo.data.policy.construct",
    "improve": "cobogo.studies.improvement",
    "inspect": "cobogo.data.schema.inspection",
    "intervals": "cobogo.data.policy.construct",
    "mask": "cobogo.publish.transform",
    "masked": "cobogo.data.policy.construct",
    "non_sensitive": "cobogo.data.policy.construct",
    "ordering": "cobogo.data.policy.construct",
    "path": "cobogo.data.policy.construct",
    "perturb": "cobogo.publish.transform",
    "quasi": "cobogo.data.policy.construct",
    "risk": "cobogo.studies.risk",
    "sample": "cobogo.publish.transform",
    "sensitive": "cobogo.data.policy.construct",
    "statement": "cobogo.studies.statement",
    "synthesize": "cobogo.publish.transform",
    "tree": "cobogo.data.policy.construct",
    "verify": "cobogo.release.verify",
}
_ROOMS = ("answer", "collect", "locate")
__all__ = ["__version__", *_HOMES, *_ROOMS]  # noqa: PLE0604


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used: ``import cobogo`` itself loads nothing heavy."""
    from importlib import import_module

    if name in _ROOMS:
        return import_module(f"cobogo.{name}")
    if name not in _HOMES:
        raise AttributeError(f"module 'cobogo' has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted(__all__)
