"""The evidence: what only the data holder may see, with the hashes of everything that was written."""

from __future__ import annotations

import hashlib
import hmac
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from cobogo.data.engines.engine import Engine
from cobogo.data.table.frequency import FrequencyTable
from cobogo.errors import VerificationFailed
from cobogo.floor.urls import strip_password
from cobogo.release import manifest
from cobogo.release.contract import Origin

NAME = "evidence.json"
OWN_HASH = "sha256"


def seal(content: dict[str, Any], origin: Origin, engine: Engine, public: Path, evidence: Path) -> None:
    """Write the evidence of any release: what is its own, where it comes from, and the hashes of all that lies beside
    it. It comes last: it signs the report and the public manifest. ``engine`` is what the data were read into."""
    files = [file for file in evidence.rglob("*") if file.is_file()]
    content = {
        "note": "Stays with the data holder: with the report beside it, it tells what the original data looked like.",
        "manifest-sha256": manifest.sha256(public / manifest.NAME),
        **_provenance(origin),
        **({"sources": engine.sources} if engine.sources else {}),
        "engine": engine.url,
        **content,
        "files": {name: entry.model_dump() for name, entry in manifest.hashes(evidence, files).items()},
    }
    _save(content, evidence)


def _provenance(origin: Origin) -> dict[str, Any]:
    """The policy that asked for a release, or the source and the roles of one that was made without."""
    if origin.policy is None:
        return {"source": strip_password(origin.source), "roles": {n: str(r) for n, r in origin.roles.items()}}
    policy = origin.policy.as_dict()
    return {"policy": strip_passwords(policy), "home": str(origin.policy.home.absolute())}


def _save(content: dict[str, Any], evidence: Path) -> None:
    text = json.dumps({**content, OWN_HASH: own_hash(content)}, ensure_ascii=False, indent=1, allow_nan=False)
    (evidence / NAME).write_text(text + "\n", encoding="utf-8", newline="\n")


def own_hash(content: dict[str, Any]) -> str:
    """What the evidence hashes to, without the hash that it carries itself.

    It tells damage, and an edit by whoever does not know of it. Whoever makes it anew is caught where the evidence
    then says something else than the manifest.
    """
    rest = {name: value for name, value in content.items() if name != OWN_HASH}
    return hashlib.sha256(json.dumps(rest, sort_keys=True).encode()).hexdigest()


def strip_passwords(policy: dict[str, Any]) -> dict[str, Any]:
    """A policy as it may be kept: databases without what lets one in."""
    kept = {"data": policy.get("data", {})} | {
        table: policy[table] for table in ("registry", "masking") if policy.get(table)
    }
    places = ("path", "engine", "vault")
    return policy | {
        table: {key: strip_password(value) if key in places and value else value for key, value in part.items()}
        for table, part in kept.items()
    }


def is_output(directory: Path) -> bool:
    """Whether a directory is an earlier output and holds nothing else, so that a new one may replace it."""
    if not {entry.name for entry in directory.iterdir()} <= {"public", "evidence"}:
        return False
    public, evidence = directory / "public", directory / "evidence"
    try:
        ours = {manifest.NAME, *manifest.load(public).files}
        return manifest.contents(public) <= ours and manifest.contents(evidence) <= listed_files(evidence)
    except VerificationFailed:
        return False


def amend(evidence: Path, names: Sequence[str]) -> None:
    """Take files that were added or made anew into the list of what belongs to the evidence."""
    content = json.loads((evidence / NAME).read_bytes())
    added = manifest.hashes(evidence, [evidence / name for name in names])
    content["files"] |= {name: entry.model_dump() for name, entry in added.items()}
    _save(content, evidence)


def listed_files(evidence: Path) -> set[str]:
    """The files that belong to the evidence, by its own account."""
    try:
        return {NAME, *json.loads((evidence / NAME).read_bytes())["files"]}
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return set()


def digest(key: bytes, table: FrequencyTable) -> str:
    """A keyed digest of the input's counts: the same for the same data in any row order, useless without the key."""
    seal = hmac.new(key, digestmod=hashlib.sha256)
    labels = [list(table.quasi_identifiers), {name: list(known) for name, known in table.values.items()}]
    labels.append({name: list(domain.labels) for name, domain in table.domains.items()})
    seal.update(json.dumps(labels).encode())
    arrays: list[NDArray[Any]] = [table.codes, table.counts]
    for histogram in table.histograms.values():
        arrays += [histogram.offsets, histogram.values, histogram.counts]
    for array in arrays:
        seal.update(array.tobytes())
    return seal.hexdigest()
