"""The starter policy: suggestions as a commented TOML file that refuses to run until its guesses are confirmed."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal

from cobogo.data.policy import Data, Role
from cobogo.data.policy.complaints import CONFIRM
from cobogo.data.schema.profile import ColumnProfile, decimal_mark
from cobogo.data.schema.suggest import Suggestion
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
) -> str:
    """A policy as TOML text, ready but for the roles that are guesses, with comments in a ``language``.

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
    lines = [*_header(suggestions, say), "", "[data]", *(f"{key} = {toml(value)}" for key, value in keys.items())]
    if placeholders:
        lines += _comment(
            say(
                "These texts are among numbers or dates where there is no value. In every column they count as missing."
            )
        )
        lines += [f"missing = {toml(['', *sorted(placeholders)])}"]
    lines += ["", "[attributes]"]
    for profile, suggestion in pairs:
        lines += _attribute(profile, suggestion, say)
    if not any(suggestion.role is Role.QUASI_IDENTIFIER for suggestion in suggestions):
        lines += _comment(say("No column was found to be a quasi-identifier. k-anonymity needs at least one."))
    lines += ["", "[privacy]", *_privacy(pairs, say)]
    lines += ["", "[recoding]"]
    lines += _comment(say("The share of the records that may be left out so that the others keep more detail."))
    lines += ["suppression-limit = 0.05"]
    if path is not None:
        lines += ["", "[output]", 'directory = "release"']
    return "\n".join(lines) + "\n"


def toml(value: Any) -> str:
    """A value as TOML, tables inline.

    >>> print(toml({"a b": ["x\\ny", 1, True]}))
    { "a b" = ["x\\ny", 1, true] }
    """
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return repr(value)
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{_key(key)} = {toml(item)}" for key, item in value.items()) + " }"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(toml, value)) + "]"
    return _string(str(value))


def _key(name: str) -> str:
    return name if re.fullmatch("[A-Za-z0-9_-]+", name) else _string(name)


def _string(text: str) -> str:
    """A quoted string. What cannot be seen is escaped too: a name should not turn the line that it stands in around."""
    return '"' + "".join(map(_character, text)) + '"'


def _character(c: str) -> str:
    short = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t"}
    if c in short:
        return short[c]
    if c.isprintable():
        return c
    return f"\\u{ord(c):04X}" if ord(c) <= 0xFFFF else f"\\U{ord(c):08X}"


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
    content = {"role": role} | ({"hierarchy": suggestion.hierarchy} if suggestion.hierarchy else {})
    yield f"{_key(profile.name)} = {toml(content)}"


def _privacy(pairs: Sequence[tuple[ColumnProfile, Suggestion]], say: Speech) -> Iterator[str]:
    sensitive = [profile for profile, suggestion in pairs if suggestion.role is Role.SENSITIVE]
    diverse = [profile.name for profile in sensitive if not profile.constant]
    yield from _comment(say("k-anonymity: at least k records share each combination of quasi-identifiers."))
    models: list[dict[str, Any]] = [{"model": "k-anonymity", "k": 5}]
    diversity = {"model": "l-diversity", "kind": "distinct", "l": 2}
    if sensitive:
        yield from _comment(
            say("l-diversity: records that share a combination have at least l different sensitive values.")
        )
    if len(diverse) == len(sensitive) > 0:
        yield from _comment(
            say("Without an attribute it holds for every sensitive one. Delete it if no sensitive attribute is left.")
        )
        models.append(diversity)
    elif sensitive:
        yield from _comment(say("It cannot hold for a sensitive attribute that is the same in every record."))
        models += [{"model": "l-diversity", "attribute": name, "kind": "distinct", "l": 2} for name in diverse]
    yield "models = ["
    yield from (f"  {toml(model)}," for model in models)
    yield "]"
