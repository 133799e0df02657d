"""Files and directories come into place whole, at once, or not at all; private files are nobody else's to read."""

import os
from pathlib import Path

import pytest

from cobogo.errors import OutputError
from cobogo.floor.files import (
    create_private,
    exclusive,
    scratch_directory,
    stage_directory,
    stage_file,
    write_private,
    write_private_once,
)


def ours(directory: Path) -> bool:
    return (directory / "mark").exists()


def put(directory: Path, text: str) -> None:
    with stage_directory(directory, replaceable=ours) as stage:
        (stage / "mark").write_text(text)


def test_a_new_directory_and_then_its_replacement(tmp_path: Path) -> None:
    put(tmp_path / "deep" / "out", "one")
    put(tmp_path / "deep" / "out", "two")
    assert (tmp_path / "deep" / "out" / "mark").read_text() == "two"
    assert os.listdir(tmp_path / "deep") == ["out"]


def test_a_failing_block_changes_nothing(tmp_path: Path) -> None:
    put(tmp_path / "out", "one")
    with pytest.raises(ZeroDivisionError), stage_directory(tmp_path / "out", replaceable=ours) as stage:
        (stage / "mark").write_text("two")
        1 / 0
    assert (tmp_path / "out" / "mark").read_text() == "one"
    assert os.listdir(tmp_path) == ["out"]


def test_an_empty_directory_may_be_filled(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    put(tmp_path / "out", "one")
    assert (tmp_path / "out" / "mark").read_text() == "one"


@pytest.mark.parametrize("kind", ["foreign directory", "file"])
def test_what_is_not_ours_is_left_alone(tmp_path: Path, kind: str) -> None:
    out = tmp_path / "out"
    thing = out if kind == "file" else out / "thesis.doc"
    thing.parent.mkdir(exist_ok=True)
    thing.write_text("precious")
    with pytest.raises(OutputError):
        put(out, "one")
    assert thing.read_text() == "precious"
    assert os.listdir(tmp_path) == ["out"]


def test_what_appears_meanwhile_is_left_alone(tmp_path: Path) -> None:
    with pytest.raises(OutputError), stage_directory(tmp_path / "out", replaceable=ours):
        (tmp_path / "out").mkdir()
        (tmp_path / "out" / "thesis.doc").write_text("precious")
    assert (tmp_path / "out" / "thesis.doc").read_text() == "precious"


def test_leftovers_of_the_dead_are_removed_and_those_of_the_living_are_not(tmp_path: Path) -> None:
    dead = tmp_path / ".out.cobogo-0123456789ab"
    dead.mkdir()
    (dead / "raw.csv").write_text("unverified")
    with stage_directory(tmp_path / "out", replaceable=ours) as living:
        (living / "mark").write_text("one")
        put(tmp_path / "out", "two")
        assert living.exists()
        assert not dead.exists()
    assert (tmp_path / "out" / "mark").read_text() == "one"
    assert os.listdir(tmp_path) == ["out"]


def test_the_stage_is_nobody_elses_to_read(tmp_path: Path) -> None:
    with stage_directory(tmp_path / "out", replaceable=ours) as stage:
        assert stage.stat().st_mode & 0o077 == 0


def test_a_place_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(OutputError, match="cannot be written"):
        put(tmp_path / "file" / "out", "one")


def test_a_private_file_is_replaced_whole_and_stays_private(tmp_path: Path) -> None:
    file = tmp_path / "key"
    create_private(file, "one")
    with pytest.raises(FileExistsError):
        create_private(file, "two")
    write_private(file, "three")
    assert file.read_text() == "three"
    assert file.stat().st_mode & 0o777 == 0o600
    assert os.listdir(tmp_path) == ["key"]


def test_who_is_first_writes_once(tmp_path: Path) -> None:
    write_private_once(tmp_path / "number", "first")
    write_private_once(tmp_path / "number", "second")
    assert (tmp_path / "number").read_text() == "first"
    assert os.listdir(tmp_path) == ["number"]


def test_a_private_file_where_nothing_can_be_written(tmp_path: Path) -> None:
    with pytest.raises(OutputError):
        write_private(tmp_path / "nowhere" / "key", "one")
    with pytest.raises(OutputError), exclusive(tmp_path / "nowhere" / "key"):
        pass


def test_a_staged_file_takes_its_place_at_the_end(tmp_path: Path) -> None:
    path = tmp_path / "out.csv"
    with stage_file(path) as stage:
        stage.write_text("whole")
        assert not path.exists()
    with pytest.raises(ZeroDivisionError), stage_file(path) as stage:
        stage.write_text("half")
        1 / 0
    assert path.read_text() == "whole"
    assert os.listdir(tmp_path) == ["out.csv"]


def test_a_scratch_directory_goes_with_its_block(tmp_path: Path) -> None:
    with pytest.raises(ZeroDivisionError), scratch_directory(tmp_path, "spill-") as directory:
        (directory / "raw").write_text("original")
        1 / 0
    assert os.listdir(tmp_path) == []
