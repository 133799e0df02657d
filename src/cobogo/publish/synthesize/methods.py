"""The methods of synthesis: whether each gives a guarantee, and who does it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module

from cobogo.publish.synthesize.private import Fitted, Private


@dataclass(frozen=True)
class Method:
    """A method: ``change`` is what one record changes a score of its choices by at most, for a number of attributes and
    a degree."""

    private: bool
    module: str
    function: str = "fit"
    change: Callable[[int, int], int] = lambda width, degree: 1  # noqa: ARG005

    @property
    def about(self) -> str:
        """What it does, in a line: that of its docstring."""
        return (self._fitting.__doc__ or "").partition("\n")[0].rstrip(".")

    @property
    def _fitting(self) -> Callable[[Private, int], Fitted]:
        found: Callable[[Private, int], Fitted] = getattr(import_module(self.module), self.function)
        return found

    def fit(self, rows: Private, degree: int) -> Fitted:
        """Learn a model of the rows."""
        return self._fitting(rows, degree)


METHODS: dict[str, Method] = {
    "mst": Method(True, "cobogo.publish.synthesize.mst"),
    "aim": Method(True, "cobogo.publish.synthesize.aim", change=min),
    "privbayes": Method(True, "cobogo.publish.synthesize.privbayes", change=lambda width, degree: 65),  # noqa: ARG005
    "independent-without-guarantee": Method(False, "cobogo.publish.synthesize.baselines", "independent"),
    "copula-without-guarantee": Method(False, "cobogo.publish.synthesize.baselines", "copula"),
}
"""Every method by its name in ``synthesis.method``."""
