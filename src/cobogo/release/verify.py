"""Verification: every model checked again from the published values, on classes that the engine counts."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError

from cobogo import models
from cobogo.errors import DataError, OutputError, PolicyError, VerificationFailed
from cobogo.models import Model
from cobogo.models.check import ModelVerdict, check
from cobogo.policy import Data, Policy, Role
from cobogo.release import manifest as manifests
from cobogo.release.evidence import NAME as EVIDENCE
from cobogo.release.manifest import FileEntry, Manifest
from cobogo.table.engine import Engine
from cobogo.table.frequency import FrequencyTable, frequency_table
from cobogo.table.read import read


@dataclass(frozen=True, eq=False)
class Verdict:
    """Whether a release holds what it promises. Truthy when it does."""

    models: tuple[ModelVerdict, ...]
    problems: tuple[str, ...]
    records: int
    classes: int

    def __bool__(self) -> bool:
        return not self.problems and all(verdict.satisfied for verdict in self.models)

    def as_dict(self) -> dict[str, Any]:
        """For ``--json``."""
        return {
            "holds": bool(self),
            "models": [verdict.as_dict() for verdict in self.models],
            "problems": list(self.problems),
            "records": self.records,
            "classes": self.classes,
        }


def verify(release: str | Path, *, policy: str | Path | Policy | Mapping[str, Any] | None = None) -> Verdict:
    """Check a release directory (or its ``public`` alone) against its manifest and, if given, a policy."""
    public, evidence = _parts(Path(release))
    manifest = manifests.load(public)
    problems = manifests.disagreements(public, manifest.files, also=[manifests.NAME])
    if evidence is not None:
        problems += _evidence_problems(evidence, public)
    try:
        asked = _models(manifest)
    except PolicyError as error:
        raise VerificationFailed(
            f"the manifest states no model that can be checked: {error.what}", where=str(public)
        ) from None
    quasi = manifest.with_role(Role.QUASI_IDENTIFIER)
    if policy is not None:
        wanted = Policy.given(policy)
        problems += _role_problems(manifest, wanted)
        asked = tuple(
            dict.fromkeys((*asked, *models.build(wanted.privacy.models, wanted.sensitive, where=wanted.name)))
        )
        quasi = tuple(dict.fromkeys((*quasi, *wanted.quasi_identifiers)))
    names = {column.name for column in manifest.columns}
    sensitive = [name for name in dict.fromkeys(getattr(model, "attribute", None) for model in asked) if name]
    if not {*quasi, *sensitive} <= names:
        missing = ", ".join(sorted({*quasi, *sensitive} - names))
        return Verdict((), (*problems, f"the release lacks the columns {missing}"), 0, 0)
    try:
        table = released_table(public / manifest.data.file, manifest, quasi, sensitive)
    except DataError as error:
        return Verdict((), (*problems, str(error)), 0, 0)
    if table.records != manifest.data.records:
        problems.append(f"the release has {table.records:,} records; its manifest says {manifest.data.records:,}")
    return Verdict(check(asked, table.classes()), tuple(problems), table.records, len(table.counts))


def released_table(
    file: Path, manifest: Manifest, quasi: Sequence[str], sensitive: Sequence[str], engine: Engine | None = None
) -> FrequencyTable:
    """Read a released file back and count it. Its columns must be those that the manifest names."""
    data = Data(separator=manifest.data.separator)
    table = read(file, data, engine)
    if table.columns != tuple(column.name for column in manifest.columns):
        raise DataError("has other columns than its manifest says", where=str(file))
    return frequency_table(table, quasi, sensitive)


def _parts(release: Path) -> tuple[Path, Path | None]:
    """The public directory, and the evidence if it is there."""
    if (release / "public" / manifests.NAME).is_file():
        evidence = release / "evidence"
        return release / "public", evidence if evidence.is_dir() else None
    if (release / manifests.NAME).is_file():
        return release, None
    what = "is not a Cobogó release" if release.exists() else "no such directory"
    raise OutputError(what, where=str(release), remedy="Give the directory that `cobogo anonymize --out` wrote.")


def _models(manifest: Manifest) -> tuple[Model, ...]:
    """The models of the manifest, from the parameters it states."""
    specifications = [
        {key: value for key, value in entry.items() if key not in ("satisfied", "measured")}
        for entry in manifest.models
    ]
    return models.build(specifications, manifest.with_role(Role.SENSITIVE), where=manifests.NAME)


def _evidence_problems(evidence: Path, public: Path) -> list[str]:
    """What differs between the evidence and its own list of hashes, the manifest's among them."""
    try:
        content = json.loads((evidence / EVIDENCE).read_bytes())
        files = TypeAdapter(dict[str, FileEntry]).validate_python(content["files"])
        manifest_hash = str(content["manifest-sha256"])
    except (OSError, ValueError, KeyError, TypeError, ValidationError):
        return [f"evidence/{EVIDENCE} is missing or damaged"]
    problems = [f"evidence/{problem}" for problem in manifests.disagreements(evidence, files, also=[EVIDENCE])]
    if manifests.sha256(public / manifests.NAME) != manifest_hash:
        problems.append(f"{manifests.NAME} is not the file that was released (its hash differs)")
    return problems


def _role_problems(manifest: Manifest, policy: Policy) -> list[str]:
    """Released columns that a policy does not allow."""
    problems = []
    for column in manifest.columns:
        attribute = policy.attributes.get(column.name)
        if attribute is None:
            raise PolicyError(f'gives no role to the released column "{column.name}"', where=policy.name)
        if attribute.role is Role.IDENTIFIER:
            problems.append(f'the identifier "{column.name}" is in the release')
    return problems
