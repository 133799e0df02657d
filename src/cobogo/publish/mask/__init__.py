"""Masking, tokens and keyed pseudonyms: identifiers replaced, with what each way protects and what it does not."""

from __future__ import annotations

from typing import Any

from cobogo.floor.catalogue import Registry

MASKS: Registry[Any] = Registry(
    "way to mask a column",
    {
        "fake": ".fakes:fake",
        "list": ".fakes:ListedFake",
        "shuffle": ".operators:Shuffled",
        "blur": ".operators:blur",
        "days": ".operators:shifts",
        "null": ".operators:nulls",
        "truncate": ".operators:truncate",
        "mask": ".operators:mask_characters",
        "text": ".free_text:mask_text",
        "pseudonym": ".secret:pseudonyms",
        "encrypt": ".secret:encrypt_values",
        "token": ".vault.access:Vault",
    },
    home=__name__,
    listed="mechanisms",
    guide="masking",
    remark="masking",
)
"""Every masking operator by its key; what a policy says of one is in `cobogo.data.policy.masking`."""
