"""Masking on every engine; where an engine keeps its records, by its workers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import cobogo as cb
from cobogo.data.engines.engine import connect
from cobogo.data.table.columns import stream_columns
from cobogo.errors import CobogoError, DataError, PolicyError

pytestmark = pytest.mark.slow

N = 300


def people(workplace: Path) -> None:
    """Two files, so that two workers have one each."""
    rows = pd.DataFrame(
        {
            "name": [f"Ana {n % 50}" for n in range(N)],
            "phone": [f"(85) 9{n:08}" for n in range(N)],
            "born": [f"{1 + n % 28:02}/03/19{40 + n % 60}" for n in range(N)],
            "city": ["Crato" if n % 2 else None for n in range(N)],
            "wage": [1000 + n % 7 for n in range(N)],
        }
    )
    (workplace / "people").mkdir()
    for part in range(2):
        rows[part * N // 2 : (part + 1) * N // 2].to_csv(workplace / f"people/{part}.csv", index=False)


def policy(**columns: Any) -> dict[str, Any]:
    return {
        "data": {"path": "people/"},
        "attributes": {
            "name": {"role": "identifier"},
            "phone": {"role": "identifier"},
            "born": {"role": "quasi-identifier"},
            "city": {"role": "non-sensitive"},
            "wage": {"role": "sensitive"},
        },
        "masking": {"columns": columns},
    }


def test_every_engine_masks(engine_url: str, workplace: Path) -> None:
    people(workplace)
    columns = {
        "name": {"pseudonym": True},
        "phone": {"fake": "phone", "consistent": False},
        "born": {"days": 10, "format": "%d/%m/%Y"},
        "city": {"truncate": 2},
        "wage": {"blur": 0.1},
    }
    assert cb.mask(policy(**columns), engine=engine_url).write("out")
    assert cb.verify("out")
    found = pd.read_csv("out/public/release.csv", dtype=str)
    assert len(found) == N
    assert found["name"].nunique() == 50
    assert found["phone"].nunique() > N - 20, "a substitute is drawn for each record, and no two workers draw alike"
    assert found["city"].value_counts().to_dict() == {"Cr": N // 2}


@pytest.mark.parametrize(
    ("columns", "why"),
    [
        ({"city": {"shuffle": True}}, "another record"),
        ({"name": {"encrypt": True}}, "secret"),
        ({"born": {"days": 10, "format": "%d/%m/%Y", "per": "name"}}, "secret"),
    ],
)
def test_what_workers_cannot_do_is_refused_with_the_reason(
    spark: str, workplace: Path, columns: dict[str, Any], why: str
) -> None:
    people(workplace)
    with pytest.raises(PolicyError, match=why):
        cb.mask(policy(**columns), engine=spark)


def test_a_worker_s_complaint_is_ours(spark: str, workplace: Path) -> None:
    people(workplace)
    release = cb.mask(policy(city={"blur": 0.1}), engine=spark)
    with pytest.raises(DataError, match="values are not numbers") as caught:
        release.write("out")
    assert "Crato" not in str(caught.value)
    assert not Path("out").exists()


def test_records_that_an_engine_keeps_are_not_streamed(spark: str, workplace: Path) -> None:
    people(workplace)
    rules = policy()
    del rules["masking"]
    noisy = {"steps": [{"method": "noise", "attributes": ["wage"], "deviation": 2}]}
    with pytest.raises(CobogoError, match="keeps them where they are"):
        cb.perturb({**rules, "perturbation": noisy}, engine=spark)
    table = cb.anonymize({**rules, "privacy": {"models": [{"model": "k-anonymity", "k": 1}]}}, engine=spark).table
    with pytest.raises(CobogoError, match="keeps them where they are"):
        next(stream_columns(table, ["wage"]))
    sampling = {"sampling": {"levels": {"born": 1}}}
    private = {"privacy": {"models": [{"model": "differential-privacy", "epsilon": 4, "delta": 1e-3}]}}
    assert cb.sample({**rules, **sampling, **private}, engine=spark).write("sampled")
    assert cb.verify("sampled")
    assert connect(spark).keeps_records
