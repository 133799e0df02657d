"""Starting is quick because heavy libraries are imported when they are used."""

import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

HEAVY = ["ibis", "duckdb", "numba", "numpy", "pandas", "pyarrow", "matplotlib", "pydantic", "jinja2", "polars",
         "scipy", "sklearn", "pyspark", "psycopg", "sqlalchemy", "cryptography", "opendp", "jax",
         "mbi"]  # fmt: skip


def loaded_by(statement: str) -> set[str]:
    code = f"import sys\n{statement}\nprint(*{{name.split('.')[0] for name in sys.modules}})"
    return set(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split())


def loaded_by_command(place: Path, *arguments: str) -> set[str]:
    command = f"run({list(arguments)!r})"
    code = f"from cobogo.faces.cli.main import run\ntry: {command}\nexcept SystemExit as end: assert not end.code"
    return loaded_by(f"import os\nos.chdir({str(place)!r})\n{code}")


@pytest.mark.parametrize("statement", ["import cobogo", "import cobogo.faces.cli.main"])
def test_nothing_heavy_is_imported(statement: str) -> None:
    assert not loaded_by(statement) & set(HEAVY)


SPARED = {
    "ibis",
    "sqlglot",
    "numba",
    "pandas",
    "scipy",
    "matplotlib",
    "sklearn",
    "polars",
    "sqlalchemy",
    "cryptography",
    "yaml",
    "sqlite3",
}
"""What a small release of a CSV file, and its verification, do without."""

POLICY = """
data = { path = "people.csv" }
attributes.town = { role = "quasi-identifier" }
attributes.age = { role = "quasi-identifier", hierarchy = { intervals = [10, 20] } }
attributes.illness = { role = "sensitive" }
privacy.models = [{ model = "k-anonymity", k = 2 }, { model = "l-diversity", attribute = "illness", l = 2 }]
recoding.suppression-limit = 0.5
"""


def test_a_small_release_of_a_file_loads_no_compiler_and_nothing_to_compute_or_draw_with(tmp_path: Path) -> None:
    rows = "".join(
        f"{'Crato' if row % 2 else 'Sobral'},{20 + row},{'flu' if row % 3 else 'cold'}\n" for row in range(12)
    )
    (tmp_path / "people.csv").write_text("town,age,illness\n" + rows)
    (tmp_path / "policy.toml").write_text(POLICY)
    released = loaded_by_command(tmp_path, "anonymize", "policy.toml", "--out", "out", "--quiet")
    assert (tmp_path / "out" / "evidence" / "report.html").exists()
    assert not released & SPARED
    verified = loaded_by_command(tmp_path, "verify", "out")
    assert "duckdb" in verified
    assert not verified & {*SPARED, "jinja2", "PIL"}


CURATOR = """
[datasets.people]
path = "people.csv"
budget = { epsilon = 1 }
analysts = { ana = { epsilon = 1 } }
[datasets.people.columns]
town = { type = "text", keys = ["Crato", "Sobral"] }
"""


def test_a_question_loads_no_data_frames_and_nothing_that_learns(tmp_path: Path) -> None:
    (tmp_path / "people.csv").write_text("town\nCrato\nSobral\nCrato\n")
    (tmp_path / "curator.toml").write_text(CURATOR)
    question = "SELECT town, COUNT(*) FROM people GROUP BY town"
    loaded = loaded_by_command(tmp_path, "answer", "sql", question, "--epsilon", "1")
    assert "opendp" in loaded
    assert not loaded & {"ibis", "numba", "pandas", "polars", "scipy", "sklearn", "matplotlib"}


def test_help_loads_nothing_heavy(tmp_path: Path) -> None:
    assert not loaded_by_command(tmp_path, "--help") & set(HEAVY)


def test_using_a_table_does_not_import_plots() -> None:
    assert "matplotlib" not in loaded_by("import cobogo; cobogo.anonymize; cobogo.verify")
