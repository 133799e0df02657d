"""An original table and what was released of it, of any kind, side by side: distributions, associations, uses.

Metrics of a recoding are known from its plan. What is here needs only the released directory and, where it may be read,
the original: everything comes from counts of the engine, and no row leaves it. A release without its original can be
looked at as well; then there is one side.
"""
