"""The hierarchies of a policy, built of the values that its table has."""

from __future__ import annotations

from cobogo.data.hierarchy import Hierarchy
from cobogo.data.hierarchy.build import build
from cobogo.data.policy import Policy
from cobogo.data.table.frequency import FrequencyTable
from cobogo.data.table.read import Table
from cobogo.errors import PolicyError, UnfitValues, number_of


def built(name: str, policy: Policy, table: Table, counted: FrequencyTable) -> Hierarchy:
    """Build an attribute's hierarchy; where values do not fit, say how many records hold them and the first row."""
    attribute = policy.attributes[name]
    where = f'{policy.name}, attribute "{name}"'
    try:
        hierarchy = build(name, attribute.hierarchy, counted.values[name], policy=policy)
    except UnfitValues as error:
        raise _located(error, name, where, table, counted) from None
    if attribute.min_level > hierarchy.height:
        raise PolicyError(
            f"min-level is {attribute.min_level}, and the hierarchy's highest level is {hierarchy.height}", where=where
        )
    if policy.recoding.kind != "value":
        return hierarchy
    if attribute.min_level:
        raise PolicyError(
            'min-level asks for coarser values, and kind = "value" releases each as it is or not at all', where=where
        )
    return hierarchy.without_steps(
        top=0 < hierarchy.height <= (hierarchy.height if attribute.max_level is None else attribute.max_level)
    )


def sensitive_trees(policy: Policy, counted: FrequencyTable) -> dict[str, Hierarchy]:
    """The hierarchies of the sensitive attributes that have one."""
    asked = {name: policy.attributes[name].hierarchy for name in policy.sensitive}
    return {
        name: build(name, spec, counted.domains[name].labels, policy=policy)
        for name, spec in asked.items()
        if spec is not None
    }


def _located(error: UnfitValues, name: str, where: str, table: Table, counted: FrequencyTable) -> UnfitValues:
    """The same error with what only the table knows."""
    index = {label: code for code, label in enumerate(counted.values[name])}
    marginal = counted.marginal(counted.quasi_identifiers.index(name))
    records = sum(int(marginal[index[value]]) for value in error.values)
    first = next(value for value in error.values if value is not None)
    row = table.first_row(name, first)
    if row is not None:
        found = f'"{first}" first stands in row {row:,} of {table.name}'
    else:
        found = f"in {table.name}" if records else "in the population table"
    return UnfitValues(
        f"{error.what.rstrip('.')} ({number_of(records, 'record')}; {found})",
        error.values,
        where=where,
        remedy=error.remedy,
    )
