"""Reports and the reference."""
