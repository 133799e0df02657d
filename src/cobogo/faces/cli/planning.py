"""The command ``cobogo ldp plan``: how many clients are needed, before anybody is asked."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from cobogo.errors import PolicyError
from cobogo.faces.cli import console


def plan(
    collection: Annotated[
        Path | None, typer.Argument(help="A collection, to plan for its values and its ε.", show_default=False)
    ] = None,
    frequency: Annotated[
        float | None, typer.Option("--frequency", help="The share of the clients that hold a value.")
    ] = None,
    error: Annotated[
        float | None, typer.Option("--error", help="The standard error that a mean may have, where a mean is asked.")
    ] = None,
    values: Annotated[
        int | None, typer.Option("--values", help="How many values, or candidates, there are; the collection's.")
    ] = None,
    epsilon: Annotated[
        float | None, typer.Option("--epsilon", help="The ε of a client's value; the collection's.")
    ] = None,
    power: Annotated[float, typer.Option("--power", help="How surely the value must be seen.")] = 0.9,
    level: Annotated[float, typer.Option("--level", help="The chance of seeing anything that is not there.")] = 0.05,
    users: Annotated[int | None, typer.Option("--users", help="How many clients there are.")] = None,
    plot: Annotated[Path | None, typer.Option("--plot", help="Draw clients against shares: a new PNG.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the result as JSON.")] = False,
) -> None:
    """Say how many clients each mechanism needs to see a value of a given frequency, and which is the cheapest.

    Exit 1 when no number of clients would do, or those of --users do not.
    """
    from cobogo.collect import plan
    from cobogo.collect.collection import Collection
    from cobogo.collect.means import Numeric

    asked = None if collection is None else Collection.load(collection)
    _between(power, 0.5, "--power")
    _between(level, 0, "--level")
    if users is not None and users < 1:
        raise PolicyError(f"must be 1 or more. Got {users} instead", where="--users")
    if asked is not None and isinstance(asked.protocol, Numeric):
        if error is None or not error > 0:
            raise PolicyError(
                "a mean is asked: say how far off it may be", where="--error", remedy="Give --error, above 0."
            )
        found = plan.plan_mean(asked, error)
        what = f"To know the mean with a standard error of {error:g}, at ε = {found.epsilon:.4g}"
        protocols, drawn = {}, ""
    else:
        if frequency is None or not 0 < frequency <= 1:
            raise PolicyError("must be above 0 and at most 1", where="--frequency", remedy="0.01 is one client in 100.")
        held = asked.protocol.detectable.values if asked is not None and asked.protocol.detectable is not None else None
        count, loss = values or held, epsilon or (None if asked is None else asked.protocol.epsilon_forever)
        if not count or count < 2 or not loss or not 0 < loss <= 20:
            raise PolicyError(
                "how many values, and what ε?",
                where="--values, --epsilon",
                remedy="Give --values (2 or more) and --epsilon (at most 20), or a collection that says both.",
            )
        protocols = plan.alternatives(asked, count, loss)
        found = plan.plan(protocols, loss, frequency, power=power, level=level, users=users)
        what = (
            f"To see a value that {100 * frequency:g} % of the clients hold with a power of {power:g}, "
            f"among {count:,} values at ε = {loss:.4g}"
        )
        drawn = f"Of {count:,} values, at ε = {loss:.4g}, with a power of {power:g} and a level of {level:g} for all"
    if plot is not None:
        if not protocols:
            raise PolicyError("a mean has no curves of shares", where="--plot", remedy="Leave it out.")
        plan.draw(protocols, plot, drawn, power=power, level=level)
    if as_json:
        console.say_json(found.as_dict())
    else:
        _say(found, what, users, plot)
    able = [offer.users for offer in found.offers if offer.users is not None]
    if not able or (users is not None and min(able) > users):
        raise typer.Exit(1)


def _say(found: object, what: str, users: int | None, plot: Path | None) -> None:
    from cobogo.collect.plan import CollectionPlan

    assert isinstance(found, CollectionPlan)
    header = ["mechanism", "clients needed", "bytes a report"]
    rows = [[o.mechanism, "never" if o.users is None else f"{o.users:,}", f"{o.width:,}"] for o in found.offers]
    if users is not None and any(offer.share is not None for offer in found.offers):
        header.append(f"{users:,} clients show")
        for row, offer in zip(rows, found.offers, strict=True):
            row.append("nothing" if offer.share is None else f"{offer.share:.3%}")
    console.say(what + ":\n")
    console.say(console.table(header, rows, numbers=[1, 2, 3]))
    if found.cheapest is not None:
        console.say(
            f"\nCheapest  {found.cheapest.mechanism}: about the fewest clients, and of those the shortest reports"
        )
    if plot is not None:
        console.say(f"Written   {plot}")


def _between(value: float, low: float, where: str) -> None:
    if not low <= value < 1 or value <= 0:
        raise PolicyError(f"must be above {low:g} and below 1. Got {value!r} instead", where=where)
