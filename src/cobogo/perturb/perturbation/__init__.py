"""Perturbation: noise, swapping and post-randomization. None of them gives a formal guarantee by itself."""
