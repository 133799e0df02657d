"""Guarantees of randomization: what whoever sees a released value can learn of the original at most."""

from cobogo.perturb.guarantees.base import Guarantee as Guarantee
from cobogo.perturb.guarantees.prior_posterior import RhoPrivacy as RhoPrivacy

GUARANTEES: dict[str, type[Guarantee]] = {guarantee.name: guarantee for guarantee in (RhoPrivacy,)}
"""Each guarantee by its name in ``privacy.models``."""
