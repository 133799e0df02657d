"""Mechanisms and attacks as they are asked for in words: ``planar-laplace:epsilon=0.01``."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import MISSING, dataclass, fields
from itertools import product
from typing import Any, TypeVar

from cobogo.errors import PolicyError, nearest
from cobogo.location.attacks import ATTACKS, Attack
from cobogo.location.attacks.posterior import grid_for, prior_of
from cobogo.location.base import Mechanism
from cobogo.location.grid import Grid
from cobogo.location.points import Points

Made = TypeVar("Made")

COARSE = 100
"""Cells of a grid for mechanisms that are tables over one."""


@dataclass(frozen=True)
class Asked:
    """A name, and options as texts."""

    name: str
    options: Mapping[str, str]

    @property
    def label(self) -> str:
        """As it was asked for."""
        return self.name + (":" if self.options else "") + ",".join(f"{k}={v}" for k, v in self.options.items())


def parsed(text: str, where: str) -> list[Asked]:
    """What a text asks for: several values of an option, divided by "|", ask for one of each.

    >>> [one.label for one in parsed("planar-laplace:epsilon=0.01|0.02", "--mechanism")]
    ['planar-laplace:epsilon=0.01', 'planar-laplace:epsilon=0.02']
    """
    name, _, rest = text.strip().partition(":")
    options: dict[str, list[str]] = {}
    for part in filter(None, (piece.strip() for piece in rest.split(","))):
        key, equals, value = part.partition("=")
        if not equals or not value.strip():
            raise PolicyError(
                f"{part!r} is no option", where=where, remedy="Write it as in: planar-laplace:epsilon=0.01."
            )
        options[key.strip().replace("-", "_")] = [one.strip() for one in value.split("|")]
    return [Asked(name, dict(zip(options, values, strict=True))) for values in product(*options.values())]


def mechanisms() -> dict[str, type[Mechanism]]:
    """Every mechanism and cloak by its name."""
    from cobogo.location.cloaks import CLOAKS
    from cobogo.location.mechanisms import MECHANISMS

    return {**MECHANISMS, **CLOAKS}


def mechanism(
    asked: Asked, points: Points | None, *, places: Points | None = None, where: str = "--mechanism"
) -> Mechanism:
    """A mechanism of these options. A grid, a prior, a mass, places or a key that it needs and that words cannot say is
    made from the points: for measuring with, not for releasing. Without points it must be said."""
    known = mechanisms()
    if asked.name not in known:
        raise PolicyError(
            f"there is no mechanism {asked.name!r}",
            where=where,
            remedy=nearest(asked.name, known, "cobogo list mechanisms"),
        )
    kind = known[asked.name]
    return _made(kind, asked, where, lambda name: None if points is None else _context(name, points, places))


def attack(asked: Asked, *, where: str = "--attack") -> Attack:
    """An attack of these options."""
    if asked.name not in ATTACKS:
        raise PolicyError(
            f"there is no attack {asked.name!r} on locations", where=where, remedy=f"There are: {', '.join(ATTACKS)}."
        )
    return _made(ATTACKS[asked.name], asked, where, lambda _: None)


def _context(name: str, points: Points, places: Points | None) -> Any:
    from cobogo.location.mechanisms import Key
    from cobogo.location.nearest import Places

    match name:
        case "grid" | "area":
            return _coarse(points)
        case "prior" | "mass":
            return prior_of(points, _coarse(points))
        case "places":
            return Places(places) if places is not None else Places.of_cells(_coarse(points))
        case "key":
            return Key.fresh()
        case "centre":
            return points.frame
    return None


def _coarse(points: Points) -> Grid:
    return grid_for(points, COARSE)


def _made(kind: Callable[..., Made], asked: Asked, where: str, context: Callable[[str], Any]) -> Made:
    known = {one.name: one for one in fields(kind)}  # type: ignore[arg-type]
    unknown = [name for name in asked.options if name not in known]
    if unknown:
        raise PolicyError(
            f"{asked.name} has no option {unknown[0]!r}", where=where, remedy=f"It has: {', '.join(known) or 'none'}."
        )
    given: dict[str, Any] = {name: _value(value) for name, value in asked.options.items()}
    for name, one in known.items():
        required = one.default is MISSING and one.default_factory is MISSING
        if name not in given and (required or name in ("prior", "mass")):
            found = context(name)
            if found is not None:
                given[name] = found
            elif required:
                raise PolicyError(
                    f"{asked.name} needs {name}", where=where, remedy=f"Write it as in: {asked.name}:{name}=…"
                )
    try:
        return kind(**given)
    except (TypeError, ValueError) as error:
        raise PolicyError(str(error), where=where) from None


def _value(text: str) -> Any:
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return {"true": True, "false": False, "none": None}.get(text.lower(), text)
