"""Made-up contents of reports: a typical one, and the kinds that break reports."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from cobogo.tell.report.content import (
    AttributeStory,
    Content,
    LatticeStory,
    Risk,
    RunnerUp,
    SensitiveStory,
)

HOSTILE = (
    "<script>alert(1)</script>", "$x_1$ and $", "\\frac{1}{0} _^&%#", "\"'><img src=x onerror=alert(1)>",
    "{{ 7*7 }} {n} %s", "y" * 500, None, "😀👩‍👩‍👧 年齢", "\u202eعربي עברית", "", "*",
    "a\nb\tc\x00\x07", "_hidden", "100 %",
)  # fmt: skip
"""Values that a table may well hold, and that HTML, TeX, templates or type faces stumble over."""


def summary(content_sizes: Any, levels: dict[str, int] | None, **more: Any) -> dict[str, Any]:
    """What report.json holds."""
    kept = int(content_sizes.sum())
    return {
        "records": kept + 61,
        "suppressed": 61,
        "classes": {"count": len(content_sizes), "min": int(content_sizes.min()), "max": int(content_sizes.max())},
        "metrics": {"loss": 0.170123, "precision": 0.25, "discernibility": 12345678.0, "c_avg": None, "height": 3.0},
        "models": [
            {"model": "k-anonymity", "k": 4, "satisfied": True, "measured": float(content_sizes.min())},
            {
                "model": "l-diversity",
                "attribute": "raca_cor",
                "kind": "distinct",
                "l": 3,
                "satisfied": True,
                "measured": 3.0,
            },
        ],
        "search": {"algorithm": "optimal", "optimal": True, "nodes": 9, "checked": 6},
        "seconds": {"read": 0.21, "search": 0.001, "apply": 0.1, "verify": 0.1, "write": 0.1},
        "policy": {"suppression_limit": 0.05, "metric": "loss"},
        "version": "0.1.0",
        **({} if levels is None else {"levels": levels}),
        **more,
    }


def _typical() -> Content:
    sizes = np.array([4] * 40 + list(range(5, 60)) + [150, 300, 912, 1685])
    lattice = np.array([(a, b) for a in range(3) for b in range(3)])
    places = tuple((f"Bairro {i}/Fortaleza/CE", 900 // (i + 1)) for i in range(300))
    towns = (("Fortaleza/CE", 3000), ("Caucaia/CE", 1000), (None, 300), ("Crato/CE", 20))
    years = tuple((str(year), 60) for year in range(1940, 2000))
    return Content(
        source="dados_covid-ce.csv",
        created="2025-11-15T10:06:30-03:00",
        summary=summary(sizes, {"localidade": 1, "data_nascimento": 2}),
        metric="loss",
        attributes=(
            AttributeStory("cpf", "identifier"),
            AttributeStory(
                "localidade",
                "quasi-identifier",
                ("Aldeota/Fortaleza/CE", "Fortaleza/CE", "CE"),
                1,
                300,
                4,
                places,
                towns,
            ),
            AttributeStory(
                "data_nascimento", "quasi-identifier", ("15/03/1980", "03/1980", "1980"), 2, 14210, 60, (), years
            ),
            AttributeStory("raca_cor", "sensitive", distinct_before=5, distinct_after=5),
        ),
        class_sizes=sizes,
        largest=tuple((("Fortaleza/CE", str(1970 + i)), int(size)) for i, size in enumerate(sizes[::-1][:10])),
        quasi_identifiers=("localidade", "data_nascimento"),
        risk_before=Risk(1.0, 0.71),
        risk_after=Risk(0.25, len(sizes) / float(sizes.sum())),
        sensitive=(SensitiveStory("raca_cor", 1.0, 0.7123, np.arange(len(sizes)) % 3 + 3),),
        runners_up=(RunnerUp({"localidade": 2, "data_nascimento": 1}, 0.2314, 12, 340),),
        lattice=LatticeStory(("localidade", "data_nascimento"), lattice, lattice.sum(axis=1) >= 3, 5),
    )


def _one_class() -> Content:
    """One attribute, one class, nothing sensitive, no levels: as a local recoding of a tiny table might give."""
    sizes = np.array([7])
    return Content(
        source="tiny.csv",
        created="some day",
        summary={key: value for key, value in summary(sizes, None).items() if key in ("records", "suppressed")},
        metric="loss",
        attributes=(AttributeStory("sex", "quasi-identifier"),),
        class_sizes=sizes,
        largest=((("*",), 7),),
        quasi_identifiers=("sex",),
        risk_before=Risk(1.0, 1.0),
        risk_after=Risk(1 / 7, 1 / 7),
    )


def _wide() -> Content:
    """Fifty quasi-identifiers with hierarchies of many heights, forty classes shown."""
    names = tuple(f"attribute {i:02d}" for i in range(50))
    sizes = np.arange(1, 201) ** 3
    stories = tuple(
        AttributeStory(
            name, "quasi-identifier", tuple("x" * (12 - level) for level in range(i % 12 + 1)), min(i % 3, i % 12),
            100, 5, tuple((str(v), 10) for v in range(30)), (("0", 300),),
        )
        for i, name in enumerate(names)
    )  # fmt: skip
    levels = {story.name: story.level or 0 for story in stories}
    nodes = np.array([[(node >> bit) & 1 for bit in range(7)] for node in range(128)])
    return replace(
        _typical(),
        summary=summary(sizes, levels),
        attributes=stories,
        class_sizes=sizes,
        largest=tuple(
            (tuple("*" if i % 2 else f"value {i}" for i in range(50)), int(size)) for size in sizes[::-1][:40]
        ),
        quasi_identifiers=names,
        sensitive=tuple(SensitiveStory(f"s{i}", 1.0, 1.0, np.arange(1, 201) + 0) for i in range(14)),
        runners_up=(RunnerUp(levels, 0.5, 0, 10),),
        lattice=LatticeStory(names[:7], nodes, nodes.sum(axis=1) > 3, 127),
    )


def _hostile() -> Content:
    """Every text that comes from the data or the policy is one of those that break things."""
    names = tuple(text or "(none)" for text in HOSTILE)
    values = tuple((text, 100 - i) for i, text in enumerate(HOSTILE))
    sizes = np.array([100 - i for i in range(len(HOSTILE))])
    lattice = np.zeros((1, len(names)), dtype=np.int64)
    content = replace(
        _typical(),
        source=HOSTILE[0] or "",
        summary=summary(sizes, dict.fromkeys(names, 0), warnings=[HOSTILE[0], HOSTILE[5]]),
        attributes=tuple(
            AttributeStory(
                name, "quasi-identifier", tuple(text or "" for text in HOSTILE), 1, 14, 14, values, values[::-1]
            )
            for name in names
        ),
        class_sizes=sizes,
        largest=tuple((HOSTILE, int(size)) for size in sizes),
        quasi_identifiers=names,
        sensitive=tuple(SensitiveStory(name, 1.0, 0.5, np.array([1, 2, 50])) for name in names),
        runners_up=(),
        lattice=LatticeStory(names, lattice, np.array([True]), 0),
        warnings=(HOSTILE[3] or "",),
    )
    content.summary["models"][1]["attribute"] = HOSTILE[0]  # type: ignore[index]
    return content


CONTENTS = {"typical": _typical, "one_class": _one_class, "wide": _wide, "hostile": _hostile}


@pytest.fixture
def typical() -> Content:
    return _typical()


@pytest.fixture(params=CONTENTS)
def content(request: pytest.FixtureRequest) -> Content:
    """Each of the made-up contents in turn."""
    return CONTENTS[request.param]()


@pytest.fixture
def hostile() -> Content:
    return _hostile()


@pytest.fixture
def wide() -> Content:
    return _wide()


@pytest.fixture
def one_class() -> Content:
    return _one_class()
