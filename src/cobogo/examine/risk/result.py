"""What was measured: everything about the risk of a table, without a value of it."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from cobogo.examine.risk.attackers import Attackers
from cobogo.examine.risk.columns import ColumnFinding
from cobogo.examine.risk.population import Uniqueness
from cobogo.examine.risk.records import Known, RecordRisks, record_risks, write_records
from cobogo.examine.risk.subsets import Combination
from cobogo.examine.risk.uniques import SpecialUniques
from cobogo.floor.arrays import Ints
from cobogo.floor.representation import brief


@dataclass(frozen=True, eq=False, repr=False)
class RiskReport:
    """The risk of a table. ``people`` are its records, unless the policy has a unit that tells people apart."""

    source: str
    created: str
    records: int
    people: int
    unit: bool  # whether people were counted, and not records
    quasi_identifiers: tuple[str, ...]
    threshold: float
    sizes: Ints  # people of each class
    attackers: Attackers
    population: Uniqueness | None
    combinations: tuple[Combination, ...]
    largest: int  # combination gone through
    special: SpecialUniques
    columns: tuple[ColumnFinding, ...]
    notes: tuple[str, ...]
    known: Known  # what the risk of each record is made of

    def __repr__(self) -> str:
        return brief(
            self,
            f"{self.people:,} {'people' if self.unit else 'records'} in {len(self.sizes):,} classes",
            f"{self.uniques:,} alone ({100 * self.unique_share:.3g} %)",
            f"highest risk {100 * self.attackers.prosecutor.highest:.3g} %",
        )

    def _repr_html_(self) -> str:
        """The report's figures, for a notebook; no value of the data."""
        from cobogo.tell.report.risk import figures

        return figures(self)

    @property
    def uniques(self) -> int:
        """Classes of one person."""
        return int((self.sizes == 1).sum())

    @property
    def unique_share(self) -> float:
        """The share of the people who are in such a class."""
        return self.uniques / int(self.sizes.sum())

    def telling(self) -> list[Combination]:
        """The combination of each size that tells most people apart, up to one than which no larger tells more."""
        best: dict[int, Combination] = {}
        for one in self.combinations:
            size = len(one.attributes)
            if size not in best or (one.separation, one.uniques) > (best[size].separation, best[size].uniques):
                best[size] = one
        ordered = [best[size] for size in sorted(best)]
        enough = next((n for n, one in enumerate(ordered) if one.distinct == ordered[-1].distinct), len(ordered))
        return ordered[: enough + 1]

    def records_at_risk(self) -> RecordRisks:
        """The risk of each record, in the order of the rows."""
        return record_risks(self.known, self.special)

    def write_records(self, path: str | Path) -> None:
        """Write row numbers and risks to a new CSV file. It stays with the data: row 1 is the first row of data."""
        write_records(self.records_at_risk(), Path(path))

    def write(self, directory: str | Path, *, language: str = "en") -> None:
        """Write ``risk.json``, ``risk.png`` and ``risk.html``, in place of an earlier one, at once."""
        from cobogo.floor.files import holds_only, staged_directory
        from cobogo.tell.report.risk import FILES
        from cobogo.tell.report.risk import write as write_page

        with staged_directory(Path(directory), replaceable=holds_only(FILES)) as stage:
            write_page(self, stage, language=language)

    def as_dict(self) -> dict[str, Any]:
        """What ``risk.json`` holds."""
        sizes, special = self.sizes, self.special
        return {
            "source": self.source,
            "created": self.created,
            "records": self.records,
            "people": self.people,
            "counts": "people" if self.unit else "records",
            "quasi_identifiers": list(self.quasi_identifiers),
            "threshold": self.threshold,
            "classes": {
                "count": len(sizes),
                "min": int(sizes.min()),
                "average": float(sizes.mean()),
                "max": int(sizes.max()),
            },
            "uniques": {"count": self.uniques, "share": self.unique_share},
            "prosecutor": asdict(self.attackers.prosecutor),
            "journalist": None if self.attackers.journalist is None else asdict(self.attackers.journalist),
            "marketer": self.attackers.marketer,
            "estimated": self.attackers.estimated,
            "population": None if self.population is None else self.population.as_dict(),
            "combinations": {"largest": self.largest, "listed": [asdict(one) for one in self.combinations]},
            "special_uniques": {
                "largest": special.size,
                "people": special.uniques,
                "minimal": {str(size): number for size, number in special.found.items()},
                "smallest": {str(size): number for size, number in special.smallest.items()},
                "attributes": dict(special.attributes),
                "dis": special.dis,
                "highest_suda": float(special.suda.max(initial=0.0)),
                "highest_dis_suda": None if special.dis_suda is None else float(special.dis_suda.max(initial=0.0)),
            },
            "columns": [asdict(one) for one in self.columns],
            "notes": list(self.notes),
        }
