"""Synthetic data: records drawn from a model of a table, with differential privacy or, clearly labelled, without."""
