"""Plans: what to do to each value or record, in a form that an engine applies by join, and how each is released.

``planning`` turns a solution into a plan. ``base`` has the contract and the plans of records (full-domain, local);
``groups`` (buckets, condensed groups) and ``marginals`` have the others. ``apply`` has the joins by which an engine
carries a plan out; ``distort`` exchanges sensitive values where a blind model fails.
"""
