"""The compiled kernels write where they may and count no further than their numbers reach."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pytest

import cobogo as cb
from support.paths import ROOT

pytestmark = pytest.mark.slow

SUPPORT = ROOT / "tests" / "support"
QUICK = ("optimal", "k-member", "mdav", "anatomy")
"""Algorithms whose kernels take little to compile."""


@pytest.mark.parametrize(
    ("how", "algorithms"),
    [
        ("NUMBA_DISABLE_JIT", ()),
        pytest.param("NUMBA_BOUNDSCHECK", QUICK, marks=pytest.mark.evidence),
    ],
    ids=["plain", "compiled"],
)
def test_no_kernel_reaches_beyond_its_arrays_or_its_numbers(
    how: str, algorithms: tuple[str, ...], tmp_path: Path
) -> None:
    source = str(Path(cb.__file__).parents[1])
    clean = {name: value for name, value in os.environ.items() if not name.startswith("NUMBA_")}
    clean |= {how: "1", "NUMBA_CACHE_DIR": str(tmp_path), "NUMBA_OPT": "0"}  # compiled once: quickly, not well
    clean["PYTHONPATH"] = os.pathsep.join([source, str(ROOT / "tests")])
    done = subprocess.run(
        [sys.executable, str(SUPPORT / "kernel_tasks.py"), *algorithms], env=clean, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr


def test_local_releases_a_table_whose_lattice_has_more_nodes_than_64_bits_can_count() -> None:
    rows = [{f"q{column}": f"{row * (column + 7) ** 3 % 10**9:09d}" for column in range(22)} for row in range(40)]
    release = cb.anonymize(
        pa.Table.from_pylist(rows),
        {
            "attributes": {name: {"role": "quasi-identifier", "hierarchy": {"mask": "right"}} for name in rows[0]},
            "privacy": {"models": [{"model": "k-anonymity", "k": 2}]},
            "recoding": {"algorithm": "local", "suppression-limit": 1.0, "time-limit": 2.0},
        },
    )
    assert release.to_pandas().value_counts(dropna=False).min() >= 2
