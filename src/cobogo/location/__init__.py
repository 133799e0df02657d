"""Location privacy: mechanisms for devices, cloaks and mix zones for a trusted anonymizer, trajectories, attacks.

The flow is `points` (what is known of where people are) → a mechanism (`cobogo.location.base`) → what is released →
attacks and metrics. Everything is in metres on the globe (`cobogo.location.geometry`); nothing is added to degrees.
"""
