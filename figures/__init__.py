"""The figures of the documentation, drawn by the toolkit itself: ``python -m figures`` (``make docs`` does)."""
