"""The guide: releases that are alternatives, one to give away, and the attack that two of them invite."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import cobogo as cb
from cobogo.data.policy import Policy
from cobogo.errors import NoSolution, OutputError
from cobogo.studies.guide.results import Guide, GuideCase, cases
from cobogo.studies.guide.run import FEWEST_ROWS, LIMIT, is_guide, run, run_demo

pytestmark = pytest.mark.slow

ROLES = {
    "attributes": {
        "city": {"role": "quasi-identifier", "hierarchy": {"path": "/"}},
        "ill": {"role": "sensitive"},
    }
}


def write_people(path: Path, rows: list[tuple[str, str]]) -> Path:
    pd.DataFrame(rows, columns=["city", "ill"]).to_csv(path, index=False)
    return path


@pytest.fixture
def people(tmp_path: Path) -> Path:
    """Twelve people in two states: in one of them everybody has the same illness."""
    rows = [(f"{n % 3}/CE", ("flu", "cold", "gout")[n % 3]) for n in range(6)]
    return write_people(tmp_path / "people.csv", [*rows, *((f"{n % 3}/PE", "flu") for n in range(6))])


def frame(place: Path, case: GuideCase) -> pd.DataFrame:
    return pd.read_csv(place / f"dados_covid-ce{case.ending}", sep=";", dtype=str)


def test_the_ten_files_hold_what_the_guide_asks_of_them(demo: Any) -> None:
    for case in cases():
        table = frame(demo.place, case)
        assert list(table) == ["localidade", "data_nascimento", "raca_cor"]
        classes = table.groupby(["localidade", "data_nascimento"]).raca_cor
        assert classes.size().min() >= case.k
        assert case.l is None or classes.nunique().min() >= case.l
        released = demo.place / f"releases/{case.name}/public/release.csv"
        assert (demo.place / f"dados_covid-ce{case.ending}").read_bytes() == released.read_bytes()
        assert (demo.place / case.histogram).stat().st_size > 1000


def test_precision_and_class_size_are_the_guides(demo: Any) -> None:
    """Precision by tracked levels of height 2, a suppressed record lost; average size over the released records."""
    for case, report in demo.found.achieved:
        table = frame(demo.place, case)
        kept, lost = len(table) / demo.found.records, sum(report["levels"].values()) / 4
        assert report["metrics"]["precision"] == pytest.approx(kept * (1 - lost))
        classes = len(table.drop_duplicates(["localidade", "data_nascimento"]))
        assert report["classes"]["average"] == pytest.approx(len(table) / classes)


def test_the_one_to_give_away_promises_what_all_promise(demo: Any) -> None:
    chosen = demo.found.chosen
    assert chosen == GuideCase(8, 4)
    assert all(chosen.promises(case) for case, _ in demo.found.achieved)
    public, release = demo.place / "public", demo.place / "releases/8_4/public"
    assert {file.name: file.read_bytes() for file in public.iterdir()} == {
        file.name: file.read_bytes() for file in release.iterdir()
    }
    assert cb.verify(public)


def test_without_suppression_the_guide_achieves_two_anonymity_only(demo: Any) -> None:
    """Its own result: state and year for k = 2, and nothing for 4 and 8, since a year has two people."""
    levels = {case.name: trial.levels for case, trial in demo.found.unsuppressed}
    top = {"localidade": 2, "data_nascimento": 2}
    assert {name: found for name, found in levels.items() if found is not None} == {"2": top, "2_2": top}
    assert [(node.levels, node.smallest) for node in demo.found.nodes if node.smallest > 1] == [((2, 2), 2)]
    assert len(demo.found.nodes) == 9


def test_linking_finds_people_in_the_original_table_and_nobody_in_the_release(demo: Any) -> None:
    original = pd.read_csv(demo.place / "dados_covid-ce.csv", sep=";", dtype=str)
    alone = ~original.duplicated(["localidade", "data_nascimento"], keep=False)
    linkage = demo.found.linkage
    assert linkage[None].exposed == alone.sum()
    assert linkage[demo.found.chosen].exposed == 0
    assert linkage[demo.found.chosen].highest <= 1 / 8


def test_two_of_the_releases_single_out_five_people(demo: Any) -> None:
    """Subtracted by year of birth: in five years one person is left. Without any table of people."""
    pair = demo.found.together
    assert (pair.minuend.name, pair.subtrahend.name) == ("4_4", "2")
    years = {
        case: frame(demo.place, case).data_nascimento.str[-4:].value_counts()
        for case in (pair.minuend, pair.subtrahend)
    }
    left = (years[pair.minuend] - years[pair.subtrahend]).dropna()
    assert sorted(left[left == 1].index) == [one.values[1] for one in pair.remainders]
    assert pair.exposed == 5


def test_the_demo_is_the_guide_on_its_table(tmp_path: Path) -> None:
    """Where the guide has no release within its limit, the demo allows more and says so. The rest is the same."""
    shown = run_demo(tmp_path / "demo", rows=FEWEST_ROWS)
    assert len(shown.achieved) == 10
    page = (tmp_path / "demo/index.html").read_text(encoding="utf-8")
    for result in shown.results:
        assert result.suppressed_share <= result.limit
        assert f"of at most {100 * result.limit:.0f}%" in page
    own = run(tmp_path / "demo/dados_covid-ce.csv", tmp_path / "own")
    for demo, guide in zip(shown.results, own.results, strict=True):
        assert demo.case == guide.case
        assert (guide.report is None) == (demo.limit > LIMIT)
        if guide.report is not None:
            assert guide.report["levels"] == demo.report["levels"]
            assert guide.report["metrics"] == demo.report["metrics"]
    assert not (tmp_path / "own/dados_covid-ce.csv").exists()


def test_what_cannot_be_achieved_is_said_and_a_weaker_release_chosen(people: Path, tmp_path: Path) -> None:
    found = run(people, tmp_path / "out", policy=Policy.of(ROLES), ks=[3, 7], ls=[2], limit=0.0)
    assert [(result.case.name, result.report is None) for result in found.results] == [
        ("3", False), ("3_2", True), ("7", True), ("7_2", True),
    ]  # fmt: skip
    assert found.chosen == GuideCase(3)
    assert (tmp_path / "out/people_3_anonimizado.csv").exists()


def test_other_models_of_the_policy_hold_in_every_release(people: Path, tmp_path: Path) -> None:
    closeness = {"model": "t-closeness", "attribute": "ill", "distance": "equal", "t": 0.9}
    rules = Policy.of({**ROLES, "privacy": {"models": [{"model": "k-anonymity", "k": 5}, closeness]}})
    found = run(people, tmp_path / "out", policy=rules, ks=[2], ls=[2], limit=0.5)
    for case, report in found.achieved:
        asked = {model["model"]: model for model in report["models"]}
        assert asked["k-anonymity"]["k"] == case.k
        assert asked["t-closeness"]["satisfied"]


def test_without_a_sensitive_attribute_there_is_k_alone(people: Path, tmp_path: Path) -> None:
    roles = {"attributes": {**ROLES["attributes"], "ill": {"role": "non-sensitive"}}}
    found = run(people, tmp_path / "out", policy=Policy.of(roles), ks=[2, 3], limit=0.0)
    assert [case.name for case, _ in found.achieved] == ["2", "3"]


def test_a_second_run_replaces_the_first_and_nothing_else(people: Path, tmp_path: Path) -> None:
    def again(ks: list[int]) -> Guide:
        return run(people, tmp_path / "out", policy=Policy.of(ROLES), ks=ks, ls=[2], limit=0.5)

    again([2, 3])
    assert is_guide(tmp_path / "out")
    again([3])
    assert {file.name for file in (tmp_path / "out/releases").iterdir()} == {"3", "3_2"}
    (tmp_path / "out/mine.txt").write_text("mine")
    with pytest.raises(OutputError):
        again([2])
    assert (tmp_path / "out/mine.txt").exists()


@pytest.mark.parametrize("stage", ["release", "attack"])
def test_a_run_that_is_stopped_leaves_nothing_behind(stage: str, people: Path, tmp_path: Path) -> None:
    def stop(now: str, done: int, total: int) -> None:
        if now == stage and (done or stage == "attack"):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run(people, tmp_path / "out", policy=Policy.of(ROLES), ks=[2, 3], limit=0.5, progress=stop)
    assert [file.name for file in tmp_path.iterdir()] == ["people.csv"]


def test_one_person_has_no_release_and_nothing_is_written(tmp_path: Path) -> None:
    with pytest.raises(NoSolution):
        run(write_people(tmp_path / "one.csv", [("1/CE", "flu")]), tmp_path / "out", policy=Policy.of(ROLES))
    assert [file.name for file in tmp_path.iterdir()] == ["one.csv"]


def test_the_table_is_never_in_the_directory_that_is_replaced(people: Path) -> None:
    with pytest.raises(OutputError):
        run(people, people.parent, policy=Policy.of(ROLES))
    assert people.exists()
