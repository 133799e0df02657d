"""The contract of an attack, and of what it finds.

An attack says what its attacker knows, what can be found with that, how surely, about whom, and what helps against it.
To add one: one frozen dataclass that extends `Attack` and carries a card, whose fields are its options, and one line in
`examine.attacks.ATTACKS`. It is then a command (``cobogo attack NAME``), it is listed, and the conformance suite asks
of it what is asked of all. Findings name people by the numbers of their rows; no value of a table is ever shown.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np

from cobogo.floor.arguments import number
from cobogo.floor.arrays import Floats, Ints, Mask
from cobogo.floor.catalogue import Card
from cobogo.floor.language import Text, tr, trn
from cobogo.floor.representation import brief, tiles

if TYPE_CHECKING:
    from cobogo.examine.attacks.case import Case

SLACK = 1e-9
"""What rounding may add to a confidence: a person is exposed beyond the threshold by more than this."""

SHOWN = 1000
"""Rows that ``to_dict`` lists; `Findings.exposed` has them all."""

Input = Literal["knowledge", "control", "queries"]
"""What an attack may be given besides releases: a table about people that the attacker knows, a table about people who
are known not to be in the release, and queries that were answered."""

Finding = Literal["record", "value", "presence"]
"""What an attack finds: the record of a person (re-identification), a person's value (inference), or that a person is
in the data (presence)."""


def severity(found: Iterable[str]) -> Literal["nobody", "inferred", "exposed"]:
    """What attacks that succeed do to people, by what they find: values are only inferred, people are exposed.

    >>> severity([]), severity(["value"]), severity(["value", "record"])
    ('nobody', 'inferred', 'exposed')
    """
    kinds = set(found)
    return "nobody" if not kinds else "inferred" if kinds == {"value"} else "exposed"


Score = Literal["confidence", "gain"]
"""What is compared with the threshold: the attacker's confidence, or by how much it exceeds the baseline."""

RELEASE_NAMES = {
    "recoding": tr("a recoded table"),
    "perturbation": tr("a perturbed table"),
    "randomization": tr("a randomized table"),
    "buckets": tr("a table with buckets"),
    "masking": tr("a masked table"),
    "synthesis": tr("a synthetic table"),
    "sampling": tr("a sampled table"),
    "trajectories": tr("a table of trajectories"),
    "trip-synthesis": tr("a table of synthetic trips"),
    "location-reports": tr("a table of noisy positions"),
    "mobility": tr("a table of movements"),
    "flows": tr("a table of flows between areas"),
}
"""What the kinds of release are called."""


@dataclass(frozen=True, eq=False, repr=False)
class Findings:
    """What an attack found: for each row in ``rows``, the attacker's confidence.

    ``baseline`` is the confidence that anybody would have without the attack; a row is exposed only where the attack
    exceeds it. The score of a row is the attacker's confidence (``by`` confidence) or how much it exceeds the baseline
    (``by`` gain).

    >>> found = Findings("toy", "release", np.array([1, 4]), np.array([0.2, 1.0]), threshold=0.5, attacked=9)
    >>> found.succeeded, found.exposed.tolist(), found.highest
    (True, [4], 1.0)
    """

    attack: str
    rows_of: str  # whose rows are numbered: "knowledge", "release", "release 2"
    rows: Ints  # ascending; the first row of data is 1
    confidence: Floats  # from 0 to 1, one for each of the rows
    threshold: float
    attacked: int  # all rows that the attack tried to find, in ``rows`` or not
    summary: str = ""  # one or two sentences
    knows: str = ""
    defence: str = ""
    baseline: Floats | None = None
    by: Score = "confidence"
    measures: Mapping[str, float | int | None] = field(default_factory=dict)  # further figures, by name
    notes: tuple[str, ...] = ()  # what could be done in part only
    records: Ints | None = None  # for each of the rows, the one row of the release that was found; 0 where none was
    untried: str = ""  # why an empty result proves nothing, as part of a sentence; empty where it was tried
    finds: Finding = "record"
    assumes: Mapping[str, Any] = field(default_factory=dict)  # the attack's options besides the threshold

    def __repr__(self) -> str:
        found = f"{len(self.exposed):,} of {self.attacked:,} rows beyond {self.threshold:g}"
        return brief(self, self.attack, found, f"highest confidence {self.highest:.3g}")

    def _repr_html_(self) -> str:
        """The figures, for a notebook; no value of the data."""
        figures = [
            (tr("exposed rows"), f"{len(self.exposed):,}", tr("beyond {threshold:g}", threshold=self.threshold)),
            (tr("attacked rows"), f"{self.attacked:,}", self.attacked_table),
            (tr("highest confidence"), f"{100 * self.highest:.3g} %", self.knows),
        ]
        said = [self.summary, self.defence if self.succeeded else self.untried, *self.notes]
        return tiles(self.attack, figures, [text for text in said if text])

    def __bool__(self) -> bool:
        return self.succeeded

    @property
    def attacked_table(self) -> Text:
        """Whose rows are numbered, for a sentence: "of the release"."""
        if self.rows_of == "knowledge":
            return tr("of the knowledge")
        _, _, number = self.rows_of.partition(" ")
        return tr("of release {number}", number=number) if number else tr("of the release")

    @property
    def score(self) -> Floats:
        """For each row, the number that is compared with the threshold."""
        if self.by == "gain" and self.baseline is not None:
            return self.confidence - self.baseline
        return self.confidence

    @property
    def beyond(self) -> Mask:
        """Which rows exceed the threshold, and the baseline."""
        above: Mask = self.score > self.threshold + SLACK
        return above if self.baseline is None else above & (self.confidence > self.baseline + SLACK)

    @property
    def exposed(self) -> Ints:
        """The rows beyond the threshold."""
        return self.rows[self.beyond]

    @property
    def succeeded(self) -> bool:
        """Whether any row is exposed."""
        return bool(self.beyond.any())

    @property
    def tried(self) -> bool:
        """Whether the attack could be tried, so that an empty result means something; one that succeeded was tried."""
        return self.succeeded or not self.untried

    @property
    def highest(self) -> float:
        """The largest confidence."""
        return float(self.confidence.max(initial=0.0))

    @property
    def surest(self) -> tuple[float, float | None]:
        """The largest score, and the baseline of the same row."""
        if not len(self.rows):
            return 0.0, None
        place = int(np.argmax(np.where(self.beyond, self.score, -1.0) if self.succeeded else self.score))
        return float(self.score[place]), None if self.baseline is None else float(self.baseline[place])

    def to_dict(self) -> dict[str, Any]:
        """Figures and row numbers for ``--json``: the surest first, at most `SHOWN` of them."""
        chosen = np.flatnonzero(self.beyond)
        order = chosen[np.argsort(-self.score[chosen], kind="stable")][:SHOWN]
        listed = []
        for place in order:
            entry: dict[str, Any] = {"row": int(self.rows[place]), "confidence": round_figure(self.confidence[place])}
            if self.baseline is not None:
                entry["before"] = round_figure(self.baseline[place])
            if self.records is not None and self.records[place]:
                entry["record"] = int(self.records[place])
            listed.append(entry)
        return {
            "attack": self.attack,
            "finds": self.finds,
            "tried": self.tried,
            "succeeded": self.succeeded,
            "threshold": self.threshold,
            "by": self.by,
            "attacked": self.attacked,
            "exposed": len(chosen),
            "highest": round_figure(self.highest),
            "surest": round_figure(self.surest[0]),
            "surest_before": round_figure(self.surest[1]),
            "average": round_figure(self.confidence.sum() / max(self.attacked, 1)),
            "baseline": None if self.baseline is None else round_figure(self.baseline.sum() / max(self.attacked, 1)),
            "measures": {name: round_figure(value) for name, value in self.measures.items()},
            "knows": self.knows,
            "assumes": {
                name: list(value) if isinstance(value, tuple) else value for name, value in self.assumes.items()
            },
            "untried": self.untried,
            "summary": self.summary,
            "defence": self.defence,
            "rows_of": self.rows_of,
            "rows": listed,
            "rows_left_out": len(chosen) - len(listed),
            "notes": list(self.notes),
        }


class AnyAttack(ABC):
    """What attacks on tables (`Attack`) and on positions (`cobogo.locate.attacks.LocationAttack`) have in common.

    Attacks are frozen dataclasses whose fields are their options. A case is what an attack looks at.
    """

    name: ClassVar[str]
    knows: ClassVar[str]  # what the attacker knows besides what was released: part of a sentence

    @abstractmethod
    def run(self, case: Any, /) -> Any:
        """Attack a case of which `lacks` says that nothing is missing; return the findings."""

    @abstractmethod
    def lacks(self, case: Any, /) -> str | None:
        """What is missing in a case for this attack, as part of a sentence; None where it can be run."""


class Attack(AnyAttack):
    """The contract of an attack on released tables. Its fields are the options, ``threshold`` among them.

    The first sentence of the docstring is what ``cobogo list attacks`` shows.
    """

    name: ClassVar[str]
    card: ClassVar[Card]
    knows: ClassVar[str]  # what the attacker knows besides the release: part of a sentence
    defence: ClassVar[str]  # a sentence
    releases: ClassVar[tuple[int, int]] = (1, 1)  # how many it looks at, at least and at most
    needs: ClassVar[frozenset[Input]] = frozenset()
    uses: ClassVar[frozenset[Input]] = frozenset()  # besides what it needs
    against: ClassVar[frozenset[str] | None] = (
        None  # the kinds of release (`PublishedTable.kind`) an audit tries it on; any
    )

    from_original: ClassVar[bool] = True  # whether an audit may take the original table for the attacker's knowledge

    finds: ClassVar[Finding]
    near: ClassVar[bool] = False  # whether a guess counts as right that is only near: a similar value, a range

    threshold: float
    """A row whose score exceeds this is exposed."""

    def __post_init__(self) -> None:
        number(self.name, "threshold", self.threshold, least=0, most=1)

    @abstractmethod
    def run(self, case: Case) -> Findings:
        """Attack a case that lacks nothing."""

    def lacks(self, case: Case) -> str | None:
        """What is missing in a case for this attack, as part of a sentence; None where it can be run."""
        least, most = self.releases
        if not least <= len(case.releases) <= most:
            given = len(case.releases)
            if least == most:
                return trn(
                    "attacks {n} release, and it was given {given}",
                    "attacks {n} releases, and it was given {given}",
                    n=least,
                    given=given,
                )
            return tr("attacks {least} or more releases, and it was given {given}", least=least, given=given)
        missing = [name for name in sorted(self.needs) if getattr(case, name) is None]
        return tr("needs {options}", options=", ".join(f"--{name}" for name in missing)) if missing else None

    def skip_reason(self, case: Case) -> str | None:
        """Why an audit may leave this attack out for a case, as part of a sentence; None where it should run it."""
        if self.against is not None and any(release.kind not in self.against for release in case.releases):
            kind = release_kind(case.releases[-1].kind)
            if not self.against:
                return tr("applies to answers to queries; this release is {kind}", kind=kind)
            first, *others = (release_kind(name) for name in sorted(self.against))
            kinds = tr("{first} or {other}", first=first, other=others[0]) if others else first
            return tr("applies to {kinds}; this release is {kind}", kinds=kinds, kind=kind)
        return None

    def build_findings(self, rows_of: str, rows: Ints, confidence: Floats, *, attacked: int, **more: Any) -> Findings:
        """Findings of this attack, with a summary that counts the rows that are exposed."""
        findings = Findings(
            self.name,
            rows_of,
            rows,
            confidence,
            self.threshold,
            attacked,
            knows=self.knows,
            defence=self.defence,
            finds=self.finds,
            assumes=self.assumptions,
            **more,
        )
        return replace(findings, summary=self.outcome(findings))

    @property
    def assumptions(self) -> dict[str, Any]:
        """The options besides the threshold and the seed: what the attacker is assumed to know and do."""
        options = {option.name: getattr(self, option.name) for option in fields(self)}  # type: ignore[arg-type]
        return {
            name: value for name, value in options.items() if name not in ("threshold", "seed") and value is not None
        }

    def outcome(self, findings: Findings) -> str:
        """The summary of findings, in words."""
        if not findings.tried:
            return tr("Not tried: {why}. No row is found, which proves nothing.", why=findings.untried)
        said: dict[str, Any] = {
            "table": findings.attacked_table,
            "threshold": self.threshold,
            "highest": _describe_surest(*findings.surest, findings.by),
        }
        exposed = len(findings.exposed)
        if not exposed:
            return (
                tr("No row {table} is found with a gain above {threshold:g} ({highest}).", **said)
                if findings.by == "gain"
                else tr("No row {table} is found with a confidence above {threshold:g} ({highest}).", **said)
            )
        if findings.by == "gain":
            return trn(
                "{n:,} row {table} (of {attacked:,}) is found with a gain above {threshold:g} ({highest}).",
                "{n:,} rows {table} (of {attacked:,}) are found with a gain above {threshold:g} ({highest}).",
                n=exposed,
                attacked=findings.attacked,
                **said,
            )
        return trn(
            "{n:,} row {table} (of {attacked:,}) is found with a confidence above {threshold:g} ({highest}).",
            "{n:,} rows {table} (of {attacked:,}) are found with a confidence above {threshold:g} ({highest}).",
            n=exposed,
            attacked=findings.attacked,
            **said,
        )


def _describe_surest(surest: float, before: float | None, by: str) -> Text:
    """The largest score, compared with its baseline."""
    if before is None:
        return tr("highest {surest:.4g}", surest=surest)
    if by == "gain":
        after = before + surest
        return tr("highest {surest:.4g}: from {before:.4g} to {after:.4g}", surest=surest, before=before, after=after)
    if surest <= before + SLACK:
        return tr("highest {surest:.4g}, which anybody knows without the attack", surest=surest)
    return tr("highest {surest:.4g}; without the attack {before:.4g}", surest=surest, before=before)


def release_kind(kind: str) -> str:
    """What a kind of release (`PublishedTable.kind`) is called."""
    return RELEASE_NAMES.get(kind, kind)


def round_figure(value: Any, digits: int = 12) -> float | int | None:
    """A figure for JSON: whole numbers exact, others to some significant digits, None for what is not finite."""
    if value is None or isinstance(value, int | np.integer):
        return None if value is None else int(value)
    number = float(value)
    return float(f"{number:.{digits}g}") if np.isfinite(number) else None
