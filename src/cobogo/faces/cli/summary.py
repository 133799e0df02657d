"""How every command that makes a release ends: it is written, and the run told as lines that read like a result."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path
from typing import Any

import typer

from cobogo.data.policy import Policy
from cobogo.errors import PolicyError, number_of
from cobogo.faces.cli import console, language
from cobogo.floor.language import tr
from cobogo.floor.progress import Progress
from cobogo.promises.models.check import ModelVerdict
from cobogo.publish.recode import story
from cobogo.publish.recoding import AnonymizedRelease
from cobogo.release.contract import Release, Verdict
from cobogo.release.write import write_release


def directory_of(policy: Policy, out: Path | None) -> Path:
    """Where a release goes: the option, or the policy's own place."""
    if out is None and policy.output.directory is None:
        raise PolicyError(
            tr("says nowhere where the release should go"),
            where=f"{policy.name}, output.directory",
            remedy=tr("Add it, or give --out."),
        )
    return out or policy.resolve(str(policy.output.directory))


def write_and_say(release: Release, directory: Path, show: Progress, quiet: bool, as_json: bool) -> None:
    """Write a release, say what came of it, and stop with 1 if it does not hold."""
    verdict = write_release(release, directory, progress=show)
    for warning in (*release.warnings, *verdict.problems):
        console.warn(warning)
    if as_json:
        console.say_json(_written_report(directory))
    elif not quiet:
        for line in release_lines(release, verdict, directory):
            console.say(line)
    if not verdict:
        raise typer.Exit(1)


def recoding_lines(release: AnonymizedRelease, verdict: Verdict | None, directory: Path | None) -> list[str]:
    """Lines of text for a recoding: what was read, searched, released and verified, with figures and seconds."""
    records, seconds = release.problem.scale.records, release.seconds
    combinations = len(release.problem.table.counts)
    solution, metric = release.solution, release.metric
    say = language.terminal_speech()
    proof = say(tr("proven optimal") if solution.optimal else tr("best found, not proven"))
    kept = release.plan.kept_records
    share = say.fixed(100 * release.suppressed / records, ".1f")
    classes = (
        f"{say.plural('{n} class', '{n} classes', n=len(kept))} ({say.number(kept.min())} … {say.number(kept.max())})"
    )
    read = f"{say.plural('{n} record', '{n} records', n=records)}, {say.plural('{n} distinct combination', '{n} distinct combinations', n=combinations)}"
    search = f"{say.plural('{n} node', '{n} nodes', n=solution.nodes)}, {say('{checked} checked', checked=solution.checked)}, {proof}"
    suppressed = say(
        "{records} suppressed ({share} %)",
        records=say.plural("{n} record", "{n} records", n=release.suppressed),
        share=share,
    )
    report = story.planned_summary(release)
    for name, found in report.get("withheld", {}).items():
        suppressed += say(", {name} withheld in {records}", name=name, records=found["records"])
    text = [
        _line(say("Read"), Path(release.table.name).name, read, seconds["read"]),
        _line(say("Search"), f"{solution.algorithm}, {metric}", search, seconds["search"]),
        _line(
            say("Release"), f"{metric} {say.fixed(solution.value)}", f"{classes}, {suppressed}", seconds.get("apply")
        ),
    ]
    if solution.levels is not None:
        text += [
            f"          {hierarchy.attribute}: {say('level {level} of {height}', level=level, height=hierarchy.height)}"
            for hierarchy, level in zip(release.problem.hierarchies, solution.levels, strict=True)
        ]
    for name, shares in report.get("cells", {}).items():
        levels = ", ".join(
            say("{share} % at level {level}", share=say.fixed(100 * share, ".1f"), level=level)
            for level, share in enumerate(shares)
            if share
        )
        text.append(f"          {name}: {levels}")
    after, before = report["risk"]["after"]["highest"], report["risk"]["before"]["highest"]
    inference = max((entry["after"] for entry in report["inference"].values()), default=None)
    worst = "" if inference is None else say("worst inference {share} %, ", share=say.fixed(100 * inference, ".0f"))
    figures = worst + say(
        "highest risk {after} % (was {before} %)",
        after=say.fixed(100 * after, ".3g"),
        before=say.fixed(100 * before, ".3g"),
    )
    if verdict is None:
        return [*text, say("Would have {figures}. Nothing was written.", figures=figures)]
    text.append(
        _line(
            say("Verified"),
            say.plural("{n} model checked", "{n} models checked", n=len(verdict.models)),
            figures,
            seconds.get("verify"),
        )
    )
    text += [f"          {found.model}: {measured_value(found)} ✓" for found in verdict.models]
    if release.registered is not None and release.book is not None:
        entry = say("{release}, in {registry}", release=release.registered, registry=release.book.registry.name)
        text.append(f"{say('Recorded'):<9} {entry}")
    text.append(
        f"{say('Written'):<9} {say('{directory}/public (give away)   {directory}/evidence (keep)', directory=directory)}"
    )
    return text


def measured_value(found: ModelVerdict) -> str:
    """What a verification measured of a model."""
    say = language.terminal_speech()
    if found.undecided and found.measured is None:
        return say("not measured")
    return say("no records") if found.measured is None else say("measured {value}", value=say.fixed(found.measured))


def release_lines(release: Release, verdict: Verdict, directory: Path) -> list[str]:
    """Lines of text for any other release: its headline, and every guarantee that was checked."""
    line = partial(_line, widths=(58, 36))
    seconds, report = release.seconds, _written_report(directory)
    text = [
        line("Read", Path(release.table.name).name, "", seconds.get("read")),
        line("Release", report["headline"], number_of(verdict.records, "record"), seconds.get("apply")),
        line("Verified", f"{number_of(len(verdict.models), 'guarantee')} checked", "", seconds.get("verify")),
    ]
    for found in verdict.models:
        text.append(f"          {found.model}: {measured_value(found)} {'✓' if found.satisfied else '✗'}")
    text += [f"Note: {note}." for note in verdict.notes]
    text.append(f"Written   {directory}/public (give away)   {directory}/evidence (keep)")
    return text


def report_of(release: AnonymizedRelease, directory: Path | None) -> dict[str, Any]:
    """The report of a release: as it was written, or what it would be of a recoding that was not."""
    return story.planned_summary(release) if directory is None else _written_report(directory)


def _written_report(directory: Path) -> dict[str, Any]:
    return dict(json.loads((directory / "evidence" / "report.json").read_bytes()))


def _line(stage: str, what: str, detail: str, seconds: float | None, *, widths: tuple[int, int] = (26, 68)) -> str:
    time = "" if seconds is None else f"{language.terminal_speech().fixed(seconds, '.1f')} s"
    return f"{stage:<9} {what:<{widths[0]}} {detail:<{widths[1]}} {time:>7}".rstrip()
