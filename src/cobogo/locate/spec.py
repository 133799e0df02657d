"""Mechanisms and attacks from texts such as ``planar-laplace:epsilon=0.01``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from cobogo.errors import PolicyError
from cobogo.floor.catalogue import JoinedRegistry
from cobogo.floor.language import Text, tr
from cobogo.floor.language.errors import reason
from cobogo.floor.options import check_options, construct, options_of, required
from cobogo.locate.attacks import ATTACKS, LocationAttack
from cobogo.locate.attacks.inference import grid_for, prior_of
from cobogo.locate.mechanisms.base import Mechanism
from cobogo.locate.places.geometry import DEGREE, Frame
from cobogo.locate.places.grid import Grid, World
from cobogo.locate.places.points import Points
from cobogo.locate.places.reading import read_points

MOST = 1_000_000
"""Cells that a grid of an option may have."""

COARSE = 100
"""Cells of the grid that is made where a mechanism needs one and none is given: its table has their square."""


@dataclass(frozen=True)
class MechanismSpec:
    """A name, and options as texts."""

    name: str
    options: Mapping[str, str]

    @property
    def label(self) -> str:
        """The text of it; files appear without their directories."""
        options = {key: value if _coordinates(value) else Path(value).name for key, value in self.options.items()}
        return self.name + (":" if self.options else "") + ",".join(f"{k}={v}" for k, v in options.items())


def _coordinates(text: str) -> bool:
    """Whether a text is numbers, such as the edges of a grid."""
    return not text.strip("-+.eE/0123456789")


def parse_specs(text: str, where: str) -> list[MechanismSpec]:
    """The specifications of a text: several values of an option, divided by "|", make one of each.

    >>> [one.label for one in parse_specs("planar-laplace:epsilon=0.01|0.02", "--mechanism")]
    ['planar-laplace:epsilon=0.01', 'planar-laplace:epsilon=0.02']
    """
    name, _, rest = text.strip().partition(":")
    options: dict[str, list[str]] = {}
    for part in filter(None, (piece.strip() for piece in rest.split(","))):
        key, equals, value = part.partition("=")
        if not equals or not value.strip():
            raise PolicyError(
                tr("{part!r} is not an option", part=part),
                where=where,
                remedy=tr("Write it as in: {example}.", example="planar-laplace:epsilon=0.01"),
            )
        options[key.strip().replace("-", "_")] = [one.strip() for one in value.split("|")]
    return [MechanismSpec(name, dict(zip(options, values, strict=True))) for values in product(*options.values())]


def mechanisms() -> JoinedRegistry[type[Mechanism]]:
    """Every mechanism and cloak by its name."""
    from cobogo.locate.crowds import CLOAKS, REQUESTS
    from cobogo.locate.mechanisms import MECHANISMS

    return JoinedRegistry(MECHANISMS, CLOAKS, REQUESTS)


def build_mechanism(
    asked: MechanismSpec, points: Points | None, *, places: Points | None = None, where: str = "--mechanism"
) -> Mechanism:
    """A mechanism with these options. A grid, a prior, a mass, places or a key that is needed and not given is made
    from the points: good for evaluating, not for releasing. Without points it must be given: see `FORMS`."""
    kind = mechanisms().find(asked.name, where)
    built: Mechanism = _build(kind, asked, where, _Context(points, places, where))
    return built


def build_attack(asked: MechanismSpec, *, where: str = "--attack") -> LocationAttack:
    """An attack with these options."""
    found: LocationAttack = ATTACKS.build(asked.name, asked.options, where, texts=True)
    return found


FORMS: Mapping[str, Text] = {
    "grid": tr("west/south/east/north/metres of a cell"),
    "area": tr("west/south/east/north/metres of a cell"),
    "prior": tr("a file of public points, or even"),
    "mass": tr("a file of public points, or even"),
    "allowed": tr("a file of points where people may be"),
    "places": tr("a file of public places"),
    "region": tr("a file of public places, or west/south/east/north/metres of a cell"),
    "key": tr("a file of sixteen bytes or more"),
    "centre": tr("longitude/latitude"),
}
"""How options that are not numbers are written. What is released depends on them, so they must be public (all but the
key), and chosen without looking at the points."""


@dataclass(frozen=True, eq=False)
class _Context:
    """Reads the options of `FORMS`, and makes defaults for them."""

    points: Points | None
    places: Points | None
    where: str

    def read_option(self, kind: Any, name: str, text: str, given: Mapping[str, Any]) -> Any:
        """The value of an option from its text."""
        from cobogo.locate.mechanisms import MapKey, PlanarLaplace
        from cobogo.locate.places.cells import PublicPlaces

        match name:
            case "grid" if kind is PlanarLaplace:
                return World(self._number(name, text))
            case "grid" | "area":
                return self._grid(name, text)
            case "prior" | "mass":
                cells = given["grid"].cells
                return np.ones(cells) if text == "even" else prior_of(read_points(text), given["grid"])
            case "allowed":
                cells = given["grid"].cells
                seen = given["grid"].cell_of(*_degrees(read_points(text)))
                return np.bincount(seen[seen >= 0], minlength=cells) > 0
            case "region" if text.count("/") == 4 and not Path(text).exists():
                return PublicPlaces.from_grid(self._grid(name, text))
            case "places" | "region":
                return PublicPlaces(read_points(text))
            case "key":
                return MapKey(Path(text).expanduser().read_bytes())
            case "centre":
                return Frame(*self._numbers(name, text, 2))
        raise AssertionError(f"nothing says how {name} is written")

    def default_option(self, name: str, given: Mapping[str, Any]) -> Any:
        """A default that is made from the points; None where there are no points, or the option has no such default."""
        from cobogo.locate.mechanisms import MapKey
        from cobogo.locate.places.cells import PublicPlaces

        if self.points is None:
            return None
        match name:
            case "grid" | "area":
                return grid_for(self.points, COARSE)
            case "prior" | "mass":
                return prior_of(self.points, given["grid"])
            case "places":
                return (
                    PublicPlaces(self.places)
                    if self.places is not None
                    else PublicPlaces.from_grid(grid_for(self.points, COARSE))
                )
            case "key":
                return MapKey.fresh()
            case "centre":
                return self.points.frame
        return None

    def _grid(self, name: str, text: str) -> Grid:
        """A public grid; or, where only the size of cells is given, one over the points."""
        if "/" not in text and self.points is not None and len(self.points):
            lon, lat = _degrees(self.points)
            west, south, east, north, size = lon.min(), lat.min(), lon.max(), lat.max(), self._number(name, text)
        else:
            west, south, east, north, size = self._numbers(name, text, 5)
        if not (-90 <= south <= north <= 90 and abs(west) <= 360 and abs(east) <= 360 and size > 0):
            raise self._wrong(name, text)
        if ((east - west) % 360) * (north - south) * DEGREE**2 / size**2 > MOST:
            raise PolicyError(
                tr("{name}={text} has more than {most:,} cells", name=name, text=text, most=MOST),
                where=self.where,
                remedy=_form_hint(name),
            )
        return Grid.from_bounds(float(west), float(south), float(east), float(north), size=size)

    def _number(self, name: str, text: str) -> float:
        return self._numbers(name, text, 1)[0]

    def _numbers(self, name: str, text: str, count: int) -> list[float]:
        try:
            found = [float(part) for part in text.split("/")]
        except ValueError:
            found = []
        if len(found) != count or not np.isfinite(found).all():
            raise self._wrong(name, text)
        return found

    def _wrong(self, name: str, text: str) -> PolicyError:
        return PolicyError(
            tr("{name}={text} cannot be read", name=name, text=text), where=self.where, remedy=_form_hint(name)
        )


def _degrees(points: Points) -> tuple[Any, Any]:
    return points.lon, points.lat


def _form_hint(name: str) -> Text:
    return tr("Write {name}={form}.", name=name, form=FORMS.get(name, "…"))


def _build(kind: Any, asked: MechanismSpec, where: str, context: _Context) -> Any:
    """A mechanism; options of `FORMS` are read or made by the context."""
    check_options(kind, asked.name, {**dict.fromkeys(options_of(kind)), **asked.options}, where)
    given: dict[str, Any] = {}
    for name, one in options_of(kind).items():
        if name in asked.options:
            given[name] = _read(kind, name, asked.options[name], given, where, context)
        elif required(one) or name in ("prior", "mass"):
            found = context.default_option(name, given)
            if found is not None:
                given[name] = found
            elif required(one):
                raise PolicyError(
                    tr("{name} needs the parameter {key!r}", name=asked.name, key=name),
                    where=where,
                    remedy=_form_hint(name),
                )
    return construct(kind, asked.name, given, where, texts=True)


def _read(kind: Any, name: str, text: str, given: Mapping[str, Any], where: str, context: _Context) -> Any:
    if name not in FORMS:
        return text
    try:
        return context.read_option(kind, name, text, given)
    except OSError as error:
        what = tr("{name}={text} cannot be read: {reason}", name=name, text=text, reason=reason(error))
        raise PolicyError(what, where=where, remedy=_form_hint(name)) from None
    except ValueError as error:
        raise PolicyError(error.args[0], where=where, remedy=_form_hint(name)) from None
