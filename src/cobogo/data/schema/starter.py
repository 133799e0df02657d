"""The starter policy: suggestions as a commented TOML file that refuses to run until its guesses are confirmed."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from typing import Any, Literal

from cobogo.data.policy import Data, Role
from cobogo.data.policy.complaints import CONFIRM
from cobogo.data.policy.toml_file import toml, toml_key
from cobogo.data.schema.profile import ColumnProfile, decimal_mark
from cobogo.data.schema.suggest import Suggestion, unit_column
from cobogo.floor.language import Speech, speech

USUAL = Data(separator=",", encoding="utf-8")


def starter_policy(
    profiles: Sequence[ColumnProfile],
    suggestions: Sequence[Suggestion],
    *,
    path: str | None,
    data: Data = USUAL,
    decimal: Literal[".", ","] | None = None,
    language: str = "en",
    schema: str | None = None,
) -> str:
    """A policy as TOML text, ready but for the roles that are guesses, with comments in a ``language``.

    ``schema`` is the path of the JSON Schema that editors check it against.

    ``data`` is how the table is read. Without ``decimal`` the columns' mark is taken. Without ``path`` the policy does
    not say where the data are or where the release goes.

    >>> from cobogo.data.schema import profile, suggest
    >>> column = profile("sexo", 9, 0, 2, 0, [("F", 5), ("M", 4)])
    >>> text = starter_policy([column], [suggest(column)], path="a.csv")
    >>> print(text[text.index("[attributes]"):text.index("[privacy]")])
    [attributes]
    # its name is about sex, which others may know (confidence 0.85)
    sexo = { role = "quasi-identifier" }
    <BLANKLINE>
    <BLANKLINE>
    """
    say = speech(language)
    pairs = list(zip(profiles, suggestions, strict=True))
    keys: dict[str, Any] = {} if path is None else {"path": path}
    keys |= data.model_dump(exclude_unset=True, by_alias=True, exclude={"path", "decimal", "missing"})
    keys["decimal"] = decimal or decimal_mark(profiles)
    placeholders = {value for profile in profiles for value in profile.placeholders}
    named = [] if schema is None else [f"#:schema {schema}"]
    lines = [*named, *_header(suggestions, say), "", "[data]"]
    lines += [f"{key} = {toml(value)}" for key, value in keys.items()]
    if placeholders:
        lines += _comment(
            say(
                "These texts are among numbers or dates where there is no value. In every column they count as missing."
            )
        )
        lines += [f"missing = {toml(['', *sorted(placeholders)])}"]
    if (unit := unit_column(profiles, suggestions)) is not None:
        lines += _comment(
            say(
                "Its values repeat, so a person may have several records: models count people by it, not records. "
                "Delete the line if it does not say who a record is about."
            )
        )
        lines += [f"unit = {toml(unit.name)}"]
    lines += ["", "[attributes]"]
    for profile, suggestion in pairs:
        lines += _attribute(profile, suggestion, say)
    if not any(suggestion.role is Role.QUASI_IDENTIFIER for suggestion in suggestions):
        lines += _comment(say("No column was found to be a quasi-identifier. k-anonymity needs at least one."))
    sensitive = [profile for profile, suggestion in pairs if suggestion.role is Role.SENSITIVE]
    lines += ["", "[privacy]", *_privacy(sensitive, say)]
    lines += ["", "[recoding]"]
    lines += _comment(say("The share of the records that may be left out so that the others keep more detail."))
    lines += ["suppression-limit = 0.05"]
    lines += _comment(
        say(
            "The default algorithm finds the best recoding in which each column has one level throughout. The one "
            "below gives each record its own levels, and usually keeps much more detail: delete the # to use it."
        )
    )
    lines += ['# algorithm = "local"']
    if path is not None:
        lines += ["", "[output]", 'directory = "release"']
    return "\n".join(lines) + "\n"


def _header(suggestions: Sequence[Suggestion], say: Speech) -> Iterator[str]:
    count = sum(not suggestion.certain for suggestion in suggestions)
    guesses = [
        say.plural(
            'One role is a guess, marked role = "CONFIRM …".',
            '{n} roles are guesses, marked role = "CONFIRM …".',
            n=count,
        ),
        say("Cobogó refuses to run while one is left: decide, and delete the word CONFIRM, or write another role."),
    ]
    roles = {
        Role.IDENTIFIER: say("names a person by itself: never released"),
        Role.QUASI_IDENTIFIER: say("others may know it, and with other quasi-identifiers it names a person: recoded"),
        Role.SENSITIVE: say("must not be learnt about a person: released, protected by the models below"),
        Role.NON_SENSITIVE: say("released unchanged"),
    }
    yield from _comment(say("A starter policy for Cobogó, written by `cobogo inspect`."))
    yield "#"
    yield from _comment(
        say("The roles were derived from the names and the values of the columns. You know the data: read every line.")
    )
    yield "#"
    yield from _comment(" ".join(guesses) if count else say("No role is a mere guess."))
    yield "#"
    yield from _comment(say("The roles:"))
    yield from (f"#   {role:<18} {meaning}" for role, meaning in roles.items())
    yield "#"
    yield from _comment(say("Then run: cobogo anonymize THIS_FILE"))


def _comment(text: str) -> Iterator[str]:
    for paragraph in text.rstrip("\n").split("\n"):
        for line in textwrap.wrap(paragraph, 110) or [""]:
            yield f"# {line}".rstrip()


def _attribute(profile: ColumnProfile, suggestion: Suggestion, say: Speech) -> Iterator[str]:
    sure = say.fixed(suggestion.confidence, ".2f")
    yield from _comment(say("{reason} (confidence {confidence})", reason=suggestion.reason, confidence=sure))
    role = str(suggestion.role) if suggestion.certain else CONFIRM + suggestion.role
    yield f"{toml_key(profile.name)} = {toml({'role': role, **profile.titles, **suggestion.recoding})}"


def starting_models(sensitive: Sequence[ColumnProfile], k: int = 5, l: int | None = 2) -> list[dict[str, Any]]:
    """k-anonymity, and l-diversity for the sensitive columns that can have it: not those that are the same in every
    record."""
    models: list[dict[str, Any]] = [{"model": "k-anonymity", "k": k}]
    diverse = [one.name for one in sensitive if not one.constant]
    if l is None or not diverse:
        return models
    named = [{"attribute": name} for name in diverse] if len(diverse) < len(sensitive) else [{}]
    return [*models, *({"model": "l-diversity", **one, "kind": "distinct", "l": l} for one in named)]


def _privacy(sensitive: Sequence[ColumnProfile], say: Speech) -> Iterator[str]:
    models = starting_models(sensitive)
    yield from _comment(say("k-anonymity: at least k records share each combination of quasi-identifiers."))
    if sensitive:
        yield from _comment(
            say("l-diversity: records that share a combination have at least l different sensitive values.")
        )
    if sensitive and len(models) == 2 and "attribute" not in models[1]:
        yield from _comment(
            say("Without an attribute it holds for every sensitive one. Delete it if no sensitive attribute is left.")
        )
    elif sensitive:
        yield from _comment(say("It cannot hold for a sensitive attribute that is the same in every record."))
    yield "models = ["
    yield from (f"  {toml(model)}," for model in models)
    yield "]"
