"""Plans: what to do to each value or record, in a form that an engine applies by join, and how each is released.

``planning`` turns a solution into a plan. ``base`` has the contract and the plans of records (full-domain, local);
``buckets``, ``condensed`` and ``marginals`` those of other solutions. ``apply`` carries a plan out in the engine,
``distort`` exchanges sensitive values where a blind model fails, ``describe`` is what the manifest says of it.
"""
