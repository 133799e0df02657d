"""Columns that must not be given away as they are: HIPAA's safe harbour and what the LGPD calls personal data.

Each finding has a confidence and a reason. Reasons consist of fixed phrases, shares and counts; they quote no value.
Findings are advice: no list of names and formats covers every identifier.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from cobogo.data.policy import Role
from cobogo.data.schema import ColumnProfile, Type, detect
from cobogo.data.schema.detect import Finding
from cobogo.data.schema.words import Clue, Topic, words_of
from cobogo.floor.language import join, tr, trn

SMALL_AREA = 20_000
"""HIPAA: the first three digits of a ZIP may be given away where at least so many people live."""

OLDEST = 89
"""HIPAA: ages above this, and the years of birth that imply them, must be one group."""

LEAST = 0.5
"""Findings below this confidence are left out: more of them would be false alarms than not."""

HIPAA = "HIPAA § 164.514(b)(2)(i)"
LGPD = "LGPD art. 5 I"
LGPD_SENSITIVE = "LGPD art. 5 II"

_RULES: Mapping[Clue, tuple[str, str]] = {
    Clue.PERSON: (tr("name"), "(A)"),
    Clue.ADDRESS: (tr("address"), "(B)"),
    Clue.PHONE: (tr("phone number"), "(D)"),
    Clue.EMAIL: (tr("e-mail address"), "(F)"),
    Clue.CPF: (tr("CPF"), "(G)"),
    Clue.CNS: (tr("health card number"), "(I)"),
    Clue.CARD: (tr("payment card"), "(J)"),
    Clue.DOCUMENT: (tr("document or licence"), "(K)"),
    Clue.URL: (tr("web address"), "(N)"),
    Clue.IP: (tr("IP address"), "(O)"),
    Clue.BIOMETRIC: (tr("biometric data"), "(P)"),
    Clue.CNPJ: (tr("CNPJ"), "(R)"),
    Clue.UUID: (tr("unique code"), "(R)"),
    Clue.KEY: (tr("unique code"), "(R)"),
    Clue.FREE_TEXT: (tr("free text"), "(R)"),
}
"""The name of what a clue points to, and its letter in the list of the safe harbour."""

_STATES = frozenset(["uf", "estado", "state", "country", "pais", "regiao", "region", "provincia", "province"])
_SHORT_ZIP = re.compile(r"\d{1,3}[*Xx-]*")
_AGE = re.compile(r"\s*(\d{1,3})(?:[.,]0*)?\s*")
_AGES = re.compile(r"\D{0,2}(\d{1,3})\s*(?:-|–|,|;|to|a)\s*(\d{1,3})\D{0,2}")
_YEAR = re.compile(r"(?:1[89]|20)\d{2}")


@dataclass(frozen=True)
class ColumnFinding:
    """What a column holds that identifies people, by which rules, with what confidence, and why.

    ``released`` says whether the column's role lets it be released: an identifier never is.
    """

    column: str
    what: str
    rules: tuple[str, ...]
    confidence: float
    reason: str
    role: str | None
    released: bool


@dataclass(frozen=True)
class PlaceSizes:
    """How many values of a place have few people; ``estimated`` from the data alone, they clear no place."""

    few: int
    values: int
    estimated: bool

    @property
    def large(self) -> bool:
        """Whether every place is known to have enough people."""
        return not self.few and not self.estimated


@dataclass(frozen=True)
class ColumnSource:
    """What a column's profile does not hold, by the column's name: the people of its places, if known, and all of its
    values with their records."""

    area: Callable[[str], PlaceSizes | None]
    values: Callable[[str], Iterable[tuple[str, int]]]


def check_columns(
    profiles: Sequence[ColumnProfile], roles: Mapping[str, Role], look: ColumnSource
) -> list[ColumnFinding]:
    """All findings: those of released columns first, then the surest first."""
    found = [finding for profile in profiles for finding in _check(profile, roles.get(profile.name), look)]
    return sorted(found, key=lambda one: (not one.released, -one.confidence, one.column, one.what))


def _check(profile: ColumnProfile, role: Role | None, look: ColumnSource) -> Iterator[ColumnFinding]:
    topic = profile.topic
    released = role is not Role.IDENTIFIER
    for what, rules, confidence, reason in _findings(profile, topic, look):
        if confidence >= LEAST:
            shown = None if role is None else str(role)
            yield ColumnFinding(profile.name, what, rules, round(confidence, 2), reason, shown, released)


RuleMatch = tuple[str, tuple[str, ...], float, str]
"""What a column holds, the rules, the confidence and the reason."""


def _findings(profile: ColumnProfile, topic: Topic | None, look: ColumnSource) -> Iterator[RuleMatch]:
    clues = detect(profile)
    if clues and clues[0].kind in _RULES:  # the surest: what looks like a CPF may look like a phone number, too
        yield _identifier(clues[0])
    yield from _dates(profile, clues)
    yield from _ages(profile, topic, look)
    yield from _places(profile, topic, clues, look)
    if topic is not None and topic.role is Role.SENSITIVE and "LGPD" in topic.why:
        reason = tr("its name is about {subject}", subject=topic.about)
        yield tr("sensitive personal data"), (LGPD_SENSITIVE,), topic.confidence, reason


def _identifier(finding: Finding) -> RuleMatch:
    what, letter = _RULES[finding.kind]
    return what, (f"{HIPAA}{letter}", LGPD), finding.confidence, finding.reason


def _dates(profile: ColumnProfile, clues: Sequence[Finding]) -> Iterator[RuleMatch]:
    """Days and months: the safe harbour leaves the year only."""
    rules = (f"{HIPAA}(C)", LGPD)
    day = next((finding for finding in clues if finding.kind is Clue.DATE), None)
    if day is not None:
        yield tr("full date"), rules, day.confidence, day.reason
    elif profile.kind.type is Type.DATE:
        yield tr("month of a year"), rules, 0.8, tr("its values are months, and only the year may be released")


def _ages(profile: ColumnProfile, topic: Topic | None, look: ColumnSource) -> Iterator[RuleMatch]:
    """Ages above the oldest, or the years of birth that imply them."""
    is_old = {"age": _old_by_age, "birth": _old_by_birth}.get("" if topic is None else topic.about)
    if is_old is None:
        return
    old = sum(count for value, count in look.values(profile.name) if is_old(value))
    if old:
        reason = trn(
            "{n:,} record of a person over {oldest}; such people should be one group",
            "{n:,} records of people over {oldest}, who should be one group",
            n=old,
            oldest=OLDEST,
        )
        yield tr("age over {oldest}", oldest=OLDEST), (f"{HIPAA}(C)",), 0.95 if is_old is _old_by_age else 0.9, reason


def _old_by_age(value: str) -> bool:
    """Whether an age, or the lower end of a closed range of ages, is above the oldest.

    >>> [_old_by_age(value) for value in ("89", "90", "[90, 95)", "85-94", "90+")]
    [False, True, True, False, False]
    """
    age = _AGE.fullmatch(value) or _AGES.fullmatch(value)
    return age is not None and int(age[1]) > OLDEST


def _old_by_birth(value: str) -> bool:
    """Whether a person born in the latest year of a value is certainly above the oldest."""
    years = _YEAR.findall(value)
    return bool(years) and int(years[-1]) < datetime.now().astimezone().year - OLDEST - 1


def _places(
    profile: ColumnProfile, topic: Topic | None, clues: Sequence[Finding], look: ColumnSource
) -> Iterator[RuleMatch]:
    """Areas smaller than a state, unless each is known to have enough people."""
    rules = (f"{HIPAA}(B)", LGPD)
    if topic is not None and topic.about == "coordinates" and profile.kind.type in (Type.DECIMAL, Type.TEXT):
        yield tr("coordinates"), rules, 0.9, tr("its name is about coordinates, which can show a home")
        return
    postal = next((finding for finding in clues if finding.kind is Clue.POSTAL_CODE), None)
    place = topic is not None and topic.about == "a place"
    if postal is None and not place:
        return
    area, people = look.area(profile.name), ""
    if area is not None:
        said = {"few": area.few, "values": area.values, "least": SMALL_AREA}
        people = (
            tr("{few:,} of its {values:,} values have fewer than {least:,} people (estimated)", **said)
            if area.estimated
            else tr("{few:,} of its {values:,} values have fewer than {least:,} people", **said)
        )
    sure = 0.95 if area is not None and area.few else 0.0
    if postal is not None and not (profile.texts and all(map(_SHORT_ZIP.fullmatch, profile.texts))):
        yield tr("small area"), rules, max(postal.confidence, sure), join([postal.reason, people], by="; ")
    elif area is not None and area.large:
        return
    elif postal is not None:
        reason = join([tr("its postal codes are cut to three digits"), people], by="; ")
        yield tr("small area"), rules, max(0.6, sure), reason
    elif topic is not None and not set(words_of(profile.name)) & _STATES:
        confidence = max(topic.confidence, sure)
        reason = join([tr("its name is about a place, perhaps smaller than a state"), people], by="; ")
        yield tr("small area"), rules, confidence, reason
