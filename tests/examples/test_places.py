"""The municipalities of Ceará and the bairros of Fortaleza."""

import pytest

from cobogo.examples import places


def test_the_capital_has_121_bairros_and_the_state_184_municipalities() -> None:
    assert len(places.BAIRROS) == 121
    assert len(places.municipalities()) == len(set(places.municipalities())) == 184
    assert {locality.split("/")[1] for locality in places.localities()} == set(places.municipalities())


def test_every_locality_has_three_parts_and_people_in_it() -> None:
    for locality, residents in places.localities().items():
        bairro, city, state = locality.split("/")
        assert (bairro, city) == (bairro.strip(), city.strip())
        assert bairro
        assert state == "CE"
        assert residents > 0


def test_no_bairro_is_listed_twice() -> None:
    for city, (population, rural, bairros) in places.OTHERS.items():
        assert "Centro" in bairros, city
        assert len(set(bairros)) == len(bairros), city
        assert 4_000 < population < 400_000, city
        assert 0 <= rural <= 60, city


def test_the_places_are_about_as_many_people_as_the_census_counted() -> None:
    assert sum(bairro.residents for bairro in places.BAIRROS.values()) == pytest.approx(2_430_000, rel=0.02)
    assert sum(places.localities().values()) == pytest.approx(8_790_000, rel=0.01)


def test_every_unusual_place_is_a_place() -> None:
    known = {*places.OTHERS, *(f"{bairro}/Fortaleza" for bairro in places.BAIRROS)}
    assert all(place in known for _, place in places.RACE_SHARES if place)
    assert all(min(places.race_shares(one)) > 0 for one in places.localities())
