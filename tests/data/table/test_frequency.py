"""The frequency table counts what is there, in an order that does not depend on the rows'."""

from collections import Counter

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cobogo.data.policy import Data, Policy
from cobogo.data.table.frequency import frequency_table, number_tuples
from cobogo.data.table.read import read
from support.effort import examples
from support.golden import assert_golden
from support.paths import ROOT

pytestmark = pytest.mark.slow

CELL = st.sampled_from(["a", "b", "ç", None])
ROWS = st.lists(st.tuples(CELL, CELL, CELL, CELL), min_size=1, max_size=12)


@given(rows=ROWS, data=st.data())
@settings(max_examples=examples(40), deadline=None)
def test_it_agrees_with_plain_counting_in_any_row_order(
    rows: list[tuple[str | None, ...]], data: st.DataObject
) -> None:
    shuffled = data.draw(st.permutations(rows))
    one, other = (
        frequency_table(read(pd.DataFrame(r, columns=list("wxyz"), dtype=object), Data()), ["w", "x"], ["y", "z"])
        for r in (rows, shuffled)
    )
    for table in (one, other):
        assert {table.tuple_labels(i): int(n) for i, n in enumerate(table.counts)} == Counter(r[:2] for r in rows)
        for column, name in ((2, "y"), (3, "z")):
            histogram = table.histograms[name]
            found = Counter()
            for entry, owner in enumerate(histogram.owners.tolist()):
                value = table.domains[name].labels[histogram.values[entry]]
                found[(table.tuple_labels(owner), value)] += int(histogram.counts[entry])
            assert found == Counter((r[:2], r[column]) for r in rows)
    assert one.codes.tolist() == other.codes.tolist()
    assert one.values == other.values


def test_keys_that_would_overflow_are_still_exact() -> None:
    import numpy as np

    columns = [np.array([0, 999, 0, 999], dtype=np.int32)] * 30
    ids, representatives = number_tuples(columns, [1000] * 30, 4)
    assert ids.tolist() == [0, 1, 0, 1]
    assert representatives.tolist() == [0, 1]


def test_records_names_do_not_collide_with_ours() -> None:
    frame = pd.DataFrame({"records": ["a", "a"], "c0": ["b", "b"], "value": ["c", "d"]})
    table = frequency_table(read(frame, Data()), ["records", "c0"], ["value"])
    assert table.counts.tolist() == [2]


def test_the_hospital_s_table_is_the_golden_one() -> None:
    policy = Policy.load(ROOT / "src" / "cobogo" / "examples" / "data" / "hospital" / "improved.toml")
    names = ["sex", "schooling", "payer"]
    table = frequency_table(read(policy.resolve(policy.data.path), policy.data), names, ["diagnosis"])
    histogram = table.histograms["diagnosis"]
    values = [histogram.domain.labels[code] for code in histogram.values]
    lines = [" · ".join([*names, "records", "diagnosis"])]
    for number, count in enumerate(table.counts):
        inside = range(histogram.offsets[number], histogram.offsets[number + 1])
        diagnoses = ", ".join(sorted(f"{values[entry]} {histogram.counts[entry]}" for entry in inside))
        lines.append(" · ".join([*(label or "" for label in table.tuple_labels(number)), str(count), diagnoses]))
    assert_golden("frequency/hospital.txt", "\n".join(lines) + "\n")
