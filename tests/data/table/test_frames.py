"""Frames come back as they came: the same library, types that were not recoded, and categories for the others."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import cobogo as cb
from cobogo.errors import DataError

PEOPLE = pd.DataFrame(
    {
        "age": [31, 34, 52, 58, 33, 51, 97],
        "city": pd.Categorical(["Sobral", "Crato", "Sobral", "Crato", "Sobral", "Crato", "Alone"]),
        "seen": pd.to_datetime(["2024-01-01", "2024-01-02"] * 3 + ["2024-01-01"]),
        "ill": ["flu", "cold", "flu", "cold", "flu", "cold", "rare"],
    }
)
POLICY = cb.Policy(
    {
        "age": cb.quasi(cb.intervals(10, 20, 40, 80, top=True), min_level=1),
        "city": cb.identifier(),
        "seen": cb.non_sensitive(),
        "ill": cb.sensitive(),
    },
    [cb.KAnonymity(3)],
    recoding={"suppression-limit": 0.2},
)


def test_a_frame_of_pandas_has_intervals_and_the_types_it_had() -> None:
    release = cb.anonymize(PEOPLE, POLICY)
    frame = release.to_frame()
    assert frame["seen"].dtype.kind == "M"
    assert frame["age"].cat.ordered
    assert frame["age"].cat.categories.dtype.kind == "O" or str(frame["age"].cat.categories.dtype).startswith(
        "interval"
    )
    assert sorted((one.left, one.right) for one in frame["age"].cat.categories) == [(30, 40), (50, 60)]
    assert all(one.left in (30, 50) for one in frame["age"])


def test_columns_that_were_not_recoded_have_the_types_of_pandas_with_which_they_came() -> None:
    some = [1, None, *range(2, len(PEOPLE))]
    when = pd.Series(pd.to_datetime(["2020-01-01"] * len(PEOPLE))).dt.tz_localize("America/Fortaleza")
    given = {
        **{kind: pd.array(some, dtype=kind) for kind in ("Int64", "UInt8", "Float32", "int64[pyarrow]")},
        "boolean": pd.array([None, *[True] * (len(PEOPLE) - 1)], dtype="boolean"),
        "zone": when,
        "string": pd.array(["x"] * len(PEOPLE), dtype="string"),
    }
    content = POLICY.as_dict()
    content["attributes"] |= {name: {"role": "sensitive"} for name in given}
    frame = cb.anonymize(PEOPLE.assign(**given), content).to_frame()
    assert {name: frame[name].dtype for name in given} == {name: column.dtype for name, column in given.items()}


def test_no_category_tells_of_a_record_that_was_left_out() -> None:
    kept = cb.Policy(
        {"age": cb.identifier(), "city": cb.quasi(max_level=0), "seen": cb.non_sensitive(), "ill": cb.sensitive()},
        [cb.KAnonymity(3)],
        recoding={"suppression-limit": 0.2},
    )
    for frame in (PEOPLE, pl.from_pandas(PEOPLE), pa.Table.from_pandas(PEOPLE, preserve_index=False)):
        found = cb.anonymize(frame, kept).to_frame()
        schema = found.schema if hasattr(found, "schema") else list(found["city"].cat.categories)
        assert "Alone" not in f"{schema}{found}"
    assert list(cb.anonymize(PEOPLE, kept).to_frame()["city"].cat.categories) == ["Crato", "Sobral"]


@pytest.mark.parametrize(
    ("frame", "kind"),
    [
        (PEOPLE, pd.DataFrame),
        (pl.from_pandas(PEOPLE), pl.DataFrame),
        (pl.from_pandas(PEOPLE).lazy(), pl.DataFrame),
        (pa.Table.from_pandas(PEOPLE), pa.Table),
    ],
    ids=["pandas", "polars", "lazy polars", "arrow"],
)
def test_the_same_library(frame: Any, kind: type) -> None:
    found = cb.anonymize(frame, POLICY).to_frame()
    assert isinstance(found, kind)
    assert len(found) == 6


def test_ibis_and_geopandas() -> None:
    import geopandas
    import ibis

    assert isinstance(cb.anonymize(ibis.memtable(PEOPLE.drop(columns="city")), _without("city")).to_frame(), ibis.Table)
    places = geopandas.GeoDataFrame(PEOPLE, geometry=geopandas.points_from_xy(PEOPLE["age"], PEOPLE["age"]), crs=4326)
    hidden = POLICY.as_dict()
    hidden["attributes"]["geometry"] = {"role": "identifier"}
    assert "geometry" not in cb.anonymize(places, hidden).to_frame()
    hidden["attributes"]["geometry"] = {"role": "non-sensitive", "publish-unique": True}
    found = cb.anonymize(places, hidden).to_frame()
    assert found.crs == places.crs
    assert set(found.geometry.x) <= set(places.geometry.x)


def _without(name: str) -> dict[str, Any]:
    content = POLICY.as_dict()
    del content["attributes"][name]
    return content


@pytest.mark.parametrize(
    ("data", "said"),
    [
        ([1, 2], "list has no names of columns"),
        (np.zeros((2, 2)), "ndarray has no names of columns"),
        (PEOPLE["age"], "Series has no names of columns"),
        (PEOPLE.set_index("city"), 'the index "city" is not a column'),
        (PEOPLE.set_axis(list("abcdefg")), "the index is not a column"),
        (PEOPLE.set_index(["city", "ill"]), 'the index "city", "ill" is not a column'),
        (PEOPLE.assign(stay=pd.to_timedelta(1, "D")), 'the column "stay" has values that no table can hold'),
    ],
    ids=["list", "array", "series", "named", "unnamed", "several", "spans"],
)
def test_what_is_no_table_is_refused_and_no_value_is_shown(data: Any, said: str) -> None:
    with pytest.raises(DataError, match=said) as refused:
        cb.anonymize(data, POLICY)
    assert not [city for city in ("Sobral", "Crato", "Alone") if city in str(refused.value)]


def test_row_numbers_are_no_values() -> None:
    assert len(cb.anonymize(PEOPLE[PEOPLE["age"] < 90].sample(frac=1, random_state=1), POLICY).to_frame()) == 6


def test_whole_numbers_and_truth_values_stay_what_they_are_where_some_are_missing() -> None:
    large = 2**60 + 1  # which no float is
    frame = pd.DataFrame(
        {"n": pd.array([large, None, 3, 4], dtype="Int64"), "b": pd.array([True, None, False, True], dtype="boolean")}
    )
    policy = cb.Policy(
        {"city": cb.quasi(), "n": cb.non_sensitive(publish_unique=True), "b": cb.non_sensitive()}, [cb.KAnonymity(2)]
    )
    release = cb.anonymize(frame.assign(city="Crato"), policy)
    for found in (release.to_frame(), release.to_pandas()):
        assert found[["n", "b"]].dtypes.equals(frame.dtypes)
        assert large in set(found["n"].dropna())
