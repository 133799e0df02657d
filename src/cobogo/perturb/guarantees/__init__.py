"""Guarantees of randomization: what whoever sees a released value can learn of the original at most."""

from cobogo.perturb.guarantees.base import Exposure as Exposure
from cobogo.perturb.guarantees.base import Guarantee as Guarantee
from cobogo.perturb.guarantees.growth import DeltaGrowth as DeltaGrowth
from cobogo.perturb.guarantees.prior_posterior import RhoPrivacy as RhoPrivacy
from cobogo.perturb.guarantees.prior_posterior import UpwardRhoPrivacy as UpwardRhoPrivacy
from cobogo.perturb.guarantees.ratios import Amplification as Amplification
from cobogo.perturb.guarantees.ratios import DGammaPrivacy as DGammaPrivacy
from cobogo.perturb.guarantees.ratios import LocalPrivacy as LocalPrivacy

GUARANTEES: dict[str, type[Guarantee]] = {
    guarantee.name: guarantee
    for guarantee in (RhoPrivacy, UpwardRhoPrivacy, DeltaGrowth, DGammaPrivacy, Amplification, LocalPrivacy)
}
"""Each guarantee by its name in ``privacy.models``."""
