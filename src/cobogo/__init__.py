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
    from cobogo.errors import CobogoError as CobogoError
    from cobogo.examine.attacks import attack as attack
    from cobogo.examine.attacks.base import Findings as Findings
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
    from cobogo.studies.frontier import frontier as frontier
    from cobogo.studies.risk import RiskReport as RiskReport
    from cobogo.studies.risk import risk as risk

_HOMES = {
    "CobogoError": "cobogo.errors",
    "Findings": "cobogo.examine.attacks.base",
    "Hierarchy": "cobogo.data.hierarchy",
    "Policy": "cobogo.data.policy",
    "Release": "cobogo.release.contract",
    "RiskReport": "cobogo.studies.risk",
    "Vault": "cobogo.publish.mask.vault",
    "Verdict": "cobogo.release.contract",
    "anonymize": "cobogo.publish.anonymize",
    "attack": "cobogo.examine.attacks",
    "audit": "cobogo.studies.audit",
    "compare": "cobogo.studies.comparison",
    "explore": "cobogo.studies.exploration",
    "frontier": "cobogo.studies.frontier",
    "mask": "cobogo.publish.transform",
    "perturb": "cobogo.publish.transform",
    "risk": "cobogo.studies.risk",
    "sample": "cobogo.publish.transform",
    "synthesize": "cobogo.publish.transform",
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
