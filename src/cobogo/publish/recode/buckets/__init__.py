"""Buckets: quasi-identifiers are released as they are, and parted from the sensitive values."""
