"""What the reports tell of the methods that change more than values: parts, sets of records, groups."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from cobogo.data.table.frequency import frequency_table
from cobogo.data.table.read import Table
from cobogo.floor.arrays import Floats
from cobogo.promises.guarantees.growth import owned
from cobogo.publish.randomize.story import SHOWN, distance, observed_counts, plain, posteriors
from cobogo.release.contract import Row, Section, Story

if TYPE_CHECKING:
    from cobogo.publish.randomize.alpha_beta import SetRelease
    from cobogo.publish.randomize.generalized import Generalized
    from cobogo.publish.randomize.small_domain import SmallDomain
    from cobogo.tell.report.words import Words


def tell_parts(made: SmallDomain, before: Table, after: Table, say: Words) -> Story:  # noqa: ARG001
    """Of an attribute that was drawn within parts."""
    values = made.values
    observed = observed_counts(after, values.attribute, values.labels)
    estimated = np.zeros(len(values.labels))
    for part in made.parts:
        estimated[part.codes] = part.operator.inverse(observed[part.codes].astype(float))
    total = int(values.records.sum())
    order = np.argsort(-values.records, kind="stable")[:SHOWN].tolist()
    part_of = {code: number for number, part in enumerate(made.parts, 1) for code in part.codes.tolist()}
    header = [say("randomized.value"), made.column, *(say(f"randomized.{k}") for k in ("true", "shown", "estimated"))]
    rows: list[Row] = [
        [say.label(values.labels[c]), str(part_of[c]), float(values.records[c] / total), float(observed[c] / total),
         float(estimated[c] / total)] for c in order
    ]  # fmt: skip
    retained = sum(float(part.retention) * part.records for part in made.parts) / total
    listed: list[Row] = [
        [str(n), len(part.codes), part.records, float(part.retention)] for n, part in enumerate(made.parts, 1)
    ]
    heads = [made.column, say("randomized.values"), say("randomized.records"), say("randomized.retained")]
    title = say("randomized.distribution", attribute=values.attribute)
    sections = [
        Section(say("randomized.parts"), say("randomized.parts.why"), heads, listed),
        Section(title, say("randomized.distribution.why"), header, rows),
    ]
    headline = say("randomized.headline", method=made.method, attribute=values.attribute, share=say.percent(retained))
    found = distance(estimated / total, values.records / total)
    figures = {values.attribute: {"distance": {"estimated": found}}}
    summary = {"retained": retained, "parts": len(made.parts), "attributes": figures}
    keys = [(say("randomized.retained"), say.percent(retained), say("randomized.retained.why"))]
    return Story(summary, headline, keys, sections)


def tell_set(made: SetRelease, before: Table, after: Table, say: Words) -> Story:  # noqa: ARG001
    """Of a set of records, some of them made up."""
    released = after.rows()
    a, b = float(made.chances.alpha), float(made.chances.beta)
    distinct = (released - b * made.possible) / a
    d = made.guarantees[0].d
    rows: list[Row] = [
        [say("randomized.set.possible"), made.possible],
        [say("randomized.set.released"), released],
        [say("randomized.set.fakes"), round(b * made.possible)],
        [say("randomized.set.estimated"), round(distinct)],
    ]
    chances: list[Row] = [
        [say("randomized.set.independent"), say.percent(made.chances.posterior(d))],
        [say("randomized.set.person"), say.percent(made.chances.person_posterior(d))],
    ]
    sections = [
        Section(say("randomized.set"), say("randomized.set.why"), ["", say("randomized.records")], rows),
        Section(say("randomized.set.posteriors"), say("randomized.set.posteriors.why", d=say.percent(d)),
                [say("randomized.set.attacker"), say("randomized.posterior")], chances),
    ]  # fmt: skip
    headline = say("randomized.set.headline", kept=say.percent(a + b), added=say.percent(b))
    summary = {"alpha": a, "beta": b, "possible": made.possible, "posterior": made.chances.posterior(d),
               "person-posterior": made.chances.person_posterior(d)}  # fmt: skip
    return Story(summary, headline, (), sections)


def tell_groups(made: Generalized, before: Table, after: Table, say: Words) -> Story:  # noqa: ARG001
    """Of groups with one record each."""
    values, operator = made.values, made.operator
    rows = frequency_table(after, [values.attribute, made.size], [])
    place = values.places
    shown = np.array([place[rows.values[values.attribute][code]] for code in rows.codes[:, 0]], dtype=np.int64)
    sizes = np.array([int(rows.values[made.size][code] or 0) for code in rows.codes[:, 1]], dtype=np.int64)
    weighted: Floats = np.bincount(shown, sizes * rows.counts, operator.size).astype(float)
    estimated: Floats = operator.inverse(weighted) / max(weighted.sum(), 1) if operator.retention else weighted
    true = values.records / values.records.sum()
    order = np.argsort(-values.records, kind="stable")[:SHOWN].tolist()
    header = [say(f"randomized.{key}") for key in ("value", "true", "estimated")]
    table: list[Row] = [[say.label(values.labels[c]), float(true[c]), float(estimated[c])] for c in order]
    chance = owned(float(operator.retention), operator.size, made.k)
    sections = [
        Section(
            say("randomized.distribution", attribute=values.attribute), say("randomized.groups.why"), header, table
        ),
        posteriors(operator.amplification, chance, say),
    ]
    retained = float(operator.retention)
    headline = say("randomized.headline", method=made.method, attribute=values.attribute, share=say.percent(retained))
    keys = [(say("randomized.owned"), say.percent(chance), say("randomized.owned.why"))]
    summary = {"retained": retained, "k": made.k, "owned": chance, "amplification": plain(operator.amplification),
               "attributes": {values.attribute: {"distance": {"estimated": distance(estimated, true)}}}}  # fmt: skip
    return Story(summary, headline, keys, sections)
