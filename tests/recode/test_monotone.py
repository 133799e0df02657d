"""What each model says of itself when classes merge, put to the test. The search prunes on the strength of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, ClassVar

import numpy as np
import pytest
from hypothesis import HealthCheck, find, given, settings
from hypothesis import strategies as st
from hypothesis.errors import NoSuchExample

from cobogo.models import MODELS, Classes, Histogram, KAnonymity, LDiversity, Model, Monotone, Needs

STRATEGIES: dict[str, st.SearchStrategy[Any]] = {
    "k-anonymity": st.builds(KAnonymity, k=st.integers(1, 8)),
    "l-diversity": st.builds(LDiversity, attribute=st.just("s"), l=st.integers(1, 5)),
}
"""How to draw each model's parameters, all its kinds among them. A new model needs an entry here."""

thorough = settings(deadline=None, max_examples=400, suppress_health_check=list(HealthCheck))


@dataclass(frozen=True)
class Climb:
    """A table on its way up: each record's sensitive value, and its class at each level of a nested hierarchy."""

    values: tuple[int, ...]
    levels: tuple[tuple[int, ...], ...]


@st.composite
def climbs(draw: st.DrawFn) -> Climb:
    records = draw(st.integers(1, 30))
    skewed = st.sampled_from([0, 0, 0, 1, 1, 2, 3, 4])
    values = tuple(draw(st.lists(skewed, min_size=records, max_size=records)))
    classes = draw(st.integers(1, 10))
    level = draw(st.lists(st.integers(0, classes - 1), min_size=records, max_size=records))
    levels = [tuple(level)]
    for _ in range(draw(st.integers(1, 3))):
        parents = draw(st.lists(st.integers(0, classes - 1), min_size=classes, max_size=classes))
        levels.append(tuple(parents[owner] for owner in levels[-1]))
    return Climb(values, tuple(levels))


def classes_of(climb: Climb, level: int) -> Classes:
    """The classes of one level, counted here."""
    groups: dict[int, list[int]] = {}
    for value, owner in zip(climb.values, climb.levels[level], strict=True):
        groups.setdefault(owner, []).append(value)
    counts = [Counter(group) for group in groups.values()]
    domain = sorted(set(climb.values))
    total = Counter(climb.values)
    histogram = Histogram(
        offsets=np.cumsum([0, *map(len, counts)]).astype(np.int64),
        values=np.array([domain.index(value) for count in counts for value in count], dtype=np.int32),
        counts=np.array([number for count in counts for number in count.values()], dtype=np.int64),
        total=np.array([total[value] for value in domain], dtype=np.int64),
    )
    return Classes(np.array([len(group) for group in groups.values()], dtype=np.int64), {"s": histogram})


def failing(models: Sequence[Model], classes: Classes) -> int:
    """How many records lie in classes that fail any of the models."""
    fails = np.zeros(len(classes), dtype=bool)
    for model in models:
        fails |= ~model.holds(model.measure(classes))
    return int(classes.sizes[fails].sum())


def never_grows(models: Sequence[Model], climb: Climb) -> bool:
    """The records in failing classes become no more on the way up."""
    lost = [failing(models, classes_of(climb, level)) for level in range(len(climb.levels))]
    return all(above <= below for below, above in pairwise(lost))


def stays_true(models: Sequence[Model], climb: Climb) -> bool:
    """What is true of every class stays true of every class."""
    true = [failing(models, classes_of(climb, level)) == 0 for level in range(len(climb.levels))]
    return all(above or not below for below, above in pairwise(true))


def test_every_model_is_put_to_the_test() -> None:
    assert set(STRATEGIES) == set(MODELS), "Add a strategy for the parameters of the new model."


@pytest.mark.parametrize("name", sorted(MODELS))
@thorough
@given(climb=climbs(), data=st.data())
def test_a_model_is_as_monotone_as_it_says(name: str, climb: Climb, data: st.DataObject) -> None:
    assert name in STRATEGIES, f"How are the parameters of {name} drawn?"
    model = data.draw(STRATEGIES[name])
    if model.monotone is Monotone.EVEN_WITH_SUPPRESSION:
        assert never_grows([model], climb)
    if model.monotone is not Monotone.NO:
        assert stays_true([model], climb)


@thorough
@given(climb=climbs(), models=st.lists(st.one_of(*STRATEGIES.values()), min_size=2, max_size=3))
def test_together_they_are_as_monotone_as_the_least_of_them(climb: Climb, models: list[Model]) -> None:
    flags = {model.monotone for model in models}
    if flags == {Monotone.EVEN_WITH_SUPPRESSION}:
        assert never_grows(models, climb)
    if Monotone.NO not in flags:
        assert stays_true(models, climb)


@dataclass(frozen=True)
class _NoneAboveHalf:
    """No value makes up more than half of a class."""

    name: ClassVar[str] = "none-above-half"
    needs: ClassVar[Needs] = Needs.DISTRIBUTION
    monotone: ClassVar[Monotone] = Monotone.WITHOUT_SUPPRESSION

    def measure(self, classes: Classes) -> Any:
        histogram = classes.histograms["s"]
        most = np.zeros(len(classes), dtype=np.int64)
        np.maximum.at(most, histogram.owners, histogram.counts)
        return most / classes.sizes

    def holds(self, measured: Any) -> Any:
        return measured <= 0.5

    def worst(self, measured: Any) -> float:
        return float(measured.max())


def test_the_test_can_tell_the_two_kinds_apart() -> None:
    """A large failing class drags a small passing one down with it: true everywhere stays true, but failures grow."""
    model = _NoneAboveHalf()
    quiet = settings(deadline=None, max_examples=5000, database=None, suppress_health_check=list(HealthCheck))
    assert find(climbs(), lambda climb: not never_grows([model], climb), settings=quiet)
    with pytest.raises(NoSuchExample):
        find(
            climbs(),
            lambda climb: not stays_true([model], climb),
            settings=settings(quiet, max_examples=300),
        )
