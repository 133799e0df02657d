"""Verification of a release of any kind: its hashes, its evidence, and what it promises, from what was published."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError

from cobogo.data.policy import Policy
from cobogo.data.table.read import Table
from cobogo.errors import DataError, VerificationFailed
from cobogo.floor.catalogue import import_object
from cobogo.floor.language import change, tr
from cobogo.floor.urls import is_elsewhere
from cobogo.promises.models.check import ModelVerdict
from cobogo.release import manifest as manifests
from cobogo.release import public_models
from cobogo.release.contract import ENTROPY, SEEDED, CheckResult, Verdict, Written, problem_of
from cobogo.release.evidence import NAME as EVIDENCE
from cobogo.release.evidence import OWN_HASH, own_hash
from cobogo.release.manifest import FileEntry, Manifest
from cobogo.release.readback import locate_released_rows, open_released_rows, release_parts
from cobogo.release.recodings import other_number, role_problems, verify_recoding
from cobogo.release.reference import Json

CHECKS: dict[str, str] = {
    "flows": "cobogo.locate.mobility.flows:check",
    "frequency-list": "cobogo.publish.frequency_list:check",
    "masking": "cobogo.publish.mask.release:check",
    "location-reports": "cobogo.locate.protect:check",
    "mobility": "cobogo.locate.mobility.release:check",
    "perturbation": "cobogo.publish.perturb.release:check",
    "randomization": "cobogo.publish.randomize.make:check",
    "sampling": "cobogo.publish.sample.release:check",
    "synthesis": "cobogo.publish.synthesize.release:check",
    "trajectories": "cobogo.locate.trips.release:check",
    "trip-synthesis": "cobogo.locate.trips.release:check",
}
"""Each kind of release whose rows are drawn, and the function that verifies the released rows, as "module:function"."""


def check_drawn_rows(written: Written) -> CheckResult:
    """Verify released rows by what the manifest says of how they were made."""
    kind = written.manifest.kind
    if kind not in CHECKS:
        raise VerificationFailed(
            tr("this version of Cobogó does not know the kind of release {kind!r}", kind=kind),
            remedy=tr("Install the latest version: the release may have been made with it."),
        )
    try:
        found = import_object(CHECKS[kind])(written)
    except (LookupError, TypeError, ValueError, AttributeError, ArithmeticError) as error:
        raise VerificationFailed(
            tr(
                "the manifest's description of how the release was made ({kind}) is damaged ({error})",
                kind=kind,
                error=type(error).__name__,
            ),
            remedy=manifests.COPY_AGAIN,
        ) from None
    assert isinstance(found, CheckResult)
    seeded = (SEEDED,) if written.statement.get("entropy", ENTROPY) != ENTROPY else ()
    return replace(found, problems=(*seeded, *found.problems))


KEPT = {"manifest-sha256", OWN_HASH}
"""What verification asks of any evidence."""

RECODED = {"home", "policy", "reference", "withheld", "people", "series"}
"""And of that of a recoding."""


def verify(
    release: str | Path,
    *,
    policy: str | Path | Policy | Mapping[str, Any] | None = None,
    engine: str | None = None,
) -> Verdict:
    """Check a release directory (or its ``public`` alone) against its manifest and, if given, a policy.

    A release in object storage is copied first. ``engine`` is the URL of the database, or the place of the lake's
    table, that holds the rows of a release that is a table.
    """
    rules = Policy.from_any(policy) if policy is not None else None
    if not isinstance(release, str | Path) or not is_elsewhere(release):
        return _verify_directory(release, rules, engine)
    from cobogo.release.remote import local_release

    with local_release(release) as directory:
        return _verify_directory(directory, rules, engine)


def _verify_directory(release: str | Path, rules: Policy | None, engine: str | None) -> Verdict:
    public, evidence = release_parts(release)
    manifest = manifests.load(public)
    if manifest.contradiction:
        raise VerificationFailed(
            manifest.contradiction,
            where=str(public / manifests.NAME),
            remedy=tr("Copy the release again from where it was made."),
        )
    problems = manifests.disagreements(public, manifest.files, also=[manifests.NAME])
    if any(manifests.irregular(name) in problems for name in manifest.data_files):
        return Verdict((), tuple(problems), 0, 0)
    kept = None
    if evidence is not None:
        kept = _evidence(evidence, KEPT | (RECODED if manifest.kind == manifests.RECODING else {"transformation"}))
        problems += _evidence_problems(evidence, kept, public)
    if manifest.kind != manifests.RECODING:
        return _verify_drawn(public, manifest, kept, rules, engine, problems)
    return verify_recoding(public, manifest, kept, rules, engine, problems)


def _verify_drawn(
    public: Path, manifest: Manifest, kept: Json | None, rules: Policy | None, engine: str | None, problems: list[str]
) -> Verdict:
    """The verdict on a release that is not a recoding: its rows must be such as the manifest says they were made."""
    asked: list[Json] = [dict(entry) for entry in manifest.models]
    if rules is not None:
        problems += role_problems(manifest, rules)
        asked += [] if rules.privacy is None else rules.privacy.models
    try:
        rows = locate_released_rows(public, manifest, kept, engine)
        table = open_released_rows(rows, manifest)
        if isinstance(rows, Table) and rows.digest(manifest.data.separator) != manifest.data.sha256:
            problems.append(tr("the table {table} does not contain the rows that were released", table=rows.name))
        records = table.rows()
        found = check_drawn_rows(
            Written(manifest, table, asked, None if kept is None else kept["transformation"], public)
        )
    except (DataError, VerificationFailed) as error:
        return Verdict((), (*problems, problem_of(error)), 0, None)
    if records != manifest.data.records:
        problems.append(other_number(records, manifest))
    problems += [*found.problems, *_misstatements(manifest, found.verdicts)]
    return Verdict(found.verdicts, tuple(problems), records, None, found.notes)


def _misstatements(manifest: Manifest, verdicts: Sequence[ModelVerdict]) -> list[str]:
    """Where the manifest says that something else was measured, or that a model holds that does not."""
    found = {public_models.model_key(verdict.as_dict()): verdict for verdict in verdicts}
    problems: list[str] = []
    for entry in manifest.models:
        verdict = found.get(public_models.model_key(entry))
        if verdict is None or verdict.undecided:
            continue
        stated = "measured" not in entry or public_models.agree(entry["measured"], verdict.as_dict()["measured"])
        if not stated or entry.get("satisfied") is not True:
            problems.append(public_models.other_measure(entry.get("model")))
    return problems


def _evidence(evidence: Path, needed: set[str]) -> Json | None:
    """What the evidence holds; nothing where it is damaged."""
    try:
        content = json.loads((evidence / EVIDENCE).read_bytes())
        TypeAdapter(dict[str, FileEntry]).validate_python(content["files"])
        return dict(content) if set(content) >= needed else None
    except (OSError, ValueError, KeyError, TypeError, RecursionError, ValidationError):
        return None


def _evidence_problems(evidence: Path, kept: Json | None, public: Path) -> list[str]:
    """What differs between the evidence and its own list of hashes, the manifest's among them."""
    if kept is None:
        return [tr("{file} is missing or damaged", file=f"evidence/{EVIDENCE}")]
    files = TypeAdapter(dict[str, FileEntry]).validate_python(kept["files"])
    problems: list[str] = []
    if kept[OWN_HASH] != own_hash(kept):
        problems.append(tr("{file} was changed (its own hash differs)", file=f"evidence/{EVIDENCE}"))
    for problem in manifests.disagreements(evidence, files, also=[EVIDENCE]):
        problems.append(change(problem, lambda name: f"evidence/{name}"))
    if manifests.sha256(public / manifests.NAME) != kept["manifest-sha256"]:
        problems.append(manifests.changed(manifests.NAME))
    return problems
