"""The risk of a table: from data and the roles of its columns, a report without values of the data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from cobogo.data.policy import Policy, RiskPolicy
from cobogo.data.schema import MOST_VALUES, profile
from cobogo.data.table.frequency import FrequencyTable, frequency_table
from cobogo.data.table.read import Table
from cobogo.errors import PolicyError
from cobogo.examine.risk.attackers import Attackers, attackers, estimate_probabilities
from cobogo.examine.risk.columns import SMALL_AREA, ColumnFinding, ColumnSource, PlaceSizes, check_columns
from cobogo.examine.risk.combinations import (
    Combination,
    RecordBasis,
    RecordRisks,
    SpecialUniques,
    Suda,
    combination,
    count,
    largest_size,
    projections,
    record_risks,
    write_records,
)
from cobogo.examine.risk.population import KnownPopulation, PopulationUniques, read_population, uniqueness
from cobogo.examine.risk.source import RiskSource, open_data
from cobogo.floor.arrays import Floats, Ints
from cobogo.floor.language import Speech, tr, trn
from cobogo.floor.progress import Progress, show_in_notebook
from cobogo.promises.population import open_population
from cobogo.studies.study import Study, timestamp


@dataclass(frozen=True, eq=False, repr=False)
class RiskReport(Study):
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
    population: PopulationUniques | None
    combinations: tuple[Combination, ...]
    largest: int  # combination gone through
    special: SpecialUniques
    columns: tuple[ColumnFinding, ...]
    notes: tuple[str, ...]
    known: RecordBasis  # what the risk of each record is made of

    stem: ClassVar[str] = "risk"

    def summary(self) -> tuple[str, ...]:
        """How many people are how exposed."""
        return (
            f"{self.people:,} {'people' if self.unit else 'records'} in {len(self.sizes):,} classes",
            f"{self.uniques:,} alone ({100 * self.unique_share:.3g} %)",
            f"highest risk {100 * self.attackers.prosecutor.highest:.3g} %",
        )

    def _repr_html_(self) -> str:
        """The report's figures, for a notebook; no value of the data."""
        from cobogo.studies.risk_page import figures

        return figures(self)

    @property
    def uniques(self) -> int:
        """The number of classes of one person."""
        return int((self.sizes == 1).sum())

    @property
    def unique_share(self) -> float:
        """The share of the people who are in such a class."""
        return self.uniques / int(self.sizes.sum())

    def telling(self) -> list[Combination]:
        """For each size the combination that separates most people, up to the size from which larger ones separate no
        more."""
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

    def draw(self, path: Path, *, say: Speech) -> str:
        """People by the size of their class, and people whom combinations single out."""
        from cobogo.studies.risk_page import draw

        return draw(self, path, say=say)

    def render(self, svg: str, *, say: Speech) -> str:
        """A table for each thing that was measured."""
        from cobogo.studies.risk_page import render

        return render(self, svg, say=say)

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


def risk(
    data: Any,
    policy: str | Path | Policy | Mapping[str, Any] | None = None,
    *,
    population: str | Path | None = None,
    population_size: int | None = None,
    fraction: float | None = None,
    threshold: float | None = None,
    combinations: int | None = None,
    engine: str | None = None,
    progress: Progress = show_in_notebook,
) -> RiskReport:
    """Measure how exposed the people of a table are. Writes nothing and shows no value of the data.

    ``risk(data, policy)`` measures the data given (a path, or a frame of pandas, polars, Arrow or Ibis) with the
    policy's roles; ``risk(policy)`` the policy's own data; ``risk(release)`` a release or its directory. What is known
    of the population is a table of it, its size, or the fraction of it that is in the data; where nothing is given, the
    policy's table ``[risk]`` may say it. ``combinations`` is how many quasi-identifiers are looked at together.
    """
    named = isinstance(data, str | Path) and str(data).endswith(".toml")
    if policy is None and (named or isinstance(data, Policy | Mapping)):
        data, policy = None, data
    progress("read", 0, 0)
    source = open_data(data, policy, engine)
    changes = {
        "population": None if population is None else str(population),
        "population_size": population_size,
        "fraction": fraction,
        "threshold": threshold,
    }
    asked = source.policy.risk_with({key: value for key, value in changes.items() if value is not None})
    with source.table.engine.guard("reading and counting"):
        return _measure(source, asked, combinations, progress)


@dataclass(frozen=True, eq=False, repr=False)
class RiskSummary:
    """The risk of a table by its classes alone."""

    people: int
    sizes: Ints  # people of each class
    attackers: Attackers

    @property
    def uniques(self) -> int:
        """Classes of one person."""
        return int((self.sizes == 1).sum())


def summarize_risk(
    data: Any, policy: str | Path | Policy | Mapping[str, Any], *, engine: str | None = None
) -> RiskSummary:
    """Measure the attackers' risks and the uniques, by one count of the quasi-identifiers."""
    source = open_data(data, policy, engine)
    with source.table.engine.guard("reading and counting"):
        counted, sizes, people = _classes(source)
        around = read_population(source, counted, people, source.policy.risk)
        journalist = _journalist(sizes, around, uniqueness(sizes, people, around))
        chances = attackers(sizes, source.policy.risk.threshold, population=around.here, estimated=journalist)
        return RiskSummary(people, sizes, chances)


def _classes(source: RiskSource) -> tuple[FrequencyTable, Ints, int]:
    """The distinct tuples, the people of each class, and how many there are in all."""
    counted = source.count_tuples()
    people = counted.records if counted.people is None else len(counted.people.names)
    return counted, counted.classes().sizes, people


def _measure(source: RiskSource, asked: RiskPolicy, most: int | None, progress: Progress) -> RiskReport:
    counted, sizes, people = _classes(source)
    around = read_population(source, counted, people, asked)
    unique = uniqueness(sizes, people, around)
    journalist = _journalist(sizes, around, unique)
    largest = _largest(counted, most)
    tellings, special = _combine(counted, sizes, people, largest, around.fraction, progress)
    progress("columns", 0, 0)
    return RiskReport(
        source=Path(source.table.name).name,
        created=timestamp(),
        records=counted.records,
        people=people,
        unit=counted.people is not None,
        quasi_identifiers=source.quasi_identifiers,
        threshold=asked.threshold,
        sizes=sizes,
        attackers=attackers(sizes, asked.threshold, population=around.here, estimated=journalist),
        population=unique,
        combinations=tellings,
        largest=largest,
        special=special,
        columns=tuple(_columns(source, asked, around.fraction)),
        notes=(*source.notes, *_notes(len(source.quasi_identifiers), largest)),
        known=RecordBasis(source.table, counted, sizes, journalist),
    )


def _largest(counted: FrequencyTable, most: int | None) -> int:
    """The largest size of a combination that is gone through."""
    if most is None:
        return largest_size(counted)
    if most < 1:
        raise PolicyError(
            tr("must be a whole number, 1 or more. Got {most!r} instead", most=most),
            where="--combinations",
            remedy=tr("Write it as in: --combinations 3."),
        )
    return min(most, len(counted.quasi_identifiers))


def _notes(width: int, largest: int) -> list[str]:
    if largest == width:
        return []
    return [
        trn(
            "{n:,} combination of up to {largest} of the {width} quasi-identifiers was examined, and no larger one: "
            "--combinations sets another limit",
            "{n:,} combinations of up to {largest} of the {width} quasi-identifiers were examined, and no larger ones: "
            "--combinations sets another limit",
            n=count(width, largest),
            largest=largest,
            width=width,
        )
    ]


def _combine(
    counted: FrequencyTable, sizes: Ints, people: int, largest: int, fraction: float | None, progress: Progress
) -> tuple[tuple[Combination, ...], SpecialUniques]:
    """Go through every combination once: whom it separates, and whom it singles out while no part of it does."""
    suda, found = Suda(counted, sizes, largest), []
    total = count(len(counted.quasi_identifiers), largest)
    for number, projection in enumerate(projections(counted, largest)):
        progress("combine", number, total)
        suda.add(projection)
        found.append(combination(projection, counted.quasi_identifiers, people))
    place = {name: number for number, name in enumerate(counted.quasi_identifiers)}
    found.sort(key=lambda one: (len(one.attributes), [place[name] for name in one.attributes]))
    return tuple(found), suda.result(fraction)


def _journalist(sizes: Ints, around: KnownPopulation, unique: PopulationUniques | None) -> Floats | None:
    """For each class the probability that an attacker finds a person in the population; None where it is not known."""
    if around.here is not None:
        return np.asarray(1.0 / around.here)
    if around.fraction is None or unique is None:
        return None
    return estimate_probabilities(sizes, around.fraction, unique.uniques)


def _columns(source: RiskSource, asked: RiskPolicy, fraction: float | None) -> list[ColumnFinding]:
    """Findings in the columns: values that identify people."""
    table = source.table
    records = table.rows()
    profiles = []
    for name in table.columns:
        counts = table.value_counts(name, MOST_VALUES)
        profiles.append(profile(name, records, counts.missing, counts.distinct, counts.unique, counts.most_frequent))
    return check_columns(profiles, source.roles, _look(source, asked, fraction))


def _look(source: RiskSource, asked: RiskPolicy, fraction: float | None) -> ColumnSource:
    """The source of column checks: the residents of places are counted in the population, or estimated from the
    fraction of it that is in the data."""
    counted = None
    if asked.population is not None and source.manifest is None:
        counted = open_population(asked.population, source.policy)

    def area(column: str) -> PlaceSizes | None:
        if counted is not None and column in counted.columns:
            return _area(counted, column, None)
        return None if fraction is None else _area(source.table, column, fraction)

    return ColumnSource(area, lambda column: _values(source.table, column))


def _area(table: Table, column: str, fraction: float | None) -> PlaceSizes:
    """The people of the places of a column, in the population or estimated from a fraction of it."""
    people = [count / (fraction or 1.0) for _, count in _values(table, column)]
    return PlaceSizes(sum(number < SMALL_AREA for number in people), len(people), fraction is not None)


def _values(table: Table, column: str) -> list[tuple[str, int]]:
    """Every value but NULL, with its records."""
    found = frequency_table(table, [column], [])
    labels = (found.values[column][code] for code in found.codes[:, 0])
    return [(label, count) for label, count in zip(labels, found.counts.tolist(), strict=True) if label is not None]
