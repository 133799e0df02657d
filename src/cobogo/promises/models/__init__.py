"""Privacy models: what must be true of every equivalence class of a release."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from cobogo.data.classes import Classes, Domain, Histogram
from cobogo.floor.catalogue import Registry
from cobogo.promises.models.base import Model, Monotone, Scope
from cobogo.promises.models.promise import build_promises, parameters

MODELS: Registry[type[Model]] = Registry(
    "model",
    {
        "k-anonymity": ".k_anonymity:KAnonymity",
        "highest-risk": ".risk:HighestRisk",
        "average-risk": ".risk:AverageRisk",
        "k-map": ".population:KMap",
        "delta-presence": ".population:DeltaPresence",
        "k-m-anonymity": ".set_valued:KM",
        "l-diversity": ".l_diversity:LDiversity",
        "t-closeness": ".t_closeness:TCloseness",
        "alpha-k-anonymity": ".frequency:AlphaK",
        "p-sensitive-k-anonymity": ".frequency:PSensitive",
        "beta-likeness": ".frequency:BetaLikeness",
        "delta-disclosure": ".frequency:DeltaDisclosure",
        "realistic-epsilon-privacy": ".realistic:RealisticEpsilonPrivacy",
        "k-e-anonymity": ".numbers:KE",
        "epsilon-m-anonymity": ".numbers:EpsilonM",
        "t-corruption": ".frequency:TCorruption",
        "c-k-safety": ".ck_safety:CKSafety",
        "personalized": ".personalized:Personalized",
        "b-t-privacy": ".background_knowledge:BT",
        "injector": ".background_knowledge:Injector",
        "m-confidentiality": ".m_confidentiality:MConfidentiality",
        "m-invariance": ".m_invariance:MInvariance",
    },
    home=__name__,
    listed="models",
    guide="models",
    plugins="cobogo.models",
    base=".base:Model",
)
"""Every model by the name that a policy gives it. A new one is registered here."""

__all__ = [
    "MODELS", "Classes", "Domain", "Histogram", "Model", "Monotone", "Scope", "build", "parameters",
]  # fmt: skip


def build(
    specifications: Sequence[Mapping[str, Any]], sensitive: Sequence[str], *, where: str = "policy"
) -> tuple[Model, ...]:
    """The models of a policy. One without ``attribute`` stands for every sensitive attribute.

    >>> build([{"model": "k-anonymity", "k": 2}, {"model": "l-diversity", "l": 2}], ["disease"])
    (KAnonymity(k=2), LDiversity(attribute='disease', l=2, kind='distinct', c=None, distort=None, missing=None))
    """
    return build_promises(specifications, sensitive, MODELS, where=where)
