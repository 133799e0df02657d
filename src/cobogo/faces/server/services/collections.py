"""Collections: a steward describes a question, clients hand in randomized reports, and the counts are decoded.

Only sums are kept: reports wait in a file until some are counted together, and are forgotten; nothing says whose they
were or when they came.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cobogo.data.policy.toml_file import parse_toml
from cobogo.errors import PolicyError
from cobogo.faces.server.keys import Holder
from cobogo.faces.server.roles import KeyScope
from cobogo.faces.server.services.operation import NotFound, Subject, operation
from cobogo.faces.server.state import COLLECTIONS, Row
from cobogo.floor.language import tr

if TYPE_CHECKING:
    from cobogo.collect.aggregate import Aggregate
    from cobogo.collect.collection import Collection
    from cobogo.faces.server.journal import Journal


def read_collection(text: str) -> Collection:
    """The collection that a text describes, which may name no file."""
    from cobogo.collect.collection import Collection

    content = parse_toml(text, "collection")
    table = content.get("collection")
    for key in ("values", "candidates"):
        if isinstance(table, dict) and isinstance(table.get(key), dict):
            raise PolicyError(
                tr("must not name a file on a server"), where=f"collection.{key}", remedy=tr("Write the list itself.")
            )
    return Collection.of(content, name="collection")


class CollectionService(Subject):
    """The collections of a steward, and the reports that collectors hand in to anybody's."""

    @property
    def state(self) -> str:
        """The server's state directory, as the command that makes a key for collectors names it."""
        return self._context.settings.state

    @operation(KeyScope.COLLECT)
    def begin(self, holder: Holder, text: str) -> str:
        """Open a collection; its identity."""
        from cobogo.collect.aggregate import Aggregate
        from cobogo.faces.server.journal import COUNTS

        described = read_collection(text)
        identity = self._context.state.add(COLLECTIONS, owner=holder.owner, name=described.name, toml=text)
        place = self._context.files.collection(identity)
        place.mkdir(mode=0o700)
        Aggregate.empty(described).save(place / COUNTS)
        return identity

    @operation(KeyScope.COLLECT, reads=True)
    def list_all(self, holder: Holder) -> list[Row]:
        """The holder's collections with the number of their ``reports``, the latest first."""
        return [self._add_count(row) for row in self._context.state.rows(COLLECTIONS, holder.owner)]

    @operation(KeyScope.COLLECT, reads=True)
    def get(self, holder: Holder, identity: str) -> Row:
        """A collection of the holder's with the number of its ``reports``."""
        return self._add_count(self._row(COLLECTIONS, identity, holder.owner, "collection"))

    def _add_count(self, row: Row) -> Row:
        return {**row, "reports": self._journal(row).count().users}

    @operation(KeyScope.COLLECT, reads=True)
    def count(self, holder: Holder, identity: str) -> Aggregate:
        """The sums of what came in for a collection of the holder's."""
        return self._journal(self._row(COLLECTIONS, identity, holder.owner, "collection")).count()

    @operation(KeyScope.REPORT, reads=True)
    def describe(self, holder: Holder, identity: str) -> dict[str, Any]:  # noqa: ARG002
        """What clients need to know of a collection."""
        return dict(read_collection(self._anybodys(identity)["toml"]).as_dict())

    @operation(KeyScope.REPORT)
    def take(self, holder: Holder, identity: str, content: bytes, key: str | None = None) -> int:  # noqa: ARG002
        """Take in messages of the wire format, all of them or, where one is none, nothing; the number of reports.

        They are on disk when this returns. What comes again under the same key is counted once.
        """
        return self._journal(self._anybodys(identity)).add(content, key)

    def _anybodys(self, identity: str) -> Row:
        row = self._context.state.get(COLLECTIONS, identity)
        if row is None:
            raise NotFound(tr("There is no such collection."), thing="collection")
        return row

    def _journal(self, row: Row) -> Journal:
        from cobogo.faces.server.journal import Journal

        context = self._context
        with context.opening:
            if row["id"] not in context.journals:
                context.journals[row["id"]] = Journal(read_collection(row["toml"]), context.files.collection(row["id"]))
            return context.journals[row["id"]]
