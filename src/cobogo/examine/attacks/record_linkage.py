"""Record linkage: whose record is it?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from cobogo.data.hierarchy import Label
from cobogo.errors import DataError
from cobogo.examine.attacks.base import Attack, Finding, Findings, Input
from cobogo.examine.attacks.case import Case
from cobogo.examine.attacks.linkage_maps import Maps
from cobogo.examine.attacks.linking import Links, link
from cobogo.examine.attacks.masking import followed_by_distance, linkable
from cobogo.examine.attacks.rows import Rows
from cobogo.floor.arguments import choice, number, whole
from cobogo.floor.arrays import Floats, Ints
from cobogo.floor.catalogue import card

ROUNDS = 50
MATCHINGS = ("exact", "hierarchical", "probabilistic")


@card("record-linkage", title="record linkage")
@dataclass(frozen=True)
class RecordLinkage(Attack):
    r"""Find the record of each person in a table that the attacker has, by the columns that both share.

    So Sweeney found the governor of Massachusetts: of the voters of Cambridge six shared his birth date, three of them
    men, one of them in his ZIP code, and hospital records carried the same three columns.

    ``matching``: ``exact`` compares texts; ``hierarchical`` takes a record for a person's when each known value lies
    under the released one; ``probabilistic`` also admits records that disagree in up to ``misses`` columns, weighs how
    telling each agreement is, and estimates how often columns are right and how many of the people are in the release
    at all. With ``register``, the table is a list of everybody that the release may speak of: a record that fits n of
    them is each one's with 1/n, and nobody need be known to be in it.

    The null-map is the share of the records that match nobody in the table. With ``truth``, a column of both tables
    that tells whose a record is and that is not used to link, the wrong-map is the share that match only other people:
    measures for whoever holds the data.

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

    Guarantee: None: an attack finds, it does not protect. k-anonymity over every column that others may know bounds it
        by $1/k$.
    Limits: Columns that the release holds and the attacker's table does not are of no use to it. ``probabilistic``
        rests on estimates and takes columns to be independent.
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
    knows: ClassVar[str] = "a table about people, with some of the quasi-identifiers"
    defence: ClassVar[str] = (
        "k-anonymity over every column that others may know: no record then fits fewer than k people's values."
    )
    needs: ClassVar[frozenset[Input]] = frozenset({"knowledge"})

    def __post_init__(self) -> None:
        number(self.name, "threshold", self.threshold, least=0, most=1)
        choice(self.name, "matching", self.matching, MATCHINGS)
        whole(self.name, "misses", self.misses, least=0)

    @property
    def assumed(self) -> dict[str, Any]:
        """Without the misses that are not allowed."""
        return {k: v for k, v in super().assumed.items() if k != "misses" or self.matching == "probabilistic"}

    def _others(self, case: Case) -> list[str] | None:
        """The columns to link by where one is the truth; None for all."""
        if self.truth is None or case.knowledge is None:
            return None
        names = linkable(case.release) or case.release.rows.names
        return [name for name in names if name != self.truth and name in case.knowledge.columns]

    def idle(self, case: Case) -> str | None:
        """Values that were changed are followed by distance, not by what they stand for."""
        return super().idle(case) or followed_by_distance(case.release)

    def run(self, case: Case) -> Findings:
        """For each person, the surest record."""
        assert case.knowledge is not None
        uncertain = self.matching == "probabilistic"
        links = link(
            case.knowledge,
            case.release,
            columns=self.columns or self._others(case),
            exact=self.matching == "exact",
            misses=self.misses if uncertain else 0,
        )
        measures: dict[str, float | int | None] = {"columns used": len(links.columns)}
        if uncertain:
            pairs, estimates = _weighed(links, case.release.rows.count)
        else:
            estimates = {}
            many = links.people[links.targets] if self.register else links.records[links.owners]
            pairs = 1 / np.maximum(many, 1)
        sure = links.most(pairs)
        people = links.known.ids
        linked = np.flatnonzero(sure[people] > 0)
        record = _records(links, pairs)[people][linked]
        confidence = sure[people][linked]
        measures["people with some matching record"] = len(linked)
        if not uncertain:
            measures["people with one matching record"] = int((links.records == 1)[people].sum())
        measures["expected right links"] = float(confidence.sum())
        mapped = _mapped(case.knowledge, case.release.rows, links, self.truth)
        measures["null-map"] = mapped if isinstance(mapped, float) else mapped.null
        if isinstance(mapped, Maps):
            measures["wrong-map"] = mapped.wrong
        return self.found(
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


def _mapped(known: Rows, released: Rows, links: Links, truth: str | None) -> Maps | float:
    """Null-map and, where it is known whose each record is, wrong-map; only the first where it is not."""
    matched = (links.people > 0)[links.released.ids]
    if truth is None:
        return float((~matched).mean())
    for rows in (known, released):
        if truth not in rows.columns:
            raise DataError(
                f'has no column "{truth}"', where=rows.name, remedy="Name one of both tables: --set truth=…."
            )
    index: dict[Label, int] = {label: code for code, label in enumerate(known.labels(truth)) if label is not None}
    whose = np.array([index.get(label, -1) for label in released.labels(truth)], dtype=np.int64)[released.codes(truth)]
    person = np.zeros(len(known.labels(truth)) + 1, dtype=np.int64)
    person[known.codes(truth)] = links.known.ids
    width = max(len(links.released), 1)
    pairs = links.owners * width + links.targets
    right = (whose >= 0) & np.isin(person[whose] * width + links.released.ids, pairs)
    return Maps(float((~matched).mean()), float((matched & ~right).mean()), float(right.mean()))


def _records(links: Links, pairs: Floats) -> Ints:
    """The row of the release that each known tuple most probably is, where there is one such row; otherwise 0."""
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


def _weighed(links: Links, records: int) -> tuple[Floats, dict[str, float | int | None]]:
    """For each pair, how probably one of the records of the released tuple is the known person's.

    A person is in the release with a probability that is estimated, and then one of its records, each equally likely
    before any column is looked at. A column of the right record agrees with a probability m, which is estimated, too;
    of another record, as often as chance has it for that value. Nobody has two records. Expectation and maximization.
    """
    owners, targets = links.owners, links.targets
    width = len(links.columns)
    agrees = ((links.missed[:, None] >> np.arange(width)) & 1) == 0
    counts = [
        np.bincount(links.released.codes[:, column], links.released.sizes, _codes(links, column))
        for column in range(width)
    ]
    chance = np.array([
        fits.agreeing(counts[column].astype(np.int64))[links.known.codes[:, column]] / max(records, 1)
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
        "estimated share of the people who are in the release": present,
        **{
            f"estimated share of right values of {name}": float(m) for name, m in zip(links.columns, right, strict=True)
        },
    }


def _codes(links: Links, column: int) -> int:
    """How many codes a released column may have."""
    options = links.compatible[column].options
    return 1 + max(int(links.released.codes[:, column].max(initial=0)), int(options.max(initial=0)))
