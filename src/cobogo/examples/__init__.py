"""Made-up people and lists of places and words: data files (``data/*.csv``) and their readers.

Everything may import this room; it imports only the floor. A city whose people move is `cobogo.studies.fortaleza`.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator
from importlib.resources import files


def read_table(name: str) -> Iterator[dict[str, str]]:
    """The rows of ``data/<name>.csv``, in its order, by the names of its header.

    >>> next(read_table("surnames"))
    {'surname': 'da Silva', 'weight': '900'}
    """
    text = files("cobogo.examples").joinpath("data", f"{name}.csv").read_text(encoding="utf-8")
    yield from csv.DictReader(text.splitlines())
