"""Names of people, cities and streets: what made-up people are called and what masking puts in a value's place.

Given names and surnames are those that people in Ceará bear; their frequencies are impressions, not counts.
``given_names.csv`` says how common a name was among births around five years: 0 is never, and 6 is eight times as
common as 3 (digits are cubed). ``surnames.csv`` has a weight for each surname; a small word before it (da, de, dos, …)
is borne by some and not by others. ``substitutes.csv`` lists cities and streets of Brazil, and names, cities and
streets in English.
"""

from __future__ import annotations

from functools import cache

from cobogo.examples import read_table

DECADES = (1930, 1940, 1950, 1960, 1970, 1980, 1990, 2000, 2010)
"""Decades of birth; the first holds all earlier years too, the last all later ones."""

PARTICLES = ("da", "das", "de", "do", "dos")

BRAZIL, GENERIC = "br", "generic"


def given_names() -> dict[str, list[int]]:
    """Given names, each with its weights among women of every one of `DECADES`, then among men.

    >>> given_names()["Francisca"]
    [1024, 855, 686, 559, 432, 243, 54, 27, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]
    """
    never = [0] * len(DECADES)
    weights = {}
    for row in read_table("given_names"):
        by_decade = _decade_weights([int(row[str(year)]) ** 3 for year in DECADES[::2]])
        weights[row["name"]] = by_decade + never if row["sex"] == "F" else never + by_decade
    return weights


def _decade_weights(known: list[int]) -> list[int]:
    # A decade between two known ones has the mean of both; everything is doubled to stay in integers.
    return [known[i // 2] + known[(i + 1) // 2] for i in range(len(DECADES))]


def surnames() -> list[tuple[str, str, int]]:
    """Surnames as they are borne, the same without a particle, and the weight: three in ten bear theirs with it.

    >>> surnames()[:2]
    [('Silva', 'Silva', 6300), ('da Silva', 'Silva', 2700)]
    """
    borne = []
    for row in read_table("surnames"):
        listed, weight = row["surname"], int(row["weight"])
        particle, _, bare = listed.partition(" ")
        if particle in PARTICLES:
            borne += [(bare, bare, 7 * weight), (listed, bare, 3 * weight)]
        else:
            borne.append((listed, listed, 10 * weight))
    return borne


@cache
def word_list(kind: str, place: str) -> tuple[str, ...]:
    """The list for a kind of fake: ``given-name``, ``surname``, ``city`` or ``street``; ``place`` br or generic.

    >>> "Fortaleza" in word_list("city", BRAZIL), len(word_list("surname", GENERIC)) > 100
    (True, True)
    """
    match kind, place:
        case "given-name", "br":
            return tuple(given_names())
        case "surname", "br":
            return tuple(dict.fromkeys(bare for _, bare, _ in surnames()))
        case "street", "br":
            types, names = _substitutes(place, "street type"), _substitutes(place, "street name")
            return tuple(f"{of} {name}" for of in types for name in names)
    return _substitutes(place, kind)


def _substitutes(place: str, which: str) -> tuple[str, ...]:
    return tuple(row["word"] for row in read_table("substitutes") if (row["place"], row["list"]) == (place, which))
