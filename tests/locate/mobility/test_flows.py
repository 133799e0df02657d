"""Counts of flows: the law of their noise, and a table that fits them best and adds up.

The release of flows: whole or not at all, verified from its own files, paid for.
"""

from __future__ import annotations

import json
import shutil
from fractions import Fraction
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

import cobogo
from cobogo.errors import BudgetSpent, DataError, LedgerError, PolicyError, VerificationFailed
from cobogo.faces.cli.main import app
from cobogo.locate.mobility.areas import AreaTree, Journeys, add_up
from cobogo.locate.mobility.flows import (
    FlowCounts,
    best_estimates,
    count_flows,
    round_tree,
    round_within,
    shrink_estimates,
)
from cobogo.locate.places.cells import Cells
from cobogo.promises.accounting import PrivacyLoss
from cobogo.promises.ledger import Ledger
from cobogo.release.manifest import NAME, sha256
from cobogo.studies.fortaleza.people import write_people
from support.effort import examples

FALSE_ALARM = 1e-6


def tree(zones: str, cities: str | None = None) -> AreaTree:
    number = len(zones)
    places = Cells(tuple(f"a{n}" for n in range(number)), np.linspace(-38.6, -38.4, number), np.full(number, -3.7))
    return AreaTree.from_columns(places, {"zone": list(zones)} | ({"city": list(cities)} if cities else {}))


def journeys(areas: AreaTree, number: int, seed: int = 1) -> Journeys:
    rng = np.random.default_rng(seed)
    origin, destination = rng.zipf(1.8, (2, number)) % len(areas.places)
    return Journeys(np.arange(number), origin, destination, areas)


def test_noise_has_the_law_that_is_stated_on_every_level() -> None:
    """Discrete Laplace of scale most·levels/ε, by the frequencies of its values."""
    areas = tree("x" * 20 + "y" * 20)
    made = count_flows(journeys(areas, 500), Fraction(1), most=2)
    assert [row["epsilon"] for row in made.costs()] == ["1/2", "1/2"]
    assert [row["scale"] for row in made.costs()] == pytest.approx([4.0, 4.0])
    noise = np.concatenate([count_flows(journeys(areas, 500), Fraction(1), 2).noisy[0] for _ in range(6)])
    noise = noise - np.tile(journeys(areas, 500).counts()[0], 6)
    chances = np.exp(-np.abs(np.arange(-12, 13)) / 4.0)
    chances *= np.tanh(1 / 8.0)  # (1 − p)/(1 + p) for p = e^(−1/4)
    seen = np.array([(noise == value).sum() for value in range(-12, 13)])
    expected = np.append(chances, 1 - chances.sum()) * len(noise)
    assert stats.chisquare(np.append(seen, len(noise) - seen.sum()), expected).pvalue > FALSE_ALARM


@settings(max_examples=examples(30), deadline=None)
@given(st.data())
def test_estimates_are_those_of_least_squares(data: st.DataObject) -> None:
    zones = data.draw(st.text("xyz", min_size=1, max_size=4))
    areas = tree("".join(sorted(zones)))
    noisy = [
        np.array(data.draw(st.lists(st.integers(-50, 50), min_size=len(parent), max_size=len(parent))))
        for parent in areas.pair_parents
    ]
    finest = len(noisy[0])
    sums = np.zeros((len(noisy[1]), finest))
    sums[areas.pair_parents[0], np.arange(finest)] = 1
    variances = data.draw(st.tuples(st.sampled_from([0.5, 1.0, 20.0]), st.sampled_from([0.5, 1.0, 20.0])))
    weight = 1 / np.sqrt(np.repeat(variances, [finest, len(noisy[1])]))
    rows, told = np.vstack([np.eye(finest), sums]) * weight[:, None], np.concatenate(noisy) * weight
    expected = np.linalg.lstsq(rows, told, rcond=None)[0]
    found = best_estimates(noisy, variances, areas)
    assert found[0] == pytest.approx(expected, abs=1e-8)
    assert found[1] == pytest.approx(sums @ expected, abs=1e-8)


@settings(max_examples=examples(30), deadline=None)
@given(st.integers(0, 2**32 - 1), st.sampled_from([0.5, 5.0, 200.0]))
def test_the_table_is_whole_not_negative_and_adds_up(seed: int, wide: float) -> None:
    areas = tree("wwxxyyzz", "PPPPQQQQ")
    rng = np.random.default_rng(seed)
    noisy = [counts + np.rint(rng.laplace(0, wide, len(counts))) for counts in journeys(areas, 200, seed % 97).counts()]
    variances = [wide] * 3
    table = round_tree(shrink_estimates(best_estimates(noisy, variances, areas), variances, areas), areas)
    for finer, coarser, parent in zip(table, table[1:], areas.pair_parents, strict=False):
        assert (add_up(finer, parent) == coarser).all()
    assert all((counts >= 0).all() and counts.dtype == np.int64 for counts in table)


def test_without_noise_the_table_is_the_truth() -> None:
    areas = tree("wwxxyyzz", "PPPPQQQQ")
    exact = journeys(areas, 300).counts()
    none = [1e-9] * 3
    table = round_tree(shrink_estimates(best_estimates(exact, none, areas), none, areas), areas)
    assert all((one == other).all() for one, other in zip(table, exact, strict=True))


@settings(max_examples=examples(50), deadline=None)
@given(st.lists(st.lists(st.floats(0.01, 9), min_size=1, max_size=5), min_size=1, max_size=4))
def test_rounding_keeps_sums_and_moves_nothing_by_one(groups: list[list[float]]) -> None:
    total = np.array([round(sum(group)) for group in groups])
    scaled = [np.array(one) * (whole / max(sum(one), 1e-9)) for one, whole in zip(groups, total, strict=True)]
    member = np.repeat(np.arange(len(groups)), [len(group) for group in groups])
    values = np.concatenate(scaled)
    found = round_within(values, member, total)
    assert np.bincount(member, found, len(groups)).tolist() == total.tolist()
    assert (np.abs(found - values) < 1 + 1e-6).all()


def test_what_the_noise_explains_is_taken_out_and_sums_stay() -> None:
    areas = tree("xxxxyyyy")
    rng = np.random.default_rng(1)
    expected = np.outer(leaving := rng.uniform(1, 9, 8), rng.uniform(1, 9, 8)).ravel()
    parent = areas.pair_parents[0]
    sums = np.bincount(parent, expected)
    assert leaving.min() > 0
    fine = expected + rng.normal(0, 3, 64)
    fine += ((sums - np.bincount(parent, fine)) / np.bincount(parent))[parent]
    found = shrink_estimates([fine, sums], [9.0, 1e-9], areas)
    assert found[1] == pytest.approx(sums)
    assert np.bincount(parent, found[0]) == pytest.approx(sums)
    assert np.abs(found[0] - expected).mean() < 0.7 * np.abs(fine - expected).mean()


def test_shares_of_levels_are_paid_as_asked_and_one_is_needed_for_each() -> None:
    made = count_flows(journeys(tree("xxy"), 20), 2, shares=[3, 1])
    assert [row["epsilon"] for row in made.costs()] == ["3/2", "1/2"]
    with pytest.raises(PolicyError, match="3 shares for 2 levels"):
        count_flows(journeys(tree("xxy"), 20), 1, shares=[1, 1, 1])


def test_levels_help_where_people_are_few() -> None:
    """Sums of noisy pairs would have the noise of all pairs within; counted on their own level they do not."""
    areas = tree("".join(sorted("wxyz" * 8)))
    true = journeys(areas, 3_000)
    flat = Journeys(true.person, true.origin, true.destination, AreaTree.from_columns(areas.places))
    exact, parent = true.counts()[1], areas.pair_parents[0]
    levels, alone = [], []
    for _ in range(5):
        levels.append(np.abs(count_flows(true, Fraction(1)).table[1] - exact).mean())
        alone.append(np.abs(add_up(count_flows(flat, Fraction(1)).table[0], parent) - exact).mean())
    assert sum(levels) < 0.5 * sum(alone)


def test_damaged_counts_and_senseless_bounds_are_refused() -> None:
    made = count_flows(journeys(tree("xxy"), 20), Fraction(1))
    assert (FlowCounts.from_dict(made.as_dict(), "noisy.json").table[0] == made.table[0]).all()
    for damage in ({"format": "other"}, {"noisy": [[1]]}, {"epsilon": "x"}, {"areas": {}}):
        with pytest.raises(VerificationFailed):
            FlowCounts.from_dict({**made.as_dict(), **damage}, "noisy.json")
    with pytest.raises(PolicyError, match="most"):
        count_flows(journeys(tree("xxy"), 20), Fraction(1), most=0)


pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("people") / "fortaleza"
    write_people(directory, 400, days=2, step=600)
    return directory


def run(data: Path, out: Path, *more: str, file: str = "commutes.csv") -> None:
    words = ["locate", "flows", str(data / file), "--areas", str(data / "areas.csv"), "--out", str(out)]
    app(args=[*words, "--epsilon", "1", "--levels", "zone", *more], standalone_mode=False)


@pytest.fixture(scope="module")
def made(data: Path) -> Path:
    run(data, data.parent / "out")
    return data.parent / "out"


@pytest.fixture
def release(made: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(made, tmp_path / "out"))


def sign(public: Path) -> None:
    """Write the hashes of changed files into the manifest, as somebody who forges a release would."""
    manifest = json.loads((public / NAME).read_text())
    for name, entry in manifest["files"].items():
        entry.update(sha256=sha256(public / name), bytes=(public / name).stat().st_size)
    (public / NAME).write_text(json.dumps(manifest))


def test_a_release_verifies_and_its_public_part_alone_does(release: Path) -> None:
    names = {file.name for file in (release / "public").iterdir()}
    assert names == {NAME, "noisy.json", "release.csv", "dictionary.md"}
    assert cobogo.verify(release)
    shutil.rmtree(release / "evidence")
    assert cobogo.verify(release / "public")


def test_the_table_adds_up_for_whoever_reads_it(release: Path, data: Path) -> None:
    table = pd.read_csv(release / "public" / "release.csv")
    zone = pd.read_csv(data / "areas.csv").set_index("area")["zone"]
    fine = table[table.level == "area"]
    sums = fine.assign(origin=fine.origin.map(zone), destination=fine.destination.map(zone))
    sums = sums.groupby(["origin", "destination"]).journeys.sum()
    coarse = table[table.level == "zone"].set_index(["origin", "destination"]).journeys
    assert sums.sort_index().to_dict() == coarse.sort_index().to_dict()
    assert (table.journeys >= 1).all()


def test_public_tells_nothing_of_the_exact_counts_and_evidence_says_that_it_is_not_private(release: Path) -> None:
    report = json.loads((release / "evidence" / "report.json").read_text())
    assert {row["level"] for row in report["fidelity"]} == {"area", "zone"}
    assert "fidelity" not in (release / "public" / NAME).read_text()
    assert "not private" in (release / "evidence" / "report.html").read_text()
    assert (release / "evidence" / "plots" / "flows.png").exists()


@pytest.mark.parametrize("level", ["area", "zone"])
def test_a_number_that_was_changed_is_found(release: Path, level: str) -> None:
    table = pd.read_csv(release / "public" / "release.csv")
    table.loc[table[table.level == level].index[0], "journeys"] += 1
    table.to_csv(release / "public" / "release.csv", index=False)
    sign(release / "public")
    verdict = cobogo.verify(release / "public")
    assert not verdict
    assert any("not the sums" in problem for problem in verdict.problems)


def test_a_table_that_adds_up_but_follows_from_other_counts_is_found(release: Path) -> None:
    table = pd.read_csv(release / "public" / "release.csv")
    home = table[(table.level == "area")].iloc[0]
    noisy = json.loads((release / "public" / "noisy.json").read_text())
    areas = noisy["areas"]["area"]
    zone = dict(zip(areas, noisy["areas"]["coarser"]["zone"], strict=True))
    table.loc[home.name, "journeys"] += 10
    same = (table.level == "zone") & (table.origin == zone[home.origin]) & (table.destination == zone[home.destination])
    table.loc[same, "journeys"] += 10
    table.to_csv(release / "public" / "release.csv", index=False)
    sign(release / "public")
    assert "the flows are not those that follow from the noisy counts" in cobogo.verify(release / "public").problems


def test_less_noise_than_stated_is_found(release: Path) -> None:
    file = release / "public" / NAME
    manifest = json.loads(file.read_text())
    manifest["transformation"]["parts"][0]["scale"] = 0.1
    file.write_text(json.dumps(manifest))
    assert any("less noise" in problem for problem in cobogo.verify(release / "public").problems)


def test_trips_of_points_are_counted_and_more_of_a_person_cost_more_noise(data: Path, tmp_path: Path) -> None:
    run(data, tmp_path / "out", "--most", "4", file="points.csv")
    manifest = json.loads((tmp_path / "out" / "public" / NAME).read_text())
    assert manifest["transformation"]["journeys_of_a_person"] == 4
    assert [part["scale"] for part in manifest["transformation"]["parts"]] == pytest.approx([8.0, 8.0])


def test_a_ledger_pays_or_refuses_and_nothing_is_written(data: Path, tmp_path: Path) -> None:
    books = Ledger(tmp_path / "ledger.db")
    books.open("city", PrivacyLoss("epsilon", Fraction(3)))
    books.grant("city", "ana", PrivacyLoss("epsilon", Fraction(3, 2)))
    options = ["--ledger", str(tmp_path / "ledger.db"), "--dataset", "city", "--analyst", "ana"]
    run(data, tmp_path / "one", *options)
    with pytest.raises(BudgetSpent):
        run(data, tmp_path / "two", *options)
    with pytest.raises(LedgerError, match="there is no ledger here"):
        run(data, tmp_path / "two", "--ledger", str(tmp_path / "typo.db"), *options[2:])
    assert not any((tmp_path / name).exists() for name in ("two", "typo.db", "typo.db.seal"))


def test_areas_that_are_not_declared_stop_it(data: Path, tmp_path: Path) -> None:
    areas = pd.read_csv(data / "areas.csv")
    areas[areas.area != "Centro"].to_csv(tmp_path / "areas.csv", index=False)
    shutil.copy(data / "commutes.csv", tmp_path)
    with pytest.raises(DataError, match="leave_out_unknown"):
        run(tmp_path, tmp_path / "out")
    run(tmp_path, tmp_path / "out", "--leave-out-unknown")
    assert cobogo.verify(tmp_path / "out")
