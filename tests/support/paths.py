"""Where things lie beside the tests."""

from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
"""The project."""

SHARED = ROOT.parent / "shared"
"""Data that are not part of it, where they are there."""
