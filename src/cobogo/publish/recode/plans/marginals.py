"""The plan of marginals: tables of counts, and no records."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from cobogo.data.classes import Classes
from cobogo.data.engines.engine import Engine, Expression
from cobogo.data.policy import Role
from cobogo.data.table.frequency import FrequencyTable
from cobogo.data.table.read import Table
from cobogo.errors import OutputError
from cobogo.floor.language import tr
from cobogo.publish.recode.plans.base import Description, RecodingPlan, tuple_counts
from cobogo.release.manifest import ColumnEntry, Manifest
from cobogo.release.margins import Margins


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class MarginalPlan(RecodingPlan):
    """Marginals: tables of counts, and no records."""

    margins: Margins
    count: str  # the column that counts records

    shows_tuples: ClassVar[bool] = False
    has_rows: ClassVar[bool] = False

    def columns(self, kept: Sequence[str]) -> tuple[str, ...]:  # noqa: ARG002
        """There is no table of records."""
        return ()

    def recode(self, table: Table, columns: Sequence[str]) -> Expression:  # noqa: ARG002
        """There are no rows."""
        raise OutputError(tr("marginals have no rows"), remedy=tr("Ask for their tables: release.tables()."))

    def tables(self, engine: Engine, rows: Callable[[], Expression]) -> dict[str, Expression]:  # noqa: ARG002
        """The marginals, each in random order."""
        import pyarrow as pa

        found = {}
        for number, marginal in enumerate(self.margins.marginals, start=1):
            columns = {}
            for name in marginal.attributes:
                labels = pa.array(list(self.margins.labels[name]), pa.string())
                columns[name] = labels.take(pa.array(marginal.column(name)))
            columns[self.count] = pa.array([str(count) for count in marginal.counts.tolist()], pa.string())
            found[f"marginal-{number}"] = engine.shuffle(engine.lookup(pa.table(columns)))
        return found

    def manifest(self, about: Description) -> Manifest:
        """The columns of each file."""
        columns = []
        for number, marginal in enumerate(self.margins.marginals, start=1):
            file = f"marginal-{number}.{about.form}"
            for name in marginal.attributes:
                role, level = about.policy.attributes[name].role, self.levels.get(name)
                text = about.meaning(name, level or 0)
                columns.append(ColumnEntry(name=name, role=role, meaning=text, level=level, file=file))
            text = tr("how many records have these values together")
            columns.append(ColumnEntry(name=self.count, role=Role.NON_SENSITIVE, meaning=text, file=file))
        return about.marginal_manifest(columns, self.records, self.count)

    def faults(self, released: FrequencyTable) -> Iterator[str]:
        """The cells must be those that were planned."""
        yield from super().faults(released)
        if tuple_counts(released) != tuple_counts(self.margins.table(self.records)):
            yield tr("the cells of the files are not those that were planned")

    def people(self, classes: Classes) -> Classes:
        """The cells that count them; the others follow from several marginals."""
        return classes.where(np.arange(len(classes)) < len(self.kept_records))

    def to_json(self) -> dict[str, Any]:
        """Nothing of counts can be used again."""
        return {"kind": "marginals", "star": False}
