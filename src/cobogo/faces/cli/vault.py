"""The commands ``cobogo vault …``."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from cobogo.faces.cli import console, language
from cobogo.faces.cli.commands import CommandLine
from cobogo.faces.cli.options import Json
from cobogo.floor.language import tr, trn

app = CommandLine(help="Manage a vault of tokens: domains, keys, rotation, deletion, log.")

ACTIONS = {
    "create": tr("create"),
    "add domain": tr("add domain"),
    "issue": tr("issue"),
    "revoke": tr("revoke"),
    "rotate": tr("rotate"),
    "forget": tr("forget"),
    "tokenize": tr("tokenize"),
    "detokenize": tr("detokenize"),
}
"""What was done with a vault, as its log is shown."""

Place = Annotated[str, typer.Argument(help="The vault: a file of SQLite, or postgresql://…", show_default=False)]
KeyFile = Annotated[
    Path, typer.Option("--key", envvar="COBOGO_VAULT_KEY", help="The file of a steward's key.", show_default=False)
]
Domain = Annotated[str, typer.Argument(help="The domain: what the tokens are for.", show_default=False)]
New = Annotated[Path, typer.Option("--out", help="The file that is written; only you can read it.", show_default=False)]


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
    console.say_line("written", vault)
    console.say_line("written", str(out), tr("the steward's key {key}: keep a copy in a safe place", key=key.name))


@app.command()
def domain(
    vault: Place,
    name: Domain,
    key: KeyFile,
    form: Annotated[
        str, typer.Option("--format", help="opaque, or shape: tokens that look like the values.")
    ] = "opaque",
) -> None:
    """Add a domain: a purpose with tokens of its own."""
    from cobogo.publish.mask.vault import Vault

    Vault.open(vault, key).add_domain(name, format=form)
    tokens = tr("tokens like the values") if form == "shape" else tr("opaque tokens")
    console.say_line("added", tr("domain {name}, {tokens}", name=name, tokens=tokens))


@app.command(name="key")
def issue(
    vault: Place,
    key: KeyFile,
    out: New,
    role: Annotated[list[str], typer.Option("--role", help="tokenize, detokenize or steward; may be given again.")],
    domains: Annotated[
        list[str], typer.Option("--domain", help="A domain in which the roles hold; may be given again.")
    ] = [],  # noqa: B006
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
    console.say_line("written", str(out), tr("key {key}: {roles}", key=new.name, roles=", ".join(role)))


@app.command()
def revoke(vault: Place, name: Annotated[str, typer.Argument(help="The key's name.")], key: KeyFile) -> None:
    """Close the vault to a key. Rotate its domains too: its holder may have kept copies of what it opened."""
    from cobogo.publish.mask.vault import Vault

    Vault.open(vault, key).revoke(name)
    console.say_line("revoked", name, tr("Rotate its domains next: cobogo vault rotate"))


@app.command()
def rotate(
    vault: Place,
    name: Domain,
    key: KeyFile,
    tokens: Annotated[bool, typer.Option("--tokens", help="New tokens too: the old ones become irreversible.")] = False,
) -> None:
    """Give a domain new secrets, and seal its values anew."""
    from cobogo.publish.mask.vault import Vault

    count = Vault.open(vault, key).rotate(name, tokens=tokens)
    console.say_line("rotated", trn("{n:,} value of {domain}", "{n:,} values of {domain}", n=count, domain=name))


@app.command()
def forget(
    vault: Place,
    name: Domain,
    key: KeyFile,
    tokens: Annotated[Path, typer.Option("--tokens", help="A file with one token per line.", show_default=False)],
) -> None:
    """Erase the values of tokens: they can never be turned back."""
    from cobogo.errors import VaultError
    from cobogo.publish.mask.vault import Vault

    try:
        wanted = tokens.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise VaultError(
            tr("the tokens cannot be read: {name}", name=type(error).__name__),
            where=str(tokens),
            remedy=tr("Check the path. The file is text in UTF-8 with one token per line."),
        ) from None
    gone = Vault.open(vault, key).forget(name, tokens=[token for token in wanted if token])
    values = trn("{n:,} value of {domain}", "{n:,} values of {domain}", n=gone, domain=name)
    left = trn("{n:,} token had no value", "{n:,} tokens had no value", n=len(wanted) - gone)
    console.say_line("forgotten", tr("{values}; {left}", values=values, left=left))


@app.command()
def log(vault: Place, key: KeyFile, as_json: Json = False) -> None:
    """Show the audit log, after checking its chain. Exit 1 when it was altered."""
    from cobogo.publish.mask.vault import Vault

    entries, digest = Vault.open(vault, key).log()
    if as_json:
        console.say_json({"entries": [asdict(entry) for entry in entries], "digest": digest})
        return
    say = language.terminal_speech()
    header: list[str] = ["", tr("when"), tr("key"), tr("what"), tr("domain"), tr("values"), ""]
    rows = [
        [
            str(e.number),
            e.at,
            e.key,
            say(ACTIONS.get(e.action, e.action)),
            e.domain or "",
            say.number(e.count),
            e.detail,
        ]
        for e in entries
    ]
    console.say(console.table(header, rows, numbers=[0, 5]))
    console.say()
    console.say(tr("The chain holds. Write its end down elsewhere: {digest}", digest=digest))


@app.command()
def show(vault: Place, key: KeyFile, as_json: Json = False) -> None:
    """Show the domains and the keys; no value and no token."""
    from cobogo.publish.mask.vault import Vault

    found = Vault.open(vault, key).show()
    if as_json:
        console.say_json(found)
        return
    say = language.terminal_speech()
    domains = [
        [d["name"], d["format"], say.number(d["values"]), say.number(d["irreversible"])] for d in found["domains"]
    ]
    header: list[str] = [tr("domain"), tr("format"), tr("values"), tr("irreversible")]
    console.say(console.table(header, domains, numbers=[2, 3]))
    everywhere = say("all")
    keys = [
        [k["name"], ", ".join(k["roles"]), ", ".join(k["domains"]) or everywhere, k["revoked"] or ""]
        for k in found["keys"]
    ]
    header = [tr("key"), tr("roles"), tr("domains"), tr("revoked")]
    console.say("\n" + console.table(header, keys))


@app.command()
def check(vault: Place, key: KeyFile) -> None:
    """Open every value and check the log. Exit 1 when something is damaged."""
    from cobogo.publish.mask.vault import Vault

    values = trn("{n:,} value", "{n:,} values", n=Vault.open(vault, key).check())
    console.say_line("checked", tr("{values}, and the log: nothing is damaged", values=values))


@app.command()
def secret(out: Annotated[Path, typer.Argument(help="The new file.", show_default=False)]) -> None:
    """Make a secret for consistent fakes, pseudonyms and column encryption; it has nothing to do with any vault."""
    from cobogo.publish.mask.secret import Secret

    Secret.create(out)
    console.say_line("written", str(out), tr("keep it apart from the data"))
