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


@pytest.mark.parametrize("statement", ["import cobogo", "import cobogo.faces.cli.main"])
def test_nothing_heavy_is_imported(statement: str) -> None:
    assert not loaded_by(statement) & set(HEAVY)


SPARED = {
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
"""What a small release of a CSV file does without."""

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
    command = "run(['anonymize', 'policy.toml', '--out', 'out', '--quiet'])"
    code = f"from cobogo.faces.cli.main import run\ntry: {command}\nexcept SystemExit as end: assert not end.code"
    loaded = loaded_by(f"import os\nos.chdir({str(tmp_path)!r})\n{code}")
    assert (tmp_path / "out" / "evidence" / "report.html").exists()
    assert not loaded & SPARED


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
    command = "run(['answer', 'sql', 'SELECT town, COUNT(*) FROM people GROUP BY town', '--epsilon', '1'])"
    code = f"from cobogo.faces.cli.main import run\ntry: {command}\nexcept SystemExit as end: assert not end.code"
    loaded = loaded_by(f"import os\nos.chdir({str(tmp_path)!r})\n{code}")
    assert "opendp" in loaded
    assert not loaded & {"numba", "pandas", "polars", "scipy", "sklearn", "matplotlib"}


def test_using_a_table_does_not_import_plots() -> None:
    assert "matplotlib" not in loaded_by("import cobogo; cobogo.anonymize; cobogo.verify")
