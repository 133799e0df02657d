"""Location privacy: mechanisms for devices, cloaks and mix zones for a trusted anonymizer, trips, attacks.

The flow is `places` (what is known of where people are) → a mechanism (`locate.mechanisms.base`) → what is released →
attacks and metrics. Everything is in metres on the globe (`locate.places.geometry`); nothing is added to degrees.
"""
