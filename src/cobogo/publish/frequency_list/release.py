"""A frequency list as a release: counts, how many items have each, and what was drawn how."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from cobogo.data.table.read import Table
from cobogo.errors import PolicyError
from cobogo.floor.language import tr
from cobogo.floor.randomness import Source
from cobogo.floor.untrusted import fraction
from cobogo.promises.models.differential_privacy import DifferentialPrivacy
from cobogo.publish.frequency_list.bounds import bounds
from cobogo.publish.frequency_list.mechanism import Counts, FrequencyList
from cobogo.release.contract import ENTROPY, SEED, CheckResult, Json, Meaning, Written
from cobogo.release.drawn import Bars, DrawnRows, Section, Story

if TYPE_CHECKING:
    from cobogo.floor.language import Speech

LIST = {
    "accounts": tr("records (accounts)"),
    "items": tr("different items"),
    "counts": tr("different counts"),
}

KIND = "frequency-list"
COUNT, ITEMS = "count", "items"
COLUMNS = (COUNT, ITEMS)
RANKS = (1, 10, 100, 1_000, 10_000, 100_000, 1_000_000, 10_000_000)

PROCEDURE = tr(
    "differential privacy depends on how the list was drawn, and the list cannot show it. What was checked: the stated "
    "procedure keeps its promise, and the file is such a list"
)


class DrawnList(DrawnRows):
    """The list of a column, drawn by the mechanism: in place of every row, one row for each count."""

    kind = KIND
    sorted_by = COUNT

    def __init__(self, true: Counts, mechanism: FrequencyList, source: Source, seed: int | None, paid: Json) -> None:
        self._true, self._mechanism, self._source = true, mechanism, source
        self._seed, self._paid = seed, paid

    def columns(self, kept: Sequence[str]) -> tuple[str, ...]:  # noqa: ARG002
        return COLUMNS

    def batches(self, table: Table, columns: Sequence[str]) -> Iterator[Any]:  # noqa: ARG002
        import pyarrow as pa

        drawn = self._mechanism.draw(self._true, self._source)
        yield pa.RecordBatch.from_arrays([pa.array(drawn.counts), pa.array(drawn.items)], names=list(COLUMNS))

    @property
    def meanings(self) -> Mapping[str, Meaning]:
        return {
            COUNT: Meaning(tr("a number of records (accounts) that share one item (password), after noise")),
            ITEMS: Meaning(tr("how many items have that count, after noise")),
        }

    def statement(self) -> Json:
        """The mechanism and its parameters, which do not depend on the data."""
        found = self._mechanism.bounds
        return {
            "mechanism": "exponential, over integer partitions",
            "epsilon": str(self._mechanism.epsilon),
            "delta": str(self._mechanism.delta),
            "neighbours": "one record more or less",
            "q": found.q,
            "band": found.band,
            "run": found.run,
            "entropy": ENTROPY if self._source.safe else SEED,
        }

    def explanation(self) -> str:
        epsilon, delta = float(self._mechanism.epsilon), float(self._mechanism.delta)
        return tr(
            "Each row says how many items occur `{count}` times; together the rows are the sorted list of how often "
            "items occur. The list was drawn with (ε, δ)-differential privacy, ε = {epsilon:g} and δ = {delta:g}, "
            "for one record more or less, from the lists near the true one: P ∝ exp(−ε·L1 distance / 2). The "
            "numbers of records and of items follow from the list, and are noisy too: with N records, the list is "
            "off by about √(N/ε) + {more:,.0f} records in all. The items themselves are not released.",
            count=COUNT,
            epsilon=epsilon,
            delta=delta,
            more=6.6 / epsilon**2,
        )

    def private_statement(self) -> Json:
        return {"seed": self._seed, "paid": self._paid, "accounts": self._true.accounts}

    @property
    def model_entries(self) -> tuple[Json, ...]:
        promise = DifferentialPrivacy(float(self._mechanism.epsilon), float(self._mechanism.delta))
        return ({"model": promise.name, "epsilon": promise.epsilon, "delta": promise.delta},)

    def story(self, before: Table, after: Table, say: Speech) -> Story:  # noqa: ARG002
        """How far the drawn list is from the true one, for the data holder only."""
        true, drawn = self._true, read_list(after)
        distance = true.distance(drawn)
        scale = float(np.sqrt(max(true.accounts, 1) / float(self._mechanism.epsilon)))
        summary = {
            "accounts": {"true": true.accounts, "released": drawn.accounts},
            "items": {"true": true.distinct, "released": drawn.distinct},
            "counts": {"true": len(true.counts), "released": len(drawn.counts)},
            "distance": distance,
            "relative_distance": distance / max(true.accounts, 1),
            "sqrt_accounts_over_epsilon": scale,
        }
        names = ("accounts", "items", "counts")
        rows: list[list[str | float | None]] = [
            [say(LIST[name]), summary[name]["true"], summary[name]["released"]]  # type: ignore[index]
            for name in names
        ]
        ranks = [rank for rank in RANKS if rank <= max(true.distinct, drawn.distinct)]
        rows += [
            [say("count of the item of rank {n}", n=rank), count_at_rank(true, rank), count_at_rank(drawn, rank)]
            for rank in ranks
        ]
        header = [say("what"), say("true"), say("released")]
        section = Section(
            say("The list that was drawn, beside the true one"),
            say("The true column stays with the data holder: what is given away is the released one."),
            header,
            rows,
        )
        shares = {
            say("true"): [_share_of_first(true, rank) for rank in ranks],
            say("released"): [_share_of_first(drawn, rank) for rank in ranks],
        }
        plot = Bars(
            "heads",
            say("How much the most frequent items cover"),
            say("The share of all records that have one of the first 1, 10, 100, … items."),
            [say.number(rank) for rank in ranks],
            shares,
        )
        keys = [
            (say("L1 distance"), say.number(distance), say("by how much the two sorted lists differ, in all")),
            (say("of all records"), say.percent(summary["relative_distance"]), say("the same as a share")),  # type: ignore[arg-type]
            (
                say("√(N/ε)"),
                say.number(round(scale)),
                say("what no such mechanism can be better than, but for a constant"),
            ),
        ]
        headline = say(
            "a list of {counts} counts, drawn with ε = {epsilon}",
            epsilon=float(self._mechanism.epsilon),
            counts=len(drawn.counts),
        )
        return Story(summary, headline, keys, [section], [plot] if ranks else [])


def count_at_rank(counts: Counts, rank: int) -> int:
    """The count of the item of a rank, or 0 where there are fewer items."""
    place = int(np.searchsorted(np.cumsum(counts.items), rank))
    return int(counts.counts[place]) if place < len(counts.counts) else 0


def _share_of_first(counts: Counts, rank: int) -> float:
    """The share of all accounts that the items up to a rank have."""
    upto = np.cumsum(counts.items)
    taken = np.diff(np.minimum(upto, rank), prepend=0)
    return float(taken @ counts.counts) / max(counts.accounts, 1)


def read_list(rows: Table) -> Counts:
    """Read a released list back; raise `ValueError` where the rows are no such list."""
    found = rows.engine.fetch(rows.expression)
    counts, items = (np.array([int(value) for value in found[name].to_pylist()], dtype=np.int64) for name in COLUMNS)
    order = np.argsort(-counts)
    return Counts(counts[order], items[order])


def check(written: Written) -> CheckResult:
    """Recompute the mechanism from what is stated, and check that the rows are a list of counts."""
    stated = written.statement
    epsilon, delta = fraction(stated["epsilon"]), fraction(stated["delta"])
    problems: list[str] = []
    try:
        found = bounds(epsilon, delta)
        same = (found.q, found.band, found.run) == (stated["q"], stated["band"], stated["run"])
    except PolicyError:
        same = False
    if not same:
        problems.append(tr("the stated mechanism does not keep the stated ε and δ"))
    try:
        read_list(written.rows)
    except (ValueError, TypeError):
        problems.append(tr("the file is not a list of decreasing counts, each with a number of items"))
    verdicts = []
    for entry in written.model_entries:
        if entry.get("model") != DifferentialPrivacy.name:
            problems.append(tr("{model} is requested, and cannot hold for a list of counts", model=entry.get("model")))
            continue
        promise = DifferentialPrivacy(entry["epsilon"], entry.get("delta", 0.0))
        verdicts.append(promise.verdict(float(epsilon), float(delta)))
    return CheckResult(tuple(verdicts), tuple(problems), (PROCEDURE,))
