"""``cobogo list``."""

import json
from pathlib import Path

import pytest

from support.small_job import cobogo


@pytest.mark.parametrize("what", ["models", "metrics", "algorithms", "attacks", "mechanisms"])
def test_list(here: Path, what: str) -> None:
    cobogo("list", what, cwd=here)
    assert isinstance(json.loads(cobogo("list", what, "--json", cwd=here).stdout), list)


def test_list_of_nothing_known(here: Path) -> None:
    assert "models" in cobogo("list", "mistakes", cwd=here, code=2).stderr
