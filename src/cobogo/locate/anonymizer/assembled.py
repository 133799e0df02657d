"""A privacy server from plain words, checked: what the command line and a configuration say."""

from __future__ import annotations

from typing import get_args

from cobogo.errors import InputError, nearest
from cobogo.locate.anonymizer.books import Books
from cobogo.locate.anonymizer.running import State
from cobogo.locate.anonymizer.server import Identity, PrivacyServer, Settings
from cobogo.locate.crowds import CLOAKS, NearestNeighbours
from cobogo.locate.mechanisms import PlanarLaplace

OFFERED = tuple(name for name in CLOAKS if name != NearestNeighbours.name)
"""The cloaks of a server: not the one whose centre is, most often, the person."""


def assembled(
    state: State,
    *,
    cloak: str = "hilbert",
    k: int = 5,
    min_area: float = 0.0,
    max_wait: float = 60.0,
    identity: str = "absent",
    epsilon: float | None = None,
    budget: float | None = None,
    window: float = 3600.0,
) -> PrivacyServer:
    """The server with its books and its secret. Noise is offered where an ``epsilon`` is given; its budget is ten
    reports a window unless it is said."""
    if cloak not in OFFERED:
        what = "is drawn around the one who asks" if cloak in CLOAKS else f"there is no cloak {cloak!r}"
        raise InputError(what, where="--cloak", remedy=f"Choose among {', '.join(OFFERED)}.")
    names: tuple[Identity, ...] = get_args(Identity)
    if identity not in names:
        raise InputError(f"must be {', '.join(names)}. Got {identity!r} instead", where="--identity",
                         remedy=nearest(identity, names, "cobogo locate serve --help"))  # fmt: skip
    if budget is not None and epsilon is None:
        raise InputError("is for noise, and there is none without --epsilon", where="--budget")
    if not max_wait >= 0:
        raise InputError(f"must be 0 or above. Got {max_wait!r} instead", where="--max-wait")
    try:
        mechanism = None if epsilon is None else PlanarLaplace(epsilon)
        books = (
            None
            if epsilon is None
            else Books(round(10 * epsilon, 12) if budget is None else budget, window=window, file=state.ledger)
        )
        settings = Settings(
            CLOAKS[cloak](k, min_area), next(name for name in names if name == identity), state.secret, mechanism,
            max_wait=max_wait,
        )  # fmt: skip
    except ValueError as problem:
        raise InputError(str(problem), where="cobogo locate serve") from None
    return PrivacyServer(settings, books=books, kept=state.zones)
