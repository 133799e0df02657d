"""The kind of a column follows from its values."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cobogo.data.schema import MOST_VALUES, ColumnKind, Type
from cobogo.data.schema.profile import DATE_FORMATS
from support.schema_columns import column


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        (["39", "-4", "0"], ColumnKind(Type.INTEGER)),
        (["1.5", "2", "1e-05", ".5"], ColumnKind(Type.DECIMAL, mark=".")),
        (["1,5", "2", "1.234,56"], ColumnKind(Type.DECIMAL, mark=",")),
        (["true", "False"], ColumnKind(Type.BOOLEAN)),
        (["Sim", "Não"], ColumnKind(Type.BOOLEAN)),
        (["0", "1"], ColumnKind(Type.BOOLEAN)),
        (["1", "1"], ColumnKind(Type.INTEGER)),
        (["F", "M"], ColumnKind(Type.CATEGORY)),
        (["F"], ColumnKind(Type.CATEGORY)),
        (["01310", "60160"], ColumnKind(Type.CATEGORY)),  # zeros in front: a code, not a number
        (["1.5", "1,5"], ColumnKind(Type.CATEGORY)),
        (["nan", "inf", "x"], ColumnKind(Type.CATEGORY)),
        (["-", ""], ColumnKind(Type.CATEGORY)),
        (["١", "٢"], ColumnKind(Type.CATEGORY)),  # digits, but not those that are read as numbers
        ([f"text {i} of a kind" for i in range(30)], ColumnKind(Type.TEXT)),
        (["word " * 40], ColumnKind(Type.TEXT)),
        ([], ColumnKind(Type.EMPTY)),
        ([None, None], ColumnKind(Type.EMPTY)),
    ],
)
def test_kind(values: list[str | None], kind: ColumnKind) -> None:
    assert column("x", values).kind == kind


@pytest.mark.parametrize(
    ("values", "form"),
    [
        (["31/12/2020", "1/2/2020"], "%d/%m/%Y"),
        (["12/31/2020", "01/02/2020"], "%m/%d/%Y"),
        (["01/02/2020"], "%d/%m/%Y"),
        (["2020-01-31"], "%Y-%m-%d"),
        (["31-01-2020"], "%d-%m-%Y"),
        (["20200131", "19991231"], "%Y%m%d"),
        (["31/01/20"], "%d/%m/%y"),
        (["2020-01-31 23:59"], "%Y-%m-%d %H:%M"),
        (["2020-01-31T23:59:01"], "%Y-%m-%dT%H:%M:%S"),
        (["31/01/2020 23:59:01"], "%d/%m/%Y %H:%M:%S"),
        (["12/1999"], "%m/%Y"),
        (["12 mar 2019", "1 fev 2020"], "%d %b %Y"),
        (["12 de março de 2019", "1 de maio de 2020"], "%d de %b de %Y"),
        (["12-Mar-2019", "01-DEC-1999"], "%d-%b-%Y"),
        (["12-mar-19"], "%d-%b-%y"),
        (["September 3, 2019", "May 1, 2020"], "%b %d, %Y"),
        (["mar. 2019", "set. 2020"], "%b %Y"),
        (["2019-03-12T10:00:00Z", "2019-03-12T10:00:00-03:00"], "%Y-%m-%dT%H:%M:%S%z"),
        (["2019-03-12 10:00:00.5-03"], "%Y-%m-%d %H:%M:%S.%f%z"),
        (["2019-03-12 10:00:00 UTC"], "%Y-%m-%d %H:%M:%S %Z"),
        ([" 31/12/2020", "01/02/2020   ", "    "], "%d/%m/%Y"),
    ],
)
def test_date_format(values: list[str], form: str) -> None:
    assert column("x", values).kind.format == form


@pytest.mark.parametrize(
    "values",
    [
        ["32/01/2020"],
        ["31/12/2020", "12/31/2020"],  # neither order reads both
        ["60160230", "60020270"],  # eight digits of a CEP
        ["2020111"],
        ["1/2"],
        ["31/12/2020", "unknown date"],
        ["12 xyz 2019"],
        ["31 de fevereiro de 2019"],
    ],
)
def test_no_date(values: list[str]) -> None:
    assert column("x", values).kind.type is not Type.DATE


def test_the_order_of_day_and_month_is_called_ambiguous_only_when_it_is() -> None:
    assert column("x", ["01/02/2020", "03/04/2020"]).kind.ambiguous
    assert not column("x", ["01/02/2020", "31/04/2020", "31/05/2020"]).kind.ambiguous
    assert not column("x", ["2020-02-01"]).kind.ambiguous


@settings(deadline=None)
@given(st.lists(st.datetimes(datetime(1900, 1, 1), datetime(2068, 12, 31)), min_size=1), st.sampled_from(DATE_FORMATS))
def test_every_known_format_reads_back_what_it_wrote(moments: list[datetime], form: str) -> None:
    kind = column("x", [moment.replace(tzinfo=UTC).strftime(form) for moment in moments]).kind
    assert kind.type is Type.DATE
    assert kind.format == form or kind.ambiguous


def test_placeholders_do_not_hide_numbers_and_dates() -> None:
    ages = column("idade", ["31", "42", "NA", "NA", None])
    assert ages.kind.type is Type.INTEGER
    assert ages.placeholders == ("NA",)
    assert column("visit", ["31/12/2020", "?"]).kind.format == "%d/%m/%Y"
    colours = column("cor", ["blue", "NA"])
    assert colours.kind.type is Type.CATEGORY
    assert colours.placeholders == ()
    assert column("x", ["NA", "?"]).kind.type is Type.CATEGORY


def test_a_profile_holds_a_bounded_number_of_values() -> None:
    days = [(date(1950, 1, 1) + timedelta(days=i)).isoformat() for i in range(MOST_VALUES + 500)]
    births = column("x", days)
    assert len(births.values) == MOST_VALUES
    assert births.sampled
    assert births.kind.format == "%Y-%m-%d"


@settings(deadline=None)
@given(st.lists(st.none() | st.text(max_size=30), max_size=30))
def test_any_text_has_a_kind(cells: list[str | None]) -> None:
    seen = column("x", cells)
    assert (seen.kind.type is Type.EMPTY) == (seen.present == 0)
    assert seen.constant == (len(set(cells)) <= 1)
