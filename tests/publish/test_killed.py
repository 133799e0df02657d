"""Killed at a random moment, a run leaves DIR complete and verified, or as it was before."""

import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import cobogo
from cobogo.examples import ceara
from support.commands import RUN

pytestmark = pytest.mark.slow

POLICY = """
[data]
path = "cases.csv"
separator = ";"
[attributes]
nome = {{ role = "identifier" }}
cpf = {{ role = "identifier" }}
localidade = {{ role = "quasi-identifier", hierarchy = {{ path = "/" }} }}
data_nascimento = {{ role = "quasi-identifier", hierarchy = {{ dates = "%d/%m/%Y", levels = ["%m/%Y", "%Y"] }} }}
raca_cor = {{ role = "sensitive" }}
[privacy]
models = [{{ model = "k-anonymity", k = {k} }}]
[recoding]
suppression-limit = 0.2
"""


BEGUN = "import signal; signal.signal(signal.SIGINT, signal.SIG_DFL); print('begun', flush=True)"
"""What the entry point does first; before it, an interrupt is Python's own."""


def command(policy: Path, out: Path) -> list[str]:
    return [sys.executable, "-c", BEGUN + RUN, "anonymize", str(policy), "--out", str(out)]


ENDINGS = [signal.SIGKILL, signal.SIGTERM, signal.SIGKILL, signal.SIGINT]


def test_a_killed_run_leaves_the_old_or_the_new(tmp_path: Path) -> None:
    ceara.write(tmp_path / "cases.csv", 2000)
    out = tmp_path / "out"
    policies = [tmp_path / f"{k}.toml" for k in (2, 3)]
    for policy, k in zip(policies, (2, 3), strict=True):
        policy.write_text(POLICY.format(k=k))
    start = time.monotonic()
    subprocess.run(command(policies[0], out), check=True, capture_output=True)
    whole = time.monotonic() - start
    for number, ending in enumerate(ENDINGS, 1):
        process = subprocess.Popen(command(policies[number % 2], out), stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        assert process.stdout
        assert process.stdout.readline() == b"begun\n"
        time.sleep(random.uniform(0, 1.0) * whole)
        process.send_signal(ending)
        _, said = process.communicate()
        assert b"Traceback" not in said
        assert cobogo.verify(out), "what stands at DIR holds"
    runs = [subprocess.Popen(command(policies[0], out), stdout=subprocess.DEVNULL) for _ in range(2)]
    assert [run.wait() for run in runs] == [0, 0], "two at once both end, and one of them is put in place"
    assert cobogo.verify(out)
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["2.toml", "3.toml", "cases.csv", "out"]
