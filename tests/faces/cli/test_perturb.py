"""``cobogo perturb``: what it says, writes and refuses."""

import json
from pathlib import Path

import pytest

from support.small_job import POLICY, cobogo

pytestmark = pytest.mark.slow


def test_perturb_verify_and_what_fails(here: Path) -> None:
    policy = (
        POLICY.partition("[privacy]")[0]
        + """[privacy]
models = [{ model = "rho1-rho2-privacy", rho1 = 0.1, rho2 = 0.5 }]
[randomization]
method = "uniform"
"""
    )
    (here / "r.toml").write_text(policy, encoding="utf-8")
    said = cobogo("perturb", "r.toml", "--out", "out", cwd=here).stdout
    assert "rho1-rho2-privacy (disease, rho1 = 0.1, rho2 = 0.5): measured 0.5 ✓" in said
    assert "uniform of “disease”: 80% retained" in said
    assert "The release holds." in cobogo("verify", "out", cwd=here).stdout
    report = json.loads(cobogo("perturb", "r.toml", "--out", "out", "--json", cwd=here).stdout)
    assert (report["kind"], report["records"]) == ("randomization", 4)
    assert cobogo("perturb", "r.toml", "--out", "out", "--quiet", cwd=here).stdout == ""
    assert "does not say where the release goes" in cobogo("perturb", "r.toml", cwd=here, code=2).stderr
    assert "does not say what to do" in cobogo("perturb", "p.toml", "--out", "out", cwd=here, code=2).stderr
    (here / "s.toml").write_text(policy + "seed = 1\n", encoding="utf-8")
    assert "seed" in cobogo("perturb", "s.toml", "--out", "seeded", cwd=here, code=1).stderr
    assert "does NOT hold" in cobogo("verify", "seeded", cwd=here, code=1).stdout
