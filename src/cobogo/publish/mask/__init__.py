"""Masking, tokens and keyed pseudonyms: identifiers replaced, with what each way protects and what it does not."""
