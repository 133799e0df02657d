"""A sampled release: true rows, made coarser, which were chosen at random."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from cobogo.data.hierarchy import SUPPRESSED
from cobogo.data.policy import Policy, Role
from cobogo.data.table.columns import arrow_type, count_values, decode_column
from cobogo.data.table.frequency import frequency_table
from cobogo.data.table.read import Table
from cobogo.errors import PolicyError
from cobogo.floor.arrays import Ints
from cobogo.floor.language import tr
from cobogo.floor.randomness import Source, coins, source
from cobogo.floor.untrusted import fraction
from cobogo.promises.models.differential_privacy import MEASURES, DifferentialPrivacy
from cobogo.promises.models.promise import build_promises
from cobogo.publish.sample import scheme
from cobogo.publish.sample.scheme import FINEST, Coarser, SamplingParameters, largest_share, least_k, parameters
from cobogo.release import dictionary
from cobogo.release.contract import ENTROPY, SEED, CheckResult, Json, Meaning, Written
from cobogo.release.drawn import Bars, DrawnRows, Section, Story

if TYPE_CHECKING:
    from cobogo.floor.language import Speech

SAMPLE = {
    "name": tr("column"),
    "level": tr("level"),
    "values": tr("values"),
    "distance": tr("distance"),
}

PROCEDURE = tr(
    "differential privacy depends on how the sample was drawn and on levels that were not chosen from the data, and "
    "the rows cannot show either. What was checked: the stated procedure keeps its promise, and every row appears "
    "at least k times"
)
SHOWN = 12
"""Values of a column that the report draws."""


class Sampled(DrawnRows):
    """Rows sampled, made coarser, and released where at least k are equal."""

    kind = "sampling"
    together = False  # it is drawn from the counts

    def __init__(
        self,
        policy: Policy,
        made: Coarser,
        levels: dict[str, int],
        found: SamplingParameters,
        searching: Fraction,
        drawn: Source,
    ) -> None:
        self._policy, self._made, self._levels, self._found = policy, made, levels, found
        self._searching, self._source = searching, drawn

    def batches(self, table: Table, columns: Sequence[str]) -> Iterator[Any]:
        """Draw the sample: of each class a binomial number of records, if that is at least k."""
        import pyarrow as pa

        classes, sizes = self._made.classes(self._levels)
        kept = draw_counts(sizes, self._found, self._source)
        _, first = np.unique(classes, return_index=True)
        rows = np.repeat(first, kept)
        arrays = []
        for name in columns:
            place = self._made.counted.quasi_identifiers.index(name)
            codes = self._made.codes(name, self._levels)[self._made.counted.codes[rows, place]]
            kind = None if self._levels.get(name) else arrow_type(table, name)
            arrays.append(decode_column(codes, self._made.labels(name, self._levels), kind))
        yield pa.RecordBatch.from_arrays(arrays, names=list(columns))

    @property
    def meanings(self) -> Mapping[str, Meaning]:
        """What the values of coarser columns mean; every released value is true."""
        found = {}
        for name, level in self._levels.items():
            labels = self._made.hierarchies[name].labels[level]
            top = bool(level) and labels == (SUPPRESSED,)
            found[name] = Meaning(dictionary.meaning(self._policy.attributes[name], level, top=top), truthful=True)
        return found

    def statement(self) -> Json:
        return {
            "epsilon": self._found.epsilon,
            "delta": self._found.delta,
            "search-epsilon": float(self._searching),
            "share": str(self._found.share),
            "k": self._found.k,
            "levels": dict(self._levels),
            "neighbours": "one record more or less",
            "entropy": ENTROPY if self._source.safe else SEED,
        }

    def explanation(self) -> str:
        return tr(
            "Each record was drawn with the probability {share:.4g}; divide counts by it. Values were made coarser, "
            "and rows of which fewer than {k} were drawn are left out, so rare combinations are missing and counts "
            "are somewhat too low. It can hardly be told whether any one record was in the original: ({epsilon:g}, "
            "{delta:g})-differential privacy, for one record more or less.",
            share=float(self._found.share),
            k=self._found.k,
            epsilon=self._found.epsilon + float(self._searching),
            delta=self._found.delta,
        )

    def private_statement(self) -> Json:
        return {"seed": None if self._policy.sampling is None else self._policy.sampling.seed}

    @property
    def model_entries(self) -> tuple[Json, ...]:
        return self._policy.models

    def story(self, before: Table, after: Table, say: Speech) -> Story:  # noqa: ARG002
        records, released = self._made.counted.records, after.rows()
        _, sizes = self._made.classes(self._levels)
        rows: list[list[str | float | None]] = []
        plots, distances = [], {}
        for place, name in enumerate(self._made.counted.quasi_identifiers):
            labels = [say.label(label) for label in self._made.labels(name, self._levels)]
            codes = self._made.codes(name, self._levels)[self._made.counted.codes[:, place]]
            true = np.bincount(codes, weights=self._made.counted.counts, minlength=len(labels)) / max(records, 1)
            drawn = _shares(after, name, labels, say)
            distances[name] = float(np.abs(true - drawn).sum() / 2)
            rows.append([name, self._levels.get(name, 0), len(labels), round(distances[name], 6)])
            most = np.argsort(-true)[:SHOWN]
            shares = {say("original"): true[most].tolist(), say("release"): drawn[most].tolist()}
            if len(labels) > 1:
                title = say("{name} before and after", name=name)
                plots.append(
                    Bars(
                        f"sampled-{place}",
                        title,
                        say("Shares of the records, of the original made as coarse and of the release."),
                        [labels[n] for n in most],
                        shares,
                    )
                )
        summary = {
            "original_records": records,
            "expected_sample": float(self._found.share * records),
            "classes": {"original": len(sizes), "released": _classes(after)},
            "levels": dict(self._levels),
            "distances": distances,
        }
        header = [say(SAMPLE[word]) for word in ("name", "level", "values", "distance")]
        section = Section(
            say("What became of each column"),
            say(
                "The level that it was made coarser to, its values there, and the total variation between its "
                "frequencies in the original, as coarse, and in the release."
            ),
            header,
            rows,
        )
        keys = [
            ("k", say.number(self._found.k), say("rows of which fewer were drawn are left out")),
            ("β", say.percent(float(self._found.share)), say("of the records were drawn, on average")),
            (say("released"), say.percent(released / max(records, 1)), say("of the original's records")),
        ]
        epsilon = self._found.epsilon + float(self._searching)
        headline = say.plural(
            "{n} row of {records} records, drawn with ε = {epsilon}",
            "{n} rows of {records} records, drawn with ε = {epsilon}",
            n=released,
            epsilon=round(epsilon, 6),
            records=records,
        )
        return Story(summary, headline, keys, [section], plots[:6])


def draw_counts(sizes: Ints, found: SamplingParameters, drawn: Source) -> Ints:
    """Draw how many records of each class are released: Bin(n, β), or none if that is below k."""
    ends = np.cumsum(sizes)
    heads = np.concatenate([[0], np.cumsum(coins(found.share, int(ends[-1]) if len(ends) else 0, drawn))])
    kept = heads[ends] - heads[ends - sizes]
    return np.where(kept >= found.k, kept, 0)


def make(policy: Policy, table: Table) -> Sampled:
    """Choose the levels, the share and k. Levels that the policy leaves open are drawn here."""
    asked, promise = policy.sampling, require_promise(policy)
    if asked is None:
        raise PolicyError(
            tr("does not ask for a sample"),
            where=f"{policy.name}, sampling",
            remedy=tr("Add [sampling] with its levels."),
        )
    if policy.data.unit is not None:
        raise PolicyError(
            tr("a sample protects single records, and by data.unit a person may have several"),
            where=f"{policy.name}, data.unit",
            remedy=tr("Merge each person's records into one row first, or leave out unit and protect single records."),
        )
    gone = set(policy.with_role(Role.IDENTIFIER))
    names = [name for name in table.columns if name not in gone]
    made = scheme.build_coarser(policy, table, frequency_table(table, names, []))
    levels = scheme.stated_levels(policy, made)
    open_ones = [name for name in made.hierarchies if name not in levels]
    searching = Fraction(0)
    if open_ones:
        if asked.search_epsilon is None or asked.search_epsilon >= promise.epsilon:
            raise PolicyError(
                tr("does not give a level for {names}", names=", ".join(open_ones)),
                where=f"{policy.name}, sampling.levels",
                remedy=tr(
                    "Give these levels, or set search-epsilon: the part of ε that the choice of levels may cost."
                ),
            )
        searching = Fraction(str(asked.search_epsilon))
    elif asked.search_epsilon is not None:
        raise PolicyError(
            tr("levels fixes all levels, so there is nothing to search"),
            where=f"{policy.name}, sampling.search-epsilon",
            remedy=tr("Leave out search-epsilon, or leave some levels out of levels."),
        )
    found = parameters(promise.epsilon - float(searching), promise.delta, asked.share, policy.name)
    if open_ones:
        schemes = scheme.candidates(policy, made, levels)
        weights = {name: policy.attributes[name].weight for name in made.hierarchies}
        levels = scheme.choose_levels(made, schemes, math.ceil(found.k / found.share), searching, weights)
    return Sampled(policy, made, levels, found, searching, source(asked.seed))


def require_promise(policy: Policy) -> DifferentialPrivacy:
    """The one promise that a sample can keep; refuse a policy that asks for others."""
    promises = build_promises(policy.models, (), MEASURES, where=policy.name)
    if len(promises) != 1 or not isinstance(promises[0], DifferentialPrivacy):
        raise PolicyError(
            tr("a sample needs exactly one model, differential privacy"),
            where=f"{policy.name}, privacy.models",
            remedy=tr(
                "Write {example}.", example='models = [{ model = "differential-privacy", epsilon = 1, delta = 1e-6 }]'
            ),
        )
    return promises[0]


def check(written: Written) -> CheckResult:
    """Recompute what the stated procedure costs, and check that every row appears at least k times."""
    stated = written.statement
    epsilon, delta, searching = (float(stated[key]) for key in ("epsilon", "delta", "search-epsilon"))
    share, k = fraction(stated["share"]), int(stated["k"])
    problems: list[str] = []
    if not 0 < epsilon <= 1000 or not 1e-300 < delta < 1 or searching < 0:
        problems.append(tr("a sample cannot keep the stated ε and δ"))
    elif not 0 < share <= largest_share(epsilon) or share.denominator > FINEST:
        problems.append(tr("the stated share of the sample is larger than ε allows"))
    elif k < least_k(epsilon, delta, float(share)):
        problems.append(tr("the stated k is smaller than ε and δ require"))
    smallest = _smallest(written.rows)
    if smallest is not None and smallest < k:
        problems.append(tr("some row appears only {times:,} times; the stated k is {k:,}", times=smallest, k=k))
    verdicts = []
    for entry in written.model_entries:
        if entry.get("model") != DifferentialPrivacy.name:
            problems.append(
                tr("{model} is requested, and a sample promises only differential privacy", model=entry.get("model"))
            )
            continue
        promise = DifferentialPrivacy(entry["epsilon"], entry.get("delta", 0.0))
        verdicts.append(promise.verdict(epsilon + searching, delta))
    return CheckResult(tuple(verdicts), tuple(problems), (PROCEDURE,))


def _smallest(rows: Table) -> int | None:
    found = frequency_table(rows, rows.columns, [])
    return int(found.counts.min()) if len(found.counts) else None


def _classes(rows: Table) -> int:
    return len(frequency_table(rows, rows.columns, []).counts)


def _shares(rows: Table, name: str, labels: Sequence[str], say: Speech) -> Any:
    """The shares of a released column's values, in the order of labels."""
    found, records = count_values(rows, name)
    place = {label: number for number, label in enumerate(labels)}
    shares = np.zeros(len(labels))
    for label, number in zip(found, records, strict=True):
        shares[place[say.label(label)]] += number
    return shares / max(float(records.sum()), 1.0)
