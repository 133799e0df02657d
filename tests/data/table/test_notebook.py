"""In the kernel of a notebook, where an engine may be told otherwise what it may set and print."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest

pytestmark = pytest.mark.slow

KERNEL = """
import sys, types

class Shell:
    config = {"IPKernelApp": {}}

kernel = types.ModuleType("IPython")  # all that DuckDB asks a kernel for, to know that it runs in one
kernel.get_ipython = Shell
sys.modules["IPython"] = kernel

import pyarrow as pa
import duckdb
import cobogo as cb

try:
    duckdb.connect().execute("SET enable_progress_bar = false")
except duckdb.Error:
    print("this kernel lacks ipywidgets")

people = pa.table({"city": ["zqicó"] + ["Sobral"] * 4, "disease": ["flu", "flu", "cough", "flu", "cough"]})
roles = {"city": {"role": "quasi-identifier", "max-level": 0}, "disease": {"role": "sensitive"}}
asked = {"models": [{"model": "k-anonymity", "k": 2}]}
policy = {"attributes": roles, "privacy": asked, "recoding": {"suppression-limit": 0.5}}
release = cb.anonymize(people, policy)
print(len(release.to_pandas()), "zqicó" in repr(release.rows()))
"""


def test_a_kernel_without_ipywidgets_makes_a_release_and_prints_no_lookup() -> None:
    done = subprocess.run([sys.executable, "-c", KERNEL], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    assert done.stdout.splitlines()[-1] == "4 False"


CELLS = [
    """
import importlib.util, warnings
assert importlib.util.find_spec("ipywidgets") is None, "this kernel is not bare"
import pandas as pd
import cobogo as cb
from cobogo.floor import progress
progress.PAUSE = 0
people = pd.DataFrame({
    "nome": [f"zqana{n} zqlima" for n in range(40)],
    "sexo": ["F", "M"] * 20,
    "nascimento": [f"{1 + n % 28:02}/{1 + n % 12:02}/{1960 + n % 4}" for n in range(40)],
    "diagnostico": ["zqflu", "zqgout", "zqhiv", "zqflu"] * 10,
})
""",
    "cb.inspect(people)",
    "policy = cb.inspect(people).policy(k=4, l=2)\npolicy",
    "release = cb.anonymize(people, policy)\nrelease",
]


def test_a_bare_kernel_inspects_decides_anonymizes_and_shows_it() -> None:
    """A real kernel without ipywidgets: every object has its page, progress shows while a cell runs, and what is saved
    in the notebook has no value of the data."""
    import nbformat
    from nbclient import NotebookClient

    book: Any = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in CELLS])
    NotebookClient(book, timeout=240, kernel_name="python3").execute()
    outputs = [cell.outputs for cell in book.cells]
    shown = ["".join(one.data.get("text/html", "") for one in each if "data" in one) for each in outputs]
    assert ["suggested role" in shown[1], "quasi-identifier" in shown[2], "k-anonymity (k = 4)" in shown[3]] == [
        True
    ] * 3
    lines = [one for one in outputs[3] if one.output_type == "display_data"]
    assert [one.data["text/plain"] for one in lines] == [""], "progress was shown, and taken away"
    assert "zq" not in str(outputs)
