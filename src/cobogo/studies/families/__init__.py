"""Families of release of one table, side by side: the same measures of use, the same attackers."""
