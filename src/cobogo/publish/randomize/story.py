"""The report of a randomized release: retention, posteriors, and estimated distributions beside the true ones.

One function for each kind: columns, parts of a domain, sets of records, groups.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from cobogo.data.table.frequency import frequency_table
from cobogo.data.table.read import Table
from cobogo.floor.arrays import Floats, Ints
from cobogo.floor.language import tr
from cobogo.promises.guarantees.base import largest_posterior
from cobogo.promises.guarantees.prior_posterior import largest_growth, ownership_probability
from cobogo.promises.operators import LARGEST, Operator, Uniform, estimate_by_inversion, estimate_by_likelihood
from cobogo.publish.randomize.columns import compound, observed_counts
from cobogo.publish.randomize.utility import compare_mining, compare_queries
from cobogo.release.drawn import Bars, Row, Section, Story

if TYPE_CHECKING:
    from cobogo.floor.language import Speech
    from cobogo.publish.randomize.alpha_beta import SetRelease
    from cobogo.publish.randomize.columns import RandomizedAttributes, RandomizedColumns
    from cobogo.publish.randomize.perturbed_generalization import PerturbedGeneralization
    from cobogo.publish.randomize.request import AttributeValues
    from cobogo.publish.randomize.small_domain import SmallDomain

RANDOMIZED = {
    "value": tr("value"),
    "true": tr("original"),
    "shown": tr("released"),
    "estimated": tr("estimated (inversion)"),
    "likely": tr("estimated (likeliest)"),
}

SHARES = tr(
    "Shares of the records. A recipient sees the released shares and can estimate the original ones. The inversion "
    "is right on average and may be negative; the likeliest estimate is always a distribution."
)

PRIORS = (0.01, 0.05, 0.1, 0.25, 0.5)
SHOWN = 30
"""Values of a domain that the report lists, the most frequent first."""


def tell(made: RandomizedColumns, before: Table, after: Table, say: Speech) -> Story:
    """Report columns that were randomized value by value."""
    sections, plots = [], []
    summary: dict[str, Any] = {}
    beside: dict[str, Any] = {}
    for part in made.drawn:
        for values in part.values:
            operator = marginal(part, values)
            if operator is None:
                continue
            observed = observed_counts(after, values.attribute, values.labels)
            assert observed is not None
            section, plot, figures = distribution(values, operator, observed, say)
            sections.append(section)
            plots.append(plot)
            summary[values.attribute] = figures
    first = made.drawn[0]
    gamma = compound([part.operator.amplification for part in made.drawn] * made.records_per_person)
    sections.append(posteriors(gamma, 1.0, say))
    if made.policy.utility is not None:
        found = compare_queries(made, before, after, say)
        sections += [found[0]] if found else []
        beside = {"count-queries": found[1]} if found else {}
        taught = compare_mining(made, before, after, say)
        sections += [taught[0]] if taught else []
        beside |= {"mining": taught[1]} if taught else {}
    retained = _retention(first)
    headline = say("{method} of “{attribute}”: {share} retained", method=made.method, attribute=", ".join(first.names),
                   share=say.percent(retained))  # fmt: skip
    keys = [
        (
            say("retained"),
            say.percent(retained),
            say("with this probability a value is kept; otherwise another may be drawn"),
        ),
        (
            say("amplification γ"),
            say.number(gamma),
            say("the odds of anything about a person change by this factor at most"),
        ),
        (say("ε of local differential privacy"), say.number(math.log(gamma)), say("the logarithm of γ")),
    ]
    shares = first.values[0].records / first.values[0].records.sum()
    if len(first.values) == 1:
        same = first.operator.expected_unchanged(shares)
        keys.insert(
            1,
            (
                say("released as collected"),
                say.percent(same),
                say("the share of the records whose value is the one collected, kept or drawn again"),
            ),
        )
        beside["released-as-is"] = same
    result = {"retained": retained, "amplification": json_number(gamma), "attributes": summary, **beside}
    return Story(result, headline, keys, sections, plots)


def marginal(part: RandomizedAttributes, values: AttributeValues) -> Operator | None:
    """The operator of one attribute among those that are drawn together, if it is known.

    The marginal of a uniform perturbation is a uniform perturbation with the same retention.
    """
    if len(part.values) == 1:
        return part.operator
    return Uniform(len(values.labels), part.operator.retention) if isinstance(part.operator, Uniform) else None


def distribution(
    values: AttributeValues, operator: Operator, observed: Ints, say: Speech
) -> tuple[Section, Bars, dict[str, Any]]:
    """The true distribution, the released one, and the one that a recipient estimates."""
    true = values.records / values.records.sum()
    shown = observed / max(int(observed.sum()), 1)
    try:
        estimated = estimate_by_inversion(operator, observed)
    except ValueError:
        estimated = np.full(operator.size, np.nan)
    likely = estimate_by_likelihood(operator, observed, rounds=500) if operator.size <= LARGEST else shown
    order = np.argsort(-values.records, kind="stable")[:SHOWN]
    header = [say(RANDOMIZED[key]) for key in ("value", "true", "shown", "estimated", "likely")]
    columns = [true, shown, estimated, likely]
    rows: list[Row] = [
        [say.label(values.labels[code]), *(float(column[code]) for column in columns)] for code in order.tolist()
    ]
    title = say("“{attribute}”: original, released and estimated", attribute=values.attribute)
    section = Section(
        title,
        say(SHARES),
        header,
        rows,
    )
    series = {header[1]: true[order].tolist(), header[2]: shown[order].tolist(), header[4]: likely[order].tolist()}
    from cobogo.tell.report.content import slug

    name = slug(values.attribute) or "values"
    labels = [say.label(values.labels[code]) for code in order.tolist()]
    plot = Bars(f"distribution_{name}", title, say(SHARES), labels, series)
    figures = {
        "values": operator.size,
        "distance": {
            "released": distance(shown, true),
            "estimated": None if np.isnan(estimated).any() else distance(estimated, true),
            "likeliest": distance(likely, true),
        },
    }
    return section, plot, figures


def posteriors(gamma: float, owner: float, say: Speech) -> Section:
    """The largest posterior of a property, by its prior."""
    rows: list[Row] = [
        [say.percent(prior), say.percent(mix_posterior(largest_posterior(prior, gamma), prior, owner))]
        for prior in PRIORS
    ]
    rows.append([say("largest growth"), say.percent(owner * largest_growth(gamma))])
    header = [say("known before"), say("known after, at most")]
    return Section(
        say("What a released value reveals about a person"),
        say(
            "The probability of any property of a person's value, before and after an attacker "
            "sees the release, whatever the attacker knows about others."
        ),
        header,
        rows,
    )


def _retention(part: RandomizedAttributes) -> float:
    """The retention, or the share of records expected to be released as they are where an operator has none."""
    if isinstance(part.operator, Uniform):
        return float(part.operator.retention)
    records = part.values[0].records
    return part.operator.expected_unchanged(records / records.sum())


def mix_posterior(posterior: float, prior: float, owner: float) -> float:
    return owner * posterior + (1 - owner) * prior


def distance(one: Floats, other: Floats) -> float:
    """The total variation distance, ½Σ|p − q|."""
    return float(abs(one - other).sum() / 2)


def json_number(number: float) -> float | str:
    return number if math.isfinite(number) else str(number)


def tell_parts(made: SmallDomain, before: Table, after: Table, say: Speech) -> Story:  # noqa: ARG001
    """Report an attribute that was randomized within parts."""
    values = made.values
    observed = observed_counts(after, values.attribute, values.labels)
    assert observed is not None
    estimated = np.zeros(len(values.labels))
    for part in made.parts:
        estimated[part.codes] = part.operator.inverse(observed[part.codes].astype(float))
    total = int(values.records.sum())
    order = np.argsort(-values.records, kind="stable")[:SHOWN].tolist()
    part_of = {code: number for number, part in enumerate(made.parts, 1) for code in part.codes.tolist()}
    header = [say("value"), made.column, *(say(RANDOMIZED[k]) for k in ("true", "shown", "estimated"))]
    rows: list[Row] = [
        [say.label(values.labels[c]), str(part_of[c]), float(values.records[c] / total), float(observed[c] / total),
         float(estimated[c] / total)] for c in order
    ]  # fmt: skip
    retained = sum(float(part.retention) * part.records for part in made.parts) / total
    listed: list[Row] = [
        [str(n), len(part.codes), part.records, float(part.retention)] for n, part in enumerate(made.parts, 1)
    ]
    heads = [made.column, say("values"), say("records"), say("retained")]
    title = say("“{attribute}”: original, released and estimated", attribute=values.attribute)
    sections = [
        Section(
            say("The parts"),
            say("Each part's values are perturbed among themselves. Which part a record is in is released."),
            heads,
            listed,
        ),
        Section(
            title,
            say(SHARES),
            header,
            rows,
        ),
    ]
    headline = say(
        "{method} of “{attribute}”: {share} retained",
        method=made.method,
        attribute=values.attribute,
        share=say.percent(retained),
    )
    found = distance(estimated / total, values.records / total)
    figures = {values.attribute: {"distance": {"estimated": found}}}
    summary = {"retained": retained, "parts": len(made.parts), "attributes": figures}
    keys = [
        (
            say("retained"),
            say.percent(retained),
            say("with this probability a value is kept; otherwise another may be drawn"),
        )
    ]
    return Story(summary, headline, keys, sections)


def tell_set(made: SetRelease, before: Table, after: Table, say: Speech) -> Story:  # noqa: ARG001
    """Report a set of records, some of them made up."""
    released = after.rows()
    a, b = float(made.chances.alpha), float(made.chances.beta)
    distinct = (released - b * made.possible) / a
    d = made.guarantees[0].d
    rows: list[Row] = [
        [say("possible records"), made.possible],
        [say("released"), released],
        [say("invented, about"), round(b * made.possible)],
        [say("distinct originals, estimated"), round(distinct)],
    ]
    chances: list[Row] = [
        [say("records are independent"), say.percent(made.chances.posterior(d))],
        [say("a person has one sensitive value"), say.percent(made.chances.person_posterior(d))],
    ]
    sections = [
        Section(
            say("The set of records"),
            say("Original records are hidden among invented ones."),
            ["", say("records")],
            rows,
        ),
        Section(
            say("What an attacker learns about a released record"),
            say(
                "From a prior of {d}. The guarantee is for attackers who treat records as independent; the second "
                "attacker knows that a person has one record.",
                d=say.percent(d),
            ),
            [say("attacker"), say("known after, at most")],
            chances,
        ),
    ]
    headline = say(
        "A set of records: {kept} of the originals kept, {added} of the others added",
        kept=say.percent(a + b),
        added=say.percent(b),
    )
    summary = {"alpha": a, "beta": b, "possible": made.possible, "posterior": made.chances.posterior(d),
               "person-posterior": made.chances.person_posterior(d)}  # fmt: skip
    return Story(summary, headline, (), sections)


def tell_groups(made: PerturbedGeneralization, before: Table, after: Table, say: Speech) -> Story:  # noqa: ARG001
    """Report groups of which one record each was released."""
    values, operator = made.values, made.operator
    rows = frequency_table(after, [values.attribute, made.size], [])
    place = values.places
    shown = np.array([place[rows.values[values.attribute][code]] for code in rows.codes[:, 0]], dtype=np.int64)
    sizes = np.array([int(rows.values[made.size][code] or 0) for code in rows.codes[:, 1]], dtype=np.int64)
    weighted: Floats = np.bincount(shown, sizes * rows.counts, operator.size).astype(float)
    estimated: Floats = operator.inverse(weighted) / max(weighted.sum(), 1) if operator.retention else weighted
    true = values.records / values.records.sum()
    order = np.argsort(-values.records, kind="stable")[:SHOWN].tolist()
    header = [say(RANDOMIZED[key]) for key in ("value", "true", "estimated")]
    table: list[Row] = [[say.label(values.labels[c]), float(true[c]), float(estimated[c])] for c in order]
    chance = ownership_probability(float(operator.retention), operator.size, made.k)
    sections = [
        Section(
            say("“{attribute}”: original, released and estimated", attribute=values.attribute),
            say("Each released record stands for its group; estimates weigh it with the group's size."),
            header,
            table,
        ),
        posteriors(operator.amplification, chance, say),
    ]
    retained = float(operator.retention)
    headline = say(
        "{method} of “{attribute}”: {share} retained",
        method=made.method,
        attribute=values.attribute,
        share=say.percent(retained),
    )
    keys = [
        (
            say("the record is the person's, at most"),
            say.percent(chance),
            say(
                "one record of each group is released; even if an attacker knows all others, it may "
                "belong to another person"
            ),
        )
    ]
    summary = {"retained": retained, "k": made.k, "owned": chance, "amplification": json_number(operator.amplification),
               "attributes": {values.attribute: {"distance": {"estimated": distance(estimated, true)}}}}  # fmt: skip
    return Story(summary, headline, keys, sections)
