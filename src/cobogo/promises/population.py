"""Population tables: public tables that contain the people of the data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from cobogo.data.policy import Policy
from cobogo.data.table.frequency import FrequencyTable, frequency_table, number_tuples
from cobogo.data.table.read import Table, read
from cobogo.errors import DataError
from cobogo.floor.language import tr, trn
from cobogo.promises.models import Model


def open_populations(policy: Policy, models: Sequence[Model]) -> dict[str, Table]:
    """The population tables that models name, by that name, read with the data's own options."""
    named = dict.fromkeys(name for model in models for name in model.populations)
    return {name: open_population(name, policy) for name in named}


def open_population(name: str, policy: Policy) -> Table:
    """One population table: one record for each person, with every quasi-identifier of the policy."""
    table = read(policy.resolve(name), policy.data.dialect)
    missing = [column for column in policy.quasi_identifiers if column not in table.columns]
    if missing:
        raise DataError(
            tr("the population table does not have the quasi-identifiers {missing}", missing=", ".join(missing)),
            where=table.name,
            remedy=tr("It needs every quasi-identifier of the policy, under the same name."),
        )
    unit = policy.data.unit
    if unit is not None and unit in table.columns and table.repeats(unit):
        raise DataError(
            tr('some people have several records in the population table: values of "{unit}" repeat', unit=unit),
            where=table.name,
            remedy=tr("Give a table with one record for each person."),
        )
    return table


def add_population(counted: FrequencyTable, name: str, population: Table) -> FrequencyTable:
    """Add the counts of a population to the frequency table of the data, which must be part of the population."""
    both = counted.with_population(name, frequency_table(population, counted.quasi_identifiers, []))
    missing = both.classes().sizes - both.populations[name]
    if (missing > 0).any():
        lost = int(missing[missing > 0].sum())
        raise DataError(
            trn(
                "the population table does not have {n:,} record of the data",
                "the population table does not have {n:,} records of the data",
                n=lost,
            )
            if counted.people is None
            else trn(
                "the population table does not have {n:,} person of the data",
                "the population table does not have {n:,} people of the data",
                n=lost,
            ),
            where=population.name,
            remedy=tr("The population must contain every person in the data, with the same spelling of every value."),
        )
    return both


def recode_population(population: FrequencyTable, policy: Policy, levels: Mapping[str, int]) -> FrequencyTable:
    """Generalize a population's values to some levels and add up the counts."""
    from cobogo.data.hierarchy.build import build

    columns, values = [], {}
    for position, name in enumerate(population.quasi_identifiers):
        hierarchy = build(name, policy.attributes[name].hierarchy, population.values[name], policy=policy)
        codes = hierarchy.maps[levels[name]][hierarchy.encode(population.values[name])]
        columns.append(codes[population.codes[:, position]])
        values[name] = hierarchy.labels[levels[name]]
    sizes = [len(values[name]) for name in population.quasi_identifiers]
    ids, representatives = number_tuples(columns, sizes, len(population.counts))
    counts = np.zeros(len(representatives), dtype=np.int64)
    np.add.at(counts, ids, population.counts)
    codes = np.array([column[representatives] for column in columns], dtype=np.int32).T
    return FrequencyTable(population.quasi_identifiers, values, np.ascontiguousarray(codes), counts, {})
