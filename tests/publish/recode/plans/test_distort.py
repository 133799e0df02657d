"""Distortion: sensitive values are exchanged where a class lacks diversity, as few as will do, and it is said."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings

import cobogo as cb
from cobogo.errors import NoSolution, PolicyError
from support.partition_tables import K, arrow, classes, policy, tables

pytestmark = pytest.mark.slow

some = settings(deadline=None, max_examples=10, suppress_health_check=list(HealthCheck))

DIVERSE = {"model": "l-diversity", "l": 3, "distort": True}


def test_the_survey_s_table(tmp_path: Path) -> None:
    """Tables 3.7 and 3.8: of four records that all have bronchitis two are given another disease, and no more."""
    diseases = ["Sinusite", "Gripe", "Diabetes", "Hérnia", *["Bronquite"] * 4]
    table = pa.table({"age": ["<85"] * 4 + ["<40"] * 4, "cep": ["560001"] * 4 + ["540020"] * 4, "disease": diseases})
    asked = {
        "attributes": {
            "age": {"role": "quasi-identifier"},
            "cep": {"role": "quasi-identifier"},
            "disease": {"role": "sensitive"},
        },
        "privacy": {"models": [{"model": "k-anonymity", "k": 4}, DIVERSE]},
    }
    release = cb.anonymize(table, asked)
    assert release.levels == {"age": 0, "cep": 0}, "the recoding is chosen without a look at the disease"
    assert "2 values of disease were distorted" in " ".join(release.warnings)
    assert release.write(tmp_path / "out")
    assert cb.verify(tmp_path / "out")
    text = (tmp_path / "out/public/release.csv").read_text(encoding="utf-8").splitlines()[1:]
    found = Counter(tuple(line.split(",")) for line in text)
    assert all(found["<85", "560001", disease] == 1 for disease in diseases[:4]), "what held is as it was"
    assert found["<40", "540020", "Bronquite"] == 2
    assert len([row for row in found if row[0] == "<40"]) == 3
    manifest = json.loads((tmp_path / "out/public/manifest.json").read_text(encoding="utf-8"))
    assert [column["name"] for column in manifest["columns"] if not column["truthful"]] == ["disease"]


@pytest.mark.parametrize("algorithm", ["optimal", "mondrian-relaxed"])
@pytest.mark.parametrize(
    "kind", [{"l": 3}, {"kind": "entropy", "l": 2.2}, {"kind": "recursive", "l": 2, "c": 1.5}], ids=str
)
@some
@given(rows=tables(least=6))
def test_every_class_is_diverse_and_only_failing_ones_change(algorithm: str, kind: Any, rows: list[Any]) -> None:
    without = cb.anonymize(arrow(rows), policy(algorithm, [K]))
    try:
        release = cb.anonymize(arrow(rows), policy(algorithm, [K, {**DIVERSE, **kind}]))
    except NoSolution:
        return
    assert release.metrics["loss"] == without.metrics["loss"]
    originals = {row["number"]: row for row in rows}
    for members in classes(release.to_arrow().to_pylist()).values():
        known = [row["disease"] for row in members if row["disease"] is not None]
        counts = sorted(Counter(known).values(), reverse=True)
        if kind.get("kind") == "entropy":
            effective = 1.0
            for count in counts:
                effective *= (len(known) / count) ** (count / len(known))
            assert effective >= 2.2 - 1e-6
        elif kind.get("kind") == "recursive":
            assert counts[0] < 1.5 * sum(counts[1:])
        else:
            assert len(counts) >= 3
            before = len({originals[row["number"]]["disease"] for row in members} - {None})
            changed = sum(row["disease"] != originals[row["number"]]["disease"] for row in members)
            assert changed == max(3 - before, 0), "as few as will do"


def test_a_class_that_is_too_small_cannot_be_made_diverse() -> None:
    rows = [{"number": str(n), "place": "Pina", "age": "20", "sex": "f", "disease": "flu"} for n in range(4)]
    with pytest.raises(NoSolution, match="4 records"):
        cb.anonymize(arrow(rows), policy("optimal", [K, DIVERSE]))


def test_nothing_else_may_look_at_the_attribute() -> None:
    rows = [{"number": str(n), "place": "Pina", "age": "20", "sex": "f", "disease": "flu"} for n in range(4)]
    with pytest.raises(PolicyError, match="requires that the recoding be chosen without using disease"):
        cb.anonymize(arrow(rows), policy("optimal", [DIVERSE, {"model": "t-closeness", "t": 0.2, "distance": "equal"}]))
