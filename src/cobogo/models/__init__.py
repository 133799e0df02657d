"""Privacy models: what must be true of every equivalence class of a release."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import MISSING, fields
from typing import Any

from cobogo.errors import PolicyError, nearest
from cobogo.models.b_t_privacy import BT
from cobogo.models.base import Classes, Domain, Histogram, Model, Monotone, Scope, parameters
from cobogo.models.frequency import AlphaK, BetaLikeness, DeltaDisclosure, PSensitive, TCorruption
from cobogo.models.guarding import Personalized
from cobogo.models.injector import Injector
from cobogo.models.invariance import MInvariance
from cobogo.models.k_anonymity import KAnonymity
from cobogo.models.l_diversity import LDiversity
from cobogo.models.minimality import MConfidentiality
from cobogo.models.numbers import KE, EpsilonM
from cobogo.models.population import DeltaPresence, KMap
from cobogo.models.risk import AverageRisk, HighestRisk
from cobogo.models.safety import CKSafety
from cobogo.models.set_valued import KM
from cobogo.models.t_closeness import TCloseness

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
    (KAnonymity(k=2), LDiversity(attribute='disease', l=2, kind='distinct', c=None, distort=None))
    """
    models: list[Model] = []
    for number, specification in enumerate(specifications):
        models += _one(dict(specification), sensitive, f"{where}, privacy.models[{number}]")
    return tuple(dict.fromkeys(models))


def _one(given: dict[str, Any], sensitive: Sequence[str], where: str) -> list[Model]:
    name = given.pop("model", None)
    if not isinstance(name, str) or name not in MODELS:
        said = "a model needs the key 'model'" if name is None else f"there is no model {name!r}"
        raise PolicyError(said, where=where, remedy=nearest(name, MODELS, "cobogo list models"))
    kind = MODELS[name]
    known = {field.name: field for field in fields(kind)}  # type: ignore[arg-type]
    given = {key.replace("-", "_"): value for key, value in given.items()}
    for key in given:
        if key not in known:
            raise PolicyError(f"{name} has no parameter {key!r}", where=where, remedy=f"It has: {', '.join(known)}.")
    for key, field in known.items():
        if key != "attribute" and key not in given and field.default is MISSING:
            raise PolicyError(f"{name} needs the parameter {key!r}", where=where)
    if "attribute" not in known:
        return [_make(kind, given, where)]
    asked = [given.pop("attribute")] if "attribute" in given else list(sensitive)
    if not asked:
        raise PolicyError(
            f"{name} protects a sensitive attribute, and the policy has none",
            where=where,
            remedy='Give an attribute the role "sensitive", or remove the model.',
        )
    for attribute in asked:
        if attribute not in sensitive:
            raise PolicyError(
                f"{name} is asked for {attribute!r}, which is not a sensitive attribute",
                where=where,
                remedy=f"Sensitive attributes: {', '.join(sensitive) or 'none'}.",
            )
    return [_make(kind, {"attribute": attribute, **given}, where) for attribute in asked]


def _make(kind: type[Model], given: dict[str, Any], where: str) -> Model:
    try:
        return kind(**given)
    except ValueError as error:
        raise PolicyError(str(error), where=where) from None
