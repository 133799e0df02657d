"""How far off means, variances and quantiles are said to be, and are."""

from __future__ import annotations

import math
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cobogo.answer import Curator
from cobogo.answer.noise import NoisePlan, choose_noise
from cobogo.answer.plan import plan
from cobogo.answer.query import CuratorQuery, QueryAggregate
from cobogo.answer.result import CONFIDENCE, compute_column
from cobogo.answer.session import AnalystSession
from cobogo.promises.accounting import PrivacyLoss
from cobogo.promises.curator_file import DeclaredDataset
from support.effort import examples
from support.people import COLUMNS, PEOPLE, people

pytestmark = pytest.mark.slow

BOUNDS = (-30, 90)
DATASET = DeclaredDataset.model_validate(
    {"columns": {"x": {"type": "integer", "bounds": list(BOUNDS)}}, "budget": {"epsilon": 1}}
)
NUMBER = st.integers(-(10**6), 10**6)


def chosen(kind: str) -> tuple[QueryAggregate, NoisePlan]:
    aggregate = QueryAggregate(kind, "x", "v")  # type: ignore[arg-type]
    return aggregate, choose_noise(plan(CuratorQuery("d", (aggregate,)), DATASET), PrivacyLoss("epsilon", Fraction(1)))


@pytest.mark.parametrize("kind", ["mean", "variance", "deviation"])
@settings(max_examples=examples(60), deadline=None)
@given(total=NUMBER, squares=NUMBER, count=st.integers(-100, 3000), share=st.tuples(*[st.floats(-1, 1)] * 3))
def test_an_interval_holds_the_figure_and_what_is_as_near_as_the_noise(
    kind: str, total: int, squares: int, count: int, share: tuple[float, float, float]
) -> None:
    aggregate, noise = chosen(kind)
    parts = tuple(noise.additive)
    noisy = dict(zip(parts, (total, squares, count) if len(parts) == 3 else (total, count), strict=True))
    (value,), (interval,) = compute_column(aggregate, DATASET, {part: [noisy[part]] for part in parts}, noise)
    assert interval is not None
    low, high = interval
    least, largest = {"mean": BOUNDS, "variance": (0, 3600), "deviation": (0, 60)}[kind]
    assert least <= low <= value + 1e-9 <= high + 2e-9 <= largest + 3e-9
    doubt = 1 - (1 - CONFIDENCE) / len(parts)
    exact = [noisy[p] + round(f * noise.additive[p].error(doubt)) for p, f in zip(parts, share, strict=False)]
    n = max(1, exact[-1])
    mean = exact[0] / n
    spread = max(0, exact[1]) / n - mean**2
    found = {"mean": 30 + mean, "variance": spread, "deviation": math.sqrt(max(0, spread))}[kind]
    assert low - 1e-6 <= min(largest, max(least, found)) <= high + 1e-6


@pytest.fixture
def ana(tmp_path: Path) -> AnalystSession:
    curator = Curator(ledger=tmp_path / "ledger.db")
    curator.register("people", people(), unit="person", max_groups=2, columns=COLUMNS, budget={"epsilon": 1000})
    curator.grant("people", "ana", epsilon=1000)
    return curator.session("ana")


@pytest.mark.parametrize("where", ["", "WHERE age < 3", "WHERE age = 50"])
def test_intervals_of_a_variance_hold_at_least_as_often_as_they_say(ana: AnalystSession, where: str) -> None:
    true = {"": 833.25, "WHERE age < 3": 2 / 3, "WHERE age = 50": 0}[where]
    asked = f"SELECT VARIANCE(age) AS v, STDDEV(age) AS d FROM people {where}"
    missed = 0
    for _ in range(25):
        answer = ana.sql(asked, epsilon=1)
        for name, exact in (("v", true), ("d", math.sqrt(true))):
            low, high = answer.intervals[name][0] or (1, 0)
            value = answer.to_dicts()[0][name]
            assert 0 <= low <= value + 1e-9 <= high + 2e-9 <= (2500 if name == "v" else 50) + 3e-9
            missed += not low - 1e-9 <= exact <= high + 1e-9
    assert missed <= 18  # two intervals of 25 answers; more would be a chance of 2e-7 at 95 %


def test_an_interval_of_a_variance_is_hardly_wider_than_its_noise(ana: AnalystSession) -> None:
    answer = ana.sql("SELECT VARIANCE(age) AS v FROM people", epsilon=20)
    ((low, high),) = answer.intervals["v"]  # type: ignore[misc]
    noise = max(noise.error() for noise in answer.noises.additive.values())  # that of the squares
    assert 2 * noise / PEOPLE < high - low < 5 * noise / PEOPLE
    assert answer.value == pytest.approx(833.25, abs=5)


def test_how_far_a_quantile_is_off_is_told_in_rows(ana: AnalystSession) -> None:
    (step,) = ana.estimate("SELECT MEDIAN(age) FROM people", epsilon=1).steps
    assert step.error == pytest.approx(2 / 2 * math.log(101 / 0.05))  # scale 2·1 in halves of rows, 101 candidates
    ages = [p % 100 for p in range(PEOPLE)]

    def off(value: float) -> float:
        return abs(sum(age < value for age in ages) - sum(age > value for age in ages)) / 2

    best = min(map(off, range(101)))
    for _ in range(10):
        found = ana.sql("SELECT MEDIAN(age) FROM people", epsilon=1).value
        assert off(found) <= best + 3 * step.error  # farther once in ten million runs


def test_a_notebook_shows_the_noisy_rows_with_their_intervals(ana: AnalystSession) -> None:
    found = ana.sql("SELECT COUNT(*) AS n FROM people", epsilon=1)
    page, (low, high) = found._repr_html_(), found.intervals["n"][0]  # type: ignore[misc]
    assert f"{found.value} ({low:,.6g} … {high:,.6g})" in page
    assert found.columns[0] in page
