"""In the kernel of a notebook, where an engine may be told otherwise what it may set and print."""

from __future__ import annotations

import subprocess
import sys

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
