"""A client: it runs on the device that has the value, and releases nothing but randomized reports."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from cobogo.collect import wire
from cobogo.collect.collection import Collection
from cobogo.collect.memo import Memo, Spending
from cobogo.collect.protocol import UnknownValue
from cobogo.errors import BudgetSpent, DataError
from cobogo.floor.language import tr
from cobogo.floor.randomness import Entropy, Source
from cobogo.promises.accounting import NANO, Amount, exact_amount, round_down, round_up

LIMIT = 20
"""The default limit on the ε of all answers of a client, for ever. It is the largest ε of a collection, so that a
client can answer for one value of any collection, or for several values of collections with a small ε."""


class Client:
    """One client of a collection, with its memo.

    A client gives the same permanent answer for the same value, also where the question is published again under
    another name or version. Another value costs as much again. After ``lifetime-values`` values the client refuses
    (`BudgetSpent`); so it does where all answers of its memo, in any collection, would exceed its own ``limit``: an ε
    for ever, 20 unless another is given, and no limit where it is None. Each value stays protected by the loss stated.
    An attacker who can link two reports of one client sees *that* its value changed, unless the mechanism randomizes
    each report anew, as RAPPOR does.

    >>> import tempfile
    >>> asked = {"name": "pets", "question": "pet", "mechanism": "grr", "epsilon": 1, "values": ["cat", "dog", "none"]}
    >>> with tempfile.TemporaryDirectory() as home:
    ...     client = Client({"collection": asked}, f"{home}/memo.db")
    ...     client.report("cat") == client.report("cat"), client.spent
    (True, 1.0)
    """

    def __init__(
        self,
        collection: Collection | Mapping[str, Any] | str | Path,
        memo: Memo | str | Path,
        *,
        key: bytes | None = None,
        limit: Amount | None = LIMIT,
        source: Source | None = None,
    ) -> None:
        if isinstance(collection, str | Path):
            collection = Collection.load(collection)
        self.collection = collection if isinstance(collection, Collection) else Collection.of(collection)
        self._memo = memo if isinstance(memo, Memo) else Memo(memo, key=key)
        self._limit = None if limit is None else round_down(exact_amount(limit, "limit"), NANO)
        self._source = source or Entropy()
        self._name = (self.collection.identity.hex(), self.collection.fingerprint.hex())
        self._cost = round_up(Fraction(self.collection.protocol.epsilon_forever), NANO)

    @property
    def spent(self) -> float:
        """The ε of all values that were answered for so far, in this question."""
        return self._memo.spending(self._name).values * self.collection.protocol.epsilon_forever

    @property
    def left(self) -> float:
        """The ε that may still be spent on other values, within the collection's limit and the client's own."""
        spent = self._memo.spending(self._name)
        values = self.collection.lifetime_values - spent.values
        if self._limit is not None:
            values = min(values, (self._limit - spent.nano) // self._cost)
        return max(values, 0) * self.collection.protocol.epsilon_forever

    def report(self, value: str) -> bytes:
        """The message of one report."""
        protocol = self.collection.protocol
        try:
            held, same = protocol.read([value]), protocol.canonical_value(value)
        except UnknownValue:
            raise DataError(
                tr("the collection does not ask about this value"),
                where=self.collection.question,
                remedy=tr("Report nothing, or name a value for all others in the collection (other)."),
            ) from None

        def draw(spent: Spending) -> bytes:
            if spent.values >= self.collection.lifetime_values:
                raise self._silent(tr("this client has answered for as many different values as the collection allows"))
            if self._limit is not None and spent.nano + self._cost > self._limit:
                raise self._silent(tr("an answer for another value would exceed the limit of this client"))
            return protocol.draw_permanent(held, np.array([standing]), self._source).tobytes()

        standing = self._memo.standing(self._name, lambda: int(protocol.draw_standing(1, self._source)[0]))
        answer = self._memo.answer(self._name, same, self._cost, draw)
        kept = np.frombuffer(answer, dtype=np.uint8).reshape(1, -1)
        row = protocol.draw_reports(kept, self._source).tobytes()
        return wire.single_message(self.collection, row, seeded=not self._source.safe)

    def text(self, value: str) -> str:
        """A report as a line of text."""
        return wire.to_text(self.report(value))

    def json(self, value: str) -> str:
        """A report as a line of JSON."""
        return wire.json_line(self.collection, self.report(value))

    def _silent(self, what: str) -> BudgetSpent:
        remedy = tr("Report nothing about the new value. Reports about earlier values cost nothing more.")
        return BudgetSpent(what, where=self.collection.question, remedy=remedy)
