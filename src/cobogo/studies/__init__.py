"""Studies: several releases, algorithms or attacks side by side, and the example city that they work on."""
