"""Synthetic data: records drawn from a model of a table, with differential privacy or, clearly labelled, without."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from cobogo.floor.catalogue import Card, Registry

if TYPE_CHECKING:
    from cobogo.publish.synthesize.private import Fitted, PrivateTable


@dataclass(frozen=True)
class Method:
    """A method: ``fit`` learns a model of the rows, with marginals of a degree. ``change`` is what one record changes a
    score of its choices by at most, for a number of attributes and a degree."""

    private: bool
    about: str
    fit: Callable[[PrivateTable, int], Fitted]
    change: Callable[[int, int], int]

    @classmethod
    def from_function(cls, fit: Any) -> Method:
        """The method of a function that carries a card."""
        own: Card = fit.card
        return cls(own.facts["private"], own.summary, fit, own.facts.get("change", lambda width, degree: 1))  # noqa: ARG005


METHODS: Registry[Method] = Registry(
    "method of synthesis",
    {
        "mst": ".methods:fit_mst",
        "aim": ".methods:fit_aim",
        "privbayes": ".methods:fit_privbayes",
        "independent-without-guarantee": ".baselines:independent",
        "copula-without-guarantee": ".baselines:copula",
    },
    home=__name__,
    listed="mechanisms",
    guide="synthesis",
    remark="synthesis",
    ready=Method.from_function,
)
"""Every method by its name in ``synthesis.method``."""
