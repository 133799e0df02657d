"""Declared public tables."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from cobogo.data.policy.tables import Data


class PublicTablePolicy(Data):
    """A table that is no secret: ``key`` is a column of a data set, too; ``columns`` are what it adds, as texts."""

    key: str
    columns: Annotated[tuple[str, ...], Field(min_length=1)]
    table: None = None
    engine: None = None
    unit: None = None
    decimal: Literal["."] = "."
