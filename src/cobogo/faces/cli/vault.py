"""The commands ``cobogo vault …``."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from cobogo.faces.cli import console
from cobogo.faces.cli.options import Json
from cobogo.floor.language import tr

app = typer.Typer(help="Look after a vault of tokens: domains, keys, rotation, deletion, log.", no_args_is_help=True)

Place = Annotated[str, typer.Argument(help="The vault: a file of SQLite, or postgresql://…", show_default=False)]
KeyFile = Annotated[
    Path, typer.Option("--key", envvar="COBOGO_VAULT_KEY", help="The file of a steward's key.", show_default=False)
]
Domain = Annotated[str, typer.Argument(help="The domain: what the tokens are for.", show_default=False)]
New = Annotated[Path, typer.Option("--out", help="The file that is written, for this user only.", show_default=False)]


@app.command()
def create(vault: Place, out: New) -> None:
    """Make an empty vault and the key of its first steward."""
    from cobogo.publish.mask.vault import Vault, VaultKey

    key = VaultKey.new()
    key.save(out)  # first: a vault without a key would be lost
    try:
        Vault.create(vault, key)
    except BaseException:
        out.expanduser().unlink()
        raise
    console.say(f"Written   {vault}\nWritten   {out}   the steward's key {key.name}: keep a copy in a safe place")


@app.command()
def domain(
    vault: Place,
    name: Domain,
    key: KeyFile,
    form: Annotated[str, typer.Option("--format", help="opaque, or shape: like the value.")] = "opaque",
) -> None:
    """Add a domain: a purpose with tokens of its own."""
    from cobogo.publish.mask.vault import Vault

    Vault.open(vault, key).add_domain(name, format=form)
    console.say(f"Added     domain {name}, {form} tokens")


@app.command(name="key")
def issue(
    vault: Place,
    key: KeyFile,
    out: New,
    role: Annotated[list[str], typer.Option("--role", help="tokenize, detokenize or steward; may be given again.")],
    domains: Annotated[list[str], typer.Option("--domain", help="Where; may be given again.")] = [],  # noqa: B006
) -> None:
    """Issue a key with roles in domains."""
    from cobogo.publish.mask.vault import Vault

    opened = Vault.open(vault, key)
    new = opened.issue(domains, roles=role)
    try:
        new.save(out)
    except BaseException:
        opened.revoke(new.name)
        raise
    console.say(f"Written   {out}   key {new.name}: {', '.join(role)}")


@app.command()
def revoke(vault: Place, name: Annotated[str, typer.Argument(help="The key's name.")], key: KeyFile) -> None:
    """Close the vault to a key. Rotate its domains too: its holder may have kept what it opened."""
    from cobogo.publish.mask.vault import Vault

    Vault.open(vault, key).revoke(name)
    console.say(f"Revoked   {name}   Rotate its domains next: cobogo vault rotate")


@app.command()
def rotate(
    vault: Place,
    name: Domain,
    key: KeyFile,
    tokens: Annotated[bool, typer.Option("--tokens", help="New tokens too: the old ones become irreversible.")] = False,
) -> None:
    """Give a domain new secrets, and seal its values anew."""
    from cobogo.publish.mask.vault import Vault

    console.say(f"Rotated   {Vault.open(vault, key).rotate(name, tokens=tokens):,} values of {name}")


@app.command()
def forget(
    vault: Place,
    name: Domain,
    key: KeyFile,
    tokens: Annotated[Path, typer.Option("--tokens", help="A file with one token a line.", show_default=False)],
) -> None:
    """Erase the values of tokens: they can never be turned back."""
    from cobogo.errors import VaultError
    from cobogo.publish.mask.vault import Vault

    try:
        wanted = tokens.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise VaultError(
            tr("the tokens cannot be read: {name}", name=type(error).__name__), where=str(tokens)
        ) from None
    gone = Vault.open(vault, key).forget(name, tokens=[token for token in wanted if token])
    console.say(f"Forgotten {gone:,} values of {name}: {len(wanted) - gone:,} of the tokens had none")


@app.command()
def log(vault: Place, key: KeyFile, as_json: Json = False) -> None:
    """Show the audit log, after checking its chain. Exit 1 when it was altered."""
    from cobogo.publish.mask.vault import Vault

    entries, digest = Vault.open(vault, key).log()
    if as_json:
        console.say_json({"entries": [asdict(entry) for entry in entries], "digest": digest})
        return
    header = ["", "when", "key", "what", "domain", "values", ""]
    rows = [[str(e.number), e.at, e.key, e.action, e.domain or "", f"{e.count:,}", e.detail] for e in entries]
    console.say(console.table(header, rows, numbers=[0, 5]))
    console.say(f"\nThe chain holds. Its end, to be noted elsewhere: {digest}")


@app.command()
def show(vault: Place, key: KeyFile, as_json: Json = False) -> None:
    """Show the domains and the keys; no value and no token."""
    from cobogo.publish.mask.vault import Vault

    found = Vault.open(vault, key).show()
    if as_json:
        console.say_json(found)
        return
    domains = [[d["name"], d["format"], f"{d['values']:,}", f"{d['irreversible']:,}"] for d in found["domains"]]
    console.say(console.table(["domain", "format", "values", "irreversible"], domains, numbers=[2, 3]))
    keys = [
        [k["name"], ", ".join(k["roles"]), ", ".join(k["domains"]) or "all", k["revoked"] or ""] for k in found["keys"]
    ]
    console.say("\n" + console.table(["key", "roles", "domains", "revoked"], keys))


@app.command()
def check(vault: Place, key: KeyFile) -> None:
    """Open every value and check the log. Exit 1 when something is damaged."""
    from cobogo.publish.mask.vault import Vault

    console.say(f"Checked   {Vault.open(vault, key).check():,} values, and the log: nothing is damaged")


@app.command()
def secret(out: Annotated[Path, typer.Argument(help="The new file.", show_default=False)]) -> None:
    """Make a secret for consistent fakes, pseudonyms and column encryption; it has nothing to do with any vault."""
    from cobogo.publish.mask.secret import Secret

    Secret.create(out)
    console.say(f"Written   {out}   keep it apart from the data")
