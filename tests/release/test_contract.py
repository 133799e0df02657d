"""A release of any kind: what all have in common, and what only some have."""

from __future__ import annotations

import copy
from typing import Any

import pyarrow as pa
import pytest

import cobogo as cb
from cobogo.publish.recoding import AnonymizedRelease
from cobogo.publish.transform import sample
from cobogo.release.contract import Release

PEOPLE = {"age": [str(20 + n % 7) for n in range(60)], "ill": ["flu", "gout", "flu"] * 20}
ROLES = {"age": {"role": "quasi-identifier"}, "ill": {"role": "sensitive"}}
RHO = {"model": "rho1-rho2-privacy", "rho1": 0.1, "rho2": 0.6}


def recoded() -> AnonymizedRelease:
    models = [{"model": "k-anonymity", "k": 5}]
    return cb.anonymize(pa.table(PEOPLE), {"attributes": ROLES, "privacy": {"models": models}})


def randomized() -> Release:
    asked: dict[str, Any] = {"privacy": {"models": [RHO]}, "randomization": {"method": "uniform"}}
    return cb.perturb(pa.table(PEOPLE), {"attributes": ROLES, **asked})


def masked() -> Release:
    made = cb.mask(pa.table(PEOPLE), {"attributes": ROLES, "masking": {"columns": {"age": {"truncate": 1}}}})
    assert isinstance(made, Release)
    return made


def sampled() -> Release:
    asked = {"model": "differential-privacy", "epsilon": 1.0, "delta": 0.01}
    return sample(
        pa.table(PEOPLE), {"attributes": ROLES, "privacy": {"models": [asked]}, "sampling": {"levels": {"age": 0}}}
    )


RELEASES = {"recoding": recoded, "randomization": randomized, "masking": masked, "sampling": sampled}


@pytest.mark.parametrize("kind", RELEASES)
def test_every_kind_answers_the_same_questions(kind: str) -> None:
    release = RELEASES[kind]()
    assert isinstance(release, Release)
    assert release.transformation.kind == kind
    rows = release.to_pandas()
    assert tuple(rows.columns) == release.columns
    assert len(rows) == release.records
    assert kind in repr(release) or kind == "recoding"


def test_what_only_a_recoding_has_is_its_transformation_s() -> None:
    release = recoded()
    assert release.levels == release.transformation.levels == {"age": 0}
    assert release.suppressed == 0
    assert release.metrics["loss"] == 0
    assert "k-anonymity" in repr(release)
    assert "60" in str(release._repr_html_())


@pytest.mark.parametrize("kind", [kind for kind in RELEASES if kind != "recoding"])
def test_a_release_that_is_no_recoding_has_no_levels(kind: str) -> None:
    release = RELEASES[kind]()
    assert not hasattr(release, "levels")
    assert not hasattr(release, "metrics")
    assert all(name in release._repr_html_() for name in release.columns)


def test_a_copy_is_a_release_and_a_misspelt_attribute_is_none() -> None:
    release = recoded()
    assert copy.copy(release).levels == release.levels
    with pytest.raises(AttributeError, match="level"):
        _ = release.level
