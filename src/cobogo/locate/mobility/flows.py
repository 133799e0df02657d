"""Flows: how many people go from one area to another, counted with noise over a tree of areas, and as a release.

Pairs of areas (origin, destination) form a tree, too: a pair of bairros lies within the pair of their zones. Each level
of this tree is counted with its own noise. The rest is post-processing and costs nothing: all levels together give the
estimates with the least variance (Hay, Rastogi, Miklau & Suciu 2010, here with unequal numbers of children). What the
noise alone explains is taken out of them. From the top down they become whole numbers, none below zero, that add up.

The setting is that of OnTheMap (Machanavajjhala, Kifer, Abowd, Gehrke & Vilhuber 2008), which draws synthetic commuters
from a Dirichlet posterior instead (`mobility.sample`). What is done here is ours.

`cobogo verify` checks a release of flows from its own files.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from cobogo.data.policy import Role
from cobogo.data.table.read import Table
from cobogo.errors import DataError, PolicyError, VerificationFailed
from cobogo.floor.arrays import Floats, Ints
from cobogo.floor.catalogue import card
from cobogo.floor.language import join, tr, trn
from cobogo.floor.randomness import Entropy
from cobogo.floor.untrusted import fraction
from cobogo.locate import maps
from cobogo.locate.maps.layers import Layer
from cobogo.locate.mobility.areas import AreaTree, Journeys, add_up
from cobogo.locate.mobility.model import project_counts
from cobogo.locate.places.points import Points
from cobogo.locate.release import judge_privacy, original_table, read_beside, write_json
from cobogo.promises.accounting import Amount, PrivacyLoss, exact_amount, loss_of
from cobogo.promises.mechanisms import Laplace
from cobogo.promises.models.differential_privacy import DifferentialPrivacy
from cobogo.promises.models.promise import parameters
from cobogo.promises.payer import Payer
from cobogo.release.contract import ENTROPY, OUR_FAULT, CheckResult, Json, Meaning, Origin, Release, Written
from cobogo.release.drawn import DrawnReadBack, DrawnRows, Section, Story
from cobogo.tell.report.write import write_drawn_report

FORMAT = "cobogo-flows/1"


@dataclass(frozen=True, eq=False, repr=False)
class FlowCounts:
    """Noisy counts of journeys over a tree of areas, and the consistent table that follows from them."""

    tree: AreaTree
    noisy: tuple[Ints, ...]  # level by level, finest first
    epsilon: Fraction
    most: int
    shares: tuple[Fraction, ...]  # of ε, one for each level

    @cached_property
    def noise(self) -> list[Laplace]:
        """The noise of each level."""
        return level_noise(self.shares, self.epsilon, self.most)

    @cached_property
    def table(self) -> tuple[Ints, ...]:
        """Whole numbers of journeys, none below zero, that add up from level to level."""
        variances = [noise.variance() for noise in self.noise]
        estimates = best_estimates(self.noisy, variances, self.tree)
        return round_tree(shrink_estimates(estimates, variances, self.tree), self.tree)

    def costs(self) -> list[dict[str, Any]]:
        """What each level cost, and its noise."""
        return [
            {"level": level, "pairs": len(counts), "epsilon": str(noise.epsilon), "mechanism": noise.name,
             "sensitivity": noise.sensitivity, "scale": noise.scale}
            for level, counts, noise in zip(self.tree.levels, self.noisy, self.noise, strict=True)
        ]  # fmt: skip

    def as_dict(self) -> dict[str, Any]:
        """As they are published: areas, and whole numbers with noise."""
        return {"format": FORMAT, "epsilon": str(self.epsilon), "most": self.most,
                "shares": [str(share) for share in self.shares], "areas": self.tree.as_dict(),
                "noisy": [counts.tolist() for counts in self.noisy]}  # fmt: skip

    @classmethod
    def from_dict(cls, content: Any, where: str) -> FlowCounts:
        """Published counts; raises `VerificationFailed` where they are damaged."""
        try:
            if content["format"] != FORMAT:
                raise ValueError
            tree = AreaTree.from_dict(content["areas"])
            noisy = tuple(np.array(counts, dtype=np.int64) for counts in content["noisy"])
            shares = check_shares([fraction(share) for share in content["shares"]], tree)
            if [len(counts) for counts in noisy] != [len(parent) for parent in tree.pair_parents]:
                raise ValueError
            return cls(tree, noisy, fraction(content["epsilon"]), int(content["most"]), shares)
        except (DataError, PolicyError, KeyError, TypeError, ValueError, OverflowError):
            raise VerificationFailed(
                tr("does not hold counts of flows of this version"),
                where=where,
                remedy=tr("Use the Cobogó that wrote it, or a later one."),
            ) from None


@card("flows", title="origin–destination counts", guide="flows")
def count_flows(
    journeys: Journeys, epsilon: Amount, most: int = 1, shares: Sequence[Amount] | None = None
) -> FlowCounts:
    r"""How many people go from each area to each other area: counts with noise on every level of a tree of areas, made
    to add up.

    At most ``most`` journeys of a person count, chosen at random. Every pair of areas is counted with noise, on every
    level, whether anybody goes there or not. The levels share ε evenly, or in proportion to ``shares``, the finest
    first. From the noisy counts follow the best estimates that add up. Where pairs differ no more than the noise, they
    are taken to be what the numbers of people who leave and arrive suggest. In the end there are whole numbers, none
    below zero, that add up exactly. All noise is from the operating system's entropy.

    Formula: $\tilde{n}_l(o, d) = n_l(o, d) + X$ with discrete Laplace noise $X$ of scale $\frac{m}{s_l\,\varepsilon}$
        on each level $l$ of share $s_l$, for at most $m$ journeys of a person
    Example: Nobody is lost between the levels.
        >>> from cobogo.studies import fortaleza
        >>> flows = count_flows(fortaleza.people(500, days=1).commutes(), epsilon=1)
        >>> flows.tree.levels, bool(flows.table[0].sum() == flows.table[1].sum())
        (('area', 'zone'), True)

    Guarantee: ε-differential privacy for a person with all their journeys.
    Limits: Where there are many pairs and few people, the finest level is mostly noise. Areas and bounds must be
        declared without looking at the data. Numbers that cannot be negative are too large on average where nobody
        goes; the noisy counts, which are published beside the table, are unbiased.
    Cost: $O(L\,a^2)$ for a areas, up to 1,500, and L levels.
    Paper: The setting: A. Machanavajjhala, D. Kifer, J. Abowd, J. Gehrke and L. Vilhuber, Privacy: theory meets
        practice on the map, ICDE 2008. The estimates: M. Hay, V. Rastogi, G. Miklau and D. Suciu, Boosting the accuracy
        of differentially private histograms through consistency, VLDB 2010. Their combination is ours.
    """
    if most < 1:
        raise PolicyError(tr("must be above 0. Got {amount} instead", amount=str(most)), where="--most")
    cost = loss_of(epsilon).amount
    parts = check_shares([1] * len(journeys.tree.levels) if shares is None else shares, journeys.tree)
    exact = journeys.bound(most, Entropy()).counts()
    drawn = tuple(
        np.array(noise.release(counts.tolist()), dtype=np.int64)
        for noise, counts in zip(level_noise(parts, cost, most), exact, strict=True)
    )
    return FlowCounts(journeys.tree, drawn, cost, most, parts)


def check_shares(weights: Sequence[Amount], tree: AreaTree) -> tuple[Fraction, ...]:
    """The shares of ε of the levels of a tree, which sum to 1, from weights; raises where there is not one for each.

    >>> from cobogo.studies.fortaleza.people import bairro_areas
    >>> [str(share) for share in check_shares([3, 1], bairro_areas())]
    ['3/4', '1/4']
    """
    parts = [exact_amount(weight, "--shares") for weight in weights]
    if len(parts) != len(tree.levels):
        raise PolicyError(
            trn(
                "there is {n} share for {levels} levels",
                "there are {n} shares for {levels} levels",
                n=len(parts),
                levels=len(tree.levels),
            ),
            where="--shares",
            remedy=tr("Give one number for each level, the finest first: --shares 3,1."),
        )
    return tuple(part / sum(parts) for part in parts)


def level_noise(shares: Sequence[Fraction], epsilon: Fraction, most: int) -> list[Laplace]:
    """The noise of each level: a person's journeys change each by ``most`` at most."""
    return [Laplace(most, epsilon * share) for share in shares]


def best_estimates(noisy: Sequence[Ints], variances: Sequence[float], tree: AreaTree) -> list[Floats]:
    """The estimates with the least variance that add up, from counts whose noise has a variance on each level.

    From the finest level up, a count is averaged with the sum of those below it, each weighted by the other's variance.
    From the top down, what a count and the sum below it then differ by is shared out by variance.
    """
    value, spread = [noisy[0].astype(np.float64)], [np.full(len(noisy[0]), variances[0])]
    sums, spreads = [], []
    for counts, variance, parent in zip(noisy[1:], variances[1:], tree.pair_parents, strict=False):
        sums.append(np.bincount(parent, value[-1]))
        spreads.append(np.bincount(parent, spread[-1]))
        value.append((counts * spreads[-1] + sums[-1] * variance) / (spreads[-1] + variance))
        spread.append(spreads[-1] * variance / (spreads[-1] + variance))
    found = [value[-1]]
    for level in range(len(noisy) - 2, -1, -1):
        parent = tree.pair_parents[level]
        rest = (found[0] - sums[level]) / spreads[level]
        found.insert(0, value[level] + spread[level] * rest[parent])
    return found


def shrink_estimates(estimates: Sequence[Floats], variances: Sequence[float], tree: AreaTree) -> list[Floats]:
    """Estimates, nearer to those of independence within each pair of the level above: by the share of their squared
    differences that the noise alone explains (James & Stein 1961). Sums stay as they are.

    Independence: of the journeys from one zone to another, those of a pair of areas are as many as the share of its
    origin in what leaves the zone and that of its destination in what arrives suggest.
    """
    total = np.array([estimates[-1].sum()])
    found: list[Floats] = []
    for level in range(len(estimates) - 1, -1, -1):
        values, parent, above = estimates[level], tree.pair_parents[level], tree.parents[level]
        square = values.reshape(len(above), -1)
        leaving, arriving = (_shares_within(square.sum(axis=axis), above) for axis in (1, 0))
        expected = total[parent] * (leaving[:, None] * arriving).ravel()
        apart = values - expected
        explained = variances[level] * np.maximum(np.bincount(parent) - 1, 0)
        kept = np.maximum(1 - explained / np.maximum(np.bincount(parent, apart**2), 1e-9), 0.0)
        found.insert(0, expected + kept[parent] * apart)
        total = found[0]
    return found


def _shares_within(values: Floats, group: Ints) -> Floats:
    """The share of each value, none below zero, in the sum of its group."""
    positive = np.maximum(values, 1e-9)
    return np.asarray(positive / np.bincount(group, positive)[group])


def round_tree(estimates: Sequence[Floats], tree: AreaTree) -> tuple[Ints, ...]:
    """Whole numbers near the estimates, none below zero, that add up: from the top down, the nearest such numbers by
    squares within each pair of the level above, then rounded so that the largest remainders are rounded up."""
    total = np.array([max(round(float(estimates[-1].sum())), 0)])
    found: list[Ints] = []
    for values, parent in zip(reversed(estimates), reversed(tree.pair_parents), strict=True):
        total = round_within(project_counts(values, parent, total.astype(np.float64)), parent, total)
        found.insert(0, total)
    return tuple(found)


def round_within(values: Floats, group: Ints, total: Ints) -> Ints:
    """Whole numbers that sum to the whole total of each group, each at most one from its value.

    >>> round_within(np.array([0.5, 0.3, 1.2, 2.0]), np.array([0, 0, 0, 1]), np.array([2, 2])).tolist()
    [1, 0, 1, 2]
    """
    whole = np.floor(values + 1e-9).astype(np.int64)
    missing = total - add_up(whole, group)
    order = np.lexsort((np.arange(len(values)), whole - values, group))
    starts = np.searchsorted(group[order], np.arange(len(total)))
    rank = np.arange(len(values)) - starts[group[order]]
    whole[order] += rank < missing[group[order]]
    return whole


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
    reporter = "cobogo.locate.mobility.flows:write_report"
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
