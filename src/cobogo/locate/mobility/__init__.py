"""DP-WHERE: a differentially private model of how a city moves, and made-up people who move by it.

Call records (who, when, at which cell) become a few histograms of people: where they live and work, how far apart the
two are, how much they call, when, and from where. Each is released with noise; anything may then be made of them.

`space` declares what is public and bounds everybody's records → `counts` finds each person's habits from that person's
records alone and adds people up → `model` adds noise and is what is released → `sample` draws made-up people from it →
`fidelity` compares them with the true ones.

After Mir, Isaacman, Cáceres, Martonosi & Wright 2013, which makes WHERE (Isaacman et al. 2012) private. The paper's
parts are here; how each is bounded and binned is ours, and follows from declared values only.
"""

from __future__ import annotations

from cobogo.locate.mobility.model import MobilityModel
from cobogo.locate.mobility.sample import ModelAndCalls, dp_where, sample
from cobogo.locate.mobility.space import Space

__all__ = ["MobilityModel", "ModelAndCalls", "Space", "dp_where", "sample"]
