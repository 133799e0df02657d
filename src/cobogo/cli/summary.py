"""A run as lines that read like a result."""

from __future__ import annotations

from pathlib import Path

from cobogo.models.base import parameters
from cobogo.models.check import ModelVerdict
from cobogo.release.release import Release
from cobogo.release.verify import Verdict
from cobogo.report import story


def lines(release: Release, verdict: Verdict | None, directory: Path | None) -> list[str]:
    """The story of a run, one line a stage."""
    records, seconds = release.problem.scale.records, release.seconds
    combinations = len(release.problem.table.counts)
    solution, metric = release.solution, release.problem.metric.name
    proof = "proven optimal" if solution.optimal else "best found, not proven"
    kept = release.plan.kept_records
    share = 100 * release.suppressed / records
    classes = f"{len(kept):,} classes ({kept.min():,} … {kept.max():,})"
    read = f"{records:,} records, {combinations:,} distinct combinations"
    found = f"{solution.nodes:,} nodes, {solution.checked:,} checked, {proof}"
    suppressed = f"{release.suppressed:,} records suppressed ({share:.1f} %)"
    text = [
        _line("Read", Path(release.table.name).name, read, seconds["read"]),
        _line("Search", f"{solution.algorithm}, {metric}", found, seconds["search"]),
        _line("Release", f"{metric} {solution.chosen.value:.6g}", f"{classes}, {suppressed}", seconds.get("write")),
    ]
    text += [
        f"          {hierarchy.attribute}: level {level} of {hierarchy.height}"
        for hierarchy, level in zip(release.problem.hierarchies, solution.levels, strict=True)
    ]
    report = story.expected(release)
    after, before = report["risk"]["after"]["highest"], report["risk"]["before"]["highest"]
    inference = max((entry["after"] for entry in report["inference"].values()), default=None)
    worst = "" if inference is None else f"worst inference {100 * inference:.0f} %, "
    figures = f"{worst}highest risk {100 * after:.3g} % (was {100 * before:.3g} %)"
    if verdict is None:
        return [*text, f"Would have {figures}. Nothing was written."]
    marks = "   ".join(f"{_model(v)} ✓" for v in verdict.models)
    text.append(_line("Verified", marks, figures, seconds.get("verify")))
    text.append(f"Written   {directory}/public (give away)   {directory}/evidence (keep)")
    return text


def verdict_lines(verdict: Verdict) -> list[str]:
    """What a verification found."""
    text = []
    for found in verdict.models:
        mark = "✓" if found.satisfied else f"✗  {found.failing_classes:,} of {verdict.classes:,} classes fail"
        measured = "no records" if found.measured is None else f"measured {found.measured:g}"
        text.append(f"{_model(found):<40}  {measured:<16} {mark}")
    text += [f"✗ {problem}" for problem in verdict.problems]
    text += [f"Note: {note}." for note in verdict.notes]
    text.append("The release holds." if verdict else "The release does NOT hold.")
    return text


def _line(stage: str, what: str, detail: str, seconds: float | None) -> str:
    time = "" if seconds is None else f"{seconds:.1f} s"
    return f"{stage:<9} {what:<26} {detail:<68} {time:>7}".rstrip()


def _model(verdict: ModelVerdict) -> str:
    given = parameters(verdict.model)
    name = given.pop("model")
    return f"{name}({', '.join(f'{key}={value}' for key, value in given.items())})"
