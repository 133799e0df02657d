"""Mix zones: who gets a new name, who keeps the old one, and what an observer can still tell."""

from __future__ import annotations

from itertools import permutations
from math import log2

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from cobogo.location import mixing
from cobogo.location.mixing import best, mix, walking
from cobogo.location.mixzones import MixZone, MixZones
from cobogo.location.points import Points
from cobogo.randomness import Entropy, Seeded

WEST, HERE, EAST = (-38.51, -3.7), (-38.5, -3.7), (-38.49, -3.7)
ZONE = MixZone("square", *HERE, radius=200, least=3)


def names(zones: MixZones, people: str, where: tuple[float, float], time: float) -> list[str | None]:
    heard = [zones.move(who, *where, time) for who in people]
    return [None if one is None else one.pseudonym for one in heard]


def test_enough_people_come_out_under_names_that_nobody_had() -> None:
    zones = MixZones([ZONE])
    before = names(zones, "abc", WEST, 0)
    assert names(zones, "abc", WEST, 1) == before
    assert names(zones, "abc", HERE, 2) == [None] * 3
    assert zones.inside("square") == 3
    after = names(zones, "abc", EAST, 3)
    assert len({*before, *after}) == 6
    assert zones.inside("square") == 0


def test_a_name_is_never_given_again() -> None:
    zones = MixZones([MixZone("square", *HERE, radius=200, least=2)])
    seen: list[str] = []
    for turn in range(30):
        seen += [name for name in names(zones, "ab", WEST, 2 * turn) if name]
        names(zones, "ab", HERE, 2 * turn + 1)
    assert len(set(seen)) == len(seen) == 60


def test_too_few_keep_their_names_or_fall_silent() -> None:
    kept = MixZones([ZONE])
    before = names(kept, "ab", WEST, 0)
    names(kept, "ab", HERE, 1)
    assert names(kept, "ab", EAST, 2) == before
    silent = MixZones([MixZone("square", *HERE, radius=200, least=3, otherwise="silent")])
    first = names(silent, "ab", WEST, 0)
    names(silent, "ab", HERE, 1)
    assert names(silent, "ab", EAST, 2) == [None, None]
    names(silent, "abc", HERE, 3)
    again = names(silent, "abc", EAST, 4)
    assert None not in again
    assert not {*first} & {*again}


def test_those_who_left_under_their_old_names_are_no_company() -> None:
    zones = MixZones([ZONE])
    before = names(zones, "abc", WEST, 0)
    names(zones, "ab", HERE, 1)
    assert names(zones, "a", EAST, 2) == before[:1]  # met only b
    names(zones, "c", HERE, 3)
    assert names(zones, "b", EAST, 4) == before[1:2]  # met a, who is still a, and c
    assert names(zones, "c", EAST, 5) == before[2:]


def test_one_person_who_comes_back_is_one_person() -> None:
    zones = MixZones([MixZone("square", *HERE, radius=200, least=3, otherwise="keep")])
    before = names(zones, "a", WEST, 0)
    names(zones, "a", HERE, 0)
    for turn in range(3):
        names(zones, "b", HERE, turn)
        names(zones, "b", WEST, turn + 0.5)
    assert names(zones, "a", EAST, 9) == before


def test_from_zone_to_zone() -> None:
    zones = MixZones([ZONE, MixZone("market", *EAST, radius=200, least=3)])
    names(zones, "abc", HERE, 0)
    assert names(zones, "abc", EAST, 1) == [None] * 3
    assert zones.inside("market") == 3
    assert None not in names(zones, "abc", WEST, 2)
    with pytest.raises(ValueError, match="apart from 'square'"):
        zones.add(MixZone("near", -38.5001, -3.7, radius=50))
    assert zones.settled("square", 1e9) == 3
    zones.forget("a")


@settings(max_examples=40, deadline=None)
@given(st.integers(1, 6).flatmap(lambda n: arrays.arrays(float, (n, n), elements=st.floats(0.01, 1))))
def test_shares_and_entropy_are_those_of_all_mappings(weights: np.ndarray) -> None:
    n = len(weights)
    ways = list(permutations(range(n)))
    chances = np.array([np.prod([weights[i, way[i]] for i in range(n)]) for way in ways])
    chances /= chances.sum()
    share = np.zeros((n, n))
    for way, chance in zip(ways, chances, strict=True):
        share[np.arange(n), way] += chance
    found = mix(weights, Seeded(1))
    assert found.exact
    assert found.share == pytest.approx(share)
    assert found.entropy == pytest.approx(-(chances * np.log2(chances)).sum(), abs=1e-9)
    assert found.surest == pytest.approx(share.max())
    assert tuple(best(weights)) in {
        way for way, p in zip(ways, chances, strict=True) if p >= chances.max() * (1 - 1e-9)
    }


def test_a_perfect_mix_has_all_its_bits_and_a_certain_one_none() -> None:
    even = mix(np.ones((10, 10)), Seeded(1))
    assert even.entropy == pytest.approx(even.most) == pytest.approx(log2(3628800))
    assert even.each == pytest.approx(np.full(10, log2(10)))
    certain = mix(np.eye(4), Seeded(1))
    assert (certain.entropy, certain.surest) == (0.0, 1.0)


def test_drawn_mappings_have_the_shares_of_counted_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    weights = np.random.default_rng(2).uniform(0.05, 1, (8, 8))
    counted = mix(weights, Seeded(1))
    monkeypatch.setattr(mixing, "EXACT", 7)
    drawn = mix(weights, Seeded(5))
    assert not drawn.exact
    assert drawn.share.sum(axis=0) == pytest.approx(np.ones(8))
    assert drawn.share == pytest.approx(counted.share, abs=0.05)
    assert drawn.entropy >= counted.entropy - 0.5
    big = mix(np.ones((40, 40)), Entropy())
    assert big.share.max() < 0.2


def test_who_runs_is_found_and_who_walks_alike_is_not() -> None:
    times = Points.of([WEST[0]] * 3, [WEST[1]] * 3, time=[0, 0, 0])
    alike = Points.of([EAST[0]] * 3, [EAST[1]] * 3, time=[1500, 1500, 1500])
    assert mix(walking(times, alike), Seeded(1)).entropy == pytest.approx(log2(6))
    entries = Points.of([WEST[0]] * 2, [WEST[1]] * 2, time=[0, 1400])
    exits = Points.of([EAST[0]] * 2, [EAST[1]] * 2, time=[1500, 2900])
    assert mix(walking(entries, exits), Seeded(1)).surest > 0.95
    assert walking(exits, entries).max() == 0


def test_a_zone_tells_how_well_it_mixed() -> None:
    zones = MixZones([ZONE])
    assert zones.mixed("square", Seeded(1)).entropy == 0
    for step, who in enumerate("abc"):
        zones.move(who, HERE[0] - 0.001, HERE[1], step)
    for step, who in enumerate("cab"):
        zones.move(who, EAST[0], EAST[1], 800 + step)
    found = zones.mixed("square", Seeded(1))
    assert found.share.shape == (3, 3)
    assert 2.5 < found.entropy <= log2(6)


@pytest.mark.parametrize(
    "wrong", [{"radius": 0}, {"least": 1}, {"otherwise": "hide"}, {"lat": 91}, {"lon": 181}], ids=str
)
def test_options_of_a_zone_are_named(wrong: dict[str, float]) -> None:
    right = {"name": "z", "lon": 0.0, "lat": 0.0, "radius": 10}
    with pytest.raises(ValueError, match=next(iter(wrong))):
        MixZone(**{**right, **wrong})  # type: ignore[arg-type]


def test_weights_that_allow_nothing_are_refused() -> None:
    for weights in (np.array([[1.0, 0.0], [1.0, 0.0]]), np.zeros((2, 2)), np.ones((2, 3)), -np.ones((2, 2))):
        with pytest.raises(ValueError, match="'weights'"):
            mix(weights, Seeded(1))
