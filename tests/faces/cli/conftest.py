"""What tests of commands share."""

from pathlib import Path

import pytest

from support.small_job import DATA, POLICY


@pytest.fixture
def here(tmp_path: Path) -> Path:
    (tmp_path / "a.csv").write_text(DATA, encoding="utf-8")
    (tmp_path / "p.toml").write_text(POLICY, encoding="utf-8")
    return tmp_path
