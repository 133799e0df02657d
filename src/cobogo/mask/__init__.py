"""Masking, tokens and keyed pseudonyms: identifiers replaced, with what each way protects and what it does not."""

from cobogo.called import callable_package

callable_package(__name__, "cobogo.mask.job")
