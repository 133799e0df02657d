"""Made-up people and lists of places and words: data files (``data/*.csv``) and their readers.

Everything may import this room; it imports only the floor. A city whose people move is `cobogo.studies.fortaleza`.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path

from cobogo.errors import OutputError
from cobogo.floor.language import tr


def read_table(name: str) -> Iterator[dict[str, str]]:
    """The rows of ``data/<name>.csv``, in its order, by the names of its header.

    >>> next(read_table("surnames"))
    {'surname': 'da Silva', 'weight': '900'}
    """
    text = files("cobogo.examples").joinpath("data", f"{name}.csv").read_text(encoding="utf-8")
    yield from csv.DictReader(text.splitlines())


SETS = {
    "hospital": tr("204 invented admissions to a children's hospital, and a policy with every kind of hierarchy"),
    "documents": tr("the small tables that the source documents work through by hand, with policies"),
}
"""The sets of files that can be written out, each a directory of ``data/``, and what they are."""


def write_set(name: str, directory: Path) -> list[str]:
    """Write a set of examples into a new directory; the names of its files."""
    if directory.exists():
        raise OutputError(
            tr("{directory} exists already", directory=directory), remedy=tr("Name a directory that does not exist.")
        )
    shipped = sorted(files("cobogo.examples").joinpath("data", name).iterdir(), key=lambda file: file.name)
    directory.mkdir(parents=True)
    for file in shipped:
        (directory / file.name).write_bytes(file.read_bytes())
    return [file.name for file in shipped]
