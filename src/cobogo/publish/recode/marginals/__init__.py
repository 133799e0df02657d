"""Marginals: several small tables of counts instead of one table of records, checked one by one and together."""
