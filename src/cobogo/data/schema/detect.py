"""Detection of what in a column may point at a person, each with a confidence and the reason.

Reasons are made of fixed phrases and shares: they never quote a value, and so can be shown to anyone.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import partial

from cobogo.data.schema import forms
from cobogo.data.schema.forms import Form
from cobogo.data.schema.profile import ColumnProfile, Type
from cobogo.data.schema.words import FILLERS, IDS, NAMES, PEOPLE, Clue, Topic, words_of
from cobogo.floor.language import Text, tr

NEARLY_ALL = 0.8
SOME = 0.1
SENTENCE = 8  # words of a value, on average
FEW_ANSWERS = 20  # as many sentences may be the answers that a form offers
ENOUGH_RECORDS = 20  # below, that no value repeats says little


@dataclass(frozen=True)
class Finding:
    """What was found in a column, how sure it is (0 to 1), and why."""

    kind: Clue
    confidence: float
    reason: Text


@dataclass(frozen=True)
class Detector:
    """A form of values and what it tells, by itself and where the column's name says the same.

    Shares are of the distinct values, so that a frequent "not informed" does not hide the others.
    """

    clue: Clue
    form: Form
    has: Text  # what the values do: a template with their share
    alone: float  # the confidence when nearly all values have the form; 0: the form tells nothing by itself
    named: float = 0.97  # the same when the name agrees
    some: float = 0.0  # when at least one in ten has it
    by_chance: bool = False  # some numbers have the form by chance: a handful of values proves nothing

    def find(self, values: tuple[str, ...], topic: Topic | None) -> Finding | None:
        """What the values tell, if anything."""
        hits = sum(map(self.form, values))
        share = hits / max(len(values), 1)
        named = topic is not None and topic.clue is self.clue
        if share >= NEARLY_ALL:
            confidence = min(self.alone, 0.55) if self.by_chance and hits < 5 else self.alone
            confidence = self.named if named else confidence
        elif share >= SOME and hits >= 3 and self.some:
            confidence = 0.85 if named else self.some
        else:
            return None
        if not confidence:
            return None
        found = Text(self.has.template, None, {"share": percent(share)})
        agreed = tr("the column's name says so, and {found}", found=found) if named else found
        return Finding(self.clue, confidence, agreed)


DETECTORS = (
    Detector(
        Clue.CPF,
        forms.cpf,
        tr("{share} % of its values have the check digits of a CPF"),
        0.97,
        0.99,
        some=0.7,
        by_chance=True,
    ),
    Detector(Clue.CPF, forms.cpf_written, tr("{share} % of its values are written like a CPF"), 0.8, 0.95, some=0.65),
    Detector(
        Clue.CPF,
        forms.cpf_form,
        tr("{share} % of its values have the digits of a CPF, though not all check digits are right"),
        0.0,
        0.9,
    ),
    Detector(
        Clue.CNPJ,
        forms.cnpj,
        tr("{share} % of its values have the check digits of a CNPJ"),
        0.97,
        0.99,
        some=0.7,
        by_chance=True,
    ),
    Detector(
        Clue.CNPJ, forms.cnpj_written, tr("{share} % of its values are written like a CNPJ"), 0.8, 0.95, some=0.65
    ),
    Detector(Clue.EMAIL, forms.email, tr("{share} % of its values are e-mail addresses"), 0.98, 0.99, some=0.8),
    Detector(
        Clue.PHONE, forms.phone_written, tr("{share} % of its values are written like phone numbers"), 0.9, some=0.65
    ),
    Detector(
        Clue.PHONE,
        forms.phone_digits,
        tr("{share} % of its values have the digits of a Brazilian phone number"),
        0.65,
        by_chance=True,
    ),
    Detector(
        Clue.PHONE,
        forms.phone_local,
        tr("{share} % of its values have the digits of a phone number without area code"),
        0.0,
        0.9,
    ),
    Detector(
        Clue.CARD,
        forms.card,
        tr("{share} % of its values have the length, the range and the check digit of a payment card"),
        0.95,
        0.99,
        by_chance=True,
    ),
    Detector(
        Clue.CNS,
        forms.cns,
        tr("{share} % of its values have the fifteen digits and the check digit of a health card"),
        0.95,
        0.99,
        by_chance=True,
    ),
    Detector(
        Clue.DOCUMENT, forms.ssn_written, tr("{share} % of its values are written like social security numbers"), 0.8
    ),
    Detector(Clue.POSTAL_CODE, forms.postal_written, tr("{share} % of its values are written like postal codes"), 0.85),
    Detector(Clue.POSTAL_CODE, forms.postal_form, tr("{share} % of its values could be postal codes"), 0.0, 0.95),
    Detector(Clue.IP, forms.ip, tr("{share} % of its values are IP addresses"), 0.95, some=0.7),
    Detector(Clue.URL, forms.url, tr("{share} % of its values are web addresses"), 0.9, some=0.65),
    Detector(Clue.UUID, forms.uuid, tr("{share} % of its values are UUIDs"), 0.97, some=0.7),
    Detector(
        Clue.ADDRESS, forms.address, tr("{share} % of its values begin or end like street addresses"), 0.88, some=0.7
    ),
)


def detect(profile: ColumnProfile) -> tuple[Finding, ...]:
    """Everything found in a column, the surest first, each kind once.

    >>> from cobogo.data.schema.profile import profile
    >>> cpfs = [(value, 1) for value in ("529.982.247-25", "111.444.777-35", "123.456.789-09")]
    >>> detect(profile("cpf", 3, 0, 3, 3, cpfs))[0].reason
    "the column's name says so, and 100 % of its values have the check digits of a CPF"
    """
    topic = profile.topic
    values = profile.texts
    found = [detector.find(values, topic) for detector in DETECTORS]
    found += [_date(profile, topic), _person(profile, topic), _key(profile, topic), _free_text(profile, topic)]
    found += [_remarks(profile, topic), _name_alone(profile, topic)]
    best: dict[Clue, Finding] = {}
    for finding in found:
        if finding and (finding.kind not in best or finding.confidence > best[finding.kind].confidence):
            best[finding.kind] = finding
    return tuple(sorted(best.values(), key=lambda finding: -finding.confidence))


def percent(share: float) -> int:
    """A share in hundredths, rounded down.

    >>> percent(0.999), percent(1.0)
    (99, 100)
    """
    return int(share * 100 + 1e-9)


def _date(profile: ColumnProfile, topic: Topic | None) -> Finding | None:
    if profile.kind.type is not Type.DATE or "%d" not in (profile.kind.format or ""):
        return None
    if topic and topic.about == "birth":
        reason = tr("a birth date: the column's name says so, and its values are full dates")
        return Finding(Clue.DATE, 0.97, reason)
    return Finding(Clue.DATE, 0.9, tr("its values are full dates, which others may know of a person"))


def _person(profile: ColumnProfile, topic: Topic | None) -> Finding | None:
    named = topic is not None and topic.clue is Clue.PERSON
    look = share_of(profile.texts, partial(forms.person, any_case=named))
    given = share_of(profile.texts, forms.begins_with_given_name)
    if topic is not None and named:
        return _name_finding(profile, topic, look >= 0.6, given >= 0.3)
    if look < NEARLY_ALL:
        return None
    if given >= 0.3 and len(profile.texts) >= 5:
        reason = tr(
            "its values look like full names, and {share} % of them begin with a given name", share=percent(given)
        )
        return Finding(Clue.PERSON, 0.75, reason)
    if profile.unique_share >= 0.5 and profile.present >= ENOUGH_RECORDS:
        return Finding(Clue.PERSON, 0.5, tr("its values are capitalised words, as names of people are, and few repeat"))
    return None


def _name_finding(profile: ColumnProfile, topic: Topic, look: bool, given: bool) -> Finding:
    # beside other words "nome" may be anything's name, and "paciente" anything about one
    only = all(word in NAMES | PEOPLE | FILLERS or word.isdigit() for word in words_of(profile.name))
    sure = only or not topic.weak
    if given or (look and sure):
        return Finding(Clue.PERSON, 0.95, tr("the column's name says so, and its values look like names of people"))
    if look:
        return Finding(
            Clue.PERSON, 0.55, tr("the column's name may say so; its values could be names of people or not")
        )
    if sure and (not topic.weak or profile.kind.type in (Type.TEXT, Type.CATEGORY, Type.EMPTY)):
        reason = tr("the column's name says so; its values do not look like full names")
        if profile.kind.type is Type.EMPTY:
            reason = tr("the column's name says so; it has no values")
        return Finding(Clue.PERSON, topic.confidence, reason)
    return Finding(Clue.PERSON, 0.45, tr("the column's name may say so; its values do not look like names of people"))


def _key(profile: ColumnProfile, topic: Topic | None) -> Finding | None:
    """A key of the table, or of people in another table."""
    words = set(words_of(profile.name)) - FILLERS
    unique = profile.unique_share >= 0.9 and profile.present >= ENOUGH_RECORDS
    if topic and topic.clue is Clue.KEY:
        reason = tr("the column's name says that it numbers people or records")
        return Finding(Clue.KEY, 0.95 if unique else topic.confidence, reason)
    if words & IDS and words & PEOPLE and words <= IDS | PEOPLE:
        return Finding(Clue.KEY, 0.9, tr("the column's name says that it numbers people"))
    if words and words <= IDS:
        confidence = 0.9 if unique else 0.5 if _repeats(profile) else 0.8
        return Finding(Clue.KEY, confidence, tr("the column's name is that of a key"))
    return _unique_code(profile, bool(words & IDS)) if unique and _is_code(profile) else None


def _unique_code(profile: ColumnProfile, named: bool) -> Finding | None:
    share = percent(profile.unique_share)
    if named:
        reason = tr(
            "the column's name has a word for a key, and {share} % of its records have a code that no other record has",
            share=share,
        )
        return Finding(Clue.KEY, 0.88, reason)
    if _counts_rows(profile):
        return Finding(Clue.KEY, 0.7, tr("it numbers the records without gaps"))
    if len({re.sub("[a-z]", "A", re.sub("[0-9]", "9", text.lower())) for text in profile.texts}) == 1:
        reason = tr(
            "{share} % of its records have a code that no other record has, and all codes have the same form",
            share=share,
        )
        return Finding(Clue.KEY, 0.55, reason)
    return None


def _is_code(profile: ColumnProfile) -> bool:
    return profile.kind.type in (Type.INTEGER, Type.TEXT, Type.CATEGORY) and all(
        " " not in text
        and len(text) >= (1 if profile.kind.type is Type.INTEGER else 4)
        and any(c.isdigit() for c in text)
        for text in profile.texts
    )


def _counts_rows(profile: ColumnProfile) -> bool:
    if profile.sampled or profile.kind.type is not Type.INTEGER:
        return False
    numbers = profile.numbers
    return numbers[-1][0] - numbers[0][0] + 1 == len(numbers) == profile.records


def _free_text(profile: ColumnProfile, topic: Topic | None) -> Finding | None:
    if profile.kind.type not in (Type.TEXT, Type.CATEGORY):
        return None
    if any(map(forms.contact_in_text, profile.texts)):
        reason = tr("some of its values are texts with a phone number, a CPF or an e-mail address in them")
        return Finding(Clue.FREE_TEXT, 0.9, reason)
    text = profile.kind.type is Type.TEXT
    if profile.words >= SENTENCE and (text or 10 * profile.distinct > max(profile.present, 10 * FEW_ANSWERS)):
        return Finding(Clue.FREE_TEXT, 0.9, tr("its values are sentences; free text may contain anything: review it"))
    if text and topic and topic.clue is Clue.FREE_TEXT:
        reason = tr("the column's name says so; free text may contain anything: review it")
        return Finding(Clue.FREE_TEXT, topic.confidence, reason)
    return None


def _remarks(profile: ColumnProfile, topic: Topic | None) -> Finding | None:
    """Phrases that repeat, in a column for remarks: a name in one of them would be released with it."""
    if topic is None or topic.clue is not Clue.FREE_TEXT or profile.kind.type is not Type.CATEGORY or profile.words < 2:
        return None
    reason = tr("the column's name says so, and its values are phrases, which may name somebody: review them")
    return Finding(Clue.FREE_TEXT, 0.55, reason)


def is_free_text(profile: ColumnProfile) -> bool:
    """Whether a column reads like free text: by its sentences, by what is in them, or by its name and values that do
    not repeat.

    >>> from cobogo.data.schema.profile import profile
    >>> notes = [(f"patient number {n} came with a cough and left without it", 1) for n in range(30)]
    >>> is_free_text(profile("x", 30, 0, 30, 30, notes)), is_free_text(profile("x", 30, 0, 1, 0, [("a cough", 30)]))
    (True, False)
    """
    return _free_text(profile, profile.topic) is not None


def _name_alone(profile: ColumnProfile, topic: Topic | None) -> Finding | None:
    """A name that says identifier although no value shows it: the values may be cut, masked or of another country."""
    if topic is None or topic.clue is None or topic.clue in (Clue.PERSON, Clue.KEY, Clue.FREE_TEXT):
        return None
    if profile.kind.type is Type.EMPTY:
        return Finding(topic.clue, topic.confidence, tr("the column's name says so; it has no values"))
    if profile.kind.type is Type.BOOLEAN or _repeats(profile):  # rather the type of a document, or whether there is one
        return Finding(topic.clue, 0.5, tr("the column's name says so; its few values do not look like it"))
    return Finding(topic.clue, topic.confidence, tr("the column's name says so; its values do not look like it"))


def _repeats(profile: ColumnProfile) -> bool:
    return profile.present >= ENOUGH_RECORDS and 10 * profile.distinct < profile.present


def share_of(values: tuple[str, ...], form: Form) -> float:
    """The share of the values that have a form.

    >>> share_of(("a", "1"), str.isdigit)
    0.5
    """
    return sum(map(form, values)) / max(len(values), 1)
