"""Differentially private samples: what k must be, the law of what is drawn, and what the release gives away."""

from __future__ import annotations

import csv
import json
import math
from collections import Counter
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chi2

from cobogo.data.policy import Policy
from cobogo.data.table.frequency import frequency_table
from cobogo.data.table.read import read
from cobogo.errors import PolicyError
from cobogo.floor.randomness import Seeded
from cobogo.publish.anonymize import anonymize
from cobogo.publish.sample import scheme
from cobogo.publish.sample.release import draw_counts
from cobogo.publish.sample.scheme import SamplingParameters, delta_of, largest_share, least_k, parameters
from cobogo.publish.transform import sample
from support.commands import cobogo

pytestmark = pytest.mark.slow

SETTINGS = [(0.5, 0.3), (1.0, 0.5), (1.0, 0.632), (2.0, 0.8), (0.2, 0.1)]


def binomial(n: int, share: Fraction) -> list[Fraction]:
    return [math.comb(n, j) * share**j * (1 - share) ** (n - j) for j in range(n + 1)]


@pytest.mark.parametrize(("epsilon", "share"), SETTINGS)
@pytest.mark.parametrize("k", [1, 4, 9])
def test_delta_is_the_published_formula(k: int, epsilon: float, share: float) -> None:
    """Against fractions, over many more n than could matter."""
    exact = Fraction(str(share))
    gamma = Fraction(1 - (1 - share) * math.exp(-epsilon))
    first = math.ceil(k / gamma - 1)
    worst = max(float(sum(p for j, p in enumerate(binomial(n, exact)) if j > gamma * n)) for n in range(first, 90) if n)
    found = delta_of(k, epsilon, share)
    assert worst <= found <= worst * (1 + 1e-5)


@pytest.mark.parametrize(("epsilon", "share"), SETTINGS)
def test_the_inequality_holds_for_every_number_of_records(epsilon: float, share: float) -> None:
    """(ε, δ) by the whole law of a class of n and of n − 1 records, both ways."""
    delta = 0.01
    k = least_k(epsilon, delta, share)
    exact, grow = Fraction(str(share)), math.exp(epsilon)

    def released(n: int) -> list[float]:
        law = [float(p) for p in binomial(n, exact)]
        return [sum(law[:k]), *law[k:]]

    worst = 0.0
    for n in range(1, max(60, 3 * k)):
        more, less = released(n), [*released(n - 1), 0.0]
        less += [0.0] * (len(more) - len(less))
        for one, other in ((more, less), (less, more)):
            beyond = sum(max(0.0, a - grow * b) for a, b in zip(one, other, strict=False))
            worst = max(worst, beyond)
    assert worst <= delta
    assert k == 1 or delta_of(k - 1, epsilon, share) > delta


def test_the_share_is_bounded_by_epsilon() -> None:
    assert float(largest_share(1.0)) <= 1 - math.exp(-1)
    with pytest.raises(PolicyError, match=r"0\.632"):
        parameters(1.0, 1e-6, 0.64, "policy")
    with pytest.raises(PolicyError, match="δ above 0"):
        parameters(1.0, 0.0, None, "policy")


def test_draws_follow_the_law() -> None:
    """χ² of seeded draws of 12 records at a false alarm of 10⁻⁶; fewer than 3 are none."""
    share, draws = Fraction(2, 5), 40_000
    found = draw_counts(np.full(draws, 12), SamplingParameters(1.0, 0.1, share, 3), Seeded(4))
    law = [float(p) for p in binomial(12, share)]
    expected = np.array([sum(law[:3]), *law[3:9], sum(law[9:])]) * draws
    seen = Counter(np.minimum(found, 9).tolist())
    observed = np.array([seen[0], *(seen[j] for j in range(3, 10))])
    assert seen[1] == seen[2] == 0
    assert ((observed - expected) ** 2 / expected).sum() < chi2.isf(1e-6, len(expected) - 1)


OLDER = {"a": "old", "b": "old", "c": "young", "d": "young"}
TREE = {"tree": {"old": ["a", "b"], "young": ["c", "d"]}, "top": True}
ATTRIBUTES: dict[str, Any] = {
    "name": {"role": "identifier"},
    "age": {"role": "quasi-identifier", "hierarchy": TREE},
    "city": {"role": "quasi-identifier"},
    "ill": {"role": "sensitive"},
}


def policy(**sampling: object) -> dict[str, Any]:
    return {
        "attributes": ATTRIBUTES,
        "privacy": {"models": [{"model": "differential-privacy", "epsilon": 1.0, "delta": 1e-3}]},
        "sampling": sampling,
    }


def people(rows: int, seed: int = 0) -> pa.Table:
    generator = np.random.default_rng(seed)
    columns = {"age": list("abcd"), "city": ["Sobral", "Crato"], "ill": ["yes", "no"]}
    drawn = {name: generator.choice(values, rows) for name, values in columns.items()}
    return pa.table({"name": [f"person {n}" for n in range(rows)], **drawn})


rows_strategy = st.lists(st.tuples(st.sampled_from("abcd"), st.sampled_from(["S", "C"])), min_size=1, max_size=30)


@settings(max_examples=10, deadline=None)
@given(rows_strategy, st.tuples(st.sampled_from("abcd"), st.sampled_from(["S", "C"])), st.integers(0, 6))
def test_one_record_changes_no_score_by_more_than_is_declared(
    rows: list[tuple[str, str]], one: tuple[str, str], least: int
) -> None:
    rules = Policy.of({**policy(), "attributes": {name: ATTRIBUTES[name] for name in ("age", "city")}})

    def scores(table: list[tuple[str, str]]) -> list[int]:
        data = pa.table({"age": [r[0] for r in table], "city": [r[1] for r in table]})
        opened = read(data, rules.data)
        made = scheme.build_coarser(rules, opened, frequency_table(opened, ["age", "city"], []))
        weights = {"age": 1.0, "city": 1.0}
        return [
            scheme.worth(made, levels, weights) * scheme.count_beyond(made.classes(levels)[1], least)
            for levels in scheme.candidates(rules, made, {})
        ]

    before, after = scores(rows), scores([*rows, one])
    assert len(before) == len(after) == 6
    assert all(0 <= new - old <= scheme.FULL for old, new in zip(before, after, strict=True))


def test_every_row_is_shared_and_true() -> None:
    table = people(4000)
    release = sample(table, policy(levels={"age": 1, "city": 0}))
    k = release.transformation.statement()["k"]
    found = release.to_pandas()
    assert list(found.columns) == ["age", "city", "ill"]
    sizes = found.groupby(["age", "city", "ill"]).size()
    assert sizes.min() >= k > 5
    coarse = table.to_pandas().assign(age=lambda t: t["age"].map(OLDER))
    original = coarse.groupby(["age", "city", "ill"]).size()
    assert (sizes <= original.reindex(sizes.index)).all()
    share = float(Fraction(release.transformation.statement()["share"]))
    assert abs(len(found) - share * 4000) < 6 * math.sqrt(share * (1 - share) * 4000)


def test_a_small_class_is_never_released() -> None:
    table = pa.concat_tables([people(3000), pa.table({"name": ["z"], "age": ["a"], "city": ["Ipu"], "ill": ["yes"]})])
    found = sample(table, policy(levels={"age": 2, "city": 0})).to_pandas()
    assert set(found["city"]) == {"Sobral", "Crato"}
    assert set(found["age"]) == {"*"}


def test_levels_can_be_chosen_for_a_part_of_epsilon() -> None:
    release = sample(people(20_000), policy(**{"search-epsilon": 0.2}))
    stated = release.transformation.statement()
    assert stated["epsilon"] == pytest.approx(0.8)
    assert stated["levels"] == {"age": 0, "city": 0}  # classes of over a thousand records: far the best


@pytest.mark.parametrize(
    ("sampling", "what"),
    [
        ({}, "does not give a level"),
        ({"levels": {"age": 1}}, "city"),
        ({"levels": {"age": 9, "city": 0}}, "highest level"),
        ({"levels": {"ill": 0}}, "is not a quasi-identifier"),
        ({"levels": {"age": 1, "city": 0}, "search-epsilon": 0.1}, "fixes all levels"),
        ({"levels": {"age": 1, "city": 0}, "share": 0.9}, "share"),
        ({"search-epsilon": 2.0}, "does not give a level"),
    ],
)
def test_refusals(sampling: dict[str, object], what: str) -> None:
    with pytest.raises(PolicyError, match=what):
        sample(people(50), policy(**sampling))


def test_what_depends_on_the_data_is_not_chosen_from() -> None:
    masked = {"role": "quasi-identifier", "hierarchy": {"mask": "right"}}
    rules = {**policy(**{"search-epsilon": 0.2}), "attributes": {**ATTRIBUTES, "city": masked}}
    with pytest.raises(PolicyError, match="depends on the data"):
        sample(people(50), rules)
    table = pa.table({"n": ["1", "2.5"]})
    wide = {"role": "quasi-identifier", "hierarchy": {"intervals": [10]}}
    with pytest.raises(PolicyError, match="decimals"):
        sample(table, {**policy(levels={"n": 1}), "attributes": {"n": wide}})


def test_a_recoding_sends_here() -> None:
    with pytest.raises(PolicyError, match=r"cb\.sample"):
        anonymize(people(50), policy(levels={"age": 1, "city": 0}))


TOML = """
[data]
path = "people.csv"
[attributes]
name = { role = "identifier" }
age = { role = "quasi-identifier", hierarchy = { tree = { old = ["a", "b"], young = ["c", "d"] } } }
city = { role = "quasi-identifier" }
ill = { role = "sensitive" }
[privacy]
models = [{ model = "differential-privacy", epsilon = 1.0, delta = 1e-3 }]
[sampling]
levels = { age = 1, city = 0 }
"""


def test_the_command_writes_and_verify_counts(tmp_path: Path) -> None:
    table = people(3000)
    with (tmp_path / "people.csv").open("w", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow(table.column_names)
        writer.writerows(zip(*table.to_pydict().values(), strict=True))
    (tmp_path / "p.toml").write_text(TOML)
    said = json.loads(cobogo("sample", "p.toml", "--out", "out", "--json", cwd=tmp_path))
    assert said["original_records"] == 3000
    assert "holds" in cobogo("verify", "out", cwd=tmp_path)
    public = "".join(file.read_text() for file in (tmp_path / "out/public").iterdir())
    assert "3000" not in public
    assert "person" not in (tmp_path / "out/public/release.csv").read_text()
    manifest = tmp_path / "out/public/manifest.json"
    content = json.loads(manifest.read_text())
    for key, value, why in (("k", 2, "smaller than"), ("share", "9/10", "larger than"), ("epsilon", 0.5, "share")):
        changed = {**content, "transformation": {**content["transformation"], key: value}}
        manifest.write_text(json.dumps(changed))
        assert why in cobogo("verify", "out/public", cwd=tmp_path, code=1)
    manifest.write_text(json.dumps({**content, "transformation": {**content["transformation"], "k": 10**4}}))
    assert "appears only" in cobogo("verify", "out/public", cwd=tmp_path, code=1)
    (tmp_path / "p.toml").write_text(TOML + "seed = 3\n")
    cobogo("sample", "p.toml", "--out", "out", cwd=tmp_path, code=1)
    assert "seed" in cobogo("verify", "out", cwd=tmp_path, code=1)
