"""Columns that must not be given away as they are: HIPAA's safe harbour and what the LGPD calls personal data.

Each finding has a confidence and a reason. Reasons are made of fixed phrases, shares and counts; none quotes a value.
They are advice: no list of names and forms knows every identifier.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from cobogo.errors import number_of
from cobogo.policy import Role
from cobogo.schema import ColumnProfile, Type, detect
from cobogo.schema.detect import Finding
from cobogo.schema.words import Clue, Topic, topic_of, words_of

SMALL_AREA = 20_000
"""HIPAA: the first three digits of a ZIP may be given away where at least so many people live."""

OLDEST = 89
"""HIPAA: ages above are given as one group, and so are years that tell them."""

LEAST = 0.5
"""Findings below this confidence are not worth a steward's time."""

HIPAA = "HIPAA § 164.514(b)(2)(i)"
LGPD = "LGPD art. 5 I"
LGPD_SENSITIVE = "LGPD art. 5 II"

_RULES: Mapping[Clue, tuple[str, str]] = {
    Clue.PERSON: ("name", "(A)"),
    Clue.ADDRESS: ("address", "(B)"),
    Clue.PHONE: ("phone number", "(D)"),
    Clue.EMAIL: ("e-mail address", "(F)"),
    Clue.CPF: ("CPF", "(G)"),
    Clue.CNS: ("health card number", "(I)"),
    Clue.CARD: ("payment card", "(J)"),
    Clue.DOCUMENT: ("document or licence", "(K)"),
    Clue.URL: ("web address", "(N)"),
    Clue.IP: ("IP address", "(O)"),
    Clue.BIOMETRIC: ("biometric data", "(P)"),
    Clue.CNPJ: ("CNPJ", "(R)"),
    Clue.UUID: ("unique code", "(R)"),
    Clue.KEY: ("unique code", "(R)"),
    Clue.FREE_TEXT: ("free text", "(R)"),
}
"""What a clue is called here, and the letter of the safe harbour that it falls under."""

_STATES = frozenset(["uf", "estado", "state", "country", "pais", "regiao", "region", "provincia", "province"])
_SHORT_ZIP = re.compile(r"\d{1,3}[*Xx-]*")
_AGE = re.compile(r"\s*(\d{1,3})(?:[.,]0*)?\s*")
_AGES = re.compile(r"\D{0,2}(\d{1,3})\s*(?:-|–|,|;|to|a)\s*(\d{1,3})\D{0,2}")
_YEAR = re.compile(r"(?:1[89]|20)\d{2}")


@dataclass(frozen=True)
class ColumnFinding:
    """What a column holds that points at people, by which rule, how sure that is, and why.

    ``released`` says whether its role lets it out: a quasi-identifier is recoded first, an identifier never.
    """

    column: str
    what: str
    rules: tuple[str, ...]
    confidence: float
    reason: str
    role: str | None
    released: bool


@dataclass(frozen=True)
class Area:
    """How many values of a place stand for few people, and how that is known."""

    few: int
    values: int
    known: str


Areas = Callable[[str], Area | None]
"""Told of a column, what the data say about the people of its places."""


def check_columns(profiles: Sequence[ColumnProfile], roles: Mapping[str, Role], areas: Areas) -> list[ColumnFinding]:
    """Everything found, what would be released first, then the surest first."""
    found = [finding for profile in profiles for finding in _check(profile, roles.get(profile.name), areas)]
    return sorted(found, key=lambda one: (not one.released, -one.confidence, one.column, one.what))


def _check(profile: ColumnProfile, role: Role | None, areas: Areas) -> Iterator[ColumnFinding]:
    topic = topic_of(profile.name)
    released = role is not Role.IDENTIFIER
    for what, rules, confidence, reason in _findings(profile, topic, areas):
        if confidence >= LEAST:
            shown = None if role is None else str(role)
            yield ColumnFinding(profile.name, what, rules, round(confidence, 2), reason, shown, released)


Found = tuple[str, tuple[str, ...], float, str]


def _findings(profile: ColumnProfile, topic: Topic | None, areas: Areas) -> Iterator[Found]:
    clues = detect(profile)
    if clues and clues[0].kind in _RULES:  # the surest: what looks like a CPF may look like a phone number, too
        yield _identifier(clues[0])
    yield from _dates(profile, topic, clues)
    yield from _ages(profile, topic)
    yield from _places(profile, topic, clues, areas)
    if topic is not None and topic.role is Role.SENSITIVE and "LGPD" in topic.why:
        reason = f"its name speaks of {topic.about}"
        yield "sensitive personal data", (LGPD_SENSITIVE,), topic.confidence, reason


def _identifier(finding: Finding) -> Found:
    what, letter = _RULES[finding.kind]
    return what, (f"{HIPAA}{letter}", LGPD), finding.confidence, finding.reason


def _dates(profile: ColumnProfile, topic: Topic | None, clues: Sequence[Finding]) -> Iterator[Found]:
    """Days and months: the safe harbour leaves the year only."""
    rules = (f"{HIPAA}(C)", LGPD)
    day = next((finding for finding in clues if finding.kind is Clue.DATE), None)
    if day is not None:
        yield "full date", rules, day.confidence, day.reason
    elif profile.kind.type is Type.DATE:
        yield "month of a year", rules, 0.8, "its values are months, and only the year may stay"
    birth = topic is not None and topic.about == "birth"
    years = _years(profile) if birth else []
    old = sum(count for year, count in years if year <= datetime.now().astimezone().year - OLDEST - 1)
    if old:
        reason = f"{number_of(old, 'record')} of people born more than {OLDEST} years ago"
        yield f"age over {OLDEST}", rules, 0.9, reason


def _years(profile: ColumnProfile) -> list[tuple[int, int]]:
    """The years that a column's values tell, with the records of each."""
    found = [(_YEAR.findall(value), count) for value, count in profile.values]
    return [(int(years[-1]), count) for years, count in found if years]


def _ages(profile: ColumnProfile, topic: Topic | None) -> Iterator[Found]:
    if topic is None or topic.about != "age":
        return
    old = 0
    for value, count in profile.values:
        one, several = _AGE.fullmatch(value), _AGES.fullmatch(value)
        old += count if (one and int(one[1]) > OLDEST) or (several and int(several[1]) > OLDEST) else 0
    if old:
        yield (
            f"age over {OLDEST}",
            (f"{HIPAA}(C)",),
            0.95,
            f"{number_of(old, 'record')} of people over {OLDEST}, who should be one group",
        )


def _places(profile: ColumnProfile, topic: Topic | None, clues: Sequence[Finding], areas: Areas) -> Iterator[Found]:
    """Areas smaller than a state, unless they are known to hold enough people each."""
    rules = (f"{HIPAA}(B)", LGPD)
    if topic is not None and topic.about == "coordinates" and profile.kind.type in (Type.DECIMAL, Type.TEXT):
        yield "coordinates", rules, 0.9, "its name speaks of coordinates, which point at a home"
        return
    postal = next((finding for finding in clues if finding.kind is Clue.POSTAL_CODE), None)
    place = topic is not None and topic.about == "a place"
    if postal is None and not place:
        return
    area = areas(profile.name)
    said = "" if area is None else f"; {area.few:,} of its {area.values:,} values hold fewer than {SMALL_AREA:,} people"
    said += "" if area is None else f" ({area.known})"
    if postal is not None:
        if profile.texts and all(map(_SHORT_ZIP.fullmatch, profile.texts)):
            if area is None or area.few:
                yield "small area", rules, 0.6, f"its postal codes are cut to three digits{said}"
            return
        yield "small area", rules, postal.confidence, f"{postal.reason}{said}"
        return
    if set(words_of(profile.name)) & _STATES or (area is not None and not area.few):
        return
    assert topic is not None
    confidence = 0.95 if area is not None else topic.confidence
    yield "small area", rules, confidence, f"its name speaks of a place, perhaps smaller than a state{said}"
