"""Cobogó: share the use of data about people without exposing anyone."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from cobogo import ldp as ldp
    from cobogo.attacks import attack as attack
    from cobogo.attacks.base import Findings as Findings
    from cobogo.errors import CobogoError as CobogoError
    from cobogo.hierarchy import Hierarchy as Hierarchy
    from cobogo.job import anonymize as anonymize
    from cobogo.mask.job import mask as mask
    from cobogo.mask.vault import Vault as Vault
    from cobogo.perturb.job import perturb as perturb
    from cobogo.policy import Policy as Policy
    from cobogo.release.release import Release as Release
    from cobogo.release.verdict import Verdict as Verdict
    from cobogo.release.verify import verify as verify
    from cobogo.risk.assess import risk as risk
    from cobogo.risk.result import RiskReport as RiskReport
    from cobogo.synth.job import synthesize as synthesize

_HOMES = {
    "CobogoError": "cobogo.errors",
    "Findings": "cobogo.attacks.base",
    "Hierarchy": "cobogo.hierarchy",
    "Policy": "cobogo.policy",
    "Release": "cobogo.release.release",
    "RiskReport": "cobogo.risk.result",
    "Vault": "cobogo.mask.vault",
    "Verdict": "cobogo.release.verdict",
    "anonymize": "cobogo.job",
    "attack": "cobogo.attacks",
    "mask": "cobogo.mask.job",
    "perturb": "cobogo.perturb.job",
    "risk": "cobogo.risk.assess",
    "synthesize": "cobogo.synth.job",
    "verify": "cobogo.release.verify",
}
_ROOMS = ("ldp",)
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
