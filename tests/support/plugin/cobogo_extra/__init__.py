"""Things that Cobogó does not have."""
