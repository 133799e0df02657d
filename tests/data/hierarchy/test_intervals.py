"""Hierarchies of numbers in nested intervals."""

import pytest

from cobogo.data.hierarchy import Hierarchy
from cobogo.data.hierarchy.intervals import intervals_hierarchy
from cobogo.data.policy import IntervalsHierarchy
from cobogo.errors import HierarchyError, UnfitValues


def intervals(widths: list[float], values: list[str], *, decimal=".", **options: object) -> Hierarchy:
    spec = IntervalsHierarchy.model_validate({"intervals": widths, **options})
    return intervals_hierarchy("n", spec, values, decimal=decimal, where="policy, n")


def labels(value: str, widths: list[float], *, decimal=".", others: tuple[str, ...] = (), **options: object) -> list:
    h = intervals(widths, [value, *others], decimal=decimal, **options)
    return [h.generalize(value, level) for level in range(1, h.height + 1)]


def test_whole_numbers_fall_in_closed_intervals():
    assert labels("37", [1, 10, 20, 40]) == ["37", "30-39", "20-39", "0-39"]
    assert labels("40", [10, 20, 40]) == ["40-49", "40-59", "40-79"]
    assert labels("37.0", [10]) == ["30-39"]


def test_leaves_are_the_texts_in_numeric_order():
    assert intervals([10], ["100", "9", " 20", "-3"]).leaves == ("-3", "9", " 20", "100")


def test_the_interval_of_negative_numbers_cannot_be_misread():
    assert labels("-1", [5, 10]) == ["-5 to -1", "-10 to -1"]
    assert labels("-1", [1, 10], origin=-5) == ["-1", "-5 to 4"]


def test_other_numbers_fall_in_half_open_intervals():
    assert labels("10.5", [0.5, 1.5]) == ["[10.5, 11)", "[10.5, 12)"]
    assert labels("-0.25", [1]) == ["[-1, 0)"]
    assert labels("3", [10], others=("2.5",)) == ["[0, 10)"]


@pytest.mark.parametrize("value", ["0.3", "0.30", "3e-1", ".3", "+0.3"])
def test_arithmetic_is_exact(value):
    assert labels(value, [0.1, 0.3]) == ["[0.3, 0.4)", "[0.3, 0.6)"]


def test_huge_and_tiny_numbers():
    assert labels("123456789012345678901234567890", [10]) == [
        "123456789012345678901234567890-123456789012345678901234567899"
    ]
    assert labels("1e3", [10]) == ["1000-1009"]
    assert labels("0.00000000000000000000000000000000001", [1]) == ["[0, 1)"]
    assert labels("0.29999999999999999999999999999999", [0.1]) == ["[0.2, 0.3)"]


def test_decimal_comma():
    assert labels("1234,56", [0.5], decimal=",") == ["[1234,5; 1235)"]
    assert labels("1.234,56", [0.5], decimal=",") == ["[1234,5; 1235)"]
    assert labels("1.234", [10], decimal=",") == ["1230-1239"]
    assert labels("2,5", [1], decimal=",", **{"top-code": 2.25}) == [">=2,25"]


@pytest.mark.parametrize(
    "value", ["abc", "", ".", "-", "NaN", "inf", "-Infinity", "1,5", "1_0", "0x1", "1e9999", "1 2", "١"]
)
def test_what_is_no_number_is_unfit(value):
    with pytest.raises(UnfitValues, match=r'decimal mark "\."') as raised:
        intervals([10], ["1", value])
    assert raised.value.values == (value,)


@pytest.mark.parametrize("value", ["1.5", "1.23,4", "1,234.5", "1.2345", "1,2,3"])
def test_with_decimal_comma_dots_stand_between_thousands_only(value):
    with pytest.raises(UnfitValues):
        intervals([10], [value], decimal=",")


def test_origin():
    assert labels("17", [10, 20], origin=5) == ["15-24", "5-24"]
    assert labels("17", [10], lower=3) == ["13-22"]
    assert labels("17", [10], lower=3, origin=0) == ["10-19"]


def test_values_outside_the_bounds_are_unfit():
    with pytest.raises(UnfitValues, match=r"lower = 0, upper = 100") as raised:
        intervals([10], ["-1", "0", "100", "101"], lower=0, upper=100)
    assert raised.value.values == ("-1", "101")
    with pytest.raises(UnfitValues, match=r"outside lower = 0\.5"):
        intervals([10], ["0"], lower=0.5)


def test_open_ends_take_everything_beyond_at_every_level():
    h = intervals([10, 20], ["-50", "5", "15", "85", "95", "1000"], lower=0, upper=100, **{"open-ends": True})
    assert h.labels[1] == ("<10", "10-19", "80-89", ">=90")
    assert h.labels[2] == ("<20", ">=80")


def test_open_ends_nest_when_the_bounds_are_no_multiples_of_the_widths():
    options = {"lower": 5, "upper": 95, "origin": 0, "open-ends": True}
    h = intervals([10, 20, 40], [str(n) for n in range(-20, 150)], **options)
    assert h.labels[1][0] == "<10"
    assert h.labels[1][-1] == ">=90"
    assert h.labels[2][-1] == ">=80"
    assert h.labels[3] == ("<40", "40-79", ">=80")


def test_one_interval_with_both_ends_open_holds_everything():
    assert labels("5", [10, 100], lower=0, upper=100, **{"open-ends": True}) == ["<10", "*"]


def test_bottom_and_top_codes_hold_from_level_1_up():
    h = intervals(
        [10, 20], ["3", "17", "18", "19", "25", "85", "90", "99", "120"], **{"bottom-code": 18, "top-code": 90}
    )
    assert h.leaves[0] == "3"
    assert h.labels[1] == ("<18", "18-19", "20-29", "80-89", ">=90")
    assert h.labels[2] == ("<18", "18-19", "20-39", "80-89", ">=90")


def test_an_interval_cut_to_one_number_is_that_number():
    assert labels("80", [10], **{"top-code": 81}) == ["80"]


def test_codes_and_open_ends_together():
    options = {"lower": 0, "upper": 100, "open-ends": True, "bottom-code": 5, "top-code": 98}
    h = intervals([10, 100], ["-1", "4", "5", "50", "97", "98", "200"], **options)
    assert h.labels[1] == ("<5", "5-9", "50-59", "90-97", ">=98")
    assert h.labels[2] == ("<5", "5-97", ">=98")


@pytest.mark.parametrize(
    ("widths", "options", "said"),
    [
        ([10, 25], {}, "do not nest"),
        ([0.2, 0.5], {}, "intervals 0.2 and 0.5 wide do not nest"),
        ([20, 10], {}, "do not nest"),
        ([0], {}, "cannot be 0 wide"),
        ([-5], {}, "cannot be -5 wide"),
        ([float("inf")], {}, "intervals must be a finite number"),
        ([10], {"top-code": float("nan")}, "top-code must be a finite number"),
        ([10], {"open-ends": True, "lower": 0}, "both lower and upper"),
        ([10], {"lower": 5, "upper": 5}, "not below"),
        ([10], {"bottom-code": 9, "top-code": 8}, "above top-code"),
    ],
)
def test_intervals_that_cannot_be(widths, options, said):
    with pytest.raises(HierarchyError) as raised:
        intervals(widths, ["1"], **options)
    assert said in str(raised.value)
    assert "policy, n" in str(raised.value)


def test_widths_as_small_as_01_and_03_nest():
    assert intervals([0.1, 0.3, 0.6, 1.2], ["0.7"]).height == 4
