"""Location attacks do what theory and plain counting say they do."""

from __future__ import annotations

import numpy as np
import pytest

from cobogo.locate.attacks import (
    ATTACKS,
    Scene,
)
from cobogo.locate.attacks.base import NEEDS
from cobogo.locate.mechanisms.base import Released, no_cost
from cobogo.locate.places.points import Points
from support.location_scenes import cloaked_by_time, crossing, lives, scene
from support.stand_ins import Noise, square

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("name", ATTACKS)
def test_every_attack_keeps_the_contract(name: str) -> None:
    attack = ATTACKS[name]()
    assert attack.name == name
    assert attack.__doc__
    assert attack.knows
    truth, homes = lives(people=5, days=2)
    if name == "aggregated-presence":  # two who live and work together
        twin = truth.take(truth.user == 0)
        truth = Points(
            np.concatenate([truth.lon, twin.lon]),
            np.concatenate([truth.lat, twin.lat]),
            np.concatenate([truth.time, twin.time]),
            np.concatenate([truth.user, np.full(len(twin), 5)]),
        )
    case = scene(truth, Noise(0.01), grid=square(20, 200.0), places=homes, crossings=crossing(4, 1, 10))
    regions = attack.needs & {"boxes", "regions or sets"}
    if regions:
        assert attack.lacks(case) == f"needs {NEEDS[next(iter(regions))]}"
        case = Scene(truth, cloaked_by_time(truth, 3), square(20, 200.0))
    assert attack.lacks(case) is None
    found = attack.run(case)
    assert 0 <= found.success <= 1
    assert 0 <= found.baseline < 1
    assert found.attacked > 0
    told = found.to_dict()
    assert told["attack"] == name
    assert set(told) >= {"success", "baseline", "error_metres", "figures", "knows"}
    bare = Points.from_columns(truth.lon, truth.lat)
    if attack.needs & {"users", "times"}:
        assert "needs" in (attack.lacks(Scene(bare, Released(bare, no_cost(bare)), square())) or "")
