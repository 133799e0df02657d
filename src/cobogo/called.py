"""Packages that can be called: ``cobogo.perturb`` is a room of the package and a job of its public face at once.

Importing a room binds its name in ``cobogo``, over the job of the same name. So that both mean what they say in
whatever order they are imported, the room is made callable and hands the call to the job.
"""

from __future__ import annotations

import sys
from importlib import import_module
from types import ModuleType
from typing import Any


def callable_package(package: str, job: str) -> None:
    """Let a call of a package be a call of the function of its own name in the module ``job``."""
    name = package.rpartition(".")[2]

    class Callable(ModuleType):
        def __call__(self, *arguments: Any, **options: Any) -> Any:
            return getattr(import_module(job), name)(*arguments, **options)

    sys.modules[package].__class__ = Callable
