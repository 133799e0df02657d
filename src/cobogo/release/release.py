"""A release: the answer to a policy, not yet written. Writing it verifies it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from cobogo.data.policy import Data, Output, Policy, Role
from cobogo.data.table.engine import Engine, Expression
from cobogo.data.table.read import Table
from cobogo.floor.progress import Stopwatch
from cobogo.floor.representation import brief
from cobogo.release.contract import Transformation, Verdict


@dataclass(frozen=True, eq=False, repr=False)
class Origin:
    """Where the records of a release come from, the role of each of their columns, and how the release is written.

    A policy says all of it; a release that is made without a policy names its source and the roles.
    """

    source: str
    roles: Mapping[str, Role]
    data: Data = field(default_factory=Data)
    output: Output = field(default_factory=Output)
    language: str = "en"
    policy: Policy | None = None

    @classmethod
    def of(cls, policy: Policy, source: str) -> Origin:
        """What a policy says."""
        roles = {name: attribute.role for name, attribute in policy.attributes.items()}
        return cls(source, roles, policy.data, policy.output, policy.report.language, policy)


@dataclass(eq=False, repr=False)
class Release:
    """What `cobogo.anonymize`, `perturb`, `mask`, `synthesize` and the like return. Nothing has been written; rows are
    computed, or drawn, when they are first asked for.

    What only some kinds have is their transformation's: ``release.levels`` is ``release.transformation.levels``.
    """

    origin: Origin
    table: Table  # the original
    transformation: Transformation
    warnings: tuple[str, ...] = ()
    seconds: dict[str, float] = field(default_factory=dict)

    def __repr__(self) -> str:
        return brief(self, *self.transformation.summary(self))

    def _repr_html_(self) -> str | None:
        """The report's figures, for a notebook; no value of the data."""
        return self.transformation.figures(self)

    def __getattr__(self, name: str) -> Any:
        """What the transformation knows: the levels of a recoding, its metrics, its plan."""
        if name.startswith("_") or name not in dir(self.__dict__.get("transformation")):
            raise AttributeError(f"this release has no attribute {name!r}")
        return getattr(self.transformation, name)

    @property
    def policy(self) -> Policy:
        """The policy that asked for it."""
        assert self.origin.policy is not None, "this release was made without a policy"
        return self.origin.policy

    @property
    def columns(self) -> tuple[str, ...]:
        """The released columns, in the order of the input: all but the identifiers."""
        roles = self.origin.roles
        return self.transformation.columns(
            [name for name in self.table.columns if roles.get(name) is not Role.IDENTIFIER]
        )

    @property
    def engine(self) -> Engine:
        """What writes it."""
        return self.transformation.engine(self)

    @property
    def records(self) -> int:
        """The number of records that it has."""
        return self.transformation.record_count(self)

    @cached_property
    def drawn(self) -> Table:
        """The released rows, drawn once."""
        return self.transformation.draw(self)

    def rows(self) -> Expression:
        """The released rows as an Ibis expression, in random order; sorted, where they are not about single people."""
        drawn, column = self.drawn.expression, self.transformation.sorted_by
        return self.engine.in_random_order(drawn) if column is None else drawn.order_by(drawn[column].desc())

    def tables(self) -> Mapping[str, Expression]:
        """What is released, by the names of the files: mostly one table of rows."""
        return self.transformation.tables(self)

    def to_pandas(self) -> Any:
        """The released rows as a pandas frame."""
        return self.rows().to_pandas()

    def to_polars(self) -> Any:
        """The released rows as a polars frame (polars must be installed)."""
        return self.rows().to_polars()

    def to_arrow(self) -> Any:
        """The released rows as an Arrow table."""
        return self.rows().to_pyarrow()

    def write(self, directory: str | Path) -> Verdict:
        """Write the release and its evidence, verify it from what was written, and put it in place at once.

        Returns the `Verdict`. Raises, leaving nothing behind, if the verification fails.
        """
        from cobogo.release.write import write_release

        return write_release(self, Path(directory))

    def timed(self, stage: str) -> Stopwatch:
        """Add what a block takes to the seconds of a stage."""
        return Stopwatch(self.seconds, stage)
