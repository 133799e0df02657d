"""Releases of different kinds of one table, side by side: the same measures of use, the same attacks."""
