"""Declared columns: the type of a column's values, the bounds that they are held within, the keys that are public."""

from __future__ import annotations

from datetime import date, datetime
from decimal import Decimal
from itertools import pairwise
from typing import Annotated, Any, Literal, Self

from pydantic import Field, model_validator

from cobogo.data.policy.toml_file import PolicyTable
from cobogo.floor.untrusted import fraction, is_writable, shorten

Value = str | int | bool | date
"""A key, as a person writes it."""

KEYS_AT_MOST = 100_000

Year = Annotated[int, Field(ge=1, le=9999, strict=True)]

WIDEST = 10**15
"""The largest bound, in steps of the last decimal: floats hold such numbers exactly."""

SMALLEST_WHOLE, LARGEST_WHOLE = -(2**63), 2**63 - 1


class DeclaredColumn(PolicyTable):
    """A column that analysts may name.

    ``bounds`` are needed where it is summed or averaged: values beyond them are brought to the nearest bound, and noise
    follows them. ``decimals``: how many digits after the point count. ``keys``: the public values, so that
    groups can be released whether or not anybody is in them. ``edges``: a number is grouped by the intervals
    between them, which are public; values beyond count in the first or the last. ``years``: the first and the last year
    of a date, where questions compute with its year; other years count as the nearest. ``constant``: a person has one
    value only; where somebody has several, one of them is kept.
    """

    type: Literal["integer", "number", "text", "boolean", "date"]
    bounds: tuple[int | float, int | float] | None = None
    decimals: Annotated[int, Field(ge=0, le=9, strict=True)] = 0
    keys: Annotated[tuple[Any, ...], Field(min_length=1, max_length=KEYS_AT_MOST)] | None = None
    edges: Annotated[tuple[int | float, ...], Field(min_length=2, max_length=1001)] | None = None
    years: tuple[Year, Year] | None = None
    constant: Annotated[bool, Field(strict=True)] = False

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        if self.decimals and self.type != "number":
            raise ValueError(f"decimals can be given for a number only; the type here is {self.type}")
        if self.bounds is not None:
            self._check_bounds(self.bounds)
        if self.years is not None and self.type != "date":
            raise ValueError(f"years can be given for a date only; the type here is {self.type}")
        if self.years is not None and self.years[0] > self.years[1]:
            raise ValueError(f"the first year {self.years[0]} is after the last year {self.years[1]}")
        for key in self.keys or ():
            if not self.accepts(key):
                raise ValueError(f"the key {shorten(key)} is no {self.type}")
        if self.keys is not None and len(set(self.keys)) < len(self.keys):
            raise ValueError("a key stands twice")
        if self.edges is not None:
            self._check_edges(self.edges)
        if self.keys is not None and self.type == "number":
            raise ValueError("a number cannot be grouped by, so it has no keys; declare an integer or a text")
        return self

    def _check_bounds(self, bounds: tuple[int | float, int | float]) -> None:
        if self.type not in ("integer", "number"):
            raise ValueError(f"bounds can be given for numbers only; the type here is {self.type}")
        for bound in bounds:
            if isinstance(bound, bool) or (isinstance(bound, float) and not abs(bound) < float("inf")):
                raise ValueError("bounds are two numbers")
            if abs(bound) > WIDEST:
                raise ValueError(f"the bound {shorten(bound)} is beyond what can be summed exactly")
            step = fraction(bound) * 10**self.decimals
            if step.denominator != 1:
                raise ValueError(f"the bound {bound} has more than {self.decimals} decimals")
            if abs(step) > WIDEST:
                raise ValueError(f"the bound {bound} is beyond what can be summed exactly")
        if bounds[0] > bounds[1]:
            raise ValueError(f"the lower bound {bounds[0]} is above the upper bound {bounds[1]}")

    def _check_edges(self, edges: tuple[int | float, ...]) -> None:
        if self.type not in ("integer", "number") or self.keys is not None:
            raise ValueError("edges can be given for numbers without keys only")
        if any(isinstance(edge, bool) or not abs(edge) < float("inf") for edge in edges):
            raise ValueError("edges are numbers")
        if any(not SMALLEST_WHOLE <= edge <= LARGEST_WHOLE for edge in edges):
            raise ValueError("an edge is beyond a whole number of 64 bits")
        if any(one >= next_one for one, next_one in pairwise(edges)):
            raise ValueError("edges must rise from one to the next")
        if len(set(self.intervals)) < len(self.intervals):
            raise ValueError("two intervals between edges have the same name")

    @property
    def intervals(self) -> tuple[str, ...]:
        """The names of the intervals between the edges, to the last digit: two intervals of one name would be one group
        that is released twice for one price. The last interval includes its upper edge."""
        named = [f"[{low}, {high})" for low, high in pairwise(map(_numeral, self.edges or ()))]
        return (*named[:-1], named[-1][:-1] + "]") if named else ()

    @property
    def steps(self) -> tuple[int, int]:
        """The bounds in steps of the last decimal."""
        if self.bounds is None:
            raise ValueError("the column has no bounds")
        low, high = (int(fraction(bound) * 10**self.decimals) for bound in self.bounds)
        return low, high

    @property
    def public_keys(self) -> tuple[Value, ...] | None:
        """The keys that are public, in order; both truth values always are, and so are intervals."""
        if self.edges is not None:
            return self.intervals
        if self.keys is None:
            return (False, True) if self.type == "boolean" else None
        return tuple(sorted(self.keys))

    def accepts(self, value: object) -> bool:
        """Whether a literal is of this column's type."""
        match self.type:
            case "integer":
                return type(value) is int and SMALLEST_WHOLE <= value <= LARGEST_WHOLE
            case "number":
                return type(value) in (int, float, Decimal)
            case "text":
                return isinstance(value, str) and is_writable(value)
            case "boolean":
                return isinstance(value, bool)
            case "date":
                return isinstance(value, date) and not isinstance(value, datetime)


def _numeral(edge: float) -> str:
    """An edge as a person writes it, all of its digits: other numbers have other numerals.

    >>> _numeral(20240108), _numeral(18.0), _numeral(0.30000000000000004), _numeral(1e-7)
    ('20240108', '18', '0.30000000000000004', '1e-07')
    """
    return str(int(edge)) if edge == int(edge) else repr(edge)
