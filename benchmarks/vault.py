"""A million values through a vault, beside the same rows in the same database without keys, ciphers or a log."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from pathlib import Path

from benchmarks.measure import Result, once
from cobogo.publish.mask.vault import Vault

VALUES = 1_000_000


def vault(directory: Path, count: int = VALUES) -> Iterator[Result]:
    """Tokens for values that have none, for values that have one, and the values back."""
    values = [f"{number * 7919 % 10**11:011d}" for number in range(count)]
    opened, _ = Vault.create(directory / "vault.db")
    opened.add_domain("bench")
    opened.tokenize("bench", ["a first one, so that everything is loaded"])
    plain = sqlite3.connect(directory / "plain.db", isolation_level=None)
    for pragma in ("page_size = 8192", "journal_mode = WAL", "synchronous = FULL", "cache_size = -262144"):
        plain.execute(f"PRAGMA {pragma}")
    plain.execute("CREATE TABLE tokens (token TEXT UNIQUE, value TEXT UNIQUE)")
    tokens: list[str] = []
    drawn = [os.urandom(12).hex() for _ in values]

    def insert() -> None:
        plain.execute("BEGIN IMMEDIATE")
        plain.executemany("INSERT INTO tokens VALUES (?, ?)", zip(drawn, values, strict=True))
        plain.execute("COMMIT")

    def found(column: str, by: str, wanted: list[str]) -> None:
        for start in range(0, count, 30_000):
            some = wanted[start : start + 30_000]
            marks = ",".join("?" * len(some))
            plain.execute(f"SELECT {by}, {column} FROM tokens WHERE {by} IN ({marks})", some).fetchall()

    def back() -> None:
        if opened.detokenize("bench", tokens) != values:
            raise AssertionError("the vault did not give back what was put in")

    note, against = f"{count:,} values", "bare SQLite"
    spent = once(lambda: tokens.extend(opened.tokenize("bench", values)))
    yield Result("vault: new tokens", spent, against, once(insert), note)
    yield Result("vault: known tokens", once(lambda: opened.tokenize("bench", values)), against,
                 once(lambda: found("token", "value", values)), note)  # fmt: skip
    yield Result("vault: values back", once(back), against, once(lambda: found("value", "token", drawn)), note)
    plain.close()
