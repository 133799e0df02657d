"""Buckets of records: tuples are released as they are, apart from the sensitive values of each bucket.

``anatomy`` makes buckets of l different values, ``bucketization`` the best buckets by their models, ``slicing`` slices
of attributes that are shuffled against each other.
"""
