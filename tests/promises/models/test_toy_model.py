"""To add a model takes one class and one line in the registry: policy, search, verification and report know it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pyarrow as pa
import pytest

import cobogo as cb
from cobogo.errors import NoSolution, PolicyError, VerificationFailed
from cobogo.floor.arrays import Floats, Mask
from cobogo.promises import models
from cobogo.promises.models import Classes, Model, Monotone


@dataclass(frozen=True)
class Parity(Model):
    """Nobody stands alone: the people of a class can be paired off, in at least so many pairs. A toy."""

    pairs: int = 1

    name: ClassVar[str] = "parity"

    def __post_init__(self) -> None:
        if not isinstance(self.pairs, int) or self.pairs < 1:
            raise ValueError(f"The 'pairs' parameter of parity must be at least 1. Got {self.pairs!r} instead")

    @property
    def monotone(self) -> Monotone:
        """Even numbers make an even one; an odd one spoils it."""
        return Monotone.WITHOUT_SUPPRESSION

    def measure(self, classes: Classes) -> Floats:
        """The pairs of each class; 0 where somebody is left over."""
        return np.where(classes.sizes % 2 == 0, classes.sizes // 2, 0).astype(float)

    def holds(self, classes: Classes, measured: Floats) -> Mask:
        """At least so many pairs."""
        return measured >= self.pairs


TABLE = pa.table(
    {
        "city": ["Sobral"] * 4 + ["Crato"] * 3 + ["Icó"] * 5 + ["Tauá"] * 1,
        "region": ["north"] * 4 + ["south"] * 9,
        "illness": ["flu", "cold", "asthma", "flu", "cold"] * 2 + ["flu", "cold", "measles"],
    }
)


def policy(limit: float = 0.0, *more: dict[str, Any], **parameters: Any) -> dict[str, Any]:
    return {
        "attributes": {
            "city": {"role": "quasi-identifier"},
            "region": {"role": "quasi-identifier"},
            "illness": {"role": "sensitive"},
        },
        "privacy": {"models": [{"model": "parity", **parameters}, *more]},
        "recoding": {"suppression-limit": limit},
    }


@pytest.fixture
def registered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(models.MODELS, Parity.name, Parity)


def test_nobody_knows_it_before_it_is_registered() -> None:
    with pytest.raises(PolicyError, match="there is no model 'parity'"):
        cb.anonymize(TABLE, policy())


@pytest.mark.usefixtures("registered")
class TestRegistered:
    """Cities of 4, 3, 5 and 1 people; regions of 4 and 9."""

    def test_the_policy_knows_its_parameters(self) -> None:
        with pytest.raises(PolicyError, match=r"parity has no parameter 'triples'.*\n.*pairs"):
            cb.anonymize(TABLE, policy(triples=2))
        with pytest.raises(PolicyError, match="The 'pairs' parameter of parity must be at least 1"):
            cb.anonymize(TABLE, policy(pairs=0))

    def test_the_search_satisfies_it(self) -> None:
        release = cb.anonymize(TABLE, policy(0.7))
        assert release.levels == {"city": 0, "region": 0}
        assert release.suppressed == 9
        assert set(release.to_pandas()["city"]) == {"Sobral"}

    def test_the_search_says_when_nothing_does(self) -> None:
        with pytest.raises(NoSolution, match=r"smallest suppression-limit that works is 0\.70 \(9 of 13 records"):
            cb.anonymize(TABLE, policy())

    def test_it_goes_with_other_models(self) -> None:
        release = cb.anonymize(TABLE, policy(0.7, {"model": "l-diversity", "l": 3}, {"model": "k-anonymity", "k": 4}))
        assert release.levels == {"city": 0, "region": 0}
        with pytest.raises(NoSolution):
            cb.anonymize(TABLE, policy(0.7, {"model": "k-anonymity", "k": 5}))

    def test_it_is_written_verified_and_reported(self, tmp_path: Path) -> None:
        release = cb.anonymize(TABLE, policy(0.7, pairs=2))
        written = release.write(tmp_path / "out")
        assert written
        assert written.models[0].measured == 2
        entry = {"model": "parity", "pairs": 2, "satisfied": True, "measured": 2}
        manifest = json.loads((tmp_path / "out/public/manifest.json").read_text(encoding="utf-8"))
        report = json.loads((tmp_path / "out/evidence/report.json").read_text(encoding="utf-8"))
        assert manifest["models"] == report["models"] == [entry]
        assert "parity" in (tmp_path / "out/evidence/report.html").read_text(encoding="utf-8")
        assert "parity" in (tmp_path / "out/public/dictionary.md").read_text(encoding="utf-8")
        for place in ("out", "out/public"):
            found = cb.verify(tmp_path / place)
            assert found
            assert [verdict.as_dict() for verdict in found.models] == [entry]

    def test_verification_fails_when_it_does(self, tmp_path: Path) -> None:
        release = cb.anonymize(TABLE, policy(0.7))
        release.write(tmp_path / "out")
        file = tmp_path / "out/public/release.csv"
        lines = file.read_text(encoding="utf-8").splitlines(keepends=True)
        file.write_text("".join(lines[:-1]), encoding="utf-8")
        found = cb.verify(tmp_path / "out/public")
        assert not found
        assert not found.models[0].satisfied

    def test_who_does_not_have_it_cannot_verify_it(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        cb.anonymize(TABLE, policy(0.7)).write(tmp_path / "out")
        monkeypatch.delitem(models.MODELS, Parity.name)
        with pytest.raises(VerificationFailed, match="cannot be checked"):
            cb.verify(tmp_path / "out/public")
