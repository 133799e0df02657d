"""A run as lines that read like a result."""

from __future__ import annotations

from pathlib import Path

from cobogo.errors import number_of
from cobogo.models.check import ModelVerdict
from cobogo.release.release import Release
from cobogo.release.verdict import Verdict
from cobogo.report import story


def lines(release: Release, verdict: Verdict | None, directory: Path | None) -> list[str]:
    """The story of a run, one line a stage."""
    records, seconds = release.problem.scale.records, release.seconds
    combinations = len(release.problem.table.counts)
    solution, metric = release.solution, release.metric
    proof = "proven optimal" if solution.optimal else "best found, not proven"
    kept = release.plan.kept_records
    share = 100 * release.suppressed / records
    classes = f"{number_of(len(kept), 'class', 'classes')} ({kept.min():,} … {kept.max():,})"
    read = f"{number_of(records, 'record')}, {number_of(combinations, 'distinct combination')}"
    looked = f"{number_of(solution.nodes, 'node')}, {solution.checked:,} checked, {proof}"
    suppressed = f"{number_of(release.suppressed, 'record')} suppressed ({share:.1f} %)"
    report = story.expected(release)
    for name, found in report.get("withheld", {}).items():
        suppressed += f", {name} withheld in {found['records']:,}"
    text = [
        _line("Read", Path(release.table.name).name, read, seconds["read"]),
        _line("Search", f"{solution.algorithm}, {metric}", looked, seconds["search"]),
        _line("Release", f"{metric} {solution.value:.6g}", f"{classes}, {suppressed}", seconds.get("apply")),
    ]
    if solution.levels is not None:
        text += [
            f"          {hierarchy.attribute}: level {level} of {hierarchy.height}"
            for hierarchy, level in zip(release.problem.hierarchies, solution.levels, strict=True)
        ]
    for name, shares in report.get("cells", {}).items():
        levels = ", ".join(f"{100 * share:.1f} % at level {level}" for level, share in enumerate(shares) if share)
        text.append(f"          {name}: {levels}")
    after, before = report["risk"]["after"]["highest"], report["risk"]["before"]["highest"]
    inference = max((entry["after"] for entry in report["inference"].values()), default=None)
    worst = "" if inference is None else f"worst inference {100 * inference:.0f} %, "
    figures = f"{worst}highest risk {100 * after:.3g} % (was {100 * before:.3g} %)"
    if verdict is None:
        return [*text, f"Would have {figures}. Nothing was written."]
    text.append(_line("Verified", f"{number_of(len(verdict.models), 'model')} checked", figures, seconds.get("verify")))
    text += [f"          {found.model}: {measured(found)} ✓" for found in verdict.models]
    if release.registered is not None and release.book is not None:
        text.append(f"Recorded  {release.registered}, in {release.book.registry.name}")
    text.append(f"Written   {directory}/public (give away)   {directory}/evidence (keep)")
    return text


def verdict_lines(verdict: Verdict) -> list[str]:
    """What a verification found."""
    text = []
    width = max((len(str(found.model)) for found in verdict.models), default=0)
    for found in verdict.models:
        failing = "" if verdict.classes is None else f"  {found.failing_classes:,} of {verdict.classes:,} classes fail"
        mark = "✓" if found.satisfied else f"✗{failing}"
        text.append(f"{found.model!s:<{width}}  {measured(found):<16} {mark}")
    text += [f"✗ {problem}" for problem in verdict.problems]
    text += [f"Note: {note}." for note in verdict.notes]
    text.append("The release holds." if verdict else "The release does NOT hold.")
    return text


def measured(found: ModelVerdict) -> str:
    """What was measured of a model."""
    return "no records" if found.measured is None else f"measured {found.measured:.6g}"


def _line(stage: str, what: str, detail: str, seconds: float | None) -> str:
    time = "" if seconds is None else f"{seconds:.1f} s"
    return f"{stage:<9} {what:<26} {detail:<68} {time:>7}".rstrip()
