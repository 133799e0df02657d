"""The values of the guide: its cases, what became of each, and all of a run."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from cobogo.data.hierarchy import Label
from cobogo.data.policy import Role
from cobogo.floor.language import Text
from cobogo.studies.release_trial import ReleaseTrial

KS, LS = (2, 4, 8), (2, 3, 4)
"""The values of the guide."""

PAGE, PUBLIC, RELEASES = "index.html", "public", "releases"
"""What lies beside the data files and the histograms: the page, the release to be given away, and all releases."""


@dataclass(frozen=True)
class GuideCase:
    """One release of the guide: k alone, or k with l.

    >>> GuideCase(8).ending, GuideCase(8, 4).ending, GuideCase.parse("8_4")
    ('_8_anonimizado.csv', '_8_4.csv', GuideCase(k=8, l=4))
    """

    k: int
    l: int | None = None

    @classmethod
    def parse(cls, name: str) -> GuideCase | None:
        """The case whose output directory has a name; None where no case has."""
        found = re.fullmatch("([0-9]+)(?:_([0-9]+))?", name)
        return None if found is None else cls(int(found[1]), None if found[2] is None else int(found[2]))

    @property
    def name(self) -> str:
        """The name of its output directory."""
        return f"{self.k}" if self.l is None else f"{self.k}_{self.l}"

    @property
    def ending(self) -> str:
        """What its data file is called, after the name of the original table."""
        return f"_{self.k}_anonimizado.csv" if self.l is None else f"_{self.k}_{self.l}.csv"

    @property
    def histogram(self) -> str:
        """The name of its picture."""
        return f"histograma_k_{self.k}.png" if self.l is None else f"histograma_l_{self.k}_{self.l}.png"

    @property
    def models(self) -> list[dict[str, Any]]:
        """What it promises, as a policy writes it."""
        diversity = [] if self.l is None else [{"model": "l-diversity", "l": self.l}]
        return [{"model": "k-anonymity", "k": self.k}, *diversity]

    def promises(self, other: GuideCase) -> bool:
        """Whether it keeps the promise of another case."""
        return self.k >= other.k and (self.l or 0) >= (other.l or 0)


@dataclass(frozen=True)
class GuideResult:
    """A case, the share of the records that it may suppress, and the report of its release, or why there is none."""

    case: GuideCase
    limit: float
    report: dict[str, Any] | None = None
    why: str = ""

    @property
    def suppressed_share(self) -> float:
        """The share of the records that were suppressed."""
        return 0.0 if self.report is None else float(self.report["suppressed"] / self.report["records"])


@dataclass(frozen=True)
class GuideNode:
    """A node of the lattice with nothing suppressed: its classes, its smallest, and the fewest sensitive values."""

    levels: tuple[int, ...]
    classes: int
    smallest: int
    fewest: int | None  # distinct values of a sensitive attribute in a class; None without such an attribute


@dataclass(frozen=True)
class LinkageTrial:
    """Record linkage by the quasi-identifiers: the people whose record is found, and the highest probability."""

    exposed: int
    highest: float


@dataclass(frozen=True)
class Remainder:
    """A class of one release in which a single person is left when the other release is subtracted."""

    values: tuple[Label, ...]
    records: int


@dataclass(frozen=True)
class PairTrial:
    """Two releases subtracted from each other. The ``remainders`` are classes of the ``minuend``."""

    minuend: GuideCase
    subtrahend: GuideCase
    remainders: tuple[Remainder, ...] = ()

    @property
    def exposed(self) -> int:
        """The people who are left alone."""
        return len(self.remainders)


@dataclass(frozen=True)
class ColumnChange:
    """A column before and after: the distinct values, and the most frequent value of a quasi-identifier."""

    name: str
    role: Role
    before: int | None = None
    after: int | None = None
    example: tuple[Label, Label] | None = None
    reason: Text | None = None  # why the role was suggested


@dataclass(frozen=True)
class Guide:
    """All releases of a run, the one to be given away, and the attacks that were tried."""

    source: str
    records: int
    columns: tuple[ColumnChange, ...]
    suggested: bool  # whether the roles are suggestions
    invented: bool  # whether the people are
    results: tuple[GuideResult, ...]
    chosen: GuideCase
    unsuppressed: tuple[tuple[GuideCase, ReleaseTrial], ...]
    nodes: tuple[GuideNode, ...]
    linkage: Mapping[GuideCase | None, LinkageTrial]  # of the original table (None), of k alone, and of the chosen one
    together: PairTrial | None  # None where all releases are at one node
    warnings: tuple[str, ...] = ()

    @property
    def quasi_identifiers(self) -> tuple[str, ...]:
        """The columns that are recoded, in the order of the policy and so of all levels."""
        return tuple(dict(self.achieved)[self.chosen]["levels"])

    @property
    def sensitive(self) -> tuple[str, ...]:
        """The columns that are protected."""
        return tuple(column.name for column in self.columns if column.role is Role.SENSITIVE)

    @property
    def explained(self) -> bool:
        """Whether the page says why each role was suggested: its reader must decide, unless the people are invented."""
        return self.suggested and not self.invented

    @property
    def achieved(self) -> tuple[tuple[GuideCase, dict[str, Any]], ...]:
        """The cases that have a release, with its report."""
        return tuple((result.case, result.report) for result in self.results if result.report is not None)

    @property
    def strongest(self) -> bool:
        """Whether the release to be given away keeps the promises of all."""
        return all(self.chosen.promises(case) for case, _ in self.achieved)

    def file(self, case: GuideCase) -> str:
        """The name of the data file of a case."""
        return f"{stem(self.source)}{case.ending}"

    def as_dict(self) -> dict[str, Any]:
        """What ``--json`` prints."""
        pair = self.together
        return {
            "source": self.source,
            "records": self.records,
            "roles": {column.name: str(column.role) for column in self.columns},
            "roles_suggested": self.suggested,
            "releases": [self._release_as_dict(result) for result in self.results],
            "give_away": PUBLIC,
            "without_suppression": [
                {
                    "k": case.k,
                    "l": case.l,
                    "levels": trial.levels,
                    "precision": trial.value,
                    "average_class_size": self.records / trial.classes if trial.classes else None,
                }
                for case, trial in self.unsuppressed
            ],
            "attacks": {
                "record_linkage": {
                    "original" if case is None else f"{RELEASES}/{case.name}": asdict(trial)
                    for case, trial in self.linkage.items()
                },
                "differencing": None
                if pair is None
                else {"releases": [pair.minuend.name, pair.subtrahend.name], "exposed": pair.exposed},
            },
        }

    def _release_as_dict(self, result: GuideResult) -> dict[str, Any]:
        case, report = result.case, result.report
        asked = {"k": case.k, "l": case.l, "suppression_limit": result.limit}
        if report is None:
            return {**asked, "status": "not achieved"}
        return {
            **asked,
            "status": "give away" if case == self.chosen else "alternative",
            "file": self.file(case),
            "histogram": case.histogram,
            "release": f"{RELEASES}/{case.name}",
            "levels": report["levels"],
            "precision": report["metrics"]["precision"],
            "average_class_size": report["classes"]["average"],
            "classes": report["classes"]["count"],
            "suppressed": report["suppressed"],
        }


def cases(ks: Iterable[int] = KS, ls: Iterable[int] = LS) -> list[GuideCase]:
    """Each k alone, and with every l up to k.

    >>> [case.name for case in cases()]
    ['2', '2_2', '4', '4_2', '4_3', '4_4', '8', '8_2', '8_3', '8_4']
    """
    return [case for k in ks for case in (GuideCase(k), *(GuideCase(k, l) for l in ls if l <= k))]


def choose(achieved: Sequence[GuideCase]) -> GuideCase:
    """The case to be given away: a diverse one where there is one, then the largest k, then the largest l.

    >>> choose([GuideCase(8), GuideCase(4, 2), GuideCase(4, 3)]).name
    '4_3'
    """
    return max(achieved, key=lambda case: (case.l is not None, case.k, case.l or 0))


def stem(source: str) -> str:
    """The name of a table without its endings.

    >>> stem("data/dados_covid-ce.csv.gz")
    'dados_covid-ce'
    """
    name = Path(source).name.removesuffix(".gz")
    return Path(name).stem
