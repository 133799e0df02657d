"""What a release can promise: a model on its classes, or a guarantee on how its values were drawn.

A promise is a frozen dataclass; its fields are the parameters that a policy gives it in ``privacy.models``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields
from typing import Any, ClassVar, TypeVar

from cobogo.errors import PolicyError
from cobogo.floor.catalogue import Card, Registry
from cobogo.floor.language import tr
from cobogo.floor.language.errors import gather_errors
from cobogo.floor.options import check_options, construct, options_of


class Promise:
    """What every promise has. `cobogo.floor.catalogue.card` gives it its card and its name."""

    name: ClassVar[str]
    card: ClassVar[Card]
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

    def as_table(self) -> dict[str, Any]:
        """What a policy writes for it."""
        return parameters(self)

    @property
    def attributes(self) -> tuple[str, ...]:
        """The sensitive attributes whose values it looks at."""
        attribute = getattr(self, "attribute", None)
        return () if attribute is None else (attribute,)

    @property
    def follows_from_release(self) -> bool:
        """Whether its figure follows from the release and the manifest, so that it may be published."""
        return True


Kind = TypeVar("Kind", bound=Promise)


def parameters(promise: Promise) -> dict[str, Any]:
    """A promise as the policy writes it.

    >>> from cobogo.promises.models.k_anonymity import KAnonymity
    >>> parameters(KAnonymity(k=5))
    {'model': 'k-anonymity', 'k': 5}
    """
    values = {f.name.replace("_", "-"): getattr(promise, f.name) for f in fields(promise)}  # type: ignore[arg-type]
    return {"model": promise.name} | {name: value for name, value in values.items() if value is not None}


def build_promises(
    specifications: Sequence[Mapping[str, Any]],
    sensitive: Sequence[str],
    registry: Registry[type[Kind]],
    *,
    where: str = "policy",
) -> tuple[Kind, ...]:
    """The promises of a policy, each of the registry. One without ``attribute`` stands for every sensitive
    attribute."""
    promises: list[Kind] = []
    problems: list[PolicyError] = []
    for number, specification in enumerate(specifications):
        try:
            promises += _each(dict(specification), sensitive, registry, f"privacy.models[{number}]")
        except PolicyError as error:
            problems.append(error)
    if problems:
        raise gather_errors(problems, where)
    return tuple(dict.fromkeys(promises))


def _each(
    given: dict[str, Any], sensitive: Sequence[str], registry: Registry[type[Kind]], where: str
) -> Iterator[Kind]:
    if "model" not in given:
        raise PolicyError(
            tr("a model needs the key 'model'"),
            where=where,
            remedy=tr("`cobogo list {listed}` shows all.", listed=registry.listed),
            code="COBOGO-POLICY-MODEL",
        )
    name = given.pop("model")
    kind = registry.find(name, where)
    if "attribute" not in options_of(kind):
        yield construct(kind, name, given, where)
        return
    check_options(kind, name, {"attribute": "", **given}, where)
    asked = [given.pop("attribute")] if "attribute" in given else list(sensitive)
    if not asked:
        raise PolicyError(
            tr("{name} protects a sensitive attribute, and the policy has no sensitive attribute", name=name),
            where=where,
            remedy=tr('Give an attribute the role "sensitive", or remove the model.'),
            code="COBOGO-POLICY-MODEL",
        )
    for attribute in asked:
        if attribute not in sensitive:
            raise PolicyError(
                tr(
                    "{name} is to protect {attribute!r}, which is not a sensitive attribute",
                    name=name,
                    attribute=attribute,
                ),
                where=where,
                remedy=tr("Sensitive attributes: {sensitive}.", sensitive=", ".join(sensitive)),
                code="COBOGO-POLICY-MODEL",
            )
    for attribute in asked:
        yield construct(kind, name, {"attribute": attribute, **given}, where)
