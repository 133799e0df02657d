"""Guarantees of randomization: what whoever sees a released value can learn of the original at most."""

from cobogo.promises.guarantees.base import Exposure as Exposure
from cobogo.promises.guarantees.base import Guarantee as Guarantee
from cobogo.promises.guarantees.growth import DeltaGrowth as DeltaGrowth
from cobogo.promises.guarantees.prior_posterior import RhoPrivacy as RhoPrivacy
from cobogo.promises.guarantees.prior_posterior import UpwardRhoPrivacy as UpwardRhoPrivacy
from cobogo.promises.guarantees.ratios import Amplification as Amplification
from cobogo.promises.guarantees.ratios import DGammaPrivacy as DGammaPrivacy
from cobogo.promises.guarantees.ratios import LocalPrivacy as LocalPrivacy

GUARANTEES: dict[str, type[Guarantee]] = {
    guarantee.name: guarantee
    for guarantee in (RhoPrivacy, UpwardRhoPrivacy, DeltaGrowth, DGammaPrivacy, Amplification, LocalPrivacy)
}
"""Each guarantee by its name in ``privacy.models``."""
