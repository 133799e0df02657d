"""Frequency lists with differential privacy: how often the items of a column occur, without the items.

A list of frequencies is an integer partition; the exponential mechanism draws another one near it (Blocki, Datta &
Bonneau 2016). See `cobogo.publish.frequency_list.bounds` for the mechanism and the proof of what it costs.
"""
