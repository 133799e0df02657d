"""The job: call records in, a released model and made-up calls out. Reads as the list of its stages."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from cobogo.floor.catalogue import card
from cobogo.locate.mobility.counts import counts, habits, histogram_shapes
from cobogo.locate.mobility.model import MobilityModel, release
from cobogo.locate.mobility.sample import sample
from cobogo.locate.mobility.space import Space, bound_calls
from cobogo.locate.places.cells import Calls
from cobogo.promises.accounting import Amount, loss_of


@dataclass(frozen=True, eq=False)
class ModelAndCalls:
    """A released model and the calls of made-up people drawn from it."""

    model: MobilityModel
    calls: Calls


def fit_model(calls: Calls, space: Space, epsilon: Fraction | None) -> MobilityModel:
    """The model of call records, for so much ε of each person's privacy; without noise where ε is None."""
    records = bound_calls(calls, space)
    found = counts(records, habits(records, space), space)
    return MobilityModel(space, release(found, histogram_shapes(space), epsilon), epsilon)


@card("dp-where", title="DP-WHERE", guide="where")
def where(
    calls: Calls, space: Space, epsilon: Amount, *, people: int | None = None, seed: int | None = None
) -> ModelAndCalls:
    r"""DP-WHERE: a private model of how a city moves, from call records, and made-up people who move by it.

    The unit of privacy is a person with all their records. Two data sets are neighbours when one has one person more.
    What a person can give is bounded by what the public ``space`` declares. ``seed`` repeats the made-up people, never
    the noise.

    Formula: $\tilde{h}_p = h_p + \mathrm{Lap}(\Delta_p / \varepsilon_p)$ for the histograms $p$ (homes, works by
        distance, calls a day, hours, places), $\sum_p \varepsilon_p = \varepsilon$
    Example:
        >>> from datetime import date
        >>> from cobogo.studies import fortaleza
        >>> calls = fortaleza.people(50, days=2, seed=1).calls()
        >>> made = where(calls, Space(calls.cells, date(2024, 3, 4), 2, utc_offset=-3), epsilon=1, people=5, seed=1)
        >>> set(made.calls.user.tolist()) <= set(range(5))
        True

    Guarantee: ε-differential privacy for a person with all their records.
    Limits: The figures that compare made-up with true people are not private. Cells, days and bounds must be declared
        without looking at the data.
    Cost: $O(r + c\,b)$ for r records, c cells and b bins.
    Paper: D. J. Mir, S. Isaacman, R. Cáceres, M. Martonosi and R. N. Wright, DP-WHERE: differentially private modeling
        of human mobility, IEEE Big Data 2013; after WHERE, S. Isaacman and others 2012.
    """
    model = fit_model(calls, space, loss_of(epsilon).amount)
    return ModelAndCalls(model, sample(model, people, seed=seed))
