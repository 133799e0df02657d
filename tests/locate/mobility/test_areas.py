"""Areas in levels, and journeys between them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from cobogo.errors import DataError, PolicyError
from cobogo.floor.randomness import Seeded
from cobogo.locate.mobility.areas import MOST_AREAS, AreaTree, Journeys, read_areas, read_journeys
from cobogo.locate.places.cells import Cells
from cobogo.studies.fortaleza import people
from cobogo.studies.fortaleza.people import bairro_areas


def places(number: int) -> Cells:
    return Cells(tuple(f"a{n}" for n in range(number)), np.linspace(-38.6, -38.4, number), np.full(number, -3.7))


def tree() -> AreaTree:
    return AreaTree.from_columns(places(5), {"zone": list("xxyyz"), "city": list("PPPPQ")})


def test_pairs_lie_in_the_pair_of_their_areas() -> None:
    found = tree()
    assert found.names[1:] == (("x", "y", "z"), ("P", "Q"))
    assert [parents.tolist() for parents in found.parents] == [[0, 0, 1, 1, 2], [0, 0, 1], [0, 0]]
    assert found.pair_parents[0][1 * 5 + 4] == 0 * 3 + 2  # a1 → a4 lies in x → z
    assert found.pair_parents[1][0 * 3 + 2] == 0 * 2 + 1
    assert found.pair_parents[2].tolist() == [0, 0, 0, 0]
    again = AreaTree.from_dict(found.as_dict())
    assert again.levels == found.levels
    assert all((one == other).all() for one, other in zip(again.pair_parents, found.pair_parents, strict=True))


def test_an_area_in_two_areas_and_too_many_areas_are_refused() -> None:
    with pytest.raises(DataError, match="lies in two areas of the level 'city'"):
        AreaTree.from_columns(places(3), {"zone": list("xxy"), "city": list("PQQ")})
    with pytest.raises(DataError, match="Give coarser areas"):
        AreaTree.from_columns(places(MOST_AREAS + 1))


def test_counts_of_every_level_are_plain_counts() -> None:
    rng = np.random.default_rng(1)
    made = Journeys(np.arange(400), rng.integers(0, 5, 400), rng.integers(0, 5, 400), tree())
    for level, (names, counts) in enumerate(zip(made.tree.names, made.counts(), strict=True)):
        up = np.arange(5)
        for parent in made.tree.parents[:level]:
            up = parent[up]
        plain = pd.crosstab(up[made.origin], up[made.destination])
        assert (counts.reshape(len(names), -1) == plain.reindex(range(len(names)), axis=0).to_numpy()).all()


def test_at_most_so_many_journeys_of_a_person_count() -> None:
    made = Journeys(np.repeat([0, 1, 2], [7, 2, 1]), np.arange(10) % 5, np.zeros(10, dtype=np.int64), tree())
    assert np.bincount(made.bound(3, Seeded(1)).person).tolist() == [3, 2, 1]


def test_trips_go_from_the_area_of_their_first_point_to_that_of_their_last() -> None:
    lon = [-38.6] * 4 + [-38.56, -38.45] + [-38.4] * 4
    frame = pd.DataFrame({"user": "ana", "time": np.arange(10) * 600, "lon": lon, "lat": -3.7})
    made = read_journeys(frame, tree())
    assert made.to_arrow().to_pylist() == [{"person": 0, "origin": "a0", "destination": "a4"}]


def test_files_are_read_and_what_is_wrong_is_told_without_values(tmp_path: Path) -> None:
    areas = pd.DataFrame({"bairro": ["a", "b"], "lon": [-38.5, -38.4], "lat": [-3.7, -3.7], "zona": ["n", "s"]})
    areas.to_csv(tmp_path / "areas.csv", index=False)
    found = read_areas(tmp_path / "areas.csv", ["zona"])
    assert (found.levels, found.places.names) == (("area", "zona"), ("a", "b"))
    with pytest.raises(DataError, match="levels"):
        read_areas(tmp_path / "areas.csv", ["region"])
    table = pd.DataFrame({"person": [1, 1, 2], "origem": ["a", "secret", "b"], "destino": ["b", "a", "b"]})
    with pytest.raises(DataError, match=r"1 of 3 journeys .*row 2") as caught:
        read_journeys(table, found)
    assert "secret" not in str(caught.value)
    assert len(read_journeys(table, found, leave_out=True)) == 2
    with pytest.raises(DataError, match="column of destinations"):
        read_journeys(table.drop(columns="destino"), found)
    with pytest.raises(DataError, match="missing"):
        read_journeys(table.assign(person=[1, None, 2]), found)


def test_the_invented_city_commutes() -> None:
    crowd = people(300, days=1)
    made = crowd.commutes()
    assert made.tree.levels == ("area", "zone")
    assert 15 <= len(made.tree.names[1]) <= 40
    assert 200 < len(made) <= 300
    assert len(bairro_areas().places) == len(made.tree.places)


def test_levels_have_names_of_their_own_and_every_area_lies_in_one_of_each() -> None:
    table = pd.DataFrame({"name": ["a", "b"], "zone": ["x", "y"], "lon": [-38.5, -38.4], "lat": [-3.7, -3.8]})
    assert read_areas(table, ["zone"]).names == (("a", "b"), ("x", "y"))  # a level is not taken for the finest areas
    for twice in (["zone", "zone"], ["area"]):
        with pytest.raises(PolicyError, match="two levels have the same name"):
            read_areas(table.assign(area=["a", "b"]), twice)
    for blank in (None, " "):
        with pytest.raises(DataError, match="row 2, column zone: the value is missing"):
            read_areas(table.assign(zone=["x", blank]), ["zone"])
