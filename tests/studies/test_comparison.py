"""The comparison: the same as one run for each algorithm, from one reading of the table."""

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
from cobogo.publish.recode.algorithms import ALGORITHMS
from cobogo.studies.comparison import compare
from support.commands import Said, called

pytestmark = pytest.mark.slow

QUICK = ["optimal", "datafly", "samarati", "incognito", "ola", "genetic", "top-down", "bottom-up", "mu-argus"]
PEOPLE = pa.table(
    {
        "age": [str(20 + 3 * (n % 13)) for n in range(80)],
        "city": ["Sobral", "Crato", "Iguatu", "Sobral", "Sobral"] * 16,
        "ill": ["flu", "cold", "flu", "cold", "gout", "flu", "gout", "cold"] * 10,
    }
)
POLICY: dict[str, Any] = {
    "attributes": {
        "age": {"role": "quasi-identifier", "hierarchy": {"intervals": [10, 20], "top": True}},
        "city": {"role": "quasi-identifier"},
        "ill": {"role": "sensitive"},
    },
    "privacy": {"models": [{"model": "k-anonymity", "k": 4}, {"model": "l-diversity", "l": 2}]},
    "recoding": {"suppression-limit": 0.1},
}
TOML = """
[data]
path = "people.csv"
[attributes]
age = { role = "quasi-identifier", hierarchy = { intervals = [10, 20], top = true } }
city = { role = "quasi-identifier" }
ill = { role = "sensitive" }
[privacy]
models = [{ model = "k-anonymity", k = 4 }]
"""


def test_each_run_is_what_its_own_policy_gives() -> None:
    found = compare(PEOPLE, POLICY, algorithms=QUICK)
    assert [run.algorithm for run in found.runs] == QUICK
    for run in found.runs:
        alone = cb.anonymize(PEOPLE, POLICY | {"recoding": {"suppression-limit": 0.1, "algorithm": run.algorithm}})
        assert run.value == alone.metrics["loss"]
        assert run.suppressed == alone.suppressed
        assert run.classes == len(alone.plan.kept_records)
        assert run.smallest == alone.plan.kept_records.min() >= 4
        assert run.risk == 1 / run.smallest
        assert run.optimal == alone.solution.optimal
        assert run.notes == alone.solution.notes
        assert run.seconds > 0
    assert found.best is not None
    assert found.best.value == min(run.value for run in found.runs if run.value is not None)


def test_the_table_is_counted_once(monkeypatch: pytest.MonkeyPatch) -> None:
    counted = []
    plain = job.frequency_table
    monkeypatch.setattr(job, "frequency_table", lambda *a, **k: counted.append(1) or plain(*a, **k))
    compare(PEOPLE, POLICY, algorithms=["optimal", "ola", "top-down"])
    assert counted == [1]


def test_without_names_all_are_run_each_once() -> None:
    small = PEOPLE.slice(0, 20)
    found = compare(small, POLICY | {"recoding": {"suppression-limit": 0.1, "time-limit": 1.0}})
    assert [run.algorithm for run in found.runs] == list(ALGORITHMS)
    assert len(compare(small, POLICY, algorithms=["ola", "ola"]).runs) == 1


def test_those_that_part_sensitive_values_have_no_value_of_the_metric() -> None:
    models = {"models": [{"model": "l-diversity", "l": 2}]}
    found = compare(PEOPLE, POLICY | {"privacy": models}, algorithms=["anatomy", "optimal"])
    anatomy, optimal = found.runs
    assert anatomy.solved
    assert anatomy.value is None
    assert any("loss does not apply to it" in note for note in anatomy.notes)
    assert found.best == optimal


def test_the_table_is_counted_for_the_one_that_needs_most() -> None:
    """The policy's own algorithm needs less of the table than those that are compared with it."""
    found = compare(PEOPLE, POLICY | {"recoding": {"time-limit": 1.0}}, algorithms=["optimal", "local", "mdav"])
    assert all(run.solved for run in found.runs)


def test_one_that_cannot_serve_the_policy_says_why_and_the_others_run() -> None:
    found = compare(PEOPLE, POLICY | {"recoding": {"metric": "kl-divergence"}}, algorithms=["mu-argus", "optimal"])
    refused, optimal = found.runs
    assert not refused.solved
    assert "cannot be computed where classes overlap" in (refused.why or "")
    assert optimal.solved
    assert found.as_dict()["runs"][0]["solution"] is None


def test_a_kind_is_asked_of_those_that_can_make_it() -> None:
    policy = POLICY | {"recoding": {"algorithm": "bottom-up", "kind": "sibling"}}
    assert all(run.solved for run in compare(PEOPLE, policy, algorithms=["bottom-up", "optimal"]).runs)


def test_a_metric_that_is_maximized_is_best_where_it_is_most() -> None:
    found = compare(PEOPLE, POLICY | {"recoding": {"metric": "precision"}}, algorithms=["datafly", "optimal"])
    assert found.best is not None
    assert found.best.value == max(run.value or 0 for run in found.runs)


def test_an_unknown_algorithm_is_refused_by_name() -> None:
    with pytest.raises(PolicyError, match=r'algorithms.*\n.*"samarati"'):
        compare(PEOPLE, POLICY, algorithms=["samaratti"])


# --- pictures and pages -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(
    ("names", "k"), [(QUICK, 4), (["optimal"], 4), (["optimal", "ola"], 4), (["optimal", "ola"], 100)]
)
def test_every_comparison_can_be_drawn(names: list[str], k: int, language: str, tmp_path: Path) -> None:
    models = [{"model": "k-anonymity", "k": k}]
    found = compare(PEOPLE, POLICY | {"privacy": {"models": models}}, algorithms=names)
    found.write(tmp_path / "out", language=language)
    assert sorted(os.listdir(tmp_path / "out")) == ["comparison.html", "comparison.json", "comparison.png"]
    assert json.loads((tmp_path / "out/comparison.json").read_text()) == json.loads(json.dumps(found.as_dict()))
    assert imread(tmp_path / "out/comparison.png").shape[1] == 1350
    page = (tmp_path / "out/comparison.html").read_text(encoding="utf-8")
    assert f'lang="{language}"' in page
    assert "://" not in page
    assert "<script" not in page
    assert all(f'<th scope="row">{name}</th>' in page for name in names)


def test_an_earlier_comparison_is_replaced_and_nothing_else_is(tmp_path: Path) -> None:
    for names in (["optimal"], ["ola"]):
        compare(PEOPLE, POLICY, algorithms=names).write(tmp_path / "out")
    assert json.loads((tmp_path / "out/comparison.json").read_text())["runs"][0]["algorithm"] == "ola"
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine/thesis.doc").write_text("precious")
    with pytest.raises(OutputError, match="did not write"):
        compare(PEOPLE, POLICY, algorithms=["ola"]).write(tmp_path / "mine")


# --- the command ------------------------------------------------------------------------------------------------


def cobogo(*words: str, cwd: Path, code: int = 0) -> Said:
    return called("compare", *words, cwd=cwd, code=code)


@pytest.fixture
def here(tmp_path: Path) -> Path:
    columns = PEOPLE.to_pydict()
    rows = [",".join(columns), *(",".join(row) for row in zip(*columns.values(), strict=True))]
    (tmp_path / "people.csv").write_text("\n".join(rows) + "\n")
    (tmp_path / "p.toml").write_text(TOML)
    return tmp_path


def test_a_table_that_lines_up_on_the_terminal(here: Path) -> None:
    header, *rows = cobogo("p.toml", "--algorithms", "optimal, datafly,mu-argus", cwd=here).stdout.splitlines()
    assert header.split() == [
        "algorithm", "loss", "suppressed", "classes", "smallest", "inference", "risk", "seconds",
    ]  # fmt: skip
    assert [row.split()[0] for row in rows] == ["optimal", "datafly", "mu-argus"]
    assert len({len(line) for line in (header, *rows)}) == 1
    assert sorted(os.listdir(here)) == ["p.toml", "people.csv"]


def test_json_and_files(here: Path) -> None:
    said = json.loads(cobogo("p.toml", "--algorithms", "ola", "--out", "out", "--json", cwd=here).stdout)
    assert said == json.loads((here / "out/comparison.json").read_text())
    assert "out/comparison.html" in cobogo("p.toml", "--algorithms", "ola", "--out", "out", cwd=here).stdout


def test_no_solution_at_all_is_a_no_and_mistakes_are_the_user_s(here: Path) -> None:
    (here / "p.toml").write_text(TOML.replace("k = 4", "k = 100"))
    said = cobogo("p.toml", "--algorithms", "ola,datafly", cwd=here, code=1).stdout
    assert "ola: no recoding within the allowed levels satisfies the policy" in said
    assert "--algorithms" in cobogo("p.toml", "--algorithms", "nothing", cwd=here, code=2).stderr
