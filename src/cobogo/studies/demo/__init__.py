"""The demonstration: example data about people who do not exist, and what Cobogó makes of it."""
