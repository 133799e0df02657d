"""The report of synthetic data: what it cost, what the cost was spent on, and how close it is to the original."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from cobogo.data.policy import Utility
from cobogo.data.table.read import Table
from cobogo.promises.accounting import epsilon_of
from cobogo.publish.synthesize.domains import encode_rows, read_domain
from cobogo.publish.synthesize.fidelity import Fidelity, fidelity
from cobogo.release.drawn import Bars, Row, Section, Story

if TYPE_CHECKING:
    from cobogo.publish.synthesize.release import Synthetic
    from cobogo.tell.report.words import Words

SHOWN = 30
PLOTTED = 4
"""Attributes whose values are plotted: those with the largest distances."""

SOME_DELTA = 1e-9
"""The δ at which a cost in ρ is also given in ε."""


def tell(made: Synthetic, before: Table, after: Table, say: Words) -> Story:
    """Measure the fidelity of the released records, and report it with the cost."""
    decimal = made.policy.data.decimal
    original = encode_rows(before, made.domains, decimal)
    released = encode_rows(
        after, [read_domain(domain.attribute, domain.statement()) for domain in made.domains], decimal
    )
    asked = made.policy.utility or Utility()
    found = fidelity(
        made.domains,
        original.codes,
        released.codes,
        queries=asked.queries,
        selectivity=asked.selectivity,
        seed=asked.seed,
        label=asked.label,
    )
    sections = [_ones(found, say), _pairs(found, say), *_accuracy(found, say), *_steps(made, say)]
    beyond = {name: count for name, count in original.beyond.items() if count}
    if beyond or original.left_out:
        sections.append(_beyond(beyond, original.left_out, say))
    summary = {
        "fidelity": found.as_dict(),
        "rho-spent": float(sum(step.cost for step in made.outcome.steps)),
        "beyond-domains": beyond,
        "left-out": original.left_out,
    }
    headline = say("synthetic.headline" if made.cost else "synthetic.headline.none", method=made.wanted.method)
    return Story(summary, headline, _keys(made, found, say), sections, _plots(made, found, original, released, say))


def _keys(made: Synthetic, found: Fidelity, say: Words) -> list[tuple[str, str, str]]:
    if made.cost is None:
        keys = [(say("synthetic.guarantee"), say("synthetic.none"), say("synthetic.none.why"))]
    elif made.cost.epsilon is None or made.cost.delta is None:
        epsilon = say.number(epsilon_of(float(made.cost.rho), SOME_DELTA))
        why = say("synthetic.rho.why", epsilon=epsilon, delta=f"{SOME_DELTA:g}")
        keys = [(say("synthetic.guarantee"), f"ρ = {say.number(float(made.cost.rho))}", why)]
    else:
        cost = f"ε = {say.number(float(made.cost.epsilon))}, δ = {float(made.cost.delta):g}"
        why = say("synthetic.person" if made.policy.data.unit else "synthetic.record", rows=made.max_rows)
        keys = [(say("synthetic.guarantee"), cost, why)]
    keys.append((say("synthetic.ones"), say.percent(found.mean_of_ones), say("synthetic.ones.why")))
    if found.pairs:
        keys.append((say("synthetic.pairs"), say.percent(found.mean_of_pairs), say("synthetic.pairs.why")))
    if found.queries:
        why = say("synthetic.queries.why", queries=found.queries["queries"])
        keys.append((say("synthetic.queries"), say.percent(found.queries["mean"]), why))
    return keys


def _ones(found: Fidelity, say: Words) -> Section:
    ordered = sorted(found.ones.items(), key=lambda entry: -entry[1])
    return Section(
        say("synthetic.attributes"),
        say("synthetic.attributes.lead"),
        [say("synthetic.column.attribute"), say("synthetic.column.distance")],
        [[name, distance] for name, distance in ordered],
    )


def _pairs(found: Fidelity, say: Words) -> Section:
    rows: list[Row] = [[" × ".join(p.attributes), p.distance, p.before, p.after] for p in found.pairs[:SHOWN]]
    return Section(
        say("synthetic.worst"),
        say("synthetic.worst.lead"),
        [say(f"synthetic.column.{name}") for name in ("pair", "distance", "before", "after")],
        rows,
    )


def _accuracy(found: Fidelity, say: Words) -> list[Section]:
    if not found.accuracy or not found.accuracy["models"]:
        return []
    rows: list[Row] = [
        [say.name("kind", name), entry["original"], entry["release"]]
        for name, entry in found.accuracy["models"].items()
    ]
    lead = say(
        "synthetic.accuracy.lead",
        label=found.accuracy["label"],
        held_out=say("records", n=found.accuracy["held_out"]),
        baseline=say.percent(found.accuracy["baseline"]),
    )
    header = [say("synthetic.column.classifier"), say("synthetic.column.original"), say("synthetic.column.synthetic")]
    return [Section(say("synthetic.accuracy"), lead, header, rows)]


def _steps(made: Synthetic, say: Words) -> list[Section]:
    """What each step cost."""
    if made.cost is None:
        return []
    names = [domain.attribute for domain in made.domains]
    rows: list[Row] = [
        [
            say(f"synthetic.step.{step.mechanism}"),
            " × ".join(names[place] for place in step.attributes) or say("synthetic.all"),
            step.scale,
            float(step.cost / made.cost.rho),
        ]
        for step in made.outcome.steps
    ]
    header = [say(f"synthetic.column.{name}") for name in ("step", "attributes", "scale", "share")]
    return [Section(say("synthetic.steps"), say("synthetic.steps.lead"), header, rows)]


def _beyond(beyond: dict[str, int], left_out: int, say: Words) -> Section:
    rows: list[Row] = [[name, count] for name, count in beyond.items()]
    lead = say("synthetic.beyond.lead", left_out=say("records", n=left_out))
    header = [say("synthetic.column.attribute"), say("synthetic.column.records")]
    return Section(say("synthetic.beyond"), lead, header, rows)


def _plots(made: Synthetic, found: Fidelity, before, after, say: Words) -> list[Bars]:  # type: ignore[no-untyped-def]
    names = [domain.attribute for domain in made.domains]
    far = sorted(found.ones, key=lambda name: -found.ones[name])
    plots = [
        Bars("one-way", say("synthetic.plot.ones"), say("synthetic.plot.ones.what"), far,
             {say("synthetic.column.distance"): [found.ones[name] for name in far]})
    ]  # fmt: skip
    if found.pairs:
        labels = [" × ".join(pair.attributes) for pair in found.pairs]
        distances = {say("synthetic.column.distance"): [pair.distance for pair in found.pairs]}
        plots.append(Bars("two-way", say("synthetic.plot.pairs"), say("synthetic.plot.pairs.what"), labels, distances))
    for name in far[:PLOTTED]:
        place = names.index(name)
        domain = made.domains[place]
        shares = []
        for rows in (before, after):
            counts = np.bincount(rows.codes[place], minlength=domain.size)
            shares.append(counts / max(counts.sum(), 1))
        order = np.argsort(-shares[0], kind="stable") if domain.size > SHOWN else np.arange(domain.size)
        series = {
            say("synthetic.plot.original"): shares[0][order].tolist(),
            say("synthetic.plot.synthetic"): shares[1][order].tolist(),
        }
        title = say("synthetic.plot.values", attribute=name)
        labels = [say.label(domain.name(int(code))) for code in order]
        plots.append(Bars(f"values-{place}", title, say("synthetic.plot.values.what"), labels, series))
    return plots
