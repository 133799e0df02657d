"""Where the people of Ceará live: the bairros of its capital, its 184 municipalities, and how race varies by place.

Counts are residents, after the census of 2022, rounded and in part recalled rather than looked up: good for weights,
not for citing. Outside the capital a municipality has its population, the percentage of it that is simply
"Zona Rural", and the names of its main bairros and districts, the larger ones first.

The centres of the capital's bairros are recalled rather than surveyed, and off by about 490 m (median); with borders
halfway between them, 51 % of random places are in the right bairro. The outline is drawn by hand. Good for examples
and pictures, not for citing and not for navigation.
"""

from __future__ import annotations

from typing import NamedTuple

from cobogo.examples import read_table


class Bairro(NamedTuple):
    """A bairro of Fortaleza: residents, the middle of it, and how much work draws people to it.

    Work is in the centre and the east, the sub-centres, the port and the old industries.
    """

    residents: int
    lon: float
    lat: float
    jobs: int


class Municipality(NamedTuple):
    """A municipality: residents, the percentage of them in the countryside, bairros and districts by size."""

    residents: int
    rural: int
    districts: tuple[str, ...]


class Site(NamedTuple):
    """A point of interest in Fortaleza."""

    kind: str
    name: str
    lon: float
    lat: float


BAIRROS = {
    row["bairro"]: Bairro(int(row["residents"]), float(row["lon"]), float(row["lat"]), int(row["jobs"]))
    for row in read_table("bairros")
}
"""The bairros of the capital."""

OTHERS = {
    row["municipality"]: Municipality(int(row["residents"]), int(row["rural"]), tuple(row["districts"].split(";")))
    for row in read_table("municipalities")
}
"""The municipalities besides the capital."""

_OUTLINE = [(row["part"], float(row["lon"]), float(row["lat"])) for row in read_table("outline")]

COAST = tuple((lon, lat) for part, lon, lat in _OUTLINE if part == "coast")
"""Where the sea begins, from the mouth of the Ceará in the west to that of the Pacoti in the east."""

OUTLINE = tuple((lon, lat) for _, lon, lat in _OUTLINE)
"""Fortaleza: its coast, then its limits inland, as a closed ring whose first point is not repeated."""

SITES = tuple(Site(row["kind"], row["name"], float(row["lon"]), float(row["lat"])) for row in read_table("sites"))
"""Universities, clinics, shops, beaches, parks and the like of Fortaleza."""

RACES = ("PARDA", "BRANCA", "PRETA", "AMARELA", "INDÍGENA")

RACE_SHARES = {(row["race"], row["place"]): int(row["per_thousand"]) for row in read_table("races")}
"""Of a thousand people, how many are of a race (the rest is PARDA) in a municipality or a bairro of the capital; at the
place "" as usual. Unusual are the lands of the Tapeba, Tremembé, Pitaguary, Potyguara, Tabajara, Kanindé and others
(INDÍGENA), where many quilombola communities are (PRETA), the capital's well-off bairros and the valley of the
Jaguaribe (BRANCA)."""


def municipalities() -> list[str]:
    """The names of all municipalities, in alphabetical order but for accents.

    >>> len(municipalities())
    184
    """
    return sorted([*OTHERS, "Fortaleza"])


def localities() -> dict[str, int]:
    """Every locality as bairro/city/state, with its residents.

    Outside the capital the bairros' sizes are not given; they fall off with their rank as 1/2, 1/3, 1/4, …

    >>> residents = localities()
    >>> residents["Aldeota/Fortaleza/CE"], residents["Zona Rural/Abaiara/CE"], residents["Centro/Abaiara/CE"]
    (40000, 5000, 3000)
    """
    residents = {f"{name}/Fortaleza/CE": bairro.residents for name, bairro in BAIRROS.items()}
    for city, (population, rural, districts) in OTHERS.items():
        shares = [10_000 // (rank + 2) for rank in range(len(districts))]  # integers: the same on every machine
        urban = population * (100 - rural) // 100
        for district, share in zip(districts, shares, strict=True):
            residents[f"{district}/{city}/CE"] = urban * share // sum(shares)
        if rural:
            residents[f"Zona Rural/{city}/CE"] = population - urban
    return residents


def race_shares(locality: str) -> list[int]:
    """How many of a thousand people of a locality are of each of `RACES`.

    >>> dict(zip(RACES, race_shares("Almofala/Itarema/CE")))
    {'PARDA': 577, 'BRANCA': 230, 'PRETA': 58, 'AMARELA': 30, 'INDÍGENA': 105}
    """
    place = locality.removesuffix("/CE")
    city = place.rpartition("/")[2]
    shares = [
        next(RACE_SHARES[race, where] for where in (place, city, "") if (race, where) in RACE_SHARES)
        for race in RACES[1:]
    ]
    return [1000 - sum(shares), *shares]
