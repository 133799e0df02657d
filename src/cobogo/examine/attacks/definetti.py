"""De Finetti's attack: learn from the buckets which quasi-identifiers go with which values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from cobogo.errors import DataError
from cobogo.examine.attacks.base import Attack, Finding, Findings, Input
from cobogo.examine.attacks.case import Case
from cobogo.examine.attacks.linking import link
from cobogo.examine.attacks.rows import concatenate_ranges
from cobogo.examine.attacks.suspects import Suspects, attacked_attributes, suspects
from cobogo.floor.arguments import whole
from cobogo.floor.arrays import Floats, Ints
from cobogo.floor.catalogue import card
from cobogo.floor.language import tr

SMOOTH = 1.0
"""Added to each count of the naive Bayes model (Laplace), so that no probability is 0."""

BALANCES = 20
"""Steps of iterative proportional fitting in a round; what a round leaves unbalanced the next one corrects."""


@card("definetti", title="de Finetti")
@dataclass(frozen=True)
class DeFinetti(Attack):
    r"""Guess which sensitive value belongs to which person in an anatomized release, by learning from it how values
    depend on the quasi-identifiers.

    A bucket has two smokers and one cancer; other buckets show which quasi-identifiers go with cancer. The attack
    learns a naive Bayes model of the quasi-identifiers given the value from all buckets: each record counts for the
    values of its bucket in proportion to the current beliefs. The model then gives new beliefs, scaled so that each
    bucket has as many of each value as it was released with. This is repeated ``rounds`` times. The baseline is the
    share of the value in the bucket. With ``--knowledge`` (the original table), the share of right guesses is measured.

    Formula: $\Pr[s \mid r] \propto \pi_B(s) \prod_c \theta_{c}(r_c \mid s)$ with $\theta$ learnt from the beliefs, and
        $\pi_B$ scaled so that $\sum_{r \in B} \Pr[s \mid r] = n_B(s)$
    Example: The habit reveals the illness four times in five.
        >>> from tempfile import TemporaryDirectory
        >>> from cobogo import anonymize, attack
        >>> from cobogo.studies.worked_examples import roles, table
        >>> ill = ["cancer", "flu", "asthma", "gout"] * 40
        >>> habits = [ill[n] if n % 5 else ill[n - 1] for n in range(160)]
        >>> people = table("n habit ill", *[f"{n % 23} likes-{habits[n]} {ill[n]}" for n in range(160)])
        >>> policy = roles("n habit", "ill") | {"recoding": {"algorithm": "anatomy"}}
        >>> policy["privacy"] = {"models": [{"model": "l-diversity", "l": 3}]}
        >>> with TemporaryDirectory() as place:
        ...     written = anonymize(people, policy).write(f"{place}/anatomized")
        ...     attack("definetti", f"{place}/anatomized", knowledge=people).measures[tr("share guessed right")] > 0.5
        True

    Guarantee: None: an attack finds people, it does not protect them. Classes instead of buckets help; (B,t)-privacy
        and Injector take into account what columns reveal about each other.
    Limits: Naive Bayes assumes that columns are independent given the value. The attack finds nothing where columns are
        independent of the sensitive attribute.
    Cost: $O(r\,n\,v\,c)$ for r rounds, n records, the v values of a bucket and c columns.
    Paper: D. Kifer, Attacks on privacy and deFinetti's theorem, SIGMOD 2009.
    """

    threshold: float = 0.25
    attribute: str | None = None
    rounds: int = 20

    finds: ClassVar[Finding] = "value"
    against: ClassVar[frozenset[str] | None] = frozenset({"buckets"})
    knows: ClassVar[str] = tr("only the release, and that other people's records resemble this one")
    defence: ClassVar[str] = tr(
        "Release classes instead of buckets; or use (B,t)-privacy or Injector, which consider what columns reveal of "
        "each other."
    )
    uses: ClassVar[frozenset[Input]] = frozenset({"knowledge"})

    def __post_init__(self) -> None:
        super().__post_init__()
        whole(self.name, "rounds", self.rounds, least=1)

    def run(self, case: Case) -> Findings:
        """For each record, the value whose belief gains most."""
        release = case.release
        if release.manifest is None or release.manifest.buckets is None or release.manifest.buckets.file is None:
            raise DataError(
                tr("is not an anatomized release: its sensitive values are in the same table as its records"),
                where=release.name,
                remedy=tr("Try another attack: homogeneity, skewness or similarity."),
            )
        (name,) = attacked_attributes(case, self.attribute)[:1]
        buckets = suspects(Case((release,)), name)
        owners, entries, beliefs = self._learn(case, buckets)
        shares = buckets.shares[entries]
        order = np.lexsort((-(beliefs - shares), owners))
        first = order[np.unique(owners[order], return_index=True)[1]]
        measures: dict[str, float | int | None] = {}
        if case.knowledge is not None:
            best = order = np.lexsort((-beliefs, owners))
            best = order[np.unique(owners[order], return_index=True)[1]]
            measures = _right(case, name, buckets, buckets.values[entries[best]])
        return self.build_findings(
            "release",
            np.arange(1, release.rows.count + 1),
            beliefs[first],
            baseline=shares[first],
            by="gain",
            attacked=release.rows.count,
            measures=measures,
            notes=(tr("the beliefs are those of a naive Bayes model, which is often too sure"),),
        )

    def _learn(self, case: Case, buckets: Suspects) -> tuple[Ints, Ints, Floats]:
        """For each record and each value of its bucket: the record, the bucket's entry, and the belief."""
        release = case.release
        many = np.diff(buckets.offsets)[buckets.ids]
        owners, entries = concatenate_ranges(buckets.offsets[buckets.ids], many)
        starts = np.cumsum(many) - many
        values = buckets.values[entries]
        wanted, sizes = buckets.weights[entries], buckets.weights
        beliefs = buckets.shares[entries]
        width = len(buckets.domain)
        columns = [
            (release.rows.codes(name)[owners].astype(np.int64), len(release.rows.labels(name)))
            for name in release.quasi_identifiers
        ]
        total = np.bincount(values, beliefs, width)
        for _ in range(self.rounds):
            weight = np.zeros(len(owners))
            for codes, distinct in columns:
                pairs = codes * width + values
                counts = np.bincount(pairs, beliefs, distinct * width)
                weight += np.log((counts[pairs] - beliefs + SMOOTH) / (total[values] - beliefs + SMOOTH * distinct))
            weight -= np.maximum.reduceat(weight, starts)[owners]
            fresh = wanted * np.exp(weight)
            for _ in range(BALANCES):  # each record has one value, each bucket as many of each as it was released with
                fresh /= np.bincount(owners, fresh)[owners]
                there = np.bincount(entries, fresh, len(sizes))
                fresh *= np.divide(sizes, there, out=np.ones(len(sizes)), where=there > 0)[entries]
            fresh /= np.bincount(owners, fresh)[owners]
            moved = np.abs(fresh - beliefs).max(initial=0.0)
            beliefs = fresh
            total = np.bincount(values, beliefs, width)
            if moved < 1e-6:
                break
        return owners, entries, beliefs


def _right(case: Case, name: str, buckets: Suspects, guesses: Ints) -> dict[str, float | int | None]:
    """The share of right guesses among the records that exactly one row of the knowledge fits; and the share that a
    guess by the bucket alone gets right."""
    knowledge, release = case.knowledge, case.release
    assert knowledge is not None
    if name not in knowledge.columns:
        return {}
    links = link(knowledge, release, columns=release.quasi_identifiers, exact=True)
    single = (links.records == 1) & (links.known.sizes == 1)
    records = links.released.first_rows()[links.targets[links.offsets[:-1][single]]] - 1
    people = links.known.first_rows()[single] - 1
    index = {label: code for code, label in enumerate(buckets.domain.labels)}
    truth = np.array([index.get(label, -1) for label in knowledge.labels(name)], dtype=np.int64)
    true = truth[knowledge.codes(name)[people]]
    entry = buckets.best(buckets.shares)[buckets.ids[records]]
    return {
        tr("records whose truth is known"): len(records),
        tr("share guessed right"): float((guesses[records] == true).mean()) if len(records) else None,
        tr("share right by the bucket alone"): float(buckets.shares[entry].mean()) if len(records) else None,
    }
