"""Groups of records that are near each other, each released as what its records have in common.

1. ``groups`` holds parcels of records, checks groups and turns them into an assignment; ``space`` has records as points
   and in orders, ``ranges`` numbers as ranges.
2. Groups are made by dividing (``mondrian``, with the halves and loans of ``divide``) or by joining similar records
   (``similar`` and ``mdav``, with ``clusters`` and the compiled ``kernels``).
3. ``aggregate`` releases a group as its mean, median, mode, range or ancestor; ``condensation`` draws records anew.
4. ``counterfeits`` makes the groups of a series of releases from ``signatures``: people by the values of their earlier
   groups.
"""
