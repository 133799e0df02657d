"""The books over HTTP, where the server's settings name them: the registry of releases, the vault of tokens, and the
curator with its ledger. The key says who asks the curator: nobody can ask on another's budget."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter

from cobogo.faces.server.keys import Holder
from cobogo.faces.server.routes.dependencies import REFUSALS, Here, may
from cobogo.faces.server.schemas import AnswerShown, Exchanged, Question, Texts
from cobogo.faces.server.services.curator import CuratorService
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


curator = APIRouter(prefix="/curator", tags=["curator"], responses=REFUSALS)


@curator.get("/datasets")
def datasets(this: Here, holder: Annotated[Holder, may(CuratorService.describe)]) -> list[dict[str, Any]]:
    """The data sets that one may ask about, with their declared columns and what is left of one's budget."""
    return this.curator.describe(holder)


@curator.post("/explain")
def explain(this: Here, holder: Annotated[Holder, may(CuratorService.explain)], question: Question) -> dict[str, Any]:
    """What a question would cost and how far off its answer would be. Reads and spends nothing."""
    offer = {"epsilon": question.epsilon, "rho": question.rho, "delta": question.delta}
    return dict(this.curator.explain(holder, question.sql, **offer).as_dict())


@curator.post("/ask")
def ask(this: Here, holder: Annotated[Holder, may(CuratorService.ask)], question: Question) -> AnswerShown:
    """Answer a question, and charge it. 409 when the budget does not allow for it."""
    offer = {"epsilon": question.epsilon, "rho": question.rho, "delta": question.delta}
    return AnswerShown.model_validate(this.curator.ask(holder, question.sql, **offer).as_dict())


@curator.get("/budgets")
def budgets(this: Here, holder: Annotated[Holder, may(CuratorService.list_balances)]) -> list[dict[str, Any]]:
    """What every data set and analyst may spend, has spent and has left."""
    return [balance.as_dict() for balance in this.curator.list_balances(holder)]
