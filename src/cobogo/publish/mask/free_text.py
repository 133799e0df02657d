"""What points at people in free text, found by its form and by lists of names, and replaced by its kind.

Numbers, addresses and dates are found by the forms of `cobogo.data.schema.forms`; names by lists of common given names
and surnames of Brazil and of English-speaking countries, by the words before them (Dr., mãe) and by capitals. The rules
know nothing of what a sentence means: they miss some names, and take some places for names.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Sequence
from functools import cache
from typing import NamedTuple

from cobogo.data.schema import forms
from cobogo.data.schema.words import GIVEN_NAMES, NAMES, ORDINARY, PARTICLES, PEOPLE, SITES, TITLES, plain
from cobogo.examples.words import BRAZIL, GENERIC, word_list
from cobogo.floor.catalogue import card


class Mention(NamedTuple):
    """A part of a text that points at a person, and of which kind it is."""

    start: int
    end: int
    kind: str


@card("text", title="masked free text")
def mask_text(text: str, kinds: Collection[str] = ()) -> str:
    r"""Free text in which names, numbers, addresses and dates are replaced by their kind in brackets.

    ``kinds`` are those that are replaced, without any all of them: name, cpf, cns, phone, email, date, cep, number.

    Formula: $y = x$ with every part that has the form of a kind $t$ replaced by $[t]$, until none is left
    Example:
        >>> mask_text("Paciente Maria da Silva, CPF 529.982.247-25, tel. (85) 98888-7777, desde 03/02/2020.")
        'Paciente [NAME], CPF [CPF], tel. [PHONE], desde [DATE].'

    Guarantee: None: verification checks that no part which the rules find is left, and the rules do not find all. What
        they miss, and what a text tells without any name, may point at a person.
    Limits: Names that are in no list, misspelt or in lower case are missed more often; a diagnosis or a rare event
        stays. The documentation says how many were found in made-up notes; notes of other people differ.
    Cost: $O(m)$ for m characters.
    Paper: None. The idea of rules and lists: Neamatullah et al., Automated de-identification of free-text medical
        records, BMC Medical Informatics and Decision Making 8, 2008.
    """
    while found := find_mentions(text, kinds):
        for mention in reversed(found):
            text = f"{text[: mention.start]}[{mention.kind.upper()}]{text[mention.end :]}"
    return text


def find_mentions(text: str, kinds: Collection[str] = ()) -> list[Mention]:
    """The parts of a text that point at people, in order; none overlaps another, and none is a kind in brackets.

    >>> find_mentions("com dona Uéverlaine e o SUS 898 0000 0004 3208")
    [Mention(start=9, end=19, kind='name'), Mention(start=28, end=46, kind='cns')]
    """
    found: list[Mention] = []
    taken = bytearray(len(text))
    for kind, find in FINDERS.items():
        for start, end in find(text) if not kinds or kind in kinds else ():
            if not any(taken[start:end]):
                taken[start:end] = b"\1" * (end - start)
                found.append(Mention(start, end, kind))
    return sorted(found)


Finder = Callable[[str], Iterator[tuple[int, int]]]


def _by_pattern(expression: str, check: Callable[[str], bool] = bool) -> Finder:
    """Finds what matches an expression between characters that are no digits, and passes a check."""
    compiled = re.compile(rf"(?<![0-9]){expression}(?![0-9])", re.IGNORECASE)

    def find(text: str) -> Iterator[tuple[int, int]]:
        return (found.span() for found in compiled.finditer(text) if check(found[0]))

    return find


_MONTHS = (
    "jan(?:eiro|uary)?|fev(?:ereiro)?|feb(?:ruary)?|mar(?:ço|ch)?|abr(?:il)?|apr(?:il)?|mai(?:o)?|may|jun(?:ho|e)?|"
    "jul(?:ho|y)?|ago(?:sto)?|aug(?:ust)?|set(?:embro)?|sep(?:tember)?|out(?:ubro)?|oct(?:ober)?|nov(?:embro|ember)?|"
    "dez(?:embro)?|dec(?:ember)?"
)
_DAY, _MONTH, _YEAR = "(?:0?[1-9]|[12][0-9]|3[01])", "(?:0?[1-9]|1[0-2])", "(?:(?:18|19|20)[0-9]{2}|[0-9]{2})"
# 12/8 is more often a blood pressure: a day and a month without a year are a date only after words such as these.
_BEFORE_DAY = r"(?:(?<=\bem )|(?<=\bdia )|(?<=\bdesde )|(?<=\baté )|(?<=\bon )|(?<=\bsince )|(?<=\buntil ))"
_DATE = (
    rf"(?:{_DAY}([/.-]){_MONTH}\1{_YEAR}|{_MONTH}([/.-]){_DAY}\2{_YEAR}|(?:18|19|20)[0-9]{{2}}([/.-]){_MONTH}\3{_DAY}|"
    rf"{_DAY}(?:º|st|nd|rd|th)?[ /-](?:de )?(?:{_MONTHS})\b\.?(?:[ /-](?:de )?{_YEAR})?|"
    rf"\b(?:{_MONTHS}) {_DAY}(?:st|nd|rd|th)?,? {_YEAR}|"
    rf"\b(?:{_MONTHS})\.?(?: de | |/)(?:19|20)[0-9]{{2}}|{_BEFORE_DAY}{_DAY}/{_MONTH})"
)
_NO_YEARS = "(?!(?:19|20)[0-9]{2}-(?:19|20)[0-9]{2}(?![0-9]))"  # 2019-2020 is neither a phone nor a record
_LOCAL_PHONE = rf"{_NO_YEARS}(?:9[ .-]?[0-9]{{4}}|[2-5][0-9]{{3}})[ .-][0-9]{{4}}"


_LETTER = r"[^\s@,;:<>()\[\]]"  # of an e-mail address; their number is bounded, so that a long text costs no more


def _is_cpf(text: str) -> bool:
    return not text.isdigit() or forms.cpf(text)


_WORD = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
_BEFORE_NAME = PEOPLE | NAMES | TITLES


@cache
def _surnames() -> frozenset[str]:
    listed = (*word_list("surname", BRAZIL), *word_list("surname", GENERIC))
    return frozenset(word for name in listed for word in plain(name).split()) - PARTICLES


@cache
def _given_names() -> frozenset[str]:
    listed = (*word_list("given-name", BRAZIL), *word_list("given-name", GENERIC))
    return GIVEN_NAMES | frozenset(word for name in listed for word in plain(name).split()) - PARTICLES


class _Word(NamedTuple):
    start: int
    end: int
    plain: str
    capital: bool  # and says something: it is no short acronym, and not all of the text is in capitals
    before: str  # what separates it from the word before

    @property
    def given(self) -> bool:
        return self.plain in _given_names()

    @property
    def name(self) -> bool:
        return self.given or self.plain in _surnames()


def _words(text: str) -> list[_Word]:
    shouted = sum(map(str.isupper, text)) > sum(map(str.islower, text))
    words: list[_Word] = []
    end = 0
    for found in _WORD.finditer(text):
        if text[max(found.start() - 1, 0) : found.end() + 1] in _REPLACEMENTS:
            continue  # it stands for what was there
        acronym = found[0].isupper() and len(found[0]) <= 4
        capital = found[0][0].isupper() and not shouted and not acronym
        words.append(_Word(*found.span(), plain(found[0]), capital, text[end : found.start()]))
        end = found.end()
    return words


def _find_names(text: str) -> Iterator[tuple[int, int]]:
    """Runs of words that are names: they begin as a name does, and go on while words are names or have capitals."""
    words = _words(text)
    place = 0
    while place < len(words):
        end = _end_of_run(words, place) if _begins_name(words, place) else place
        if end > place:
            yield words[place].start, words[end - 1].end
        place = max(end, place + 1)


def _begins_name(words: Sequence[_Word], place: int) -> bool:
    word = words[place]
    above = words[place - 1].plain if place else ""
    if above in SITES or word.plain in SITES | _BEFORE_NAME | PARTICLES:
        return False
    if above in _BEFORE_NAME and re.fullmatch(r"[.,:]?\s+", word.before):
        return word.capital or word.name
    several = _end_of_run(words, place) - place > 1
    if word.capital:
        begins = place == 0 or re.search(r"[.!?:;\n]", word.before) is not None
        return several or word.given or (word.name and not begins)
    return word.given and (several or word.plain not in ORDINARY)


def _end_of_run(words: Sequence[_Word], place: int) -> int:
    """The place after the last word of a name that begins at a place: small words are in it, and do not end it."""
    end = place + 1
    for n in range(place + 1, len(words)):
        word = words[n]
        if word.before.strip():
            break
        if word.name or (word.capital and word.plain not in PARTICLES):
            end = n + 1
        elif word.plain not in PARTICLES:
            break
    return end


FINDERS: dict[str, Finder] = {
    "email": _by_pattern(rf"{_LETTER}{{1,64}}@{_LETTER}{{1,64}}\.{_LETTER}{{0,190}}[^\W_]"),
    "cns": _by_pattern(r"[12789][0-9]{2} ?[0-9]{4} ?[0-9]{4} ?[0-9]{4}"),
    "cpf": _by_pattern(r"[0-9]{3}\.?[0-9]{3}\.?[0-9]{3}-?[0-9]{2}", _is_cpf),
    "phone": _by_pattern(rf"(?:{forms.PHONE}|{_LOCAL_PHONE})"),
    "cep": _by_pattern(r"[0-9]{2}\.?[0-9]{3}-[0-9]{3}"),
    "date": _by_pattern(_DATE),
    "number": _by_pattern(rf"{_NO_YEARS}[0-9](?:(?:[./-]?[0-9]){{6,}}|(?:[ ./-]?[0-9]){{8,}})"),
    "name": _find_names,
}
"""How each kind is found; what one kind takes is no longer looked at by those after it."""

_REPLACEMENTS = frozenset(f"[{kind.upper()}]" for kind in FINDERS)
