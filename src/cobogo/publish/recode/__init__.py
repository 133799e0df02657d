"""Recoding: looking for the best way to generalize and suppress."""
