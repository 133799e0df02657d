"""What RAPPOR draws with, by a million bits against the exact law."""

from __future__ import annotations

import numpy as np
from scipy import stats

from cobogo.collect.rappor.filters import RapporParameters, randomize_permanently, randomize_report
from cobogo.floor.randomness import Entropy

MANY = 1_000_000


NEVER = 1e-7  # of a test that fails a sampler that is right


def test_permanent_and_instantaneous_answers_by_a_million_bits():
    parameters = RapporParameters.from_decimals(bits=8, hashes=1, cohorts=1, f="0.3", p="0.45", q="0.8")
    filters = np.full((MANY // 8, 1), 0b11110000, dtype=np.uint8)
    kept = randomize_permanently(filters, parameters, Entropy())
    shown = randomize_report(kept, parameters, Entropy())
    for answers, if_set, if_not in (
        (kept, 1 - parameters.f / 2, parameters.f / 2),
        (shown, parameters.shown_if_set, parameters.shown_if_not),
    ):
        bits = np.unpackbits(answers, axis=1)
        assert stats.binomtest(int(bits[:, :4].sum()), MANY // 2, float(if_set)).pvalue > NEVER
        assert stats.binomtest(int(bits[:, 4:].sum()), MANY // 2, float(if_not)).pvalue > NEVER
