"""The demo: ten releases that are alternatives, one to give away, and the attack that two of them invite."""

from __future__ import annotations

from pathlib import Path

import pytest

import cobogo as cb
from cobogo.examine.attacks import attack
from cobogo.examples import ceara
from cobogo.publish.anonymize import anonymize
from cobogo.studies.demo import CHOSEN, TOGETHER, cases, policy
from support.commands import cobogo

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    home = tmp_path_factory.mktemp("demo")
    return home / "demo", cobogo("--lang", "en", "demo", "--rows", 300, cwd=home)


def test_the_ten_files_are_alternatives_and_one_is_to_be_given_away(demo: tuple[Path, str]) -> None:
    place, said = demo
    page = (place / "index.html").read_text(encoding="utf-8")
    for case in cases():
        assert (place / case.file).read_bytes() == (place / f"releases/{case.name}/public/release.csv").read_bytes()
        assert (place / case.histogram).is_file()
    chosen = f"releases/{CHOSEN.name}/public"
    assert cb.verify(place / chosen)
    for text in (page, said):
        assert "alternatives" in text
        assert chosen in text
        assert "cobogo attack differencing" in text
        assert " may " in text
        assert "suppress" in text
    assert page.count("the one to give away") == 1


def test_the_one_to_give_away_promises_what_all_promise() -> None:
    assert all(case.k <= CHOSEN.k and (case.l or 0) <= (CHOSEN.l or 0) for case in cases())


def test_two_of_the_releases_single_out_five_people() -> None:
    """What one holds beyond the other: in five years of birth, one person. Without any table of people."""
    people = ceara.generate()
    pair = [anonymize(people, policy(case, "en")) for case in TOGETHER]
    found = attack("differencing", *pair)
    assert (len(found.exposed), found.highest) == (5, 1.0)
