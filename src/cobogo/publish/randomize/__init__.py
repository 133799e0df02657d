"""Randomized publishing: sensitive values exchanged by chance, with a guarantee that the parameters prove."""
