"""The wheel, as somebody without anything of ours gets it: in a fresh environment with the core dependencies alone.

The dependencies are those of this environment, linked into the fresh one: the closure of what the wheel's metadata asks
for without extras, and nothing else. So nothing is fetched, and what belongs to an extra is truly absent.
"""

from __future__ import annotations

import importlib.metadata
import json
import os
import re
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest
from press.blocks import ROOT, blocks

from support.commands import ONE_AFTER_ANOTHER

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("wheel")]


def names_of(distribution: importlib.metadata.Distribution) -> set[str]:
    """What a distribution depends on here, without extras."""
    from packaging.requirements import Requirement

    asked = [Requirement(text) for text in distribution.requires or []]
    return {one.name for one in asked if one.marker is None or one.marker.evaluate({"extra": ""})}


def closure(first: set[str]) -> dict[str, importlib.metadata.Distribution]:
    """Distributions by their names, with all that they depend on."""
    found: dict[str, importlib.metadata.Distribution] = {}
    waiting = sorted(first)
    while waiting:
        name = re.sub(r"[-_.]+", "-", waiting.pop()).lower()
        if name not in found:
            found[name] = importlib.metadata.distribution(name)
            waiting += names_of(found[name])
    return found


def run(*command: str | Path, cwd: Path = ROOT, code: int = 0) -> str:
    """A command of its own process, with none of our paths; what it said."""
    clean = {key: value for key, value in os.environ.items() if not key.startswith(("PYTHON", "COVERAGE"))}
    clean |= {"NUMBA_DISABLE_JIT": "1", "LANG": "C.UTF-8"}  # a handful of rows is not worth compiling for
    done = subprocess.run(
        [str(word) for word in command], cwd=cwd, env=clean, capture_output=True, text=True, check=False
    )
    assert done.returncode == code, done.stdout + done.stderr
    return done.stdout + done.stderr


@pytest.fixture(scope="module")
def dist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The source distribution and the wheel, built from it."""
    for name in ("build", "hatchling"):
        pytest.importorskip(name, reason=f"{name} is missing: pip install '.[test]'")
    out = tmp_path_factory.mktemp("dist")
    run(sys.executable, "-m", "build", "--no-isolation", "--outdir", out)
    return out


@pytest.fixture(scope="module")
def fresh(dist: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The commands of a fresh environment with the wheel and its core dependencies."""
    home = tmp_path_factory.mktemp("fresh")
    run(sys.executable, "-m", "venv", "--without-pip", home)
    (wheel,) = dist.glob("*.whl")
    run(
        sys.executable,
        "-m",
        "pip",
        "--python",
        home / "bin" / "python",
        "install",
        "--quiet",
        "--no-index",
        "--no-deps",
        wheel,
    )
    (packages,) = home.glob("lib/python*/site-packages")
    (metadata,) = packages.glob("cobogo-*.dist-info")
    for distribution in closure(names_of(importlib.metadata.PathDistribution(metadata))).values():
        for top in {file.parts[0] for file in distribution.files or [] if file.parts[0] not in ("..", "__pycache__")}:
            if not (packages / top).exists():
                (packages / top).symlink_to(Path(str(distribution.locate_file(top))))
    return home / "bin"


def test_both_are_complete_and_well_described(dist: Path) -> None:
    (wheel,), (source,) = dist.glob("*.whl"), dist.glob("*.tar.gz")
    package = ROOT / "src"
    ours = {
        file.relative_to(package).as_posix()
        for file in (package / "cobogo").rglob("*")
        if file.is_file() and "__pycache__" not in file.parts
    }
    with zipfile.ZipFile(wheel) as archive:
        assert {name for name in archive.namelist() if ".dist-info/" not in name} == ours
    with tarfile.open(source) as archive:
        held = {name.partition("/")[2] for name in archive.getnames()}
    assert {"README.md", "LICENSE", "CHANGELOG.md", "CITATION.cff", "Makefile", "tests/test_wheel.py"} <= held
    assert not [name for name in held if name.startswith((".venv", "site/", "demo/")) or "__pycache__" in name]
    if pytest.importorskip("twine", reason="twine is missing: pip install '.[test]'"):
        assert run(sys.executable, "-m", "twine", "--no-color", "check", "--strict", wheel, source).count("PASSED") == 2


def test_it_runs_with_core_dependencies_alone(fresh: Path, tmp_path: Path) -> None:
    readme = list(blocks((ROOT / "README.md").read_text(encoding="utf-8")))
    for block in readme:
        if block.title in ("patients.csv", "policy.toml"):
            (tmp_path / block.title).write_text(block.body, encoding="utf-8")
    assert run(fresh / "cobogo", "--version", cwd=tmp_path).startswith("cobogo ")
    run(fresh / "cobogo", "inspect", "patients.csv", cwd=tmp_path)
    assert "measured 3 ✓" in run(fresh / "cobogo", "anonymize", "policy.toml", "--out", "release", cwd=tmp_path)
    assert (tmp_path / "release/evidence/report.html").read_text(encoding="utf-8").count("<style") == 1
    assert "The release holds." in run(fresh / "cobogo", "verify", "release", cwd=tmp_path)


MISSING = {
    "dp": ["answer", "sql", "SELECT COUNT(*) FROM patients", "--epsilon", "1"],
    "server": ["serve"],
    "spark": ["anonymize", "policy.toml", "--engine", "local[2]", "--out", "x"],
    "postgres": ["anonymize", "policy.toml", "--engine", "postgresql://localhost/x", "--out", "x"],
    "location": ["locate", "people", "--out", "x", "--number", "5"],
    "synth": ["synthesize", "synthesis.toml", "--out", "x"],
}
"""What needs each extra."""


def test_what_belongs_to_an_extra_says_what_to_install(fresh: Path, tmp_path: Path) -> None:
    for block in blocks((ROOT / "README.md").read_text(encoding="utf-8")):
        if block.title:
            (tmp_path / block.title).write_text(block.body, encoding="utf-8")
    (tmp_path / "curator.toml").write_text(
        'ledger = "l.db"\n[datasets.patients]\npath = "patients.csv"\nbudget = { epsilon = 1 }\n'
        "analysts = { ana = { epsilon = 1 } }\n"
        '[datasets.patients.columns]\nsex = { type = "text", keys = ["F", "M"] }\n'
    )
    (tmp_path / "synthesis.toml").write_text(
        '[data]\npath = "patients.csv"\n[attributes]\nname = { role = "identifier" }\nbirth = { role = "identifier" }\n'
        'place = { role = "identifier" }\nsex = { role = "quasi-identifier" }\ndisease = { role = "sensitive" }\n'
        '[synthesis]\nmethod = "mst"\nepsilon = 1.0\ndelta = 1e-9\n'
        'domains = { sex = ["F", "M"], disease = ["asthma", "dengue", "diabetes", "influenza"] }\n'
    )
    told = json.loads(run(fresh / "python", "-c", ONE_AFTER_ANOTHER, json.dumps([*MISSING.values()]), cwd=tmp_path))
    for extra, (code, said) in zip(MISSING, told, strict=True):
        assert code == 2, said
        assert f"cobogo[{extra}]" in said
        assert "Traceback" not in said
    assert not (tmp_path / "x").exists()
