"""The registry of releases: what was released before, kept under a key, and what a new release adds to it."""
