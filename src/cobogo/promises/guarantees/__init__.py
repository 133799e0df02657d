"""Guarantees of randomization: bounds on what an attacker learns about the original from a released value."""

from __future__ import annotations

from cobogo.floor.catalogue import JoinedRegistry, Registry
from cobogo.promises.guarantees.base import Exposure as Exposure
from cobogo.promises.guarantees.base import Guarantee as Guarantee
from cobogo.promises.models import MODELS
from cobogo.promises.models.differential_privacy import MEASURES
from cobogo.promises.models.promise import Promise

GUARANTEES: Registry[type[Guarantee]] = Registry(
    "model",
    {
        "local-differential-privacy": ".ratios:LocalPrivacy",
        "gamma-amplification": ".ratios:Amplification",
        "rho1-rho2-privacy": ".prior_posterior:RhoPrivacy",
        "upward-rho1-rho2-privacy": ".prior_posterior:UpwardRhoPrivacy",
        "delta-growth": ".prior_posterior:DeltaGrowth",
        "d-gamma-privacy": ".ratios:DGammaPrivacy",
    },
    home=__name__,
    listed="models",
    guide="randomization",
    remark="of randomization",
)
"""Each guarantee by its name in ``privacy.models``."""


PROMISES: JoinedRegistry[type[Promise]] = JoinedRegistry(MODELS, GUARANTEES, MEASURES)
"""Models of classes, guarantees of randomization, differential privacy."""
