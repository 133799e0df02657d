"""Recoding: generalization and suppression until the promises hold, by whichever algorithm the policy names.

Every algorithm takes a `Problem` and returns a solution (`contract`). The rooms, from the floor up:

- ``contract``: the question (problem) the answers (assignment, solution) and withholding, which all share.
- ``lattice``: one level for each quasi-identifier; the optimal search, and the classic algorithms under ``classic``.
- ``cuts``: one cut through each hierarchy (top-down, bottom-up).
- ``partition``: groups of similar records (Mondrian, clustering, microaggregation, condensation).
- ``cells``: single cells suppressed (μ-Argus), and whether these can be recovered.
- ``local``: each record its own levels.
- ``buckets``: tuples as they are, apart from the sensitive values (anatomy, bucketization, slicing).
- ``marginals``: tables of counts, and no records.

- ``plans``: a solution as a plan that an engine applies, and how each plan is released.

Above them, ``algorithms`` names them all, ``story`` tells the report of a recoding, and ``warm`` compiles the kernels
in advance.
"""
