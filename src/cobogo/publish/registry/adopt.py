"""Recording a release that was made without a registry, from its evidence and the data that it was made of."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from cobogo.data.policy import Policy
from cobogo.errors import OutputError, RegistryError
from cobogo.floor.language import tr
from cobogo.publish import anonymize as job
from cobogo.publish.recoding import AnonymizedRelease
from cobogo.publish.registry.check import Breach
from cobogo.publish.registry.reuse import Reuse
from cobogo.release import evidence as evidences
from cobogo.release import manifest as manifests
from cobogo.release.readback import count_released_rows, release_parts
from cobogo.release.verify import verify


def adopt(
    release: Path, location: str, key: Path | None, dataset: str, *, data: Any = None
) -> tuple[str, list[Breach]]:
    """Record a release that is public already; return its id, and what it exposes together with the recorded ones.

    The release is computed again from the data as they are now, and must give the same classes. ``data`` are needed
    where the policy does not name them.
    """
    public, evidence = release_parts(release)
    if evidence is None or not verify(release):
        raise OutputError(
            tr("is not a verified release with its evidence"),
            where=str(release),
            remedy=tr("Check it with `cobogo verify`."),
        )
    kept: dict[str, Any] = json.loads((evidence / evidences.NAME).read_bytes())
    if not kept.get("levels"):
        raise RegistryError(
            tr("each record was recoded on its own, and the evidence does not say how"),
            where=str(release),
            remedy=tr("Make the release again with [registry] in its policy."),
        )
    asked = {"path": location, "dataset": dataset} | ({} if key is None else {"key": str(key.absolute())})
    policy = Policy.of({**kept["policy"], "registry": asked}, home=kept["home"], name=f"evidence/{evidences.NAME}")
    reuse = Reuse({"kind": "full-domain", "levels": kept["levels"]}, str(release))
    prepared = job.prepare(policy) if data is None else job.prepare(data, policy)
    made = job.solve(prepared, algorithm=reuse)
    if _classes_of(made) != _classes_in(public, policy):
        raise RegistryError(
            tr("the data are no longer those from which the release was made"),
            where=str(release),
            remedy=tr("Restore the original data at the path in the policy."),
        )
    assert made.book is not None
    found = made.book.breaches(made)
    signed = manifests.sha256(public / manifests.NAME)
    return made.book.adopt(made, signed, release), found


def _classes_of(release: AnonymizedRelease) -> dict[tuple[str | None, ...], int]:
    """The classes of a release that is not written, with their sizes."""
    rows, names = release.transformation.traced, list(release.policy.quasi_identifiers)
    counts = rows.group_by(names).aggregate(cobogo_records=rows.count())
    found = release.table.engine.fetch(release.table.engine.as_text(counts)).to_pylist()
    return {tuple(row[name] for name in names): int(row["cobogo_records"]) for row in found}


def _classes_in(public: Path, policy: Policy) -> dict[tuple[str | None, ...], int]:
    """The classes of a written release, with their sizes."""
    manifest = manifests.load(public)
    if manifest.data.file is None:
        raise RegistryError(
            tr("the release is a table of a database, and only files can be added to a registry"),
            where=str(public),
            remedy=tr("Make the release again with [registry] in its policy."),
        )
    table = count_released_rows(public / manifest.data.file, manifest, policy.quasi_identifiers, [])
    return {table.tuple_labels(place): count for place, count in enumerate(table.counts.tolist())}
