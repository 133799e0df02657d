"""Marginals: several small tables of counts instead of one table of records, checked one by one and together.

``source`` makes them of a problem's table, and ``algorithm`` chooses which to release.
"""
