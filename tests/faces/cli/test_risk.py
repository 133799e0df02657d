"""``cobogo risk`` from outside, and the section on risk in the report of a release."""

import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import cobogo
from cobogo.data.hierarchy import Label
from cobogo.data.policy import Data
from cobogo.data.table.frequency import FrequencyTable, frequency_table
from cobogo.data.table.read import read
from cobogo.examine.risk.combinations import tuple_of_each_row
from cobogo.faces.cli.main import app
from cobogo.floor.language import LANGUAGES, speech

pytestmark = pytest.mark.slow

POLICY = """
[data]
path = "a.csv"
separator = ";"
[attributes]
name = { role = "identifier" }
age = { role = "quasi-identifier", hierarchy = { intervals = [10, 20] } }
city = { role = "quasi-identifier" }
disease = { role = "sensitive" }
[privacy]
models = [{ model = "k-anonymity", k = 2 }]
"""
ROWS = (
    "name;age;city;disease\nAna;31;Sobral;flu\nRui;34;Sobral;flu\nEva;31;Jati;cold\nIvo;31;Jati;flu\nLia;38;Jati;cold\n"
)


@pytest.fixture
def here(tmp_path: Path) -> Path:
    (tmp_path / "p.toml").write_text(POLICY)
    (tmp_path / "a.csv").write_text(ROWS)
    return tmp_path


@pytest.fixture
def run(here: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Callable[..., str]:
    """The command, as its entry point runs it: what it says, where all goes well or is expected not to."""
    monkeypatch.chdir(here)

    def command(*words: str, wrong: bool = False) -> str:
        capsys.readouterr()
        if wrong:
            with pytest.raises(cobogo.CobogoError) as found:
                app(args=list(words), standalone_mode=False)
            assert found.value.exit_code == 2
            return found.value.message
        app(args=list(words), standalone_mode=False)
        return capsys.readouterr().out

    return command


def test_it_says_what_it_measured_and_writes_what_it_is_asked_to(here: Path, run: Callable[..., str]) -> None:
    said = run("risk", "a.csv", "--policy", "p.toml", "--population-size", "50", "--threshold", "0.4",
               "--records", "r.csv", "--out", "page")  # fmt: skip
    assert "5 records, 4 classes of 1 to 2; 3 are unique (60%)" in said
    assert "over 40%" in said
    assert "Zayatz" in said
    assert (here / "r.csv").read_text().splitlines()[1].startswith("1,1,1,")
    assert sorted(file.name for file in (here / "page").iterdir()) == ["risk.html", "risk.json", "risk.png"]
    page = re.sub(r"base64,[^\"]*", "", (here / "page/risk.html").read_text(encoding="utf-8"))
    for word in ("Ana", "Sobral", "flu"):
        assert word not in said + page + (here / "page/risk.json").read_text()
    again = run("risk", "a.csv", "--policy", "p.toml", "--out", "page", "--language", "pt-BR")
    assert "Gravado    page/risk.html" in again
    assert 'lang="pt-BR"' in (here / "page/risk.html").read_text()


def test_json_and_a_release(here: Path, run: Callable[..., str]) -> None:
    before = json.loads(run("risk", "a.csv", "--policy", "p.toml", "--json"))
    cobogo.anonymize(here / "p.toml").write(here / "out")
    after = json.loads(run("risk", "out", "--json"))
    assert before["prosecutor"]["highest"] == 1
    assert after["prosecutor"]["highest"] <= 1 / 2
    assert after["quasi_identifiers"] == ["age", "city"]
    report = json.loads((here / "out/evidence/report.json").read_text())["risk"]
    for side, measured in (("before", before), ("after", after)):
        assert report[side]["highest"] == measured["prosecutor"]["highest"]
        assert report[side]["average"] == measured["prosecutor"]["average"]
        assert report[side]["over"] == measured["prosecutor"]["over_share"]
        assert report[side]["unique"] == measured["uniques"]["share"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("a.csv",), "--policy"),
        (("b.csv", "--policy", "p.toml"), "b.csv"),
        (("a.csv", "--policy", "p.toml", "--language", "fr"), f"must be one of {', '.join(LANGUAGES)}"),
        (("a.csv", "--policy", "p.toml", "--fraction", "2"), "fraction"),
        (("a.csv", "--policy", "p.toml", "--population", "c.csv"), "c.csv"),
        (("a.csv", "--policy", "p.toml", "--records", "a.csv"), "already exists"),
        (("a.csv", "--policy", "p.toml", "--out", "."), "did not write"),
    ],
    ids=["policy", "data", "language", "fraction", "population", "records", "out"],
)
def test_what_is_wrong_is_said(words: tuple[str, ...], said: str, here: Path, run: Callable[..., str]) -> None:
    before = sorted(here.rglob("*"))
    assert said in run("risk", *words, wrong=True)
    assert sorted(here.rglob("*")) == before


def test_the_report_estimates_where_the_population_is_told(here: Path) -> None:
    (here / "p.toml").write_text(
        POLICY + '[risk]\npopulation-size = 1000\nthreshold = 0.4\n[report]\nlanguage = "pt-BR"\n'
    )
    cobogo.anonymize(here / "p.toml").write(here / "out")
    risk = json.loads((here / "out/evidence/report.json").read_text())["risk"]
    measured = cobogo.risk(here / "p.toml")
    assert risk["before"]["journalist"] == measured.attackers.journalist.highest
    assert risk["before"]["marketer"] == measured.attackers.marketer
    assert risk["before"]["population"] == measured.population.uniques / 1000
    assert risk["after"]["population"] == 0
    page = (here / "out/evidence/report.html").read_text(encoding="utf-8")
    say = speech("pt-BR")
    assert say("people with a risk above {threshold}", threshold="40%") in page
    assert "quase-identificadores distinguem" in page


def test_the_report_takes_the_size_of_a_population_table(here: Path) -> None:
    shutil.copy(here / "a.csv", here / "all.csv")
    (here / "p.toml").write_text(POLICY + '[risk]\npopulation = "all.csv"\n')
    release = cobogo.anonymize(here / "p.toml")
    release.write(here / "out")
    risk = json.loads((here / "out/evidence/report.json").read_text())["risk"]
    assert risk["before"]["population"] == risk["before"]["unique"]


@pytest.mark.parametrize(
    ("told", "said"),
    [("population-size = 4", "4 people, and 5 in the data"), ('population = "none.csv"', "none.csv")],
    ids=["size", "table"],
)
def test_a_population_that_cannot_be_is_refused_before_the_search(told: str, said: str, here: Path) -> None:
    (here / "p.toml").write_text(f"{POLICY}[risk]\n{told}\n")
    with pytest.raises(cobogo.CobogoError, match=said):
        cobogo.anonymize(here / "p.toml")


def test_rows_find_their_tuples_when_keys_overflow() -> None:
    """Ten columns of a hundred values each have more combinations than sixty-two bits."""
    import pyarrow as pa

    draw = np.random.default_rng(3)
    columns = {f"c{n}": draw.integers(0, 100, 300).astype(str).tolist() for n in range(10)}
    columns = {name: [*values, *values[:7]] for name, values in columns.items()}
    columns["c4"][5] = None  # type: ignore[call-overload]
    table = read(pa.table(columns), Data())
    counted = frequency_table(table, list(columns), [])
    found = tuple_of_each_row(table, counted)
    assert [labels(counted, number) for number in found] == list(zip(*columns.values(), strict=True))


def labels(counted: FrequencyTable, number: int) -> tuple[Label, ...]:
    return counted.tuple_labels(int(number))


@pytest.mark.parametrize("engine", ["duckdb", "postgresql"])
def test_engines_measure_the_same(engine: str, here: Path, request: pytest.FixtureRequest) -> None:
    url = "duckdb://" if engine == "duckdb" else str(request.getfixturevalue(engine))
    found = cobogo.risk(here / "a.csv", here / "p.toml", fraction=0.1, engine=url)
    assert sorted(found.sizes.tolist()) == [1, 1, 1, 2]
    assert found.special.found == {1: 2, 2: 1}
    if engine == "duckdb":
        assert found.records_at_risk().people.tolist() == [1, 1, 2, 2, 1]
    else:
        with pytest.raises(cobogo.CobogoError, match="no order"):
            found.records_at_risk()
