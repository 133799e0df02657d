"""What the plan foretells is what a simulated collection sees."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from cobogo.collect.power import detection, required_users, smallest_share, threshold
from cobogo.collect.rappor.decode import Decoding, decode
from cobogo.collect.rappor.filters import RapporParameters, count_reports, encode
from cobogo.floor.randomness import Seeded
from support.asked import ORACLES
from support.effort import examples

pytestmark = pytest.mark.slow

each = pytest.mark.parametrize("name", ORACLES)


@each
@settings(max_examples=examples(20), deadline=None)
@given(
    values=st.integers(2, 5000),
    epsilon=st.floats(0.2, 4),
    users=st.integers(10_000, 10_000_000),
    power=st.floats(0.5, 0.99),
)
def test_shares_and_users_are_each_other_s_inverse(name, values, epsilon, users, power):
    oracle = ORACLES[name](values, epsilon)
    share = smallest_share(oracle, users, power=power)
    if share is None:
        assert detection(oracle, 1.0, users) < power
        return
    assert detection(oracle, share, users) == pytest.approx(power, abs=1e-6)
    needed = required_users(oracle, share, power=power)
    assert needed == pytest.approx(users, rel=1e-6, abs=1)
    assert detection(oracle, share, needed) >= power - 1e-6


@each
def test_a_value_is_seen_as_often_as_foretold(name):
    """A value of the smallest share, among many that nobody holds: how often it is significant, and they are."""
    users, repeats, values, alpha, power = 2_000, 400, 20, 0.2, 0.7
    sketch = {"rows": 64, "width": 64} if name in ("cms", "hcms", "flh") else {}
    oracles = [ORACLES[name](values, 2.0, **sketch, **({"seed": n} if sketch else {})) for n in range(repeats)]
    oracle = oracles[0]
    share = smallest_share(oracle, users, alpha=alpha, power=power)
    assert share is not None
    held = np.ones(users, dtype=np.int64)
    held[: round(share * users)] = 0
    source = Seeded(31)
    found = np.array([one.estimate(one.support(one.encode(held, source)), users).counts for one in oracles])
    significant = found > threshold(oracle, users, alpha=alpha)
    assert abs(significant[:, 0].mean() - power) < 5.2 * np.sqrt(power * (1 - power) / repeats) + 0.02
    false_alarm = significant[:, 2:].any(axis=1).mean()
    assert false_alarm < alpha + 5.2 * np.sqrt(alpha * (1 - alpha) / repeats)


@pytest.mark.parametrize("candidates", [5, 120])
def test_rappor_sees_a_string_as_often_as_foretold(candidates):
    parameters = RapporParameters.from_decimals(bits=32, hashes=2, cohorts=8, f="0.25", p="0.35", q="0.65")
    users, repeats, alpha, power = 8_000, 60, 0.05, 0.7
    plan = Decoding(parameters, candidates)
    share = smallest_share(plan, users, alpha=alpha, power=power)
    assert share is not None
    names = [f"string {number}" for number in range(candidates)]
    held = 1 + np.arange(users) % (candidates - 1)
    held[: round(share * users)] = 0
    source = Seeded(32)
    errors, seen = [], 0
    for _ in range(repeats):
        found = decode(
            count_reports(encode(names, held, parameters, source), parameters), names, parameters, level=alpha
        )
        if names[0] in found.strings:
            seen += 1
            errors.append(found.errors[found.strings.index(names[0])])
    assert stats.binomtest(seen, repeats, power).pvalue > 1e-4
    foretold = np.sqrt(plan.variance(np.array([share * users]), users)[0])
    assert np.mean(errors) == pytest.approx(foretold, rel=0.15)


def test_more_is_seen_with_more_users_more_epsilon_and_fewer_candidates():
    def share(users=100_000, epsilon=1.0, **options):
        return smallest_share(ORACLES["olh"](1000, epsilon), users, **options)

    assert share(users=400_000) == pytest.approx(share() / 2, rel=0.02)
    assert share(epsilon=2.0) < share()
    assert share(candidates=1) < share()
    assert share(alpha=0.5) < share()
    assert share(power=0.5) < share()


def test_nothing_to_be_seen():
    oracle = ORACLES["grr"](1000, 0.1)
    assert smallest_share(oracle, 10) is None
    assert required_users(oracle, 0.0) is None
    assert required_users(oracle, 1e-9) is None


@pytest.mark.parametrize(
    ("wrong", "share", "users"),
    [
        ({"alpha": 0}, 0.1, 10),
        ({"alpha": 1}, 0.1, 10),
        ({"power": 1.0}, 0.1, 10),
        ({"power": 0.4}, 0.1, 10),
        ({"candidates": 0}, 0.1, 10),
        ({}, 1.5, 10),
        ({}, -0.1, 10),
        ({}, float("nan"), 10),
        ({}, 0.1, 0),
    ],
)
def test_questions_that_make_no_sense(wrong, share, users):
    oracle = ORACLES["grr"](4, 1.0)
    with pytest.raises(ValueError, match="must be"):
        required_users(oracle, share, **wrong) and smallest_share(oracle, users, **wrong)
