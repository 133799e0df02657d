"""The α-β algorithm: a set of records in which originals hide among made-up ones (Rastogi, Suciu and Hong 2007).

Each record of the set I of distinct originals is kept with probability α + β. Each other possible record (the cross
product of the columns' domains, without I) is added with probability β. So a record's presence proves little, and its
absence little more. In the paper's description the second step goes over all possible records, and a record that
appears twice must be an original (the duplicate attack). Here it goes over those that are not in I, and the release is
a set.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from cobogo.data.policy import Role
from cobogo.data.table.columns import count_values, decode_column, encode_column, stream_columns
from cobogo.data.table.read import Table
from cobogo.errors import PolicyError, SearchTooLarge
from cobogo.floor.arrays import Ints
from cobogo.floor.catalogue import card
from cobogo.floor.language import Text, join, tr
from cobogo.floor.randomness import AT_ONCE, Source, coins, source
from cobogo.floor.untrusted import fraction
from cobogo.promises.guarantees.base import largest_posterior
from cobogo.promises.guarantees.ratios import DGammaPrivacy
from cobogo.promises.models.check import ModelVerdict
from cobogo.promises.models.promise import parameters
from cobogo.promises.operators import unexpectedly_rare
from cobogo.publish.randomize.columns import read_promises
from cobogo.publish.randomize.request import (
    AttributeValues,
    RandomizationRequest,
    attribute_values,
    warn_of_undeclared_domains,
)
from cobogo.release.contract import ENTROPY, SEED, CheckResult, Json, Meaning, Written
from cobogo.release.drawn import DrawnRows, Story

if TYPE_CHECKING:
    from cobogo.floor.language import Speech

MOST_POSSIBLE = 2**32
MOST_FAKES = 50_000_000


def _person_note(posterior: float, d: float) -> Text:
    """What an attacker may learn who knows that a person has one record."""
    return tr(
        "the guarantee is for attackers who treat records as independent; an attacker who knows that a person has one "
        "record, and so one sensitive value, may reach a probability of up to {posterior:.3g} from a prior of {d:g}",
        posterior=posterior,
        d=d,
    )


@card("alpha-beta", title="(α,β)-algorithm")
@dataclass(frozen=True)
class AlphaBeta:
    r"""Keeps some of the distinct records and adds invented ones, as a set.

    Each distinct original record is kept with probability α + β, and each other possible record is added with
    probability β, so that the presence of a record proves little. All columns are released in such records. Invented
    records are drawn from those that are not in the table, so no record appears twice.

    Formula: $\alpha = \frac{1 - d/\gamma}{1 + (1 - d/\gamma)/r}$ and $\beta = \frac{\alpha}{r}$ with $r = \frac{\gamma
        - d}{d\,(1 - \gamma)}$; the posterior odds of a record are $\frac{\alpha + \beta}{\beta}$ times the prior odds
    Example:
        >>> best = AlphaBeta.best(0.1, 0.4)
        >>> round(float(best.alpha), 3), round(float(best.beta), 3), round(best.person_posterior(0.1), 3)
        (0.652, 0.13, 0.727)

    Guarantee: (d, γ)-privacy, against attackers for whom records are independent.
    Limits: An attacker who knows that a person has one sensitive value learns more: 0.727 instead of 0.4 in the
        example. The number of possible records must be small, since the invented records are β times as many; the
        program says beforehand how many.
    Cost: $O(D)$ draws for D possible records.
    Paper: V. Rastogi, D. Suciu and S. Hong, The boundary between privacy and utility in data publishing, VLDB 2007.
    """

    alpha: Fraction
    beta: Fraction

    @classmethod
    def best(cls, d: float, gamma: float) -> AlphaBeta:
        """The probabilities with the least noise that meet (d, γ)-privacy, rounded so that both bounds hold:
        α = (1 − d/γ)/(1 + (1 − d/γ)/r), β = α/r, with r = (γ − d)/(d(1 − γ))."""
        low, high = Fraction(str(d)), Fraction(str(gamma))
        r = (high - low) / (low * (1 - high))
        room = 1 - low / high
        alpha = room / (1 + room / r)
        return cls(Fraction(math.floor(alpha * 2**40), 2**40), Fraction(math.ceil(alpha / r * 2**40), 2**40))

    @property
    def retention(self) -> Fraction:
        """The probability that an original record is released."""
        return self.alpha + self.beta

    def posterior(self, prior: float) -> float:
        """The posterior of a released record, for an attacker to whom records are independent."""
        return largest_posterior(prior, self.rise)

    @property
    def rise(self) -> float:
        """The ratio of the posterior odds of a released record to its prior odds."""
        return float(self.retention / self.beta)

    @property
    def fall(self) -> float:
        """The largest factor by which the probability of a record that is not released may fall."""
        return float((1 - self.beta) / (1 - self.retention)) if self.retention < 1 else math.inf

    def person_posterior(self, prior: float) -> float:
        """The posterior of a person's one value if, of all their possible records, only the one with it is released.

        The absence of the others is evidence for it as well.
        """
        mine, others = self.retention * (1 - self.beta), self.beta * (1 - self.retention)
        return largest_posterior(prior, float(mine / others)) if others else 1.0


def draw_set(originals: Ints, possible: int, chances: AlphaBeta, source: Source) -> Ints:
    """Draw the released records, as ranks among all possible ones; ``originals`` are sorted and distinct."""
    kept = originals[coins(chances.retention, len(originals), source)]
    added = []
    for start in range(0, possible, AT_ONCE):
        ranks = start + np.flatnonzero(coins(chances.beta, min(AT_ONCE, possible - start), source))
        place = np.minimum(np.searchsorted(originals, ranks), max(len(originals) - 1, 0))
        added.append(ranks[originals[place] != ranks] if len(originals) else ranks)
    return np.concatenate([kept, *added])


@dataclass(frozen=True, eq=False, repr=False)
class SetRelease(DrawnRows):
    """All released columns as one set of records."""

    values: tuple[AttributeValues, ...]
    chances: AlphaBeta
    guarantees: tuple[DGammaPrivacy, ...]
    records: int  # of the original
    sensitive: tuple[str, ...]
    seed: int | None = None

    kind = "randomization"
    method = "alpha-beta"

    @property
    def sizes(self) -> tuple[int, ...]:
        """The size of each column's domain."""
        return tuple(len(values.labels) for values in self.values)

    @property
    def possible(self) -> int:
        """How many records are possible."""
        return math.prod(self.sizes)

    def batches(self, table: Table, columns: Sequence[str]) -> Iterator[Any]:
        """Encode the originals as ranks, draw the set, and decode its records."""
        import pyarrow as pa

        places = {values.attribute: values.places for values in self.values}
        parts = [
            np.ravel_multi_index(tuple(encode_column(batch.column(name), places[name]) for name in columns), self.sizes)
            for batch in stream_columns(table, columns, texts=columns)
        ]
        released = draw_set(np.unique(np.concatenate(parts)), self.possible, self.chances, source(self.seed))
        for start in range(0, max(len(released), 1), AT_ONCE):
            unravelled = np.unravel_index(released[start : start + AT_ONCE], self.sizes)
            arrays = [decode_column(code, v.labels) for code, v in zip(unravelled, self.values, strict=True)]
            yield pa.RecordBatch.from_arrays(arrays, names=list(columns))

    @property
    def meanings(self) -> Mapping[str, Meaning]:
        return {v.attribute: Meaning(tr("as collected, or of an invented record")) for v in self.values}

    def statement(self) -> Json:
        return {
            "method": self.method,
            "entropy": ENTROPY if self.seed is None else SEED,
            "alpha": str(self.chances.alpha),
            "beta": str(self.chances.beta),
            "domains": {values.attribute: list(values.labels) for values in self.values},
        }

    def private_statement(self) -> Json:
        return {"seed": self.seed, "records": self.records}

    @property
    def model_entries(self) -> tuple[Json, ...]:
        return tuple(parameters(guarantee) for guarantee in self.guarantees)

    @property
    def warnings(self) -> tuple[str, ...]:
        fakes = float(self.chances.beta) * self.possible
        text = [
            tr(
                "about {invented:,.0f} records are invented, of {possible:,} possible ones; equal records became one",
                invented=fakes,
                possible=self.possible,
            )
        ]
        for guarantee in self.guarantees[:1]:
            posterior = self.chances.person_posterior(guarantee.d)
            text.append(_person_note(posterior, guarantee.d))
        return (*text, *warn_of_undeclared_domains(self.values))

    def explanation(self) -> str:
        what = tr(
            "The release is a set: each distinct original record was kept with the probability α + β, and each "
            "other possible record was added with the probability β, where α = {alpha:.9g} and β = {beta:.9g}. If v "
            "released records and N possible records meet a condition, about (v − β·N)/α of the distinct original "
            "records meet it.",
            alpha=float(self.chances.alpha),
            beta=float(self.chances.beta),
        )
        return join([tr("## {title}", title=tr("How records were randomized")), what], by="\n\n")

    def story(self, before: Table, after: Table, say: Speech) -> Story:
        from cobogo.publish.randomize.story import tell_set

        return tell_set(self, before, after, say)


def make(wanted: RandomizationRequest, table: Table) -> SetRelease:
    """Find the probabilities, and refuse what would need too many made-up records."""
    guarantees = tuple(g for g in wanted.guarantees if isinstance(g, DGammaPrivacy))
    if not guarantees or len(guarantees) != len(wanted.guarantees) or wanted.table.retention is not None:
        raise PolicyError(
            tr("alpha-beta computes its probabilities from (d, γ)-privacy, and cannot give another guarantee"),
            where=f"{wanted.policy.name}, privacy.models",
            remedy=tr(
                "Ask for {model}, and leave out retention.",
                model='{ model = "d-gamma-privacy", d = 0.05, gamma = 0.3 }',
            ),
        )
    gone = set(wanted.policy.with_role(Role.IDENTIFIER))
    known = {values.attribute: values for values in wanted.values}
    names = [name for name in table.columns if name not in gone]
    values = tuple(known.get(name) or attribute_values(name, wanted.table, table, wanted.where) for name in names)
    chances = AlphaBeta.best(min(g.d for g in guarantees), min(g.gamma for g in guarantees))
    possible = math.prod(len(v.labels) for v in values)
    fakes = float(chances.beta) * possible
    if possible > MOST_POSSIBLE or fakes > MOST_FAKES:
        raise SearchTooLarge(
            tr(
                "about {fakes:.3g} records would have to be invented, of {possible:.3g} possible ones",
                fakes=fakes,
                possible=possible,
            ),
            where=wanted.where,
            remedy=tr("Release fewer or coarser columns: give the role identifier to columns that are not needed."),
        )
    records = int(values[0].records.sum())
    return SetRelease(values, chances, guarantees, records, wanted.policy.sensitive, wanted.table.seed)


def check(written: Written) -> CheckResult:
    """Check that records are distinct, possible and as many as the probabilities lead to; recompute the guarantees."""
    stated, rows = written.statement, written.rows
    chances = AlphaBeta(fraction(stated["alpha"]), fraction(stated["beta"]))
    problems: list[str] = []
    if not (chances.alpha >= 0 and 0 < chances.beta <= chances.retention <= 1):
        problems.append(tr("α and β are not probabilities"))
    if count_duplicates(rows):
        problems.append(tr("a record is released twice, and one of the two must be an original"))
    for name, domain in stated["domains"].items():
        if set(count_values(rows, name)[0]) - set(domain):
            problems.append(tr('"{name}" has values that the manifest does not list', name=name))
    possible, found = math.prod(len(domain) for domain in stated["domains"].values()), rows.rows()
    if len(unexpectedly_rare(np.array([found]), possible, np.array([float(chances.beta)]))):
        problems.append(tr("fewer records are released than β alone would add"))
    verdicts = []
    for guarantee in read_promises(written, list(stated["domains"])):
        if isinstance(guarantee, DGammaPrivacy):
            verdicts.append(guarantee.check_odds(chances.rise, chances.fall))
        else:  # the columns of a set of records were not drawn one by one
            verdicts.append(ModelVerdict(guarantee, False, math.inf, None, 0))
    notes = [
        _person_note(chances.person_posterior(verdict.model.d), verdict.model.d)
        for verdict in verdicts[:1]
        if isinstance(verdict.model, DGammaPrivacy)
    ]
    return CheckResult(tuple(verdicts), tuple(problems), tuple(notes))


def count_duplicates(rows: Table) -> int:
    """How many released records appear more than once, which the duplicate attack uses."""
    names = list(rows.columns)
    texts = rows.expression.select(**{name: rows.text(name) for name in names})
    counts = texts.group_by(names).aggregate(cobogo_times=texts.count())
    several = counts.filter(counts["cobogo_times"] > 1)
    return int(rows.engine.fetch(several.aggregate(found=several.count()))["found"][0].as_py())
