"""Fakes: how a substitute is made from random words, and which substitutes are refused."""

from __future__ import annotations

import unicodedata
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from cobogo.errors import DataError
from cobogo.examples.words import word_list
from cobogo.floor.arrays import Texts, Words
from cobogo.floor.catalogue import card
from cobogo.floor.language import tr, trn
from cobogo.publish.mask import digits
from cobogo.publish.mask.secret import Secret, random_words

ATTEMPTS = 60
"""How often a refused substitute is drawn again. With half of all substitutes taken, 60 draws fail for one value with
probability 2⁻⁶⁰; a list that is too short is reported soon enough."""

MAIL = ("example.com", "example.org", "example.net")
"""Domains reserved for examples, where no mail is delivered (RFC 2606)."""


class Fake(ABC):
    """A kind of substitute. Two values with the same ``identity`` are one thing written in two ways."""

    unique: ClassVar[bool] = False  # whether no two values ever share a substitute
    apart: ClassVar[bool] = False  # whether no substitute is any of the original values

    @abstractmethod
    def make(self, words: Words, identities: Texts) -> Texts:
        """Make substitutes, each from four random words."""

    @abstractmethod
    def count_misfits(self, values: Sequence[str]) -> int:
        """How many values cannot be substitutes of this kind."""

    def identities(self, values: Texts) -> Texts:
        """Each value in one form, however it is written."""
        return digits.canonical(values)

    def write_like(self, made: Texts, values: Texts) -> Texts:  # noqa: ARG002
        """Write substitutes in the way the values are written."""
        return made


class Number(Fake):
    """CPF, CNPJ, phone, CEP or card: other digits, with valid check digits, written as the value is."""

    unique = True
    apart = True

    def __init__(self, kind: str) -> None:
        self.kind = digits.DOCUMENTS[kind]

    def identities(self, values: Texts) -> Texts:
        """Only the digits, of values that match the pattern."""
        return digits.canonical(values, self.kind.pattern)

    def make(self, words: Words, identities: Texts) -> Texts:
        """Only digits, as many as the identity has."""
        lengths = np.char.count(digits.layouts(identities, self.kind).astype(str), "0")
        return digits.draw_numbers(words, lengths.astype(np.int64), self.kind)

    def write_like(self, made: Texts, values: Texts) -> Texts:
        """In the value's own layout, or in the usual one where the value does not match the pattern."""
        return digits.lay_out(made, digits.layouts(values, self.kind))

    def count_misfits(self, values: Sequence[str]) -> int:
        return digits.count_invalid(values, self.kind)


@card("list", title="values of a list")
class ListedFake(Fake):
    r"""Values of a list: texts, or the path of a file with one value on each line.

    The list may be shorter than the number of values, unless they must be ``unique``. A substitute is never the value
    itself if there is another one.

    Formula: $\text{word}(x) = W[\,H_K(g, x) \bmod \lvert W\rvert\,]$ for the list $W$, the secret $K$ and the group $g$
    Example:
        >>> words = np.zeros((1, 1), dtype=np.uint64)
        >>> ListedFake(["red", "green"]).make(words, np.array(["red"], dtype=object)).tolist()
        ['green']

    Guarantee: None: the frequency of a value is still visible.
    Limits: With a short list, several values get the same word. For test data.
    Cost: $O(v)$ hashes for v distinct values.
    Paper: None: keyed BLAKE2b (RFC 7693, 2015) over a list.
    """

    def __init__(self, words: Sequence[str]) -> None:
        self.words = np.array(words, dtype=object)

    def make(self, words: Words, identities: Texts) -> Texts:
        """A word of the list; the next one where that is the value itself."""
        places = (words[:, 0] % np.uint64(len(self.words))).astype(np.int64)
        own = self.words[places] == identities
        return np.asarray(self.words[(places + own) % len(self.words)])

    def count_misfits(self, values: Sequence[str]) -> int:
        known = {word.casefold() for word in self.words.tolist()}
        return sum(value.casefold() not in known for value in values)


class Cased(ListedFake):
    """A name or a place: in capitals where the value is."""

    def write_like(self, made: Texts, values: Texts) -> Texts:
        import pyarrow as pa
        import pyarrow.compute as pc

        texts = pa.array(made, pa.string())
        loud = pc.utf8_is_upper(pa.array(values, pa.string()))
        return np.asarray(pc.if_else(loud, pc.utf8_upper(texts), texts).to_numpy(zero_copy_only=False))


class Name(Cased):
    """A full name: a given name and two surnames."""

    def __init__(self, place: str) -> None:
        super().__init__(word_list("surname", place))
        self.given = np.array(word_list("given-name", place), dtype=object)

    def make(self, words: Words, identities: Texts) -> Texts:  # noqa: ARG002
        """A given name and two different surnames."""
        count = np.uint64(len(self.words))
        given = self.given[(words[:, 1] % np.uint64(len(self.given))).astype(np.int64)]
        first = (words[:, 0] % count).astype(np.int64)
        second = (first + 1 + (words[:, 2] % (count - np.uint64(1))).astype(np.int64)) % len(self.words)
        return np.asarray(given + " " + self.words[first] + " " + self.words[second])

    def count_misfits(self, values: Sequence[str]) -> int:
        """Count the values whose last word is no surname of the list."""
        ends = {word.casefold().split()[-1] for word in self.words.tolist()}
        return sum(value.casefold().split()[-1:] == [] or value.casefold().split()[-1] not in ends for value in values)


class Street(Cased):
    """A street with a number."""

    def make(self, words: Words, identities: Texts) -> Texts:
        """A street of the list, and a number below 2,000."""
        numbers = (1 + words[:, 1] % np.uint64(1999)).astype(str).astype(object)
        return np.asarray(super().make(words, identities) + ", " + numbers)

    def count_misfits(self, values: Sequence[str]) -> int:
        """Check what precedes the number."""
        return super().count_misfits([value.rpartition(", ")[0] for value in values])


class Mail(Fake):
    """An address at a domain where no mail is delivered."""

    unique = True
    apart = True

    def __init__(self, place: str) -> None:
        self.given, self.surnames = (
            np.array([_plain(word) for word in word_list(kind, place)], dtype=object)
            for kind in ("given-name", "surname")
        )

    def make(self, words: Words, identities: Texts) -> Texts:  # noqa: ARG002
        """``given.surname``, a number and one of the reserved domains."""
        given, surnames, domains = (
            names[(words[:, place] % np.uint64(len(names))).astype(np.int64)]
            for place, names in enumerate((self.given, self.surnames, np.array(MAIL, dtype=object)))
        )
        numbers = (words[:, 3] % np.uint64(10**6)).astype(str).astype(object)
        return np.asarray(given + "." + surnames + numbers + "@" + domains)

    def count_misfits(self, values: Sequence[str]) -> int:
        return sum(value.rpartition("@")[2] not in MAIL for value in values)


@card("fake", title="invented values")
def fake(kind: str, place: str) -> Fake:
    r"""Invented values of a known form, with valid check digits; names, cities and streets are Brazilian or generic.

    A substitute is computed from the value, the group and a secret, so that the same value has the same substitute in
    every table of the job. Two values never share a substitute that is a number or an e-mail address, and such a
    substitute is never an original value of the group.

    Formula: $\text{fake}(x) = m(H_K(g, x))$ with a keyed hash $H_K$ under the secret $K$, the group $g$ and the maker
        $m$ of the kind
    Example:
        >>> secret = Secret(bytes(32))
        >>> cpf = fake("cpf", "br")
        >>> one, again = (substitutes(["529.982.247-25"], cpf, secret, "cpf", unique=True, where="") for _ in range(2))
        >>> bool(one[0] == again[0] != "529.982.247-25"), cpf.count_misfits(one.tolist())    # none of a wrong form
        (True, 0)

    Guarantee: None: the frequency of a value is still visible, and an attacker who has the secret finds the substitute
        of any value that they guess.
    Limits: Columns that are not masked may still reveal the person. For test data.
    Cost: $O(v)$ hashes for v distinct values.
    Paper: None: keyed BLAKE2b (RFC 7693, 2015) over lists of words and number forms.
    """
    if kind in digits.DOCUMENTS:
        return Number(kind)
    if kind == "email":
        return Mail(place)
    if kind == "name":
        return Name(place)
    return Street(word_list(kind, place)) if kind == "street" else Cased(word_list(kind, place))


def substitutes(values: Sequence[str], kind: Fake, secret: Secret, group: str, *, unique: bool, where: str) -> Texts:
    """Make the substitute of each distinct value: never the value itself where the kind has another.

    Where substitutes must differ from one another, or from every original, those that do not are drawn again, in the
    order of the values. So the same values get the same substitutes, whatever the order of the records.
    """
    import pandas as pd

    texts = np.array(values, dtype=object)
    things = kind.identities(texts)
    place, own = pd.factorize(things, sort=True)
    made = np.empty(len(own), dtype=object)
    pending = np.arange(len(own))
    taken: Texts = np.empty(0, dtype=object)
    alone = unique or kind.unique
    for attempt in range(ATTEMPTS):
        drawn = kind.make(secret.words(group, own[pending].tolist(), attempt), own[pending])
        bad = _same(drawn, own[pending])
        if kind.apart:
            bad |= pd.Series(drawn, dtype=object).isin(own).to_numpy()
        if alone:
            found = pd.Series(drawn, dtype=object)
            bad |= found.duplicated().to_numpy() | found.isin(taken).to_numpy()
        made[pending] = drawn
        taken = np.concatenate([taken, drawn[~bad]]) if alone else taken
        pending = pending[bad]
        if not pending.size:
            break
    if pending.size and alone:
        raise DataError(
            trn(
                "there are too few substitutes for {distinct:,} distinct values: {n:,} value has no substitute of "
                "its own",
                "there are too few substitutes for {distinct:,} distinct values: {n:,} values have no substitute of "
                "their own",
                n=len(pending),
                distinct=len(own),
            ),
            where=where,
            remedy=tr("Give a longer list, or leave out unique."),
        )
    return kind.write_like(made[place], texts)


def draw_for_each(values: Texts, kind: Fake) -> Texts:
    """Draw a substitute for each record; never the record's own value where the kind has another."""
    things = kind.identities(values)
    made = np.empty(len(things), dtype=object)
    pending = np.arange(len(things))
    for _ in range(ATTEMPTS):
        made[pending] = kind.make(random_words(len(pending)), things[pending])
        pending = pending[made[pending] == things[pending]]
        if not pending.size:
            break
    return kind.write_like(made, values)


def _same(some: Texts, others: Texts) -> NDArray[np.bool_]:
    """Whether the texts of each pair are equal, capitals aside."""
    import pyarrow as pa
    import pyarrow.compute as pc

    one, other = (pc.utf8_lower(pa.array(texts, pa.string())) for texts in (some, others))
    return np.array(pc.equal(one, other).to_numpy(zero_copy_only=False), dtype=np.bool_)


def _plain(word: str) -> str:
    """A word in lower-case ASCII, without blanks.

    >>> _plain("José de Araújo")
    'josedearaujo'
    """
    letters = unicodedata.normalize("NFD", word.casefold())
    return "".join(letter for letter in letters if letter.isascii() and letter.isalnum())
