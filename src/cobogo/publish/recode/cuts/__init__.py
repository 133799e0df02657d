"""Subtree and sibling recodings: each value of an attribute has a level of its own, the same in all records."""
