"""Example questions, written from the declarations of a data set. Each of them is answered."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from cobogo.promises.curator_file import DeclaredDataset


@dataclass(frozen=True)
class Example:
    """A question. ``kind`` names what it shows. ``hidden``: its groups are not public, so that it costs δ."""

    kind: str
    sql: str
    hidden: bool = False


def examples(name: str, dataset: DeclaredDataset) -> list[Example]:
    """One question of each kind that the declared columns allow for.

    >>> declared = {"budget": {"epsilon": 1}, "columns": {"city": {"type": "text", "keys": ["Icó", "Crato"]}}}
    >>> [one.sql for one in examples("people", DeclaredDataset.model_validate(declared))]
    ['SELECT COUNT(*) AS n\\nFROM people', 'SELECT city, COUNT(*) AS n\\nFROM people\\nGROUP BY city']
    """
    return list(_build_examples(_quote(name), dataset))


def _build_examples(table: str, dataset: DeclaredDataset) -> Iterator[Example]:
    columns = dataset.columns
    n, mean, median = (_free(one, dataset) for one in ("n", "mean", "median"))
    keyed = [_quote(one) for one, column in columns.items() if column.keys or column.type == "boolean"]
    stepped = [_quote(one) for one, column in columns.items() if column.edges]
    bounded = [_quote(one) for one, column in columns.items() if column.bounds]
    hidden = [_quote(one) for one, column in columns.items() if column.type == "text" and not column.keys]
    yield Example("count", f"SELECT COUNT(*) AS {n}\nFROM {table}")
    if keyed:
        yield Example("groups", f"SELECT {keyed[0]}, COUNT(*) AS {n}\nFROM {table}\nGROUP BY {keyed[0]}")
    if len(keyed) > 1:
        both = f"{keyed[0]}, {keyed[1]}"
        yield Example("cross", f"SELECT {both}, COUNT(*) AS {n}\nFROM {table}\nGROUP BY {both}")
    if stepped:
        yield Example("histogram", f"SELECT {stepped[0]}, COUNT(*) AS {n}\nFROM {table}\nGROUP BY {stepped[0]}")
    if bounded:
        by = f"SELECT {keyed[0]}, " if keyed else "SELECT "
        group = f"\nGROUP BY {keyed[0]}" if keyed else ""
        yield Example("mean", f"{by}AVG({bounded[0]}) AS {mean}\nFROM {table}{group}")
        yield Example("median", f"SELECT MEDIAN({bounded[0]}) AS {median}\nFROM {table}")
    if hidden:
        yield Example("hidden", f"SELECT {hidden[0]}, COUNT(*) AS {n}\nFROM {table}\nGROUP BY {hidden[0]}", hidden=True)


def _free(name: str, dataset: DeclaredDataset) -> str:
    """A name for a figure that is not the name of a column."""
    taken = {column.casefold() for column in dataset.columns}
    return next(one for one in (name + "_" * more for more in range(len(taken) + 1)) if one not in taken)


def _quote(name: str) -> str:
    """A name as SQL takes it, in quotes where it needs them."""
    from sqlglot.tokens import Tokenizer

    plain = name.isascii() and name.isidentifier() and name.upper() not in Tokenizer.KEYWORDS
    return name if plain else '"' + name.replace('"', '""') + '"'
