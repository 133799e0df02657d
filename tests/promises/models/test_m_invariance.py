"""m-invariance: of one release, and of a series."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import cobogo as cb
from cobogo.errors import DataError, NoSolution, OutputError, PolicyError
from cobogo.promises.models import Classes, Domain, Histogram, Monotone
from cobogo.promises.models.check import check
from cobogo.promises.models.m_invariance import MInvariance, changed_classes
from cobogo.release.series import ReleaseSeries
from support import random_tables as tables
from support.effort import examples
from support.random_tables import row

pytestmark = pytest.mark.slow

records = st.lists(st.tuples(st.sampled_from(["x", "y", "z", "w", None]), st.integers(0, 4)), min_size=1, max_size=12)


def classes_of(values: Sequence[str | None], owners: Sequence[int]) -> Classes:
    return tables.classes(replace(row(s=values), sensitive={"s": tuple(values)}), owners)[1]


@settings(deadline=None, max_examples=examples(200))
@given(found=records, m=st.integers(1, 4))
def test_a_class_holds_m_people_with_different_values(found: list[tuple[str | None, int]], m: int) -> None:
    groups: dict[int, list[str | None]] = {}
    for value, owner in found:
        groups.setdefault(owner, []).append(value)
    classes = classes_of(*zip(*found, strict=True))
    model = MInvariance("s", m, missing="value")
    expected = [len(group) >= m and max(Counter(group).values()) == 1 for group in groups.values()]
    assert model.holds(classes, model.measure(classes)).tolist() == expected


def test_it_is_not_monotone() -> None:
    """Two classes of the same two values are fine apart, and one class with each value twice together."""
    model = MInvariance("s", 2)
    assert model.monotone is Monotone.NO
    assert check([model], classes_of("xyxy", [1, 1, 2, 2]))[0].satisfied
    assert not check([model], classes_of("xyxy", [1, 1, 1, 1]))[0].satisfied


def test_null_and_nothing() -> None:
    model = MInvariance("s", 2)
    assert model.measure(classes_of([None, "x"], [1, 1])).tolist() == [1]
    assert model.measure(classes_of([None, None], [1, 1])).tolist() == [0]
    assert MInvariance("s", 2, missing="value").measure(classes_of([None, "x"], [1, 1])).tolist() == [2]
    nothing = classes_of("xy", [1, 1]).where(np.zeros(1, dtype=bool))
    assert check([model], nothing)[0].satisfied


@pytest.mark.parametrize("m", [0, 1.5, True, "2"])
def test_parameters(m: object) -> None:
    with pytest.raises(ValueError, match="The 'm' parameter of m-invariance must be"):
        MInvariance("s", m)  # type: ignore[arg-type]


def clinic(*rows: tuple[str | None, str, str]) -> pa.Table:
    """Who, from where, with what."""
    names = ("who", "zip", "illness")
    return pa.table({name: pa.array([row[n] for row in rows], pa.string()) for n, name in enumerate(names)})


def policy(previous: Path | None = None, m: int = 2, **data: Any) -> dict[str, Any]:
    model = {"model": "m-invariance", "m": m} | ({} if previous is None else {"previous": str(previous)})
    return {
        "data": {"unit": "who"} | data,
        "attributes": {
            "who": {"role": "identifier"},
            "zip": {"role": "quasi-identifier", "hierarchy": {"mask": "right"}},
            "illness": {"role": "sensitive"},
        },
        "privacy": {"models": [model]},
    }


FIRST = clinic(("ann", "11", "flu"), ("bob", "11", "cough"), ("eve", "12", "ulcer"), ("joe", "12", "gastritis"))


def test_the_attack_that_it_is_about(tmp_path: Path) -> None:
    """Bob left. Ann beside Ida would share nothing with her first class but the flu; one class more general will not
    do either, so she is not released at all."""
    cb.anonymize(FIRST, policy()).write(tmp_path / "first")
    second = clinic(("ann", "11", "flu"), ("ida", "11", "fever"), ("eve", "12", "ulcer"), ("joe", "12", "gastritis"))
    alone = cb.anonymize(second, policy())
    assert (alone.levels, alone.suppressed) == ({"zip": 0}, 0), "by itself it is fine"
    with pytest.raises(NoSolution):
        cb.anonymize(second, policy(tmp_path / "first"))
    allowed = policy(tmp_path / "first") | {"recoding": {"suppression-limit": 0.5}}
    release = cb.anonymize(second, allowed)
    assert (release.levels, release.suppressed) == ({"zip": 0}, 2)
    release.write(tmp_path / "second")
    assert cb.verify(tmp_path / "second")


def test_who_keeps_the_values_may_change_company_and_who_comes_back_is_remembered(tmp_path: Path) -> None:
    cb.anonymize(FIRST, policy()).write(tmp_path / "1")
    away = clinic(("ann", "11", "flu"), ("kai", "11", "cough"), ("joe", "12", "gastritis"), ("lea", "12", "ulcer"))
    cb.anonymize(away, policy(tmp_path / "1")).write(tmp_path / "2")
    assert cb.verify(tmp_path / "2")
    back = clinic(("bob", "21", "cough"), ("max", "21", "flu"))
    cb.anonymize(back, policy(tmp_path / "2")).write(tmp_path / "3")
    assert cb.verify(tmp_path / "3")
    elsewhere = clinic(("bob", "21", "cough"), ("max", "21", "fever"))
    with pytest.raises(NoSolution):
        cb.anonymize(elsewhere, policy(tmp_path / "2"))


def test_verification_looks_back_too(tmp_path: Path) -> None:
    """The release is as it was; what came before is another."""
    cb.anonymize(FIRST, policy()).write(tmp_path / "first")
    cb.anonymize(FIRST, policy(tmp_path / "first")).write(tmp_path / "second")
    evidence = tmp_path / "first" / "evidence" / "evidence.json"
    kept = json.loads(evidence.read_text())
    assert not [name for name in ("ann", "bob", "eve", "joe") if f'"{name}"' in evidence.read_text()]
    kept["series"]["signatures"]["illness"]["values"][0] = ["flu", "fever"]
    evidence.write_text(json.dumps(kept))
    verdict = cb.verify(tmp_path / "second")
    assert not verdict
    assert verdict.models[0].measured == 0
    kept["series"]["key"] = "00" * 32
    evidence.write_text(json.dumps(kept))
    assert "another series" in str(cb.verify(tmp_path / "second").problems)
    evidence.unlink()
    with pytest.raises(OutputError, match="previous release"):
        cb.verify(tmp_path / "second")
    public = (tmp_path / "second" / "public" / "manifest.json").read_text()
    assert str(tmp_path) not in public
    alone = cb.verify(tmp_path / "second" / "public")
    assert alone
    assert alone.undecided == alone.models, "only the evidence tells whom earlier ones spoke of"


def test_what_a_series_needs(tmp_path: Path) -> None:
    cb.anonymize(FIRST, policy()).write(tmp_path / "first")
    with pytest.raises(DataError, match="several records") as refused:
        cb.anonymize(pa.concat_tables([FIRST, FIRST]), policy())
    assert "ann" not in str(refused.value)
    with pytest.raises(PolicyError, match="identifies people"):
        cb.anonymize(FIRST, policy(tmp_path / "first", unit=None))
    with pytest.raises(OutputError, match="not there"):
        cb.anonymize(FIRST, policy(tmp_path / "nowhere"))
    cb.anonymize(FIRST, policy(unit=None)).write(tmp_path / "nameless")
    with pytest.raises(OutputError, match="does not identify its people"):
        cb.anonymize(FIRST, policy(tmp_path / "nameless"))


def test_pseudonyms_are_stable_under_a_key_and_tell_nothing_without() -> None:
    one, other = ReleaseSeries(b"key"), ReleaseSeries(b"other")
    assert one.pseudonym("ann") == ReleaseSeries(b"key").pseudonym("ann")
    assert len({one.pseudonym("ann"), other.pseudonym("ann"), one.pseudonym("bob")}) == 3
    assert "ann" not in str(one.pseudonym("ann"))
    assert one.pseudonym(None) is None
    assert ReleaseSeries().key != ReleaseSeries().key


people = st.dictionaries(st.sampled_from("ABCDEF"), st.integers(0, 2), min_size=1)


@settings(deadline=None, max_examples=examples(150))
@given(before=st.lists(people, max_size=3), after=people, data=st.data())
def test_the_classes_that_hold_somebody_who_changed(
    before: list[dict[str, int]], after: dict[str, int], data: st.DataObject
) -> None:
    """By the definition: somebody's last set of values, in whichever release that was, is not that of the class."""
    values = {person: data.draw(st.sampled_from(["x", "y", None])) for person in "ABCDEF"}
    names = sorted(values)
    series, last = ReleaseSeries(), {}
    for release in before:
        told = crowd_of(release, values, names)
        series = ReleaseSeries.from_json(
            json.loads(json.dumps(series.add_release([MInvariance("s", 1, missing="value")], told, names).to_json()))
        )
        last |= {who: {values[x] for x in release if release[x] == release[who]} for who in release}
    found = crowd_of(after, values, names)
    assert found.people is not None
    expected = []
    for place in sorted(set(after.values())):
        crowd = [who for who in after if after[who] == place]
        here = {values[who] for who in crowd}
        expected.append(any(last.get(who, here) != here for who in crowd))
    assert changed_classes(series.earlier("s", names), found.people, found.histograms["s"]).tolist() == expected


def crowd_of(release: dict[str, int], values: dict[str, str | None], names: list[str]) -> Classes:
    """A release as classes, with the people of each."""
    order = [who for place in sorted(set(release.values())) for who in sorted(release) if release[who] == place]
    classes = classes_of([values[who] for who in order], [release[who] for who in order])
    sets = Histogram(
        np.concatenate([[0], np.cumsum(classes.sizes)]),
        np.array([names.index(who) for who in order], dtype=np.int32),
        np.ones(len(order), dtype=np.int64),
        Domain("people", (), np.zeros(len(names), dtype=np.int64)),
    )
    return replace(classes, people=sets)
