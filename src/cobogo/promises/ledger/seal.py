"""The file beside a ledger: the key that its entries are sealed with, and the last seal of each book.

It is made with the ledger and belongs in another backup than it: whoever has both can write what they like. Lines are
only added, after a commit: the file may be behind the ledger, and never before it.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import secrets
from pathlib import Path

from cobogo.errors import LedgerError

BEGINS = re.compile(r"cobogo-ledger-seal 1 ([0-9a-f]{64})")
LONG = 1 << 20
"""Bytes from which on the file is written anew, with one line a book."""

PUBLIC = b"cobogo ledger without a seal"
"""The key where there is no file: chains are checked, and whoever knows this program can forge them."""


class Seal:
    """The key and the last seals; without a file the key is public, and nothing is known of the end of a chain."""

    def __init__(self, file: Path | None) -> None:
        self.file = file
        self.key = PUBLIC

    def open(self, *, sealed: bool) -> None:
        """Read the key, or draw one; where the ledger is ``sealed`` already the file must be there."""
        if self.file is None:
            return
        if not self.file.exists():
            if sealed:
                raise LedgerError(
                    "its seal is missing",
                    where=str(self.file),
                    remedy="Restore the file: without it nobody can tell whether entries were changed.",
                )
            self._create(self.file)
        found = BEGINS.fullmatch(self._lines()[0])
        if found is None:
            raise LedgerError("is no seal of a ledger", where=str(self.file), remedy="Restore the file.")
        self.key = bytes.fromhex(found[1])

    def heads(self) -> dict[str, tuple[int, str]]:
        """The last place in the chain of each book that was noted, with its seal."""
        found: dict[str, tuple[int, str]] = {}
        for line in self._lines()[1:] if self.file is not None else ():
            with contextlib.suppress(ValueError):  # a line that a loss of power cut off
                position, seal, dataset = json.loads(line)
                found[dataset] = max((position, seal), found.get(dataset, (0, "")))
        return found

    def note(self, dataset: str, position: int, seal: str) -> None:
        """Write down the last seal of a book, which is on disk by now."""
        if self.file is None:
            return
        try:
            handle = os.open(self.file, os.O_WRONLY | os.O_APPEND)
            try:
                os.write(handle, f"{json.dumps([position, seal, dataset])}\n".encode())
                long = os.fstat(handle).st_size > LONG
            finally:
                os.close(handle)
        except OSError as problem:
            raise self._unusable(problem) from None
        if long:
            self._shorten(self.file)

    def _lines(self) -> list[str]:
        assert self.file is not None
        try:
            return self.file.read_text(encoding="utf-8").split("\n")
        except (OSError, UnicodeDecodeError) as problem:
            raise self._unusable(problem) from None

    def _create(self, file: Path) -> None:
        from cobogo.floor.files import write_private_once

        write_private_once(file, f"cobogo-ledger-seal 1 {secrets.token_hex(32)}\n")

    def _shorten(self, file: Path) -> None:
        from cobogo.floor.files import write_private

        lines = [json.dumps([position, seal, dataset]) for dataset, (position, seal) in self.heads().items()]
        write_private(file, "".join(f"{line}\n" for line in [self._lines()[0], *lines]))

    def _unusable(self, problem: Exception) -> LedgerError:
        return LedgerError(
            f"cannot be used: {getattr(problem, 'strerror', None) or type(problem).__name__}",
            where=str(self.file),
            remedy="Check its rights and its disk.",
        )
