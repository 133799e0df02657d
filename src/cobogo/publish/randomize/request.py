"""What a policy asks for in ``[randomization]``, checked against its table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from cobogo.data.hierarchy import Label
from cobogo.data.policy import Policy, Randomization
from cobogo.data.table.columns import count_values
from cobogo.data.table.read import Table
from cobogo.errors import DataError, PolicyError
from cobogo.floor.arrays import Ints
from cobogo.floor.language import tr, trn
from cobogo.promises.guarantees import GUARANTEES, Guarantee
from cobogo.promises.models.promise import build_promises


@dataclass(frozen=True, eq=False, repr=False)
class AttributeValues:
    """The domain of an attribute (its possible values, by code), and how many records of the original have each."""

    attribute: str
    labels: tuple[Label, ...]
    records: Ints
    declared: bool  # whether the policy lists them; otherwise they are those of the data

    @property
    def places(self) -> dict[Label, int]:
        """The code of each value."""
        return {label: code for code, label in enumerate(self.labels)}


@dataclass(frozen=True, eq=False, repr=False)
class RandomizationRequest:
    """A policy's ``[randomization]`` with its guarantees, attributes and their values, and records per person."""

    policy: Policy
    table: Randomization
    guarantees: tuple[Guarantee, ...]
    models: tuple[Mapping[str, Any], ...]  # the rest of ``privacy.models``: for methods that also recode
    values: tuple[AttributeValues, ...]  # of the attributes to be randomized
    records_per_person: int

    @property
    def where(self) -> str:
        """The place in the policy, for messages."""
        return f"{self.policy.name}, randomization"


def read_request(policy: Policy, table: Table) -> RandomizationRequest:
    """Read what a policy asks for, and refuse at once what cannot be done."""
    wanted = policy.randomization
    assert wanted is not None
    where = f"{policy.name}, randomization"
    names = policy.sensitive if wanted.attributes is None else wanted.attributes
    unknown = [name for name in names if name not in policy.attributes]
    if unknown or not names:
        raise PolicyError(
            tr("{unknown!r} is not an attribute of the policy", unknown=unknown[0])
            if unknown
            else tr("there is no sensitive attribute to randomize"),
            where=f"{where}.attributes",
            remedy=tr('Give the role "sensitive" to the columns that nobody may learn about a person.'),
        )
    bare = [name for name in policy.sensitive if name not in names]
    if bare:
        raise PolicyError(
            tr('the sensitive attribute "{name}" would be released unchanged', name=bare[0]),
            where=f"{where}.attributes",
            remedy=tr("Add it to the attributes to randomize, or give it another role."),
        )
    entries = () if policy.privacy is None else policy.privacy.models
    own = [entry for entry in entries if entry.get("model") in GUARANTEES]
    values = tuple(attribute_values(name, wanted, table, where) for name in names)
    for found in values:
        if len(found.labels) < 2:
            raise PolicyError(
                tr('"{attribute}" has only one value, so everybody\'s value is known', attribute=found.attribute),
                where=f"{where}.domains",
                remedy=tr('List all values that it could have, or leave the column out with the role "identifier".'),
            )
    return RandomizationRequest(
        policy,
        wanted,
        build_promises(own, names, GUARANTEES, where=policy.name),
        tuple(entry for entry in entries if entry.get("model") not in GUARANTEES),
        values,
        _records_per_person(policy, table),
    )


def attribute_values(name: str, wanted: Randomization, table: Table, where: str) -> AttributeValues:
    """The domain of an attribute: the values that the policy lists, or those of the data."""
    found, records = count_values(table, name)
    domains = wanted.domains or {}
    if name not in domains:
        return AttributeValues(name, found, records, declared=False)
    listed: Sequence[Label] = [*domains[name], *([None] if None in found else [])]
    place = {label: code for code, label in enumerate(listed)}
    if len(place) < len(listed):
        raise PolicyError(
            tr("a value appears twice"), where=f"{where}.domains.{name}", remedy=tr("List each value once.")
        )
    strange = [n for n, label in enumerate(found) if label not in place]
    if strange:
        raise DataError(
            trn(
                "{n:,} value of the data ({records:,} records) is not in the list",
                "{n:,} values of the data ({records:,} records) are not in the list",
                n=len(strange),
                records=int(records[strange].sum()),
            ),
            where=f"{where}.domains.{name}",
            remedy=tr("List every possible value, or leave out the list: the values of the data are then used."),
        )
    total = np.zeros(len(listed), dtype=np.int64)
    total[[place[label] for label in found]] = records
    return AttributeValues(name, tuple(listed), total, declared=True)


def warn_of_undeclared_domains(values: Sequence[AttributeValues]) -> tuple[str, ...]:
    """A warning where records are drawn from domains that were taken from the data."""
    found = [v.attribute for v in values if not v.declared]
    if not found:
        return ()
    what = tr(
        "the possible values of {names} are those of the data, and the manifest lists them, so it reveals that "
        "somebody has each of them; list the values under domains if that must not be revealed",
        names=", ".join(found),
    )
    return (what,)


def _records_per_person(policy: Policy, table: Table) -> int:
    """The largest number of records of one person: a value of theirs is drawn as often."""
    if policy.data.unit is None:
        return 1
    rows = table.expression.select(person=table.text(policy.data.unit))
    counts = rows.group_by("person").aggregate(records=rows.count())
    most = counts.aggregate(found=counts["records"].max())
    return int(table.engine.fetch(most)["found"][0].as_py())
