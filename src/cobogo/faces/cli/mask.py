"""The commands ``cobogo mask``, ``cobogo tokenize`` and ``cobogo detokenize``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cobogo.errors import PolicyError
from cobogo.faces.cli import console, language
from cobogo.faces.cli.options import Engine, Evidence, GuessedSeparator, Json, Out, PolicyFile, Quiet
from cobogo.floor.language import tr, trn

if TYPE_CHECKING:
    from cobogo.publish.mask.tables import MaskedTables


def mask(
    policy: PolicyFile,
    out: Out = None,
    evidence: Evidence = None,
    engine: Engine = None,
    quiet: Quiet = False,
    as_json: Json = False,
) -> None:
    """Mask columns for test data as a policy says, write the release and verify it. Gives no formal guarantee."""
    _run(policy, out, evidence, engine, quiet, as_json)


def tokenize(
    policy: PolicyFile,
    out: Out = None,
    evidence: Evidence = None,
    engine: Engine = None,
    quiet: Quiet = False,
    as_json: Json = False,
) -> None:
    """Replace values by tokens of a vault, pseudonyms or ciphertexts as a policy says, and write the release."""
    _run(policy, out, evidence, engine, quiet, as_json, needed=("token", "pseudonym", "encrypt"))


def detokenize(
    data: Annotated[Path, typer.Argument(help="A CSV or Parquet file.", show_default=False)],
    out: Annotated[Path, typer.Option("--out", help="The new file: .csv or .parquet.", show_default=False)],
    column: Annotated[
        list[str],
        typer.Option("--column", help="A column and its domain, as in cpf=research; may be given again."),
    ] = [],  # noqa: B006
    decrypt: Annotated[
        list[str], typer.Option("--decrypt", help="A column that is encrypted; may be given again.")
    ] = [],  # noqa: B006
    vault: Annotated[str | None, typer.Option("--vault", help="The vault: a file, or a database's URL.")] = None,
    key: Annotated[Path | None, typer.Option("--key", help="The file of a key that may detokenize.")] = None,
    secret: Annotated[Path | None, typer.Option("--secret", help="The file of the secret.")] = None,
    separator: GuessedSeparator = None,
    missing: Annotated[
        str, typer.Option("--missing", help="error or null: what to do with a token that has no value.")
    ] = "error",
) -> None:
    """Turn tokens back into values, and decrypt columns, in a new file that only this user may read."""
    from cobogo.publish.mask.restore import restore

    if missing not in ("error", "null"):
        raise PolicyError(
            tr("must be error or null. Got {missing!r} instead", missing=missing),
            where="--missing",
            remedy=tr("error stops at a token without a value; null leaves the cell empty."),
        )
    pairs = dict(_pair(text) for text in column)
    records = restore(
        data, out, domains=pairs, decrypt=decrypt, vault=vault, key=key, secret=secret, separator=separator,
        missing="null" if missing == "null" else "error",
    )  # fmt: skip
    console.say_line(
        "written",
        str(out),
        trn(
            "{n:,} record with its original values: protect this file as you protect the original data",
            "{n:,} records with their original values: protect this file as you protect the original data",
            n=records,
        ),
    )


def _run(
    policy: Path,
    out: Path | None,
    evidence: Path | None,
    engine: str | None,
    quiet: bool,
    as_json: bool,
    needed: tuple[str, ...] = (),
) -> None:
    from cobogo.data.policy import Policy
    from cobogo.data.policy.masking import operator_of
    from cobogo.data.policy.several import lists_tables
    from cobogo.faces.cli.summary import destination_of, write_and_say
    from cobogo.publish import transform as jobs
    from cobogo.publish.mask.tables import MaskedTables

    with console.progress(quiet=quiet or as_json) as show:
        rules = policy if lists_tables(policy) else language.with_report_language(Policy.load(policy))
        release = jobs.mask(rules, engine=engine, progress=show)
        tables = release.tables.values() if isinstance(release, MaskedTables) else [release]
        used = {operator_of(spec) for t in tables if t.policy.masking for spec in t.policy.masking.columns.values()}
        if needed and not used & set(needed):
            raise PolicyError(
                tr("no column has tokens, pseudonyms or ciphertexts"),
                where=f"{policy}, masking.columns",
                remedy=tr("Use one of {needed} for a column, or run cobogo mask.", needed=", ".join(needed)),
            )
        if not isinstance(release, MaskedTables):
            write_and_say(release, destination_of(release.policy, out, evidence), show, quiet, as_json)
            return
        directory = out or (release.rules.home / release.rules.directory if release.rules.directory else None)
        if directory is None:
            raise PolicyError(
                tr("the policy does not say where the release goes"),
                where=f"{policy}, output.directory",
                remedy=tr("Add this key, or give --out DIRECTORY."),
            )
        verdicts = release.write(directory, progress=show)
    for warning in release.warnings:
        console.warn(warning)
    records = {name: verdict.records for name, verdict in verdicts.items()}
    if as_json:
        console.say_json({"tables": records, "references": [str(found) for found in release.rules.references]})
    elif not quiet:
        _say_tables(release, records, directory)


def _say_tables(release: MaskedTables, records: dict[str, int], directory: Path) -> None:
    say = language.terminal_speech()
    for name, count in records.items():
        console.say_line("release", f"{name:<30} {say.plural('{n} record', '{n} records', n=count)}")
    for reference in release.rules.references:
        console.say_line("verified", tr("{reference} still holds ✓", reference=str(reference)))
    console.say_release(directory / "*")


def _pair(text: str) -> tuple[str, str]:
    name, mark, domain = text.partition("=")
    if not (name and mark and domain):
        raise PolicyError(
            tr("must be COLUMN=DOMAIN. Got {text!r} instead", text=text),
            where="--column",
            remedy=tr("Write it as in: --column cpf=research."),
        )
    return name, domain
