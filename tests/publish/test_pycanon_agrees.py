"""pycanon, which shares nothing with us, measures the same k and l on what we release."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import cobogo as cb
from cobogo.errors import NoSolution
from cobogo.examples import ceara
from support.paths import ROOT

ORACLES = Path(os.environ.get("COBOGO_ORACLES", ROOT / ".venv-oracles"))
PYTHON = ORACLES / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
SCRIPT = ROOT / "tests" / "oracles" / "pycanon_k_and_l.py"

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        not PYTHON.exists(),
        reason=f"no environment with pycanon at {ORACLES}: python -m venv .venv-oracles && "
        ".venv-oracles/bin/pip install -r tests/oracles/requirements.txt (or set COBOGO_ORACLES)",
    ),
]


def pycanon(file: Path, separator: str, quasi_identifiers: list[str], sensitive: list[str]) -> tuple[int, int | None]:
    """k and l (the least over the sensitive attributes) as pycanon measures them."""
    words = [PYTHON, SCRIPT, file, separator, json.dumps(quasi_identifiers), json.dumps(sensitive)]
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    done = subprocess.run(list(map(str, words)), capture_output=True, text=True, check=False, env=environment)
    assert done.returncode == 0, done.stderr
    measured = json.loads(done.stdout)
    return measured["k"], measured["l"]


def measured(release: Path) -> tuple[int, int | None]:
    """k and l as the release's manifest has them."""
    models = json.loads((release / "public/manifest.json").read_text(encoding="utf-8"))["models"]
    k = next(model["measured"] for model in models if model["model"] == "k-anonymity")
    diverse = [model["measured"] for model in models if model["model"] == "l-diversity"]
    return k, min(diverse, default=None)


@pytest.fixture
def no_report(monkeypatch: pytest.MonkeyPatch) -> None:
    """Reports are not looked at here."""
    monkeypatch.setattr("cobogo.tell.report.write.write", lambda *_, **__: None)


@pytest.mark.usefixtures("no_report")
@pytest.mark.parametrize("seed", range(6))
def test_on_random_tables(tmp_path: Path, seed: int) -> None:
    source = random.Random(seed)
    size = source.randint(40, 300)
    data = pa.table(
        {
            "zip": [f"{source.randrange(1000):03d}" for _ in range(size)],
            "sex": [source.choice(["f", "m", None]) for _ in range(size)],
            "age": [str(source.randint(18, 60)) for _ in range(size)],
            "disease": [source.choice(["flu", "flu", "flu", "cold", "asthma", None]) for _ in range(size)],
            "salary": [str(source.randint(1, 6)) for _ in range(size)],
        }
    )
    quasi, sensitive = ["zip", "sex", "age"], ["disease", "salary"]
    policy: dict[str, Any] = {
        "data": {"separator": source.choice([",", ";", "|"])},
        "attributes": {
            "zip": {"role": "quasi-identifier", "hierarchy": {"mask": "right"}},
            "sex": {"role": "quasi-identifier"},
            "age": {"role": "quasi-identifier", "hierarchy": {"intervals": [5, 10, 20], "top": True}},
            **{name: {"role": "sensitive"} for name in sensitive},
        },
        "privacy": {
            "models": [
                {"model": "k-anonymity", "k": source.randint(2, 6)},
                {"model": "l-diversity", "l": source.randint(1, 3), "missing": "value"},  # as pycanon counts
            ]
        },
        "recoding": {"suppression-limit": source.choice([0.0, 0.1, 0.3]), "metric": source.choice(["loss", "aecs"])},
        "output": {"suppressed": source.choice(["drop", "star"])},
    }
    assert cb.anonymize(data, policy).write(tmp_path / "out")
    found = pycanon(tmp_path / "out/public/release.csv", policy["data"]["separator"], quasi, sensitive)
    assert found == measured(tmp_path / "out")
    assert found[0] >= policy["privacy"]["models"][0]["k"]
    assert (found[1] or 0) >= policy["privacy"]["models"][1]["l"]


@pytest.mark.usefixtures("no_report")
@pytest.mark.parametrize(("k", "l"), [(2, None), (4, 2), (8, 3)])
def test_on_generated_cases_of_ceara(tmp_path: Path, k: int, l: int | None) -> None:
    models: list[dict[str, Any]] = [{"model": "k-anonymity", "k": k}]
    if l is not None:
        models.append({"model": "l-diversity", "l": l})
    policy = {
        "data": {"separator": ";"},
        "attributes": {
            "nome": {"role": "identifier"},
            "cpf": {"role": "identifier"},
            "localidade": {"role": "quasi-identifier", "hierarchy": {"path": "/", "top": True}},
            "data_nascimento": {
                "role": "quasi-identifier",
                "hierarchy": {"dates": "%d/%m/%Y", "levels": ["%m/%Y", "%Y"], "top": True},
            },
            "raca_cor": {"role": "sensitive"},
        },
        "privacy": {"models": models},
        "recoding": {"suppression-limit": 0.2},
    }
    try:
        release = cb.anonymize(ceara.generate(3_000), policy)
    except NoSolution as none:
        pytest.fail(f"everything may become *, and still: {none}")
    assert release.write(tmp_path / "out")
    sensitive = [] if l is None else ["raca_cor"]
    found = pycanon(tmp_path / "out/public/release.csv", ";", ["localidade", "data_nascimento"], sensitive)
    assert found == measured(tmp_path / "out")


@pytest.mark.evidence
def test_on_the_ten_files_of_the_demo(tmp_path: Path) -> None:
    """The guide's ten releases, as the command writes them."""
    demo = tmp_path / "demo"
    words = [
        sys.executable,
        "-c",
        "from cobogo.faces.cli.main import run; run()",
        "demo",
        "--out",
        str(demo),
        "--rows",
        "3000",
    ]
    done = subprocess.run(words, capture_output=True, text=True, check=False, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    for k, l in [(2, None), (4, None), (8, None), (2, 2), (4, 2), (4, 3), (4, 4), (8, 2), (8, 3), (8, 4)]:
        name = f"dados_covid-ce_{k}_anonimizado.csv" if l is None else f"dados_covid-ce_{k}_{l}.csv"
        release = demo / "releases" / (f"{k}" if l is None else f"{k}_{l}")
        assert (demo / name).read_bytes() == (release / "public/release.csv").read_bytes()
        with (demo / name).open(encoding="utf-8") as stream:
            assert stream.readline() == "localidade;data_nascimento;raca_cor\n"
        found = pycanon(demo / name, ";", ["localidade", "data_nascimento"], ["raca_cor"])
        assert found[0] >= k, name
        assert (found[1] or 0) >= (l or 1), name
        assert found[0] == measured(release)[0], name
        if l is not None:
            assert found[1] == measured(release)[1], name
        assert cb.verify(release), name
