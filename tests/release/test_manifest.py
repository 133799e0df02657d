"""What releases say of themselves in public, word for word."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import cobogo as cb
from support.golden import assert_golden
from support.paths import ROOT

PEOPLE = ROOT / "src" / "cobogo" / "examples" / "data" / "hospital" / "patients.csv"
ROLES: dict[str, Any] = {
    "name": {"role": "identifier"},
    "record": {"role": "identifier"},
    **{name: {"role": "identifier"} for name in ("cep", "birth", "place", "occupation", "salary")},
    **{name: {"role": "quasi-identifier"} for name in ("sex", "schooling", "payer")},
    "diagnosis": {"role": "sensitive"},
}
MODELS = [{"model": "k-anonymity", "k": 3}, {"model": "l-diversity", "attribute": "diagnosis", "l": 2}]


def manifest(where: Path) -> dict[str, Any]:
    """The manifest, with what differs from run to run left out."""
    found: dict[str, Any] = json.loads((where / "public" / "manifest.json").read_text(encoding="utf-8"))
    return {name: "…" if name in ("files", "created") else value for name, value in found.items()}


@pytest.mark.parametrize("algorithm", ["optimal", "mondrian", "anatomy"])
def test_a_recoding_s_manifest_is_the_golden_one(algorithm: str, tmp_path: Path) -> None:
    policy = {
        "data": {"path": str(PEOPLE), "separator": ";", "decimal": ","},
        "attributes": ROLES,
        "privacy": {"models": MODELS[algorithm == "anatomy" :]},
        "recoding": {"algorithm": algorithm, "suppression-limit": 0.1},
    }
    cb.anonymize(policy).write(tmp_path / "out")
    assert_golden(f"manifests/{algorithm}.json", json.dumps(manifest(tmp_path / "out"), indent=1, ensure_ascii=False))
