"""What leaves the house tells of the released rows and of nobody else, and a receiver can check it."""

from __future__ import annotations

import csv
import hashlib
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import cobogo as cb
from cobogo.release.evidence import own_hash
from support.commands import cobogo

pytestmark = pytest.mark.slow

Row = tuple[str, str, str, str]  # person, city, pay, disease

KEPT: list[Row] = [
    (f"p{city}{place}", city, pay, disease)
    for city, sick in (("Sobral", 4), ("Crato", 8))
    for place, (pay, disease) in enumerate(
        [("1000", "flu")] * (12 - sick) + [("2000", "hiv")] * (sick // 2) + [("3000", "gout")] * (sick // 2)
    )
]
"""Two classes of twelve, which every model below admits."""

SUPPRESSED: list[list[Row]] = [
    [],
    [("q1", "Icó", "1000", "flu")],
    [("q1", "Icó", "9000", "hiv"), ("q2", "Iguatu", "3000", "gout"), ("q3", "Jati", "1000", "gout")],
]
"""Those whom no release shows: nobody, one or three people who are alone in their city."""

TREE = {"infection": ["flu", "hiv"], "other": ["gout"]}

MODELS: list[dict[str, Any]] = [
    {"model": "k-anonymity", "k": 5},
    {"model": "l-diversity", "attribute": "disease", "l": 2},
    {"model": "l-diversity", "attribute": "disease", "l": 1.5, "kind": "entropy"},
    {"model": "l-diversity", "attribute": "disease", "l": 2, "kind": "recursive", "c": 9},
    {"model": "t-closeness", "attribute": "disease", "t": 0.9},
    {"model": "t-closeness", "attribute": "disease", "t": 0.9, "distance": "hierarchical"},
    {"model": "t-closeness", "attribute": "pay", "t": 0.9, "distance": "ordered"},
    {"model": "beta-likeness", "attribute": "disease", "beta": 50.0},
    {"model": "realistic-epsilon-privacy", "attribute": "disease", "epsilon": 50.0, "stubbornness": 1.0},
    {
        "model": "realistic-epsilon-privacy",
        "attribute": "disease",
        "epsilon": 50.0,
        "stubbornness": 1.0,
        "prior": "any",
    },
    {"model": "delta-disclosure", "attribute": "disease", "delta": 9.0},
    {"model": "alpha-k-anonymity", "attribute": "disease", "alpha": 0.9, "k": 5},
    {"model": "p-sensitive-k-anonymity", "attribute": "disease", "p": 2, "k": 5},
    {"model": "t-corruption", "attribute": "disease", "t": 1, "l": 1.1},
    {"model": "k-e-anonymity", "attribute": "pay", "k": 2, "e": 100},
    {"model": "epsilon-m-anonymity", "attribute": "pay", "epsilon": 1, "m": 1},
    {"model": "c-k-safety", "attribute": "disease", "c": 1.0, "k": 0},
    {"model": "highest-risk", "max": 0.2},
    {"model": "average-risk", "max": 0.5},
    {"model": "k-map", "k": 5, "population-size": 1000},
    {"model": "k-m-anonymity", "attribute": "disease", "k": 2, "m": 1},
    {"model": "injector", "attribute": "disease", "l": 1, "min-support": 50},
    {"model": "b-t-privacy", "attribute": "disease", "b": 0.5, "t": 1.0},
]
NEVER_TOLD = {"injector", "b-t-privacy"}
"""What these measure depends on the original tuples."""


def policy(models: list[dict[str, Any]], *, top: int = 0, **more: Any) -> dict[str, Any]:
    return {
        "attributes": {
            "person": {"role": "identifier"},
            "city": {"role": "quasi-identifier", "max-level": top},
            "pay": {"role": "sensitive"},
            "disease": {"role": "sensitive", "hierarchy": {"tree": TREE, "top": True}},
        },
        "privacy": {"models": models},
        "recoding": {"suppression-limit": 0.5, **more.pop("recoding", {})},
        **more,
    }


def release(people: list[Row], rules: dict[str, Any], directory: Path) -> Path:
    names = ("person", "city", "pay", "disease")
    table = pa.table({name: [row[place] for row in people] for place, name in enumerate(names)})
    assert cb.anonymize(table, rules).write(directory)
    return directory


def rows(directory: Path) -> list[tuple[str, ...]]:
    with (directory / "public/release.csv").open(encoding="utf-8", newline="") as file:
        return sorted(map(tuple, csv.reader(file)))


def told(directory: Path) -> tuple[dict[str, Any], str]:
    """All that is public but for the rows themselves, and their hash, which is that of a random order."""
    content = json.loads((directory / "public/manifest.json").read_text(encoding="utf-8"))
    del content["files"]
    return content, (directory / "public/dictionary.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    "more",
    [
        {},
        {"recoding": {"algorithm": "local"}},
        {"output": {"suppressed": "star"}},
        {"data": {"unit": "person"}},
    ],
    ids=["recoding", "local", "star", "people"],
)
def test_public_is_a_function_of_the_released_rows_and_the_policy(more: dict[str, Any], tmp_path: Path) -> None:
    """Whoever was suppressed, with whatever value, the same rows are released with the same words and figures."""
    models = MODELS
    if "recoding" in more or "output" in more:  # the original tuples, and the table as a whole, are not looked at
        models = [m for m in MODELS if m["model"] not in {*NEVER_TOLD, "c-k-safety", "average-risk", "k-map"}]
    if "data" in more:
        models = [m for m in MODELS if m["model"] not in NEVER_TOLD]
    outs = [
        release([*KEPT, *gone], policy(models, **more), tmp_path / str(number))
        for number, gone in enumerate(SUPPRESSED)
    ]
    if "data" in more:  # somebody has two records, in the same class and with the same value
        outs.append(release([*KEPT[:-1], ("pCrato0", *KEPT[-1][1:])], policy(models, **more), tmp_path / "twice"))
    assert len({str(rows(out)) for out in outs}) == 1, "nothing else is compared"
    first = told(outs[0])
    for out in outs[1:]:
        assert told(out) == first


def test_figures_that_compare_with_the_whole_table_are_those_of_the_released_rows(tmp_path: Path) -> None:
    out = release([*KEPT, *SUPPRESSED[2]], policy(MODELS), tmp_path / "out")
    figures = {
        (entry["model"], entry.get("distance"), entry.get("kind")): entry.get("measured")
        for entry in told(out)[0]["models"]
    }
    assert figures["t-closeness", "equal", None] == pytest.approx(1 / 6)  # of 12, 8 and 4 have the flu
    assert figures["beta-likeness", None, "basic"] == pytest.approx(1 / 3)  # a third instead of a quarter
    kept = json.loads((out / "evidence/report.json").read_text(encoding="utf-8"))["models"]
    inside = {(entry["model"], entry.get("distance")): entry["measured"] for entry in kept}
    assert inside["t-closeness", "equal"] != pytest.approx(1 / 6), "the evidence has the distance to the whole table"
    for name in NEVER_TOLD:
        assert figures[name, None, None] is None


UNEVEN: list[Row] = [
    *((f"a{n}", "Sobral", "1", ("flu", "hiv")[n % 2]) for n in range(20)),
    *((f"b{n}", "Crato", "1", "flu") for n in range(4)),
    *((f"c{n}", f"alone {n}", "1", "flu") for n in range(10)),
]
"""Against the table, of whom 24 of 34 have the flu, Crato is at 10/34; against the released 14 of 24, at 10/24."""

CLOSE = [{"model": "k-anonymity", "k": 3}, {"model": "t-closeness", "attribute": "disease", "t": 0.3}]


@pytest.fixture(scope="module")
def uneven(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return release(UNEVEN, policy(CLOSE), tmp_path_factory.mktemp("uneven") / "out")


@pytest.fixture
def out(uneven: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(uneven, tmp_path / "out"))


class TestAtTheReceivers:
    def test_a_genuine_release_is_not_refused(self, out: Path) -> None:
        cobogo("verify", out, cwd=out)
        cobogo("verify", out, "--strict", cwd=out)
        said = cobogo("verify", out / "public", cwd=out)
        line = next(line for line in said.splitlines() if line.startswith("t-closeness"))
        assert line.endswith("?")
        assert next(line for line in said.splitlines() if line.startswith("k-anonymity")).endswith("✓")
        assert "does NOT hold" not in said
        cobogo("verify", out / "public", "--strict", cwd=out, code=1)
        found = json.loads(cobogo("verify", out / "public", "--json", cwd=out))
        assert (found["holds"], found["undecided"]) == (True, 1)
        assert [model["satisfied"] for model in found["models"]] == [True, None]

    def test_nor_is_one_that_counts_people(self, tmp_path: Path) -> None:
        models = [{"model": "k-anonymity", "k": 5}, {"model": "l-diversity", "attribute": "disease", "l": 2}]
        out = release(KEPT, policy(models, data={"unit": "person"}), tmp_path / "out")
        verdict = cb.verify(out / "public")
        assert verdict
        assert [found.undecided for found in verdict.models] == [True, False], "values are the same of both"
        assert not cb.verify(out).undecided
        change(out, lambda content: content["models"][0].update(k=13))
        assert not cb.verify(out / "public"), "there are no more people than records"

    def test_nor_one_that_looks_at_what_is_not_released(self, tmp_path: Path) -> None:
        models = [m for m in MODELS if m["model"] in {"k-anonymity", *NEVER_TOLD}]
        verdict = cb.verify(release(KEPT, policy(models), tmp_path / "out") / "public")
        assert verdict
        assert [found.model.name for found in verdict.undecided] == ["injector", "b-t-privacy"]

    def test_one_that_guards_wishes_is_undecided_too(self, tmp_path: Path) -> None:
        rules = policy([{"model": "k-anonymity", "k": 5}, {"model": "personalized", "guard": "person", "p": 0.9,
                        "attribute": "disease"}])  # fmt: skip
        people = [("infection" if n % 3 else "", *row[1:]) for n, row in enumerate(KEPT)]
        rules["data"] = {"missing": [""]}
        out = release(people, rules, tmp_path / "out")
        assert cb.verify(out)
        assert [found.model.name for found in cb.verify(out / "public").undecided] == ["personalized"]


def change(out: Path, how: Callable[[dict[str, Any]], None], file: str = "public/manifest.json") -> None:
    content = json.loads((out / file).read_text(encoding="utf-8"))
    how(content)
    (out / file).write_text(json.dumps(content, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


def forge(out: Path, how: Callable[[dict[str, Any]], None]) -> None:
    """Change the evidence, and everything that would tell of it."""

    def whole(content: dict[str, Any]) -> None:
        how(content)
        content["manifest-sha256"] = hashlib.sha256((out / "public/manifest.json").read_bytes()).hexdigest()
        content["sha256"] = own_hash(content)

    change(out, whole, "evidence/evidence.json")


class TestForgeries:
    @pytest.mark.parametrize("figure", [0.01, None, "inf"])
    def test_a_figure(self, out: Path, figure: Any) -> None:
        change(out, lambda content: content["models"][1].update(measured=figure))
        forge(out, lambda _: None)
        assert not cb.verify(out)
        assert not cb.verify(out / "public")

    def test_a_figure_that_does_not_follow_from_the_rows(self, tmp_path: Path) -> None:
        models = [m for m in MODELS if m["model"] in {"k-anonymity", "injector"}]
        out = release(KEPT, policy(models), tmp_path / "out")
        change(out, lambda content: content["models"][1].update(measured=3))
        assert not cb.verify(out / "public")

    def test_evidence_changed(self, out: Path) -> None:
        change(out, lambda content: content.update(star=True), "evidence/evidence.json")
        assert not cb.verify(out)

    def test_evidence_that_asks_for_less(self, out: Path) -> None:
        forge(out, lambda content: content["policy"]["privacy"]["models"][0].update(k=1))
        verdict = cb.verify(out)
        assert not verdict
        assert any("k-anonymity (k = 3)" in problem for problem in verdict.problems)

    def test_a_manifest_that_states_less_or_more(self, out: Path) -> None:
        forge(out, lambda content: content["policy"]["privacy"]["models"].pop())
        assert not cb.verify(out)
        change(out, lambda content: content["models"].pop())
        forge(out, lambda content: content["policy"]["privacy"]["models"].append(CLOSE[1]))
        assert not cb.verify(out)

    def test_other_roles_and_levels(self, out: Path) -> None:
        forge(out, lambda content: content["policy"]["attributes"]["pay"].update(role="non-sensitive"))
        assert not cb.verify(out)
        forge(out, lambda content: content["policy"]["attributes"]["pay"].update(role="sensitive"))
        assert cb.verify(out)
        forge(out, lambda content: content["levels"].update(city=1))
        assert not cb.verify(out)

    def test_a_release_of_nobody(self, out: Path) -> None:
        (out / "public/release.csv").write_text("city,pay,disease\n")
        raw = (out / "public/release.csv").read_bytes()
        entry = {"sha256": hashlib.sha256(raw).hexdigest(), "bytes": len(raw)}

        def empty(content: dict[str, Any]) -> None:
            content["files"]["release.csv"] = entry
            content["data"]["records"] = 0
            for model in content["models"]:
                model["measured"] = None

        change(out, empty)
        assert not cb.verify(out / "public")

    @pytest.mark.parametrize("name", ["../../secret.csv", "/etc/hosts.csv"])
    def test_a_file_elsewhere_is_not_read(self, out: Path, name: str) -> None:
        def move(content: dict[str, Any]) -> None:
            content["data"]["file"] = name
            content["files"][name] = content["files"].pop("release.csv")

        change(out, move)
        with pytest.raises(cb.CobogoError, match="outside of the release"):
            cb.verify(out / "public")


def test_an_attacker_takes_who_answered_to_have_a_value(tmp_path: Path) -> None:
    """Of {flu, flu, missing} two are known to have the flu; a policy may still take a missing value for one."""
    people = [(f"p{n}", "Sobral", "1", disease) for n, disease in enumerate(["flu", "flu", ""] * 2)]
    rules = policy([{"model": "l-diversity", "attribute": "disease", "l": 2, "missing": "value"}])
    out = release(people, rules, tmp_path / "out")
    assert cb.attack("homogeneity", out, attribute="disease").highest == 1
    assert cb.verify(out / "public")
    with pytest.raises(cb.CobogoError):
        release(people, policy([{"model": "l-diversity", "attribute": "disease", "l": 2}]), tmp_path / "other")
