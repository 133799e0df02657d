"""What the report tells of a randomized release: retention, posteriors, distributions estimated against the true ones,
and counting queries against what generalization and anatomy would answer at equal privacy."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from cobogo.data.hierarchy import Label
from cobogo.data.table.read import Table
from cobogo.floor.arrays import Floats, Ints
from cobogo.promises.guarantees.base import raised
from cobogo.promises.guarantees.growth import growth
from cobogo.promises.operators.base import LARGEST, Operator
from cobogo.promises.operators.estimate import inverted, likeliest
from cobogo.promises.operators.uniform import Uniform
from cobogo.publish.randomize import mined
from cobogo.publish.randomize.columns import compounded
from cobogo.publish.randomize.rivalry import compared
from cobogo.release.columns import counted
from cobogo.release.contract import Bars, Row, Section, Story

if TYPE_CHECKING:
    from cobogo.publish.randomize.asked import Values
    from cobogo.publish.randomize.columns import Columns, Drawn
    from cobogo.tell.report.words import Words

PRIORS = (0.01, 0.05, 0.1, 0.25, 0.5)
SHOWN = 30
"""Values of a domain that the report lists, the most frequent first."""


def tell(made: Columns, before: Table, after: Table, say: Words) -> Story:
    """Of columns that were drawn value by value."""
    sections, plots = [], []
    summary: dict[str, Any] = {}
    beside: dict[str, Any] = {}
    for part in made.drawn:
        for values in part.values:
            operator = marginal(part, values)
            if operator is None:
                continue
            observed = observed_counts(after, values.attribute, values.labels)
            section, plot, figures = distribution(values, operator, observed, say)
            sections.append(section)
            plots.append(plot)
            summary[values.attribute] = figures
    first = made.drawn[0]
    gamma = compounded([part.operator.amplification for part in made.drawn] * made.records_per_person)
    sections.append(posteriors(gamma, 1.0, say))
    if made.policy.utility is not None:
        found = compared(made, before, after, say)
        sections += [found[0]] if found else []
        beside = {"count-queries": found[1]} if found else {}
        taught = mined.compared(made, before, after, say)
        sections += [taught[0]] if taught else []
        beside |= {"mining": taught[1]} if taught else {}
    retained = _retained(first)
    headline = say("randomized.headline", method=made.method, attribute=", ".join(first.names),
                   share=say.percent(retained))  # fmt: skip
    keys = [
        (say("randomized.retained"), say.percent(retained), say("randomized.retained.why")),
        (say("randomized.gamma"), say.number(gamma), say("randomized.gamma.why")),
        (say("randomized.epsilon"), say.number(math.log(gamma)), say("randomized.epsilon.why")),
    ]
    shares = first.values[0].records / first.values[0].records.sum()
    if len(first.values) == 1:
        same = first.operator.kept(shares)
        keys.insert(1, (say("randomized.same"), say.percent(same), say("randomized.same.why")))
        beside["released-as-is"] = same
    told = {"retained": retained, "amplification": plain(gamma), "attributes": summary, **beside}
    return Story(told, headline, keys, sections, plots)


def marginal(part: Drawn, values: Values) -> Operator | None:
    """The operator of one attribute, of those that are drawn together: of uniform perturbation, again one of the same
    retention."""
    if len(part.values) == 1:
        return part.operator
    return Uniform(len(values.labels), part.operator.retention) if isinstance(part.operator, Uniform) else None


def observed_counts(rows: Table, name: str, labels: Sequence[Label]) -> Ints:
    """How often each value of a domain was released."""
    found, records = counted(rows, name)
    place = {label: code for code, label in enumerate(labels)}
    total = np.zeros(len(labels), dtype=np.int64)
    total[[place[label] for label in found]] = records
    return total


def distribution(
    values: Values, operator: Operator, observed: Ints, say: Words
) -> tuple[Section, Bars, dict[str, Any]]:
    """The true distribution, the released one, and what whoever gets the release estimates."""
    true = values.records / values.records.sum()
    shown = observed / max(int(observed.sum()), 1)
    try:
        estimated = inverted(operator, observed)
    except ValueError:
        estimated = np.full(operator.size, np.nan)
    likely = likeliest(operator, observed, rounds=500) if operator.size <= LARGEST else shown
    order = np.argsort(-values.records, kind="stable")[:SHOWN]
    header = [say(f"randomized.{key}") for key in ("value", "true", "shown", "estimated", "likely")]
    columns = [true, shown, estimated, likely]
    rows: list[Row] = [
        [say.label(values.labels[code]), *(float(column[code]) for column in columns)] for code in order.tolist()
    ]
    title = say("randomized.distribution", attribute=values.attribute)
    section = Section(title, say("randomized.distribution.why"), header, rows)
    series = {header[1]: true[order].tolist(), header[2]: shown[order].tolist(), header[4]: likely[order].tolist()}
    from cobogo.tell.report.figures import slug

    plot = Bars(f"distribution_{slug(values.attribute) or 'values'}", title, say("randomized.distribution.why"),
                [say.label(values.labels[code]) for code in order.tolist()], series)  # fmt: skip
    figures = {
        "values": operator.size,
        "distance": {
            "released": distance(shown, true),
            "estimated": None if np.isnan(estimated).any() else distance(estimated, true),
            "likeliest": distance(likely, true),
        },
    }
    return section, plot, figures


def posteriors(gamma: float, owner: float, say: Words) -> Section:
    """The largest posterior of a property, by its prior."""
    rows: list[Row] = [
        [say.percent(prior), say.percent(sampled(raised(prior, gamma), prior, owner))] for prior in PRIORS
    ]
    rows.append([say("randomized.growth"), say.percent(owner * growth(gamma))])
    header = [say("randomized.prior"), say("randomized.posterior")]
    return Section(say("randomized.posteriors"), say("randomized.posteriors.why"), header, rows)


def _retained(part: Drawn) -> float:
    """The retention; of operators without one, the share of records expected to be released as they are."""
    if isinstance(part.operator, Uniform):
        return float(part.operator.retention)
    records = part.values[0].records
    return part.operator.kept(records / records.sum())


def sampled(posterior: float, prior: float, owner: float) -> float:
    return owner * posterior + (1 - owner) * prior


def distance(one: Floats, other: Floats) -> float:
    """½Σ|p − q|."""
    return float(abs(one - other).sum() / 2)


def plain(number: float) -> float | str:
    return number if math.isfinite(number) else str(number)
