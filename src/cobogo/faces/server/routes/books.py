"""The registry of releases and the vault of tokens, where the server's settings name them."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Depends, HTTPException

from cobogo.faces.server.access import house, needs
from cobogo.faces.server.house import House
from cobogo.faces.server.keys import Holder
from cobogo.faces.server.roles import Scope
from cobogo.faces.server.routes.common import REFUSALS
from cobogo.faces.server.shapes import Exchanged, Texts

router = APIRouter(tags=["registry and vault"], responses=REFUSALS)
Here = Annotated[House, Depends(house)]
Reader = Annotated[Holder, needs(Scope.REGISTRY)]
Keeper = Annotated[Holder, needs(Scope.VAULT)]


@router.get("/registry")
def registry(this: Here, holder: Reader) -> list[dict[str, Any]]:
    """The releases that are recorded, in figures: one's own, and everybody's for auditors. Shows no values."""
    from cobogo.publish.registry.store import open_registry

    if this.settings.registry is None:
        raise HTTPException(404, "This server keeps no registry.")
    with open_registry(this.settings.registry, None).transaction() as book:
        shown = [entry.as_dict() for entry in book.entries()]
    mine = [one for one in shown if holder.sees is None or str(one["dataset"]).startswith(f"{holder.owner} ")]
    return [{key: value for key, value in one.items() if key != "directory"} for one in mine]


@router.post("/vault/tokens")
def tokenize(this: Here, holder: Keeper, wanted: Texts) -> Exchanged:  # noqa: ARG001
    """Tokens in place of values: the same value has the same token."""
    return Exchanged(texts=list(_vault(this).tokenize(wanted.domain, wanted.texts)))


@router.post("/vault/values")
def detokenize(this: Here, holder: Keeper, wanted: Texts) -> Exchanged:  # noqa: ARG001
    """Values in place of tokens. It is in the log, and in the vault's own."""
    return Exchanged(texts=list(_vault(this).detokenize(wanted.domain, wanted.texts)))


def _vault(this: House) -> Any:
    from cobogo.publish.mask.vault import Vault

    if this.settings.vault is None or this.settings.vault_key is None:
        raise HTTPException(404, "This server keeps no vault.")
    return Vault.open(this.settings.vault, this.settings.vault_key)
