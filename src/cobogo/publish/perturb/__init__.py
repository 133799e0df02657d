"""Releases whose values were changed at random, without a guarantee."""

from __future__ import annotations

from typing import Any

from cobogo.floor.catalogue import Registry

STEPS: Registry[Any] = Registry(
    "step of a perturbation",
    {"noise": ".steps:add_noise", "swap": ".steps:swap", "pram": ".steps:randomize"},
    home=__name__,
    listed="mechanisms",
    guide="perturbation",
    remark="perturbation",
)
"""Every step by its ``method``; what a policy says of one is in `cobogo.data.policy.random_releases`."""
