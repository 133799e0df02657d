"""Releases: applying a plan, verifying what was written, and putting it in place."""
