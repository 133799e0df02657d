"""How every command that makes a release ends: it is written, and the run told as lines that read like a result."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from cobogo.data.policy import Policy
from cobogo.errors import PolicyError
from cobogo.faces.cli import console, language
from cobogo.faces.cli.verify import measured_value
from cobogo.floor.language import Text, tr, trn
from cobogo.floor.progress import Progress
from cobogo.publish.recode import story
from cobogo.publish.recode.contract.solution import AnySolution
from cobogo.publish.recoding import AnonymizedRelease
from cobogo.release.contract import Destination, Release, Verdict
from cobogo.release.write import write_release
from cobogo.tell.report import labels
from cobogo.tell.report.exposure import inferred

if TYPE_CHECKING:
    from cobogo.tell.report.content import RecodingCost


def destination_of(policy: Policy, out: Path | None, evidence: Path | None) -> Destination:
    """Where a release goes: the options, or the policy's own places."""
    if out is None and policy.output.directory is None:
        raise PolicyError(
            tr("the policy does not say where the release goes"),
            where=f"{policy.name}, output.directory",
            remedy=tr("Add this key, or give --out DIRECTORY."),
        )
    own = None if policy.output.evidence is None else policy.resolve(policy.output.evidence)
    return Destination.of(out or policy.resolve(str(policy.output.directory)), evidence or own)


def write_and_say(release: Release, place: Destination, show: Progress, quiet: bool, as_json: bool) -> None:
    """Write a release, say what came of it, and stop with 1 if it does not hold."""
    verdict = write_release(release, place, progress=show)
    for warning in (*release.warnings, *verdict.problems):
        console.warn(warning)
    if as_json:
        console.say_json(_written_report(place))
    elif not quiet:
        for line in release_lines(release, verdict, place):
            console.say(line)
    if not verdict:
        raise typer.Exit(1)


def _proof(solution: AnySolution) -> Text:
    """Whether the solution is the best, or how far from the best it can be."""
    if solution.optimal:
        return tr("proven optimal") if solution.levels is None else tr("best full-domain recoding, proven")
    if solution.gap is None:
        return tr("best found, not proven")
    share = f"{100 * solution.gap:.2g}" if solution.gap < 0.1 else f"{100 * solution.gap:.0f}"
    return tr("best found, at most {share} % worse than the best possible", share=share)


def recoding_lines(release: AnonymizedRelease, verdict: Verdict | None, place: Destination | None) -> list[str]:
    """Lines of text for a recoding: what was read, searched, released and verified, with figures and seconds."""
    records, seconds = release.problem.scale.records, release.seconds
    solution, metric = release.solution, release.metric
    say = language.terminal_speech()
    kept = release.plan.kept_records
    read = tr(
        "{records}, {combinations}",
        records=trn("{n:,} record", "{n:,} records", n=records),
        combinations=trn(
            "{n:,} distinct combination", "{n:,} distinct combinations", n=len(release.problem.table.counts)
        ),
    )
    search = tr(
        "{nodes}, {checked:,} checked, {proof}",
        nodes=trn("{n:,} node", "{n:,} nodes", n=solution.nodes),
        checked=solution.checked,
        proof=_proof(solution),
    )
    released = say(
        tr(
            "{classes} ({least:,} … {most:,}), {suppressed} ({share:.1f} %)",
            classes=trn("{n:,} class", "{n:,} classes", n=len(kept)),
            least=int(kept.min()),
            most=int(kept.max()),
            suppressed=trn("{n:,} record suppressed", "{n:,} records suppressed", n=release.suppressed),
            share=100 * release.suppressed / records,
        )
    )
    report = story.planned_summary(release)
    for name, found in report.get("withheld", {}).items():
        released += say(", {name} withheld in {records}", name=name, records=found["records"])
    text = [
        _line("read", Path(release.table.name).name, say(read), seconds["read"]),
        *map(console.note, release.table.notes),
        _line("search", f"{solution.algorithm}, {metric}", say(search), seconds["search"]),
        _line("release", f"{metric} {say.fixed(solution.value)}", released, seconds.get("apply")),
    ]
    for hierarchy, level in zip(release.problem.hierarchies, solution.levels or (), strict=solution.levels is not None):
        chosen = say("level {level} of {height}", level=level, height=hierarchy.height)
        text.append(console.line("", f"{hierarchy.attribute}: {chosen}"))
    for name, shares in report.get("cells", {}).items():
        levels = ", ".join(
            say("{share} % at level {level}", share=say.fixed(100 * share, ".1f"), level=level)
            for level, share in enumerate(shares)
            if share
        )
        text.append(console.line("", f"{name}: {levels}"))
    after, before = report["risk"]["after"]["highest"], report["risk"]["before"]["highest"]
    inference = max((entry["after"] for entry in report["inference"].values()), default=None)
    worst = "" if inference is None else say("worst inference {share} %, ", share=_hundredths(inference, ".0f"))
    figures = worst + say(
        "highest risk {after} % (was {before} %)",
        after=_hundredths(after, ".3g"),
        before=_hundredths(before, ".3g"),
    )
    text += list(_cost_lines(release))
    if verdict is None:
        return [*text, say("The release would have {figures}. Nothing was written.", figures=figures)]
    checked = say.plural("{n} model checked", "{n} models checked", n=len(verdict.models))
    text.append(_line("verified", checked, figures, seconds.get("verify")))
    text += [console.line("", f"{found.model}: {measured_value(found)} ✓") for found in verdict.models]
    text += [_inference_line(name, found) for name, found in report["inference"].items() if inferred(**found)]
    if release.registered is not None and release.book is not None:
        entry = tr("{release}, in {registry}", release=release.registered, registry=release.book.registry.name)
        text.append(console.line("recorded", entry))
    return [*text, console.line("written", *console.release_parts(place))]


def _hundredths(share: float, form: str) -> str:
    """A share in hundredths; a little less than all is not rounded to all."""
    say = language.terminal_speech()
    text = f"{100 * share:{form}}"
    return say.percent(share).removesuffix("%") if text == "100" and share < 1 else say.localize(text)


def _inference_line(name: str, found: dict[str, float]) -> str:
    """A sensitive value that can be guessed although every model holds."""
    say = language.terminal_speech()
    told = say(
        "{name} can be guessed with {share} in one class, where anybody guesses it with {baseline}",
        name=name,
        share=say.percent(found["after"]),
        baseline=say.percent(found["baseline"]),
    )
    return console.line("inferred", told)


def _cost_lines(release: AnonymizedRelease) -> Iterator[str]:
    """What the release lost that its reader would miss, and what to try. Values of the data are in the report only."""
    cost, say = release.transformation.cost, language.terminal_speech()
    if cost is None:
        return
    gone = [one.name for one in cost.details if one.withheld]
    nearly = [one.name for one in cost.details if one.nearly_withheld and not one.withheld]
    if gone:
        yield console.line("withheld", say("{names}: the same value in every record", names=", ".join(gone)))
    if nearly:
        yield console.line(
            "" if gone else "withheld", say("{names}: hardly any detail is left", names=", ".join(nearly))
        )
    hit = list(map(say, _groups_hit(cost)))
    if hit:
        yield console.line("lost", "; ".join(hit))
    for number, way in enumerate(release.transformation.ways):
        told = labels.describe_way(way, cost.kept, say)
        yield console.line("" if number else "try", f"{way.key}: {say(way.what)}, {told}")
    if (gone or nearly) and not release.transformation.ways:
        yield console.line("try", say("`cobogo improve` tries changes of the policy that may keep more detail"))


def _groups_hit(cost: RecodingCost) -> Iterator[Text]:
    """Groups that suppression hit: those without a value by name, the others counted by column."""
    for group in (one for one in cost.groups if one.value is None):
        whole = tr("all {lost:,} records without {name}", lost=group.lost, name=group.attribute)
        part = tr("{lost:,} of {n:,} records without {name}", lost=group.lost, n=group.records, name=group.attribute)
        yield whole if group.whole else part
    others = Counter(group.attribute for group in cost.groups if group.value is not None)
    if others:
        counted = ", ".join(f"{name} ({number})" for name, number in others.items())
        yield tr("more records of some values than chance explains: {counted}; see the report", counted=counted)


def release_lines(release: Release, verdict: Verdict, place: Destination) -> list[str]:
    """Lines of text for any other release: its headline, and every guarantee that was checked."""
    line, say = partial(_line, widths=(58, 36)), language.terminal_speech()
    seconds, headline = release.seconds, _written_report(place)["headline"]
    records = say.plural("{n} record", "{n} records", n=verdict.records)
    checked = say.plural("{n} guarantee checked", "{n} guarantees checked", n=len(verdict.models))
    text = [
        line("read", Path(release.table.name).name, "", seconds.get("read")),
        *map(console.note, release.table.notes),
        line("release", say(headline), records, seconds.get("apply")),
        line("verified", checked, "", seconds.get("verify")),
    ]
    for found in verdict.models:
        text.append(console.line("", f"{found.model}: {measured_value(found)} {'✓' if found.satisfied else '✗'}"))
    text += [console.note(note) for note in verdict.notes]
    return [*text, console.line("written", *console.release_parts(place))]


def report_of(release: AnonymizedRelease, place: Destination | None) -> dict[str, Any]:
    """The report of a release: as it was written, or what it would be of a recoding that was not."""
    return story.planned_summary(release) if place is None else _written_report(place)


def _written_report(place: Destination) -> dict[str, Any]:
    return dict(json.loads((place.directory / "evidence" / "report.json").read_bytes()))


def _line(label: str, what: str, detail: str, seconds: float | None, *, widths: tuple[int, int] = (26, 68)) -> str:
    time = "" if seconds is None else f"{language.terminal_speech().fixed(seconds, '.1f')} s"
    return console.line(label, f"{what:<{widths[0]}} {detail:<{widths[1]}} {time:>7}".rstrip())
