"""Made-up people and lists of places and words: data files (``data/*.csv``) and their readers.

Everything may import this room; it imports only the floor. A city whose people move is `cobogo.studies.fortaleza`.
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path

from cobogo.errors import OutputError
from cobogo.floor.files import read_packaged
from cobogo.floor.language import tr


def read_table(name: str) -> Iterator[dict[str, str]]:
    """The rows of ``data/<name>.csv``, in its order, by the names of its header.

    >>> next(read_table("surnames"))
    {'surname': 'da Silva', 'weight': '900'}
    """
    return read_packaged("cobogo.examples.data", name)


def write_worked_tables(directory: Path) -> list[str]:
    """Write the small tables that the source documents work through by hand, with policies, into a new directory."""
    if directory.exists():
        raise OutputError(
            tr("{directory} exists already", directory=directory), remedy=tr("Name a directory that does not exist.")
        )
    tables = sorted(files("cobogo.examples").joinpath("data", "worked").iterdir(), key=lambda file: file.name)
    directory.mkdir(parents=True)
    for table in tables:
        (directory / table.name).write_bytes(table.read_bytes())
    return [table.name for table in tables]
