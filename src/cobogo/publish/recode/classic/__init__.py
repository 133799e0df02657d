"""Algorithms of the literature that choose a node of the generalization lattice."""
