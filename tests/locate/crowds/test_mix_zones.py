"""Mix zones: who gets a new name, who keeps the old one, and what an observer can still tell."""

from __future__ import annotations

import json
from itertools import permutations
from math import log2
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from cobogo.errors import DataError
from cobogo.floor.randomness import Entropy, Seeded
from cobogo.locate.crowds import mix_quality as mixing
from cobogo.locate.crowds.mix_quality import likeliest_exits, measure_mix, walking_weights
from cobogo.locate.crowds.mix_zones import MixZone, MixZones
from cobogo.locate.places.geometry import Frame
from cobogo.locate.places.points import Points
from support.effort import examples

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
    with pytest.raises(ValueError, match="has the name of 'square', or overlaps it"):
        zones.add(MixZone("near", -38.5001, -3.7, radius=50))


@settings(max_examples=examples(40), deadline=None)
@given(st.integers(1, 6).flatmap(lambda n: arrays.arrays(float, (n, n), elements=st.floats(0.01, 1))))
def test_shares_and_entropy_are_those_of_all_mappings(weights: np.ndarray) -> None:
    n = len(weights)
    ways = list(permutations(range(n)))
    chances = np.array([np.prod([weights[i, way[i]] for i in range(n)]) for way in ways])
    chances /= chances.sum()
    share = np.zeros((n, n))
    for way, chance in zip(ways, chances, strict=True):
        share[np.arange(n), way] += chance
    found = measure_mix(weights, Seeded(1))
    assert found.exact
    assert found.share == pytest.approx(share)
    assert found.entropy == pytest.approx(-(chances * np.log2(chances)).sum(), abs=1e-9)
    assert found.surest == pytest.approx(share.max())
    assert tuple(likeliest_exits(weights)) in {
        way for way, p in zip(ways, chances, strict=True) if p >= chances.max() * (1 - 1e-9)
    }


def test_a_perfect_mix_has_all_its_bits_and_a_certain_one_none() -> None:
    even = measure_mix(np.ones((10, 10)), Seeded(1))
    assert even.entropy == pytest.approx(even.most) == pytest.approx(log2(3628800))
    assert even.entry_bits == pytest.approx(np.full(10, log2(10)))
    certain = measure_mix(np.eye(4), Seeded(1))
    assert (certain.entropy, certain.surest) == (0.0, 1.0)


def test_drawn_mappings_have_the_shares_of_counted_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    weights = np.random.default_rng(2).uniform(0.05, 1, (8, 8))
    counted = measure_mix(weights, Seeded(1))
    monkeypatch.setattr(mixing, "EXACT", 7)
    drawn = measure_mix(weights, Seeded(5))
    assert not drawn.exact
    assert drawn.share.sum(axis=0) == pytest.approx(np.ones(8))
    assert drawn.share == pytest.approx(counted.share, abs=0.05)
    assert counted.entropy - 4 <= drawn.entropy <= counted.entropy
    big = measure_mix(np.ones((40, 40)), Entropy())
    assert big.share.max() < 0.2
    assert big.most - 4 <= big.entropy <= big.most


@pytest.mark.parametrize("links", [0.0, 1e-30, 1e-6])
def test_the_bits_of_many_people_are_those_of_who_may_be_exchanged(links: float) -> None:
    """Sixteen who went through in pairs: a bit for each pair."""
    pairs = measure_mix(np.kron(np.eye(8), np.ones((2, 2))) + links, Seeded(1))
    assert pairs.entropy == pytest.approx(8, abs=1e-3)
    assert pairs.exact == (links < 1e-12)


@pytest.mark.parametrize("sharpness", [0.5, 2.0, 8.0])
def test_where_not_all_mappings_are_counted_the_bits_are_no_more_than_there_are(
    sharpness: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng(3)
    for exits in (9, 12):
        weights = np.exp(-sharpness * rng.exponential(size=(12, exits)))
        counted = measure_mix(weights, Seeded(1))
        with monkeypatch.context() as few:
            few.setattr(mixing, "EXACT", 5)
            bounded = measure_mix(weights, Seeded(2))
        assert counted.exact
        assert not bounded.exact
        assert bounded.entropy <= counted.entropy


def test_those_inside_may_be_the_one_who_came_out() -> None:
    found = measure_mix(np.array([[1.0], [1.0], [1e-9]]), Seeded(1))
    assert found.entropy == pytest.approx(1, abs=1e-6)
    assert found.most == log2(3)
    assert found.exit_bits == pytest.approx([1], abs=1e-6)
    assert found.entry_bits[:2] == pytest.approx([1, 1], abs=1e-6)
    assert found.surest == pytest.approx(0.5)


def test_a_new_name_is_for_those_whom_an_observer_cannot_tell() -> None:
    """Two sit in the square for hours. Who walks through alone is known by their pace, however many are met."""
    zones = MixZones([ZONE])
    names(zones, "xy", HERE, 0)
    for turn in range(5):
        start, who = 7200 + 600 * turn, chr(ord("a") + turn)
        before = names(zones, who, WEST, start)
        names(zones, who, (HERE[0] - 0.0015, HERE[1]), start + 100)
        assert names(zones, who, (HERE[0] + 0.0019, HERE[1]), start + 360) == before
    assert zones.measure_mix("square", Seeded(1)).entropy == 0
    crowd = "klmno"
    first = names(zones, crowd, WEST, 20_000)
    for step, who in enumerate(crowd):
        names(zones, who, (HERE[0] - 0.0015, HERE[1]), 20_100 + 5 * step)
    second = [names(zones, who, (HERE[0] + 0.0019, HERE[1]), 20_360 + 5 * step)[0] for step, who in enumerate(crowd)]
    assert not {*first} & {*second}
    assert zones.measure_mix("square", Seeded(1)).entropy > 5


@pytest.mark.parametrize("otherwise", ["keep", "silent"])
def test_who_leaves_after_one_with_a_new_name_does_not_give_them_away(otherwise: str) -> None:
    """Two go in at once. One comes out as either might. The other comes out where only they can have got to: under the
    old name, everybody would know who the first was."""
    zones = MixZones([MixZone("park", *HERE, radius=700, least=2, otherwise=otherwise)])  # type: ignore[arg-type]
    frame = Frame(*HERE)
    west, east, out, far = (frame.degrees(east, north) for east, north in ((-690, 0), (400, 0), (-150, 900), (800, 0)))
    before = names(zones, "ab", frame.degrees(0, -5000), 0)
    names(zones, "a", west, 4000)
    names(zones, "b", east, 4000)
    assert names(zones, "a", out, 4700)[0] not in {None, *before}
    after = names(zones, "b", far, 4760)[0]
    assert after not in before
    assert (after is None) == (otherwise == "silent")
    assert zones.measure_mix("park", Seeded(1)).entropy > 0


def test_a_position_that_comes_late_moves_nobody_out_of_a_zone() -> None:
    zones = MixZones([MixZone("square", *HERE, radius=200, least=2)])
    names(zones, "ab", WEST, 0)
    names(zones, "ab", HERE, 100)
    assert names(zones, "a", WEST, 70) == [None]
    assert zones.is_silent("a")
    assert zones.inside("square") == 2
    assert None not in names(zones, "ab", EAST, 900)


def test_zones_and_silence_outlive_a_restart(tmp_path: Path) -> None:
    file = tmp_path / "mixzones.json"
    zones = MixZones([MixZone("square", *HERE, radius=200, otherwise="silent")], file=file)
    zones.add(MixZone("market", *EAST, radius=200, least=2))
    for who, places in (("a", (HERE, WEST)), ("b", (HERE,)), ("c", (WEST,))):
        for step, place in enumerate(places):
            names(zones, who, place, step)
    again = MixZones(file=file)
    assert again.zones == zones.zones
    assert [again.is_silent(who) for who in "abc"] == [True, True, False]  # came out of it, was in it, was in none
    names(again, "ab", EAST, 10)
    assert None not in names(again, "ab", WEST, 900)
    again.remove("square")
    assert MixZones(file=file).zones == zones.zones[1:]
    assert json.loads(file.read_text())["silent"] == []
    assert file.stat().st_mode & 0o077 == 0
    file.write_text("{}")
    with pytest.raises(DataError, match="not a file of mix zones"):
        MixZones(file=file)


def test_nothing_of_a_visit_is_kept_beyond_its_time_or_when_its_owner_leaves() -> None:
    zones = MixZones([ZONE, MixZone("market", *EAST, radius=200, otherwise="silent")])
    names(zones, "abc", HERE, 0)
    names(zones, "abc", WEST, 500)
    names(zones, "d", EAST, 1000)
    assert len(zones.crossings("square")[0]) == 3
    zones.forget("a")
    assert len(zones.crossings("square")[0]) == 2
    zones.expire(501)
    assert len(zones.crossings("square")[0]) == 0
    assert zones.inside("market") == 1
    zones.expire(2000)
    assert zones.inside("market") == 0
    assert zones.is_silent("d")  # where nobody knows when they came out, nobody mixed them
    zones.forget("d")
    assert not zones.is_silent("d")


def test_who_runs_is_found_and_who_walks_alike_is_not() -> None:
    times = Points.from_columns([WEST[0]] * 3, [WEST[1]] * 3, time=[0, 0, 0])
    alike = Points.from_columns([EAST[0]] * 3, [EAST[1]] * 3, time=[1500, 1500, 1500])
    assert measure_mix(walking_weights(times, alike), Seeded(1)).entropy == pytest.approx(log2(6))
    entries = Points.from_columns([WEST[0]] * 2, [WEST[1]] * 2, time=[0, 1400])
    exits = Points.from_columns([EAST[0]] * 2, [EAST[1]] * 2, time=[1500, 2900])
    assert measure_mix(walking_weights(entries, exits), Seeded(1)).surest > 0.95
    assert walking_weights(exits, entries).max() == 0


def test_a_zone_tells_how_well_it_mixed() -> None:
    zones = MixZones([ZONE])
    assert zones.measure_mix("square", Seeded(1)).entropy == 0
    for step, who in enumerate("abc"):
        zones.move(who, HERE[0] - 0.001, HERE[1], step)
    for step, who in enumerate("cab"):
        zones.move(who, EAST[0], EAST[1], 800 + step)
    found = zones.measure_mix("square", Seeded(1))
    assert found.share.shape == (3, 3)
    assert 2.5 < found.entropy <= log2(6)


@pytest.mark.parametrize(
    "wrong", [{"bits": 0}, {"radius": 0}, {"least": 1}, {"otherwise": "hide"}, {"lat": 91}, {"lon": 181}], ids=str
)
def test_options_of_a_zone_are_named(wrong: dict[str, float]) -> None:
    right = {"name": "z", "lon": 0.0, "lat": 0.0, "radius": 10}
    with pytest.raises(ValueError, match=next(iter(wrong))):
        MixZone(**{**right, **wrong})  # type: ignore[arg-type]


def test_weights_that_allow_nothing_are_refused() -> None:
    for weights in (
        np.array([[1.0, 0.0], [1.0, 0.0]]),
        np.kron(np.eye(8), [[1.0, 0.0], [1.0, 0.0]]),
        np.zeros((2, 2)),
        np.ones((2, 3)),
        -np.ones((2, 2)),
    ):
        with pytest.raises(ValueError, match="'weights'"):
            measure_mix(weights, Seeded(1))
