"""The values that an attribute may have, by code. They are declared, and never taken from the data.

A value of the data gets the code of a declared value. Any other value becomes NULL (the last code), or its record is
left out. Either way a record is encoded independently of others: one person more or less changes that person's codes
only.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cobogo.data.classes import parse_number
from cobogo.data.hierarchy import Label
from cobogo.data.hierarchy.build import build
from cobogo.data.policy import LISTED, DomainSpec, Policy
from cobogo.data.table.columns import Coder, decode_column, stream_columns
from cobogo.data.table.read import Table
from cobogo.errors import PolicyError
from cobogo.floor.arrays import Ints
from cobogo.floor.language import tr
from cobogo.floor.randomness import Source, below, keys
from cobogo.floor.untrusted import fraction

Codes = NDArray[np.int64]

LEFT_OUT = -1
"""The code of a value whose record is left out."""


@dataclass(frozen=True, eq=False, repr=False)
class AttributeDomain(ABC):
    """The declared values of one attribute."""

    attribute: str
    null: bool  # whether NULL is one of them: the last

    @property
    @abstractmethod
    def known(self) -> int:
        """The number of values, without NULL."""

    @property
    def size(self) -> int:
        """The number of codes."""
        return self.known + self.null

    @property
    def other(self) -> int:
        """The code of values that are not declared."""
        return self.known if self.null else LEFT_OUT

    @abstractmethod
    def code(self, text: str, decimal: str) -> int:
        """The code of a value of the data."""

    @abstractmethod
    def name(self, code: int) -> Label:
        """The name of a code in reports."""

    @abstractmethod
    def draw_column(self, codes: Codes, source: Source, decimal: str, kind: Any) -> Any:
        """Decode codes to an Arrow column of an Arrow type, or of text; values within a bin are drawn."""

    @abstractmethod
    def statement(self) -> dict[str, Any]:
        """The domain as the manifest states it; `read_domain` reads it."""

    @abstractmethod
    def holds(self, text: str, decimal: str) -> bool:
        """Whether a value of the domain can be written so."""

    def encode(self, column: Any, decimal: str) -> Codes:
        """Encode an Arrow column of text, each distinct text once."""
        import pyarrow as pa

        column = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
        encoded = column if pa.types.is_dictionary(column.type) else column.dictionary_encode()
        words = encoded.dictionary.to_pylist()
        lookup = np.array([self.other if w is None else self.code(w, decimal) for w in words] + [self.other])
        places = encoded.indices.cast(pa.int64()).fill_null(len(words)).to_numpy(zero_copy_only=False)
        return np.asarray(lookup[places], dtype=np.int64)


@dataclass(frozen=True, eq=False, repr=False)
class ListedDomain(AttributeDomain):
    """Listed values. ``places`` maps texts of the data to codes: the values themselves, or the leaves under them."""

    values: tuple[str, ...]
    places: Mapping[str, int]

    @property
    def known(self) -> int:
        return len(self.values)

    def code(self, text: str, decimal: str) -> int:  # noqa: ARG002
        return self.places.get(text, self.other)

    def name(self, code: int) -> Label:
        return self.values[code] if code < len(self.values) else None

    def draw_column(self, codes: Codes, source: Source, decimal: str, kind: Any) -> Any:  # noqa: ARG002
        return decode_column(codes, (*self.values, *([None] if self.null else [])), kind)

    def statement(self) -> dict[str, Any]:
        return {"values": list(self.values), "null": self.null}

    def holds(self, text: str, decimal: str) -> bool:  # noqa: ARG002
        return text in self._listed

    @cached_property
    def _listed(self) -> frozenset[str]:
        return frozenset(self.values)


@dataclass(frozen=True, eq=False, repr=False)
class BinnedDomain(AttributeDomain):
    """Numbers in bins; within a bin they are drawn uniformly. The last bin includes its upper edge."""

    edges: tuple[Fraction, ...]
    decimals: int

    @property
    def known(self) -> int:
        return len(self.edges) - 1

    def code(self, text: str, decimal: str) -> int:
        """The bin of a number; numbers beyond the bounds are in the first or the last bin."""
        number = parse_number(text, decimal)
        if math.isnan(number):
            return self.other
        place = int(np.searchsorted(self._floats, number, side="right")) - 1
        return min(max(place, 0), self.known - 1)

    def name(self, code: int) -> Label:
        if code >= self.known:
            return None
        low, high = (f"{float(edge):g}" for edge in self.edges[code : code + 2])
        return f"[{low}, {high}{']' if code == self.known - 1 else ')'}"

    def draw_column(self, codes: Codes, source: Source, decimal: str, kind: Any) -> Any:
        steps = np.zeros(len(codes), dtype=np.int64)
        for code in range(self.known):
            rows = np.flatnonzero(codes == code)
            first, last = self.steps[code]
            steps[rows] = first + below(last - first + 1, len(rows), source)
        present, places = np.unique(steps, return_inverse=True)
        texts = [self._write_number(int(step), "." if kind is not None else decimal) for step in present]
        places = np.where(codes < self.known, places, len(texts))
        return decode_column(places, (*texts, None), kind)

    def statement(self) -> dict[str, Any]:
        return {"edges": [_decimal(edge) for edge in self.edges], "decimals": self.decimals, "null": self.null}

    def holds(self, text: str, decimal: str) -> bool:
        """Whether it is a number within the bounds, with no more digits than declared."""
        number = parse_number(text, decimal)
        if math.isnan(number) or not self.edges[0] <= Fraction(number).limit_denominator(10**12) <= self.edges[-1]:
            return False
        mark = text.rfind(decimal)
        return mark < 0 or len(text[mark + 1 :].rstrip("0")) <= self.decimals

    @cached_property
    def steps(self) -> tuple[tuple[int, int], ...]:
        """The first and the last number of each bin, in units of the last digit."""
        scaled = [edge * 10**self.decimals for edge in self.edges]
        ends = [math.ceil(edge) - 1 for edge in scaled[1:-1]] + [math.floor(scaled[-1])]
        return tuple((math.ceil(low), end) for low, end in zip(scaled[:-1], ends, strict=True))

    @cached_property
    def _floats(self) -> NDArray[np.float64]:
        return np.array([float(edge) for edge in self.edges])

    def _write_number(self, step: int, decimal: str) -> str:
        return f"{Decimal(step).scaleb(-self.decimals):f}".replace(".", decimal)


def declared_domains(policy: Policy, names: Sequence[str]) -> tuple[AttributeDomain, ...]:
    """The declared domains of the attributes to be synthesized; refuse a policy that leaves one undeclared."""
    assert policy.synthesis is not None
    given = policy.synthesis.domains or {}
    where = f"{policy.name}, synthesis.domains"
    for name in given:
        if name not in names:
            raise PolicyError(
                tr('"{name}" is not a released attribute', name=name),
                where=where,
                remedy=tr("Released attributes: {known}.", known=", ".join(names)),
            )
    return tuple(_declared_domain(policy, name, given.get(name, DomainSpec()), f"{where}.{name}") for name in names)


def _declared_domain(policy: Policy, name: str, spec: DomainSpec, where: str) -> AttributeDomain:
    if spec.values is not None:
        known = [value for value in spec.values if value not in policy.data.missing]
        return ListedDomain(name, spec.null, tuple(known), {value: place for place, value in enumerate(known)})
    if spec.edges is not None or spec.bounds is not None:
        return _binned_domain(name, spec, where)
    hierarchy = policy.attributes[name].hierarchy
    if not isinstance(hierarchy, LISTED):
        raise PolicyError(
            tr(
                'the policy does not say which values "{name}" may have, and they must not be taken from the data',
                name=name,
            ),
            where=where,
            remedy=tr(
                "List the values ({listed}), give the range of numbers ({numbers}), or give the attribute a hierarchy "
                "that lists its leaves (csv, ordering, tree, labels).",
                listed=f'{name} = ["…", "…"]',
                numbers=f"{name} = {{ bounds = [0, 110], bins = 11 }}",
            ),
        )
    return _hierarchy_domain(policy, name, spec, where)


def _hierarchy_domain(policy: Policy, name: str, spec: DomainSpec, where: str) -> ListedDomain:
    built = build(name, policy.attributes[name].hierarchy, (), policy=policy)
    level = spec.level or 0
    if level > built.height:
        raise PolicyError(
            tr("the hierarchy has no level {level}: its highest is {height}", level=level, height=built.height),
            where=where,
            remedy=tr("Lower the level."),
        )
    values = [label for label in built.labels[level] if label is not None]
    place = {value: number for number, value in enumerate(values)}
    above = [built.labels[level][int(code)] for code in built.maps[level]]
    places = {leaf: place[up] for leaf, up in zip(built.leaves, above, strict=True) if leaf is not None and up in place}
    return ListedDomain(name, spec.null, tuple(values), places)


def _binned_domain(name: str, spec: DomainSpec, where: str) -> BinnedDomain:
    if spec.edges is not None:
        edges = tuple(fraction(edge) for edge in spec.edges)
    else:
        assert spec.bounds is not None
        assert spec.bins is not None
        low, high = (fraction(bound) for bound in spec.bounds)
        edges = tuple(low + (high - low) * place / spec.bins for place in range(spec.bins + 1))
    found = BinnedDomain(name, spec.null, edges, spec.decimals)
    if any(last < first for first, last in found.steps):
        raise PolicyError(
            tr("a bin does not contain a number with {decimals} decimals", decimals=spec.decimals),
            where=where,
            remedy=tr("Use fewer bins, or more decimals."),
        )
    return found


def read_domain(attribute: str, stated: Mapping[str, Any]) -> AttributeDomain:
    """Read a domain as a manifest states it."""
    null = bool(stated["null"])
    if "values" in stated:
        values = tuple(str(value) for value in stated["values"])
        return ListedDomain(attribute, null, values, {value: place for place, value in enumerate(values)})
    return BinnedDomain(attribute, null, tuple(fraction(edge) for edge in stated["edges"]), int(stated["decimals"]))


def _decimal(edge: Fraction) -> str:
    """Write a fraction as text that `Fraction` reads, as a decimal where that is exact.

    >>> _decimal(Fraction(5, 2)), _decimal(Fraction(1, 3))
    ('2.5', '1/3')
    """
    shown = Decimal(edge.numerator) / Decimal(edge.denominator)
    return f"{shown.normalize():f}" if Fraction(shown) == edge else f"{edge.numerator}/{edge.denominator}"


@dataclass(frozen=True, eq=False, repr=False)
class CodedRows:
    """Rows as codes, one array for each attribute.

    How many rows were left out, and how many values were not declared, is for the data holder only.
    """

    codes: tuple[NDArray[np.int32], ...]
    left_out: int
    beyond: dict[str, int]  # by attribute, rows with a value that is not declared, without NULL


def encode_rows(
    table: Table, domains: Sequence[AttributeDomain], decimal: str, *, unit: str | None = None, max_rows: int = 1
) -> CodedRows:
    """Encode the rows of a table. With a ``unit``, at most ``max_rows`` rows of each person are kept, drawn at random,
    and rows without a person are left out."""
    names = [domain.attribute for domain in domains]
    looked_at = names if unit is None else [*names, unit]
    parts: list[list[NDArray[np.int32]]] = [[] for _ in names]
    beyond = dict.fromkeys(names, 0)
    people = Coder()
    for batch in stream_columns(table, looked_at, texts=looked_at):
        for place, domain in enumerate(domains):
            column = batch.column(domain.attribute)
            codes = domain.encode(column, decimal)
            beyond[domain.attribute] += int((codes == domain.other).sum()) - column.null_count
            parts[place].append(codes.astype(np.int32))
        if unit is not None:
            people.add(batch.column(unit))
    columns = [np.concatenate([*own, np.zeros(0, dtype=np.int32)]) for own in parts]
    there = np.all([column != LEFT_OUT for column in columns], axis=0) if columns else np.zeros(0, dtype=np.bool_)
    kept = np.flatnonzero(there)
    if unit is not None:
        who, labels = people.column()
        nobody = len(labels) - 1 if labels and labels[-1] is None else -1
        kept = kept[who[kept] != nobody]
        kept = kept[bound_rows_per_person(who[kept].astype(np.int64), max_rows)]
    return CodedRows(tuple(column[kept] for column in columns), len(there) - len(kept), beyond)


def bound_rows_per_person(people: Ints, most: int) -> Ints:
    """Choose at most ``most`` rows of each person at random; return their indices.

    >>> len(bound_rows_per_person(np.array([3, 3, 3, 5]), 2))
    3
    """
    order = np.lexsort((keys(len(people)), people))
    ordered = people[order]
    starts = np.searchsorted(ordered, ordered, side="left")
    return np.sort(order[np.arange(len(people)) - starts < most])
