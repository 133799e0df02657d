"""Releases that are not recodings: what they have in common, whether columns were randomized, perturbed, masked or
synthesized."""
