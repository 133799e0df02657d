"""A run of the guide: every release, its files, the one to be given away, and the page."""

from __future__ import annotations

import json
import shutil
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from cobogo.data.policy import Data, Policy
from cobogo.data.policy.tables import allowed_records
from cobogo.data.table.frequency import frequency_table
from cobogo.data.table.read import read
from cobogo.errors import NoSolution, OutputError, PolicyError, VerificationFailed
from cobogo.examples import ceara
from cobogo.floor.files import stage_directory
from cobogo.floor.language import Speech, speech, tr
from cobogo.floor.progress import Progress, silent
from cobogo.publish import anonymize as job
from cobogo.publish.recoding import AnonymizedRelease
from cobogo.release import manifest
from cobogo.release.evidence import is_output
from cobogo.studies.guide import trials
from cobogo.studies.guide.page import render
from cobogo.studies.guide.policies import LARGEST, LIMIT, GuideRoles, case_policy, suggest_roles, take_roles
from cobogo.studies.guide.results import (
    KS,
    LS,
    PAGE,
    PUBLIC,
    RELEASES,
    Guide,
    GuideCase,
    GuideResult,
    cases,
    choose,
    stem,
)
from cobogo.studies.release_trial import ReleaseTrial, try_release
from cobogo.tell.report import plots

DEMO_DATA = "dados_covid-ce.csv"
DEMO_LIMITS = (LIMIT, 0.4, 0.6, 0.8, 1.0)
"""The demo has all ten files however few rows it has: it allows the smallest of these shares that has a release."""
FEWEST_ROWS = 300


def run(
    data: Path,
    directory: Path,
    *,
    policy: Policy | None = None,
    options: Data | None = None,
    ks: Sequence[int] = KS,
    ls: Sequence[int] = LS,
    limit: float | None = None,
    language: str = "en",
    progress: Progress = silent,
) -> Guide:
    """Do all that the guide does on a table, and put everything in place at once.

    Roles and hierarchies are the policy's, or those that `inspection` suggests. A policy's k-anonymity and l-diversity
    give way to the guide's; its other models hold in every release. ``limit`` is the share of the records that may be
    suppressed: if not given, the policy's, or else `LIMIT`.
    """
    if data.resolve().is_relative_to(directory.resolve()):
        raise OutputError(
            tr("{data} lies in it", data=str(data)),
            where=str(directory),
            remedy=tr("Choose another --out: the directory is replaced whole."),
            code="COBOGO-OUTPUT-OCCUPIED",
        )
    with stage_directory(directory, replaceable=is_guide) as stage:
        progress("read", 0, 0)
        roles = suggest_roles(data, options or Data()) if policy is None else take_roles(policy, options or Data())
        limits = (roles.limit if limit is None else limit,)
        return _run(stage, data, roles.with_data(data), cases(ks, ls), limits, language, progress)


def run_demo(directory: Path, *, rows: int, language: str = "en", progress: Progress = silent) -> Guide:
    """The guide on a table of invented people, which is written beside the results."""
    if rows < FEWEST_ROWS:
        raise PolicyError(
            tr("the demo needs at least {fewest_rows} rows. Got {rows} instead", fewest_rows=FEWEST_ROWS, rows=rows),
            where="--rows",
        )
    with stage_directory(directory, replaceable=is_guide) as stage:
        progress("generate", 0, 0)
        data = stage / DEMO_DATA
        ceara.write(data, rows)
        roles = suggest_roles(data, Data(separator=";", encoding="utf-8")).with_data(directory / DEMO_DATA)
        return _run(stage, data, roles, cases(), DEMO_LIMITS, language, progress, invented=True)


def _run(
    stage: Path,
    data: Path,
    roles: GuideRoles,
    wanted: Sequence[GuideCase],
    limits: Sequence[float],
    language: str,
    progress: Progress,
    *,
    invented: bool = False,
) -> Guide:
    """Release every case, choose one, attack, and draw the page."""
    base = roles.policy
    wanted = [case for case in wanted if case.l is None or base.sensitive]
    prepared = job.prepare(data, case_policy(base, wanted[0], limit=limits[0], language=language))
    results = []
    for number, case in enumerate(wanted):
        progress("release", number, len(wanted))
        results.append(_release(stage, prepared, base, case, limits, language))
    reports = {result.case: result.report for result in results if result.report is not None}
    if not reports:
        raise _no_release(data, wanted, limits[-1], roles)
    chosen = choose(list(reports))
    shutil.copytree(stage / RELEASES / chosen.name / PUBLIC, stage / PUBLIC)
    progress("attack", 0, 0)
    levels = reports[chosen]["levels"]
    found = Guide(
        source=data.name,
        records=prepared.problem.scale.records,
        columns=tuple(trials.list_changes(prepared, roles, stage / PUBLIC / "release.csv", levels)),
        suggested=bool(roles.reasons),
        invented=invented,
        results=tuple(results),
        chosen=chosen,
        unsuppressed=tuple((case, _try_unsuppressed(prepared, base, case, language)) for case in wanted),
        nodes=tuple(trials.list_nodes(prepared)),
        linkage=trials.link_releases(stage, data, chosen, reports, prepared.policy),
        together=trials.subtract_releases(stage, results, prepared.policy),
        warnings=prepared.warnings,
    )
    (stage / PAGE).write_text(render(found, speech(language)), encoding="utf-8", newline="\n")
    return found


def _no_release(data: Path, wanted: Sequence[GuideCase], limit: float, roles: GuideRoles) -> NoSolution:
    weakest = min(case.k for case in wanted)
    top = tr(
        "Allow more with --suppression-limit, or write a policy with `cobogo inspect {data} --write policy.toml`: its "
        "hierarchies reach *, so that some release exists.",
        data=str(data),
    )
    wider = tr("Allow more with --suppression-limit, or add levels to the hierarchies of the policy.")
    return NoSolution(
        tr(
            "could not achieve {k}-anonymity with these hierarchies and a suppression limit of {limit:g}",
            k=weakest,
            limit=limit,
        ),
        where=str(data),
        remedy=top if roles.reasons else wider,
    )


def _case_job(prepared: job.Prepared, base: Policy, case: GuideCase, limit: float, language: str) -> job.Prepared:
    """The job of a case: the table that was read and counted once, under the models and the limit of the case."""
    rules = case_policy(base, case, limit=limit, language=language)
    models, _ = job.check(rules)
    problem = prepared.problem.replace_models(models)
    return replace(
        prepared, policy=rules, problem=replace(problem, limit=allowed_records(limit, problem.scale.records))
    )


def _release(
    stage: Path, prepared: job.Prepared, base: Policy, case: GuideCase, limits: Sequence[float], language: str
) -> GuideResult:
    """Write the release of a case under the first limit that has one."""
    why = ""
    for limit in limits:
        try:
            release = job.solve(_case_job(prepared, base, case, limit, language))
        except NoSolution as error:
            why = error.what
            continue
        return GuideResult(case, limit, _write(stage, release, case, language))
    return GuideResult(case, limits[-1], why=why)


def _write(stage: Path, release: AnonymizedRelease, case: GuideCase, language: str) -> dict[str, Any]:
    """The release, its data file under the guide's name, and its histogram; returns its report."""
    output = stage / RELEASES / case.name
    release.write(output)
    file = stage / f"{stem(str(release.policy.data.path))}{case.ending}"
    shutil.copyfile(output / PUBLIC / "release.csv", file)
    _draw(case, release.policy, file, stage / case.histogram, speech(language))
    report: dict[str, Any] = json.loads((output / "evidence" / "report.json").read_bytes())
    return report


def _draw(case: GuideCase, rules: Policy, file: Path, path: Path, say: Speech) -> None:
    """The guide's histogram of a case: its largest classes, or how many distinct values its classes hold."""
    names, sensitive = rules.quasi_identifiers, rules.sensitive[:1]
    released = frequency_table(read(file, Data(separator=rules.data.separator, encoding="utf-8")), names, sensitive)
    classes = say.plural("{n} class", "{n} classes", n=len(released.counts))
    if case.l is None:
        order = (-released.counts).argsort(kind="stable")[:LARGEST].tolist()
        plots.largest_classes(
            [(released.tuple_labels(number), int(released.counts[number])) for number in order],
            path,
            say=say,
            names=names,
            classes=len(released.counts),
            records=released.records,
            title=say("k = {k}: the {n} largest of {classes}", k=case.k, n=len(order), classes=classes),
        )
    else:
        plots.distinct_values(
            released.histograms[sensitive[0]].known.distinct,
            path,
            say=say,
            attribute=sensitive[0],
            asked=case.l,
            title=say(
                "k = {k}, l = {l}: distinct values of “{attribute}” in {classes}",
                k=case.k,
                l=case.l,
                attribute=sensitive[0],
                classes=classes,
            ),
        )


def _try_unsuppressed(prepared: job.Prepared, base: Policy, case: GuideCase, language: str) -> ReleaseTrial:
    """What the guide itself does: the best node of a case where no record is suppressed."""
    return ReleaseTrial(**try_release(_case_job(prepared, base, case, 0.0, language)))


def is_guide(directory: Path) -> bool:
    """Whether a directory holds an earlier run of the guide or the demo and nothing else."""
    names = {entry.name for entry in directory.iterdir()}
    releases = list((directory / RELEASES).iterdir()) if (directory / RELEASES).is_dir() else []
    made = [case for case in (GuideCase.parse(entry.name) for entry in releases) if case is not None]
    if not made or len(made) < len(releases) or not all(map(is_output, releases)):
        return False
    stems = {name.removesuffix(made[0].ending) for name in names if name.endswith(made[0].ending)}
    rest = names - {PAGE, PUBLIC, RELEASES, DEMO_DATA, *(case.histogram for case in made)}
    return _is_public(directory / PUBLIC) and rest in [{f"{stem}{case.ending}" for case in made} for stem in stems]


def _is_public(directory: Path) -> bool:
    """Whether a directory holds the public part of a release and nothing else, or is not there."""
    try:
        listed = {manifest.NAME, *manifest.load(directory).files}
        return manifest.contents(directory) <= listed
    except VerificationFailed:
        return not directory.exists()
