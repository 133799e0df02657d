"""Location privacy: mechanisms for devices, cloaks and mix zones for a trusted anonymizer, trajectories, attacks.

The flow is `points` (what is known of where people are) → a mechanism (`cobogo.locate.base`) → what is released →
attacks and metrics. Everything is in metres on the globe (`cobogo.locate.geometry`); nothing is added to degrees.
"""
