"""Every model through the front door: a policy in, a release out, verified with its evidence, and without."""

from __future__ import annotations

import csv
import json
import random
import shutil
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import cobogo as cb
from cobogo.errors import OutputError
from cobogo.promises.models import MODELS
from support.model_strategies import Entry, Values, each_model, needed

pytestmark = pytest.mark.slow

ATTRIBUTES: dict[str, Any] = {
    "name": {"role": "identifier"},
    "age": {"role": "quasi-identifier", "hierarchy": {"intervals": [10, 20], "top": True}},
    "city": {"role": "quasi-identifier"},
    "s": {"role": "sensitive"},
    "n": {"role": "sensitive"},
    "h": {"role": "sensitive", "hierarchy": {"tree": {"P": ["p", "q"], "R": ["r"]}, "top": True}},
    "g": {"role": "sensitive"},
    "u": {"role": "sensitive"},
}


def write_tables(directory: Path) -> None:
    """Eighty people with some values missing, and a population of twice as many, semicolons and decimal commas."""
    source = random.Random(11)
    people, others = [], []
    for number in range(160):
        person = {
            "name": f"person {number}",
            "age": str(source.randint(20, 59)),
            "city": source.choice(["Icó", "Crato", ""]),
        }
        others.append({key: person[key] for key in ("age", "city")})
        if number < 80:
            values = {"s": source.choice("xyz") if number % 9 else "", "n": source.choice(["1,5", "20", "300", ""])}
            values |= {"h": source.choice("pqr"), "g": source.choice(["", "", "p", "P"])}
            people.append({"name": f"person {number}"} | person | values | {"u": f"value {number}"})
    for name, table in (("data.csv", people), ("everybody.csv", others)):
        with (directory / name).open("w", encoding="utf-8", newline="") as stream:
            writer = csv.DictWriter(stream, list(table[0]), delimiter=";")
            writer.writeheader()
            writer.writerows(table)


def policy(*models: dict[str, Any], limit: float = 0.1, **more: Any) -> dict[str, Any]:
    return {
        "data": {"path": "data.csv", "separator": ";", "decimal": ","},
        "attributes": ATTRIBUTES,
        "privacy": {"models": list(models)},
        "recoding": {"suppression-limit": limit},
        **more,
    }


def asked(name: str, entry: Entry) -> dict[str, Any]:
    """A model that the table can satisfy."""
    column = "u" if entry.all_different else entry.values.value
    attribute = {} if entry.values is Values.NONE else {"attribute": column}
    population = {"population": "everybody.csv"} if entry.population else {}
    return {"model": name, **attribute, **population, **(entry.easy or {})}


@each_model
def test_what_is_written_verifies(name: str, entry: Entry | None, tmp_path: Path) -> None:
    """Nothing is suppressed, so all that can be measured in public is what was measured here."""
    entry = needed(name, entry)
    write_tables(tmp_path)
    model = asked(name, entry)
    wanted = cb.Policy.of(policy(model, limit=0.0), home=tmp_path)
    written = cb.anonymize(wanted).write(tmp_path / "out")
    assert written
    measured = [verdict.as_dict()["measured"] for verdict in written.models]

    with_evidence = cb.verify(tmp_path / "out")
    assert with_evidence, with_evidence.as_dict()
    assert [verdict.as_dict()["measured"] for verdict in with_evidence.models] == pytest.approx(measured)
    report = json.loads((tmp_path / "out/evidence/report.json").read_text(encoding="utf-8"))
    assert [found["measured"] for found in report["models"]] == pytest.approx(measured)
    assert [found["model"] for found in report["models"]] == [name]
    assert "everybody" not in (tmp_path / "out/public/manifest.json").read_text(encoding="utf-8")

    public = Path(shutil.copytree(tmp_path / "out/public", tmp_path / "given away"))
    by_policy = cb.verify(public, policy=wanted)
    assert by_policy, by_policy.as_dict()
    assert [verdict.as_dict()["measured"] for verdict in by_policy.models] == pytest.approx(measured)
    if entry.population:
        with pytest.raises(OutputError, match="policy"):
            cb.verify(public)
        return
    alone = cb.verify(public)
    assert alone, alone.as_dict()
    if written.models[0].model.needs_members:
        assert alone.undecided, "who was behind the classes is not told in public"
        assert alone.notes, "and it says so"
    else:
        assert not alone.undecided
        assert [verdict.as_dict()["measured"] for verdict in alone.models] == pytest.approx(measured)


def test_all_models_at_once(tmp_path: Path) -> None:
    """Every model that asks for little, in one policy; but for the blind one, which goes with none of its attribute."""
    from support.model_strategies import STRATEGIES

    write_tables(tmp_path)
    every = [
        asked(name, entry)
        for name in MODELS
        if name != "m-confidentiality"
        for entry in STRATEGIES.get(name, {}).values()
    ]
    wanted = cb.Policy.of(policy(*every, limit=0.3), home=tmp_path)
    release = cb.anonymize(wanted)
    assert len(release.problem.models) == len(every)
    assert release.write(tmp_path / "out")
    verdict = cb.verify(tmp_path / "out")
    assert verdict, verdict.as_dict()
    assert len(verdict.models) == len(every)
    assert cb.verify(tmp_path / "out/public", policy=wanted)


# --- what starring meets ----------------------------------------------------------------------------------------

STARRED: dict[str, Any] = {"output": {"suppressed": "star"}}


def starred(*models: dict[str, Any], directory: Path) -> cb.Release:
    """Classes of four, two and two people, out of eight of each kind; those of two are too small for k = 3."""
    (directory / "everybody.csv").write_text("a\n" + "x\n" * 8 + "y\n" * 8 + "z\n" * 8, encoding="utf-8")
    wanted = {
        "attributes": {"a": {"role": "quasi-identifier", "max-level": 0}},
        "privacy": {"models": [{"model": "k-anonymity", "k": 3}, *models]},
        "recoding": {"suppression-limit": 0.5},
        **STARRED,
    }
    return cb.anonymize(pa.table({"a": list("xxxxyyzz")}), cb.Policy.of(wanted, home=directory))


POPULATIONS: list[dict[str, Any]] = [
    {"model": "delta-presence", "max": 0.5, "population": "everybody.csv"},
    {"model": "k-map", "k": 3, "population": "everybody.csv"},
]


@pytest.mark.parametrize("model", POPULATIONS, ids=lambda model: model["model"])
def test_a_starred_class_is_matched_with_those_it_stands_for(model: dict[str, Any], tmp_path: Path) -> None:
    """Or it is dropped with a warning; but never planned and then refused."""
    release = starred(model, directory=tmp_path)
    assert release.write(tmp_path / "out")
    assert cb.verify(tmp_path / "out")


def test_a_starred_class_counts_in_what_is_true_of_the_whole_table(tmp_path: Path) -> None:
    """One class of four is an average risk of 1/4; with a starred class of two it would be 2/6."""
    wanted = {
        "attributes": {"a": {"role": "quasi-identifier", "max-level": 0}},
        "privacy": {"models": [{"model": "k-anonymity", "k": 2}, {"model": "average-risk", "max": 0.25}]},
        "recoding": {"suppression-limit": 0.4},
        **STARRED,
    }
    release = cb.anonymize(pa.table({"a": list("xxxxyz")}), wanted)
    assert release.write(tmp_path / "out")
    assert cb.verify(tmp_path / "out")


def test_a_starred_value_is_in_the_tree_that_is_given_away(tmp_path: Path) -> None:
    wanted = {
        "attributes": {"a": {"role": "quasi-identifier", "max-level": 0}, "h": ATTRIBUTES["h"]},
        "privacy": {
            "models": [{"model": "k-anonymity", "k": 2}, {"model": "t-closeness", "t": 1, "distance": "hierarchical"}]
        },
        "recoding": {"suppression-limit": 0.4},
        **STARRED,
    }
    release = cb.anonymize(pa.table({"a": list("xxxxyz"), "h": list("pqpqrr")}), wanted)
    assert release.write(tmp_path / "out")
    assert cb.verify(tmp_path / "out")
    assert cb.verify(tmp_path / "out/public")


@pytest.mark.parametrize("suppressed", ["star", "drop"])
@each_model
def test_starred_or_dropped_the_release_verifies(
    name: str, entry: Entry | None, suppressed: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where little can be kept otherwise: with k = 6 most would rather suppress than generalize."""
    monkeypatch.setattr("cobogo.tell.report.write.write", lambda *_, **__: None)
    entry = needed(name, entry)
    write_tables(tmp_path)
    models = [{"model": "k-anonymity", "k": 6}, asked(name, entry)]
    content = policy(*models, limit=0.4, output={"suppressed": suppressed})
    assert cb.anonymize(cb.Policy.of(content, home=tmp_path)).write(tmp_path / "out")
    assert cb.verify(tmp_path / "out")
