"""What holds for every hierarchy, whichever way it was built."""

import csv
import re
import string
import tempfile
from datetime import date
from decimal import Decimal
from fractions import Fraction
from itertools import pairwise
from math import inf
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cobogo.data.hierarchy import Hierarchy
from cobogo.data.hierarchy.build import build
from cobogo.data.policy import (
    AgeHierarchy,
    CsvHierarchy,
    DatesHierarchy,
    HierarchySpec,
    IntervalsHierarchy,
    MaskHierarchy,
    OrderingHierarchy,
    PathHierarchy,
    Policy,
    TreeHierarchy,
)

pytestmark = pytest.mark.slow

POLICY = Policy.of(
    {"attributes": {"a": {"role": "quasi-identifier"}}, "privacy": {"models": [{"model": "k-anonymity", "k": 2}]}}
)

words = st.text(string.ascii_letters + "ãé ", min_size=1, max_size=6)
with_null = st.booleans()


def checked(spec: HierarchySpec | None, values: list[str], null: bool) -> Hierarchy:
    """Build, with or without a NULL in the data, and check what every hierarchy owes."""
    h = build("a", spec, [*values, None] if null else values, policy=POLICY)
    assert len(h.parents) == h.height
    for parent, children, above in zip(h.parents, h.labels, h.labels[1:], strict=False):
        assert len(parent) == len(children)
        assert set(parent.tolist()) == set(range(len(above)))  # no label without leaves
    for level, (labels, codes, counts) in enumerate(zip(h.labels, h.maps, h.leaf_counts, strict=True)):
        assert len(set(labels)) == len(labels)
        assert "" not in labels  # it would be released as NULL
        assert counts.sum() == len(h.leaves)
        assert [labels[code] for code in codes] == [h.generalize(leaf, level) for leaf in h.leaves]
    for level in range(h.height):
        above = {h.generalize(leaf, level): h.generalize(leaf, level + 1) for leaf in h.leaves}
        assert all(above[h.generalize(leaf, level)] == h.generalize(leaf, level + 1) for leaf in h.leaves)
    assert not h.missing(values)
    assert (None in h.index) == null
    if null:
        forms = [h.generalize(None, level) for level in range(h.height + 1)]
        assert forms == [None] * h.height + ["*"] if h.height else forms == [None]
        assert len(h.leaves) == len(build("a", spec, values, policy=POLICY).leaves) + 1
    return h


def built_from_data(h: Hierarchy, values: list[str]) -> bool:
    return {leaf for leaf in h.leaves if leaf is not None} == set(values)


@settings(deadline=None)
@given(st.lists(st.text(min_size=1), unique=True), with_null)
def test_no_hierarchy(values, null):
    h = checked(None, values, null)
    assert h.height == 1
    assert built_from_data(h, values)


@settings(deadline=None)
@given(st.lists(st.datetimes(), unique=True), st.booleans(), with_null)
def test_dates(moments, top, null):
    form, levels = "%d/%m/%Y %H:%M", ("%d/%m/%Y", "%m/%Y", "%Y")
    moments = [moment.replace(second=0, microsecond=0) for moment in moments]
    written = {f"{m.day:02d}/{m.month:02d}/{m.year:04d} {m.hour:02d}:{m.minute:02d}": m for m in moments}
    h = checked(DatesHierarchy(dates=form, levels=levels, top=top), list(written), null)
    assert built_from_data(h, list(written))
    for text in written:
        assert [h.generalize(text, level) for level in (1, 2)] == [text[:10], text[3:10]]
    order = [written[leaf] for leaf in h.leaves if leaf is not None]
    assert order == sorted(order)


@settings(deadline=None)
@given(st.lists(st.dates(date(1000, 1, 1)), unique=True), st.booleans(), with_null)
def test_periods_and_ages(days, top, null):
    values = [f"{day.day:02d}/{day.month:02d}/{day.year}" for day in days]
    periods = checked(
        DatesHierarchy(dates="%d/%m/%Y", levels=("month", "quarter", "year", "5-years", "decade"), top=top),
        values,
        null,
    )
    ages = checked(AgeHierarchy(age="%d/%m/%Y", at=date.max, widths=(5, 20), top=top), values, null)
    for day, value in zip(days, values, strict=True):
        first, last = periods.generalize(value, 4).split("-")
        assert int(first) <= day.year <= int(last) == int(first) + 4
        assert 0 <= date.max.year - day.year - int(ages.generalize(value, 1)) <= 1


@settings(deadline=None)
@given(st.lists(st.dates(date(1970, 1, 1), date(2060, 1, 1)), unique=True))
def test_the_quick_way_to_read_dates_agrees_with_strptime(days):
    levels = ("%Y-%m", "%Y")
    quick = checked(DatesHierarchy(dates="%Y-%m-%d", levels=levels), [f"{d:%Y-%m-%d}" for d in days], False)
    slow = checked(DatesHierarchy(dates="%d %b %y", levels=levels), [f"{d:%d %b %y}" for d in days], False)
    assert quick.labels[1:] == slow.labels[1:]


@settings(deadline=None)
@given(st.lists(words, unique=True), st.sampled_from(["left", "right"]), st.integers(0, 4), st.booleans(), with_null)
def test_mask(values, side, keep, top, null):
    h = checked(MaskHierarchy(mask=side, keep=keep, top=top), values, null)
    assert built_from_data(h, values)
    for value in values:
        for level in range(max(map(len, values)) - keep + 1):
            label = h.generalize(value, level)
            assert len(label) == len(value)
            assert label.count("*") == max(min(level, len(value) - keep), 0)
            assert all(shown in ("*", letter) for shown, letter in zip(label, value, strict=True))


@settings(deadline=None)
@given(st.integers(1, 4).flatmap(lambda n: st.lists(st.lists(words, min_size=n, max_size=n))), st.booleans(), with_null)
def test_path(parts, top, null):
    values = list(dict.fromkeys("/".join(split) for split in parts))
    h = checked(PathHierarchy(path="/", top=top), values, null)
    assert built_from_data(h, values)
    for split in parts:
        assert [h.generalize("/".join(split), level) for level in range(len(split))] == [
            "/".join(split[level:]) for level in range(len(split))
        ]


@settings(deadline=None)
@given(st.lists(words, unique=True, min_size=1), st.lists(st.integers(2, 4), min_size=1, max_size=3), with_null)
def test_ordering(categories, factors, null):
    steps = [factors[0]]
    for factor in factors[1:]:
        steps.append(steps[-1] * factor)
    h = checked(OrderingHierarchy(ordering=tuple(categories), steps=tuple(steps)), categories, null)
    for level, step in enumerate(steps, start=1):
        whole, rest = divmod(len(categories), step)
        assert h.leaf_counts[level].tolist()[: whole + bool(rest)] == [step] * whole + [rest] * bool(rest)


@settings(deadline=None)
@given(st.lists(st.lists(st.integers(1, 4), min_size=1, max_size=3), min_size=1, max_size=3), with_null)
def test_tree(shape, null):
    leaf = iter(range(1000))
    tree = {
        f"root {r}": {f"branch {r}.{b}": [next(leaf) for _ in range(size)] for b, size in enumerate(sizes)}
        for r, sizes in enumerate(shape)
    }
    h = checked(TreeHierarchy(tree=tree), [str(n) for n in range(next(leaf))], null)
    assert h.leaf_counts[1].tolist()[: sum(map(len, shape))] == [size for sizes in shape for size in sizes]


@settings(deadline=None)
@given(
    st.dictionaries(st.text("ab;,\"' \n*é", min_size=1), st.integers(0, 7), min_size=1),
    st.sampled_from(",;\t|"),
    with_null,
)
def test_csv_gives_back_what_was_written(leaves, separator, null):
    rows = [[leaf, f'group "{n}"', f"half;{n // 4}, or\nso", "*"] for leaf, n in leaves.items() if leaf.strip()]
    with tempfile.TemporaryDirectory() as home:
        path = Path(home, "h.csv")
        with path.open("w", encoding="utf-8", newline="") as file:
            csv.writer(file, delimiter=separator).writerows(rows)
        if not rows:
            return
        h = checked(CsvHierarchy(csv=str(path), separator=separator), [row[0] for row in rows], null)
    assert [[h.generalize(row[0], level) for level in range(4)] for row in rows] == rows


numbers = st.one_of(st.integers(-300, 300).map(str), st.decimals(-300, 300, places=2).map(lambda n: f"{n:.2f}"))
widths = st.tuples(st.sampled_from([0.1, 0.25, 1, 2.5, 7, 10]), st.lists(st.integers(1, 5), max_size=3))
maybe = st.none() | st.integers(-400, 400).map(lambda n: n / 2)


@st.composite
def interval_specs(draw: st.DrawFn) -> IntervalsHierarchy:
    first, factors = draw(widths)
    sizes = [Decimal(repr(first))]
    for factor in factors:
        sizes.append(sizes[-1] * factor)
    low, high = sorted(draw(st.tuples(maybe, maybe).map(lambda pair: [n or 0 for n in pair])))
    codes = sorted(draw(st.tuples(st.integers(-400, 400), st.integers(-400, 400))))
    bounds = {"lower": low, "upper": high, "open_ends": True} if low < high and draw(st.booleans()) else {}
    return IntervalsHierarchy(
        intervals=tuple(float(size) for size in sizes),
        origin=draw(maybe),
        bottom_code=draw(st.sampled_from([None, codes[0]])),
        top_code=draw(st.sampled_from([None, codes[1]])),
        top=draw(st.booleans()),
        **bounds,
    )


def ends(label: str, comma: bool) -> tuple[Fraction | float, Fraction | float]:
    """The numbers that a label stands for, as a half-open interval; written apart from the code under test."""
    number = "(-?[0-9.]+)"
    label = label.replace(",", ".") if comma else label
    if label == "*":
        return -inf, inf
    if found := re.fullmatch(f"<{number}", label):
        return -inf, Fraction(found[1])
    if found := re.fullmatch(f">={number}", label):
        return Fraction(found[1]), inf
    if found := re.fullmatch(rf"\[{number}{';' if comma else ','} {number}\)", label):
        return Fraction(found[1]), Fraction(found[2])
    found = re.fullmatch(f"{number}(?:(?:-| to ){number})?", label)
    assert found, label
    return Fraction(found[1]), Fraction(found[2] or found[1]) + 1


@settings(deadline=None)
@given(st.lists(numbers, unique=True), interval_specs(), st.booleans(), with_null)
def test_intervals_hold_their_values_and_do_not_overlap(values, spec, comma, null):
    if comma:
        values = [value.replace(".", ",") for value in values]
        spec = spec.model_copy(update={"decimal": ","})
    h = checked(spec, values, null)
    assert built_from_data(h, values)
    for level in range(1, h.height + 1):
        for value in values:
            low, high = ends(h.generalize(value, level), comma)
            assert low <= Fraction(value.replace(",", ".")) < high
        spans = sorted(ends(label, comma) for label in h.labels[level] if label not in (None, "*"))
        assert all(one[1] <= other[0] for one, other in pairwise(spans))


@settings(deadline=None)
@given(st.lists(numbers, unique=True, min_size=1), st.sampled_from([0.1, 0.5, 1, 10, 25]))
def test_an_interval_is_as_wide_as_was_asked_for_and_starts_at_a_multiple(values, width):
    h = checked(IntervalsHierarchy(intervals=(width,)), values, False)
    exact = Fraction(repr(width))
    for label in h.labels[1]:
        low, high = ends(label, False)
        assert high - low == exact
        assert low % exact == 0
