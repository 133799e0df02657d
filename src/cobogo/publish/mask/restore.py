"""Reversing a masking: tokens are turned back to values by the vault, and encrypted columns are decrypted."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from cobogo.data.engines.engine import Engine
from cobogo.data.files.settle import reading_options, settle
from cobogo.data.table.read import read
from cobogo.errors import OutputError, PolicyError
from cobogo.floor.files import create_scratch, remove_scratch
from cobogo.floor.language import tr
from cobogo.floor.language.errors import reason
from cobogo.publish.mask.secret import Secret, decrypt_values
from cobogo.publish.mask.vault.access import Missing, Vault

WRITABLE = tr("Check the path, the permission to write there, and the space on the disk.")


def restore(
    data: str | Path,
    out: str | Path,
    *,
    domains: Mapping[str, str],
    decrypt: Sequence[str] = (),
    vault: str | Path | None = None,
    key: str | Path | None = None,
    secret: str | Path | None = None,
    separator: str | None = None,
    missing: Missing = "error",
) -> int:
    """Turn the tokens of some columns (by domain) back and decrypt others; return how many records were written.

    The new file is made for this user only, and appears whole or not at all.
    """
    target = Path(out)
    if target.exists():
        raise OutputError(tr("is there already"), where=str(target), remedy=tr("Choose another --out."))
    if target.suffix not in (".csv", ".parquet"):
        raise OutputError(tr("must end in .csv or .parquet"), where=str(target), remedy=tr("Choose another --out."))
    options = settle(str(data), reading_options(separator=separator))
    table = read(str(data), options)
    for name in (*domains, *decrypt):
        if name not in table.columns:
            known = ", ".join(table.columns)
            raise PolicyError(
                tr('there is no column "{name}"', name=name),
                where=str(data),
                remedy=tr("The data have these columns: {known}.", known=known),
            )
    rows: Any = table.expression.mutate(**{name: table.text(name) for name in (*domains, *decrypt)}).to_pyarrow()
    if domains:
        if vault is None or key is None:
            raise PolicyError(
                tr("tokens cannot be restored without the vault and a key to it"),
                where="--vault, --key",
                remedy=tr("Give --vault and --key."),
            )
        opened = Vault.open(vault, key)
        for name, domain in domains.items():
            rows = _replace_column(rows, name, opened.detokenize(domain, rows.column(name), missing=missing))
    if decrypt:
        if secret is None:
            raise PolicyError(
                tr("encrypted columns cannot be restored without the secret"),
                where="--secret",
                remedy=tr("Give --secret."),
            )
        loaded = Secret.load(Path(secret))
        for name in decrypt:
            rows = _replace_column(rows, name, decrypt_values(rows.column(name).to_pylist(), loaded, name))
    _write(table.engine, rows, target, options.separator)
    return int(rows.num_rows)


def _write(engine: Engine, rows: Any, target: Path, separator: str) -> None:
    """Write rows into a new file for this user only, whole or not at all."""
    try:
        stage = create_scratch(target.resolve().parent, f".{target.name}.cobogo-")
    except OSError as error:
        raise OutputError(
            tr("cannot be written: {reason}", reason=reason(error)), where=str(target), remedy=WRITABLE
        ) from None
    try:
        if target.suffix == ".csv":
            engine.write_csv(engine.load_arrow(rows), stage / "rows", separator=separator)
        else:
            engine.write_parquet(engine.load_arrow(rows), stage / "rows")
        (stage / "rows").chmod(0o600)
        os.link(stage / "rows", target)  # unlike a renaming, it never takes another file's place
    except OSError as error:
        raise OutputError(
            tr("cannot be written: {reason}", reason=reason(error)), where=str(target), remedy=WRITABLE
        ) from None
    finally:
        remove_scratch(stage)


def _replace_column(rows: Any, name: str, values: Any) -> Any:
    import pyarrow as pa

    place = rows.schema.names.index(name)
    return rows.set_column(place, name, pa.array(values, pa.string()) if isinstance(values, list) else values)
