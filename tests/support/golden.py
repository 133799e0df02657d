"""Golden files: what is written, word for word, under ``tests/golden``. A change of one is read before it is committed.

``GOLDEN=write make quick`` writes them anew.
"""

from __future__ import annotations

import os

from support.paths import ROOT

GOLDEN = ROOT / "tests" / "golden"


def assert_golden(name: str, text: str) -> None:
    """A text is that of its golden file."""
    path = GOLDEN / name
    if os.environ.get("GOLDEN") == "write":
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    assert text == path.read_text(encoding="utf-8"), f"tests/golden/{name} differs; GOLDEN=write writes it anew"
