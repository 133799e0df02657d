"""Random small tables with everything that a policy can say of them, for Hypothesis; and as the search takes them."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from hypothesis import strategies as st

from cobogo.data.hierarchy import Hierarchy
from cobogo.data.policy.tables import allowed_records
from cobogo.data.table.frequency import FrequencyTable
from cobogo.examine import metrics
from cobogo.promises.models import Domain, Histogram, Model
from cobogo.promises.models.k_anonymity import KAnonymity
from cobogo.promises.models.l_diversity import LDiversity
from cobogo.publish.recode.contract.problem import Problem, level_range
from support import reference
from support.reference import Label, Ladder, Task

LIMITS = ["0", "0.0", "1.0", "0.29", "0.07", "0.57", "0.58", "0.1", "0.3", "0.05", "0.14", "0.999", "1e-05", "0.5"]
WEIGHTS = ["1", "1.0", "2.0", "0.5", "0.1", "3.7", "0.001"]


@st.composite
def ladders(draw: st.DrawFn, prefix: str) -> Ladder:
    """A random nested hierarchy of height 0 to 3; NULL may have a row of its own, and ``*`` may be any label."""
    height = draw(st.sampled_from([2, 1, 3, 0, 2, 3]))
    rows: list[list[Label]] = [[f"{prefix}{number}"] for number in range(draw(st.sampled_from([4, 2, 6, 3, 1, 5])))]
    for level in range(1, height + 1):
        groups = list(dict.fromkeys(row[-1] for row in rows))
        one_top = level == height and draw(st.sampled_from([True, True, True, False]))
        fewer = 0 if one_top else len(groups) - 1
        parents = draw(st.lists(st.integers(0, fewer), min_size=len(groups), max_size=len(groups)))
        names = [f"{prefix}{level}.{parent}" for parent in range(len(groups))]
        if draw(st.booleans()):
            names[draw(st.integers(0, len(groups) - 1))] = "*"
        if draw(st.booleans()):
            names[parents[0]] = groups[0] or names[parents[0]]  # a label may be a label of the level below
        if len(set(names)) < len(names):
            names = [f"{prefix}{level}.{parent}" for parent in range(len(groups))]
        above = dict(zip(groups, (names[parent] for parent in parents), strict=True))
        for row in rows:
            row.append(above[row[-1]])
    if draw(st.integers(0, 4)) == 0:
        rows.append(draw(null_rows(rows, prefix)))
    return Ladder(tuple(map(tuple, rows)))


@st.composite
def null_rows(draw: st.DrawFn, rows: list[list[Label]], prefix: str) -> list[Label]:
    """A row for NULL that nests: NULL for some levels, then labels of its own, then those of a branch it joins."""
    null: list[Label] = [None]
    for level in range(1, len(rows[0])):
        below = null[-1]
        joined = [row[level] for row in rows if row[level - 1] == below]
        if joined:
            null.append(joined[0])
        else:
            known = [row[level] for row in rows]
            own = [None] if below is None else []
            null.append(draw(st.sampled_from([*own, f"{prefix}unknown{level}", *known])))
    return null


@st.composite
def tasks(draw: st.DrawFn, *, spread: int = 25) -> Task:
    """A random small table with everything that a policy can say of it."""
    width = draw(st.sampled_from([3, 2, 1, 4, 3]))
    shapes = tuple(draw(ladders("abcd"[column])) for column in range(width))
    cells = []
    for ladder in shapes:
        values: list[Label] = [row[0] for row in ladder.rows]
        cells.append([*values, None] if draw(st.booleans()) else values)
    size = draw(st.integers(1, spread))
    kinds = draw(st.integers(1, 10))
    pool = draw(st.lists(st.tuples(*(st.sampled_from(cell) for cell in cells)), min_size=kinds, max_size=kinds))
    tuples = tuple(draw(st.lists(st.sampled_from(pool), min_size=size, max_size=size)))
    names = ("s", "t")[: draw(st.integers(0, 2))]
    column = st.lists(st.sampled_from(["x", "y", "z", None]), min_size=len(tuples), max_size=len(tuples))
    sensitive = {name: tuple(draw(column)) for name in names}
    ks = tuple(draw(st.lists(st.sampled_from([2, 3, 1, 2, 4, 7]), min_size=0 if names else 1, max_size=2)))
    diverse = st.tuples(st.sampled_from(names), st.sampled_from([2, 3, 1, 2, 4])) if names else st.nothing()
    ls = tuple(draw(st.lists(diverse, min_size=0 if ks else 1, max_size=2))) if names else ()
    rarely = st.sampled_from([False, False, False, True])
    lowest = tuple(draw(st.integers(0, ladder.height)) if draw(rarely) else 0 for ladder in shapes)
    highest = tuple(draw(st.integers(low, low + 3)) if draw(rarely) else None for low in lowest)
    exact = st.integers(0, len(tuples)).map(lambda part: repr(part / len(tuples)))
    return Task(
        tuples=tuples,
        ladders=shapes,
        sensitive=sensitive,
        ks=ks,
        ls=ls,
        metric=draw(st.sampled_from([name for name in reference.METRICS if ks or name != "c_avg"])),
        limit=draw(st.sampled_from(LIMITS) | exact),
        weights=tuple(draw(st.lists(st.sampled_from(WEIGHTS), min_size=width, max_size=width))),
        lowest=lowest,
        highest=highest,
    )


def problem_of(task: Task, *, also: Sequence[Model] = ()) -> Problem:
    """The same task as the search takes it."""
    names = tuple("abcd"[: len(task.ladders)])
    hierarchies = tuple(
        Hierarchy.from_columns(name, list(zip(*ladder.rows, strict=True)))
        for name, ladder in zip(names, task.ladders, strict=True)
    )
    table = counted(task, names)
    hierarchies = tuple(h.with_null() if None in table.values[h.attribute] else h for h in hierarchies)
    lowest = task.lowest or (0,) * len(names)
    highest = task.highest or (None,) * len(names)
    low, high = level_range(hierarchies, lowest, highest)
    models: list[Model] = [KAnonymity(k) for k in task.ks]
    models += [LDiversity(attribute=name, l=least) for name, least in task.ls]
    return Problem(
        table=table,
        hierarchies=hierarchies,
        models=(*models, *also),
        metric=metrics.find_metric(task.metric),
        limit=allowed_records(float(task.limit), task.records),
        lowest=low,
        highest=high,
        weights=tuple(float(text) for text in task.weights or ("1",) * len(names)),
    )


def counted(task: Task, names: tuple[str, ...]) -> FrequencyTable:
    """The frequency table of a task, made here and not by the engine, its tuples in order of first appearance."""
    codes: dict[str, dict[Label, int]] = {}
    for column, name in enumerate(names):
        codes[name] = {label: code for code, label in enumerate(dict.fromkeys(row[column] for row in task.tuples))}
    for name, values in task.sensitive.items():
        codes[name] = {label: code for code, label in enumerate(dict.fromkeys(values))}
    members: dict[tuple[Label, ...], list[int]] = {}
    for number, row in enumerate(task.tuples):
        members.setdefault(row, []).append(number)
    histograms = {}
    for name, column in task.sensitive.items():
        counts = [Counter(codes[name][column[number]] for number in group) for group in members.values()]
        total = Counter(codes[name][value] for value in column)
        histograms[name] = Histogram(
            offsets=np.cumsum([0, *map(len, counts)]).astype(np.int64),
            values=np.array([code for count in counts for code in count], dtype=np.int32),
            counts=np.array([number for count in counts for number in count.values()], dtype=np.int64),
            domain=Domain(
                name, tuple(codes[name]), np.array([total[code] for code in range(len(codes[name]))], dtype=np.int64)
            ),
        )
    return FrequencyTable(
        quasi_identifiers=names,
        values={name: tuple(labels) for name, labels in codes.items()},
        codes=np.array(
            [[codes[name][value] for name, value in zip(names, row, strict=True)] for row in members], dtype=np.int32
        ),
        counts=np.array([len(group) for group in members.values()], dtype=np.int64),
        histograms=histograms,
    )


AWKWARD = {"a": "São João; ", "b": 'the "b", ', "c": " ç'\\", "d": "d,\t"}


def spelled(label: Label) -> Label:
    """Labels as data has them: accents, quotes, separators, spaces at both ends."""
    return label if label is None or label == "*" else AWKWARD[label[0]] + label + " "


def policy_of(task: Task, directory: Path) -> dict[str, Any]:
    attributes: dict[str, Any] = {}
    for column, ladder in enumerate(task.ladders):
        name = "abcd"[column]
        if ladder.height:
            file = directory / f"{name}.csv"
            with file.open("w", encoding="utf-8", newline="") as stream:
                csv.writer(stream, delimiter=";").writerows(
                    ["" if label is None else spelled(label) for label in row] for row in ladder.rows
                )
            hierarchy = {"csv": str(file), "separator": ";"}
        else:
            hierarchy = {"mask": "right", "keep": 99}
        attributes[name] = {
            "role": "quasi-identifier",
            "hierarchy": hierarchy,
            "weight": float(task.weights[column]),
            "min-level": task.lowest[column],
        }
        if task.highest[column] is not None:
            attributes[name]["max-level"] = task.highest[column]
    attributes |= {name: {"role": "sensitive"} for name in task.sensitive}
    models: list[dict[str, Any]] = [{"model": "k-anonymity", "k": k} for k in task.ks]
    models += [{"model": "l-diversity", "attribute": name, "l": least} for name, least in task.ls]
    return {
        "attributes": attributes,
        "privacy": {"models": models},
        "recoding": {"metric": task.metric, "suppression-limit": float(task.limit)},
    }


def frame_of(task: Task) -> pa.Table:
    """The table as somebody would have it."""
    columns: dict[str, list[Label]] = {
        "abcd"[column]: [spelled(row[column]) for row in task.tuples] for column in range(len(task.ladders))
    }
    columns |= {name: list(values) for name, values in task.sensitive.items()}
    return pa.table({name: pa.array(values, type=pa.string()) for name, values in columns.items()})


def as_built(task: Task) -> Task:
    """Without levels, the leaves of a built hierarchy are the values of the data."""
    return replace(task, ladders=tuple(_as_built(task, column) for column in range(len(task.ladders))))


def _as_built(task: Task, column: int) -> Ladder:
    ladder = task.ladders[column]
    if ladder.height:
        return ladder
    values = dict.fromkeys(row[column] for row in task.tuples)
    known = [value for value in values if value is not None]
    return Ladder(tuple((value,) for value in (known or [None])))
