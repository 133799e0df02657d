"""Every method from policy to verification: what it promises is measured again, and what is changed is told."""

from __future__ import annotations

import contextlib
import copy
import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import cobogo as cb
from cobogo.errors import DataError, NoSolution, PolicyError, SearchTooLarge, VerificationFailed
from cobogo.publish.randomize.make import METHODS
from cobogo.release import manifest
from cobogo.release.contract import Written
from cobogo.release.readback import open_released_rows
from cobogo.release.verify import check_drawn_rows
from support.randomized_tables import ASKED, OF_TABLE, RHO, N, policy, table

pytestmark = pytest.mark.slow


def test_every_method_is_tried() -> None:
    assert METHODS.keys() == ASKED.keys()


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("methods")
    for method in METHODS:
        assert cb.perturb(table(), policy(method)).write(home / method), method
    return home


@pytest.mark.parametrize("method", METHODS)
def test_it_verifies_with_its_evidence_and_without(method: str, written: Path) -> None:
    verdict = cb.verify(written / method)
    assert verdict, verdict.problems
    assert [v.satisfied for v in verdict.models] == [True] * len([m for m in ASKED[method] if "k" not in m])
    assert cb.verify(written / method / "public"), "the public part alone"
    assert manifest.load(written / method / "public").transformation["method"] == method
    text = (written / method / "public" / "manifest.json").read_text()
    assert "seed" not in text
    assert "p17" not in text


@pytest.mark.parametrize("method", METHODS)
def test_other_parameters_than_were_used_are_found_out(method: str, written: Path, tmp_path: Path) -> None:
    """The manifest claims a retention that the values cannot have been drawn with, or that does not protect."""
    stated = manifest.load(written / method / "public")
    parameters = json.loads(json.dumps(stated.transformation))
    loose = "999/1000"
    if "drawn" in parameters:
        for part in parameters["drawn"]:
            size = part["size"]
            part.pop("columns", None)
            part |= {"operator": "uniform", "size": size, "retention": "999999/1000000"}
    elif "parts" in parameters:
        parameters["parts"][0]["retention"] = loose
    elif "alpha" in parameters:
        parameters |= {"alpha": "9/10", "beta": "1/1000"}
    else:
        parameters["retention"] = loose
    public = tmp_path / "public"
    public.mkdir()
    for file in (written / method / "public").iterdir():
        (public / file.name).write_bytes(file.read_bytes())
    stated.model_copy(update={"transformation": parameters}).write(public)
    assert not cb.verify(public) or method in ("fine-grain", "value-dependent")  # which the evidence alone can tell
    (tmp_path / "evidence").mkdir()
    for file in (written / method / "evidence").rglob("*"):
        target = tmp_path / "evidence" / file.relative_to(written / method / "evidence")
        target.mkdir() if file.is_dir() else target.write_bytes(file.read_bytes())
    problems = [p for p in cb.verify(tmp_path).problems if "its hash differs" not in p]
    assert problems or not all(v.satisfied for v in cb.verify(tmp_path).models)


@pytest.mark.parametrize("method", METHODS)
def test_a_damaged_statement_is_a_failed_verification(method: str, written: Path, tmp_path: Path) -> None:
    stated = manifest.load(written / method / "public")
    for file in (written / method / "public").iterdir():
        (tmp_path / file.name).write_bytes(file.read_bytes())
    for damage in ({"method": method}, {**stated.transformation, "method": "none"}, {"entropy": "operating system"}):
        stated.model_copy(update={"transformation": damage}).write(tmp_path)
        with contextlib.suppress(VerificationFailed):
            assert not cb.verify(tmp_path)


def leaves(content: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The places of a statement, of lists the first entries only."""
    if path:
        yield path
    entries = content.items() if isinstance(content, dict) else enumerate(content) if isinstance(content, list) else ()
    for key, value in entries:
        if not isinstance(key, int) or key == 0:
            yield from leaves(value, (*path, key))


@pytest.mark.parametrize("method", METHODS)
def test_no_statement_however_strange_is_more_than_a_failed_verification(method: str, written: Path) -> None:
    stated = manifest.load(written / method / "public")
    rows = open_released_rows(written / method / "public" / "release.csv", stated)
    for path in leaves(stated.transformation):
        for strange in (None, "1/0", -1, []):
            changed = copy.deepcopy(stated.transformation)
            place = changed
            for key in path[:-1]:
                place = place[key]
            place[path[-1]] = strange
            with contextlib.suppress(VerificationFailed, DataError):
                check_drawn_rows(Written(stated.model_copy(update={"transformation": changed}), rows, stated.models))


def test_a_sensitive_column_that_nothing_was_done_to_is_told(written: Path, tmp_path: Path) -> None:
    stated = manifest.load(written / "uniform" / "public")
    for file in (written / "uniform" / "public").iterdir():
        (tmp_path / file.name).write_bytes(file.read_bytes())
    nothing = {**stated.transformation, "drawn": []}
    stated.model_copy(update={"transformation": nothing, "models": ()}).write(tmp_path)
    verdict = cb.verify(tmp_path)
    assert not verdict
    assert any("released unchanged" in problem for problem in verdict.problems)
    assert any("no guarantee" in note for note in verdict.notes)


def test_parts_are_not_signed_for_the_promise_whose_downward_half_they_break(written: Path) -> None:
    whole = policy("small-domain") | {"privacy": {"models": [OF_TABLE]}}
    assert len(manifest.load(written / "small-domain" / "public").transformation["parts"]) > 1
    assert not cb.verify(written / "small-domain", policy=whole)
    assert len(cb.perturb(table(), whole).transformation.parts) == 1


def test_models_that_are_no_guarantees_are_not_passed_over(written: Path) -> None:
    def asked(method: str, k: int) -> dict[str, Any]:
        return policy(method) | {"privacy": {"models": [{"model": "k-anonymity", "k": k}]}}

    assert not cb.verify(written / "uniform", policy=asked("uniform", 2))
    groups = "perturbed-generalization"
    assert cb.verify(written / groups, policy=policy(groups) | {"privacy": {"models": ASKED[groups]}})
    assert not cb.verify(written / groups, policy=asked(groups, 50))


@pytest.mark.parametrize("method", ["uniform", "warner", "fine-grain", "value-dependent", "small-domain"])
def test_only_the_sensitive_attribute_changes(method: str, written: Path) -> None:
    rows = (written / method / "public" / "release.csv").read_text().splitlines()[1:]
    before = Counter(zip(table()["age"].to_pylist(), table()["city"].to_pylist(), strict=True))
    assert Counter(tuple(row.split(",")[:2]) for row in rows) == before


def test_a_set_has_no_duplicates_and_says_what_a_person_risks(written: Path) -> None:
    rows = (written / "alpha-beta" / "public" / "release.csv").read_text().splitlines()[1:]
    assert len(rows) == len(set(rows))
    report = json.loads((written / "alpha-beta" / "evidence" / "report.json").read_text())
    assert report["posterior"] == pytest.approx(0.3)
    assert report["person-posterior"] > 0.7
    assert "one sensitive value" in cb.verify(written / "alpha-beta").notes[0]
    copy = written / "alpha-beta" / "public" / "release.csv"
    text = copy.read_text()
    try:
        copy.write_text(text + rows[0] + "\n")
        assert any("twice" in problem for problem in cb.verify(written / "alpha-beta").problems)
    finally:
        copy.write_text(text)


def test_domains_of_the_data_are_worth_a_warning() -> None:
    ages, diseases = [str(n) for n in range(20, 60)], [f"d{n}" for n in range(8)]
    domains = {"age": ages, "city": ["Sobral", "Crato", "Caucaia", "Icó"], "disease": diseases}
    for method in ("alpha-beta", "gamma-diagonal"):
        assert any("those of the data" in w for w in cb.perturb(table(), policy(method)).warnings)
        listed = cb.perturb(table(), policy(method, domains=domains))
        assert not any("those of the data" in w for w in listed.warnings)
        assert "Icó" in listed.to_arrow()["city"].to_pylist()


def test_groups_have_one_record_each_of_at_least_k(written: Path) -> None:
    rows = [
        row.split(",") for row in (written / "perturbed-generalization/public/release.csv").read_text().splitlines()
    ]
    assert rows[0] == ["age", "city", "disease", "group_size"]
    assert len({tuple(row[:2]) for row in rows[1:]}) == len(rows) - 1
    assert min(int(row[3]) for row in rows[1:]) >= 5
    assert sum(int(row[3]) for row in rows[1:]) == N


def test_fine_grain_retains_more_than_uniform_for_the_same_numbers(written: Path) -> None:
    def retained(method: str) -> float:
        return json.loads((written / method / "evidence" / "report.json").read_text())["retained"]

    assert retained("fine-grain") > retained("value-dependent") > 0
    assert retained("fine-grain") > float(
        cb.perturb(table(), policy("uniform")).transformation.drawn[0].operator.retention
    )


def test_several_attributes_share_what_is_allowed(tmp_path: Path) -> None:
    asked = policy("uniform")
    asked["attributes"]["smokes"] = {"role": "sensitive"}
    asked["privacy"]["models"] = [{"model": "gamma-amplification", "gamma": 9}]
    apart = cb.perturb(table(), asked)
    gammas = [part.operator.amplification for part in apart.transformation.drawn]
    assert gammas == pytest.approx([3, 3])
    assert apart.write(tmp_path / "apart")
    asked["randomization"]["joint"] = True
    joint = cb.perturb(table(), asked)
    (part,) = joint.transformation.drawn
    assert part.operator.size == 18
    assert part.operator.amplification == pytest.approx(9)
    assert joint.write(tmp_path / "joint")
    assert cb.verify(tmp_path / "joint")


def test_people_with_several_records_are_drawn_several_times() -> None:
    asked = policy("uniform")
    asked["data"] = {"unit": "name"}
    rows = table().to_pydict()
    rows["name"] = [f"p{n // 3}" for n in range(N)]
    asked["privacy"]["models"] = [{"model": "gamma-amplification", "gamma": 8}]
    made = cb.perturb(pa.table(rows), asked).transformation
    assert made.records_per_person == 3
    assert made.drawn[0].operator.amplification == pytest.approx(2)


@pytest.mark.parametrize(
    ("method", "models", "error", "word"),
    [
        ("uniform", None, PolicyError, "neither"),
        ("fine-grain", [RHO], PolicyError, "table"),
        ("alpha-beta", [RHO], PolicyError, "d, γ"),
        ("perturbed-generalization", [{"model": "delta-growth", "delta": 0.2}], PolicyError, "k-anonymity"),
        ("alpha-beta", [{"model": "d-gamma-privacy", "d": 0.05, "gamma": 0.3}], SearchTooLarge, "invented"),
    ],
)
def test_what_a_method_cannot_do_is_refused(method: str, models: Any, error: type[Exception], word: str) -> None:
    asked = policy(method)
    asked["privacy"] = None if models is None else {"models": models}
    if error is SearchTooLarge:
        asked["attributes"]["name"] = {"role": "quasi-identifier"}
        asked["randomization"]["domains"] = {"age": [str(n) for n in range(10**5)]}
        asked["randomization"]["attributes"] = ["age", "disease"]
    with pytest.raises(error, match=word):
        cb.perturb(table(), asked)


def test_a_retention_that_is_too_large_is_refused_before_anything_is_drawn() -> None:
    with pytest.raises(NoSolution, match=r"retention of 0\.9"):
        cb.perturb(table(), policy("uniform", retention=0.9))
    asked = policy("uniform", retention=0.9) | {"privacy": None, "data": {"unit": "name"}}
    rows = table().to_pydict()
    rows["name"] = ["somebody"] * N
    assert cb.perturb(pa.table(rows), asked).transformation.records_per_person == N


def test_many_draws_together_tell_everything(tmp_path: Path) -> None:
    asked = policy("uniform", retention=0.9) | {"privacy": None, "data": {"unit": "name"}}
    rows = table().to_pydict()
    rows["name"] = ["somebody"] * N
    assert cb.perturb(pa.table(rows), asked).write(tmp_path / "out")
    assert json.loads((tmp_path / "out/evidence/report.json").read_text())["amplification"] == "inf"
    assert not cb.verify(tmp_path / "out", policy=asked | {"privacy": {"models": [RHO]}})


def test_a_guarantee_is_no_model_of_a_recoding() -> None:
    with pytest.raises(PolicyError, match=r"cb\.perturb"):
        cb.anonymize(table(), policy("uniform"))


def test_counting_queries_are_compared_at_equal_privacy(tmp_path: Path) -> None:
    release = cb.perturb(table(), policy("uniform") | {"utility": {"queries": 50}, "report": {"language": "pt-BR"}})
    assert release.write(tmp_path / "out")
    found = json.loads((tmp_path / "out/evidence/report.json").read_text())["count-queries"]
    assert found["queries"] == 50
    for name in ("randomization", "generalization", "anatomy"):
        assert 0 <= found[name]["median"] < 2
    mined = json.loads((tmp_path / "out/evidence/report.json").read_text())["mining"]
    assert (mined["original"]["recalled"], mined["original"]["precise"]) == (1.0, 1.0)
    assert mined["corrected"]["accuracy"] > 0.2
    page = (tmp_path / "out/evidence/report.html").read_text()
    assert "anatomia" in page
    assert "<script" not in page
    assert "count-queries" not in (tmp_path / "out/public/manifest.json").read_text()
