"""A run as lines that read like a result."""

from __future__ import annotations

from pathlib import Path

from cobogo.faces.cli import speaking
from cobogo.promises.models.check import ModelVerdict
from cobogo.publish.recode import story
from cobogo.release.contract import Verdict
from cobogo.release.release import Release


def lines(release: Release, verdict: Verdict | None, directory: Path | None) -> list[str]:
    """The story of a run, one line a stage."""
    records, seconds = release.problem.scale.records, release.seconds
    combinations = len(release.problem.table.counts)
    solution, metric = release.solution, release.metric
    say = speaking.words()
    proof = say("proven" if solution.optimal else "not proven")
    kept = release.plan.kept_records
    share = say.fixed(100 * release.suppressed / records, ".1f")
    classes = f"{say('classes', n=len(kept))} ({say.number(kept.min())} … {say.number(kept.max())})"
    read = f"{say('records', n=records)}, {say('combinations', n=combinations)}"
    looked = f"{say('nodes', n=solution.nodes)}, {say('checked', checked=solution.checked)}, {proof}"
    suppressed = say("suppressed", records=say("records", n=release.suppressed), share=share)
    report = story.expected(release)
    for name, found in report.get("withheld", {}).items():
        suppressed += say("withheld", name=name, records=found["records"])
    text = [
        _line(say("Read"), Path(release.table.name).name, read, seconds["read"]),
        _line(say("Search"), f"{solution.algorithm}, {metric}", looked, seconds["search"]),
        _line(
            say("Release"), f"{metric} {say.fixed(solution.value)}", f"{classes}, {suppressed}", seconds.get("apply")
        ),
    ]
    if solution.levels is not None:
        text += [
            f"          {hierarchy.attribute}: {say('level', level=level, height=hierarchy.height)}"
            for hierarchy, level in zip(release.problem.hierarchies, solution.levels, strict=True)
        ]
    for name, shares in report.get("cells", {}).items():
        levels = ", ".join(
            say("at level", share=say.fixed(100 * share, ".1f"), level=level)
            for level, share in enumerate(shares)
            if share
        )
        text.append(f"          {name}: {levels}")
    after, before = report["risk"]["after"]["highest"], report["risk"]["before"]["highest"]
    inference = max((entry["after"] for entry in report["inference"].values()), default=None)
    worst = "" if inference is None else say("inference", share=say.fixed(100 * inference, ".0f"))
    figures = worst + say("risk", after=say.fixed(100 * after, ".3g"), before=say.fixed(100 * before, ".3g"))
    if verdict is None:
        return [*text, say("dry", figures=figures)]
    text.append(_line(say("Verified"), say("models checked", n=len(verdict.models)), figures, seconds.get("verify")))
    text += [f"          {found.model}: {measured(found)} ✓" for found in verdict.models]
    if release.registered is not None and release.book is not None:
        entry = say("recorded in", release=release.registered, registry=release.book.registry.name)
        text.append(f"{say('Recorded'):<9} {entry}")
    text.append(f"{say('Written'):<9} {say('give away', directory=directory)}")
    return text


def verdict_lines(verdict: Verdict) -> list[str]:
    """What a verification found."""
    say = speaking.words()
    text = []
    width = max((len(str(found.model)) for found in verdict.models), default=0)
    for found in verdict.models:
        failing = (
            ""
            if verdict.classes is None
            else "  " + say("fail", failing=found.failing_classes, classes=verdict.classes)
        )
        mark = "?" if found.undecided else "✓" if found.satisfied else f"✗{failing}"
        text.append(f"{found.model!s:<{width}}  {measured(found):<16} {mark}")
    text += [f"✗ {speaking.sentence(problem)}" for problem in verdict.problems]
    text += [f"{say('Note')}: {speaking.sentence(note)}." for note in verdict.notes]
    if verdict and verdict.undecided:
        text.append(say("as far as", undecided=len(verdict.undecided), models=len(verdict.models)))
    else:
        text.append(say("holds" if verdict else "does not hold"))
    return text


def measured(found: ModelVerdict) -> str:
    """What was measured of a model."""
    say = speaking.words()
    if found.undecided and found.measured is None:
        return say("not measured")
    return say("no records") if found.measured is None else say("measured", value=say.fixed(found.measured))


def _line(stage: str, what: str, detail: str, seconds: float | None) -> str:
    time = "" if seconds is None else f"{speaking.words().fixed(seconds, '.1f')} s"
    return f"{stage:<9} {what:<26} {detail:<68} {time:>7}".rstrip()
