"""Files: which there are, of what kind and encoding, and the readers and writers of each kind."""
