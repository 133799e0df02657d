"""Hierarchies of one column, as the workbench tries them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from cobogo.faces.server.sandbox import confine_policy
from cobogo.faces.workbench.pages.hierarchies.preview import HierarchyPreview, preview


def policy_of(name: str, spec: dict[str, Any] | None) -> str:
    """A policy of one column with a hierarchy."""
    from cobogo.faces.workbench.draft import PolicyDraft

    draft = PolicyDraft("[attributes]\nother = { role = 'CONFIRM sensitive' }\n")
    draft.set_attribute(name, role="quasi-identifier", hierarchy=spec)
    return draft.only(name)


def previewed(text: str, home: Path, counted: list[tuple[str, int]], name: str = "x") -> HierarchyPreview:
    """A hierarchy tried on counted values."""
    return preview(lambda: confine_policy(text, home, owner="ana"), home, name, counted)
