"""What the publishing door can do by name, apart from recoding, randomization and synthesis."""

from __future__ import annotations

from typing import Any

from cobogo.floor.catalogue import Registry

STEPS: Registry[Any] = Registry(
    "step of a perturbation",
    {"noise": ".steps:add_noise", "swap": ".steps:swap", "pram": ".steps:randomize"},
    home="cobogo.publish.perturb",
    listed="mechanisms",
    guide="perturbation",
    remark="perturbation",
)
"""Every step by its ``method``; what a policy says of one is in `cobogo.data.policy.random_releases`."""

MASKS: Registry[Any] = Registry(
    "way to mask a column",
    {
        "fake": ".fakes:fake",
        "list": ".fakes:ListedFake",
        "shuffle": ".operators:Shuffled",
        "blur": ".edits:blur",
        "days": ".edits:shifts",
        "null": ".edits:nulls",
        "truncate": ".edits:truncate",
        "mask": ".edits:mask_characters",
        "text": ".free_text:mask_text",
        "pseudonym": ".secret:pseudonyms",
        "encrypt": ".secret:encrypt_values",
        "token": ".vault.access:Vault",
    },
    home="cobogo.publish.mask",
    listed="mechanisms",
    guide="masking",
    remark="masking",
)
"""Every masking operator by its key; what a policy says of one is in `cobogo.data.policy.masking`."""

PRIVATE_RELEASES: Registry[Any] = Registry(
    "private release",
    {
        "private-sample": ".sample.parameters:parameters",
        "frequency-list": ".frequency_list.mechanism:FrequencyList",
    },
    home="cobogo.publish",
    listed="mechanisms",
    guide="sampling",
    remark="release",
)
"""What the commands ``cobogo sample`` and ``cobogo answer frequency-list`` do."""
