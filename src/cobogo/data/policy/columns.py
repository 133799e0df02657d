"""The attributes of a policy compared with the columns of the data: what has no role, and what is no column."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from cobogo.data.policy.complaints import closest, did_you_mean
from cobogo.data.policy.tables import Data, Role
from cobogo.errors import CobogoError, PolicyError
from cobogo.floor.language import Text, tr
from cobogo.floor.language.errors import gather_errors

if TYPE_CHECKING:
    from cobogo.data.policy.document import Policy
    from cobogo.data.table.read import Table

SEPARATORS = ";,\t|"


def compare_columns(
    attributes: Iterable[str], columns: Sequence[str], source: str, separator: str
) -> list[PolicyError]:
    """What is wrong between a policy's attributes and the columns of the data, a misspelt name first.

    >>> for problem in compare_columns(["plce", "sex"], ["place", "sex", "age"], "people.csv", ","):
    ...     print(problem)
    attributes.plce: is not a column of the data.
    Did you mean "place"?
    attributes: these columns of the data have no role: "age".
    Give each one of: identifier, quasi-identifier, sensitive, non-sensitive.
    """
    without = [name for name in columns if name not in attributes]
    absent = [name for name in attributes if name not in columns]
    meant = {name: near for name in absent if (near := closest(name, without)) is not None}
    if without and not set(columns) & set(attributes) and not meant:
        return [_no_header(columns, source, separator)]
    problems = [
        PolicyError(
            tr("is not a column of the data"),
            where=f"attributes.{name}",
            remedy=tr('Did you mean "{name}"?', name=near),
            code="COBOGO-POLICY-COLUMNS",
        )
        for name, near in meant.items()
    ]
    without = [name for name in without if name not in meant.values()]
    absent = [name for name in absent if name not in meant]
    if without:
        problems.append(
            PolicyError(
                tr("these columns of the data have no role: {names}", names=quote_names(without)),
                where="attributes",
                remedy=tr("Give each one of: {roles}.", roles=", ".join(Role)),
                code="COBOGO-POLICY-COLUMNS",
            )
        )
    if absent:
        problems.append(
            PolicyError(
                tr("these attributes are not in the data: {names}", names=quote_names(absent)),
                where="attributes",
                remedy=tr("The columns of {source} are: {names}.", source=source, names=quote_names(columns)),
                code="COBOGO-POLICY-COLUMNS",
            )
        )
    return problems


def column_problems(content: Mapping[str, Any], home: Path) -> list[PolicyError]:
    """The same of a policy that is wrong elsewhere, too: with the header of its file, if that can be read."""
    from cobogo.data.files.settle import column_names

    data, attributes = content.get("data"), content.get("attributes")
    path = data.get("path") if isinstance(data, Mapping) else None
    if not isinstance(path, str) or not isinstance(attributes, Mapping):
        return []
    known = {key: value for key, value in dict(data).items() if key in Data.model_fields}  # type: ignore[arg-type]
    with suppress(CobogoError, ValidationError, OSError, ValueError, RuntimeError):
        file = home / Path(path).expanduser()
        options = Data.model_validate(known)
        if file.is_file():
            columns, separator = column_names(str(file), options)
            return compare_columns(list(map(str, attributes)), columns, str(file), separator)
    return []


def _no_header(columns: Sequence[str], source: str, separator: str) -> PolicyError:
    """Nothing of the first row is shown: it may be somebody's data."""
    counts = {mark: columns[0].count(mark) for mark in SEPARATORS if mark != separator}
    likely = max(counts, key=lambda mark: counts[mark])
    remedy = (
        tr('{source} seems to be separated by "{mark}": write separator = "{mark}" under [data].', source=source,
           mark="\\t" if likely == "\t" else likely)
        if len(columns) == 1 and counts[likely]
        else tr('Does {source} begin with a header? Is its separator really "{separator}"?', source=source,
                separator=separator)
    )  # fmt: skip
    return PolicyError(
        tr("none of the policy's attributes is a column of the data"),
        where="attributes",
        remedy=remedy,
        code="COBOGO-POLICY-COLUMNS",
    )


def quote_names(names: Sequence[str]) -> Text:
    """Names in quotes for an error; of many the first ten."""
    shown = ", ".join(f'"{name}"' for name in names[:10])
    if len(names) <= 10:
        return Text("{names}", None, {"names": shown})
    return tr("{names} and {more} more", names=shown, more=len(names) - 10)


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
