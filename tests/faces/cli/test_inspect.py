"""``cobogo inspect``: no value is shown, and the starter policy runs."""

import json
import tomllib
from pathlib import Path

import jsonschema
import openpyxl
import pandas as pd
import pyreadstat

from support.small_job import cobogo


def test_inspect_shows_no_values_and_writes_a_policy_that_runs(here: Path) -> None:
    rows = "".join(
        f"{n} Silva;{20 + i % 40};{c};flu\n" for i, (n, c) in enumerate([("Ana", "Sobral"), ("Bia", "Crato")] * 60)
    )
    (here / "a.csv").write_text("nome;idade;cidade;doenca\n" + rows + "Caio Silva;30;Crato;cold\n" * 40)
    said = cobogo("inspect", "a.csv", "--write", "new.toml", cwd=here).stdout
    assert not [value for value in ("Silva", "Sobral", "flu") if value in said]
    text = (here / "new.toml").read_text()
    assert tomllib.loads(text)["data"] == {"path": "a.csv", "separator": ";", "encoding": "utf-8", "decimal": "."}
    (here / "new.toml").write_text(text.replace("CONFIRM ", ""))
    cobogo("anonymize", "new.toml", cwd=here)
    assert "already exists" in cobogo("inspect", "a.csv", "--write", "new.toml", cwd=here, code=2).stderr
    assert [c["column"] for c in json.loads(cobogo("inspect", "a.csv", "--json", cwd=here).stdout)] == [
        "nome", "idade", "cidade", "doenca",
    ]  # fmt: skip


def test_a_starter_policy_says_where_in_its_file_the_table_is(here: Path) -> None:
    book = openpyxl.Workbook()
    book.active.title = "people"
    for line in (["idade", "cidade"], *([20 + n % 3, "Crato"] for n in range(30))):
        book.active.append(line)
    book.create_sheet("other").append(["x"])
    book.save(here / "a.xlsx")
    assert '"people", "other"' in cobogo("inspect", "a.xlsx", cwd=here, code=2).stderr
    cobogo("inspect", "a.xlsx", "--sheet", "people", "--range", "A1:A31", "--write", "new.toml", cwd=here)
    written = tomllib.loads((here / "new.toml").read_text())
    assert written["data"] == {"path": "a.xlsx", "sheet": "people", "range": "A1:A31", "decimal": "."}
    assert [*written["attributes"]] == ["idade"]


def test_a_starter_policy_has_the_labels_as_a_hierarchy(here: Path) -> None:
    frame = pd.DataFrame({"cidade": [float(n % 4) for n in range(40)]})
    names = {0.0: "Crato", 1.0: "Sobral", 2.0: "Sobral"}
    pyreadstat.write_sav(frame, here / "a.sav", variable_value_labels={"cidade": names})
    cobogo("inspect", "a.sav", "--labels", "hierarchy", "--write", "new.toml", cwd=here)
    written = tomllib.loads((here / "new.toml").read_text())
    tree = {"Crato": ["0"], "Sobral": ["1", "2"], "3": ["3"]}
    assert written["data"]["labels"] == "hierarchy"
    assert written["attributes"]["cidade"]["hierarchy"] == {"tree": tree, "top": True}


def test_the_label_of_a_variable_says_what_its_name_does_not(here: Path) -> None:
    frame = pd.DataFrame({"V1": ["F", "M"] * 20, "V2": ["a", "b"] * 20})
    pyreadstat.write_sav(frame, here / "a.sav", column_labels=["Sexo do entrevistado", None])
    cobogo("inspect", "a.sav", "--write", "new.toml", cwd=here)
    written = (here / "new.toml").read_text(encoding="utf-8")
    assert "# its label is about sex" in written
    assert 'title = "Sexo do entrevistado"' in written
    attributes = tomllib.loads(written)["attributes"]
    assert attributes["V1"]["role"] == "quasi-identifier"
    assert attributes["V2"]["role"].startswith("CONFIRM")


def test_a_starter_policy_names_the_schema_that_editors_check_it_with(here: Path) -> None:
    cobogo("inspect", "a.csv", "--write", "new.toml", cwd=here)
    starter = (here / "new.toml").read_text(encoding="utf-8")
    first, _, _ = starter.partition("\n")
    assert first == "#:schema cobogo.schema.json"
    beside = json.loads((here / "cobogo.schema.json").read_text(encoding="utf-8"))
    assert beside == json.loads(cobogo("schema", cwd=here).stdout)
    check = jsonschema.Draft202012Validator(beside)
    confirmed = tomllib.loads(starter.replace("CONFIRM ", ""))
    assert check.is_valid(confirmed)
    assert not check.is_valid(confirmed | {"privcy": {}})
    confirmed["privacy"]["models"][0]["k"] = 0
    (wrong,) = check.iter_errors(confirmed)
    assert list(wrong.path) == ["privacy", "models", 0]


def test_another_file_of_the_schema_s_name_stays_as_it_is(here: Path) -> None:
    (here / "cobogo.schema.json").write_text("{}")
    cobogo("inspect", "a.csv", "--write", "new.toml", cwd=here)
    assert (here / "cobogo.schema.json").read_text() == "{}"


def test_a_wrong_separator_is_guessed_at(here: Path) -> None:
    (here / "a.csv").write_text("cidade;renda\n" + "Crato;1,5\n" * 30)
    assert 'separated by ";"' in cobogo("inspect", "a.csv", "--separator", ",", cwd=here, code=2).stderr
    assert 'with ";" in its name' in cobogo("inspect", "a.csv", "--separator", "|", cwd=here).stdout
