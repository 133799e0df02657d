"""Small data for examples in docstrings: eight patients, tables of words, and people of the example city."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from cobogo.release.contract import Release

PATIENTS: dict[str, list[str]] = {
    "age": ["34", "36", "41", "45", "52", "58", "61", "67"],
    "sex": ["f", "m", "f", "m", "f", "m", "f", "m"],
    "disease": ["flu", "cough", "flu", "flu", "gout", "flu", "gout", "cough"],
}

ATTRIBUTES: dict[str, dict[str, Any]] = {
    "age": {"role": "quasi-identifier", "hierarchy": {"intervals": [10, 20], "top": True}},
    "sex": {"role": "quasi-identifier"},
    "disease": {"role": "sensitive"},
}

TWO = ({"model": "k-anonymity", "k": 2},)
DIVERSE = ({"model": "l-diversity", "l": 2},)


def anonymize_patients(
    algorithm: str, models: Sequence[Mapping[str, Any]] = TWO, people: Mapping[str, Any] = PATIENTS, **recoding: Any
) -> Release:
    """The patients, anonymized by an algorithm; 2-anonymous unless other models are given."""
    import pyarrow as pa

    from cobogo.publish.anonymize import anonymize

    policy = {
        "attributes": ATTRIBUTES,
        "privacy": {"models": [dict(model) for model in models]},
        "recoding": {"algorithm": algorithm, **recoding},
    }
    return anonymize(pa.table(dict(people)), policy)


def classes(release: Release) -> dict[tuple[str, ...], int]:
    """The released quasi-identifier tuples, and how many records share each.

    >>> classes(anonymize_patients("optimal"))
    {('*', 'f'): 4, ('*', 'm'): 4}
    """
    rows = release.to_arrow().select(["age", "sex"]).to_pylist()
    return dict(sorted(Counter(tuple(row.values()) for row in rows).items()))


def table(columns: str, *rows: str) -> Any:
    """A table of words, for attacks.

    >>> table("age ill", "31 flu", "44 gout").to_pydict()
    {'age': ['31', '44'], 'ill': ['flu', 'gout']}
    """
    import pyarrow as pa

    fields = [row.split() for row in rows]
    return pa.table({name: [row[place] for row in fields] for place, name in enumerate(columns.split())})


def roles(quasi: str, sensitive: str = "", **trees: Any) -> dict[str, Any]:
    """A policy with quasi-identifiers and sensitive columns, and hierarchies of some."""
    given = dict.fromkeys(quasi.split(), "quasi-identifier") | dict.fromkeys(sensitive.split(), "sensitive")
    attributes = {
        name: {"role": role} | ({"hierarchy": trees[name]} if name in trees else {}) for name, role in given.items()
    }
    return {"attributes": attributes, "privacy": {"models": [dict(model) for model in TWO]}}


def people(seed: int, rows: int = 300) -> Any:
    """Made-up people of one population, different for every seed: for attacks on synthetic data."""
    import numpy as np
    import pyarrow as pa

    random = np.random.default_rng(seed)
    city, job = random.choice(list("abcdefgh"), rows), random.choice(list("klmnopqr"), rows)
    age = random.normal(45, 15, rows).round(1)
    ill = np.where(random.random(rows) < 0.5, city, random.choice(list("xyz"), rows))
    return pa.table({"city": city, "job": job, "age": age, "pay": (20 * age).round(1), "ill": ill})


def city(people: int = 10) -> Any:
    """Positions of made-up people of Fortaleza, every hour of two days; always the same."""
    from cobogo.studies.fortaleza import people as made_up

    return made_up(people, days=2).trajectories(3600)


def attack_city(attack: Any, mechanism: Any = None, points: Any = None, **known: Any) -> Any:
    """What an attack finds when the people of `city` report through a mechanism, or their true positions."""
    from cobogo.studies.fortaleza import UTC_OFFSET
    from cobogo.studies.locations import evaluate

    asked = {} if mechanism is None else {"mechanism": mechanism}
    truth = city() if points is None else points
    found = evaluate(truth, asked, [attack], raw=mechanism is None, hours_from_utc=UTC_OFFSET, **known)
    return found.runs[0].findings[attack.name]
