"""DP-WHERE: a differentially private model of how a city moves, and people who never were, moving by it.

From call records (who, when, at which cell) come a few histograms of people: where they live and work, how far apart
the two are, how much they call, when, and from where. Each is released with noise; anything may then be made of them.

`space` declares what is public → `bounded` holds everybody's records within the declared bounds → `habits` tells of
each person's home, work and ways from that person's records alone → `counts` adds people up → `noise` releases →
`model` is what was released → `sample` draws made-up people from it → `fidelity` compares them with the true ones.

After Mir, Isaacman, Cáceres, Martonosi & Wright 2013, which makes WHERE (Isaacman et al. 2012) private. The paper's
parts are here; how each is bounded and binned is ours, and follows from declared values only.
"""

from __future__ import annotations

from cobogo.locate.mobility.model import MobilityModel
from cobogo.locate.mobility.sample import ModelAndCalls, sample, where
from cobogo.locate.mobility.space import Space

__all__ = ["MobilityModel", "ModelAndCalls", "Space", "sample", "where"]
