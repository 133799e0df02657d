"""Record linkage: which record is a person's? Also null-map and wrong-map, which measure how linking fails."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from cobogo.data.hierarchy import Label
from cobogo.errors import DataError
from cobogo.examine.attacks.base import Attack, Finding, Findings, Input
from cobogo.examine.attacks.case import Case
from cobogo.examine.attacks.compatibility import linkable_columns, unlinkable_reason
from cobogo.examine.attacks.linking import Links, link
from cobogo.examine.attacks.rows import Rows
from cobogo.floor.arguments import choice, whole
from cobogo.floor.arrays import Floats, Ints
from cobogo.floor.catalogue import card
from cobogo.floor.language import tr

ROUNDS = 50
"""Rounds of estimation at most; it usually stops earlier, when no probability moves by 1e-9."""

MATCHINGS = ("exact", "hierarchical", "probabilistic")


@card("record-linkage", title="record linkage")
@dataclass(frozen=True)
class RecordLinkage(Attack):
    r"""Find the record of each person of a table that the attacker has, by the columns that both tables share.

    Sweeney found the governor of Massachusetts in this way. Six of the voters of Cambridge shared his birth date; three
    of them were men, and one of these lived in his ZIP code. Hospital records had the same three columns.

    ``matching`` says how records are compared. ``exact`` compares texts. ``hierarchical`` matches a record with a
    person if each known value lies under the released one. ``probabilistic`` also admits records that disagree in up to
    ``misses`` columns, weighs each agreement by its rarity, and estimates how often columns are right and how many of
    the people are in the release. With ``register``, the table lists everybody that the release may be about: a record
    that fits n of them belongs to each with probability 1/n, and the attacker need not know that a person is in the
    release.

    The null-map is the share of the records that match no person in the table. With ``truth``, a column of both tables
    that identifies the owner of a record and is not used to link, the wrong-map is the share of the records that match
    only other people. These measures are for the data holder.

    Formula: $\frac{1}{\lvert\{r : r \text{ matches } t\}\rvert}$, given that the person $t$ is in the release;
        probabilistic: $\Pr[r \mid t] \propto \prod_c \frac{m_c}{u_c}$ over the columns that agree and $\prod_c \frac{1
        - m_c}{1 - u_c}$ over those that do not
    Example:
        >>> from cobogo import attack
        >>> from cobogo.studies.worked_examples import roles, table
        >>> voters = table("name zip born sex", "Ana 02138 1945 M", "Bil 02139 1945 M", "Cal 02140 1945 M")
        >>> coarse = table("zip born sex ill", "021** 1945 * x", "021** 1945 * y", "02140 1945 M z")
        >>> policy = roles("zip born sex", "ill", zip={"mask": "right"})
        >>> attack("record-linkage", coarse, knowledge=voters, policy=policy).confidence.round(2).tolist()
        [0.5, 0.5, 0.33]

    Guarantee: None: an attack finds people, it does not protect them. k-anonymity over every column that others may
        know bounds it by $1/k$.
    Limits: It uses only columns of both tables. ``probabilistic`` relies on estimates and assumes that columns are
        independent.
    Cost: $O(n + m)$ for n people and m distinct tuples where values are equal, up to $O(n\,m)$ where hierarchies
        overlap in every column.
    Paper: L. Sweeney, k-anonymity: a model for protecting privacy, 2002. I. P. Fellegi and A. B. Sunter, A theory for
        record linkage, Journal of the American Statistical Association, 1969.
    """

    threshold: float = 0.5
    matching: str = "hierarchical"
    misses: int = 1
    register: bool = False
    columns: tuple[str, ...] | None = None
    truth: str | None = None

    finds: ClassVar[Finding] = "record"
    knows: ClassVar[str] = tr("a table about people, with some of the quasi-identifiers")
    defence: ClassVar[str] = tr(
        "k-anonymity over every column that others may know: then at least k records match each person."
    )
    needs: ClassVar[frozenset[Input]] = frozenset({"knowledge"})

    def __post_init__(self) -> None:
        super().__post_init__()
        choice(self.name, "matching", self.matching, MATCHINGS)
        whole(self.name, "misses", self.misses, least=0)

    @property
    def assumptions(self) -> dict[str, Any]:
        """``misses`` only where it is used."""
        return {k: v for k, v in super().assumptions.items() if k != "misses" or self.matching == "probabilistic"}

    def _columns_without_truth(self, case: Case) -> list[str] | None:
        """The columns to link by if one of them is the truth; None for all."""
        if self.truth is None or case.knowledge is None:
            return None
        names = linkable_columns(case.release) or case.release.rows.names
        return [name for name in names if name != self.truth and name in case.knowledge.columns]

    def skip_reason(self, case: Case) -> str | None:
        """Changed values are linked by distance instead."""
        return super().skip_reason(case) or unlinkable_reason(case.release)

    def run(self, case: Case) -> Findings:
        """For each person, the likeliest record."""
        assert case.knowledge is not None
        uncertain = self.matching == "probabilistic"
        links = link(
            case.knowledge,
            case.release,
            columns=self.columns or self._columns_without_truth(case),
            exact=self.matching == "exact",
            misses=self.misses if uncertain else 0,
        )
        measures: dict[str, float | int | None] = {tr("columns used"): len(links.columns)}
        if uncertain:
            pairs, estimates = _weigh_pairs(links, case.release.rows.count)
        else:
            estimates = {}
            many = links.people[links.targets] if self.register else links.records[links.owners]
            pairs = 1 / np.maximum(many, 1)
        sure = links.largest(pairs)
        people = links.known.ids
        linked = np.flatnonzero(sure[people] > 0)
        record = _likeliest_rows(links, pairs)[people][linked]
        confidence = sure[people][linked]
        measures[tr("people with some matching record")] = len(linked)
        if not uncertain:
            measures[tr("people with one matching record")] = int((links.records == 1)[people].sum())
        measures[tr("expected right links")] = float(confidence.sum())
        mapped = _linkage_maps(case.knowledge, case.release.rows, links, self.truth)
        measures[tr("null-map")] = mapped if isinstance(mapped, float) else mapped.null
        if isinstance(mapped, Maps):
            measures[tr("wrong-map")] = mapped.wrong
        return self.build_findings(
            "knowledge",
            linked + 1,
            confidence,
            baseline=np.full(len(linked), 1 / (case.knowledge if self.register else case.release.rows).count),
            attacked=case.knowledge.count,
            measures=measures | estimates,
            notes=links.notes,
            untried=links.untried,
            records=record,
        )


def _linkage_maps(known: Rows, released: Rows, links: Links, truth: str | None) -> Maps | float:
    """Null-map, wrong-map and right-map where the owner of each record is known; otherwise the null-map alone."""
    matched = (links.people > 0)[links.released.ids]
    if truth is None:
        return float((~matched).mean())
    for rows in (known, released):
        if truth not in rows.columns:
            raise DataError(
                tr('has no column "{name}"', name=truth),
                where=rows.name,
                remedy=tr("Name a column that both tables have: --set truth=…."),
            )
    index: dict[Label, int] = {label: code for code, label in enumerate(known.labels(truth)) if label is not None}
    whose = np.array([index.get(label, -1) for label in released.labels(truth)], dtype=np.int64)[released.codes(truth)]
    person = np.zeros(len(known.labels(truth)) + 1, dtype=np.int64)
    person[known.codes(truth)] = links.known.ids
    width = max(len(links.released), 1)
    pairs = links.owners * width + links.targets
    right = (whose >= 0) & np.isin(person[whose] * width + links.released.ids, pairs)
    return Maps(float((~matched).mean()), float((matched & ~right).mean()), float(right.mean()))


def _likeliest_rows(links: Links, pairs: Floats) -> Ints:
    """For each known tuple, the likeliest row of the release; 0 where several are equally likely, or none is."""
    order = np.lexsort((-pairs, links.owners))
    found = np.zeros(len(links.known), dtype=np.int64)
    some = np.diff(links.offsets) > 0
    best = order[links.offsets[:-1][some]]
    following = np.append(order, 0)[np.minimum(links.offsets[:-1][some] + 1, len(order))]
    tied = (np.diff(links.offsets)[some] > 1) & (pairs[following] >= pairs[best])
    target = links.targets[best]
    single = (links.released.sizes[target] == 1) & ~tied
    found[some] = np.where(single, links.released.first_rows()[target], 0)
    return found


def _weigh_pairs(links: Links, records: int) -> tuple[Floats, dict[str, float | int | None]]:
    """For each pair, the probability that a record of the released tuple is the known person's.

    A person is in the release with an estimated probability, and has one of its records, all equally likely a priori.
    A column of the right record agrees with probability m, which is estimated; a column of another record agrees as
    often as the value is compatible with released records. Expectation and maximization.
    """
    owners, targets = links.owners, links.targets
    width = len(links.columns)
    agrees = ((links.missed[:, None] >> np.arange(width)) & 1) == 0
    counts = [
        np.bincount(links.released.codes[:, column], links.released.sizes, _codes(links, column))
        for column in range(width)
    ]
    chance = np.array([
        fits.count_agreeing(counts[column].astype(np.int64))[links.known.codes[:, column]] / max(records, 1)
        for column, fits in enumerate(links.compatible)
    ]).reshape(width, len(links.known)).T[owners]  # fmt: skip
    sizes, people = links.released.sizes[targets], links.known.sizes[owners]
    right, present = np.full(width, 0.9), 0.9
    with np.errstate(divide="ignore"):
        telling = np.log(np.where(agrees, np.maximum(chance, 1e-300), np.maximum(1 - chance, 1e-300)))
    sure = np.zeros(len(targets))
    for _ in range(ROUNDS):
        weight = (np.where(agrees, np.log(right), np.log(1 - right)) - telling).sum(axis=1)
        odds = present / max(records, 1) * np.exp(np.minimum(weight, 600.0))
        sure = odds / (links.sums(odds * sizes)[owners] + 1 - present)
        expected = sure * sizes * people
        total = max(float(expected.sum()), 1e-300)
        now = np.clip((expected[:, None] * agrees).sum(axis=0) / total, 0.5, 1 - 1e-9)
        moved = np.abs(now - right).max(initial=0.0)
        right, present = now, float(np.clip(total / max(int(links.known.sizes.sum()), 1), 1e-9, 1 - 1e-12))
        if moved < 1e-9:
            break
    return sure, {
        tr("estimated share of the people who are in the release"): present,
        **{
            tr("estimated share of right values of {name}", name=name): float(m)
            for name, m in zip(links.columns, right, strict=True)
        },
    }


def _codes(links: Links, column: int) -> int:
    """How many codes a released column may have."""
    options = links.compatible[column].options
    return 1 + max(int(links.released.codes[:, column].max(initial=0)), int(options.max(initial=0)))


Row = tuple[Label, ...]


@dataclass(frozen=True)
class Maps:
    """The shares of released tuples that match nobody, only wrong people, and the right person."""

    null: float
    wrong: float
    right: float


def maps(released: Sequence[Row], owners: Sequence[Hashable | None], external: Mapping[Hashable, Row]) -> Maps:
    """Link released tuples with an external table, and compare the matches with the truth.

    ``owners`` is the truth: the owner of each released tuple, None for a made-up one. ``external`` holds each known
    person's values, generalized as the release is. NULL matches NULL only. All shares of an empty release are 0.

    These are measures, not guarantees (Sweeney 2002): they compare with one external table and need the truth. They say
    something about perturbed, swapped and synthetic records; generalized records always match their owner, if the table
    has them.

    >>> external = {"Ann": ("f", "60*"), "Bob": ("m", "60*"), "Eve": ("f", "71*")}
    >>> maps([("f", "60*"), ("m", "71*"), ("f", "71*")], ["Ann", "Bob", "Bob"], external)
    Maps(null=0.3333333333333333, wrong=0.3333333333333333, right=0.3333333333333333)
    """
    matching: dict[Row, set[Hashable]] = {}
    for person, row in external.items():
        matching.setdefault(tuple(row), set()).add(person)
    null = wrong = 0
    for row, owner in zip(released, owners, strict=True):
        found = matching.get(tuple(row), set())
        null += not found
        wrong += bool(found) and (owner is None or owner not in found)
    total = max(len(released), 1)
    return Maps(null / total, wrong / total, (len(released) - null - wrong) / total)
