"""Discovery of frequent words without a list of candidates: domains, methods, and their protocol."""
