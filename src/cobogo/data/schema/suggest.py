"""A role and a hierarchy for each column, suggested: the user decides.

What was found in the column and what its name speaks of are weighed by their confidence. Where neither says
anything, the suggestion is the one that protects most and is marked as uncertain.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from decimal import Decimal
from typing import Any

from cobogo.data.hierarchy.codes import unknown_codes
from cobogo.data.hierarchy.dates import plain_date
from cobogo.data.hierarchy.texts import odd_paths
from cobogo.data.policy import Normalization, Role
from cobogo.data.schema import forms
from cobogo.data.schema.detect import ENOUGH_RECORDS, Finding, detect, share_of
from cobogo.data.schema.profile import CERTAIN, ODD_VALUES, ColumnProfile, Type, is_date
from cobogo.data.schema.surveys import answer_reason, weight_reason, weight_role
from cobogo.data.schema.words import Clue, Topic, topic_of
from cobogo.floor.language import Text, tr

_QUASI_CLUES = (Clue.DATE, Clue.POSTAL_CODE)
MIDNIGHTS = ((" %H:%M:%S%z", " 00:00:00+00"), (" %H:%M:%S", " 00:00:00"))
"""How times are written, and midnight among them."""

_WITH_A_WORD = re.compile(r"[0-9]{1,3} ?[^\W\d_]{1,6}")  # such as an age: "7 anos"

LONG = 15
"""The years from the first date to the last from which on years are put together by five and ten, and quarters are too
fine to help. Not tuned: three bands of five years."""


@dataclass(frozen=True)
class Suggestion:
    """A role for a column, how sure it is, why, and for a quasi-identifier a hierarchy as the policy writes it."""

    role: Role
    confidence: float
    reason: Text
    hierarchy: dict[str, Any] | None = None
    clue: Clue | None = None  # of an identifier, what its values are
    normalize: tuple[Normalization, ...] = ()  # what of the writing of its values is no difference

    @property
    def certain(self) -> bool:
        """Whether it is ready to use without the user's word."""
        return self.confidence >= CERTAIN

    @property
    def recoding(self) -> dict[str, Any]:
        """What a policy says of the column besides its role."""
        more = {"hierarchy": self.hierarchy, "normalize": list(self.normalize)}
        return {key: value for key, value in more.items() if value}


def suggest(profile: ColumnProfile) -> Suggestion:
    """The role and the hierarchy that suit a column.

    >>> from cobogo.data.schema.profile import profile
    >>> births = profile("data_nascimento", 2, 0, 2, 2, [("31/12/1990", 1), ("01/02/1985", 1)])
    >>> print(suggest(births).role, suggest(births).hierarchy)
    quasi-identifier {'dates': '%d/%m/%Y', 'levels': ['%m/%Y', '%Y', '5-years', 'decade'], 'top': True}
    >>> suggest(profile("shoe", 60, 0, 2, 0, [("a", 30), ("b", 30)])).certain
    False
    """
    topic = profile.topic
    candidates = [_suggest_by_values(finding) for finding in detect(profile)]
    if (weight := weight_reason(profile)) is not None:
        candidates = [_suggest_weight(profile, weight)]
    elif topic and topic.role is not Role.IDENTIFIER:
        candidates.append(_suggest_by_name(topic, profile))
    elif not candidates and _are_municipalities(profile):
        candidates = [Suggestion(Role.QUASI_IDENTIFIER, 0.8, tr("its values are codes of municipalities (IBGE)"))]
    elif not candidates and (answer := answer_reason(profile)) is not None:
        candidates = [_suggest_answer(answer)]
    best = max(candidates, key=lambda candidate: candidate.confidence) if candidates else _suggest_in_doubt(profile)
    if best.role in _BUILDERS:
        best = _add_hierarchy(best, profile, topic)
    if best.role is not Role.IDENTIFIER and _differ_in_case(profile):
        reason = tr("{reason}; values that differ only in case count as one", reason=best.reason)
        best = replace(best, reason=reason, normalize=("case",))
    if best.role is not Role.IDENTIFIER and any(value != value.strip() for value, _ in profile.values):
        reason = tr("{reason}; the blanks around its values are left out", reason=best.reason)
        best = replace(best, reason=reason, normalize=("trim", *best.normalize))
    if profile.sampled and best.role is not Role.IDENTIFIER:
        seen = len(profile.values)
        best = replace(
            best, reason=tr("{reason}; judged by its {seen:,} most frequent values", reason=best.reason, seen=seen)
        )
    return best


def unit_column(profiles: Sequence[ColumnProfile], suggestions: Sequence[Suggestion]) -> ColumnProfile | None:
    """The column that says which records are of the same person: a number that people have for life, or else the
    surest number of a person or a record, if some of its values repeat and nearly every record has one.

    A number that hardly repeats counts the records of the table rather than the people in it: any other goes before it.

    >>> from cobogo.data.schema.profile import profile
    >>> loans = profile("customer_id", 40, 0, 25, 15, [(str(n), 1 + n % 2) for n in range(25)])
    >>> unit_column([loans], [suggest(loans)]).name
    'customer_id'
    """
    found = [
        (suggestion.clue in _FOR_LIFE, one.unique_share < RECORD_NUMBERS, suggestion.confidence, -number)
        for number, (one, suggestion) in enumerate(zip(profiles, suggestions, strict=True))
        if suggestion.certain
        and suggestion.clue in _NUMBERS
        and one.missing <= WITHOUT_NUMBER * one.records
        and FEWEST_PEOPLE <= one.distinct < one.present
        and one.records <= MOST_RECORDS * one.distinct
    ]
    return profiles[-max(found)[-1]] if found else None


_FOR_LIFE = (Clue.CPF, Clue.CNS)
"""Numbers that a person keeps, whichever register they are in."""

_NUMBERS = (*_FOR_LIFE, Clue.DOCUMENT, Clue.KEY)
"""What people are numbered by; others may have the same name, and share a phone."""

RECORD_NUMBERS = 0.9
"""The share of values without a second record from which on a number rather counts records. Not tuned."""

WITHOUT_NUMBER = 0.1
"""The share of the records that may have no number: all of them count as one person, which protects them and costs
detail. Not tuned."""

FEWEST_PEOPLE = 10
"""The people among whom two classes of five can be made: the starter asks for k = 5."""

MOST_RECORDS = 50
"""The records for each value, on average, above which a number is rather that of a place or a thing. Not tuned."""


def _suggest_by_values(finding: Finding) -> Suggestion:
    role = Role.QUASI_IDENTIFIER if finding.kind in _QUASI_CLUES else Role.IDENTIFIER
    reason = Text("{kind}: {reason}", None, {"kind": finding.kind.words, "reason": finding.reason})
    return Suggestion(role, finding.confidence, reason, clue=finding.kind)


def _suggest_by_name(topic: Topic, profile: ColumnProfile) -> Suggestion:
    reason = tr("its name is about {subject}, {why}", subject=topic.about, why=topic.why)
    if topic_of(profile.name) is not topic:
        reason = tr("its label is about {subject}, {why}", subject=topic.about, why=topic.why)
    if topic.role is Role.QUASI_IDENTIFIER and profile.constant and profile.present >= ENOUGH_RECORDS:
        return _suggest_constant(profile)
    if topic.role is Role.SENSITIVE and profile.constant and profile.present:
        # no class can then be diverse: whoever is known to be in the table is exposed, whatever the recoding
        reason = tr(
            "{reason}; it is the same in every record, which no recoding can hide: better leave it out", reason=reason
        )
        return Suggestion(Role.SENSITIVE, 0.5, reason)
    if topic.role is Role.SENSITIVE and profile.missing > profile.present > 0:
        # a missing value is no value: models and figures would be about the few who have one
        reason = tr(
            '{reason}; most records have no value: if that means none, give its models missing = "value"', reason=reason
        )
    return Suggestion(topic.role, topic.confidence, reason)


def _suggest_weight(profile: ColumnProfile, reason: Text) -> Suggestion:
    role, why = weight_role(profile)
    return Suggestion(role, 0.5, Text("{reason}; {why}", None, {"reason": reason, "why": why}))


def _suggest_answer(reason: Text) -> Suggestion:
    """Opinions are seldom known to others; recoding every item of a questionnaire would leave nothing of it."""
    return Suggestion(
        Role.NON_SENSITIVE,
        0.5,
        tr("{reason}: others seldom know it. Make it sensitive if nobody may learn it of a person", reason=reason),
    )


def _suggest_in_doubt(profile: ColumnProfile) -> Suggestion:
    """What protects most, where nothing speaks for any role."""
    if profile.kind.type is Type.EMPTY:
        reason = tr("it has no values to judge by, and its name says nothing: left out")
        return Suggestion(Role.IDENTIFIER, 0.3, reason)
    if profile.constant:
        return _suggest_constant(profile)
    if profile.kind.type is Type.TEXT:
        reason = tr("free text may contain anything; review it. In doubt it is left out")
        return Suggestion(Role.IDENTIFIER, 0.5, reason)
    if profile.kind.type is Type.DATE:
        reason = tr("its values are dates, which others may know of a person")
        return Suggestion(Role.QUASI_IDENTIFIER, 0.75, reason)
    reason = tr("nothing says what it is; in doubt others may know it, so it is recoded")
    return Suggestion(Role.QUASI_IDENTIFIER, 0.4, reason)


def _suggest_constant(profile: ColumnProfile) -> Suggestion:
    confidence = 0.65 if profile.records >= ENOUGH_RECORDS else 0.4
    reason = tr("it is the same in every record, so it does not tell people apart")
    return Suggestion(Role.NON_SENSITIVE, confidence, reason)


def _are_municipalities(profile: ColumnProfile) -> bool:
    """Whether all values are IBGE's codes: of the numbers with six or seven digits one in 160 or fewer is."""
    texts = set(profile.texts)
    return (
        len(texts) > 1
        and {len(text) for text in texts} in ({6}, {7})
        and not unknown_codes("municipality", profile.texts)
    )


def _differ_in_case(profile: ColumnProfile) -> bool:
    """Whether values are written in several ways, such as F and f. Of a column with more values than are looked at,
    nothing is known of the others."""
    words = {value.strip() for value, _ in profile.values}
    return not profile.sampled and len({word.casefold() for word in words}) < len(words)


def _add_hierarchy(suggestion: Suggestion, profile: ColumnProfile, topic: Topic | None) -> Suggestion:
    """The same with a hierarchy, if one fits all values. All reach ``*`` at the top: then a solution exists."""
    if profile.kind.ambiguous:
        assumed = tr("{reason}; it is assumed that the day comes before the month", reason=suggestion.reason)
        suggestion = replace(suggestion, reason=assumed)
    for build in _BUILDERS[suggestion.role]:
        hierarchy = build(profile, topic)
        if hierarchy:
            reason = suggestion.reason
            if hierarchy.get("lenient") and "codes" in hierarchy:
                reason = tr("{reason}; a few of its values are no known codes and stay as they are", reason=reason)
            elif hierarchy.get("lenient"):
                reason = tr("{reason}; a few of its values have another form and stay as they are", reason=reason)
            return replace(suggestion, reason=reason, hierarchy={**hierarchy, "top": True})
    if topic is not None and topic.widths and profile.texts and all(map(_WITH_A_WORD.fullmatch, profile.texts)):
        reason = tr(
            "{reason}; with numbers alone, without a word behind them, it could have intervals",
            reason=suggestion.reason,
        )
        return replace(suggestion, reason=reason)
    return suggestion


def _dates(profile: ColumnProfile, topic: Topic | None) -> dict[str, Any] | None:
    form = profile.kind.format
    if form is None:
        return None
    dated = [text for text in profile.texts if is_date(text, form)]
    years = [datetime.strptime(plain_date(text, form), form).year for text in dated]
    for clock, midnight in MIDNIGHTS:
        if form.endswith(clock) and all(text.endswith(midnight) for text in dated):
            form = form.removesuffix(clock)  # days, as frames and Parquet files hold them
    day = re.split("[ T]%H", form)[0]
    shown = "%Y-%m-%d" if "%b" in day else day  # not an English name among Portuguese ones
    levels = [*([shown] if form != day else []), *([_month_of(day)] if "%d" in day else [])]
    if "%y" in day:
        levels.append("%y")  # two digits do not tell the century: neither do the levels
    elif (topic is not None and topic.about == "birth") or max(years) - min(years) >= LONG:
        levels += ["%Y", "5-years", "decade"]
    else:
        levels += ["quarter", "%Y"]
    return {"dates": form, "levels": levels} | ({"lenient": True} if len(dated) < len(profile.texts) else {})


def _month_of(day: str) -> str:
    """How the month of a day is written where days are written so.

    >>> [_month_of(day) for day in ("%d/%m/%Y", "%Y%m%d", "%d.%m.%Y", "%m/%d/%Y", "%d-%b-%y", "%d %b %Y")]
    ['%m/%Y', '%Y%m', '%m.%Y', '%m/%Y', '%m/%y', 'month']
    """
    if "%b" in day:
        return "%m/%y" if "%y" in day else "month"
    return re.sub("%d[-/.]?|[-/.]%d$", "", day)


def _codes(profile: ColumnProfile, topic: Topic | None) -> dict[str, Any] | None:
    """Codes of a classification that ships, where the column's name speaks of it and nearly all values have it."""
    about = "" if topic is None else topic.about
    place = about == "a place" or (topic is None and _are_municipalities(profile))
    postal = topic is not None and topic.clue is Clue.POSTAL_CODE
    for classification, named in (("municipality", place), ("cep", postal), ("icd-10", about == "health")):
        unknown = unknown_codes(classification, profile.texts) if named else profile.texts
        if len(unknown) < len(profile.texts) and _are_slips(unknown, profile):
            return {"codes": classification} | ({"lenient": True} if unknown else {})
    return None


def _mask(profile: ColumnProfile, topic: Topic | None) -> dict[str, Any] | None:
    """Codes of places whose first digits stand for larger places: postal codes, IBGE's codes."""
    place = topic is not None and (topic.clue is Clue.POSTAL_CODE or topic.about == "a place")
    texts = profile.texts
    written = share_of(texts, forms.postal_written) == 1
    if not texts or not (place or written):
        return None
    length = len(texts[0])
    fixed = all(len(text) == length and text.replace("-", "").replace(".", "").isdigit() for text in texts)
    return {"mask": "right", "keep": 1} if fixed and length >= 4 else None


def _intervals(profile: ColumnProfile, topic: Topic | None) -> dict[str, Any] | None:
    if profile.kind.type not in (Type.INTEGER, Type.DECIMAL) or profile.is_code:
        return None
    numbers = profile.numbers
    least, most = numbers[0][0], numbers[-1][0]
    if len(numbers) <= 5 or max(abs(least), abs(most)) > Decimal("1e15"):
        return None  # few values need no intervals; a double cannot hold such figures
    usual = topic.widths if topic and most - least <= 360 else ()  # of an age in years, of degrees
    widths = usual or _widths(_spread(numbers), whole=profile.kind.type is Type.INTEGER)
    mark = {"decimal": profile.kind.mark} if profile.kind.mark else {}
    return {"intervals": list(widths), **mark} if widths else None


def _spread(numbers: list[tuple[Decimal, int]]) -> Decimal:
    """How far the middle nine tenths of the records reach: a single fortune should not set everybody's scale."""
    total = sum(count for _, count in numbers)
    seen, middle = 0, []
    for number, count in numbers:
        if 0.05 * total < seen + count and seen < 0.95 * total:
            middle.append(number)
        seen += count
    spread = middle[-1] - middle[0]
    return spread or numbers[-1][0] - numbers[0][0]


def _widths(spread: Decimal, *, whole: bool) -> tuple[float | int, ...]:
    """Three nested widths, the first about a twentieth of the spread and 1, 2 or 5 times a power of ten.

    >>> _widths(Decimal(73), whole=True), _widths(Decimal("1.7"), whole=False)
    ((5, 10, 20), (0.1, 0.2, 0.4))
    """
    aim = spread / 20
    if aim < Decimal("1e-9"):
        return ()
    power = Decimal(1).scaleb(aim.adjusted())
    width = next(power * step for step in (1, 2, 5, 10) if power * step >= aim)
    if whole:
        width = max(width, Decimal(2))  # each integer is an interval of width 1 already
    plain = int if width == int(width) else float
    return tuple(plain(width * factor) for factor in (1, 2, 4))


def _are_slips(odd: Sequence[str], profile: ColumnProfile) -> bool:
    """Whether values of another form are so few that they may stay as they are."""
    strange = set(odd)
    return sum(count for value, count in profile.values if value.strip() in strange) <= ODD_VALUES * profile.present


def _path(profile: ColumnProfile, topic: Topic | None) -> dict[str, Any] | None:
    """Values such as ``district/city/state``: as many parts in each, or in nearly each, the coarsest last."""
    place = topic is not None and topic.about == "a place"
    texts = profile.texts
    for separator in ("/", "|", ">", *((", ", " - ") if place else ())):
        width, odd = odd_paths(texts, separator)
        if width < 2 or not _are_slips(odd, profile):
            continue
        strange = set(odd)
        regular = [text for text in texts if text not in strange]
        parts = [text.split(separator) for text in regular]
        whole = all(any(c.isalpha() for c in text) for text in regular)
        finest, coarsest = (len({split[end] for split in parts}) for end in (0, -1))
        if whole and coarsest <= finest and (coarsest < len(regular) or len(regular) == 1):
            return {"path": separator} | ({"lenient": True} if odd else {})
    return None


_BUILDERS: dict[Role, tuple[Callable[[ColumnProfile, Topic | None], dict[str, Any] | None], ...]] = {
    Role.QUASI_IDENTIFIER: (_codes, _mask, _dates, _intervals, _path),
    Role.SENSITIVE: (_codes,),
}
