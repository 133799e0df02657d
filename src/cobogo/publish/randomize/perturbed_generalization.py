"""Perturbed generalization (Tao, Xiao, Li and Zhang 2008): perturb, generalize to groups of k, release one of each.

An attacker who knows the records of everybody else in a group still does not know whether the one released record is
the victim's, nor whether its value was kept.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING, Any

from cobogo.data.policy import Policy, Privacy
from cobogo.data.table.columns import (
    choose_columns,
    count_values,
    decode_column,
    encode_column,
    replace_columns,
    unused_names,
)
from cobogo.data.table.read import Table
from cobogo.errors import PolicyError
from cobogo.floor.catalogue import card
from cobogo.floor.language import join, tr
from cobogo.floor.randomness import Source
from cobogo.floor.untrusted import fraction
from cobogo.promises.guarantees import Exposure, Guarantee
from cobogo.promises.guarantees.prior_posterior import DeltaGrowth, ownership_probability
from cobogo.promises.models.k_anonymity import KAnonymity
from cobogo.promises.models.promise import parameters
from cobogo.promises.operators import Uniform, unexpectedly_frequent, unexpectedly_rare
from cobogo.publish.randomize.columns import judge, observed_counts, read_promises
from cobogo.publish.randomize.request import AttributeValues, RandomizationRequest
from cobogo.publish.recode.plans.base import RecodingPlan, free_name
from cobogo.release.contract import ENTROPY, SEED, CheckResult, Json, Meaning, Written
from cobogo.release.drawn import DrawnRows, RowWise, Story, row_source

if TYPE_CHECKING:
    from cobogo.floor.language import Speech


def exposure(operator: Uniform, k: int, guarantee: Guarantee | None = None) -> Exposure:
    """The exposure of a person in a group of k, of which one record is released."""
    prior = guarantee.largest_prior if isinstance(guarantee, DeltaGrowth) else 1.0
    return Exposure(operator, owned=ownership_probability(float(operator.retention), operator.size, k, prior))


def largest_group_retention(guarantees: Sequence[Guarantee], size: int, k: int) -> Fraction:
    """The largest retention that meets the guarantees, found by bisection: the exposure grows with the retention."""
    low, high, steps = 0, 2**40 - 1, 2**40
    while high - low > 1:
        middle = (low + high) // 2
        operator = Uniform(size, Fraction(middle, steps))
        met = all(g.check(exposure(operator, k, g)).satisfied for g in guarantees)
        low, high = (middle, high) if met else (low, middle)
    return Fraction(low, steps)


@card("perturbed-generalization", title="perturbed generalization")
@dataclass(frozen=True, eq=False, repr=False)
class PerturbedGeneralization(DrawnRows):
    r"""Perturbs the sensitive values, generalizes to groups of k, and releases one record of each group (PG).

    Even an attacker who knows all other people of the group cannot tell whether the released record is the victim's, so
    more may be retained. The size of the group is released with the record.

    Formula: the record is the victim's with at most $h = \frac{p \lambda + u}{p \lambda + k\,u}$, $u = \frac{1 - p}{m}$
        and $\lambda$ the largest prior; so a belief grows by at most $h$ times what uniform perturbation lets it
    Example: In groups of ten more is retained than in groups of two.
        >>> growth = DeltaGrowth("disease", delta=0.2)
        >>> [round(float(largest_group_retention([growth], size=10, k=k)), 3) for k in (2, 10)]
        [0.166, 0.378]

    Guarantee: Δ-growth (or (ρ1, ρ2)-privacy), whichever other people of the group the attacker has corrupted.
    Limits: Most records are lost, and so are small groups; no person can be followed over time. Ask for k-anonymity
        together with the guarantee.
    Cost: the cost of the recoding, and $O(n)$.
    Paper: Y. Tao, X. Xiao, J. Li and D. Zhang, On anti-corruption privacy preserving publication, ICDE 2008.
    """

    values: AttributeValues
    operator: Uniform
    plan: RecodingPlan
    k: int
    size: str  # the column of the group's size
    guarantees: tuple[Guarantee, ...]
    policy: Policy
    seed: int | None = None

    kind = "randomization"
    method = "perturbed-generalization"
    together = False

    def columns(self, kept: Sequence[str]) -> tuple[str, ...]:
        """Quasi-identifiers and the sensitive attribute; other columns would distinguish the records of a group."""
        shown = (*self.policy.quasi_identifiers, self.values.attribute)
        return (*(name for name in kept if name in shown), self.size)

    def row_wise(self, table: Table, columns: Sequence[str]) -> RowWise:
        """Generalize and draw one record of each group in the engine; perturb the values batch by batch."""
        own = [name for name in columns if name != self.size]
        quasi = list(self.policy.quasi_identifiers)
        rows = self.plan.apply(table, own)
        key, turn = unused_names([*rows.columns, self.size], 2)
        rows = rows.mutate(**{key: table.engine.random_key(rows)})
        group = [table.engine.text(rows[name]) for name in quasi]
        rows = rows.mutate(
            **{
                turn: table.engine.row_number(group_by=group, order_by=rows[key]),
                self.size: rows.count().over(group_by=group),
            }
        )
        chosen = rows.filter(rows[turn] == 0).select([*own, self.size])
        random = row_source(table, self.seed, f"{self.policy.name}, randomization.seed")
        texts = choose_columns(replace(table, expression=chosen), columns, [self.values.attribute])
        return RowWise(texts, partial(_randomize, self.values, self.operator, random))

    @property
    def meanings(self) -> Mapping[str, Meaning]:
        quasi = {name: Meaning(tr("generalized: what the records of a group have in common"), truthful=True)
                 for name in self.policy.quasi_identifiers}  # fmt: skip
        return {
            **quasi,
            self.values.attribute: Meaning(tr("the value of one record of the group, randomized: see below")),
            self.size: Meaning(tr("how many records the group has; this is one of them"), truthful=True),
        }

    def statement(self) -> Json:
        return {
            "method": self.method,
            "entropy": ENTROPY if self.seed is None else SEED,
            "attribute": self.values.attribute,
            "domain": list(self.values.labels),
            "retention": str(self.operator.retention),
            "k": self.k,
            "size": self.size,
        }

    def private_statement(self) -> Json:
        return {"records": {self.values.attribute: self.values.records.tolist()}, "seed": self.seed}

    @property
    def model_entries(self) -> tuple[Json, ...]:
        return tuple(parameters(guarantee) for guarantee in self.guarantees)

    def explanation(self) -> str:
        what = tr(
            "Records were put into groups of at least {k} with the same quasi-identifiers, and one record of each "
            "group was drawn. Its `{attribute}` was kept with the probability p = {p:.9g} and otherwise drawn from "
            "the {m} values of the domain. The sum of g·(h − s·(1 − p)/m)/p over the groups estimates how many "
            "records have one of s values; g is `{size}`, and h is 1 if the group shows one of these values and 0 "
            "otherwise.",
            k=self.k,
            attribute=self.values.attribute,
            p=float(self.operator.retention),
            m=self.operator.size,
            size=self.size,
        )
        return join([tr("## {title}", title=tr("How records were randomized")), what], by="\n\n")

    def story(self, before: Table, after: Table, say: Speech) -> Story:
        from cobogo.publish.randomize.story import tell_groups

        return tell_groups(self, before, after, say)


def _randomize(values: AttributeValues, operator: Uniform, random: Source, batch: Any) -> Any:
    before = encode_column(batch.column(values.attribute), values.places)
    return replace_columns(batch, {values.attribute: decode_column(operator.sample(before, random), values.labels)})


def make(wanted: RandomizationRequest, table: Table) -> PerturbedGeneralization:
    """Generalize by k-anonymity alone: a recoding that depends on sensitive values would reveal something of them."""
    from cobogo.publish.anonymize import prepare, solve

    ks = [entry for entry in wanted.models if entry.get("model") == KAnonymity.name]
    if len(ks) != 1 or len(wanted.models) != 1 or len(wanted.values) != 1 or wanted.records_per_person > 1:
        raise PolicyError(
            tr(
                "perturbed generalization needs exactly one model, k-anonymity, one sensitive "
                "attribute, and one record for each person"
            ),
            where=f"{wanted.policy.name}, privacy.models",
            remedy=tr("Ask for {model} together with the guarantee.", model='{ model = "k-anonymity", k = 5 }'),
        )
    update = {"privacy": Privacy(models=(dict(ks[0]),)), "utility": None, "randomization": None}
    policy = wanted.policy.model_copy(update=update)
    policy._home, policy._name = wanted.policy.home, wanted.policy.name
    release = solve(prepare(table, policy))
    (values,), k = wanted.values, int(ks[0]["k"])
    size = len(values.labels)
    if wanted.table.retention is not None:
        retention = Fraction(str(wanted.table.retention))
    elif wanted.guarantees:
        retention = largest_group_retention(wanted.guarantees, size, k)
    else:
        raise PolicyError(
            tr("states neither a retention nor a guarantee"),
            where=wanted.where,
            remedy=tr(
                "Give retention, or a guarantee under [privacy]: {example}.",
                example='models = [{ model = "delta-growth", delta = 0.2 }]',
            ),
        )
    column = free_name("group_size", table.columns)
    return PerturbedGeneralization(
        values, Uniform(size, retention), release.plan, k, column, wanted.guarantees, policy, wanted.table.seed
    )


def check(written: Written) -> CheckResult:
    """Check that groups have at least k records and show one; recompute the guarantees from the retention and k."""
    stated, rows = written.statement, written.rows
    operator, k = Uniform(len(stated["domain"]), fraction(stated["retention"])), int(stated["k"])
    name = stated["attribute"]
    problems: list[str] = []
    quasi = [c for c in rows.columns if c not in (name, stated["size"])]
    sizes, _ = count_values(rows, stated["size"])
    if any(size is None or not size.isdigit() or int(size) < k for size in sizes):
        problems.append(tr("a group has fewer than {k} records", k=k))
    texts = rows.expression.select(**{column: rows.text(column) for column in quasi})
    groups = texts.distinct()
    if int(rows.engine.fetch(groups.aggregate(found=groups.count()))["found"][0].as_py()) != rows.rows():
        problems.append(tr("a group has several records"))
    observed = observed_counts(rows, name, stated["domain"])
    if observed is None:
        problems.append(tr('"{name}" has values that the manifest does not list', name=name))
    else:
        least, most = operator.bounds()
        total = int(observed.sum())
        if len(unexpectedly_rare(observed, total, least)) or len(unexpectedly_frequent(observed, total, most)):
            problems.append(
                tr('values of "{name}" are released too often or too rarely for the stated retention', name=name)
            )
    asked = read_promises(written, [name])
    judgements = [judge([guarantee], {name: exposure(operator, k, guarantee)}) for guarantee in asked]
    verdicts = tuple(verdict for found_here, _ in judgements for verdict in found_here)
    return CheckResult(verdicts, tuple(problems), tuple(note for _, notes in judgements for note in notes))
