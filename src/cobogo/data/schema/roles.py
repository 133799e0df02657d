"""Checks of the roles that a policy gives against the columns that a table has."""

from __future__ import annotations

from collections.abc import Sequence

from cobogo.data.policy import Policy, Role
from cobogo.data.table.read import Table
from cobogo.errors import PolicyError
from cobogo.floor.language import tr


def check_roles(policy: Policy, table: Table, *, recoded: bool = True) -> None:
    """Refuse a table with a column that has no role, or a role that has no column.

    What is to be ``recoded`` needs a quasi-identifier.
    """
    without = [name for name in table.columns if name not in policy.attributes]
    if without and not set(table.columns) & set(policy.attributes):
        raise PolicyError(  # the first row may be somebody's data: nothing of it is shown
            tr("none of the policy's attributes is a column of the data"),
            where=f"{policy.name}, attributes",
            remedy=tr(
                'Does {name} begin with a header? Is its separator really "{separator}"?',
                name=table.name,
                separator=policy.data.separator,
            ),
        )
    if without:
        raise PolicyError(
            tr("these columns of the data have no role: {quote_names}", quote_names=quote_names(without)),
            where=f"{policy.name}, attributes",
            remedy=tr("Give each one of: {role}.", role=", ".join(Role)),
        )
    absent = [name for name in policy.attributes if name not in table.columns]
    if absent:
        raise PolicyError(
            tr("these attributes are not in the data: {quote_names}", quote_names=quote_names(absent)),
            where=f"{policy.name}, attributes",
            remedy=tr(
                "The columns of {name} are: {quote_names}.", name=table.name, quote_names=quote_names(table.columns)
            ),
        )
    if policy.data.unit is not None and policy.data.unit not in table.columns:
        raise PolicyError(
            tr('the unit "{unit}" is not in the data', unit=policy.data.unit),
            where=f"{policy.name}, data.unit",
            remedy=tr("Name the column that tells people apart."),
        )
    if policy.data.unit is not None and policy.attributes[policy.data.unit].role is not Role.IDENTIFIER:
        raise PolicyError(
            tr(
                'the unit "{unit}" would be released, and join a person\'s records over all classes',
                unit=policy.data.unit,
            ),
            where=f"{policy.name}, attributes.{policy.data.unit}",
            remedy=tr('Give it the role "identifier": people are counted, and the column is left out.'),
        )
    if recoded and not policy.quasi_identifiers:
        raise PolicyError(
            tr("there is no quasi-identifier, so there is nothing to recode"),
            where=f"{policy.name}, attributes",
            remedy=tr('Give the columns that others may know about a person the role "quasi-identifier".'),
        )


def quote_names(names: Sequence[str]) -> str:
    """Names in quotes for an error; of many the first ten."""
    shown = [f'"{name}"' for name in names]
    return ", ".join(shown[:10]) + (f" and {len(shown) - 10} more" if len(shown) > 10 else "")
