"""How columns are masked, as a policy asks for it."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Annotated, Any, Literal, Self

from pydantic import Discriminator, Field, Tag, field_validator, model_validator

from cobogo.data.policy.toml_file import PolicyTable
from cobogo.floor.language import tr

Fakes = Literal[
    "cpf", "cnpj", "phone", "cep", "card", "email", "name", "given-name", "surname", "city", "street"
]  # fmt: skip
TextKinds = Literal["name", "cpf", "cns", "phone", "email", "date", "cep", "number"]
Days = Annotated[int, Field(ge=1, le=36_500, strict=True)]
Count = Annotated[int, Field(ge=0, le=1000, strict=True)]


class OperatorSpec(PolicyTable):
    """What every way to mask a column shares."""


class Substitution(OperatorSpec):
    """What replaces a value by another. ``consistent``: the same value has the same substitute in every column of the
    ``group``, in every table of the job, and with the same secret in other jobs. ``unique``: no two values share one.
    """

    group: Annotated[str, Field(min_length=1)] | None = None
    consistent: Annotated[bool, Field(strict=True)] = True
    unique: Annotated[bool, Field(strict=True)] = False

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        if not self.consistent and (self.unique or self.group is not None):
            raise ValueError(
                tr("group and unique need consistent = true"), tr("Leave them out, or leave out consistent = false.")
            )
        return self


class FakeSpec(Substitution):
    """Made-up values of a known form, with valid check digits; names, cities and streets of Brazil or generic ones."""

    fake: Fakes
    locale: Literal["br", "generic"] = "br"


class ListSpec(Substitution):
    """Values of a list: texts, or the path of a file with one a line."""

    list: Annotated[tuple[str, ...], Field(min_length=2)] | str


class ShuffleSpec(OperatorSpec):
    """The column's own values, each in another record."""

    shuffle: Literal[True]


class BlurSpec(OperatorSpec):
    """Numbers, each multiplied by a factor of 1 − blur … 1 + blur."""

    blur: Annotated[float, Field(gt=0, lt=1, allow_inf_nan=False, strict=True)]
    invalid: Literal["error", "null"] = "error"


class ShiftSpec(OperatorSpec):
    """Dates, moved by up to so many days, never by none. ``per``: the column of people, all of whose dates move alike,
    so that the days between them stay."""

    days: Days
    format: str = "%Y-%m-%d"
    per: str | None = None
    invalid: Literal["error", "null"] = "error"

    @field_validator("format")
    @classmethod
    def _dates(cls, value: str) -> str:
        sample = datetime(2004, 2, 29, 13, 14, 15)
        try:
            found = datetime.strptime(sample.strftime(value), value)
        except ValueError:
            raise ValueError(
                tr("is not a format of dates without time zone. Got {value!r} instead", value=value),
                tr('Write the format of the data, such as "%d/%m/%Y".'),
            ) from None
        if found.date() != sample.date():
            raise ValueError(
                tr("must have day, month and year. Got {value!r} instead", value=value),
                tr('Write the format of the data, such as "%d/%m/%Y".'),
            )
        return value


class NullSpec(OperatorSpec):
    """No value at all."""

    null: Literal[True]


class TruncateSpec(OperatorSpec):
    """The first characters, or the last."""

    truncate: Count
    end: Literal["right", "left"] = "right"  # where characters are cut off


class CharactersSpec(OperatorSpec):
    """Letters and digits replaced by one character, but for the first and the last few; other signs stay."""

    mask: Annotated[str, Field(min_length=1, max_length=1)]
    keep_first: Count = 0
    keep_last: Count = 0


class TextSpec(OperatorSpec):
    """Free text whose names, numbers, addresses and dates are replaced by their kind: all kinds, or those listed."""

    text: Literal[True] | Annotated[tuple[TextKinds, ...], Field(min_length=1)]


class PseudonymSpec(OperatorSpec):
    """A keyed pseudonym: HMAC-SHA256 of the value, in hexadecimal, cut to ``length``."""

    pseudonym: Literal[True]
    group: Annotated[str, Field(min_length=1)] = "pseudonym"
    length: Annotated[int, Field(ge=16, le=64, strict=True)] = 32


class EncryptSpec(OperatorSpec):
    """The value, encrypted with AES-256-GCM: whoever has the secret reads it, and equal values look different."""

    encrypt: Literal[True]


class TokenSpec(OperatorSpec):
    """A random token of a domain of the vault."""

    token: Annotated[str, Field(min_length=1)]


OPERATORS: dict[str, type[OperatorSpec]] = {
    "fake": FakeSpec,
    "list": ListSpec,
    "shuffle": ShuffleSpec,
    "blur": BlurSpec,
    "days": ShiftSpec,
    "null": NullSpec,
    "truncate": TruncateSpec,
    "mask": CharactersSpec,
    "text": TextSpec,
    "pseudonym": PseudonymSpec,
    "encrypt": EncryptSpec,
    "token": TokenSpec,
}
"""The key that names each way to mask a column."""


def operator_of(value: Any) -> str | None:
    """Which operator a table asks for: it has exactly one of the keys."""
    if isinstance(value, OperatorSpec):
        return next(key for key, spec in OPERATORS.items() if isinstance(value, spec))
    named = [key for key in OPERATORS if isinstance(value, Mapping) and key in value]
    return named[0] if len(named) == 1 else None


AnyOperator = Annotated[
    Annotated[FakeSpec, Tag("fake")]
    | Annotated[ListSpec, Tag("list")]
    | Annotated[ShuffleSpec, Tag("shuffle")]
    | Annotated[BlurSpec, Tag("blur")]
    | Annotated[ShiftSpec, Tag("days")]
    | Annotated[NullSpec, Tag("null")]
    | Annotated[TruncateSpec, Tag("truncate")]
    | Annotated[CharactersSpec, Tag("mask")]
    | Annotated[TextSpec, Tag("text")]
    | Annotated[PseudonymSpec, Tag("pseudonym")]
    | Annotated[EncryptSpec, Tag("encrypt")]
    | Annotated[TokenSpec, Tag("token")],
    Discriminator(
        operator_of,
        custom_error_type="operator",
        custom_error_message="exactly one operator",  # complaints.py has the words
    ),
]


class Masking(PolicyTable):
    """Which columns are masked and how. ``secret`` is the file of what consistent substitutes follow from; without it
    one is drawn and forgotten. ``vault`` and ``key`` are for tokens."""

    columns: Annotated[dict[str, AnyOperator], Field(min_length=1)]
    secret: str | None = None
    vault: str | None = None
    key: str | None = None

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        for name, operator in self.columns.items():
            if isinstance(operator, TokenSpec) and (self.vault is None or self.key is None):
                raise ValueError(
                    tr('tokens for "{name}" need a vault and a key to it', name=name),
                    tr("Give vault and key under [masking]; `cobogo vault` makes them."),
                )
            if isinstance(operator, EncryptSpec) and self.secret is None:
                raise ValueError(
                    tr('"{name}" cannot be encrypted without a secret: nobody could read it again', name=name),
                    tr("Give secret, the path of a file, under [masking]."),
                )
        return self
