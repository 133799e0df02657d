"""Checks of the roles that a policy gives against the columns that a table has."""

from __future__ import annotations

from cobogo.data.policy import Policy, Role
from cobogo.data.policy.columns import compare_columns
from cobogo.data.policy.complaints import did_you_mean
from cobogo.data.table.read import Table
from cobogo.errors import PolicyError
from cobogo.floor.language import tr
from cobogo.floor.language.errors import gather_errors


def check_roles(policy: Policy, table: Table, *, recoded: bool = True) -> None:
    """Refuse a table with a column that has no role, or a role that has no column; all that is wrong in one error.

    What is to be ``recoded`` needs a quasi-identifier.
    """
    problems = compare_columns(policy.attributes, table.columns, table.name, policy.data.separator)
    problems += _unit_problems(policy, table)
    if recoded and not policy.quasi_identifiers:
        problems.append(
            PolicyError(
                tr("there is no quasi-identifier, so there is nothing to recode"),
                where="attributes",
                remedy=tr('Give the columns that others may know about a person the role "quasi-identifier".'),
                code="COBOGO-POLICY-ROLE",
            )
        )
    if problems:
        raise gather_errors(problems, policy.name)


def _unit_problems(policy: Policy, table: Table) -> list[PolicyError]:
    unit = policy.data.unit
    if unit is None:
        return []
    if unit not in table.columns:
        problem = PolicyError(
            tr('the unit "{unit}" is not a column of the data', unit=unit),
            where="data.unit",
            remedy=did_you_mean(unit, table.columns) or tr("Name the column that tells people apart."),
            code="COBOGO-POLICY-COLUMNS",
        )
    elif unit in policy.attributes and policy.attributes[unit].role is not Role.IDENTIFIER:
        problem = PolicyError(
            tr('the unit "{unit}" would be released, and would join the records of a person', unit=unit),
            where=f"attributes.{unit}",
            remedy=tr('Give it the role "identifier": people are counted, and the column is left out.'),
            code="COBOGO-POLICY-ROLE",
        )
    else:
        return []
    return [problem]
