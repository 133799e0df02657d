"""The audit log: who did what, when, to how many values. It never holds the values.

Entries are chained: the digest of each is the HMAC of its content and of the digest before it, under a key that only
holders of the vault's keys have. An attacker who can write to the database but has no key can neither alter nor insert
an entry; to remove the last entries they must restore an earlier state of the whole vault. Comparing the last digest
with a copy kept elsewhere reveals that as well.
"""

from __future__ import annotations

import hmac
import json
from dataclasses import asdict, dataclass
from datetime import UTC, datetime

from sqlalchemy import Connection, insert, select, update

from cobogo.errors import VerificationFailed
from cobogo.floor.language import tr
from cobogo.publish.mask.vault import schema

FIRST = bytes(32)
"""The digest before the first entry."""


@dataclass(frozen=True)
class VaultLogEntry:
    """One line of the log."""

    number: int
    at: str
    key: str
    action: str
    domain: str | None
    count: int
    detail: str

    def digest(self, key: bytes, before: bytes) -> bytes:
        """The HMAC that chains this entry to the one before."""
        return hmac.digest(key, before + json.dumps(asdict(self), sort_keys=True).encode(), "sha256")


def append(
    connection: Connection, key: bytes, holder: str, action: str, domain: str | None, count: int, detail: str = ""
) -> None:
    """Append an entry in the transaction that it reports. Other writers wait here until that transaction ends."""
    head = schema.vault.c
    connection.execute(update(schema.vault).values(entries=head.entries + 1))
    number, before = connection.execute(select(head.entries, head.digest)).one()
    entry = VaultLogEntry(
        number, datetime.now(UTC).isoformat(timespec="seconds"), holder, action, domain, count, detail
    )
    digest = entry.digest(key, before)
    connection.execute(insert(schema.log).values(**asdict(entry), digest=digest))
    connection.execute(update(schema.vault).values(digest=digest))


def entries(connection: Connection, key: bytes, place: str) -> tuple[tuple[VaultLogEntry, ...], str]:
    """Read every entry and the last digest; a broken chain raises `VerificationFailed`."""
    rows = connection.execute(select(schema.log).order_by(schema.log.c.number)).all()
    total, last = connection.execute(select(schema.vault.c.entries, schema.vault.c.digest)).one()
    before, found = FIRST, []
    for number, row in enumerate(rows, 1):
        entry = VaultLogEntry(*row[:-1])
        before = entry.digest(key, before)
        if entry.number != number or not hmac.compare_digest(before, row[-1]):
            raise VerificationFailed(
                tr("the log was altered: entry {number:,} is not the one that was written", number=number),
                where=place,
                remedy=tr("Compare the vault with a copy of it."),
            )
        found.append(entry)
    if len(found) != total or before != last:
        raise VerificationFailed(
            tr(
                "the log was cut: {total:,} entries were written, and {number:,} are left",
                total=total,
                number=len(found),
            ),
            where=place,
            remedy=tr("Compare the vault with a copy of it."),
        )
    return tuple(found), before.hex()
