"""What a server keeps of reports: counts, which add up in any order and over any parts.

An aggregate is a small file: a line of JSON that says what it is, then its counts, compressed. Each part gets a random
number, so that counting the same part twice is noticed.
"""

from __future__ import annotations

import hashlib
import json
import secrets
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import prod
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from cobogo.collect.collection import Collection
from cobogo.collect.layout import Rows
from cobogo.collect.power import too_few
from cobogo.collect.protocol import BONFERRONI, LEVEL, CollectionFindings
from cobogo.collect.wire import Batch
from cobogo.errors import OutputError, PolicyError, ReportError
from cobogo.floor.arrays import Ints
from cobogo.floor.files import stage_file
from cobogo.floor.language import tr
from cobogo.floor.language.errors import reason

VERSION = 2
BEGINS = b'{"cobogo-aggregate":'
AT_ONCE = 1 << 16
"""Reports that are counted together."""

LONGEST = 1 << 24
"""Bytes of the first line, at most."""


@dataclass(frozen=True, eq=False)
class Aggregate:
    """The counts of ``users`` reports of a collection."""

    collection: Collection
    counts: Ints
    users: int = 0
    parts: frozenset[str] = frozenset()
    seeded: bool = False

    @classmethod
    def empty(cls, collection: Collection) -> Aggregate:
        """The aggregate without any reports."""
        return cls(collection, np.zeros(collection.protocol.shape, dtype=np.int64))

    @classmethod
    def of(cls, collection: Collection, *batches: Batch, part: str | None = None) -> Aggregate:
        """Count batches of reports, as a new part with a random number, or the number given."""
        counts = np.zeros(collection.protocol.shape, dtype=np.int64)
        for rows in _join_small([batch.rows for batch in batches if len(batch)]):
            counts += collection.protocol.tally(rows)
        seeded = any(batch.seeded for batch in batches if len(batch))
        return cls.from_counts(collection, counts, sum(map(len, batches)), seeded=seeded, part=part)

    @classmethod
    def from_counts(
        cls, collection: Collection, counts: Ints, users: int, *, seeded: bool = False, part: str | None = None
    ) -> Aggregate:
        """The aggregate of reports that were counted elsewhere, as a new part."""
        return cls(
            collection, counts, users, frozenset({part or secrets.token_hex(8)}) if users else frozenset(), seeded
        )

    def __add__(self, other: Aggregate) -> Aggregate:
        """The counts of both; they must have no part in common."""
        if self.collection.fingerprint != other.collection.fingerprint:
            raise ReportError(
                tr("the aggregates belong to different collections"),
                where="aggregates",
                remedy=tr("Add only aggregates of the same collection."),
            )
        if self.parts & other.parts:
            raise ReportError(
                tr("the aggregates contain the same reports"),
                where="aggregates",
                remedy=tr("Give each part once, and leave out sums that contain it."),
            )
        return Aggregate(
            self.collection, self.counts + other.counts, self.users + other.users, self.parts | other.parts,
            self.seeded or other.seeded,
        )  # fmt: skip

    def findings(self, *, level: float = LEVEL, rule: str = BONFERRONI) -> CollectionFindings:
        """Estimates from the counts, called significant at a level by a rule (`collect.protocol.RULES`); they say where
        there are too few reports."""
        protocol = self.collection.protocol
        if rule not in protocol.rules:
            raise PolicyError(
                tr(
                    "{mechanism} decides by {rules}. Got {rule!r} instead",
                    mechanism=self.collection.mechanism,
                    rules=", ".join(protocol.rules),
                    rule=rule,
                ),
                where="rule",
                remedy=tr("Leave the rule out for its default."),
            )
        found, asked = protocol.findings(self.counts, self.users, level=level, rule=rule), protocol.detectable
        few = asked is not None and too_few(asked, self.users, alpha=level, candidates=max(found.tested, 1))
        return replace(found, too_few=few)

    def save(self, path: str | Path) -> None:
        """Write a file, whole or not at all, in the place of an earlier aggregate if there is one."""
        path = Path(path)
        if path.exists() and not is_aggregate(path):
            raise OutputError(
                tr("exists already and is not an aggregate"), where=str(path), remedy=tr("Choose another --out.")
            )
        body = zlib.compress(self.counts.astype("<i8").tobytes(), 6)
        about = {
            "cobogo-aggregate": VERSION, "collection": self.collection.fingerprint.hex(),
            "mechanism": self.collection.mechanism, "reports": self.users, "shape": list(self.counts.shape),
            "seeded": self.seeded, "parts": sorted(self.parts),
        }  # fmt: skip
        about["sha256"] = _digest(about, body)
        with stage_file(path) as stage:
            stage.write_bytes(json.dumps(about, separators=(",", ":")).encode() + b"\n" + body)

    @classmethod
    def load(cls, collection: Collection, path: str | Path) -> Aggregate:
        """Read a file, and refuse one of another collection, or one that was changed or cut off."""
        where = str(path)
        try:
            content = Path(path).read_bytes()
        except OSError as error:
            raise ReportError(
                tr("cannot be read: {reason}", reason=reason(error)), where=where, remedy=tr("Check the path.")
            ) from None
        line, end, body = content.partition(b"\n")
        about = _parse_header(line if end else b"", where)
        if about.collection != collection.fingerprint.hex() or about.mechanism != collection.mechanism:
            raise ReportError(
                tr(
                    "is an aggregate of another collection ({found}; this collection is {wanted})",
                    found=about.collection,
                    wanted=collection.fingerprint.hex(),
                ),
                where=where,
                remedy=tr("Give the description of the collection that its clients had."),
            )
        if tuple(about.shape) != collection.protocol.shape or not about.holds(body):
            raise _damage_error(where)
        size = 8 * prod(about.shape)
        unpacker = zlib.decompressobj()
        try:
            unpacked = unpacker.decompress(body, size + 1)
        except zlib.error:
            raise _damage_error(where) from None
        if len(unpacked) != size or not unpacker.eof or unpacker.unused_data:
            raise _damage_error(where)
        counts = np.frombuffer(unpacked, dtype="<i8").astype(np.int64).reshape(about.shape)
        if (counts < 0).any() or (counts > about.reports).any():  # a report counts once in a cell, or not at all
            raise _damage_error(where)
        return cls(collection, counts, about.reports, frozenset(about.parts), about.seeded)

    def as_dict(self) -> dict[str, Any]:
        """The content for JSON."""
        return {
            "collection": self.collection.fingerprint.hex(),
            "question": self.collection.question,
            "version": self.collection.version,
            "mechanism": self.collection.mechanism,
            "reports": self.users,
            "parts": len(self.parts),
            "seeded": self.seeded,
        }


def _join_small(parts: Sequence[Rows]) -> Iterator[Rows]:
    """Join many small parts into few large ones: a tally has a cost of its own, however few reports it counts."""
    waiting: list[Rows] = []
    count = 0
    for part in parts:
        waiting.append(part)
        count += len(part)
        if count >= AT_ONCE:
            yield np.concatenate(waiting)
            waiting, count = [], 0
    if waiting:
        yield np.concatenate(waiting)


class _Header(BaseModel):
    """The first line of a file."""

    model_config = ConfigDict(extra="forbid", strict=True)

    version: Literal[1, 2] = Field(alias="cobogo-aggregate")
    collection: str
    mechanism: str
    reports: Annotated[int, Field(ge=0, le=2**53)]
    shape: list[Annotated[int, Field(ge=0, le=2**40)]]
    seeded: bool
    parts: list[Annotated[str, Field(pattern=r"^[0-9a-f]{16}$")]]
    sha256: str

    def holds(self, body: bytes) -> bool:
        """Whether header and counts are as they were written; in version 1 the hash was of the counts alone."""
        if self.version == 1:
            return hashlib.sha256(body).hexdigest() == self.sha256
        return _digest(self.model_dump(by_alias=True), body) == self.sha256


def _digest(about: Mapping[str, Any], body: bytes) -> str:
    """The digest of the header, without its own digest, and of the counts."""
    header = json.dumps({key: value for key, value in about.items() if key != "sha256"}, sort_keys=True)
    return hashlib.sha256(header.encode() + b"\n" + body).hexdigest()


def _parse_header(line: bytes, where: str) -> _Header:
    if not line.startswith(BEGINS) or len(line) > LONGEST:
        raise ReportError(
            tr("is not an aggregate of Cobogó"),
            where=where,
            remedy=tr("Give a file that `cobogo collect aggregate` wrote."),
        )
    version = line[len(BEGINS) :].partition(b",")[0]
    if version.isdigit() and int(version[:9]) > VERSION:
        raise ReportError(
            tr(
                "has version {version} of the format, and this Cobogó reads version {known}",
                version=int(version[:9]),
                known=VERSION,
            ),
            where=where,
            remedy=tr("Use the Cobogó that wrote it, or a later one."),
        )
    try:
        return _Header.model_validate_json(line)
    except ValidationError:
        raise _damage_error(where) from None


def _damage_error(where: str) -> ReportError:
    return ReportError(
        tr("is an aggregate that was changed or is incomplete"), where=where, remedy=tr("Aggregate the reports again.")
    )


def is_aggregate(path: Path) -> bool:
    """Whether a file begins as aggregates do."""
    try:
        with path.open("rb") as file:
            return file.read(len(BEGINS)) == BEGINS
    except OSError:
        return False
