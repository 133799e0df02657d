"""DP-WHERE: a differentially private model of how a city moves, and made-up people who move by it.

Call records (who, when, at which cell) become a few histograms of people: where they live and work, how far apart the
two are, how much they call, when, and from where. Each is released with noise; anything may then be made of them.

`counts` declares what is public, bounds everybody's records, finds each person's habits from that person's records
alone and adds people up → `model` adds noise and is what is released → `sample` draws made-up people from it →
`fidelity` compares them with the true ones.

Beside it, flows: how many people go from area to area. `areas` are public areas in levels, and journeys between them →
`flows` counts them with noise, makes the counts add up and releases them.

DP-WHERE is after Mir, Isaacman, Cáceres, Martonosi & Wright 2013, which makes WHERE (Isaacman et al. 2012) private. The
paper's parts are here; how each is bounded and binned is ours, and follows from declared values only.
"""

from __future__ import annotations

from cobogo.locate.mobility.areas import AreaTree, Journeys
from cobogo.locate.mobility.counts import Space
from cobogo.locate.mobility.flows import FlowCounts, count_flows
from cobogo.locate.mobility.model import MobilityModel
from cobogo.locate.mobility.sample import ModelAndCalls, dp_where, sample

__all__ = [
    "AreaTree",
    "FlowCounts",
    "Journeys",
    "MobilityModel",
    "ModelAndCalls",
    "Space",
    "count_flows",
    "dp_where",
    "sample",
]
