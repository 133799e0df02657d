"""A table of eight patients: what the examples of algorithms and attacks work on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from cobogo.release.release import Release

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


def released(
    algorithm: str, models: Sequence[Mapping[str, Any]] = TWO, people: Mapping[str, Any] = PATIENTS, **recoding: Any
) -> Release:
    """The patients, anonymized by an algorithm: 2-anonymous if nothing else is asked for."""
    import pyarrow as pa

    from cobogo.job import anonymize

    policy = {
        "attributes": ATTRIBUTES,
        "privacy": {"models": [dict(model) for model in models]},
        "recoding": {"algorithm": algorithm, **recoding},
    }
    return anonymize(pa.table(dict(people)), policy)


def classes(release: Release) -> dict[tuple[str, ...], int]:
    """The released quasi-identifier tuples, and how many records share each.

    >>> classes(released("optimal"))
    {('*', 'f'): 4, ('*', 'm'): 4}
    """
    rows = release.to_arrow().select(["age", "sex"]).to_pylist()
    return dict(sorted(Counter(tuple(row.values()) for row in rows).items()))
