"""A table of people, and a policy that randomizes it by each method."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa

N = 3000
RHO = {"model": "rho1-rho2-privacy", "rho1": 0.05, "rho2": 0.5}
OF_TABLE = RHO | {"prior": "table"}
UPWARD = OF_TABLE | {"model": "upward-rho1-rho2-privacy"}
ASKED: dict[str, list[dict[str, Any]]] = {
    "uniform": [RHO, {"model": "local-differential-privacy", "epsilon": 2.5}],
    "gamma-diagonal": [{"model": "gamma-amplification", "gamma": 3000}],
    "warner": [RHO],
    "fine-grain": [OF_TABLE],
    "value-dependent": [OF_TABLE],
    "small-domain": [UPWARD],
    "alpha-beta": [{"model": "d-gamma-privacy", "d": 0.05, "gamma": 0.3}],
    "perturbed-generalization": [{"model": "k-anonymity", "k": 5}, {"model": "delta-growth", "delta": 0.3}],
}


def table() -> Any:
    random = np.random.default_rng(8)
    shares = 1 / np.arange(1, 9)
    disease = random.choice([f"d{n}" for n in range(8)], N, p=shares / shares.sum())
    return pa.table({
        "name": [f"p{n}" for n in range(N)],
        "age": [str(a) for a in random.integers(20, 60, N)],
        "city": random.choice(["Sobral", "Crato", "Caucaia"], N).tolist(),
        "disease": [None if n % 50 == 0 else d for n, d in enumerate(disease.tolist())],
        "smokes": random.choice(["yes", "no"], N, p=[0.2, 0.8]).tolist(),
    })  # fmt: skip


def policy(method: str, **changes: Any) -> dict[str, Any]:
    sensitive, other = ("smokes", "disease") if method == "warner" else ("disease", "smokes")
    return {
        "attributes": {
            "name": {"role": "identifier"},
            "age": {"role": "quasi-identifier", "hierarchy": {"intervals": [5, 10, 20], "top": True}},
            "city": {"role": "quasi-identifier"},
            sensitive: {"role": "sensitive"},
            other: {"role": "identifier"},
        },
        "privacy": {"models": ASKED[method]},
        "randomization": {"method": method, **changes},
    }
