"""An original table and its release, of any kind, side by side: distributions, associations, uses.

The metrics of a recoding come from its plan. This package needs only the release directory and, if it may be read, the
original. Everything is computed from counts of the engine; no row leaves it. Without the original there is one side.
"""
