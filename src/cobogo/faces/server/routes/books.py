"""The registry of releases and the vault of tokens, where the server's settings name them."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter

from cobogo.faces.server.keys import Holder
from cobogo.faces.server.routes.dependencies import REFUSALS, Here, may
from cobogo.faces.server.schemas import Exchanged, Texts
from cobogo.faces.server.services.registry import RegistryService, VaultService

router = APIRouter(tags=["registry and vault"], responses=REFUSALS)


@router.get("/registry")
def registry(this: Here, holder: Annotated[Holder, may(RegistryService.list_figures)]) -> list[dict[str, Any]]:
    """The releases that are recorded, in figures: one's own, and everybody's for auditors. Shows no values."""
    return this.registry.list_figures(holder)


@router.post("/vault/tokens")
def tokenize(this: Here, holder: Annotated[Holder, may(VaultService.tokenize)], wanted: Texts) -> Exchanged:
    """Tokens in place of values: the same value has the same token."""
    return Exchanged(texts=this.vault.tokenize(holder, wanted.domain, wanted.texts))


@router.post("/vault/values")
def detokenize(this: Here, holder: Annotated[Holder, may(VaultService.detokenize)], wanted: Texts) -> Exchanged:
    """Values in place of tokens. It is in the log, and in the vault's own."""
    return Exchanged(texts=this.vault.detokenize(holder, wanted.domain, wanted.texts))
