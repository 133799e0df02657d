"""Hierarchies of dates and times."""

from datetime import date, datetime

import pandas as pd
import pytest

from cobogo import anonymize
from cobogo.data.hierarchy import Hierarchy
from cobogo.data.hierarchy.dates import dates_hierarchy
from cobogo.data.policy import DatesHierarchy
from cobogo.errors import HierarchyError, UnfitValues


def dates(form: str, levels: list[str], values: list[str]) -> Hierarchy:
    return dates_hierarchy("birth", DatesHierarchy(dates=form, levels=tuple(levels)), values, where="policy, birth")


def test_a_date_becomes_its_month_then_its_year():
    h = dates("%d/%m/%Y", ["%m/%Y", "%Y"], ["29/02/2020", "01/02/2020", "15/12/1999"])
    assert [h.generalize("29/02/2020", level) for level in range(3)] == ["29/02/2020", "02/2020", "2020"]
    assert h.leaf_counts[1].tolist() == [1, 2]


def test_leaves_stand_in_the_order_of_time():
    h = dates("%d/%m/%Y", ["%Y"], ["01/03/2021", "02/01/2020", "31/12/2020"])
    assert h.leaves == ("02/01/2020", "31/12/2020", "01/03/2021")


@pytest.mark.parametrize(
    "value",
    ["31/02/2020", "29/02/2019", "00/01/2020", "12/31/2020", "2020-01-01", "01/02/20", "01 /02/2020", "x", ""],
)
@pytest.mark.parametrize("form", ["%d/%m/%Y", "%d/%m/%Y%%"])
def test_what_is_no_date_of_the_form_is_unfit(form, value):
    ending = "%" if form.endswith("%%") else ""
    with pytest.raises(UnfitValues) as raised:
        dates(form, ["%Y"], ["01/02/2020" + ending, value + ending])
    assert raised.value.values == (value + ending,)
    assert form in str(raised.value)


def test_every_unfit_value_is_listed():
    with pytest.raises(UnfitValues, match="3 values of the data") as raised:
        dates("%d/%m/%Y", ["%Y"], ["a", "31/02/2020", "01/01/2020", "b"])
    assert raised.value.values == ("a", "31/02/2020", "b")


def test_a_lenient_hierarchy_keeps_what_is_no_date():
    spec = DatesHierarchy(dates="%d/%m/%Y", levels=("%m/%Y", "%Y", "decade"), lenient=True)
    h = dates_hierarchy("birth", spec, ["31/02/1999", "01/02/1999", "1999", "x"], where="policy, birth")
    assert h.labels == (
        ("01/02/1999", "31/02/1999", "1999", "x"),
        ("02/1999", "31/02/1999", "1999", "x"),
        ("1999", "31/02/1999", "x"),  # a year alone goes on with the dates that have become years
        ("1990-1999", "31/02/1999", "x"),
    )
    assert dates_hierarchy("birth", spec, ["x"], where="policy").labels[-1] == ("x",)


def test_two_texts_of_one_date_are_two_leaves_under_one_label():
    h = dates("%d/%m/%Y", ["%d/%m/%Y"], ["1/2/2020", "01/02/2020"])
    assert len(h.leaves) == 2
    assert h.labels[1] == ("01/02/2020",)


def test_numbers_without_separator_need_all_their_digits():
    assert dates("%d%m%Y", ["%m/%Y"], ["01112020"]).labels[1] == ("11/2020",)
    with pytest.raises(UnfitValues):  # 1 November or 11 January
        dates("%d%m%Y", ["%m/%Y"], ["1112020"])


@pytest.mark.parametrize("form", ["%d/%m/%Y", "%d/%b/%Y"])
def test_years_before_1000_have_four_digits(form):
    value = "05/01/0033" if form == "%d/%m/%Y" else "05/Jan/0033"
    assert dates(form, ["%m/%Y", "%Y"], [value]).labels[1:] == (("01/0033",), ("0033",))
    assert dates(form, ["%F", "%%Y %Y", "%C"], [value]).labels[1:] == (("0033-01-05",), ("%Y 0033",), ("00",))


def test_times_of_day():
    h = dates("%H:%M", ["%Hh", "%p"], ["23:59", "00:00", "0:30", "12:01"])
    assert h.leaves == ("00:00", "0:30", "12:01", "23:59")
    assert h.labels[1:] == (("00h", "12h", "23h"), ("AM", "PM"))
    with pytest.raises(UnfitValues):
        dates("%H:%M", ["%H"], ["24:00"])


def test_dates_and_times_together():
    h = dates("%Y-%m-%dT%H:%M:%S", ["%Y-%m-%d", "%Y"], ["2020-02-29T23:59:59", "2020-02-29T00:00:00"])
    assert h.labels[1:] == (("2020-02-29",), ("2020",))


def test_names_of_months_two_digit_years_and_weeks():
    assert dates("%d %b %Y", ["%m/%Y"], ["02 Jan 2020", "29 feb 2020"]).labels[1] == ("01/2020", "02/2020")
    assert dates("%d/%m/%y", ["%Y"], ["01/01/68", "01/01/69"]).labels[1] == ("1969", "2068")
    assert dates("%d/%m/%Y", ["%G week %V", "%G"], ["01/01/2021"]).labels[1:] == (("2020 week 53",), ("2020",))
    assert dates("%G-%V-%u", ["%m/%Y"], ["2020-53-5"]).labels[1] == ("01/2021",)


def test_time_zones():
    h = dates("%d/%m/%Y %H:%M %z", ["%d/%m/%Y %z", "%z"], ["01/01/2020 23:30 -0300", "02/01/2020 01:00 +0000"])
    assert h.leaves == ("02/01/2020 01:00 +0000", "01/01/2020 23:30 -0300")
    assert h.labels[1] == ("02/01/2020 +0000", "01/01/2020 -0300")


@pytest.mark.parametrize(("form", "value"), [("%d/%m", "29/02"), ("%d %b", "29 Feb")])
def test_29_february_is_a_day_of_the_year_without_a_year(form, value):
    assert dates(form, ["%m"], [value]).labels[1] == ("02",)


def test_the_coarsest_level_may_say_the_same_of_all():
    assert dates("%Y", ["100%% date", "*"], ["2020", "2021"]).labels[1:] == (("100% date",), ("*",))


def test_levels_that_do_not_nest_are_an_error():
    with pytest.raises(HierarchyError, match=r'do not nest: "2020" [\s\S]*finest to the coarsest'):
        dates("%d/%m/%Y", ["%Y", "%m/%Y"], ["01/01/2020", "01/02/2020"])


@pytest.mark.parametrize(
    ("form", "levels", "said"),
    [
        ("%d/%m", ["%Y"], 'level "%Y" needs parts that "%d/%m" does not have: year.'),
        ("%W/%Y", ["%m"], "does not have: month."),
        ("%H:%M", ["%A"], "does not have: year, month, day."),
        ("%d/%m/%Q", ["%m"], '"%Q" in "%d/%m/%Q"'),
        ("%d/%m/%Y", ["%K"], '"%K"'),
        ("%d/%m/%Y", ["100%"], '"%"'),
        ("%d/%m/%Y", [""], "empty"),
        ("day", ["day"], "has no part of a date"),
        ("%-d/%m/%Y", ["%Y"], "not a format in which dates can be read"),
        ("%Y %Y", ["%Y"], "not a format in which dates can be read"),
        ("%V/%Y", ["%Y"], "not a format in which dates can be read"),
    ],
)
def test_formats_that_cannot_work_are_errors_of_the_policy_not_of_the_values(form, levels, said):
    with pytest.raises(HierarchyError) as raised:
        dates(form, levels, ["01/01/2020"])
    assert not isinstance(raised.value, UnfitValues)
    assert said in str(raised.value)


@pytest.mark.parametrize("form", ["%Y-%m-%d", "%d-%b-%Y"])
def test_days_may_be_written_with_their_midnight(form):
    day = datetime(2020, 1, 31).strftime(form)
    h = dates(form, ["%Y"], [f"{day} 00:00:00", day])
    assert h.generalize(f"{day} 00:00:00", 1) == "2020"
    with pytest.raises(UnfitValues):
        dates(form, ["%Y"], [f"{day} 09:00:00"])


@pytest.mark.parametrize("kind", ["datetime64[ns]", "datetime64[s]", "object"])
def test_a_column_of_days_of_a_frame_has_a_hierarchy_of_days(tmp_path, kind):
    frame = pd.DataFrame({"birth": pd.Series([date(1980 + n % 2, 5, n + 1) for n in range(8)]).astype(kind)})
    levels = {"dates": "%Y-%m-%d", "levels": ["%Y"]}
    policy = {
        "attributes": {"birth": {"role": "quasi-identifier", "hierarchy": levels}},
        "privacy": {"models": [{"model": "k-anonymity", "k": 4}]},
    }
    frame.to_parquet(tmp_path / "a.parquet")
    for source in (frame, tmp_path / "a.parquet"):
        assert sorted(anonymize(source, policy).to_pandas()["birth"]) == ["1980"] * 4 + ["1981"] * 4


def test_periods_have_names() -> None:
    levels = ["month", "quarter", "year", "5-years", "decade"]
    h = dates("%d/%m/%Y", levels, ["29/02/2020", "31/12/1999"])
    assert [h.generalize("29/02/2020", n) for n in range(1, 6)] == [
        "2020-02",
        "2020-Q1",
        "2020",
        "2020-2024",
        "2020-2029",
    ]
    assert [h.generalize("31/12/1999", n) for n in range(1, 6)] == [
        "1999-12",
        "1999-Q4",
        "1999",
        "1995-1999",
        "1990-1999",
    ]


@pytest.mark.parametrize(
    ("day", "week"), [("2021-01-03", "2020-W53"), ("2021-01-04", "2021-W01"), ("2024-12-30", "2025-W01")]
)
def test_a_week_is_iso_s(day: str, week: str) -> None:
    assert dates("%Y-%m-%d", ["week"], [day]).labels[1] == (week,)


def test_periods_go_with_formats() -> None:
    h = dates("%m/%Y", ["%Y", "7-years"], ["05/1988"])
    assert h.labels == (("05/1988",), ("1988",), ("1988-1994",))


@pytest.mark.parametrize(
    "levels",
    [
        ["week", "month"], ["week", "year"], ["month", "week"], ["week", "%Y"], ["year", "month"], ["month", "month"],
        ["5-years", "7-years"], ["decade", "5-years"], ["decade", "10-years"],
    ],
)  # fmt: skip
def test_periods_that_do_not_nest_are_refused_whatever_the_dates(levels: list[str]) -> None:
    with pytest.raises(HierarchyError, match="do not nest") as raised:
        dates("%d/%m/%Y", levels, ["01/02/2020"])
    assert raised.value.code == "COBOGO-HIERARCHY-OPTIONS"


@pytest.mark.parametrize(
    ("form", "level"), [("%m/%Y", "week"), ("%Y", "quarter"), ("%d/%m", "decade"), ("%H:%M", "year")]
)
def test_a_period_needs_its_parts(form: str, level: str) -> None:
    with pytest.raises(HierarchyError, match="needs parts"):
        dates(form, [level], [])


def test_two_digits_of_a_year_do_not_tell_its_decade() -> None:
    with pytest.raises(HierarchyError, match="century"):
        dates("%d/%m/%y", ["decade"], ["01/02/45"])


def test_months_have_names_in_portuguese_and_english():
    values = ["12 de março de 2019", "1 de Fev. de 2020", "3 de September de 2020"]
    assert dates("%d de %b de %Y", ["month"], values).labels[1] == ("2019-03", "2020-02", "2020-09")


def test_times_of_different_zones_keep_the_day_that_was_written():
    values = ["2019-03-12T23:00:00-03:00", "2019-03-13T01:00:00Z", "2019-03-14T00:00:00-03"]
    h = dates("%Y-%m-%dT%H:%M:%S%z", ["%Y-%m-%d"], values)
    assert [h.generalize(value, 1) for value in values] == ["2019-03-12", "2019-03-13", "2019-03-14"]


def test_blanks_around_a_date_are_no_part_of_it():
    assert dates("%d/%m/%Y", ["%Y"], [" 31/12/1999  "]).labels == ((" 31/12/1999  ",), ("1999",))
