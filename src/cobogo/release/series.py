"""A series of releases: what each one told of people, kept in the evidence under keyed pseudonyms.

A later release of the series is checked against it (m-invariance). The key is the series' own: without it a pseudonym
cannot be tied to a person, and no two series can be joined.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from cobogo.data.classes import Classes, Earlier
from cobogo.data.hierarchy import Label
from cobogo.data.policy import Policy
from cobogo.data.table.frequency import FrequencyTable
from cobogo.errors import DataError, OutputError, PolicyError
from cobogo.floor.catalogue import import_object
from cobogo.floor.language import tr
from cobogo.promises.models import Model

REGISTERED = "registry:"
"""How the name of a previous release begins that is the id of one in the registry."""

KEPT_SERIES = "cobogo.publish.registry.book:read_series"
"""What finds the series of a release in a registry."""

Signature = frozenset[Label]
"""The sensitive values of a class: what a release tells of each of its people."""


@dataclass(frozen=True, eq=False, repr=False)
class ReleaseSeries:
    """Everybody's last signature, for each sensitive attribute, by pseudonym."""

    key: bytes = field(default_factory=lambda: secrets.token_bytes(32))
    signatures: Mapping[str, Mapping[str, Signature]] = field(default_factory=dict)

    def pseudonym(self, person: Label) -> str | None:
        """What stands for a person throughout the series; nobody is behind NULL."""
        if person is None:
            return None
        return hmac.new(self.key, person.encode(), hashlib.sha256).hexdigest()

    def earlier(self, attribute: str, pseudonyms: Sequence[str | None]) -> Earlier:
        """What was told of people."""
        known = self.signatures.get(attribute, {})
        sets = {signature: number for number, signature in enumerate(dict.fromkeys(known.values()))}
        of = [-1 if who is None or who not in known else sets[known[who]] for who in pseudonyms]
        return Earlier(tuple(sets), np.array(of, dtype=np.int64))

    def add_release(self, models: Sequence[Model], classes: Classes, pseudonyms: Sequence[str | None]) -> ReleaseSeries:
        """The same after one more release. Who is not in it keeps what they had."""
        assert classes.people is not None
        signatures = {attribute: dict(known) for attribute, known in self.signatures.items()}
        for model in models:
            (attribute,) = model.attributes
            histogram, told = model.known_values(classes)[0], signatures.setdefault(attribute, {})
            parts = zip(histogram.offsets[:-1], histogram.offsets[1:], strict=True)
            sets = [frozenset(histogram.domain.labels[v] for v in histogram.values[a:b]) for a, b in parts]
            for owner, person in zip(classes.people.owners.tolist(), classes.people.values.tolist(), strict=True):
                who = pseudonyms[person]
                if who is not None:
                    told[who] = sets[owner]
        return ReleaseSeries(self.key, signatures)

    def to_json(self) -> dict[str, Any]:
        """As the evidence keeps it: each set of values once."""
        content = {}
        for attribute, known in self.signatures.items():
            sets = {signature: number for number, signature in enumerate(dict.fromkeys(known.values()))}
            values = [sorted(signature, key=lambda v: (v is None, v or "")) for signature in sets]
            content[attribute] = {"values": values, "people": {who: sets[told] for who, told in known.items()}}
        return {"key": self.key.hex(), "signatures": content}

    @classmethod
    def from_json(cls, content: Mapping[str, Any]) -> ReleaseSeries:
        """The inverse."""
        signatures = {}
        for attribute, told in content["signatures"].items():
            sets = [frozenset(values) for values in told["values"]]
            signatures[attribute] = {str(who): sets[number] for who, number in told["people"].items()}
        return cls(bytes.fromhex(content["key"]), signatures)


def open_series(policy: Policy, models: Sequence[Model]) -> ReleaseSeries | None:
    """The series that a release goes on with, or begins; None where no model asks who is who, or nobody can tell."""
    previous = {name for model in models for name, _ in model.series}
    if len(previous) > 1:
        raise PolicyError(
            tr("the models name different previous releases"),
            where=f"{policy.name}, privacy.models",
            remedy=tr("Name the same previous release in each model: a release continues one series."),
        )
    if previous and policy.data.unit is None:
        raise PolicyError(
            tr("a comparison with an earlier release needs a column that identifies people"),
            where=f"{policy.name}, data.unit",
            remedy=tr("Name the column that identifies people, the same as for the earlier release."),
        )
    if not any(model.needs_people for model in models) or policy.data.unit is None:
        return None
    return load_series(previous.pop(), policy) if previous else ReleaseSeries()


def load_series(previous: str, policy: Policy) -> ReleaseSeries:
    """The series as it was after an earlier release: one in a directory, or one that the policy's registry keeps."""
    if previous.startswith(REGISTERED):
        return ReleaseSeries.from_json(import_object(KEPT_SERIES)(policy, previous.removeprefix(REGISTERED)))
    file = policy.resolve(previous) / "evidence" / "evidence.json"
    try:
        found = json.loads(file.read_bytes())["series"]
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        raise OutputError(
            tr("the evidence of the previous release is missing or damaged"),
            where=str(file),
            remedy=tr("Name the directory that `cobogo anonymize --out` wrote, with public and evidence in it."),
        ) from None
    try:
        return ReleaseSeries.from_json(found)
    except (ValueError, KeyError, TypeError, AttributeError, IndexError):
        raise OutputError(
            tr("the previous release does not identify its people"),
            where=str(file),
            remedy=tr(
                "Make the previous release again, with data.unit and the same model, and without the key previous."
            ),
        ) from None


def add_earlier_releases(
    table: FrequencyTable, models: Sequence[Model], series: ReleaseSeries | None
) -> FrequencyTable:
    """The data's frequency table with what the series told of its people."""
    if series is None or table.people is None:
        return table
    if table.records != len(table.people.names):
        raise DataError(
            tr("some people have several records, and a series of releases needs one record for each person"),
            where="data.unit",
            remedy=tr("Merge each person's records into one, or name another column as data.unit."),
        )
    pseudonyms = [series.pseudonym(name) for name in table.people.names]
    pairs = [pair for model in models for pair in model.series]
    return table.with_earlier({pair: series.earlier(pair[1], pseudonyms) for pair in pairs})
