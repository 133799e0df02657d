"""Reports as JSON."""

from __future__ import annotations

import json

from cobogo.locate.device import Report


def test_a_report_keeps_its_shape_as_json() -> None:
    for report in (
        Report(((1.0, 2.0), (3.0, 4.0)), 5.0),
        Report(((1.0, 2.0),), None, 30.0),
        Report(((1.0, 2.0),), 5.0, box=(0.0, 1.0, 2.0, 3.0)),
    ):
        assert Report.from_dict(json.loads(json.dumps(report.as_dict()))) == report
