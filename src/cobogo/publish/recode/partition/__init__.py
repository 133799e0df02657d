"""Partitions: records are put together in groups first, and each group is released as one tuple after."""
