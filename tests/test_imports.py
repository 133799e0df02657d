"""Starting is quick because heavy libraries are imported when they are used."""

import subprocess
import sys

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


def test_using_a_table_does_not_import_plots() -> None:
    assert "matplotlib" not in loaded_by("import cobogo; cobogo.anonymize; cobogo.verify")
