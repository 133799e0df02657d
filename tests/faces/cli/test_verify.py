"""``cobogo verify`` of what is no release."""

from pathlib import Path

from support.small_job import cobogo


def test_verify_of_what_is_no_release(here: Path) -> None:
    assert "not a Cobogó release" in cobogo("verify", ".", cwd=here, code=2).stderr
    assert "no such directory" in cobogo("verify", "none", cwd=here, code=2).stderr
