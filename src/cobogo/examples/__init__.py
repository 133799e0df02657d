"""Made-up people and places."""
