"""How data are read where nobody said it: what a policy or a command leaves out, from the data themselves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, get_args

from pydantic import ValidationError

from cobogo.data.files.encodings import encoding_of, guess_decimal, guess_separator, line_below_title
from cobogo.data.files.formats import find_format
from cobogo.data.files.listing import csv_columns, list_files, must_be_copied, parquet_columns
from cobogo.data.policy import AttributePolicy, Data, Policy, Role, TreeHierarchy
from cobogo.data.policy.complaints import list_errors
from cobogo.data.policy.tables import Encoding
from cobogo.errors import CobogoError, PolicyError
from cobogo.floor.language import tr
from cobogo.floor.urls import is_url


def reading_options(*, separator: str | None = None, encoding: str | None = None, **places: str | None) -> Data:
    """How a file is read by the options of a command; what is not given is detected."""
    known = get_args(Encoding)
    if encoding not in (None, *known):
        raise PolicyError(
            tr("must be one of {known}. Got {value!r} instead", known=", ".join(known), value=encoding),
            where="--encoding",
            remedy=tr("Leave it out: it is detected."),
        )
    given = {"separator": separator, "encoding": encoding, **places}
    try:
        return Data.model_validate({key: value for key, value in given.items() if value is not None})
    except ValidationError as error:
        problem = list_errors(error, Data)[0]
        raise PolicyError(
            problem.what, where=f"--{problem.where}", remedy=problem.remedy or tr("Leave it out: it is detected.")
        ) from None


def settle(source: Any, data: Data) -> Data:
    """How a source will be read, with what a policy leaves out; as it is where nothing can be detected yet."""
    if not isinstance(source, str | Path) or is_url(str(source)):
        return data
    with suppress(CobogoError):
        if must_be_copied(str(source), data):
            return _settle_copy(str(source), data)
        files = list_files(str(source))
        kind = find_format(files, data, str(source))
        return detect(files, data) if kind.name == "csv" else data
    return data


def _settle_copy(place: str, data: Data) -> Data:
    """The same of what is elsewhere. The copy stays for the reader that comes next."""
    from cobogo.data.lakes.sources import fetch

    copy = fetch(place, data)
    settled = data.settle(()) if copy.version is not None else settle(copy.path, data).settle(())
    settled.copies[place] = copy
    return settled


def settle_policy(policy: Policy, source: Any = None) -> Policy:
    """A policy with what it leaves out of the way its data are read, as they show it themselves."""
    path = policy.data.path if source is None else source
    if path is None or (source is None and is_url(str(path))):
        return policy
    with suppress(CobogoError):
        place = policy.resolve(path) if source is None else path
        data = settle(place, policy.data)
        local = data.copies[str(place)].path if str(place) in data.copies else place
        attributes = _with_labels(policy, local) if policy.data.labels == "hierarchy" else policy.attributes
        return policy.model_copy(update={"data": data, "attributes": attributes})
    return policy


def _with_labels(policy: Policy, source: Any) -> dict[str, AttributePolicy]:
    """The attributes of a policy; a quasi-identifier without a hierarchy has the labels of its codes as one."""
    files = list_files(str(source)) if isinstance(source, str | Path) else []
    kind = find_format(files, policy.data, str(source)) if files else None
    known = kind.load(files[0], policy.data).labels if kind is not None and "labels" in kind.keys else {}
    return {
        name: attribute.model_copy(update={"hierarchy": label_tree(known[name])})
        if name in known and attribute.role is Role.QUASI_IDENTIFIER and attribute.hierarchy is None
        else attribute
        for name, attribute in policy.attributes.items()
    }


def label_tree(labels: Mapping[str, str], others: Sequence[str] = ()) -> TreeHierarchy:
    """Labels above the codes that have them, and ``*`` above all. A code of ``others`` that has none is its own label.

    >>> label_tree({"1": "North", "2": "North", "9": "South"}).tree
    {'North': ['1', '2'], 'South': ['9']}
    """
    tree: dict[str, list[str]] = {}
    for code, label in {**{code: code for code in others}, **labels}.items():
        tree.setdefault(label, []).append(code)
    return TreeHierarchy(tree=tree, top=True)


def detect(files: Sequence[str], data: Data) -> Data:
    """What a policy leaves out about CSV files, from the files themselves, with a sentence about each."""
    said = data.model_fields_set
    encoding = encoding_of(files) if data.encoding == "auto" else data.encoding
    separator = data.separator if "separator" in said else guess_separator(files[0], encoding)
    decimal = data.decimal if "decimal" in said else guess_decimal(files[0], encoding, separator)
    usual, found = Data(encoding="utf-8"), {"encoding": encoding, "separator": separator, "decimal": decimal}
    unusual = [
        f'{key} = "{value}"'
        for key, value in found.items()
        if value not in (getattr(data, key) if key in said else None, getattr(usual, key))
    ]
    notes = [tr("detected: {found}", found=", ".join(unusual).replace("\t", "\\t"))] if unusual else []
    if "separator" not in said and (line := line_below_title(files[0], encoding)):
        notes.append(tr("the header may be line {line}: if the lines above it are a title, delete them", line=line))
    return data.settle(notes, **found)


def column_names(path: str, data: Data) -> tuple[list[str], str]:
    """The names of the columns of a file, and what separates them in CSV."""
    files = list_files(path)
    kind = find_format(files, data, path)
    if kind.name == "csv":
        found = detect(files, data)
        return csv_columns(files, found), found.separator
    if kind.name == "parquet":
        return parquet_columns(files, path), data.separator
    return list(kind.load(files[0], data).schema.names), data.separator
