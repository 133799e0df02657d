"""A vault of tokens: values in, random tokens out, and back for those who may.

What it protects: a token is random, so it says nothing of its value (with the format ``shape``, nothing but its
shape); the values lie encrypted; only a key with the role *detokenize* opens them. What it does not: equal values
of a domain have equal tokens, so whoever has the tokens can count and link them; whoever may tokenize can try
values and see whether a token comes out; whoever has a steward's key and the vault has everything.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Literal, Self, TypeVar

from cobogo.errors import VaultError
from cobogo.floor.catalogue import card
from cobogo.floor.language import tr, trn
from cobogo.floor.progress import Progress
from cobogo.floor.sealing import DoesNotOpen, lookups
from cobogo.publish.mask.vault import stewardship
from cobogo.publish.mask.vault.session import VaultKey, VaultLogEntry, VaultRole, VaultSession, entries, open_session
from cobogo.publish.mask.vault.store import Crossed, VaultStore
from cobogo.publish.mask.vault.tokens import (
    add_tokens,
    damage_error,
    ephemerals,
    known_tokens,
    open_values,
    read_sealed,
)

BATCH = 200_000
"""Values that are written in one transaction."""

Missing = Literal["error", "null"]
Answer = TypeVar("Answer")
Texts = Sequence[str | None]


@card("token", title="tokens of a vault")
class Vault:
    r"""A random token of a domain of the vault replaces the value; users with the right key can turn it back.

    A vault is opened with a key, and the key's roles say what is allowed. Only the vault has the mapping between tokens
    and values: the values are stored encrypted, and only a key with the role detokenize decrypts them.

    Formula: $t(x) \sim U(T)$ drawn once for each value $x$ of a domain, and $t(x) \ne t(x')$ for $x \ne x'$
    Example:
        >>> import tempfile
        >>> place = tempfile.mkdtemp() + "/vault.db"
        >>> vault, steward = Vault.create(place)
        >>> vault.add_domain("research")
        >>> tokens = vault.tokenize("research", ["Ana", "Rui", "Ana", None])
        >>> tokens[0] == tokens[2] != tokens[1], tokens[3]
        (True, None)
        >>> vault.detokenize("research", tokens)
        ['Ana', 'Rui', 'Ana', None]

    Guarantee: A token is random, so it reveals nothing about its value (with the format ``shape``, nothing except its
        shape).
    Limits: Equal values of a domain have equal tokens, so an attacker who has the tokens can count and link them. A
        user who may tokenize can try values and see whether a given token comes out. A person with a steward's key and
        the vault has everything.
    Cost: $O(v)$ rows of a database for v distinct values.
    Paper: None: tokenization as practised with payment cards; no paper of its own.
    """

    def __init__(self, session: VaultSession) -> None:
        self._session = session

    @classmethod
    def create(cls, place: str | Path, key: VaultKey | None = None) -> tuple[Self, VaultKey]:
        """Make an empty vault, in a new file or in a database; its first key is a steward's."""
        steward = key or VaultKey.new()
        return cls(stewardship.create_vault(VaultStore(place), steward)), steward

    @classmethod
    def open(cls, place: str | Path, key: VaultKey | str | Path) -> Self:
        """Open a vault, with a key or the path of its file."""
        return cls(open_session(place, key))

    def tokenize(self, domain: str, values: Any, *, progress: Progress | None = None) -> Any:
        """The token of each value, drawn for values that have none; NULL stays NULL.

        Takes a sequence of texts and returns a list, or takes an Arrow array and returns one. Each batch is committed
        before the next: after a failure a value still has one token, and a second run continues.
        """
        return _map_distinct(values, lambda distinct: self._tokens(domain, distinct, progress))

    def detokenize(self, domain: str, tokens: Any, *, missing: Missing = "error") -> Any:
        """The value behind each token. ``missing``: what becomes of a token whose value is unknown or forgotten."""
        return _map_distinct(tokens, lambda distinct: self._values(domain, distinct, missing))

    def require(self, domain: str, role: VaultRole) -> None:
        """Raise an error, before any work, if the key lacks a role in a domain."""
        self._session.grant(domain, role)

    def add_domain(self, name: str, *, format: str = "opaque") -> None:
        """Add a domain: the same value has another token in each domain, so that their tables cannot be linked."""
        stewardship.add_domain(self._session, name, format)

    def issue(self, domains: str | Sequence[str] = (), *, roles: str | Sequence[str]) -> VaultKey:
        """Issue a key with these roles in these domains; a steward's key is for all."""
        return stewardship.issue(self._session, domains, roles)

    def revoke(self, key: str) -> None:
        """Revoke a key, by its name. Its holder still knows the secrets of a domain until that is rotated."""
        stewardship.revoke(self._session, key)

    def rotate(self, domain: str, *, tokens: bool = False) -> int:
        """Give a domain new secrets and seal every value with them; return how many values there are.

        With ``tokens`` every value also gets a new token, and the old ones become irreversible. One transaction.
        """
        return stewardship.rotate(self._session, domain, renew=tokens)

    def forget(self, domain: str, *, tokens: Texts = (), values: Texts = ()) -> int:
        """Erase values, by token or by value, so that their tokens become irreversible; return how many."""
        return stewardship.forget(self._session, domain, tokens, values)

    def log(self) -> tuple[tuple[VaultLogEntry, ...], str]:
        """The audit log, checked link by link, and its last digest."""
        self._session.steward()
        with self._session.store.reading() as connection:
            return entries(connection, self._session.log_key, self._session.store.place)

    def show(self) -> dict[str, Any]:
        """The domains with their counts, and the keys with their roles, without any value or token."""
        return stewardship.show(self._session)

    def check(self) -> int:
        """Open every value and verify the log; return how many values there are. Damage is an error."""
        return stewardship.check(self._session)

    def _tokens(self, domain: str, values: list[str], progress: Progress | None) -> list[str]:
        self._session.grant(domain, VaultRole.TOKENIZE)
        found: list[str] = []
        for start in range(0, len(values), BATCH):
            if progress is not None:
                progress("tokenize", start, len(values))
            some = values[start : start + BATCH]
            found += self._retry(lambda: self._tokenize_batch(domain, some))  # noqa: B023
        return found

    def _tokenize_batch(self, domain: str, values: list[str]) -> list[str] | None:
        """The tokens of one batch of values, or None if the domain was rotated meanwhile."""
        session = self._session
        grant = session.grant(domain, VaultRole.TOKENIZE)
        index = lookups(grant.secret("index"), values)
        with session.store.reading() as connection:
            known = known_tokens(session.store, connection, grant.domain, index)
        new = {lookup: value for lookup, value in zip(index, values, strict=True) if lookup not in known}
        with session.store.writing() as connection:
            if not session.is_current(connection, grant.domain):
                return None
            added = add_tokens(session.store, connection, grant.domain, grant.secret("public"), new) if new else {}
            session.append(connection, "tokenize", domain, len(values), f"{len(added)} without a token before")
        known |= added
        return [known[lookup] for lookup in index]

    def _values(self, domain: str, tokens: list[str], missing: Missing) -> list[str | None]:
        return self._retry(lambda: self._detokenize_batch(domain, tokens, missing))

    def _detokenize_batch(self, domain: str, tokens: list[str], missing: Missing) -> list[str | None] | None:
        session = self._session
        grant = session.grant(domain, VaultRole.DETOKENIZE)
        with session.store.writing() as connection:
            if not session.is_current(connection, grant.domain):
                return None
            sealed = read_sealed(session.store, connection, grant.domain, tokens)
            batches = ephemerals(session.store, connection, sealed)
            absent = len(tokens) - len(sealed)
            session.append(connection, "detokenize", domain, len(tokens), f"{absent} without a value")
        if absent and missing == "error":
            raise VaultError(
                trn(
                    "{n:,} token of {all:,} has no value: it is not of this domain, or its value was deleted",
                    "{n:,} tokens of {all:,} have no value: they are not of this domain, or their values were deleted",
                    n=absent,
                    all=len(tokens),
                ),
                where=tr('{place}, domain "{domain}"', place=session.store.place, domain=domain),
                remedy=tr('Check the domain, or ask for NULL instead (missing = "null", --missing null).'),
            )
        try:
            values = open_values(sealed, grant.secret("private"), batches)
        except DoesNotOpen:
            raise damage_error(session.store.place) from None
        return [values.get(token) for token in tokens]

    def _retry(self, attempt: Callable[[], Answer | None]) -> Answer:
        """Repeat an attempt until no rotation and no deadlock with another writer interrupts it."""
        while True:
            try:
                answer = attempt()
            except Crossed:
                continue
            if answer is not None:
                return answer
            self._session.refresh()


def _map_distinct(values: Any, change: Callable[[list[str]], Sequence[str | None]]) -> Any:
    """Apply a change to each distinct value of a column once, and return the results in the order of the rows."""
    import pyarrow as pa

    try:
        column = values if isinstance(values, pa.Array | pa.ChunkedArray) else pa.array(list(values), pa.large_string())
    except (pa.ArrowInvalid, pa.ArrowTypeError, UnicodeEncodeError):
        raise VaultError(
            tr("values must be text or None"), remedy=tr("Convert numbers and dates to text first.")
        ) from None
    whole = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
    coded = whole.cast(pa.large_string()).dictionary_encode()
    changed = pa.array(change(coded.dictionary.to_pylist()), pa.large_string())
    taken = changed.take(coded.indices)
    return taken if isinstance(values, pa.Array | pa.ChunkedArray) else taken.to_pylist()
