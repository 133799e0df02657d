"""What risk is measured on: data with a policy, or a release with its manifest; either gives the columns' roles."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from cobogo.data.engines.engine import connect
from cobogo.data.files.settle import settle_policy
from cobogo.data.policy import Policy, Role
from cobogo.data.policy.columns import check_roles
from cobogo.data.table.frequency import FrequencyTable, frequency_table
from cobogo.data.table.read import Table, open_source, read
from cobogo.errors import DataError, PolicyError, TableTooLarge
from cobogo.floor.language import tr
from cobogo.promises.population import add_population, open_population, recode_population
from cobogo.release import manifest as manifests
from cobogo.release.contract import Release
from cobogo.release.manifest import Manifest
from cobogo.release.readback import locate_released_rows
from cobogo.release.reference import counterfeit_counts, counterfeit_note

Given = str | Path | Policy | Mapping[str, Any]


@dataclass(frozen=True, eq=False, repr=False)
class RiskSource:
    """A table and the roles of its columns; ``manifest`` is that of a release, whose policy may be unknown."""

    table: Table
    policy: Policy
    roles: Mapping[str, Role]
    unit: str | None = None
    manifest: Manifest | None = None
    has_policy: bool = True  # whether the policy was given; otherwise it holds the roles only
    notes: tuple[str, ...] = ()

    @property
    def quasi_identifiers(self) -> tuple[str, ...]:
        """The quasi-identifiers, in the order of the policy or of the release."""
        return tuple(name for name, role in self.roles.items() if role is Role.QUASI_IDENTIFIER)

    def count_tuples(self) -> FrequencyTable:
        """Count the distinct quasi-identifier tuples."""
        try:
            found = frequency_table(self.table, self.quasi_identifiers, [], unit=self.unit)
        except TableTooLarge as error:
            remedy = tr(
                "Measure a random part of the rows and give its share with --fraction, or name fewer quasi-identifiers."
            )
            raise TableTooLarge(error.what, where=self.table.name, remedy=remedy) from None
        if self.manifest is not None and self.manifest.counterfeits is not None:
            invented = counterfeit_counts(found, self.manifest.counterfeits)
            found = replace(found, counts=found.counts - invented)
        if not found.records:
            raise DataError(tr("has no records"), where=self.table.name, remedy=tr("Give a table that has records."))
        return found

    def with_population(self, counted: FrequencyTable, name: str) -> FrequencyTable:
        """Add the counts of a population table to the tuples, recoded as the release was."""
        if self.manifest is not None and not self.has_policy:
            raise PolicyError(
                tr("the population can be recoded like the release only with the policy of the release"),
                where=str(name),
                remedy=tr("Give the policy with which the release was made: --policy."),
            )
        population = open_population(name, self.policy)
        if self.manifest is None:
            return add_population(counted, name, population)
        levels = {column.name: column.level for column in self.manifest.columns if column.name in self.roles}
        known = {column: levels.get(column) for column in self.quasi_identifiers}
        if any(level is None for level in known.values()):
            raise DataError(
                tr(
                    "each record of the release was recoded by itself, so the population cannot be recoded like the "
                    "release"
                ),
                where=population.name,
                remedy=tr("Give the size of the population instead: --population-size."),
            )
        people = frequency_table(population, self.quasi_identifiers, [])
        whole = {column: level or 0 for column, level in known.items()}
        return counted.with_population(name, recode_population(people, self.policy, whole))


def open_data(data: Any, policy: Given | None, engine: str | None) -> RiskSource:
    """Open a release or its directory, a path or a frame; without data, those that the policy names."""
    rules = None if policy is None else Policy.from_any(policy)
    if isinstance(data, Release):
        manifest = data.transformation.manifest(data, data.drawn_table)
        return _released(data.drawn_table, manifest, rules, tr("the release given"))
    public = _public(data)
    if public is not None:
        return _open_release(public, rules, engine)
    if rules is None:
        raise PolicyError(
            tr("the risk can be measured only if the quasi-identifiers are known"),
            where="--policy",
            remedy=tr("Give a policy; `cobogo inspect DATA --write policy.toml` makes one to begin with."),
        )
    rules = settle_policy(rules, data)
    if data is None:
        table = open_source(rules, engine)
    else:
        url = engine or (None if rules.data.engine is None else rules.resolve_url(rules.data.engine))
        table = read(data, rules.data, connect(url))
    return RiskSource(table, rules, _roles(rules, table), rules.data.unit)


def _roles(policy: Policy, table: Table) -> dict[str, Role]:
    """The roles of the columns. Identifiers may be missing from the data."""
    gone = [name for name in policy.with_role(Role.IDENTIFIER) if name not in table.columns]
    kept = {name: part for name, part in policy.attributes.items() if name not in gone or name == policy.data.unit}
    narrowed = policy.model_copy(update={"attributes": kept})
    narrowed._home, narrowed._name = policy.home, policy.name
    check_roles(narrowed, table)
    return {name: part.role for name, part in kept.items()}


def _public(data: Any) -> Path | None:
    """The public part of a release directory; None for anything else."""
    if not isinstance(data, str | Path):
        return None
    here = Path(data)
    return next((part for part in (here / "public", here) if (part / manifests.NAME).is_file()), None)


def _open_release(public: Path, policy: Policy | None, engine: str | None) -> RiskSource:
    manifest = manifests.load(public)
    rows = locate_released_rows(public, manifest, None, engine)
    table = rows if isinstance(rows, Table) else read(rows, manifest.data.reading)
    return _released(table, manifest, policy, str(public / manifests.NAME))


def _released(table: Table, manifest: Manifest, policy: Policy | None, where: str) -> RiskSource:
    """Released rows with the roles that their manifest states."""
    if table.columns != manifest.columns_in():
        raise DataError(
            tr("has other columns than its manifest states"),
            where=table.name,
            remedy=tr("Check the release with `cobogo verify`."),
        )
    roles = {column.name: column.role for column in manifest.columns if column.file is None}
    if policy is not None:
        stricter = [name for name in policy.quasi_identifiers if name in roles]
        roles |= dict.fromkeys(stricter, Role.QUASI_IDENTIFIER)
    if Role.QUASI_IDENTIFIER not in roles.values():
        raise PolicyError(
            tr("the manifest names no quasi-identifier"),
            where=where,
            remedy=tr("Give a policy that names the columns that others may know: --policy."),
        )
    notes = []
    if manifest.data.people:
        notes.append(
            tr("records were counted, not people: the release does not show which records belong to the same person")
        )
    if manifest.buckets is not None and manifest.buckets.condensed:
        notes.append(
            tr(
                "records were drawn from the statistics of groups: an attacker who finds a person's values has not "
                "found the person"
            )
        )
    if manifest.counterfeits is not None:
        notes.append(counterfeit_note(manifest.counterfeits))
        notes.append(
            tr("the risk is that of an attacker who knows the number of counterfeits, and the group of each person")
        )
    elif manifest.buckets is not None and not manifest.buckets.condensed:
        notes.append(tr("the quasi-identifiers are unchanged: buckets hide sensitive values, not who is in the table"))
    given = policy or Policy.of({"attributes": {name: {"role": str(role)} for name, role in roles.items()}})
    return RiskSource(table, given, roles, None, manifest, policy is not None, tuple(notes))
