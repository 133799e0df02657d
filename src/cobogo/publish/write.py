"""Writing a release: read back, verified, checked against earlier ones, recorded, and put in place at once."""

from __future__ import annotations

import importlib
import threading
from contextlib import ExitStack, suppress
from pathlib import Path

from cobogo.errors import RegistryError
from cobogo.floor.files import staged_directory
from cobogo.floor.progress import Progress, silent
from cobogo.promises.models.check import check
from cobogo.publish.result import Release
from cobogo.release import manifest
from cobogo.release.evidence import is_output, series_after, write_evidence
from cobogo.release.readback import released_table
from cobogo.release.verdict import Verdict
from cobogo.release.write import draft, refuse_unless_as_planned, sign, written


def check_against_earlier(release: Release) -> None:
    """Refuse a release that would expose people together with earlier ones; writing it does so, too."""
    if release.book is not None:
        from cobogo.publish.registry.check import refuse

        refuse(release.book.breaches(release), release.policy.name)


def write(release: Release, directory: Path, *, progress: Progress = silent) -> Verdict:
    """Write a release under a temporary name, read it back, verify it, add the report, put it in place at once."""
    entered: list[str] = []
    try:
        verdict = _written(release, directory, entered, progress)
    except BaseException:
        for identity in entered:
            assert release.book is not None
            with suppress(RegistryError):  # what went wrong first is what matters
                release.book.withdraw(identity)
        raise
    for identity in entered:
        assert release.book is not None
        release.book.finish(identity)
    return verdict


def _written(release: Release, directory: Path, entered: list[str], progress: Progress) -> Verdict:
    """The same, with the ids under which it is ``entered`` in the registry before it is put in place."""
    report = threading.Thread(target=importlib.import_module, args=("cobogo.tell.report.write",))
    report.start()  # it takes a while, and the engine has enough to do meanwhile
    with staged_directory(directory, replaceable=is_output) as stage, ExitStack() as ending:
        public, evidence = stage / "public", stage / "evidence"
        public.mkdir()
        evidence.mkdir(mode=0o700)
        progress("write", 0, 0)
        with release.timed("apply"):
            rows = ending.enter_context(written(release, public, release.tables()))
        progress("verify", 0, 0)
        with release.timed("verify"):
            unsigned = draft(release, rows)
            released = released_table(rows, unsigned, release.policy.quasi_identifiers, release.policy.sensitive)
            reference = release.reference()
            classes = reference.classes(released)
            verdicts = check(release.problem.promised, classes)
            refuse_unless_as_planned(release, released, classes, verdicts)
        with release.timed("write"):
            sign(unsigned, release, public, released, reference, verdicts)
        progress("report", 0, 0)
        report.join()
        from cobogo.tell.report.story import tell
        from cobogo.tell.report.write import write as write_report

        write_report(
            tell(release, released, classes, verdicts),
            evidence,
            language=release.policy.report.language,
        )
        if release.book is not None:
            progress("check", 0, 0)
            series = series_after(release, reference)[0]
            signed = manifest.sha256(public / manifest.NAME)
            entered.append(release.book.enter(release, series, signed, directory))
            release.registered = entered[-1]
        write_evidence(release, reference, public, evidence)
    return Verdict(verdicts, (), released.records, len(released.counts))
