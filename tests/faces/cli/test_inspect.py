"""``cobogo inspect``: no value is shown, and the starter policy runs."""

import json
import tomllib
from pathlib import Path

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
