"""From a wish to a collection: what is written is what was wished for, and the comparison is the planner's."""

from __future__ import annotations

import tomllib

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cobogo.collect.collection import Collection
from cobogo.collect.pilot import pilot
from cobogo.collect.plan import WANTED, Wish, best, collection_file, compare, counting_protocols, curves, plan
from cobogo.errors import PolicyError
from cobogo.floor.randomness import Seeded
from support.effort import examples

VALUES = ("SUS", "charity", "plan", 'with "quotes"', "é")


@settings(max_examples=examples(15), deadline=None)
@given(kind=st.sampled_from(WANTED), epsilon=st.floats(0.1, 8), name=st.text("aé \"'\\#=", min_size=1, max_size=9))
def test_what_is_written_asks_what_was_wished_for_and_tells_no_more(kind, epsilon: float, name: str) -> None:
    wish = Wish(kind, name=name, epsilon=epsilon, values=VALUES, lifetime=3)
    for mechanism, protocol in wish.protocols().items():
        asked = Collection.of(tomllib.loads(collection_file(wish.description(mechanism))))
        assert asked.name == name
        assert asked.mechanism == mechanism
        assert asked.lifetime_values == 3
        assert asked.protocol.epsilon_forever <= epsilon * (1 + 1e-9)
        assert asked.protocol.epsilon_forever == pytest.approx(protocol.epsilon_forever)
        assert asked.protocol.layout.width == protocol.layout.width


def test_the_comparison_is_that_of_the_command() -> None:
    wish = Wish(values=VALUES, epsilon=1.5)
    found = {one.mechanism: one for one in compare(wish, 50_000, 0.03)}
    planned = plan(counting_protocols(len(VALUES), 1.5), 1.5, 0.03, users=50_000)
    for offer in planned.offers:
        if offer.mechanism in found:
            one = found[offer.mechanism]
            assert (one.needed, one.width, one.smallest) == (offer.users, offer.width, offer.share)
    assert best(list(found.values())) == planned.cheapest.mechanism  # type: ignore[union-attr]
    needed = dict(curves(wish)["grr"])
    assert all(needed[a] >= needed[b] for a, b in zip(sorted(needed), sorted(needed)[1:], strict=False))


@pytest.mark.parametrize("kind", ["listed", "strings", "number"])
def test_made_up_people_are_estimated_as_well_as_the_plan_says(kind) -> None:
    wish = Wish(kind, values=VALUES, epsilon=2.0, low=-5, high=5)
    goal = 0.2
    one = compare(wish, 4_000, goal)[0]
    asked = Collection.of(tomllib.loads(collection_file(wish.description(one.mechanism))))
    found = pilot(asked, 4_000, Seeded(7))
    assert found.found.users == 4_000
    for row in found.rows():
        assert row["estimate"] == pytest.approx(row["truth"], abs=5.5 * row["error"])
        assert row["error"] == pytest.approx(one.error, rel=0.6)
    assert np.isclose(sum(found.truth.values()), 1) or kind == "number"


@pytest.mark.parametrize(
    ("wish", "users", "goal"),
    [
        (Wish(values=("one",)), 10, 0.1),
        (Wish(values=("a", "a")), 10, 0.1),
        (Wish("number", low=3, high=3), 10, 0.1),
        (Wish(values=VALUES, epsilon=21), 10, 0.1),
        (Wish(values=VALUES), 0, 0.1),
        (Wish(values=VALUES), 10, 1.1),
    ],
    ids=["one value", "twice", "no room", "too much", "nobody", "more than all"],
)
def test_a_wish_that_cannot_be_is_refused_in_words(wish: Wish, users: int, goal: float) -> None:
    with pytest.raises(PolicyError):
        compare(wish, users, goal)
