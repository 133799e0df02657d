"""Groups of records that are near each other, each released as what its records have in common.

1. ``groups`` holds parcels of records, checks groups and turns them into an assignment; ``space`` turns records into
   points, ``ranges`` turns numbers into ranges.
2. Groups are made by dividing (``mondrian``, with the halves and loans of ``divide``) or by joining similar records
   (``similar`` and ``mdav``, with ``clusters``, ``curves`` and the compiled ``kernels``).
3. ``aggregate`` releases a group as its mean, median, mode, range or ancestor; ``condensation`` draws records anew.
"""
