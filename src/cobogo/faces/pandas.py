"""The accessor ``df.cobogo`` of frames of pandas, which this import registers: ``import cobogo.faces.pandas``."""

from __future__ import annotations

from typing import Any

import pandas as pd

import cobogo as cb


@pd.api.extensions.register_dataframe_accessor("cobogo")
class CobogoAccessor:
    """Functions of the package as methods of a frame: each takes the other arguments of its function.

    >>> people = pd.DataFrame({"age": [31, 34, 52, 58], "ill": ["a", "b", "a", "b"]})
    >>> policy = cb.Policy({"age": cb.quasi(cb.intervals(10, 20)), "ill": cb.sensitive()}, [cb.KAnonymity(2)])
    >>> people.cobogo.risk(policy).uniques, people.cobogo.anonymize(policy).levels
    (4, {'age': 1})
    """

    def __init__(self, frame: pd.DataFrame) -> None:
        self._frame = frame

    def inspect(self) -> Any:
        """A role for each column with the reason, and a policy to begin with: `cobogo.inspect`."""
        return cb.inspect(self._frame)

    def risk(self, policy: Any, **options: Any) -> cb.RiskReport:
        """How exposed the people of the frame are: `cobogo.risk`."""
        return cb.risk(self._frame, policy, **options)

    def anonymize(self, policy: Any, **options: Any) -> cb.Release:
        """The best release of the frame that satisfies a policy, not written yet: `cobogo.anonymize`."""
        return cb.anonymize(self._frame, policy, **options)

    def audit(self, release: Any, **options: Any) -> Any:
        """Every attack on a release directory by an attacker who knows the frame, the most that anybody can know if
        the release is of it: `cobogo.audit`."""
        return cb.audit(release, knowledge=self._frame, **options)
