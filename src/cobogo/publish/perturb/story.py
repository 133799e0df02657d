"""What a perturbation preserved: means, deviations, correlations and frequencies, before and after."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from cobogo.data.classes import parse_number
from cobogo.data.table.columns import load_coded_columns
from cobogo.data.table.read import Table
from cobogo.floor.arrays import Floats
from cobogo.floor.language import tr
from cobogo.promises.operators import Operator
from cobogo.publish.perturb.coded_table import CodedColumn
from cobogo.release.drawn import Bars, Section, Story

if TYPE_CHECKING:
    from cobogo.floor.language import Speech
    from cobogo.publish.perturb.release import Perturbed

PERTURBED = {
    "moments": tr("Means and deviations"),
    "correlations": tr("Correlations"),
    "frequencies": tr("Frequencies"),
    "pram": tr("Exchange at random"),
    "swapped": tr("Swapping"),
    "before": tr("before"),
    "after": tr("after"),
}

PERTURBED_LEAD = {
    "moments": tr(
        "Means and deviations of the numbers, before and after. Additive noise increases the "
        "deviations; correlated noise and swapping keep both."
    ),
    "correlations": tr(
        "Correlations of pairs of numbers. Separate noise on each number weakens them, and so does swapping."
    ),
    "frequencies": tr(
        "How far the shares of an attribute's values moved: the share of the records that "
        "would have to change to restore them."
    ),
    "pram": tr(
        "The share of the values that is expected to stay unchanged, and the largest ratio "
        "between the probabilities of two original values for one released value. There is no "
        "ratio where a released value rules out an original one, or where rules undo some "
        "exchanges."
    ),
    "swapped": tr("The share of the records that were exchanged with a partner. The others are released unchanged."),
}

PERTURBED_COLUMN = {
    "attribute": tr("attribute"),
    "other": tr("and"),
    "moved": tr("moved"),
    "kept": tr("kept"),
    "amplification": tr("ratio"),
    "exchanged": tr("exchanged"),
    "mean.before": tr("mean before"),
    "mean.after": tr("mean after"),
    "deviation.before": tr("deviation before"),
    "deviation.after": tr("deviation after"),
    "correlation.before": tr("correlation before"),
    "correlation.after": tr("correlation after"),
    "values.before": tr("values before"),
    "values.after": tr("values after"),
}

BARS = 20
"""Values of an attribute that a plot shows."""


def story(made: Perturbed, before: Table, after: Table, say: Speech) -> Story:
    """The figures of every perturbed attribute, and the correlations of the numeric ones."""
    names = list(dict.fromkeys(name for step in made.wanted.steps for name in step.attributes))
    sides = _read(before, names), _read(after, names)
    numbers = {name: tuple(side[name].numbers(made.decimal) for side in sides) for name in names}
    numeric = [name for name in names if all(_is_numeric(side[name], made.decimal) for side in sides)]
    moments = [_moments(*numbers[name]) for name in numeric]
    shares = [_Shares(name, sides[0][name], sides[1][name]) for name in names if name not in numeric]
    related = _correlations({name: numbers[name] for name in numeric})
    sections = []
    if moments:
        header = ["attribute", "mean.before", "mean.after", "deviation.before", "deviation.after"]
        rows = [[name, *row] for name, row in zip(numeric, moments, strict=True)]
        sections.append(_section("moments", header, rows, say))
    if related:
        header = ["attribute", "other", "correlation.before", "correlation.after"]
        sections.append(_section("correlations", header, related, say))
    if shares:
        header = ["attribute", "values.before", "values.after", "moved"]
        sections.append(_section("frequencies", header, [found.row() for found in shares], say))
    if made.operators:
        rows = [
            [name, operator.expected_unchanged(sides[0][name].counts() / made.records), _ratio(name, operator, made)]
            for name, (_, operator) in made.operators.items()
        ]
        sections.append(_section("pram", ["attribute", "kept", "amplification"], rows, say))
    swapped = [[", ".join(made.wanted.steps[number].attributes), share] for number, share in made.swapped.items()]
    if swapped:
        sections.append(_section("swapped", ["attribute", "exchanged"], swapped, say))
    return Story(
        summary={
            "preserved": {
                "moments": {
                    name: dict(zip(_KEYS, row, strict=True)) for name, row in zip(numeric, moments, strict=True)
                },
                "correlations": related,
                "moved": {found.name: found.moved for found in shares},
            },
            "swapped": [share for _, share in swapped],
        },
        headline=say.plural("one attribute perturbed", "{n} attributes perturbed", n=len(names)),
        keys=[
            (
                say("Formal guarantee"),
                say("none"),
                say(
                    "Perturbation makes linking less certain, but gives no bound: attack the release "
                    "before you give it away."
                ),
            )
        ],
        sections=sections,
        plots=[found.bars(number, say) for number, found in enumerate(shares, 1)],
    )


def _read(table: Table, names: Sequence[str]) -> dict[str, CodedColumn]:
    codes, labels = load_coded_columns(table, names)
    return {name: CodedColumn(codes[name], labels[name]) for name in names}


_KEYS = ("mean_before", "mean_after", "deviation_before", "deviation_after")


class _Shares:
    """The shares of an attribute's values, before and after."""

    def __init__(self, name: str, before: CodedColumn, after: CodedColumn) -> None:
        self.name = name
        self.labels = tuple(dict.fromkeys((*before.labels, *after.labels)))
        place = {label: number for number, label in enumerate(self.labels)}
        self.before, self.after = np.zeros((2, len(self.labels)), dtype=np.int64)
        for counts, column in ((self.before, before), (self.after, after)):
            counts[[place[label] for label in column.labels]] = column.counts()

    @property
    def moved(self) -> float:
        """The total variation distance: the share of records that would have to change back."""
        total = max(int(self.before.sum()), 1), max(int(self.after.sum()), 1)
        return float(np.abs(self.before / total[0] - self.after / total[1]).sum() / 2)

    def row(self) -> list[str | float | None]:
        """The attribute's row in the table of frequencies."""
        return [self.name, int((self.before > 0).sum()), int((self.after > 0).sum()), self.moved]

    def bars(self, number: int, say: Speech) -> Bars:
        """The plot of the most frequent values."""
        order = np.argsort(-self.before, kind="stable")[:BARS]
        series = {"before": self.before, "after": self.after}
        return Bars(
            stem=f"frequencies-{number}",
            title=say("{attribute}: before and after", attribute=self.name),
            what=say("Share of the records with each of the most frequent values"),
            labels=[say.show(self.labels[place]) for place in order],
            series={
                say(PERTURBED[key]): (counts[order] / max(counts.sum(), 1)).tolist() for key, counts in series.items()
            },
        )


def _is_numeric(column: CodedColumn, decimal: str) -> bool:
    known = [label for label in column.labels if label is not None]
    return bool(known) and all(not np.isnan(parse_number(label, decimal)) for label in known)


def _moments(before: Floats, after: Floats) -> list[float]:
    return [float(of(side)) for of in (np.nanmean, np.nanstd) for side in (before, after)]


def _correlations(numbers: Mapping[str, tuple[Floats, ...]]) -> list[list[Any]]:
    """The correlations of every pair of numeric attributes, over the records that have both."""
    return [
        [one, other, *(_correlation(x, y) for x, y in zip(numbers[one], numbers[other], strict=True))]
        for one, other in combinations(numbers, 2)
    ]


def _correlation(one: Floats, other: Floats) -> float | None:
    both = ~(np.isnan(one) | np.isnan(other))
    x, y = one[both], other[both]
    if len(x) < 2 or x.std() == 0 or y.std() == 0:
        return None
    return float(np.corrcoef(x, y)[0, 1])


def _section(key: str, header: Sequence[str], rows: Sequence[list[Any]], say: Speech) -> Section:
    return Section(
        say(PERTURBED[key]),
        say(PERTURBED_LEAD[key]),
        [say(PERTURBED_COLUMN[name]) for name in header],
        rows,
    )


def _ratio(name: str, operator: Operator, made: Perturbed) -> float | None:
    """The operator's amplification; None where it is infinite, or where rules undo some of the draws."""
    ruled = any(name in rule for rule in made.wanted.forbid)
    return None if ruled or not np.isfinite(operator.amplification) else operator.amplification
