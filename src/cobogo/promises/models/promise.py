"""What a release can promise: a model on its classes, or a guarantee on how its values were drawn.

A promise is a frozen dataclass; its fields are the parameters that a policy gives it in ``privacy.models``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import MISSING, fields
from typing import Any, ClassVar, TypeVar

from cobogo.errors import PolicyError, nearest


class Promise:
    """What every promise has."""

    name: ClassVar[str]
    drawn: ClassVar[bool] = True
    """Whether it is about how values were drawn, and not about the released rows."""

    def __str__(self) -> str:
        """As people write it: ``l-diversity (occupation, l = 3)``."""
        words = []
        for parameter in fields(self):  # type: ignore[arg-type]
            value = getattr(self, parameter.name)
            if parameter.name == "attribute":
                words.append(str(value))
            elif value != parameter.default:
                words.append(f"{parameter.name.replace('_', '-')} = {value}")
        return f"{self.name} ({', '.join(words)})"

    @property
    def attributes(self) -> tuple[str, ...]:
        """The sensitive attributes whose values it looks at."""
        attribute = getattr(self, "attribute", None)
        return () if attribute is None else (attribute,)

    @property
    def follows_from_release(self) -> bool:
        """Whether what it measures can be read off the release and what is stated of it, so that it may be told."""
        return True


Kind = TypeVar("Kind", bound=Promise)


def parameters(promise: Promise) -> dict[str, Any]:
    """A promise as the policy writes it.

    >>> from cobogo.promises.models import KAnonymity
    >>> parameters(KAnonymity(k=5))
    {'model': 'k-anonymity', 'k': 5}
    """
    values = {f.name.replace("_", "-"): getattr(promise, f.name) for f in fields(promise)}  # type: ignore[arg-type]
    return {"model": promise.name} | {name: value for name, value in values.items() if value is not None}


def made(
    specifications: Sequence[Mapping[str, Any]],
    sensitive: Sequence[str],
    known: Mapping[str, type[Kind]],
    *,
    where: str = "policy",
) -> tuple[Kind, ...]:
    """The promises of a policy, of those that are ``known``. One without ``attribute`` stands for every sensitive
    attribute."""
    promises: list[Kind] = []
    for number, specification in enumerate(specifications):
        promises += _one(dict(specification), sensitive, known, f"{where}, privacy.models[{number}]")
    return tuple(dict.fromkeys(promises))


def _one(
    given: dict[str, Any], sensitive: Sequence[str], known_names: Mapping[str, type[Kind]], where: str
) -> list[Kind]:
    name = given.pop("model", None)
    if not isinstance(name, str) or name not in known_names:
        said = "a model needs the key 'model'" if name is None else f"there is no model {name!r}"
        raise PolicyError(said, where=where, remedy=nearest(name, known_names, "cobogo list models"))
    kind = known_names[name]
    known = {field.name: field for field in fields(kind)}  # type: ignore[arg-type]
    given = {key.replace("-", "_"): value for key, value in given.items()}
    for key in given:
        if key not in known:
            raise PolicyError(f"{name} has no parameter {key!r}", where=where, remedy=f"It has: {', '.join(known)}.")
    for key, field in known.items():
        if key != "attribute" and key not in given and field.default is MISSING:
            raise PolicyError(f"{name} needs the parameter {key!r}", where=where)
    if "attribute" not in known:
        return [_make(kind, given, where)]
    asked = [given.pop("attribute")] if "attribute" in given else list(sensitive)
    if not asked:
        raise PolicyError(
            f"{name} protects a sensitive attribute, and the policy has none",
            where=where,
            remedy='Give an attribute the role "sensitive", or remove the model.',
        )
    for attribute in asked:
        if attribute not in sensitive:
            raise PolicyError(
                f"{name} is asked for {attribute!r}, which is not a sensitive attribute",
                where=where,
                remedy=f"Sensitive attributes: {', '.join(sensitive) or 'none'}.",
            )
    return [_make(kind, {"attribute": attribute, **given}, where) for attribute in asked]


def _make(kind: type[Kind], given: dict[str, Any], where: str) -> Kind:
    try:
        return kind(**given)
    except ValueError as error:
        raise PolicyError(str(error), where=where) from None
