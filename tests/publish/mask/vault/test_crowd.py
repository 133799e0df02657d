"""Writers at the same time, and writers that die: one token a value, whatever happens."""

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from cobogo.publish.mask.vault import Vault, VaultKey
from cobogo.publish.mask.vault.store import VaultStore
from support.vaults import emptied, raw

pytestmark = pytest.mark.slow

PROGRAM = """
import sys
from cobogo.publish.mask.vault import Vault, access
access.BATCH = 200
place, key, seed, domain, many = sys.argv[1:]
import random
values = [f"person {n:05d}" for n in range(int(many))]
random.Random(int(seed)).shuffle(values)
opened = Vault.open(place, key)
print("ready", flush=True)
sys.stdin.readline()
tokens = opened.tokenize(domain, values)
print(*(f"{value}\\t{token}" for value, token in zip(values, tokens)), sep="\\n")
"""


@pytest.fixture(params=["sqlite", "postgresql"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Where a vault may be made."""
    return str(tmp_path / "v.db") if request.param == "sqlite" else emptied(request.getfixturevalue("postgresql"))


def started(place: str, key: VaultKey, seed: int, many: int, directory: Path) -> subprocess.Popen[str]:
    """Another process that is about to write to the vault."""
    file = directory / f"{seed}.key"
    key.save(file)
    process = subprocess.Popen(
        [sys.executable, "-c", PROGRAM, place, str(file), str(seed), "d", str(many)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    return process


def go(process: subprocess.Popen[str]) -> None:
    """Let it begin."""
    assert process.stdin is not None
    process.stdin.write("\n")
    process.stdin.flush()


@pytest.mark.parametrize("form", ["opaque", "shape"])
def test_writers_at_once_give_one_token_a_value(place: str, form: str, tmp_path: Path) -> None:
    steward, _ = Vault.create(place)
    steward.add_domain("d", format=form)
    key = steward.issue("d", roles="tokenize")
    writers = [started(place, key, seed, 2000, tmp_path) for seed in (1, 2)]
    for writer in writers:
        go(writer)
    steward.rotate("d")
    told = [writer.communicate(timeout=120)[0] for writer in writers]
    assert [writer.returncode for writer in writers] == [0, 0]
    seen = [dict(line.split("\t") for line in lines.splitlines()) for lines in told]
    assert seen[0] == seen[1]
    assert len(seen[0]) == len(set(seen[0].values())) == steward.check() == 2000
    assert steward.detokenize("d", list(seen[0].values())) == list(seen[0])
    assert steward.log()[0][-1].action == "detokenize"


def test_a_writer_that_is_killed_loses_nothing(place: str, tmp_path: Path) -> None:
    steward, _ = Vault.create(place)
    steward.add_domain("d")
    key = steward.issue("d", roles="tokenize")
    chance = random.Random(0)
    held: dict[str, str] = {}
    for seed in range(2):
        writer = started(place, key, seed, 100_000, tmp_path)
        before = len(held)
        go(writer)
        late = time.monotonic() + 60
        while raw(place, "SELECT COUNT(*) FROM cobogo_vault_tokens")[0][0] <= before:
            assert time.monotonic() < late
            time.sleep(0.005)
        time.sleep(chance.random() * 0.05)
        os.kill(writer.pid, signal.SIGKILL)
        writer.communicate()
        tokens = [row[0] for row in raw(place, "SELECT token FROM cobogo_vault_tokens")]
        now = dict(zip(steward.detokenize("d", tokens), tokens, strict=True))
        assert len(now) == len(tokens), "no value has two tokens"
        assert held.items() <= now.items(), "nothing that was there is lost"
        told = sum(int(entry.detail.split()[0]) for entry in steward.log()[0] if entry.action == "tokenize")
        assert told >= len(tokens), "what was written was logged with it"
        assert steward.check() >= len(tokens)  # a server may end what its dead client had asked for
        held = now
    assert 0 < len(held) < 100_000
    values = list(held)[::-1] + [f"person {n:05d}" for n in range(500)]
    final = dict(zip(values, steward.tokenize("d", values), strict=True))
    assert held.items() <= final.items()
    assert len(set(final.values())) == len(final)


def test_a_crash_while_rotating_changes_nothing(place: str) -> None:
    steward, key = Vault.create(place)
    steward.add_domain("d")
    tokens = steward.tokenize("d", ["Ana", "Rui"])
    child = os.fork()
    if child == 0:
        from cobogo.publish.mask.vault import stewardship

        stewardship._renew_grants = lambda *_: os.kill(os.getpid(), signal.SIGKILL)
        Vault.open(place, key).rotate("d")
        os._exit(0)
    assert os.waitpid(child, 0)[1] == signal.SIGKILL
    again = Vault.open(place, key)
    assert again.detokenize("d", tokens) == ["Ana", "Rui"]
    assert again.tokenize("d", ["Rui"]) == tokens[1:]
    assert VaultStore(place).exists()
