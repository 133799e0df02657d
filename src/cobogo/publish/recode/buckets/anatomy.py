"""Anatomy: buckets of records with different sensitive values (Xiao and Tao 2006)."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from cobogo.errors import NoSolution, PolicyError
from cobogo.floor import randomness
from cobogo.floor.arrays import Ints, Mask
from cobogo.floor.catalogue import card
from cobogo.floor.kernels import kernel
from cobogo.floor.language import tr
from cobogo.floor.progress import Steps
from cobogo.promises.models import Scope
from cobogo.promises.models.l_diversity import LDiversity
from cobogo.publish.recode.contract.buckets import Buckets
from cobogo.publish.recode.contract.problem import Problem
from cobogo.publish.recode.contract.solution import Bucketed
from cobogo.publish.recode.partition.clusters import join_failing_groups
from cobogo.publish.recode.partition.groups import Parcels, parcels_by_value
from cobogo.publish.recode.partition.space import points

NOTE = tr("quasi-identifiers are released unchanged: buckets hide which value belongs to whom, not who is in the table")


@card("anatomy", title="Anatomy", group="buckets", one_table=False)
def anatomy(problem: Problem, *, time_limit: float | None = None, progress: Steps | None = None) -> Bucketed:  # noqa: ARG001
    r"""Releases the quasi-identifiers unchanged, and in a separate table the sensitive values of buckets of records: a
    person can still be found in the table.

    Each bucket has at least l different sensitive values, with one record of each wherever that is possible. The
    algorithm serves models of the distribution of one sensitive attribute. Models of identity (such as k-anonymity)
    cannot hold.

    Formula: $\hat{c}(q, s) = \sum_B \lvert\{r \in B : r \text{ matches } q\}\rvert \cdot \frac{n_B(s)}{\lvert
        B\rvert}$, the count that a reader estimates from the two tables
    Example: Two tables; only the name of the bucket joins them.
        >>> from cobogo.studies.worked_examples import DIVERSE, anonymize_patients
        >>> release = anonymize_patients("anatomy", DIVERSE)
        >>> sorted(release.tables())
        ['release', 'sensitive']

    Guarantee: Every bucket satisfies the models, so an attacker who finds a person's row learns only the distribution
        of a bucket.
    Limits: An attacker who knows a person's quasi-identifiers finds the row: membership and identity are not hidden.
        How values depend on tuples can be learnt from all buckets together: see the attack definetti.
    Cost: $O(n \log m)$ for n records and m sensitive values.
    Paper: X. Xiao and Y. Tao, Anatomy: simple and effective privacy preservation, VLDB 2006.
    """
    refuse(problem, "anatomy")
    l = least_distinct(problem)
    whole = parcels_by_value(problem)
    assert whole.values is not None
    values = whole.values.astype(np.int64)
    counts = known_counts(problem, np.bincount(values, whole.counts).astype(np.int64))
    too_many = surplus(counts, l)
    most = float(counts.max() / max(int(counts.sum()), 1))
    frequent = tr("{share:.0f} % of the records have the most frequent sensitive value", share=100 * most)
    notes = (NOTE, frequent) if too_many.any() else (NOTE,)
    checked = 0
    for gone in (np.zeros_like(too_many), too_many):  # rather all records than an even mixture, if the models allow it
        if gone.sum() > problem.limit:
            continue
        pieces, owners = _draw_buckets(whole, values, gone, l, counts > 0)
        groups = join_failing_groups(pieces, points(pieces), owners, np.zeros(len(pieces), dtype=np.int64), 1)
        assert pieces.values is not None
        buckets = Buckets(problem, pieces.tuples, pieces.values, pieces.counts, groups.owners)
        checked += groups.checked
        if buckets.suppressed <= problem.limit and len(buckets) and buckets.hold():
            error = buckets.reconstruction_error()
            return Bucketed("anatomy", buckets, error, checked, checked, notes=notes)
    raise _too_frequent(problem, most, l, int(too_many.sum())) if too_many.any() else no_buckets()


def _draw_buckets(whole: Parcels, values: Ints, gone: Ints, l: int, telling: Mask) -> tuple[Parcels, Ints]:
    """Draw buckets at random: pieces of parcels, and the bucket of each. Of each value, ``gone`` records are left out.

    Records of a value that is too frequent for buckets of different values are spread over all buckets; so are records
    without a value, which are not ``telling``.
    """
    assert whole.values is not None
    records = np.repeat(np.arange(len(whole)), whole.counts)
    records = records[np.argsort(randomness.keys(len(records)))]
    records = records[np.argsort(values[records], kind="stable")]
    starts = np.searchsorted(values[records], np.arange(len(gone) + 1)).astype(np.int64)
    begins = np.where(telling, starts[:-1] + gone, starts[1:])
    owner = fill_buckets(begins, starts[1:], values[records], l)
    left_out = np.arange(len(records)) - starts[values[records]] < gone[values[records]]
    over = np.flatnonzero((owner < 0) & ~left_out)
    owner[over] = np.arange(len(over)) % max(int(owner.max(initial=-1)) + 1, 1)
    return divide_parcels(whole, records, owner)


def divide_parcels(whole: Parcels, records: Ints, owner: Ints) -> tuple[Parcels, Ints]:
    """Divide parcels into pieces, one for each parcel and bucket, given the parcel and the bucket of every record.
    Returns the pieces and the bucket of each."""
    assert whole.values is not None
    buckets = int(owner.max(initial=-1)) + 2
    keys, pieces = np.unique(records * buckets + owner + 1, return_inverse=True)
    places = records[np.unique(pieces, return_index=True)[1]]
    counts = np.bincount(pieces).astype(np.int64)
    return replace(whole, tuples=whole.tuples[places], counts=counts, values=whole.values[places]), keys % buckets - 1


def refuse(problem: Problem, algorithm: str, *, of_table: bool = False) -> None:
    """Refuse what buckets cannot serve: they protect one sensitive attribute of people with one record each, and
    nothing else. ``of_table``: whether models of all buckets together can be served as well."""
    where = "recoding.algorithm"
    if problem.table.people is not None:
        raise PolicyError(
            tr(
                "{algorithm} needs one record for each person, and by data.unit some people have several",
                algorithm=algorithm,
            ),
            where=where,
            remedy=tr("Merge each person's records into one, or choose another algorithm."),
        )
    if len(problem.table.histograms) != 1:
        raise PolicyError(
            tr(
                "{algorithm} separates one sensitive attribute from the rest, and the policy has {number}",
                algorithm=algorithm,
                number=len(problem.table.histograms),
            ),
            where=where,
            remedy=tr("Name one sensitive attribute, or choose another algorithm."),
        )
    for h, lowest in zip(problem.hierarchies, problem.lowest, strict=True):
        if lowest:
            raise PolicyError(
                tr(
                    "min-level requires that values be generalized, and {algorithm} releases them unchanged",
                    algorithm=algorithm,
                ),
                where=tr('attribute "{attribute}"', attribute=h.attribute),
                remedy=tr("Leave out min-level, or choose another algorithm."),
            )
    for model in problem.promised:
        unfit = model.populations or model.needs_members or model.blind or model.series
        if not model.attributes or unfit or (model.scope is not Scope.CLASS and not of_table):
            raise PolicyError(
                tr(
                    "{model} cannot hold: {algorithm} releases the quasi-identifiers unchanged, and "
                    "protects only the sensitive values",
                    model=model,
                    algorithm=algorithm,
                ),
                where=where,
                remedy=tr(
                    "Ask for models of the sensitive attribute alone, such as l-diversity, or choose another algorithm."
                ),
            )


def least_distinct(problem: Problem) -> int:
    """How many different values a bucket begins with: the largest l of the models, 2 where there is none."""
    return max([2, *(math.ceil(model.l) for model in problem.models if isinstance(model, LDiversity))])


def known_counts(problem: Problem, counts: Ints) -> Ints:
    """How many records have each value; NULL has none, where some model does not count it as a value."""
    (domain,) = problem.table.domains.values()
    if domain.missing is None or all(model.counts_missing for model in problem.models):
        return counts
    return np.where(np.arange(len(counts)) == domain.missing, 0, counts)


def surplus(counts: Ints, l: int) -> Ints:
    """How many records of each value must be suppressed so that no value is more frequent than one in l."""
    gone = np.zeros_like(counts)
    while True:
        left = counts - gone
        excess = l * left - left.sum()
        worst = int(excess.argmax())
        if excess[worst] <= 0:
            return gone
        gone[worst] += -(-int(excess[worst]) // (l - 1))


def no_buckets() -> NoSolution:
    """The error where even the largest bucket fails."""
    return NoSolution(
        tr("even one bucket of all records does not satisfy the models"),
        remedy=tr("Ask for weaker models, or raise suppression-limit."),
    )


def _too_frequent(problem: Problem, most: float, l: int, surplus: int) -> NoSolution:
    return NoSolution(
        tr(
            "no buckets satisfy the models: {share:.0f} % of the records have the most frequent sensitive value, and "
            "buckets of {l} different values have room for one record in {l} with it",
            share=100 * most,
            l=l,
        ),
        remedy=tr(
            "Ask for weaker models, or allow {number:,} of the {records:,} records to be suppressed.",
            number=surplus,
            records=problem.scale.records,
        ),
    )


@kernel()
def fill_buckets(starts, ends, values, l):  # type: ignore[no-untyped-def]
    """The bucket of each record; records come sorted by value. Each bucket takes one record of each of the l values of
    which most are left. The rest goes, one by one, to buckets that do not have its value."""
    owner = np.full(len(values), -1, dtype=np.int64)
    place = starts.copy()
    chosen = np.empty(l, dtype=np.int64)
    bucket = 0
    while True:
        many = 0
        for value in range(len(place)):
            left = ends[value] - place[value]
            if left <= 0:
                continue
            if many == l and left <= ends[chosen[l - 1]] - place[chosen[l - 1]]:
                continue
            position = many if many < l else l - 1
            while position > 0 and ends[chosen[position - 1]] - place[chosen[position - 1]] < left:
                chosen[position] = chosen[position - 1]
                position -= 1
            chosen[position] = value
            if many < l:
                many += 1
        if many < l:
            break
        for position in range(l):
            owner[place[chosen[position]]] = bucket
            place[chosen[position]] += 1
        bucket += 1
    for value in range(len(place)):
        has = np.zeros(bucket, dtype=np.bool_)
        for record in range(starts[value], place[value]):
            has[owner[record]] = True
        free = 0
        while place[value] < ends[value] and bucket > 0:
            while free < bucket and has[free]:
                free += 1
            if free == bucket:
                break
            owner[place[value]] = free
            has[free] = True
            place[value] += 1
    return owner
