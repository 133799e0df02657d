"""What the commands ``cobogo collect …`` print and draw: estimates, plans and associations."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from cobogo.errors import DataError, OutputError
from cobogo.faces.cli import console, language
from cobogo.floor.language import Text, tr, trn

if TYPE_CHECKING:
    from cobogo.collect.association import Association
    from cobogo.collect.collection import Collection
    from cobogo.collect.plan import CollectionPlan
    from cobogo.collect.protocol import CollectionFindings

SHOWN = 20
"""Pairs of answers that the terminal lists."""


def describe_losses(asked: Collection) -> Text:
    """The ε of a report and of all reports of a value."""
    once, forever = asked.protocol.epsilon_once, asked.protocol.epsilon_forever
    if once == forever:
        return tr("ε = {once:.4g}", once=once)
    return tr("ε = {once:.4g} a report, {forever:.4g} for all reports of one value", once=once, forever=forever)


def say_findings(asked: Collection, found: CollectionFindings) -> None:
    """Print a table of estimates."""
    say = language.terminal_speech()
    header: list[str]
    marks = ["✓" if there else "" for there in found.significant]
    entries = list(
        zip(found.labels, found.counts.tolist(), found.errors.tolist(), found.chances.tolist(), marks, strict=True)
    )
    entries.sort(key=lambda entry: -entry[1])
    if found.counted:
        users = max(found.users, 1)
        header = [
            tr("value"), tr("clients"), tr("± 1 s.e."), tr("share"), "95 %", tr("by chance"), tr("there"),
        ]  # fmt: skip
        rows = [
            [
                label, say.fixed(count, ",.0f"), say.fixed(error, ",.0f"), say.fixed(count / users, ".2%"),
                f"{say.fixed((count - 1.96 * error) / users, '.2%')} … "
                f"{say.fixed((count + 1.96 * error) / users, '.2%')}",
                say.fixed(chance, ".2g"), mark,
            ]
            for label, count, error, chance, mark in entries
        ]  # fmt: skip
        numbers = [1, 2, 3, 5]
    else:
        header = [tr("figure"), tr("estimate"), tr("± 1 s.e."), "95 %"]
        rows = [
            [
                say(label), say.fixed(count), say.fixed(error, ".3g"),
                f"{say.fixed(count - 1.96 * error)} … {say.fixed(count + 1.96 * error)}",
            ]
            for label, count, error, *_ in entries
        ]  # fmt: skip
        numbers = [1, 2]
    console.say(
        tr(
            "{reports} of {question}, version {version}: {mechanism}, {losses}",
            reports=trn("{n:,} report", "{n:,} reports", n=found.users),
            question=asked.question,
            version=asked.version,
            mechanism=asked.mechanism,
            losses=describe_losses(asked),
        )
    )
    console.say()
    console.say(console.table(header, rows, numbers=numbers))
    if not found.counted:
        return
    if found.too_few:
        console.say()
        console.say(
            tr("Too few reports to say anything: a value that every client holds could not be told from the noise.")
        )
        return
    there = int(found.significant.sum())
    counts = {"there": there, "tested": found.tested, "level": found.level}
    seen = say(
        tr("{there} of {tested:,} are there, at a level of {level:g} for all together", **counts)
        if found.rule == "bonferroni"
        else tr("{there} of {tested:,} are found; of those, a share of {level:g} at most is expected false", **counts)
    )
    fit = (
        say("; they explain {share} of what the bits show", share=say.fixed(found.fit, ".0%"))
        if found.fit is not None
        else ""
    )
    console.say(f"\n{seen}{fit}.")


def draw_findings(path: Path, asked: Collection, found: CollectionFindings) -> None:
    """Draw the estimates, in a new file."""
    from cobogo.floor.files import stage_file
    from cobogo.tell.report.bars import EstimateBar, draw_estimates

    if path.exists():
        raise OutputError(tr("already exists"), where=str(path), remedy=tr("Choose another name for --plot."))
    if not found.labels:
        raise DataError(
            tr("there is nothing to draw"), where=str(path), remedy=tr("Give other candidates, or more reports.")
        )
    scale = max(found.users, 1) if found.counted else 1
    lines = [
        EstimateBar(label, count / scale, error / scale, bool(there))
        for label, count, error, there in zip(
            found.labels, found.counts.tolist(), found.errors.tolist(), found.significant, strict=True
        )
    ]
    lines.sort(key=lambda line: -line.value)
    say = language.terminal_speech()
    lead = tr(
        "{reports} through {mechanism}, {losses}",
        reports=trn("{n:,} report", "{n:,} reports", n=found.users),
        mechanism=asked.mechanism,
        losses=describe_losses(asked),
    )
    unit = say("share of the clients") if found.counted else asked.question
    with stage_file(path) as stage:
        draw_estimates(stage, asked.name, say(lead), lines, unit=unit, percent=found.counted, say=say)


def say_plan(found: CollectionPlan, goal: Text, users: int | None, plot: Path | None) -> None:
    """Print what each mechanism needs."""
    say = language.terminal_speech()
    header: list[str] = [tr("mechanism"), tr("clients needed"), tr("bytes a report")]
    never, nothing = say("never"), say("nothing")
    rows = [[o.mechanism, never if o.users is None else say.number(o.users), say.number(o.width)] for o in found.offers]
    if users is not None and any(offer.share is not None for offer in found.offers):
        header.append(trn("{n:,} client shows", "{n:,} clients show", n=users))
        for row, offer in zip(rows, found.offers, strict=True):
            row.append(nothing if offer.share is None else say.fixed(offer.share, ".3%"))
    console.say(goal)
    console.say("\n" + console.table(header, rows, numbers=[1, 2, 3]))
    if found.cheapest is not None:
        console.say()
        console.say_line(
            "cheapest",
            tr(
                "{mechanism}: about the fewest clients, and of those the shortest reports",
                mechanism=found.cheapest.mechanism,
            ),
        )
    if plot is not None:
        console.say_line("written", str(plot))


def say_association(found: Association, first: str, second: str) -> None:
    """Print the pairs of answers that are most frequent."""
    say = language.terminal_speech()
    pairs = sorted(
        ((i, j) for i in range(len(found.rows)) for j in range(len(found.columns))), key=lambda at: -found.shares[at]
    )
    rows = [
        [
            found.rows[i], found.columns[j], say.fixed(found.shares[i, j], ".2%"),
            "" if found.errors[i, j] != found.errors[i, j] else say.fixed(found.errors[i, j], ".2%"),
            say.fixed(found.shares[i].sum() * found.shares[:, j].sum(), ".2%"),
        ]
        for i, j in pairs[:SHOWN]
    ]  # fmt: skip
    header: list[str] = [first, second, tr("share"), tr("± 1 s.e."), tr("if unrelated")]
    console.say(console.table(header, rows, numbers=[2, 3, 4]))
    left = len(pairs) - len(rows)
    if left > 0:
        console.say(trn("… and {n:,} more pair", "… and {n:,} more pairs", n=left))
    console.say()
    console.say(
        trn(
            "{n:,} pair of reports. Unrelated answers would seem as related with a probability of {chance:.2g}.",
            "{n:,} pairs of reports. Unrelated answers would seem as related with a probability of {chance:.2g}.",
            n=found.users,
            chance=found.chance,
        )
    )
