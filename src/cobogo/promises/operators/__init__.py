"""Randomization operators: column-stochastic matrices that are sampled, inverted and bounded."""
