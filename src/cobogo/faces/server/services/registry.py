"""The registry of releases and the vault of tokens, where the server's settings name them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from cobogo.errors import CobogoError
from cobogo.faces.server.keys import Holder
from cobogo.faces.server.roles import KeyScope
from cobogo.faces.server.services.operation import NotFound, Subject, operation
from cobogo.faces.server.state import DATASETS, RELEASES
from cobogo.floor.language import tr
from cobogo.release import evidence as evidences
from cobogo.release import manifest as manifests

if TYPE_CHECKING:
    from cobogo.publish.registry.check import Breach, Chapter
    from cobogo.publish.registry.store import RegistryEntry

NOTE = "registered"
"""The file in a job's directory that holds the id of what was recorded of its release afterwards."""


class RegistryService(Subject):
    """What is recorded of the releases that the holder sees."""

    @property
    def exists(self) -> bool:
        """Whether the server keeps a registry."""
        return self._context.settings.registry is not None

    @property
    def _place(self) -> str:
        place = self._context.settings.registry
        if place is None:
            raise NotFound(tr("This server has no registry."), thing="registry")
        return place

    @operation(KeyScope.REGISTRY, reads=True)
    def list_figures(self, holder: Holder) -> list[dict[str, Any]]:
        """What is recorded, in figures: of one's own releases, and of everybody's for auditors. Shows no values."""
        listed = [entry.as_dict() for entry in self._entries(holder)]
        return [{key: value for key, value in one.items() if key != "directory"} for one in listed]

    def _entries(self, holder: Holder) -> list[RegistryEntry]:
        from cobogo.publish.registry.store import open_registry

        registry = open_registry(self._place, None)
        try:
            with registry.transaction() as book:
                entries = book.entries()
        finally:
            registry.close()
        return [one for one in entries if holder.sees is None or one.dataset.startswith(f"{holder.owner} ")]

    @operation(KeyScope.RELEASES, reads=True)
    def entry_of(self, holder: Holder, release: str) -> RegistryEntry | None:
        """The registry's entry of a release; None if it has no entry, or the registry cannot be read.

        The same release of the same records, made twice, is recorded once.
        """
        self._row(RELEASES, release, holder.sees, "release")
        if not self.exists:
            return None
        folder = self._context.files.release(release)
        evidence = self._context.cache.read_json(folder / "evidence" / evidences.NAME)
        known = {evidence.get("registered"), self._read_note(release)}
        file = folder / "public" / manifests.NAME
        digest = manifests.sha256(file) if file.is_file() else None
        try:
            entries = self._entries(holder)
        except CobogoError:
            return None
        return next((one for one in entries if one.id in known or one.summary.get("manifest-sha256") == digest), None)

    def _read_note(self, release: str) -> str | None:
        file = self._context.files.job(release) / NOTE
        return file.read_text(encoding="utf-8") if file.is_file() else None

    @operation(KeyScope.RUN)
    def record(self, holder: Holder, release: str, series: str) -> list[Breach]:
        """Record a release that was made without the registry; returns whom it exposes together with the recorded
        ones.

        It is made once more, and must come out the same.
        """
        from cobogo.publish.registry.adopt import adopt
        from cobogo.publish.registry.store import check_name

        row = self._row(RELEASES, release, holder.owner, "release")
        check_name(series)
        place, files = self._place, self._context.files
        place = place if "://" in place else str(Path(place).absolute())
        data = self._context.state.get(DATASETS, row["dataset"], holder.owner)
        table = None if data is None else files.table(row["dataset"])
        identity, found = adopt(files.release(release), place, None, f"{holder.owner} {series}", data=table)
        (files.job(release) / NOTE).write_text(identity, encoding="utf-8")
        return found

    @operation(KeyScope.RUN)
    def take_back(self, holder: Holder, entry: RegistryEntry) -> None:
        """Remove what is recorded of a release of the holder's: later ones are no longer checked against it."""
        from cobogo.publish.registry.store import open_registry

        if not entry.dataset.startswith(f"{holder.owner} "):
            raise NotFound(thing="release")
        registry = open_registry(self._place, None)
        try:
            with registry.transaction() as book:
                book.remove(entry.id)
        finally:
            registry.close()

    @operation(KeyScope.EVIDENCE, reads=True)
    def history(self, holder: Holder, release: str, series: str) -> list[Chapter]:
        """What each release of a series added, and what it exposes with those before it."""
        from cobogo.publish.registry.check import history
        from cobogo.publish.registry.store import open_registry

        self._row(RELEASES, release, holder.sees, "release")
        registry = open_registry(self._place, None)
        try:
            with registry.transaction() as book:
                return history(book, series)
        finally:
            registry.close()


class VaultService(Subject):
    """Tokens in place of values, and back."""

    @operation(KeyScope.VAULT)
    def tokenize(self, holder: Holder, domain: str, texts: list[str | None]) -> list[str | None]:  # noqa: ARG002
        """Tokens in place of values: the same value has the same token."""
        return list(self._vault.tokenize(domain, texts))

    @operation(KeyScope.VAULT)
    def detokenize(self, holder: Holder, domain: str, texts: list[str | None]) -> list[str | None]:  # noqa: ARG002
        """Values in place of tokens. The vault's own log has it, too."""
        return list(self._vault.detokenize(domain, texts))

    @property
    def _vault(self) -> Any:
        from cobogo.publish.mask.vault import Vault

        settings = self._context.settings
        if settings.vault is None or settings.vault_key is None:
            raise NotFound(tr("This server has no vault."), thing="vault")
        return Vault.open(settings.vault, settings.vault_key)
