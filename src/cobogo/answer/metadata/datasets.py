"""Declared data sets: where the rows are, whose they are, how much of them one person can be, and what may be spent."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Self

from pydantic import Field, model_validator

from cobogo.answer.metadata.columns import Column
from cobogo.data.policy.part import Part
from cobogo.data.policy.tables import Data
from cobogo.errors import QueryRefused, nearest
from cobogo.promises.accounting import LARGEST_LOSS, Loss
from cobogo.promises.units import exact

MOST_ROWS = 10**6


class Budget(Part):
    """An amount of privacy: ε (with or without δ), or ρ."""

    epsilon: Annotated[float, Field(gt=0, le=LARGEST_LOSS, allow_inf_nan=False)] | None = None
    rho: Annotated[float, Field(gt=0, le=LARGEST_LOSS, allow_inf_nan=False)] | None = None
    delta: Annotated[float, Field(ge=0, lt=1, allow_inf_nan=False)] = 0.0

    @model_validator(mode="after")
    def _one(self) -> Self:
        if (self.epsilon is None) == (self.rho is None):
            raise ValueError("a budget is either epsilon or rho")
        return self

    def loss(self) -> Loss:
        """The same as fractions."""
        delta = exact(self.delta, "delta", zero=True)
        if self.rho is not None:
            return Loss("rho", exact(self.rho, "rho"), delta)
        return Loss("epsilon", exact(self.epsilon or 0, "epsilon"), delta)


class Dataset(Data):
    """A table about people that analysts may ask about.

    ``unit`` is the column that tells people apart; without it every row is somebody else's. One person is counted in at
    most ``max_groups`` groups of an answer, with at most ``max_rows`` rows in each.
    """

    max_groups: Annotated[int, Field(ge=1, le=MOST_ROWS, strict=True)] = 1
    max_rows: Annotated[int, Field(ge=1, le=MOST_ROWS, strict=True)] = 1
    columns: Annotated[dict[str, Column], Field(min_length=1)]
    budget: Budget
    analysts: Annotated[dict[str, Budget], Field(default_factory=dict)]

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        given = self.model_fields_set & {"max_groups", "max_rows"}
        if self.unit is None and given:
            raise ValueError("max-groups and max-rows bound a person's rows: name the unit that tells people apart")
        if self.unit is None and any(column.constant for column in self.columns.values()):
            raise ValueError("constant speaks of a person's rows: name the unit that tells people apart")
        if self.unit is not None and self.unit in self.columns:
            raise ValueError(f"the unit {self.unit!r} cannot be a column that analysts may name")
        folded = [name.casefold() for name in self.columns]
        if len(set(folded)) < len(folded):
            raise ValueError("two columns have names that differ only in case")
        for analyst, budget in self.analysts.items():
            if budget.loss().measure != self.budget.loss().measure:
                raise ValueError(f"the budget of {analyst!r} is not in the measure of the data set's budget")
        return self

    def found(self, name: str, *, quoted: bool, where: str) -> str:
        """A declared column by the name that an analyst wrote; unquoted names may differ in case."""
        for known in self.columns:
            if known == name or (not quoted and known.casefold() == name.casefold()):
                return known
        known = ", ".join(self.columns)
        raise QueryRefused(f'there is no column "{name}"', where=where, remedy=f"Declared columns: {known}.")

    def groups_of_a_person(self, keys: tuple[str, ...]) -> int:
        """In how many groups of these keys a person is counted at most."""
        if not keys or all(self.columns[key].constant for key in keys):
            return 1
        return self.max_groups


def dataset_named(name: str, datasets: Mapping[str, Dataset], where: str) -> str:
    """A data set by the name that an analyst wrote."""
    for known in datasets:
        if known.casefold() == name.casefold():
            return known
    raise QueryRefused(
        f'there is no data set "{name}"', where=where, remedy=nearest(name, datasets, "cobogo answer budget")
    )
