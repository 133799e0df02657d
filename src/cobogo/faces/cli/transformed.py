"""A release that is not a recoding, written and told on the terminal: the end of every command that makes one."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import typer

from cobogo.data.policy import Policy
from cobogo.errors import PolicyError, number_of
from cobogo.faces.cli import console
from cobogo.faces.cli.summary import measured
from cobogo.floor.progress import Progress
from cobogo.release.contract import Verdict
from cobogo.release.release import Release
from cobogo.release.write import write_release


def place(policy: Policy, out: Path | None) -> Path:
    """Where a release goes: the option, or the policy's own place."""
    if out is None and policy.output.directory is None:
        raise PolicyError(
            "says nowhere where the release should go",
            where=f"{policy.name}, output.directory",
            remedy="Add it, or give --out.",
        )
    return out or policy.resolve(str(policy.output.directory))


def finish(release: Release, directory: Path, show: Progress, quiet: bool, as_json: bool) -> None:
    """Write a release, say what came of it, and stop with 1 if it does not hold."""
    verdict = write_release(release, directory, progress=show)
    for warning in (*release.warnings, *verdict.problems):
        console.warn(warning)
    if as_json:
        console.say_json(_reported(directory))
    elif not quiet:
        for line in lines(release, verdict, directory):
            console.say(line)
    if not verdict:
        raise typer.Exit(1)


def lines(release: Release, verdict: Verdict, directory: Path) -> list[str]:
    """The story of a run, one line a stage."""
    seconds, report = release.seconds, _reported(directory)
    text = [
        _line("Read", Path(release.table.name).name, "", seconds.get("read")),
        _line("Release", report["headline"], number_of(verdict.records, "record"), seconds.get("apply")),
    ]
    text.append(_line("Verified", f"{number_of(len(verdict.models), 'guarantee')} checked", "", seconds.get("verify")))
    for found in verdict.models:
        text.append(f"          {found.model}: {measured(found)} {'✓' if found.satisfied else '✗'}")
    text += [f"Note: {note}." for note in verdict.notes]
    text.append(f"Written   {directory}/public (give away)   {directory}/evidence (keep)")
    return text


def _reported(directory: Path) -> dict[str, Any]:
    return dict(json.loads((directory / "evidence" / "report.json").read_bytes()))


def _line(stage: str, what: str, detail: str, seconds: float | None) -> str:
    time = "" if seconds is None else f"{seconds:.1f} s"
    return f"{stage:<9} {what:<58} {detail:<36} {time:>7}".rstrip()
