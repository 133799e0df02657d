"""The frontier: the same as one run for each value, from one reading of the table."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from matplotlib.image import imread

import cobogo as cb
from cobogo.errors import OutputError, PolicyError
from cobogo.floor.language import LANGUAGES
from cobogo.publish import anonymize as job
from cobogo.studies.frontier import Frontier, frontier, parse_varied
from support.commands import Said, called

pytestmark = pytest.mark.slow

ILLS = ["flu", "cold", "flu", "cold", "gout", "flu", "gout", "cold"]
PEOPLE = pa.table(
    {
        "age": [str(20 + 3 * (n % 13)) for n in range(80)],
        "city": ["Sobral", "Crato", "Iguatu", "Sobral", "Sobral"] * 16,
        "ill": ILLS * 10,
        "wage": [str(100 * (n % 7)) for n in range(80)],
    }
)
POLICY: dict[str, Any] = {
    "attributes": {
        "age": {"role": "quasi-identifier", "hierarchy": {"intervals": [10, 20], "top": True}},
        "city": {"role": "quasi-identifier"},
        "ill": {"role": "sensitive"},
        "wage": {"role": "sensitive"},
    },
    "privacy": {
        "models": [
            {"model": "k-anonymity", "k": 2},
            {"model": "l-diversity", "attribute": "ill", "l": 2},
            {"model": "l-diversity", "attribute": "wage", "l": 2},
        ]
    },
}
TOML = """
[data]
path = "people.csv"
[attributes]
age = { role = "quasi-identifier", hierarchy = { intervals = [10, 20], top = true } }
city = { role = "quasi-identifier" }
ill = { role = "sensitive" }
wage = { role = "non-sensitive" }
[privacy]
models = [{ model = "k-anonymity", k = 2 }]
"""


def found(**vary: Any) -> Frontier:
    return frontier(PEOPLE, POLICY, vary={name.replace("_", "-"): values for name, values in vary.items()})


def test_each_point_is_what_its_own_policy_gives() -> None:
    made = found(k=[2, 4, 9], suppression_limit=[0, 0.2])
    assert [point.given for point in made.points] == [
        {"k": k, "suppression-limit": limit} for k in (2, 4, 9) for limit in (0, 0.2)
    ]
    for point in made.points:
        models = [{"model": "k-anonymity", "k": point.given["k"]}, *POLICY["privacy"]["models"][1:]]
        alone = cb.anonymize(
            PEOPLE,
            POLICY
            | {"privacy": {"models": models}, "recoding": {"suppression-limit": point.given["suppression-limit"]}},
        )
        assert point.levels == alone.levels
        assert point.value == alone.metrics["loss"]
        assert point.suppressed == alone.suppressed
        assert point.smallest == alone.plan.kept_records.min() >= point.given["k"]
        assert point.classes == len(alone.plan.kept_records)
        assert point.risk == 1 / point.smallest
        assert set(point.inference or ()) == {"ill", "wage"}


def test_the_table_is_counted_once(monkeypatch: pytest.MonkeyPatch) -> None:
    counted = []
    plain = job.frequency_table
    monkeypatch.setattr(job, "frequency_table", lambda *a, **k: counted.append(1) or plain(*a, **k))
    found(k=[2, 3, 4, 5])
    assert counted == [1]


def test_a_parameter_is_varied_in_every_model_of_the_same_name() -> None:
    made = found(l=[2, 3, 4])
    assert [point.levels is None for point in made.points] == [False, False, True]  # ill has three values
    assert made.points[2].why is not None
    assert "no recoding" in made.points[2].why


def test_a_metric_that_counts_in_k_follows_it() -> None:
    made = frontier(PEOPLE, POLICY | {"recoding": {"metric": "c_avg"}}, vary={"k-anonymity.k": [2, 4]})
    for point in made.points:
        assert point.value == pytest.approx((80 - point.suppressed) / point.classes / point.given["k-anonymity.k"])


@pytest.mark.parametrize(
    ("vary", "words"),
    [
        ({}, "no parameter to vary was given"),
        ({"k": []}, "no parameter to vary was given"),
        ({"t": [0.1]}, "no model of the policy has it"),
        ({"t-closeness.k": [2]}, "k-anonymity.k, l-diversity.l, suppression-limit"),
        ({"attribute": [2]}, "no model of the policy has it"),
        ({"k": [0]}, "The 'k' parameter of k-anonymity must be"),
        ({"k": [2.5]}, "must be a whole number"),
        ({"suppression-limit": [2]}, "from 0 to 1"),
    ],
)
def test_what_cannot_be_varied_is_refused(vary: dict[str, list[float]], words: str) -> None:
    with pytest.raises(PolicyError, match="vary") as refused:
        frontier(PEOPLE, POLICY, vary=vary)
    assert words in str(refused.value)


def test_a_parameter_of_two_models_must_be_named_with_its_model() -> None:
    models = [*POLICY["privacy"]["models"], {"model": "p-sensitive-k-anonymity", "attribute": "ill", "p": 2, "k": 2}]
    policy = POLICY | {"privacy": {"models": models}}
    with pytest.raises(PolicyError, match="several models"):
        frontier(PEOPLE, policy, vary={"k": [2]})
    made = frontier(PEOPLE, policy, vary={"p-sensitive-k-anonymity.k": [6]})
    assert made.points[0].smallest >= 6


@pytest.mark.parametrize("text", ["k", "k=", "=2", "k=two", "k=2,,3", "k=nan", "k=inf"])
def test_what_cannot_be_read_is_refused(text: str) -> None:
    with pytest.raises(PolicyError, match="vary"):
        parse_varied([text])
    with pytest.raises(PolicyError, match="twice"):
        parse_varied(["k=2", "k=3"])


def test_what_is_said_twice_is_done_once() -> None:
    assert parse_varied(["k=2, 5,2"]) == {"k": [2, 5]}


# --- pictures and pages -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(
    "vary",
    [{"k": [2, 5]}, {"k": [2]}, {"l": [9, 8]}, {"l": list(range(2, 30))}, {"k": [2, 3], "l": [2, 3, 9, 4, 5, 6, 7]}],
)
def test_every_frontier_can_be_drawn(vary: dict[str, list[float]], language: str, tmp_path: Path) -> None:
    made = frontier(PEOPLE, POLICY, vary=vary)
    made.write(tmp_path / "out", language=language)
    assert sorted(os.listdir(tmp_path / "out")) == ["frontier.html", "frontier.json", "frontier.png"]
    assert json.loads((tmp_path / "out/frontier.json").read_text()) == json.loads(json.dumps(made.as_dict()))
    picture = imread(tmp_path / "out/frontier.png")
    assert picture.shape[1] == 1350
    page = (tmp_path / "out/frontier.html").read_text(encoding="utf-8")
    assert f'lang="{language}"' in page
    assert "://" not in page
    assert "<script" not in page
    assert page.count("<tr>") - page.count("<thead>") - 4 == len(made.points)


def test_an_earlier_frontier_is_replaced_and_nothing_else_is(tmp_path: Path) -> None:
    found(k=[2]).write(tmp_path / "out")
    found(k=[3]).write(tmp_path / "out")
    assert json.loads((tmp_path / "out/frontier.json").read_text())["varied"] == {"k": [3]}
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine/thesis.doc").write_text("precious")
    with pytest.raises(OutputError, match="did not write"):
        found(k=[2]).write(tmp_path / "mine")


# --- the command ------------------------------------------------------------------------------------------------


def cobogo(*words: str, cwd: Path, code: int = 0) -> Said:
    return called("frontier", *words, cwd=cwd, code=code)


@pytest.fixture
def here(tmp_path: Path) -> Path:
    columns = PEOPLE.to_pydict()
    rows = [",".join(columns), *(",".join(row) for row in zip(*columns.values(), strict=True))]
    (tmp_path / "people.csv").write_text("\n".join(rows) + "\n")
    (tmp_path / "p.toml").write_text(TOML)
    return tmp_path


def test_a_table_on_the_terminal(here: Path) -> None:
    header, *rows = cobogo("p.toml", "--vary", "k=2,10,81", cwd=here).stdout.splitlines()
    assert header.split() == ["k", "age", "city", "loss", "suppressed", "classes", "smallest", "inference", "risk"]
    assert [row.split()[0] for row in rows] == ["2", "10", "81"]
    assert rows[2].split()[1:] == ["no", "solution"]
    assert rows[1].endswith("%")
    assert sorted(os.listdir(here)) == ["p.toml", "people.csv"]


def test_json_and_files(here: Path) -> None:
    said = json.loads(cobogo("p.toml", "--vary", "k=2,3", "--out", "out", "--json", cwd=here).stdout)
    assert said == json.loads((here / "out/frontier.json").read_text())
    assert said["points"][0]["solution"]["levels"].keys() == {"age", "city"}
    assert "out/frontier.html" in cobogo("p.toml", "--vary", "k=2,3", "--out", "out", cwd=here).stdout


def test_no_solution_at_all_is_a_no(here: Path) -> None:
    assert "no solution" in cobogo("p.toml", "--vary", "k=100,200", cwd=here, code=1).stdout


def test_mistakes_are_the_user_s(here: Path) -> None:
    assert "t-closeness" in cobogo("p.toml", "--vary", "t-closeness.t=0.1", cwd=here, code=2).stderr
    cobogo("p.toml", cwd=here, code=2)
