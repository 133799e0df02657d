"""The door through which tables leave."""

from __future__ import annotations

from typing import Any

from cobogo.floor.catalogue import Registry

PRIVATE_RELEASES: Registry[Any] = Registry(
    "private release",
    {
        "private-sample": ".sample.scheme:parameters",
        "frequency-list": "cobogo.promises.mechanisms.frequency_list:FrequencyList",
    },
    home=__name__,
    listed="mechanisms",
    guide="sampling",
    remark="release",
)
"""What the commands ``cobogo sample`` and ``cobogo answer frequency-list`` do."""
