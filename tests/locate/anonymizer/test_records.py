"""What the anonymizer remembers, and forgets."""

from __future__ import annotations

import numpy as np

from cobogo.locate.anonymizer.records import FIRST, PositionRecords


def test_old_reports_are_not_kept() -> None:
    records = PositionRecords()
    for second in range(2 * FIRST):
        records.add(f"p{second % 7}", 1.0, 2.0, float(second))
    log = records._log.lon
    assert not records.expire(2 * FIRST - 50.0)
    assert len(records.reports_between(-np.inf, np.inf)) == 50
    assert not log.any()  # nothing is left in the memory that was used
    assert records.people == 7
    assert records.expire(2 * FIRST)
    assert (records.people, len(records.current(-1.0))) == (0, 0)
