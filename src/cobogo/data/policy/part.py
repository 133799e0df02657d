"""What every table of a policy is made of."""

from __future__ import annotations

from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict


class Part(BaseModel):
    """A table of the policy: unknown keys are errors, names carry hyphens in the file."""

    model_config = ConfigDict(
        extra="forbid",
        frozen=True,
        alias_generator=lambda name: name.replace("_", "-"),
        populate_by_name=True,
        str_strip_whitespace=False,
    )


def _separator(value: str) -> str:
    if not (len(value) == 1 and value.isascii() and not value.isalnum() and (value.isprintable() or value == "\t")):
        raise ValueError("must be one ASCII character that is neither a letter nor a digit")
    if value in "\"'\n\r":
        raise ValueError("must not be a quote or a line end")
    return value


Separator = Annotated[str, AfterValidator(_separator)]
"""What stands between the fields of a CSV file."""
