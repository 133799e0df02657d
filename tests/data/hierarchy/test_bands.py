"""Bands that the policy declares: ages on a day, and quantiles of a declared distribution."""

from datetime import date

import pytest

from cobogo.data.hierarchy import Hierarchy
from cobogo.data.hierarchy.bands import age_hierarchy, quantiles_hierarchy
from cobogo.data.policy import AgeHierarchy, Policy, QuantilesHierarchy
from cobogo.errors import HierarchyError, PolicyError, UnfitValues


def ages(values: list[str], at: str = "2023-02-28", **options: object) -> Hierarchy:
    spec = AgeHierarchy.model_validate({"age": "%d/%m/%Y", "at": at, "widths": [5, 10], **options})
    return age_hierarchy("birth", spec, values, where="policy")


@pytest.mark.parametrize(
    ("birth", "at", "age"),
    [
        ("28/02/2000", "2023-02-28", "23"),
        ("29/02/2000", "2023-02-28", "22"),  # a leap day comes back on 1 March
        ("29/02/2000", "2023-03-01", "23"),
        ("29/02/2000", "2024-02-29", "24"),
        ("01/03/2000", "2023-02-28", "22"),
        ("28/02/2023", "2023-02-28", "0"),
    ],
)
def test_an_age_is_in_full_years(birth: str, at: str, age: str) -> None:
    assert ages([birth], at).generalize(birth, 1) == age


def test_ages_fall_in_nested_bands_and_the_oldest_together() -> None:
    h = ages(["01/01/1930", "01/01/1989", "01/01/2000"], top_code=90)
    assert [h.generalize("01/01/1989", level) for level in range(4)] == ["01/01/1989", "34", "30-34", "30-39"]
    assert {h.generalize("01/01/1930", level) for level in (1, 2, 3)} == {">=90"}


def test_who_is_born_after_the_day_is_counted() -> None:
    with pytest.raises(UnfitValues, match="2 values of the data are dates after 2023-02-28") as raised:
        ages(["01/03/2023", "01/01/2024", "01/01/2000"])
    assert set(raised.value.values) == {"01/03/2023", "01/01/2024"}


@pytest.mark.parametrize(("form", "problem"), [("%m/%Y", "day"), ("%Y", "month, day")])
def test_an_age_needs_a_whole_date(form: str, problem: str) -> None:
    with pytest.raises(HierarchyError, match=f"does not have: {problem}"):
        ages(["01/2000"], age=form)


def quantiles(values: list[str], **options: object) -> Hierarchy:
    spec = QuantilesHierarchy.model_validate({"quantiles": [4, 2], "domain": [0, 100], **options})
    return quantiles_hierarchy("x", spec, values, decimal=".", where="policy")


def test_bands_hold_equal_shares_of_the_declared_population() -> None:
    # Three quarters of the people are below 20: the cuts are at 20/3, 40/3 and 20.
    shares = {"domain": [0, 20, 100], "shares": [3, 1]}
    h = quantiles([str(n) for n in range(101)], **shares)
    assert h.labels[1:] == (("0-6", "7-12", "13-19", "20-100"), ("0-12", "13-100"))


def test_bands_do_not_follow_from_the_data() -> None:
    few, many = quantiles(["3", "99"]), quantiles([str(n) for n in range(101)])
    assert all(
        few.generalize(value, level) == many.generalize(value, level) for value in ("3", "99") for level in (1, 2)
    )


def test_both_ends_of_the_domain_are_in_a_band() -> None:
    assert quantiles(["0", "100"]).labels[1] == ("0-24", "75-100")
    assert quantiles(["0", "0.25", "1"], domain=[0, 1], decimals=2).labels[1] == (
        "[0, 0.25)",
        "[0.25, 0.5)",
        "[0.75, 1]",
    )


@pytest.mark.parametrize("value", ["-1", "101", "3.5"])
def test_what_is_outside_or_finer_is_unfit(value: str) -> None:
    with pytest.raises(UnfitValues) as raised:
        quantiles(["50", value])
    assert raised.value.values == (value,)


@pytest.mark.parametrize(
    "options",
    [
        {"quantiles": [4, 3]},
        {"quantiles": [2, 4]},
        {"domain": [0, 0]},
        {"domain": [0, 0.5]},
        {"quantiles": [200]},
        {"domain": [0, 3], "quantiles": [4]},
    ],
)
def test_what_cannot_be_bands(options: dict[str, object]) -> None:
    with pytest.raises(HierarchyError) as raised:
        quantiles(["1"], **options)
    assert raised.value.code == "COBOGO-HIERARCHY-OPTIONS"


@pytest.mark.parametrize("options", [{"domain": [0, 50, 100]}, {"shares": [1, 2]}, {"shares": [-1]}])
def test_shares_belong_to_the_parts_of_the_domain(options: dict[str, object]) -> None:
    hierarchy = {"quantiles": [4], "domain": [0, 100], **options}
    with pytest.raises(PolicyError, match="hierarchy"):
        Policy.of({"attributes": {"x": {"role": "quasi-identifier", "hierarchy": hierarchy}}})


def test_the_day_of_an_age_may_be_a_date_of_toml() -> None:
    assert ages(["01/01/2000"], at=date(2024, 1, 1)).labels[1] == ("24",)  # type: ignore[arg-type]
