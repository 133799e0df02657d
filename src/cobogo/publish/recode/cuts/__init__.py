"""Recoding by a cut through each hierarchy: a value is generalized alike in all records, values of one level need not
be.

``cut`` is what such a recoding does to the table; ``top_down`` specializes from the most general cut, ``bottom_up``
generalizes from the original values.
"""
