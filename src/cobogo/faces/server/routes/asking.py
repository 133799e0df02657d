"""The curator over HTTP. Who asks is who the key says: nobody can ask on another's budget."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter

from cobogo.faces.server.keys import Holder
from cobogo.faces.server.routes.dependencies import REFUSALS, Here, may
from cobogo.faces.server.schemas import AnswerShown, Question
from cobogo.faces.server.services.curator import CuratorService

router = APIRouter(prefix="/curator", tags=["curator"], responses=REFUSALS)


@router.get("/datasets")
def datasets(this: Here, holder: Annotated[Holder, may(CuratorService.describe)]) -> list[dict[str, Any]]:
    """The data sets that one may ask about, with their declared columns and what is left of one's budget."""
    return this.curator.describe(holder)


@router.post("/explain")
def explain(this: Here, holder: Annotated[Holder, may(CuratorService.explain)], question: Question) -> dict[str, Any]:
    """What a question would cost and how far off its answer would be. Reads and spends nothing."""
    offer = {"epsilon": question.epsilon, "rho": question.rho, "delta": question.delta}
    return dict(this.curator.explain(holder, question.sql, **offer).as_dict())


@router.post("/ask")
def ask(this: Here, holder: Annotated[Holder, may(CuratorService.ask)], question: Question) -> AnswerShown:
    """Answer a question, and charge it. 409 when the budget does not allow for it."""
    offer = {"epsilon": question.epsilon, "rho": question.rho, "delta": question.delta}
    return AnswerShown.model_validate(this.curator.ask(holder, question.sql, **offer).as_dict())


@router.get("/budgets")
def budgets(this: Here, holder: Annotated[Holder, may(CuratorService.list_balances)]) -> list[dict[str, Any]]:
    """What every data set and analyst may spend, has spent and has left."""
    return [balance.as_dict() for balance in this.curator.list_balances(holder)]
