"""Recoding: generalization and suppression until the promises hold, by whichever algorithm the policy names.

Every algorithm takes a `Problem` and returns a solution (`contract`). The rooms, from the floor up; a room imports only
from rooms above it in this list, which `make lint` checks:

1. ``contract``: the problem and its solutions (a checked node, an assignment, buckets, marginals), which all share.
2. ``lattice``: one level for each quasi-identifier; the optimal search, and the classic algorithms under ``classic``.
3. ``cuts``: one cut through each hierarchy (top-down, bottom-up). ``partition``: groups of similar records (Mondrian,
   clustering, microaggregation, condensation). ``marginals``: tables of counts, and no records.
4. ``cells``: single cells suppressed (μ-Argus), and whether these can be recovered.
5. ``local``: each record its own levels. ``buckets``: tuples as they are, apart from the sensitive values (anatomy,
   bucketization, slicing).
6. ``algorithms`` names them all, and ``warm`` compiles their kernels in advance.
7. ``plans``: a solution as a plan that an engine applies, and how each plan is released.
8. ``story``: the content of the report of a recoding.
"""
