"""The accessor of frames of pandas: the functions of the package, with the frame as their data."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

import cobogo as cb
import cobogo.faces.pandas

pytestmark = pytest.mark.slow


def test_methods_of_a_frame_are_the_functions(workplace: Path) -> None:
    frame = pd.DataFrame({"age": [31, 31, 52, 52], "ill": ["a", "b", "a", "a"]})
    policy = cb.Policy({"age": cb.quasi(), "ill": cb.sensitive()}, [cb.KAnonymity(2)])
    release = frame.cobogo.anonymize(policy)
    assert release.levels == cb.anonymize(frame, policy).levels
    one, other = frame.cobogo.risk(policy).as_dict(), cb.risk(frame, policy).as_dict()
    assert one | {"created": ""} == other | {"created": ""}
    assert frame.cobogo.inspect().suggestions == cb.inspect(frame).suggestions
    release.write("out")
    found = {trial.name: trial.findings for trial in frame.cobogo.audit("out").trials}
    assert found["homogeneity"].exposed.tolist() == [3, 4]  # type: ignore[union-attr]
