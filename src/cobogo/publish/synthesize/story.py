"""The report of synthetic data: what it cost, what the cost was spent on, and how close it is to the original."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from cobogo.data.policy import Utility
from cobogo.data.table.read import Table
from cobogo.floor.language import tr
from cobogo.promises.accounting import epsilon_of
from cobogo.publish.synthesize.domains import encode_rows, read_domain
from cobogo.publish.synthesize.fidelity import Fidelity, fidelity
from cobogo.release.drawn import Bars, Row, Section, Story
from cobogo.tell.report.labels import KIND

if TYPE_CHECKING:
    from cobogo.floor.language import Speech
    from cobogo.publish.synthesize.release import Synthetic

SYNTHETIC_COLUMN = {
    "distance": tr("distance"),
    "pair": tr("attributes"),
    "before": tr("association before"),
    "after": tr("association after"),
    "step": tr("step"),
    "attributes": tr("attributes"),
    "scale": tr("noise"),
    "share": tr("share of ρ"),
}

SYNTHETIC_STEP = {
    "gaussian": tr("counted with noise"),
    "exponential": tr("chosen"),
}

SHOWN = 30
PLOTTED = 4
"""Attributes whose values are plotted: those with the largest distances."""

SOME_DELTA = 1e-9
"""The δ at which a cost in ρ is also given in ε."""


def tell(made: Synthetic, before: Table, after: Table, say: Speech) -> Story:
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
    headline = say(
        tr("synthetic records by {method}, with differential privacy")
        if made.cost
        else tr("synthetic records by {method}: NO GUARANTEE"),
        method=made.wanted.method,
    )
    return Story(summary, headline, _keys(made, found, say), sections, _plots(made, found, original, released, say))


def _keys(made: Synthetic, found: Fidelity, say: Speech) -> list[tuple[str, str, str]]:
    if made.cost is None:
        keys = [
            (
                say("Formal guarantee"),
                say("NONE"),
                say(
                    "The model was fitted to exact counts. Its records may tell of single people: attack them before "
                    "giving them away, and better do not give them away at all."
                ),
            )
        ]
    elif made.cost.epsilon is None or made.cost.delta is None:
        epsilon = say.number(epsilon_of(float(made.cost.rho), SOME_DELTA))
        why = say("Zero-concentrated; that is ε = {epsilon} for δ = {delta}.", epsilon=epsilon, delta=f"{SOME_DELTA:g}")
        keys = [(say("Formal guarantee"), f"ρ = {say.number(float(made.cost.rho))}", why)]
    else:
        cost = f"ε = {say.number(float(made.cost.epsilon))}, δ = {float(made.cost.delta):g}"
        why = say(
            tr("For people, with up to {rows} records each.")
            if made.policy.data.unit
            else tr("For every single record of the data."),
            rows=made.max_rows,
        )
        keys = [(say("Formal guarantee"), cost, why)]
    keys.append(
        (
            say("Single attributes"),
            say.percent(found.mean_of_ones),
            say(
                "Mean total variation: the share of the records that would have to change for an attribute to be "
                "distributed as in the original."
            ),
        )
    )
    if found.pairs:
        keys.append(
            (
                say("Pairs of attributes"),
                say.percent(found.mean_of_pairs),
                say("The same of pairs, of which all classifiers and cross tables are made."),
            )
        )
    if found.queries:
        why = say(
            "Mean error of {queries} random counts over ranges and single values of up to three attributes, "
            "as a share of the records.",
            queries=found.queries["queries"],
        )
        keys.append((say("Counting queries"), say.percent(found.queries["mean"]), why))
    return keys


def _ones(found: Fidelity, say: Speech) -> Section:
    ordered = sorted(found.ones.items(), key=lambda entry: -entry[1])
    return Section(
        say("Attributes"),
        say(
            "How far each attribute's distribution is from the original's. All figures of this page are "
            "measured on the true data: they are not protected, and stay here."
        ),
        [say("attribute"), say("distance")],
        [[name, distance] for name, distance in ordered],
    )


def _pairs(found: Fidelity, say: Speech) -> Section:
    rows: list[Row] = [[" × ".join(p.attributes), p.distance, p.before, p.after] for p in found.pairs[:SHOWN]]
    return Section(
        say("Pairs that are farthest apart"),
        say(
            "The distance of the joint distributions, and how strongly the two are associated (Cramér's V) in "
            "the original and in the release."
        ),
        [say(SYNTHETIC_COLUMN[name]) for name in ("pair", "distance", "before", "after")],
        rows,
    )


def _accuracy(found: Fidelity, say: Speech) -> list[Section]:
    if not found.accuracy or not found.accuracy["models"]:
        return []
    rows: list[Row] = [
        [say(KIND.get(name, name)), entry["original"], entry["release"]]
        for name, entry in found.accuracy["models"].items()
    ]
    lead = say(
        "Trained to predict {label} on the synthetic records, and on original ones; tested on {held_out} "
        "of the original. Always guessing the most frequent label is right for {baseline}.",
        label=found.accuracy["label"],
        held_out=say.plural("{n} record", "{n} records", n=found.accuracy["held_out"]),
        baseline=say.percent(found.accuracy["baseline"]),
    )
    header = [say("classifier"), say("trained on originals"), say("trained on synthetic")]
    return [Section(say("What classifiers learn"), lead, header, rows)]


def _steps(made: Synthetic, say: Speech) -> list[Section]:
    """What each step cost."""
    if made.cost is None:
        return []
    names = [domain.attribute for domain in made.domains]
    rows: list[Row] = [
        [
            say(SYNTHETIC_STEP[step.mechanism]),
            " × ".join(names[place] for place in step.attributes) or say("(all records)"),
            step.scale,
            float(step.cost / made.cost.rho),
        ]
        for step in made.outcome.steps
    ]
    header = [say(SYNTHETIC_COLUMN[name]) for name in ("step", "attributes", "scale", "share")]
    return [
        Section(
            say("Where the cost went"),
            say("Every look at the data, in order. The standard deviation of the noise is in records."),
            header,
            rows,
        )
    ]


def _beyond(beyond: dict[str, int], left_out: int, say: Speech) -> Section:
    rows: list[Row] = [[name, count] for name, count in beyond.items()]
    lead = say(
        "Records of the original whose value is none of the domain: they counted as NULL. Left out "
        "altogether: {left_out}.",
        left_out=say.plural("{n} record", "{n} records", n=left_out),
    )
    header = [say("attribute"), say("records")]
    return Section(say("Values that were not declared"), lead, header, rows)


def _plots(made: Synthetic, found: Fidelity, before, after, say: Speech) -> list[Bars]:  # type: ignore[no-untyped-def]
    names = [domain.attribute for domain in made.domains]
    far = sorted(found.ones, key=lambda name: -found.ones[name])
    plots = [
        Bars(
            "one-way",
            say("How far each attribute is off"),
            say("Total variation between original and synthetic records"),
            far,
            {say("distance"): [found.ones[name] for name in far]},
        )
    ]
    if found.pairs:
        labels = [" × ".join(pair.attributes) for pair in found.pairs]
        distances = {say("distance"): [pair.distance for pair in found.pairs]}
        plots.append(
            Bars(
                "two-way",
                say("How far pairs of attributes are off"),
                say("Total variation of joint distributions, the farthest first"),
                labels,
                distances,
            )
        )
    for name in far[:PLOTTED]:
        place = names.index(name)
        domain = made.domains[place]
        shares = []
        for rows in (before, after):
            counts = np.bincount(rows.codes[place], minlength=domain.size)
            shares.append(counts / max(counts.sum(), 1))
        order = np.argsort(-shares[0], kind="stable") if domain.size > SHOWN else np.arange(domain.size)
        series = {
            say("original"): shares[0][order].tolist(),
            say("synthetic"): shares[1][order].tolist(),
        }
        title = say("{attribute}: original and synthetic", attribute=name)
        labels = [say.label(domain.name(int(code))) for code in order]
        plots.append(Bars(f"values-{place}", title, say("Share of the records with each value"), labels, series))
    return plots
