"""Measurements of speed. Every claim is a ratio of two things measured in the same run: machines are noisy."""
