"""Location privacy: mechanisms for devices, cloaks and mix zones for a trusted anonymizer, trips, attacks.

The flow is points (`places`) → a mechanism (`locate.mechanisms.base`) → what is released → attacks and metrics. Noise
and distances are in metres on the globe (`locate.places.geometry`); nothing is added to degrees.
"""
