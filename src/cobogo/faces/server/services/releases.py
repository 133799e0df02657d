"""Releases: listed, read, verified, downloaded, deleted. Their evidence is for those who may see it."""

from __future__ import annotations

import json
import tempfile
import threading
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, TypeVar

from cobogo.data.engines.engine import connect
from cobogo.data.policy import Policy
from cobogo.data.table.read import read
from cobogo.faces.server.cache import Cache
from cobogo.faces.server.files import write_zip
from cobogo.faces.server.keys import Holder
from cobogo.faces.server.roles import KeyScope
from cobogo.faces.server.rows import PAGES
from cobogo.faces.server.services.operation import NotFound, Subject, operation
from cobogo.faces.server.services.registry import RegistryService
from cobogo.faces.server.state import DATASETS, JOBS, RELEASES, Row
from cobogo.floor.language import tr
from cobogo.release import manifest as manifests
from cobogo.release.readback import open_released_rows
from cobogo.release.write import copy_for_spreadsheets

if TYPE_CHECKING:
    from cobogo.examine.utility.pairs.pair import TablePair
    from cobogo.faces.server.context import ServerContext
    from cobogo.publish.registry.store import RegistryEntry
    from cobogo.release.contract import Verdict
    from cobogo.studies.statement import Statement

T = TypeVar("T")


@dataclass(frozen=True, eq=False, repr=False)
class OpenedRelease:
    """A release with its report as data, the policy that it was made by, and what is measured of it.

    ``data`` and ``rows`` are the original, as it was received and as pages read it; None for a holder who may see the
    evidence of a release and not the data behind it, and where the data set is no longer there.
    """

    identity: str
    owner: str
    dataset: str
    kind: str
    directory: Path
    report: dict[str, Any]
    policy: Policy
    registered: str | None
    data: Path | None = None
    rows: Path | None = None
    runs: bool = False  # whether the holder may start work on it
    cache: Cache = field(default_factory=Cache)

    @property
    def mine(self) -> bool:
        """Whether the original may be read."""
        return self.data is not None

    def measure(self, work: Callable[..., T], *given: Hashable) -> T:
        """The result of ``work(release, *given)``, computed once for all readers with the same rights."""
        key = (str(self.directory), self.mine, work.__module__, work.__qualname__, given)
        return self.cache.get("measure", key, partial(work, self, *given))

    def measure_pair(self, work: Callable[..., T], *given: Hashable) -> T:
        """The result of ``work(pair, *given)`` on the release and its original; one computation at a time on a pair."""
        found: T = self.measure(_work_on_pair, work, *given)
        return found


def _work_on_pair(release: OpenedRelease, work: Callable[..., T], *given: Hashable) -> T:
    from cobogo.examine.utility.pairs.pair import open_pair

    def open_both() -> tuple[TablePair, threading.Lock]:
        return open_pair(release.directory, release.policy, release.rows), threading.Lock()

    pair, lock = release.cache.get("pair", (str(release.directory), release.mine), open_both)
    with lock:
        return work(pair, *given)


class ReleaseService(Subject):
    """The releases that the holder sees: one's own, and everybody's for auditors."""

    def __init__(self, context: ServerContext, registry: RegistryService) -> None:
        super().__init__(context)
        self._registry = registry

    @operation(KeyScope.RELEASES, reads=True)
    def list_all(self, holder: Holder, dataset: str | None = None) -> list[Row]:
        """The releases, the latest first; of one data set, or of all."""
        of = {} if dataset is None else {"dataset": dataset}
        return self._context.state.rows(RELEASES, holder.sees, **of)

    @operation(KeyScope.RELEASES, reads=True)
    def get(self, holder: Holder, identity: str) -> Row:
        """A release."""
        return self._row(RELEASES, identity, holder.sees, "release")

    def find(self, holder: Holder, identity: str | None) -> Row | None:
        """A release; None if it does not exist, or the key may not see releases."""
        if identity is None or KeyScope.RELEASES not in holder.scopes:
            return None
        return self._context.state.get(RELEASES, identity, holder.sees)

    @operation(KeyScope.RELEASES)
    def verify(self, holder: Holder, identity: str) -> Verdict:
        """Check a release now, from its bytes."""
        from cobogo.release.verify import verify

        self.get(holder, identity)
        return verify(self._context.files.release(identity))

    @operation(KeyScope.RELEASES, reads=True)
    def manifest(self, holder: Holder, identity: str) -> dict[str, Any]:
        """The manifest of a release; empty if it has none."""
        self.get(holder, identity)
        return self._context.cache.read_json(self._context.files.release(identity) / "public" / "manifest.json")

    @operation(KeyScope.RELEASES, reads=True)
    def first_rows(self, holder: Holder, identity: str, count: int) -> tuple[list[str], list[list[str]]] | None:
        """The released columns and the first rows, as text; None where the release is not a file of rows."""
        self.get(holder, identity)
        public = self._context.files.release(identity) / "public"
        signed = manifests.load(public)
        if signed.data.file is None or signed.marginals:
            return None
        engine = connect()
        rows = open_released_rows(read(public / signed.data.file, signed.data.reading, engine, once=True), signed)
        found = engine.fetch(rows.expression.limit(count))
        columns = (found.column(place).to_pylist() for place in range(found.num_columns))
        texts = (["" if value is None else str(value) for value in column] for column in columns)
        return list(found.column_names), [list(row) for row in zip(*texts, strict=True)]

    @operation(KeyScope.RELEASES)
    def write_public(self, holder: Holder, identity: str, target: IO[bytes], *, neutralised: bool = False) -> None:
        """Write the public part as an archive. ``neutralised``: for spreadsheets, with no cell that is a formula."""
        self.get(holder, identity)
        directory = self._context.files.release(identity) / "public"
        if not neutralised:
            write_zip(directory, target)
            return
        with tempfile.TemporaryDirectory(prefix="cobogo-") as place:
            copy_for_spreadsheets(directory, Path(place) / "public")
            write_zip(Path(place) / "public", target)

    @operation(KeyScope.EVIDENCE)
    def write_evidence(self, holder: Holder, identity: str, target: IO[bytes]) -> None:
        """Write the evidence as an archive."""
        self._row(RELEASES, identity, holder.sees, "release")
        write_zip(self._context.files.release(identity) / "evidence", target)

    @operation(KeyScope.EVIDENCE, reads=True)
    def evidence_file(self, holder: Holder, identity: str, name: str) -> Path:
        """A file of the evidence."""
        self._row(RELEASES, identity, holder.sees, "release")
        file = self._context.files.release(identity) / "evidence" / name
        if not file.is_file():
            raise NotFound(tr("The evidence has no file {name}.", name=name), thing="evidence")
        return file

    @operation(KeyScope.EVIDENCE, reads=True)
    def evidence(self, holder: Holder, identity: str, name: str) -> dict[str, Any]:
        """The content of a JSON file of the evidence; empty if there is no such file."""
        self._row(RELEASES, identity, holder.sees, "release")
        return self._context.cache.read_json(self._context.files.release(identity) / "evidence" / name)

    @operation(KeyScope.EVIDENCE, reads=True)
    def open(self, holder: Holder, identity: str) -> OpenedRelease:
        """Open a release, with its original table if that belongs to the holder."""
        row = self._row(RELEASES, identity, holder.sees, "release")
        context = self._context
        report, kept = (self.evidence(holder, identity, f"{name}.json") for name in ("report", "evidence"))
        registry = context.settings.registry
        trusted = () if registry is None else (registry,)
        policy = Policy.of(kept["policy"], home=kept["home"], name="policy", trusted=trusted)
        own = row["owner"] == holder.owner and KeyScope.DATA in holder.scopes
        dataset = context.state.get(DATASETS, row["dataset"], holder.owner) if own else None
        data = None if dataset is None else context.files.table(dataset["id"])
        rows = None if dataset is None else context.files.dataset(dataset["id"]) / PAGES
        return OpenedRelease(
            identity,
            row["owner"],
            row["dataset"],
            row["kind"],
            context.files.release(identity),
            report,
            policy,
            kept.get("registered"),
            data,
            rows if rows is not None and rows.is_file() else None,
            own and KeyScope.RUN in holder.scopes,
            context.cache,
        )

    @operation(KeyScope.EVIDENCE, reads=True)
    def render_statement(self, holder: Holder, identity: str, page: str, language: str) -> str:
        """The page to sign ("statement"), or the impact report ("impact"), as HTML."""
        return self._statement(holder, identity).render(page, language=language)

    @operation(KeyScope.RUN)
    def write_statement(self, holder: Holder, identity: str, language: str) -> None:
        """Put both pages into the evidence of a release of the holder's."""
        self._row(RELEASES, identity, holder.owner, "release")
        self._statement(holder, identity).write(language=language)

    def _statement(self, holder: Holder, identity: str) -> Statement:
        """What there is to say of a release, with the file that was uploaded, as long as its data set is there."""
        from cobogo.studies.statement import statement

        row = self._row(RELEASES, identity, holder.sees, "release")
        dataset = self._context.state.get(DATASETS, row["dataset"], row["owner"])
        told = (
            {} if dataset is None else {"name": dataset["name"], "sha256": json.loads(dataset["about"]).get("sha256")}
        )
        return statement(self._context.files.release(identity), source=told)

    @operation(KeyScope.DATA, reads=True)
    def policy_text(self, holder: Holder, identity: str) -> tuple[str, str]:
        """The data set that a release of the holder's was made of, and the text of the policy that made it."""
        row = self._row(RELEASES, identity, holder.owner, "release")
        job = self._row(JOBS, identity, holder.owner, "data set")
        return row["dataset"], json.loads(job["asked"])["policy"]

    @operation(KeyScope.RUN)
    def delete(self, holder: Holder, identity: str, entry: RegistryEntry | None = None) -> None:
        """Remove a release of the holder's, and, where ``entry`` is given, what is recorded of it."""
        self._row(RELEASES, identity, holder.owner, "release")
        if entry is not None:
            self._registry.take_back(holder, entry)
        self._context.state.remove(RELEASES, identity)
        self._context.files.forget("releases", identity)
