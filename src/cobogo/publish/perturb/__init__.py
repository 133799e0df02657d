"""Releases whose values were changed at random, without a guarantee."""
