"""The forms of values that name people: what a CPF, a phone number or an address looks like, and check digits.

Each function takes one value without blanks around it and says whether it has the form.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Callable

from cobogo.data.schema.words import GIVEN_NAMES, PARTICLES, plain

Form = Callable[[str], bool]


def pattern(expression: str) -> Form:
    """The form of the values that match a regular expression as a whole.

    >>> pattern("[0-9]{5}-[0-9]{3}")("60160-230")
    True
    """
    compiled = re.compile(expression, re.ASCII | re.IGNORECASE)
    return lambda value: compiled.fullmatch(value) is not None


_AREA = "(?:1[1-9]|2[12478]|3[1-57-8]|4[1-9]|5[1345]|6[1-9]|7[134579]|8[1-9]|9[1-9])"  # Brazil's area codes
_SUBSCRIBER = r"(?:9[ .-]?\d{4}|[2-5]\d{3})[ .-]?\d{4}"
_BRAZILIAN_PHONE = rf"(?:\+?55[ .-]?)?0?(?:\({_AREA}\)|{_AREA})[ .-]?{_SUBSCRIBER}"
PHONE = rf"{_BRAZILIAN_PHONE}|\+[1-9](?:[ ().-]*\d){{7,14}}|(?:\(\d{{3}}\) ?|\d{{3}}-)\d{{3}}-\d{{4}}"
"""Phone numbers of Brazil, of any country with its code, and of North America, as a regular expression."""

_STREET = r"(?:rua|r\.|av\.?|avenida|travessa|tv\.|alameda|al\.|rodovia|rod\.|estrada|praça|pça\.?)"

cpf_form = pattern(r"\d{3}\.?\d{3}\.?\d{3}-?\d{2}")
cpf_written = pattern(r"[\d*Xx]{3}\.\d{3}\.\d{3}-[\d*Xx]{2}")  # with its dots, perhaps with its ends masked
cnpj_form = pattern(r"[0-9A-Z]{2}\.?[0-9A-Z]{3}\.?[0-9A-Z]{3}/?[0-9A-Z]{4}-?\d{2}")
cnpj_written = pattern(r"[0-9A-Z]{2}\.[0-9A-Z]{3}\.[0-9A-Z]{3}/[0-9A-Z]{4}-\d{2}")
email = pattern(r"[^@\s,;]+@[^@\s,;.]+(?:\.[^@\s,;.]+)+")
uuid = pattern(r"\{?[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}\}?")
url = pattern(r"(?:(?:https?|ftp)://|www\.)\S+")
ssn_written = pattern(r"\d{3}-\d{2}-\d{4}")
postal_written = pattern(
    r"\d{5}-\d{3}|\d{2}\.\d{3}-\d{3}|\d{5}-\d{4}|[A-Z]{1,2}\d[A-Z\d]? \d[A-Z]{2}|[A-Z]\d[A-Z] \d[A-Z]\d"
)
postal_form = pattern(r"[\d.-]{4,10}|[A-Z\d]{2,4} ?[A-Z\d]{3}")
phone_digits = pattern(rf"(?:55)?{_AREA}(?:9\d{{4}}|[2-5]\d{{3}})\d{{4}}")
phone_local = pattern(r"9?[ .-]?\d{4}[ .-]?\d{4}")
address = pattern(
    rf"{_STREET}\s+\S.*|\d+[A-Za-z]?\s+.+\s(?:street|st|avenue|ave|road|rd|lane|ln|drive|dr|boulevard|blvd|court|ct)\.?(?:,.*)?"
)
_phone = pattern(PHONE)


def phone_written(value: str) -> bool:
    """A phone number with the signs that make it one: brackets, hyphen or country code.

    >>> phone_written("(85) 98888-7777"), phone_written("+44 20 7946 0000"), phone_written("85988887777")
    (True, True, False)
    """
    return not value.isdigit() and _phone(value)


_CONTACT = re.compile(
    rf"(?<![\d.-])(?:{PHONE}|\d{{3}}\.\d{{3}}\.\d{{3}}-\d{{2}})(?![\d-])|[^@\s,;]+@[^@\s,;.]+(?:\.[^@\s,;.]+)+",
    re.ASCII,
)


def contact_in_text(value: str) -> bool:
    """A text of at least three words with a phone number, a CPF or an e-mail address in it.

    >>> contact_in_text("call her sister at (85) 98888-7777"), contact_in_text("(85) 98888-7777")
    (True, False)
    """
    return len(value.split()) >= 3 and _CONTACT.search(value) is not None


def ip(value: str) -> bool:
    """An IPv4 or IPv6 address.

    >>> ip("10.0.0.1"), ip("::1"), ip("1.5")
    (True, True, False)
    """
    try:
        ipaddress.ip_address(value)
    except ValueError:
        return False
    return True


def cpf(value: str) -> bool:
    """A CPF whose check digits hold. Bare digits may have lost zeros on the left, as numbers do.

    >>> cpf("529.982.247-25"), cpf("52998224725"), cpf("529.982.247-26"), cpf("111.111.111-11")
    (True, True, False, False)
    """
    if re.fullmatch("[0-9]{9,10}", value):
        value = value.zfill(11)
    digits = [int(c) for c in value if c.isdigit()] if cpf_form(value) else []
    if len(set(digits)) < 2:
        return False
    return all(sum(d * (n + 1 - i) for i, d in enumerate(digits[:n])) * 10 % 11 % 10 == digits[n] for n in (9, 10))


def cnpj(value: str) -> bool:
    """A CNPJ whose check digits hold, with letters too, as they are given out from 2026 on.

    >>> cnpj("11.222.333/0001-81"), cnpj("12.ABC.345/01DE-35"), cnpj("11.222.333/0001-82")
    (True, True, False)
    """
    if not cnpj_form(value):
        return False
    digits = [ord(c) - ord("0") for c in value.upper() if c.isalnum()]
    if len(set(digits)) < 2:
        return False
    weights = (6, 5, 4, 3, 2, 9, 8, 7, 6, 5, 4, 3, 2)
    for n in (12, 13):
        rest = sum(d * w for d, w in zip(digits[:n], weights[-n:], strict=True)) % 11
        if digits[n] != (0 if rest < 2 else 11 - rest):
            return False
    return True


def cns(value: str) -> bool:
    """A number of Brazil's national health card (15 digits) whose weighted sum holds.

    >>> cns("898 0000 0004 3208"), cns("898 0000 0004 3209")
    (True, False)
    """
    digits = value.replace(" ", "")
    if not re.fullmatch("[12789][0-9]{14}", digits):
        return False
    return sum(int(d) * (15 - i) for i, d in enumerate(digits)) % 11 == 0


def card(value: str) -> bool:
    """A payment card: 13 to 19 digits of a known range that pass Luhn's check.

    >>> card("4111 1111 1111 1111"), card("4111111111111112"), card("39")
    (True, False, False)
    """
    digits = re.sub("[ -]", "", value)
    if not re.fullmatch("(?:[3-6][0-9]{12,18}|2[2-7][0-9]{14})", digits) or len(set(digits)) < 2:
        return False
    doubled = [int(d) * (1 + i % 2) for i, d in enumerate(reversed(digits))]
    return sum(d - 9 if d > 9 else d for d in doubled) % 10 == 0


def person(value: str, *, any_case: bool = False) -> bool:
    """Two to six capitalised words, not counting particles: the look of a full name, and of many a place.

    >>> person("Maria da Silva"), person("JOSÉ ALENCAR"), person("Tech support"), person("Fortaleza")
    (True, True, False, False)
    """
    words = [word for word in value.split() if word.casefold() not in PARTICLES]
    if not 2 <= len(words) <= 6:
        return False
    bare = [re.sub("[.'’-]", "", word) for word in words]
    return all(word.isalpha() and (any_case or word[0].isupper()) for word in bare)


def begins_with_given_name(value: str) -> bool:
    """Whether the first word is a common given name.

    >>> begins_with_given_name("João Pessoa"), begins_with_given_name("Fortaleza")
    (True, False)
    """
    return plain(value).split(" ", 1)[0] in GIVEN_NAMES
