"""The way back: a file whose tokens are values again, and whose encrypted columns can be read."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from cobogo import scratch
from cobogo.errors import OutputError, PolicyError
from cobogo.mask.encryption import decrypted
from cobogo.mask.secret import Secret
from cobogo.mask.vault.vault import Missing, Vault
from cobogo.policy import Data
from cobogo.table.read import read


def restore(
    data: str | Path,
    out: str | Path,
    *,
    domains: Mapping[str, str],
    decrypt: Sequence[str] = (),
    vault: str | Path | None = None,
    key: str | Path | None = None,
    secret: str | Path | None = None,
    separator: str = ",",
    missing: Missing = "error",
) -> int:
    """Turn the tokens of some columns (by domain) back and decrypt others; how many records were written.

    The new file is made for this user only, and appears whole or not at all.
    """
    target = Path(out)
    if target.exists():
        raise OutputError("is there already", where=str(target), remedy="Choose another --out.")
    if target.suffix not in (".csv", ".parquet"):
        raise OutputError("must end in .csv or .parquet", where=str(target), remedy="Choose another --out.")
    table = read(str(data), Data(separator=separator))
    for name in (*domains, *decrypt):
        if name not in table.columns:
            raise PolicyError(
                f'there is no column "{name}"', where=str(data), remedy=f"It has: {', '.join(table.columns)}."
            )
    rows: Any = table.expression.mutate(**{name: table.text(name) for name in (*domains, *decrypt)}).to_pyarrow()
    if domains:
        if vault is None or key is None:
            raise PolicyError("tokens need the vault and a key to it", where="--vault, --key")
        opened = Vault.open(vault, key)
        for name, domain in domains.items():
            rows = _replaced(rows, name, opened.detokenize(domain, rows.column(name), missing=missing))
    if decrypt:
        if secret is None:
            raise PolicyError("encrypted columns need the secret", where="--secret")
        loaded = Secret.load(Path(secret))
        for name in decrypt:
            rows = _replaced(rows, name, decrypted(rows.column(name).to_pylist(), loaded, name))
    try:
        stage = scratch.create(target.resolve().parent, f".{target.name}.cobogo-")
    except OSError as error:
        raise OutputError(f"cannot be written: {error.strerror}", where=str(target)) from None
    try:
        loaded_rows = table.engine.load_arrow(rows)
        if target.suffix == ".csv":
            table.engine.write_csv(loaded_rows, stage / "rows", separator=separator)
        else:
            table.engine.write_parquet(loaded_rows, stage / "rows")
        (stage / "rows").chmod(0o600)
        os.link(stage / "rows", target)
    except OSError as error:
        raise OutputError(f"cannot be written: {error.strerror}", where=str(target)) from None
    finally:
        scratch.remove(stage)
    return int(rows.num_rows)


def _replaced(rows: Any, name: str, values: Any) -> Any:
    import pyarrow as pa

    place = rows.schema.names.index(name)
    return rows.set_column(place, name, pa.array(values, pa.string()) if isinstance(values, list) else values)
