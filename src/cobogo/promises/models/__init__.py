"""Privacy models: what must be true of every equivalence class of a release."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from cobogo.data.classes import Classes, Domain, Histogram
from cobogo.promises.models.b_t_privacy import BT
from cobogo.promises.models.base import Model, Monotone, Scope
from cobogo.promises.models.ck_safety import CKSafety
from cobogo.promises.models.frequency import AlphaK, BetaLikeness, DeltaDisclosure, PSensitive, TCorruption
from cobogo.promises.models.injector import Injector
from cobogo.promises.models.k_anonymity import KAnonymity
from cobogo.promises.models.l_diversity import LDiversity
from cobogo.promises.models.m_confidentiality import MConfidentiality
from cobogo.promises.models.m_invariance import MInvariance
from cobogo.promises.models.numbers import KE, EpsilonM
from cobogo.promises.models.personalized import Personalized
from cobogo.promises.models.population import DeltaPresence, KMap
from cobogo.promises.models.promise import made, parameters
from cobogo.promises.models.risk import AverageRisk, HighestRisk
from cobogo.promises.models.set_valued import KM
from cobogo.promises.models.t_closeness import TCloseness

MODELS: dict[str, type[Model]] = {
    model.name: model
    for model in (
        KAnonymity, LDiversity, TCloseness, DeltaPresence, KMap, AlphaK, KE, BetaLikeness, DeltaDisclosure,
        HighestRisk, AverageRisk, PSensitive, TCorruption, EpsilonM,
        CKSafety, Personalized, KM, MInvariance, BT, Injector, MConfidentiality,
    )
}  # fmt: skip
"""Every model by the name that a policy gives it. A new one is registered here."""

__all__ = [
    "BT",
    "KE",
    "KM",
    "MODELS",
    "AlphaK",
    "AverageRisk",
    "BetaLikeness",
    "CKSafety",
    "Classes",
    "DeltaDisclosure",
    "DeltaPresence",
    "Domain",
    "EpsilonM",
    "HighestRisk",
    "Histogram",
    "Injector",
    "KAnonymity",
    "KMap",
    "LDiversity",
    "MConfidentiality",
    "MInvariance",
    "Model",
    "Monotone",
    "PSensitive",
    "Personalized",
    "Scope",
    "TCloseness",
    "TCorruption",
    "build",
    "parameters",
]  # fmt: skip


def build(
    specifications: Sequence[Mapping[str, Any]], sensitive: Sequence[str], *, where: str = "policy"
) -> tuple[Model, ...]:
    """The models of a policy. One without ``attribute`` stands for every sensitive attribute.

    >>> build([{"model": "k-anonymity", "k": 2}, {"model": "l-diversity", "l": 2}], ["disease"])
    (KAnonymity(k=2), LDiversity(attribute='disease', l=2, kind='distinct', c=None, distort=None, missing=None))
    """
    return made(specifications, sensitive, MODELS, where=where)
