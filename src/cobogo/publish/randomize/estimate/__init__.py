"""Estimates from randomized data: distributions, densities, counts, rules and trees."""
