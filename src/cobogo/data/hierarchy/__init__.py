"""Generalization hierarchies: the type and the ways to build one."""

from cobogo.data.hierarchy.base import SUPPRESSED, Hierarchy, Label

__all__ = ["SUPPRESSED", "Hierarchy", "Label"]
