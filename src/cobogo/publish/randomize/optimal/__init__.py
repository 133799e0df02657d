"""Operators and partitions that retain more than uniform perturbation does, for whoever's prior is the table's own."""
