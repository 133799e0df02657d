"""Random small tables for the models, and their classes counted by plain Python: no engine, no kernel, no code order.

A table has one to three quasi-identifiers, four sensitive attributes (``s``, a category, or a set of them; ``n``, a
number; ``h``, a category with a hierarchy; ``g``, a node of that hierarchy), the person of each record, and the people
of a population who are not in it.
"""

from __future__ import annotations

import math
import random
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from typing import Any

import numpy as np
import pyarrow as pa
from hypothesis import strategies as st

from cobogo.data.classes import Members
from cobogo.data.engines.engine import Engine, connect
from cobogo.data.hierarchy import Hierarchy, Label
from cobogo.data.policy import Data
from cobogo.data.table.frequency import FrequencyTable, frequency_table
from cobogo.data.table.read import read
from cobogo.promises.models import Classes, Domain, Histogram
from support.reference import Ladder

QUASI = ("a", "b", "c")
SENSITIVE = ("s", "n", "h", "g")
POPULATION = "everybody"
"""What the models call the population table."""

LADDERS = {
    "a": Ladder((("a1", "A1", "*"), ("a2", "A1", "*"), ("a3", "A2", "*"), ("a4", "A2", "*"))),
    "b": Ladder((("b1", "*"), ("b2", "*"))),
    "c": Ladder((("c1", "C1"), ("c2", "C2"), ("c3", "C2"))),
}
TREE = Ladder((("r", "R", "*"), ("p", "P", "*"), ("q", "P", "*")))
"""Of ``h``: its order is that of the rows, r before p before q, and not that of the alphabet."""

VALUES: dict[str, tuple[Label, ...]] = {
    "s": ("x", "y", "x", "z", "x,y", "y", None),
    "n": ("40", "60", "50", "100", "-7.5", "60", None),
    "h": ("p", "q", "r", "p", None),
    "g": (None, "p", "P", "*"),
}
PEOPLE: tuple[Label, ...] = ("ana", "bia", "caio", "davi", "edu", "fábio", None)

Released = tuple[Label, ...]
Levels = tuple[int, ...]


@dataclass(frozen=True)
class Rows:
    """A table, row after row. ``others`` are the quasi-identifiers of the population's people who are not in it."""

    width: int
    quasi: tuple[Released, ...]
    sensitive: dict[str, tuple[Label, ...]]
    people: tuple[Label, ...]
    others: tuple[Released, ...] = ()

    def __len__(self) -> int:
        return len(self.quasi)

    @property
    def names(self) -> tuple[str, ...]:
        return QUASI[: self.width]

    @property
    def population(self) -> tuple[Released, ...]:
        """Everybody: the people of the table and the others."""
        return (*self.quasi, *self.others)

    @cached_property
    def ladders(self) -> tuple[Ladder, ...]:
        """The hierarchies, with NULL where table or population has it."""
        return tuple(
            LADDERS[name].with_null() if any(row[column] is None for row in self.population) else LADDERS[name]
            for column, name in enumerate(self.names)
        )

    @cached_property
    def hierarchies(self) -> tuple[Hierarchy, ...]:
        return tuple(hierarchy(name, ladder) for name, ladder in zip(self.names, self.ladders, strict=True))

    def recoded(self, levels: Levels, rows: Sequence[Released] | None = None) -> list[Released]:
        """What each row (of the table, if none are given) is released as at a node, without suppression."""
        maps = [ladder.recoding(level) for ladder, level in zip(self.ladders, levels, strict=True)]
        given = self.quasi if rows is None else rows
        return [tuple(map_[value] for map_, value in zip(maps, row, strict=True)) for row in given]

    def shuffled(self, source: random.Random) -> Rows:
        """The same rows in another order."""
        order = source.sample(range(len(self)), len(self))
        return replace(
            self,
            quasi=tuple(self.quasi[number] for number in order),
            sensitive={name: tuple(column[number] for number in order) for name, column in self.sensitive.items()},
            people=tuple(self.people[number] for number in order),
            others=tuple(source.sample(self.others, len(self.others))),
        )

    def arrow(self) -> pa.Table:
        """As a frame; the column ``p`` tells the people."""
        columns = {name: [row[column] for row in self.quasi] for column, name in enumerate(self.names)}
        columns |= {name: list(values) for name, values in self.sensitive.items()}
        columns["p"] = list(self.people)
        return pa.table({name: pa.array(values, pa.string()) for name, values in columns.items()})


@cache
def hierarchy(name: str, ladder: Ladder) -> Hierarchy:
    return Hierarchy.from_columns(name, list(zip(*ladder.rows, strict=True)))


def tree(values: Sequence[Label]) -> Hierarchy:
    """The hierarchy of ``h``, with NULL if it is among the values."""
    return hierarchy("h", TREE.with_null() if None in values else TREE)


@st.composite
def tables(draw: st.DrawFn, *, least: int = 1, most: int = 30, one_value: bool = False) -> Rows:
    """Each row is one number, so that drawing is fast and shrinking too; few tuples, so that classes are large.

    ``one_value``: whatever records a person has, they hold the same sensitive values.
    """
    width = draw(st.integers(1, 3))
    leaves = [[*(row[0] for row in LADDERS[name].rows), None] for name in QUASI[:width]]
    tuples = draw(st.lists(st.tuples(*(st.sampled_from(values) for values in leaves)), min_size=1, max_size=6))
    last = math.prod(map(len, VALUES.values())) - 1
    of_people = draw(st.lists(st.integers(0, last), min_size=7, max_size=7)) if one_value else []
    quasi, people, held = [], [], []
    for drawn in draw(st.lists(st.integers(0, 6 * 7 * (last + 1) - 1), min_size=least, max_size=most)):
        rest, place = divmod(drawn, 6)
        values, who = divmod(rest, 7)
        quasi.append(tuples[place % len(tuples)])
        people.append(PEOPLE[who])
        held.append(_decoded(of_people[who] if one_value else values))
    others = draw(st.lists(st.integers(0, 7), max_size=12))
    unseen = tuple(values[-2] for values in leaves)
    return Rows(
        width,
        tuple(quasi),
        {name: tuple(values[column] for values in held) for column, name in enumerate(SENSITIVE)},
        tuple(people),
        tuple(tuples[number] if number < len(tuples) else unseen for number in others),
    )


def any_table(**options: Any) -> st.SearchStrategy[Rows]:
    """A random table, or one of those that are easily forgotten: one row, one class, all equal, NULL and no more."""
    edges = [
        row(s=("x",), n=("40",), h=("p",)),
        row(s=(None,), n=(None,), h=(None,)),
        row(s=(None,) * 4, n=(None,) * 4, h=(None,) * 4, a="1122"),
        row(s=("x",) * 9, n=("40",) * 9, h=("p",) * 9),
        row(s=("x",) * 9, n=("40",) * 9, h=("p",) * 9, a="111222333"),
        row(s=("x", None) * 3, n=("40", None) * 3, h=("p", None) * 3, a="112233"),
        Rows(
            width=1,
            quasi=((None,),) * 3,
            sensitive={"s": ("x", "y", None), "n": ("40", "60", None), "h": ("p", "r", None), "g": ("*",) * 3},
            people=(None, None, "ana"),
            others=((None,), ("a1",)),
        ),
    ]
    return tables(**options) | st.sampled_from(edges)


def _decoded(number: int) -> tuple[Label, ...]:
    """A sensitive value of each kind."""
    found = []
    for name in SENSITIVE:
        number, place = divmod(number, len(VALUES[name]))
        found.append(VALUES[name][place])
    return tuple(found)


def row(
    *,
    s: Sequence[Label] = (),
    n: Sequence[Label] = (),
    h: Sequence[Label] = (),
    g: Sequence[Label] = (),
    a: str = "",
) -> Rows:
    """A table written by hand: sensitive values one a record, and the classes as the letters of ``a`` (1 … 4)."""
    size = max(len(s), len(n), len(h))
    quasi = tuple((f"a{letter}",) for letter in a or "1" * size)
    given = {"s": s, "n": n, "h": h, "g": g}
    columns = {name: tuple(given[name]) or (VALUES[name][0],) * size for name in SENSITIVE}
    return Rows(1, quasi, columns, tuple(str(number) for number in range(size)))


# --- counted here -----------------------------------------------------------------------------------------------


def domains(rows: Rows, *, people: bool = False) -> dict[str, Domain]:
    """The whole table's values, coded in order of first appearance."""
    found = {}
    for name, column in rows.sensitive.items():
        labels = tuple(dict.fromkeys(column))
        held = _holders(rows, range(len(rows)), name, people)
        total = np.array([len(held[label]) for label in labels], dtype=np.int64)
        everybody = len(set(rows.people)) if people else None
        knowing = len({who for who, value in zip(rows.people, column, strict=True) if value is not None})
        found[name] = Domain(name, labels, total, tree(labels) if name == "h" else None, people=everybody,
                             knowing=knowing if people else None)  # fmt: skip
    return found


def classes(
    rows: Rows,
    keys: Sequence[Hashable],
    *,
    others: Sequence[Hashable] = (),
    people: bool = False,
    members: bool = True,
) -> tuple[list[Any], Classes]:
    """The classes of a table whose row ``i`` belongs to ``keys[i]``, in order of first appearance, with their keys.

    ``others``: the classes of the population's people who are not in the table; with them, classes may be empty.
    ``people``: people are counted, not records. ``members``: with the original tuples behind the classes.
    """
    groups: dict[Hashable, list[int]] = {}
    for number, key in enumerate(keys):
        groups.setdefault(key, []).append(number)
    for key in others:
        groups.setdefault(key, [])
    inside = list(groups.values())
    known = domains(rows, people=people)
    whole = [sum(key == other for other in others) + len(groups[key]) for key in groups]
    counted = Classes(
        np.array([len(_who(rows, group, people)) for group in inside], dtype=np.int64),
        {name: _histogram(rows, inside, name, known[name], people) for name in rows.sensitive},
        len(_who(rows, range(len(rows)), people)),
        {} if people else {POPULATION: np.array(whole, dtype=np.int64)},
        _members(rows, inside, known) if members else None,
    )
    return list(groups), counted


def _who(rows: Rows, numbers: Sequence[int], people: bool) -> set[Any]:
    """Those who are counted: people, of whom all without a name are one, or records."""
    return {rows.people[number] if people else number for number in numbers}


def _holders(rows: Rows, numbers: Sequence[int], name: str, people: bool) -> dict[Label, set[Any]]:
    """Who holds each value among some records."""
    found: dict[Label, set[Any]] = {}
    for number in numbers:
        found.setdefault(rows.sensitive[name][number], set()).update(_who(rows, [number], people))
    return found


def _histogram(
    rows: Rows, members: Sequence[Sequence[int]], name: str, domain: Domain, people: bool = False
) -> Histogram:
    held = [_holders(rows, group, name, people) for group in members]
    return Histogram(
        np.cumsum([0, *map(len, held)]).astype(np.int64),
        np.array([domain.labels.index(label) for holders in held for label in holders], dtype=np.int32),
        np.array([len(who) for holders in held for who in holders.values()], dtype=np.int64),
        domain,
    )


def _members(rows: Rows, members: Sequence[Sequence[int]], known: dict[str, Domain]) -> Members:
    """The original tuples behind the classes, a tuple once in each."""
    owners, tuples, behind = [], [], []
    for owner, group in enumerate(members):
        for original in dict.fromkeys(rows.quasi[number] for number in group):
            owners.append(owner)
            tuples.append(original)
            behind.append([number for number in group if rows.quasi[number] == original])
    codes = [[h.index[value] for h, value in zip(rows.hierarchies, one, strict=True)] for one in tuples]
    return Members(
        np.array(owners, dtype=np.int64),
        np.array(codes, dtype=np.int32).reshape(len(tuples), rows.width),
        np.array([len(group) for group in behind], dtype=np.int64),
        {name: _histogram(rows, behind, name, known[name]) for name in rows.sensitive},
        rows.hierarchies,
    )


def uncounted(rows: Rows) -> FrequencyTable:
    """The frequency table with its population, made here: its tuples and values in order of first appearance."""
    tuples = list(dict.fromkeys(rows.population))
    values = {name: tuple(dict.fromkeys(one[column] for one in tuples)) for column, name in enumerate(rows.names)}
    codes = [[values[name].index(one[column]) for column, name in enumerate(rows.names)] for one in tuples]
    members = [[number for number, own in enumerate(rows.quasi) if own == one] for one in tuples]
    return FrequencyTable(
        rows.names,
        values,
        np.array(codes, dtype=np.int32).reshape(len(tuples), rows.width),
        np.array([len(group) for group in members], dtype=np.int64),
        {name: _histogram(rows, members, name, domain) for name, domain in domains(rows).items()},
        {POPULATION: np.array([rows.population.count(one) for one in tuples], dtype=np.int64)},
    )


# --- counted by the engine --------------------------------------------------------------------------------------


@cache
def engine() -> Engine:
    """One for all tables: connecting takes longer than counting."""
    return connect()


def counted(rows: Rows, *, people: bool = False, population: bool = False) -> FrequencyTable:
    """The frequency table of the rows as they are."""
    return count(rows.arrow(), rows, people=people, population=rows.population if population else None)


def count(
    frame: pa.Table, rows: Rows, *, people: bool = False, population: Sequence[Released] | None = None
) -> FrequencyTable:
    """The frequency table of a frame with the columns of a table."""
    table = read(frame, Data(), engine())
    found = frequency_table(table, rows.names, SENSITIVE, unit="p" if people else None)
    if population is not None:
        columns = {name: pa.array([r[n] for r in population], pa.string()) for n, name in enumerate(rows.names)}
        everybody = read(pa.table(columns), Data(), engine())
        found = found.with_population(POPULATION, frequency_table(everybody, rows.names, []))
    return found.with_trees({"h": tree(rows.sensitive["h"])}, ".")
