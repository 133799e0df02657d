"""The job: call records in, a released model and made-up calls out. Reads as the list of its stages."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from cobogo.dp.metadata.datasets import loss_of
from cobogo.dp.units import Amount
from cobogo.location.calls import Calls
from cobogo.location.where.bounded import bounded
from cobogo.location.where.counts import counts, shapes
from cobogo.location.where.habits import habits
from cobogo.location.where.model import Model
from cobogo.location.where.noise import release
from cobogo.location.where.sample import sample
from cobogo.location.where.space import Space


@dataclass(frozen=True, eq=False)
class Made:
    """A released model and the calls of made-up people drawn from it."""

    model: Model
    calls: Calls


def fitted(calls: Calls, space: Space, epsilon: Fraction | None) -> Model:
    """The model of call records, for so much ε of each person's privacy; without noise where ε is None."""
    records = bounded(calls, space)
    found = counts(records, habits(records, space), space)
    return Model(space, release(found, shapes(space), epsilon), epsilon)


def where(calls: Calls, space: Space, epsilon: Amount, *, people: int | None = None, seed: int | None = None) -> Made:
    """A private model of call records and made-up calls. The unit of privacy is a person with all their records.

    Two data sets are neighbours when one has one person more. ``seed`` repeats the made-up people, never the noise.
    """
    model = fitted(calls, space, loss_of(epsilon).amount)
    return Made(model, sample(model, people, seed=seed))
