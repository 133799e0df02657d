"""Build the hierarchies that a policy asks for, of the distinct values that the data have."""

from __future__ import annotations

import difflib
import heapq
import re
from collections.abc import Iterable, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

from cobogo.data.files.encodings import detect_encoding
from cobogo.data.hierarchy.bands import age_hierarchy, quantiles_hierarchy
from cobogo.data.hierarchy.base import SUPPRESSED, Hierarchy, Label
from cobogo.data.hierarchy.codes import codes_hierarchy
from cobogo.data.hierarchy.csv_file import csv_hierarchy
from cobogo.data.hierarchy.dates import dates_hierarchy
from cobogo.data.hierarchy.declared import labels_hierarchy, ordering_hierarchy, tree_hierarchy
from cobogo.data.hierarchy.intervals import intervals_hierarchy
from cobogo.data.hierarchy.texts import mask_hierarchy, path_hierarchy
from cobogo.data.policy import (
    AgeHierarchy,
    AnyHierarchy,
    CodesHierarchy,
    CsvHierarchy,
    Data,
    DatesHierarchy,
    HierarchySpec,
    IntervalsHierarchy,
    LabelsHierarchy,
    MaskHierarchy,
    OrderingHierarchy,
    PathHierarchy,
    Policy,
    QuantilesHierarchy,
    Role,
    TreeHierarchy,
)
from cobogo.data.table.frequency import FrequencyTable
from cobogo.data.table.read import Table, local_file, read
from cobogo.errors import HierarchyError, PolicyError, UnfitValues
from cobogo.floor.language import Text, join, tr, trn


def build(attribute: str, spec: AnyHierarchy | None, values: Sequence[Label], *, policy: Policy) -> Hierarchy:
    """The hierarchy of an attribute whose distinct values are ``values``; all of them are among its leaves.

    Without a spec it has two levels, the value and ``*``. NULL is admitted when it is among the values: without a
    row of its own it stays NULL below the top, becomes ``*`` there, and counts as one more leaf.

    >>> policy = Policy.of({"attributes": {"cep": {"role": "quasi-identifier"}},
    ...                     "privacy": {"models": [{"model": "k-anonymity", "k": 2}]}})
    >>> build("cep", MaskHierarchy(mask="right", keep=7, top=True), ["60020270", None], policy=policy).labels
    (('60020270', None), ('6002027*', None), ('*',))
    """
    where = tr('{policy}, attribute "{attribute}"', policy=policy.name, attribute=attribute)
    # In a fixed order, so that the same data gives the same codes on every engine.
    texts = sorted({value for value in values if value is not None})
    declared = policy.attributes.get(attribute)
    may_show = declared is None or declared.role is Role.QUASI_IDENTIFIER
    try:
        hierarchy = _build_levels(attribute, spec, texts, policy, where)
    except UnfitValues as error:
        if not may_show:
            raise
        found = tr("Found: {values}.", values=_quote_first(error.values))
        remedy = join([found, error.remedy or ""], "\n")
        raise UnfitValues(error.what, error.values, where=error.where, remedy=remedy) from None
    if isinstance(spec, CsvHierarchy):
        _refuse_header(hierarchy, texts, tr("{where}, hierarchy {file}, line 1", where=where, file=spec.csv))
    missing = hierarchy.missing(texts)
    if missing:
        raise _unlisted_error(hierarchy, spec, missing, where=where, may_show=may_show)
    if spec is not None and spec.top:
        hierarchy = hierarchy.with_top()
    return hierarchy.with_null() if None in values else hierarchy


def preview(spec: HierarchySpec, values: Iterable[Any], rows: int) -> Any:
    """A pandas frame: the first distinct values, read as a table's are, and what they become at each level."""
    import pandas as pd

    name = str(getattr(values, "name", None) or "values")
    policy = Policy({name: {"role": Role.QUASI_IDENTIFIER, "hierarchy": spec}})
    table = read(pd.DataFrame({name: pd.Series(list(values)).drop_duplicates()}), policy.data)
    texts: list[Label] = table.engine.fetch(table.expression.select(value=table.text(name)))["value"].to_pylist()
    built = build(name, policy.attributes[name].hierarchy, texts, policy=policy)
    levels = range(built.height + 1)
    return pd.DataFrame({str(n): [built.generalize(text, n) for text in texts[:rows]] for n in levels})


def _build_levels(attribute: str, spec: AnyHierarchy | None, texts: list[str], policy: Policy, where: str) -> Hierarchy:
    data = policy.data
    match spec:
        case None:
            built = Hierarchy.from_steps(attribute, texts, [lambda _: SUPPRESSED])
        case CsvHierarchy():
            with local_file(policy.resolve(spec.csv)) as file:
                built = csv_hierarchy(
                    attribute,
                    file,
                    separator=spec.separator or data.separator,
                    encoding=spec.encoding or _own_encoding(file, data),
                    missing=data.missing,
                    where=tr("{where}, hierarchy {file}", where=where, file=spec.csv),
                )
        case DatesHierarchy():
            built = dates_hierarchy(attribute, spec, texts, where=where)
        case AgeHierarchy():
            built = age_hierarchy(attribute, spec, texts, where=where)
        case QuantilesHierarchy():
            built = quantiles_hierarchy(attribute, spec, texts, decimal=data.decimal, where=where)
        case IntervalsHierarchy():
            built = intervals_hierarchy(attribute, spec, texts, decimal=spec.decimal or data.decimal, where=where)
        case OrderingHierarchy():
            built = ordering_hierarchy(attribute, spec, missing=data.missing, where=where)
        case MaskHierarchy():
            built = mask_hierarchy(attribute, spec, texts, where=where)
        case PathHierarchy():
            built = path_hierarchy(attribute, spec, texts, where=where)
        case TreeHierarchy():
            built = tree_hierarchy(attribute, spec, missing=data.missing, where=where)
        case LabelsHierarchy():
            built = labels_hierarchy(attribute, spec, missing=data.missing, where=where)
        case CodesHierarchy():
            built = codes_hierarchy(attribute, spec, texts, where=where)
    return built


def _own_encoding(file: Path, data: Data) -> str:
    """The encoding of a hierarchy's file: UTF-8 if it is that, else what the policy says, or what it seems to be."""
    found = detect_encoding(str(file)) if file.is_file() else None
    if found is None or found == "utf-8" or data.encoding in ("auto", "utf-8"):
        return found or "utf-8"
    return data.encoding


def _unlisted_error(
    hierarchy: Hierarchy, spec: AnyHierarchy | None, missing: Sequence[Label], *, where: str, may_show: bool
) -> UnfitValues:
    """The error for values that a hierarchy which lists its leaves does not list."""
    n = len(missing)
    if isinstance(spec, CsvHierarchy):
        what = trn(
            "{n:,} value of the data is not in the hierarchy {file}",
            "{n:,} values of the data are not in the hierarchy {file}",
            n=n,
            file=spec.csv,
        )
        remedy = trn("Add it to {file} and run again.", "Add them to {file} and run again.", n=n, file=spec.csv)
    elif isinstance(spec, OrderingHierarchy):
        what = trn(
            "{n:,} value of the data is not in the ordering", "{n:,} values of the data are not in the ordering", n=n
        )
        remedy = trn("Add it to the ordering and run again.", "Add them to the ordering and run again.", n=n)
    elif isinstance(spec, LabelsHierarchy):
        what = trn("{n:,} value of the data has no label", "{n:,} values of the data have no label", n=n)
        remedy = trn("Add it to labels and run again.", "Add them to labels and run again.", n=n)
    else:
        what = trn("{n:,} value of the data is not in the tree", "{n:,} values of the data are not in the tree", n=n)
        remedy = trn("Add it to the tree and run again.", "Add them to the tree and run again.", n=n)
    if may_show:
        entries = [leaf for leaf in hierarchy.leaves if leaf is not None]
        near = [_nearest_entries(value, entries) for value in missing[:3] if value is not None]
        remedy = join([*near, remedy], "\n")
    return UnfitValues(what, missing, where=where, remedy=remedy)


_HEADINGS = re.compile(
    r"(level|nivel|nível|grupo|group|value|valor|leaf|folha|label|rotulo|rótulo|original)[ _-]?[0-9]*"
)
"""What people call the columns of a hierarchy, in lower case."""


def _refuse_header(hierarchy: Hierarchy, texts: Sequence[str], where: str) -> None:
    """A header would be one more value, with groups of its own, and change what a release is measured to lose."""
    leaf = hierarchy.leaves[0]
    if leaf is None or leaf in texts:
        return
    labels = [hierarchy.generalize(leaf, level) for level in range(1, hierarchy.height + 1)]
    alone = all(int(hierarchy.leaf_counts[n][hierarchy.maps[n][0]]) == 1 for n in range(1, hierarchy.height + 1))
    headings = [_HEADINGS.fullmatch(str(label).casefold()) for label in (leaf, *labels)]
    named = leaf.casefold() == hierarchy.attribute.casefold()
    if alone and (named or all(headings)):
        raise HierarchyError(
            tr("looks like a header, and the data do not have this value"),
            where=where,
            remedy=tr("Delete the line: a hierarchy file has no header."),
            code="COBOGO-HIERARCHY-HEADER",
        )


def _nearest_entries(value: str, entries: Sequence[str]) -> Text:
    """A sentence with the entries nearest to a value that is none of them."""
    nearest = similar_entries(value, entries)
    if not nearest:
        return tr('No entry is similar to "{value}".', value=_short(value))
    return tr('Nearest entries to "{value}": {entries}.', value=_short(value), entries=_quote_first(nearest))


def similar_entries(value: str, entries: Sequence[str]) -> list[str]:
    """The entries most like a value that is none of them: three at most, the nearest first.

    >>> similar_entries("Mecejana", ["Fortaleza", "Messejana"])
    ['Messejana']
    """
    # difflib is slow: it sees only the entries that share most pairs of letters with the value.
    pairs = _pairs(value)
    likely = heapq.nlargest(
        50, entries, key=lambda entry: len(pairs & (own := _pairs(entry))) / (len(pairs | own) or 1)
    )
    return difflib.get_close_matches(value, likely, n=3, cutoff=0.3)


def _pairs(text: str) -> set[tuple[str, str]]:
    return set(pairwise(text.casefold()))


def _quote_first(values: Sequence[Label]) -> str:
    """The first three values between quotes."""
    return ", ".join(f'"{_short(value)}"' for value in values[:3]) + (", …" if len(values) > 3 else "")


def _short(value: Label) -> str:
    """A value, if it is long its beginning."""
    text = str(value)
    return text if len(text) <= 60 else f"{text[:59]}…"


def build_for_table(name: str, policy: Policy, table: Table, counted: FrequencyTable) -> Hierarchy:
    """Build an attribute's hierarchy; where values do not fit, say how many records hold them and the first row."""
    attribute = policy.attributes[name]
    where = tr('{policy}, attribute "{attribute}"', policy=policy.name, attribute=name)
    try:
        hierarchy = build(name, attribute.hierarchy, counted.values[name], policy=policy)
    except UnfitValues as error:
        raise _locate_error(error, name, where, table, counted) from None
    if attribute.min_level > hierarchy.height:
        raise PolicyError(
            tr(
                "min-level is {min_level}, and the hierarchy's highest level is {height}",
                min_level=attribute.min_level,
                height=hierarchy.height,
            ),
            where=where,
            remedy=tr("Lower min-level, or add levels to the hierarchy."),
            code="COBOGO-POLICY-VALUE",
        )
    if policy.recoding.kind != "value":
        return hierarchy
    if attribute.min_level:
        raise PolicyError(
            tr('min-level asks for coarser values, and kind = "value" either keeps a value or suppresses it'),
            where=where,
            remedy=tr("Leave out min-level, or choose another kind under [recoding]."),
            code="COBOGO-POLICY-VALUE",
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


def _locate_error(error: UnfitValues, name: str, where: str, table: Table, counted: FrequencyTable) -> UnfitValues:
    """The same error with what only the table knows."""
    index = {label: code for code, label in enumerate(counted.values[name])}
    marginal = counted.marginal(counted.quasi_identifiers.index(name))
    records = sum(int(marginal[index[value]]) for value in error.values)
    first = next(value for value in error.values if value is not None)
    row = table.first_row(name, first)
    if row is not None:
        found = tr('"{value}" first appears in row {row:,} of {table}', value=_short(first), row=row, table=table.name)
    elif records:
        found = tr("in {table}", table=table.name)
    else:
        found = tr("in the population table")
    held = trn("{n:,} record", "{n:,} records", n=records)
    what = Text("{what} ({records}; {found})", None, {"what": error.what, "records": held, "found": found})
    return UnfitValues(what, error.values, where=where, remedy=error.remedy)
