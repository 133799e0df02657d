"""The curator: differentially private answers, and the books of what they cost.

::

    curator = Curator(ledger="ledger.db")
    curator.register("patients", "patients.csv", unit="person", columns={…}, budget={"epsilon": 10})
    curator.grant("patients", "ana", epsilon=1)
    curator.session("ana").sql("SELECT COUNT(*) FROM patients", epsilon=0.1)
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from cobogo.answer.curator import Curator as Curator
    from cobogo.promises.ledger import Ledger as Ledger

_HOMES = {"Curator": "cobogo.answer.curator", "Ledger": "cobogo.promises.ledger"}
__all__ = ["Curator", "Ledger"]


def __getattr__(name: str) -> Any:
    """Import a name when it is first used."""
    if name not in _HOMES:
        raise AttributeError(f"module 'cobogo.answer' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_HOMES[name]), name)
