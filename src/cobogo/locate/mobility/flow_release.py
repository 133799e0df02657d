"""Flows between areas as a release, and how `cobogo verify` checks them from their own files."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from cobogo.data.policy import Role
from cobogo.data.table.read import Table
from cobogo.floor.arrays import Ints
from cobogo.floor.language import join, tr
from cobogo.floor.untrusted import fraction
from cobogo.locate import maps
from cobogo.locate.maps.layers import Layer
from cobogo.locate.mobility.areas import AreaTree, Journeys, add_up
from cobogo.locate.mobility.flows import FlowCounts, count_flows
from cobogo.locate.places.points import Points
from cobogo.locate.release import judge_privacy, original_table, read_beside, write_json
from cobogo.promises.accounting import Amount, PrivacyLoss
from cobogo.promises.models.differential_privacy import DifferentialPrivacy
from cobogo.promises.models.promise import parameters
from cobogo.promises.payer import Payer
from cobogo.release.contract import ENTROPY, OUR_FAULT, CheckResult, Json, Meaning, Origin, Release, Written
from cobogo.release.drawn import DrawnReadBack, DrawnRows, Section, Story
from cobogo.tell.report.write import write_drawn_report

NOISY = "noisy.json"

ROLES = {"person": Role.IDENTIFIER, "origin": Role.SENSITIVE, "destination": Role.SENSITIVE}
"""What the columns of journeys tell of people."""

MEANINGS = {
    "level": tr("the level of the areas, the finest is “area”"),
    "origin": tr("the area in which the journeys begin"),
    "destination": tr("the area in which the journeys end"),
    "journeys": tr("how many journeys, estimated from counts with noise; pairs with none are not listed"),
}

ROUNDING = 2
"""By how much a released number may differ from the one that is computed again: the last digits of floats differ from
machine to machine, and decide which of two equal remainders is rounded up on each of two levels."""

DRAWN = 150
"""Flows that the map shows, the largest first: more hide each other."""

ON_TRUST = tr("the counts do not show whether the stated noise was really drawn, and the guarantee depends on it")


class FlowTable(DrawnRows):
    """A release of flows: a table that adds up, and the noisy counts that it follows from; it is paid for when
    drawn."""

    kind = "flows"
    reporter = "cobogo.locate.mobility.flow_release:write_report"
    remedy = OUR_FAULT
    new_columns = True

    def __init__(
        self, true: Journeys, epsilon: Fraction, most: int, shares: Sequence[Amount] | None, paying: Payer | None,
        base: Sequence[Layer],
    ) -> None:  # fmt: skip
        self.true, self.base, self._epsilon, self._most = true, base, epsilon, most
        self._shares, self._paying = shares, paying

    @cached_property
    def counts(self) -> FlowCounts:
        """The noisy counts; drawn, and paid for, once."""
        if self._paying is not None:
            size = len(self.true.tree.places)
            self._paying.pay(PrivacyLoss("epsilon", self._epsilon), f"locate flows, {size} areas")
        return count_flows(self.true, self._epsilon, self._most, self._shares)

    def columns(self, kept: Sequence[str]) -> tuple[str, ...]:  # noqa: ARG002
        """The columns of flows."""
        return tuple(MEANINGS)

    def batches(self, table: Table, columns: Sequence[str]) -> Iterator[Any]:  # noqa: ARG002
        """The flows of each level."""
        import pyarrow as pa

        tree = self.counts.tree
        for level, names, numbers in zip(tree.levels, tree.names, self.counts.table, strict=True):
            pairs = np.flatnonzero(numbers)
            origin, destination = np.divmod(pairs, len(names))
            known = pa.array(names, pa.string())
            found = {
                "level": pa.array([level] * len(pairs), pa.string()),
                "origin": known.take(pa.array(origin)),
                "destination": known.take(pa.array(destination)),
                "journeys": pa.array(numbers[pairs]),
            }
            yield pa.RecordBatch.from_arrays([found[name] for name in columns], names=list(columns))

    def write_beside(self, public: Path) -> None:
        """Write the noisy counts."""
        write_json(self.counts.as_dict(), public / NOISY)

    @property
    def meanings(self) -> Mapping[str, Meaning]:
        """What each column means: no number is one that was counted."""
        return {name: Meaning(text) for name, text in MEANINGS.items()}

    def statement(self) -> Json:
        """The levels, and what each cost."""
        return {"entropy": ENTROPY, "epsilon": str(self.counts.epsilon), "unit": "a person with all journeys",
                "neighbours": "with one person more or less", "journeys_of_a_person": self.counts.most,
                "parts": self.counts.costs()}  # fmt: skip

    def explanation(self) -> str:
        """How the table was made, for recipients."""
        about = tr(
            "Journeys between areas were counted on each level, at most {most:,} of a person, with discrete Laplace "
            "noise. `{file}` has these counts, and they are unbiased. The table has the whole numbers that fit them "
            "best, none below zero, that add up: the journeys of a pair of areas are those of all pairs within it. "
            "What one person did changes the probability of anything here by a factor of at most e^{epsilon:g}.",
            most=self.counts.most,
            file=NOISY,
            epsilon=float(self.counts.epsilon),
        )
        return join([tr("## How it was made"), about], "\n\n")

    def private_statement(self) -> Json:
        """The payer."""
        paying = self._paying
        return {"paid": None if paying is None else {"dataset": paying.dataset, "analyst": paying.analyst}}

    @property
    def model_entries(self) -> tuple[Json, ...]:
        """ε of each person."""
        return (parameters(DifferentialPrivacy(float(self.counts.epsilon))),)

    @cached_property
    def fidelity(self) -> list[dict[str, Any]]:
        """How near the table is to the truth on each level: for the data holder only."""
        rows = []
        for level, true, made in zip(self.counts.tree.levels, self.true.counts(), self.counts.table, strict=True):
            off, flowing = np.abs(true - made), np.maximum(true, made) > 0
            rows.append(
                {"level": level, "pairs": len(true), "pairs_with_journeys": int((true > 0).sum()),
                 "mean_error": float(off[flowing].mean()) if flowing.any() else 0.0,
                 "wrong_share": float(off.sum() / max(int(true.sum() + made.sum()), 1))}
            )  # fmt: skip
        return rows

    def story(self, before: Table, after: Table, say: Any) -> Story:  # noqa: ARG002
        """What it cost, and how near it is to the truth."""
        summary = {"epsilon": float(self.counts.epsilon), "journeys": int(self.counts.table[-1].sum()),
                   "parts": self.counts.costs(), "fidelity": self.fidelity}  # fmt: skip
        section = Section(
            say("How near the flows are to the truth"),
            say("These figures are computed without noise: they are not private. Keep them with the data holder."),
            [say("level"), say("pairs of areas"), say("pairs with journeys"), say("mean error of a pair"),
             say("share that is wrong")],
            [[row["level"], row["pairs"], row["pairs_with_journeys"], round(row["mean_error"], 3),
              round(row["wrong_share"], 4)] for row in self.fidelity],
        )  # fmt: skip
        return Story(summary, say("Flows between areas"), sections=[section])


def release_of(
    true: Journeys, epsilon: Fraction, *, source: str, most: int = 1, shares: Sequence[Amount] | None = None,
    paying: Payer | None = None, base: Sequence[Layer] = (),
) -> Release:  # fmt: skip
    """A release of flows of journeys, which lie at ``source``; nothing is paid, drawn or written yet. ``base`` are the
    base layers of the map."""
    made = FlowTable(true, epsilon, most, shares, paying, base)
    return Release(Origin(source, ROLES), original_table(true.to_arrow(), source), made)


def write_report(release: Release, read_back: DrawnReadBack, evidence: Path) -> None:
    """Write the report, and a map of the largest released flows."""
    made = release.transformation
    assert isinstance(made, FlowTable)
    write_drawn_report(release, read_back, evidence)
    layers = flow_layers(made.counts)
    if layers:
        title = tr("The largest flows between areas, as released")
        file = evidence / "plots" / "flows.png"
        maps.draw_map([*made.base, *layers], file, title=title, language=release.origin.language)


def flow_layers(counts: FlowCounts) -> list[Layer]:
    """Lines between the finest areas: the largest released flows, the larger ones thicker."""
    places, numbers = counts.tree.places, counts.table[0]
    origin, destination = np.divmod(np.arange(len(numbers)), len(places))
    pairs = np.flatnonzero((numbers > 0) & (origin != destination))
    largest = pairs[np.argsort(-numbers[pairs], kind="stable")][:DRAWN]
    layers = []
    for part, width, color in zip(np.array_split(largest, 3), (3.0, 1.5, 0.7), ("orange", "blue", "grey"), strict=True):
        if len(part):
            ends = np.stack([origin[part], destination[part]], axis=1).ravel()
            lines = Points(places.lon[ends], places.lat[ends], None, np.repeat(np.arange(len(part)), 2))
            name = tr("from {least:,} to {most:,} journeys", least=int(numbers[part].min()), most=int(numbers[part[0]]))
            layers.append(maps.paths(lines, name, size=width, color=color, timed=False))
    return layers[::-1]


def check(written: Written) -> CheckResult:
    """Check that the levels cost what is stated, that their noise is enough, that the table adds up exactly, and that
    it follows from the noisy counts."""
    counts = FlowCounts.from_dict(read_beside(written, NOISY), NOISY)
    problems = [*_costs(written.statement, counts), *_rows(written, counts)]
    spent = sum((fraction(row["epsilon"]) for row in counts.costs()), Fraction(0))
    return judge_privacy(written, spent, problems, ON_TRUST)


def _costs(stated: dict[str, Any], counts: FlowCounts) -> Iterator[str]:
    """Problems with the stated costs, and with noise that is too small for them."""
    if stated.get("entropy") != ENTROPY:
        yield tr("the manifest does not say that the noise came from the operating system")
    if str(counts.epsilon) != stated["epsilon"] or counts.most != stated["journeys_of_a_person"]:
        yield tr("the manifest states another cost, or other bounds, than the counts")
    for row, true in zip(stated["parts"], counts.costs(), strict=True):
        less = int(row["sensitivity"]) < true["sensitivity"] or float(row["scale"]) < true["scale"] * (1 - 1e-12)
        if row["level"] != true["level"] or fraction(row["epsilon"]) != fraction(true["epsilon"]) or less:
            yield tr("the level {level} states less noise than one person requires", level=true["level"])


def _rows(written: Written, counts: FlowCounts) -> Iterator[str]:
    """Problems with the released flows."""
    found = _numbers(written, counts.tree)
    if found is None:
        yield tr("the table has flows of levels or areas that are not declared, numbers below one, or a pair twice")
        return
    for level, parent, finer, coarser in zip(
        counts.tree.levels[1:], counts.tree.pair_parents, found, found[1:], strict=False
    ):
        if (add_up(finer, parent) != coarser).any():
            yield tr("the flows of the level {level} are not the sums of those below it", level=level)
    if any((np.abs(one - other) > ROUNDING).any() for one, other in zip(found, counts.table, strict=True)):
        yield tr("the flows are not those that follow from the noisy counts")


def _numbers(written: Written, tree: AreaTree) -> list[Ints] | None:
    """The released numbers of each level; None where a row cannot be one of theirs."""
    import pandas as pd

    table = written.rows.engine.fetch(written.rows.expression).to_pandas()
    number = pd.to_numeric(table["journeys"], errors="coerce")
    level = pd.Index(tree.levels).get_indexer(table["level"].astype(str))
    if (level < 0).any() or not ((number >= 1) & (number % 1 == 0)).all():
        return None
    found = []
    for at, names in enumerate(tree.names):
        rows, known = level == at, pd.Index(names)
        origin, destination = (known.get_indexer(table[end][rows].astype(str)) for end in ("origin", "destination"))
        pair = origin * len(names) + destination
        if (origin < 0).any() or (destination < 0).any() or len(np.unique(pair)) < len(pair):
            return None
        found.append(np.bincount(pair, number[rows], len(names) ** 2).astype(np.int64))
    return found
