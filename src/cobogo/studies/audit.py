"""An audit: every attack that can be tried on a release, tried, and a page that a data protection officer can sign."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, ClassVar, Literal

import numpy as np

import cobogo
from cobogo.data.policy import Policy
from cobogo.errors import CobogoError, DataError, OutputError, PolicyError, RegistryError
from cobogo.examine import attacks
from cobogo.examine.attacks.base import Attack, Finding, Findings, severity
from cobogo.examine.attacks.case import Case, open_case
from cobogo.floor.arrays import Ints
from cobogo.floor.files import stage_directory
from cobogo.floor.language import Speech, join, tr
from cobogo.floor.progress import Progress, show_in_notebook
from cobogo.release import evidence as evidences
from cobogo.release import manifest as manifests
from cobogo.release.readback import release_parts
from cobogo.studies.study import Study, Trial, timestamp

NAMES = ("audit.html", "audit.json", "plots/audit.png")


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class AttackTrial(Trial):
    """One attack: what it found, or why it was not tried. ``lacks`` are the inputs that were missing.

    ``open``: the attack applies to such a release and could not be tried, so that the audit cannot clear the release.
    ``owners``: where a person may have several records, whose each row of the knowledge is.
    """

    attack: type[Attack]
    findings: Findings | None = None
    lacks: tuple[str, ...] = ()
    open: bool = False
    owners: Ints | None = None

    @property
    def exposed(self) -> int:
        """How many people the attack exposes."""
        return 0 if self.findings is None else self._people(self.findings.exposed)

    @property
    def attacked(self) -> int:
        """How many people it was tried on."""
        found = self.findings
        if found is None:
            return 0
        if self.owners is None or found.attacked != len(self.owners):
            return found.attacked
        return self._people(np.arange(1, found.attacked + 1))

    def _people(self, rows: Ints) -> int:
        if self.owners is None or self.findings is None or self.findings.rows_of != "knowledge":
            return len(rows)
        return len(np.unique(self.owners[rows - 1]))

    @property
    def gains(self) -> bool:
        """Whether it is measured by how much likelier it makes a value, and not by how likely the value is then."""
        return self.findings is not None and self.findings.by == "gain"

    @property
    def vagueness(self) -> int:
        """How little a finding says: 0 of a value, 1 of a value or one near it, 2 of one that is only likelier."""
        return 2 if self.gains else int(self.attack.near)

    @classmethod
    def from_attack(cls, attack: type[Attack], findings: Findings | None = None, **said: Any) -> AttackTrial:
        """A trial of an attack, by its name."""
        return cls(name=attack.name, attack=attack, findings=findings, **said)

    def as_dict(self) -> dict[str, Any]:
        """For ``--json``: without row numbers, which the attack's own command shows."""
        if self.findings is None:
            untried = {"why": self.why or "", "lacks": list(self.lacks), "open": self.open}
            return {"attack": self.name, "finds": self.attack.finds, "tried": False, **untried}
        found = self.findings.to_dict() | {"attacked": self.attacked, "exposed": self.exposed, "near": self.attack.near}
        return {"tried": True, **{key: value for key, value in found.items() if key not in ("rows", "rows_left_out")}}


@dataclass(frozen=True, eq=False, repr=False)
class Audit(Study):
    """All trials on one release. Truthy when nobody is exposed and every attack that applies was tried."""

    release: str
    sha256: str
    records: int
    models: tuple[dict[str, Any], ...]
    trials: tuple[AttackTrial, ...]
    knowledge: str | None  # what the attacker was given
    earlier: tuple[str, ...]  # the releases that it was crossed with
    notes: tuple[str, ...] = ()
    created: str = field(default_factory=timestamp)

    stem: ClassVar[str] = "audit"

    def __bool__(self) -> bool:
        return self.verdict == "nobody"

    def summary(self) -> tuple[str, ...]:
        """How many attacks were tried, and how many succeeded."""
        tried = f"{len(self.tried)} attacks tried"
        return tried, f"{len(self.succeeded)} succeeded", f"{len(self.untried)} could not be tried"

    @property
    def verdict(self) -> Literal["nobody", "inferred", "exposed", "open"]:
        """Whether anybody is exposed, found or present, or whether only values are inferred; open where an attack that
        applies could not be tried."""
        found = severity(trial.attack.finds for trial in self.succeeded)
        return "open" if found == "nobody" and (not self.tried or self.untried) else found

    @property
    def succeeded(self) -> tuple[AttackTrial, ...]:
        """The attacks that exceed their threshold."""
        return tuple(trial for trial in self.trials if trial.findings)

    @property
    def untried(self) -> tuple[AttackTrial, ...]:
        """The attacks that apply and could not be tried."""
        return tuple(trial for trial in self.trials if trial.open)

    @property
    def people(self) -> dict[Finding, int]:
        """For each kind of finding (record, value, presence), the most people that one attack exposes. Values that an
        attack guesses come before those that it guesses roughly, and these before those that it only makes likelier."""
        found: dict[Finding, int] = {"record": 0, "value": 0, "presence": 0}
        surest = min((trial.vagueness for trial in self.succeeded if trial.attack.finds == "value"), default=0)
        for trial in self.succeeded:
            if trial.attack.finds != "value" or trial.vagueness == surest:
                found[trial.attack.finds] = max(found[trial.attack.finds], trial.exposed)
        return found

    @property
    def only_near(self) -> bool:
        """Whether values are inferred only by attacks for which a near guess is right: the report counts exact ones."""
        guessed = [trial.attack.near for trial in self.succeeded if trial.attack.finds == "value" and not trial.gains]
        return bool(guessed) and all(guessed)

    @property
    def tried(self) -> tuple[AttackTrial, ...]:
        """The attacks that were tried."""
        return tuple(trial for trial in self.trials if trial.findings is not None)

    def as_dict(self) -> dict[str, Any]:
        """What audit.json holds."""
        return {
            "version": cobogo.__version__,
            "created": self.created,
            "release": self.release,
            "sha256": self.sha256,
            "records": self.records,
            "models": list(self.models),
            "knowledge": self.knowledge,
            "earlier": list(self.earlier),
            "verdict": self.verdict,
            "nobody_exposed": bool(self),
            "people": self.people,
            "attacks": [trial.as_dict() for trial in self.trials],
            "notes": list(self.notes),
        }

    def write(self, directory: str | Path, *, language: str | None = None) -> None:
        """Put the page, the figures and the plot into the evidence of a release, and into its list of files, in one
        step; in the language of the report unless given."""
        release = Path(directory)
        if not (release / "evidence" / evidences.NAME).is_file():
            raise OutputError(
                tr("has no evidence directory for the audit"),
                where=str(release),
                remedy=tr("Audit the directory that `cobogo anonymize --out` wrote, or print the audit with --json."),
            )
        if language is None:
            policy = _policy_of(release)
            language = "en" if policy is None else policy.report.language
        with stage_directory(release, replaceable=evidences.is_output) as stage:
            shutil.copytree(release, stage, dirs_exist_ok=True)
            self.write_files(stage / "evidence", language=language, pictures="plots")
            evidences.amend(stage / "evidence", NAMES)

    def render(self, svg: str, *, say: Speech) -> str:
        """A page to sign."""
        from cobogo.studies.audit_page import render

        return render(self, svg, say=say)

    def draw(self, path: Path, *, say: Speech) -> str:
        """A row for each attack that was tried."""
        from cobogo.studies.audit_page import draw

        return draw(self, path, say=say)


def audit(
    release: str | Path,
    *,
    earlier: Sequence[str | Path] = (),
    knowledge: Any = None,
    original: Path | None = None,
    control: Any = None,
    queries: Path | None = None,
    policy: Any = None,
    progress: Progress = show_in_notebook,
) -> Audit:
    """Try every attack on a release directory. Writes nothing.

    Without ``knowledge`` the attacker knows the ``original`` table, the most that anybody can know; it is looked for
    where the evidence says that it lies. Without ``earlier`` the release is crossed with those before it in its
    registry, if that can be opened.
    """
    public, _ = release_parts(release)
    release = Path(release)
    manifest = manifests.load(public)
    made_by = _policy_of(release) if policy is None else Policy.from_any(policy)
    notes: list[str] = []
    known, note = _original(made_by, original)
    defaulted = knowledge is None or (isinstance(knowledge, str | Path) and Path(knowledge).resolve() == known)
    if defaulted:
        knowledge, notes = known, note
    if not earlier:
        earlier, note = _earlier_releases(release, made_by)
        notes += note
    directories = [*map(Path, earlier), release]
    try:
        case = open_case(directories, knowledge=knowledge, control=control, queries=queries, policy=policy)
    except DataError as error:
        if knowledge is None or not defaulted:
            raise
        notes.append(tr("the original cannot be read: {why}", why=error.what))
        case = open_case(directories, control=control, queries=queries, policy=policy)
    owners, trials = _owners(case, made_by), []
    for number, kind in enumerate(attacks.ATTACKS.values()):
        progress(kind.name, number, len(attacks.ATTACKS))
        trial = _try(kind, case if kind.from_original or not defaulted else replace(case, knowledge=None))
        trials.append(replace(trial, owners=owners))
    return Audit(
        str(release),
        manifests.sha256(public / manifests.NAME),
        case.releases[-1].rows.count,
        manifest.models,
        tuple(trials),
        None if case.knowledge is None else Path(case.knowledge.name).name,
        tuple(str(one) for one in earlier),
        tuple(notes),
    )


def _try(kind: type[Attack], case: Case) -> AttackTrial:
    """Try an attack on all that it takes (one release, each earlier one with this, or all together); the worst
    counts."""
    attack = attacks.build(kind.name, {})
    why = attack.skip_reason(replace(case, releases=case.releases[-1:])) or ""
    if why:
        return AttackTrial.from_attack(kind, why=why)
    findings: list[Findings] = []
    trial = AttackTrial.from_attack(
        kind, why=tr("there is no other release to compare it with"), lacks=_releases(kind, case)
    )
    for part in _cases(kind, case):
        why = attack.skip_reason(part) or ""
        lacking = "" if why else attack.lacks(part) or ""
        if why or lacking:
            lacks = tuple(name for name in sorted(kind.needs) if getattr(part, name) is None) if lacking else ()
            trial = AttackTrial.from_attack(
                kind, why=why or lacking, lacks=lacks, open="knowledge" in lacks and kind.from_original
            )
            continue
        try:
            findings.append(_run(attack, part))
        except CobogoError as error:  # a policy without anything to attack is no failure
            trial = AttackTrial.from_attack(kind, why=error.what, open=not isinstance(error, PolicyError))
    untried = [found.untried for found in findings if not found.tried]
    if not findings:
        return trial
    worst = max(findings, key=lambda found: (found.succeeded, len(found.exposed), found.highest))
    return (
        AttackTrial.from_attack(kind, why=join(untried, by="; "), open=True)
        if untried and not worst.succeeded
        else AttackTrial.from_attack(kind, worst)
    )


def _run(attack: Attack, case: Case) -> Findings:
    """Run an attack; where it cannot use the knowledge and does not need it, without."""
    try:
        return attack.run(case)
    except DataError:
        if case.knowledge is None or "knowledge" in attack.needs:
            raise
        return attack.run(replace(case, knowledge=None))


def _cases(kind: type[Attack], case: Case) -> Iterator[Case]:
    least, most = kind.releases
    last = case.releases[-1]
    if least <= 1:
        yield replace(case, releases=(last,))
    elif most < len(case.releases):
        for before in case.releases[:-1]:
            yield replace(case, releases=(before, last))
    elif len(case.releases) >= least:
        yield case


def _releases(kind: type[Attack], case: Case) -> tuple[str, ...]:
    return ("releases",) if len(case.releases) < kind.releases[0] else ()


def _policy_of(release: Path) -> Policy | None:
    """The policy that the evidence keeps, if there is evidence."""
    file = release / "evidence" / evidences.NAME
    if not file.is_file():
        return None
    try:
        kept = json.loads(file.read_bytes())
        return Policy.of(kept["policy"], home=kept["home"], name=f"evidence/{evidences.NAME}")
    except (OSError, ValueError, KeyError, TypeError, CobogoError):
        raise OutputError(
            tr("is damaged"), where=str(file), remedy=tr("Check the release with `cobogo verify`.")
        ) from None


def _original(policy: Policy | None, given: Path | None) -> tuple[Any, list[str]]:
    """The file of the original table, or None and a note."""
    if given is not None:
        return given.resolve(), []
    if policy is not None and policy.data.path is not None and policy.data.table is None:
        path = policy.resolve(policy.data.path).resolve()
        if path.is_file():
            return path, []
    return None, [
        tr("the original table was not found: attacks that need a table of people were not tried (--knowledge)")
    ]


def _owners(case: Case, policy: Policy | None) -> Ints | None:
    """Whose each row of the knowledge is, where the policy counts people and the knowledge names them."""
    unit = None if policy is None else policy.data.unit
    if case.knowledge is None or unit is None or unit not in case.knowledge.columns:
        return None
    return case.knowledge.codes(unit).astype(np.int64)


def _earlier_releases(release: Path, policy: Policy | None) -> tuple[list[Path], list[str]]:
    """The earlier releases of the data set that are still where they were written, and notes on the others."""
    if policy is None or policy.registry is None:
        return [], []
    from cobogo.publish.registry import store
    from cobogo.publish.registry.book import locate_registry

    identity = json.loads((release / "evidence" / evidences.NAME).read_bytes()).get("registered")
    try:
        with store.open_registry(*locate_registry(policy)).transaction() as book:
            entries = book.entries(policy.registry.dataset)
    except RegistryError as error:
        return [], [tr("earlier releases were not examined: {why}", why=error.what)]
    found: list[Path] = []
    notes: list[str] = []
    for entry in entries:
        directory = Path(entry.summary["directory"])
        if entry.id == identity or directory.resolve() == release.resolve():
            break
        signed = directory / "public" / manifests.NAME
        if signed.is_file() and manifests.sha256(signed) == entry.summary["manifest-sha256"]:
            found.append(directory)
        else:
            notes.append(tr("release {id} is no longer where it was written, and was not examined", id=entry.id))
    return found, notes
