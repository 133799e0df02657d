"""An evaluation on disk: figures, a page, pictures and a map, whole or not at all. All of it is evidence: it stays."""

from __future__ import annotations

import json
from pathlib import Path

from cobogo.floor.files import holds_only, staged_directory
from cobogo.studies.locations import ASKED, WANTED, Evaluation

DIRECTORY = "evidence"
FILES = ("evaluation.json", "evaluation.html", "frontier.png", "map.png", "map.html", "KEEP.txt")

KEEP = """This directory is evidence. It was made from true positions of people and shows some of them (map.png,
map.html, evaluation.html). It is for whoever guards the data, and must not leave the house.
"""


def write(found: Evaluation, directory: Path, *, language: str) -> None:
    """Write everything under a temporary name and put it in place at once."""
    from cobogo.studies.location_map import draw
    from cobogo.tell.report import locating
    from cobogo.tell.report.words import words

    say = words(language)
    with staged_directory(directory, replaceable=_ours) as stage:
        evidence = stage / DIRECTORY
        evidence.mkdir(mode=0o700)
        content = json.dumps(found.to_dict(), indent=1, ensure_ascii=False, allow_nan=False)
        (evidence / FILES[0]).write_text(content + "\n", encoding="utf-8", newline="\n")
        (evidence / "KEEP.txt").write_text(KEEP, encoding="utf-8", newline="\n")
        locating.draw(found, evidence / "frontier.png", say=say)
        draw(found, evidence, language=language)
        pictures = {name: (evidence / f"{name}.png").read_bytes() for name in ("frontier", "map")}
        page = locating.render(found, pictures, say=say, wanted=WANTED, asked=ASKED)
        (evidence / FILES[1]).write_text(page, encoding="utf-8", newline="\n")


def _ours(directory: Path) -> bool:
    """Whether a directory is an earlier evaluation and nothing else."""
    names = {entry.name for entry in directory.iterdir()}
    inner = directory / DIRECTORY
    return names == {DIRECTORY} and inner.is_dir() and holds_only(FILES)(inner)
